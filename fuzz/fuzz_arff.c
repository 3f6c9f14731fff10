/* fuzz/fuzz_arff.c - any bytes as a table in the format "arff". */
#include "reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return read_fuzzed("arff", data, size);
}
