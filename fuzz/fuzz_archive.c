/* fuzz/fuzz_archive.c - any bytes as a packed file or archive: of tables, texts or messages. */
#include "reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {NULL, "folder", "mail"};

    return size == 0 ? 0 : read_fuzzed(formats[*data % 3], data, size);
}
