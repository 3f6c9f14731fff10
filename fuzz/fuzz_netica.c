/* fuzz/fuzz_netica.c - any bytes as a network in Netica's language. */
#include "network.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    network_fuzz(CR__NETWORK_NETICA, data, size);
    return 0;
}
