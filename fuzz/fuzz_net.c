/* fuzz/fuzz_net.c - any bytes as a network in plain text. */
#include "network.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    network_fuzz(CR__NETWORK_PLAIN, data, size);
    return 0;
}
