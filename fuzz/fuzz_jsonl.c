/* fuzz/fuzz_jsonl.c - any bytes as a table in the format "jsonl". */
#include "reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return read_fuzzed("jsonl", data, size);
}
