/* stats/tuples.h - how often the values of a few features occur together, by class.
 *
 * A tuple is a list of two to five features. Its counts form a table: by the value of the first
 * feature, then of the second, …, then by class. Rows that lack one of the values are not in it. A
 * table of up to cr__tuple_dense_most() cells is an array; of a larger one only the cells that
 * occur are kept, each with its place in the table as its key. So the size depends on values and
 * features, and at most on combinations that occur, never on rows.
 *
 * The tuples of a model begin with all pairs (0, 1), (0, 2), …, (1, 2), … of its features.
 */
#ifndef CR_STATS_TUPLES_H
#define CR_STATS_TUPLES_H

#include "data/schema.h"
#include "stats/counts.h"

enum { CR__TUPLE_MOST = 5 };

typedef struct cr__tuple {
    size_t size;                      /* features */
    uint32_t feature[CR__TUPLE_MOST]; /* numbered from 0 */
} cr__tuple;

/* The counts of one tuple. */
typedef struct cr__tuple_counts {
    size_t cells;
    uint64_t *key;      /* [cells] ascending places; NULL: every place has a cell */
    int64_t *whole;     /* [cells] */
    uint64_t *fraction; /* [cells], or NULL */
} cr__tuple_counts;

typedef struct cr__tuples {
    size_t features, classes;
    uint32_t *column; /* [features] of the schema */
    size_t *values;   /* [features] */
    size_t count;
    cr__tuple *tuple;         /* [count] */
    cr__tuple_counts *counts; /* [count] */
} cr__tuples;

void cr__tuples_free(cr__tuples *tuples); /* with the block itself; NULL is allowed */

/* Tuples of the schema's features without counts: all pairs, and those of `more`. NULL when out of
 * memory. */
cr__tuples *cr__tuples_new(const cr_schema *schema, const cr__tuple *more, size_t more_count);

/* How many tuples are pairs, and the place of the pair i < j among them. */
static inline size_t cr__tuples_pairs(size_t features)
{
    return features < 2 ? 0 : features * (features - 1) / 2;
}

static inline size_t cr__tuples_pair(size_t features, size_t i, size_t j)
{
    return i * (2 * features - i - 1) / 2 + j - i - 1;
}

/* The largest tuple size for which every combination is counted; 0 for NULL. */
size_t cr__tuples_order(const cr__tuples *tuples);

/* With more features than this, or tables of more cells in all, training counts no triples. */
enum { CR__TRIPLES_FEATURES = 24, CR__TRIPLES_CELLS = 1 << 22 };

/* All triples i < j < k of the features, to be freed. NULL when out of memory. */
cr__tuple *cr__tuples_triples(size_t features, size_t *count);

/* The tuple of these features in this order; SIZE_MAX when there is none. */
size_t cr__tuples_find(const cr__tuples *tuples, const uint32_t *feature, size_t size);

/* Places of a table; SIZE_MAX when they are too many to be numbered. */
size_t cr__tuples_size(const cr__tuples *tuples, size_t t);

/* The most places that an array is used for. */
static inline size_t cr__tuple_dense_most(size_t size)
{
    return (size_t)1 << (size == 2 ? 16 : 18);
}

static inline cr__count cr__tuple_at(const cr__tuple_counts *n, size_t i)
{
    return (cr__count){n->whole[i], n->fraction == NULL ? 0 : n->fraction[i]};
}

#endif
