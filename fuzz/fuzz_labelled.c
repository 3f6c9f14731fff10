/* fuzz/fuzz_labelled.c - any bytes as labelled lines. */
#include "reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return read_fuzzed("labelled", data, size);
}
