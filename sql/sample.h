/* sql/sample.h - some of the rows that an aggregate has seen, whatever their order.
 *
 * A row is kept when a hash of its values is below a limit, with the number of times that it came.
 * The limit is the largest 2^64 / 2^k at which not too many different rows are below it. So the
 * sample is a function of the rows alone: of any parts, learned in any order by any number of
 * workers, the samples join to that of all rows. Where few rows are different it has all of them
 * with their counts (distinct sampling: Gibbons 2001, "Distinct sampling for highly-accurate
 * answers to distinct values queries and event reports").
 */
#ifndef CREDENCE_SQL_SAMPLE_H
#define CREDENCE_SQL_SAMPLE_H

#include "bytes.h"

typedef struct sample_row {
    unsigned char *bytes; /* its values; NULL: a free place */
    size_t size;
    uint64_t hash, count;
} sample_row;

typedef struct sample {
    sample_row *row; /* [places] an open hash table; a power of 2 */
    size_t places, rows, bytes;
    uint64_t most; /* hashes above it are not kept */
} sample;

void sample_open(sample *s);
void sample_close(sample *s);

/* Whether a row of this hash is kept. */
static inline int sample_wants(const sample *s, uint64_t hash)
{
    return hash <= s->most;
}

/* Add a row that came `count` times. 0: memory ran out. */
int sample_add(sample *s, uint64_t hash, const void *bytes, size_t size, uint64_t count);

/* Add another sample of rows of the same columns. 0: memory ran out. */
int sample_join(sample *s, const sample *other);

/* Bring the rows into an order that depends on nothing but them; nothing is added after that. */
void sample_sort(sample *s);

/* Append a sample, or read one into an empty sample. 0: memory ran out, or the reader is bad. */
void sample_put(const sample *s, writer *w);
int sample_take(sample *s, reader *r);

#endif
