/* sql/names.h - the values of a symbol column by number, so that rows that wait hold numbers. */
#ifndef CREDENCE_SQL_NAMES_H
#define CREDENCE_SQL_NAMES_H

#include "credence/credence.h"

enum { NAMES_AT_HAND = 256 };

typedef struct names {
    cr_span *name;  /* [count] whose bytes are its own */
    uint64_t *hash; /* [count] */
    uint32_t *slot; /* [slots] a number + 1, or 0; a power of 2 */
    size_t count, room, slots;
    struct {
        uint64_t word; /* a text of up to eight bytes, */
        uint32_t size; /* its size + 1; 0: nothing */
        int32_t number;
    } at_hand[NAMES_AT_HAND];
} names;

/* The number of a text, which is new when it was not met before; -1 when memory is out. */
int32_t names_number(names *n, const char *bytes, size_t size);

/* Forget all of them. */
void names_clear(names *n);

#endif
