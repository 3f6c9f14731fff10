/* fuzz/fuzz_libsvm.c - any bytes as a table in the format "libsvm". */
#include "reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cr__source_index_limit = 1000;
    return read_fuzzed("libsvm", data, size);
}
