/* fuzz/fuzz_bif.c - any bytes as a network in BIF. */
#include "network.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    network_fuzz(CR__NETWORK_BIF, data, size);
    return 0;
}
