/* fuzz/fuzz_idx.c - any bytes as a table in the format "idx". */
#include "reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A few bytes can declare a million columns, which would only be slow. */
    for (size_t i = 9; i + 3 < size && i < 9 + 4 * 7; i += 4)
        if (data[i] != 0 || data[i + 1] != 0 || data[i + 2] != 0)
            return 0;
    return read_fuzzed("idx", data, size);
}
