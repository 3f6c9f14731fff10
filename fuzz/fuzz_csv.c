/* fuzz/fuzz_csv.c - any bytes as a table in the format "csv". */
#include "reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return read_fuzzed("csv", data, size);
}
