/* fuzz/fuzz_mbox.c - any bytes as a mailbox: its messages cover it, and a cut changes none of them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text/mbox.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int right)
{
    if (!right)
        abort();
}

/* Unquoting in place and elsewhere agree, and take one byte from each quoted line. */
static void check_unquoting(const char *bytes, size_t size)
{
    char *copy = malloc(size + 1), *out = malloc(size + 1);
    size_t length;

    check(copy != NULL && out != NULL);
    if (size > 0)
        memcpy(copy, bytes, size);
    length = cr__mbox_unquote(bytes, size, out);
    check(length <= size && (length < size) == cr__mbox_is_quoted(bytes, size));
    check(cr__mbox_unquote(copy, size, copy) == length);
    check(length == 0 || memcmp(copy, out, length) == 0);
    free(copy);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    size_t from = 0, start, end;

    while (from < size) {
        const size_t next = cr__mbox_next(bytes, size, from);

        check(next > from && next <= size);
        check(next == size || memcmp(bytes + next, "From ", 5) == 0);
        check(cr__mbox_next(bytes, next, from) == next); /* the message alone has no other in it */
        cr__mbox_message(bytes, from, next, &start, &end);
        check(from <= start && start <= end && end == next);
        check_unquoting(bytes + start, end - start);
        from = next;
    }
    return 0;
}
