/* fuzz/fuzz_archive.c - any bytes as a packed file or archive, of any format inside. */
#include "reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return read_fuzzed(NULL, data, size);
}
