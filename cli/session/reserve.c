/* cli/session/reserve.c - memory allocation for the command, which ends if it fails. */
#include "session/reserve.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"

/* Nothing is left half written: models are saved all or nothing. */
_Noreturn void reserve_failed(void)
{
    fputs("credence: out of memory\n", stderr);
    exit(out_failure(EXIT_FAULT));
}

void *reserve(size_t count, size_t size)
{
    void *room = calloc(count != 0 ? count : 1, size);

    if (room == NULL)
        reserve_failed();
    return room;
}

void *reserve_more(void *old, size_t count, size_t size)
{
    void *room;

    if (count > SIZE_MAX / size || (room = realloc(old, count * size)) == NULL)
        reserve_failed();
    return room;
}

char *reserve_text(const char *text)
{
    size_t size = strlen(text) + 1;

    return memcpy(reserve(size, 1), text, size);
}
