/* fuzz/fuzz_xmlbif.c - any bytes as a network in XMLBIF. */
#include "network.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    network_fuzz(CR__NETWORK_XMLBIF, data, size);
    return 0;
}
