/* sql/sample.c - some of the rows that an aggregate has seen, whatever their order. */
#include "sample.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 8192, PLACES = 4 * ROWS_MOST };

#define BYTES_MOST ((size_t)16 << 20)

void sample_open(sample *s)
{
    *s = (sample){.most = UINT64_MAX};
}

void sample_close(sample *s)
{
    for (size_t i = 0; s->row != NULL && i < s->places; i++)
        free(s->row[i].bytes);
    free(s->row);
    *s = (sample){0};
}

/* The place of a row, or the free one where it belongs. Hashes that are kept are small: their high
 * bits say nothing. */
static sample_row *find(const sample *s, uint64_t hash, const void *bytes, size_t size)
{
    size_t i = hash & (s->places - 1);

    while (s->row[i].bytes != NULL && (s->row[i].hash != hash || s->row[i].size != size ||
                                       memcmp(s->row[i].bytes, bytes, size) != 0))
        i = (i + 1) & (s->places - 1);
    return &s->row[i];
}

/* Forget the rows above a limit. This leaves holes, which break searches. */
static void lower(sample *s, uint64_t most)
{
    s->most = most;
    for (size_t i = 0; i < s->places; i++)
        if (s->row[i].bytes != NULL && s->row[i].hash > most) {
            s->rows--;
            s->bytes -= s->row[i].size;
            free(s->row[i].bytes);
            s->row[i].bytes = NULL;
        }
}

/* Lay the table out anew after rows were forgotten, and more of them while they are too many. */
static int shrink(sample *s)
{
    sample_row *old = s->row;

    while (s->rows > ROWS_MOST || s->bytes > BYTES_MOST)
        lower(s, s->most >> 1);
    if ((s->row = calloc(s->places, sizeof *s->row)) == NULL) {
        s->row = old;
        return 0;
    }
    for (size_t i = 0; i < s->places; i++)
        if (old[i].bytes != NULL)
            *find(s, old[i].hash, old[i].bytes, old[i].size) = old[i];
    free(old);
    return 1;
}

int sample_add(sample *s, uint64_t hash, const void *bytes, size_t size, uint64_t count)
{
    sample_row *row;

    if (!sample_wants(s, hash))
        return 1;
    if (s->row == NULL && (s->row = calloc(PLACES, sizeof *s->row)) == NULL)
        return 0;
    s->places = PLACES;
    row = find(s, hash, bytes, size);
    row->count += count;
    if (row->bytes != NULL)
        return 1;
    if ((row->bytes = malloc(size + 1)) == NULL)
        return 0;
    memcpy(row->bytes, bytes, size);
    row->size = size;
    row->hash = hash;
    s->bytes += size;
    return ++s->rows <= ROWS_MOST && s->bytes <= BYTES_MOST ? 1 : shrink(s);
}

int sample_join(sample *s, const sample *other)
{
    int fine = 1;

    if (other->most < s->most) {
        lower(s, other->most);
        fine = s->row == NULL || shrink(s);
    }
    for (size_t i = 0; fine && other->row != NULL && i < other->places; i++)
        if (other->row[i].bytes != NULL)
            fine = sample_add(s, other->row[i].hash, other->row[i].bytes, other->row[i].size,
                              other->row[i].count);
    return fine;
}

/* Free places last; equal hashes by what is in the rows. */
static int in_order(const void *first, const void *second)
{
    const sample_row *a = first, *b = second;
    int order;

    if (a->bytes == NULL || b->bytes == NULL)
        return (a->bytes == NULL) - (b->bytes == NULL);
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    order = memcmp(a->bytes, b->bytes, a->size < b->size ? a->size : b->size);
    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

void sample_sort(sample *s)
{
    if (s->row != NULL)
        qsort(s->row, s->places, sizeof *s->row, in_order);
}

void sample_put(const sample *s, writer *w)
{
    put_number(w, s->most);
    put_number(w, s->rows);
    for (size_t i = 0; s->row != NULL && i < s->places; i++)
        if (s->row[i].bytes != NULL) {
            put_number(w, s->row[i].hash);
            put_number(w, s->row[i].count);
            put_bytes(w, s->row[i].bytes, s->row[i].size);
        }
}

int sample_take(sample *s, reader *r)
{
    const uint64_t most = take_number(r), rows = take_number(r);

    s->most = most;
    for (uint64_t i = 0; !r->bad && i < rows; i++) {
        const uint64_t hash = take_number(r), count = take_number(r);
        size_t size;
        const void *bytes = take_bytes(r, &size);

        if (!r->bad && !sample_add(s, hash, bytes, size, count))
            return 0;
    }
    return !r->bad && s->most == most;
}
