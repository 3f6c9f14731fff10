/* fuzz/fuzz_mailbox.c - any bytes as a mailbox file, cut into chunks of any size. */
#include "reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return read_fuzzed("mbox", data, size);
}
