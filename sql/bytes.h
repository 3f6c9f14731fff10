/* sql/bytes.h - values one after another as bytes, for states that processes hand to each other.
 * Texts are preceded by their size; numbers are eight bytes of this machine. */
#ifndef CREDENCE_SQL_BYTES_H
#define CREDENCE_SQL_BYTES_H

#include <stddef.h>
#include <stdint.h>

typedef struct writer {
    unsigned char *bytes; /* free() them */
    size_t size, room;
    int failed; /* memory ran out */
} writer;       /* {0} is empty */

void put(writer *w, const void *bytes, size_t size);
void put_number(writer *w, uint64_t x);
void put_bytes(writer *w, const void *bytes, size_t size);
void put_text(writer *w, const char *text); /* NULL: an empty one */

typedef struct reader {
    const unsigned char *at;
    size_t left;
    int bad; /* it ended too early */
} reader;

uint64_t take_number(reader *r);
const void *take_bytes(reader *r, size_t *size); /* borrowed */
char *take_text(reader *r);                      /* a copy with a NUL; NULL if memory runs out */

#endif
