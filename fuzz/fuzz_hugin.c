/* fuzz/fuzz_hugin.c - any bytes as a network in Hugin's language. */
#include "network.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    network_fuzz(CR__NETWORK_HUGIN, data, size);
    return 0;
}
