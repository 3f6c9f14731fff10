/* network/learn/family.h - rows as columns of small numbers, and how often combinations occur.
 *
 * Structure learning only needs to know how often the states of a few variables occur together:
 * those of a node and its parents, its family. Cases are organised for such counts. Every variable
 * is a column of bytes (of 16 bits beyond 256 states), and every state that is not one of very many
 * also has a bitmap with a bit for each row.
 *
 * A table of counts is filled from the top with bitmaps: the rows of a combination are the AND of
 * its bitmaps, and their number is a population count. Where so few rows are left that it is
 * cheaper, they are listed and counted one by one. Combinations that do not occur are skipped. (The
 * AD-trees of A. Moore and M. Lee, "Cached sufficient statistics for efficient machine learning
 * with large datasets", 1998, descend likewise, and also end in lists of rows.)
 */
#ifndef CR_NETWORK_LEARN_FAMILY_H
#define CR_NETWORK_LEARN_FAMILY_H

#include "base/random.h"
#include "stats/cells.h"

enum {
    CR__CASE_STATES_MAX = 65536, /* of one variable */
    CR__BITMAP_STATES_MAX = 64   /* beyond that a variable has no bitmaps */
};

typedef struct cr__cases {
    uint32_t variables;
    size_t rows;
    double total;     /* weight of all rows */
    uint32_t *states; /* [variables] */
    void **code;      /* [variables] uint8_t[rows], or uint16_t[rows] beyond 256 states */
    double *weight;   /* [rows], or NULL: 1 each */
    size_t words;     /* of a bitmap; a multiple of 4 */
    uint64_t **bits;  /* [variables] bitmaps of the states one after another, or NULL */
} cr__cases;

/* Rows to be filled in with cr__cases_put, then cr__cases_index makes the bitmaps. */
cr_status cr__cases_new(cr__cases **out, const uint32_t *states, uint32_t variables, size_t rows,
                        cr_error *err);
void cr__cases_free(cr__cases *cases); /* NULL is allowed */
cr_status cr__cases_index(cr__cases *cases, cr_error *err);

static inline uint32_t cr__cases_get(const cr__cases *cases, uint32_t variable, size_t row)
{
    return cases->states[variable] <= 256 ? ((const uint8_t *)cases->code[variable])[row]
                                          : ((const uint16_t *)cases->code[variable])[row];
}

static inline void cr__cases_put(cr__cases *cases, uint32_t variable, size_t row, uint32_t state)
{
    if (cases->states[variable] <= 256)
        ((uint8_t *)cases->code[variable])[row] = (uint8_t)state;
    else
        ((uint16_t *)cases->code[variable])[row] = (uint16_t)state;
}

/* The rows of cells that have a value for every variable; states [variables] says how many values
 * those have. A row that occurs a few times is repeated, unless there are many such rows: then each
 * is stored once with a weight. CR_EFORMAT: no row is complete. */
cr_status cr__cases_of_cells(cr__cases **out, const cr__cells *cells, const uint32_t *states,
                             cr_error *err);

/* The same number of rows, drawn from these with replacement (by weight). */
cr_status cr__cases_resample(cr__cases **out, const cr__cases *cases, cr__random *random,
                             cr_error *err);

/* --- counting --------------------------------------------------------------------------------- */

/* What one thread needs to count. */
typedef struct cr__counter {
    const cr__cases *cases;
    uint64_t *level; /* [level_count * words] bitmaps of the combinations on the way down */
    size_t level_count;
    uint32_t *row; /* [rows] a list */
    double *cells; /* tables */
    size_t cell_capacity;
    double **table; /* [variables] where each begins */
} cr__counter;

cr_status cr__counter_new(cr__counter *counter, const cr__cases *cases, cr_error *err);
void cr__counter_free(cr__counter *counter);

/* Cells of a table over some variables; SIZE_MAX when they are more than `most`. */
size_t cr__cases_cells(const cr__cases *cases, const uint32_t *variable, size_t count, size_t most);

/* Make room in counter->table for tables of extra variables in addition to a base with this many
 * cells. Returns how many of them can be counted together, at least one; 0 when out of memory. */
size_t cr__counter_lay(cr__counter *counter, size_t cells, const uint32_t *extra, size_t extras);

/* Count the base variables together with each of the extra ones: table[e] has for every
 * combination of the base, the first variable slowest, a row with the states of extra[e]. Tables
 * are overwritten; *table[e] has room for their cells. CR_ENOMEM. */
cr_status cr__count_extended(cr__counter *counter, const uint32_t *base, size_t bases,
                             const uint32_t *extra, size_t extras, double *const *table);

/* Rows that are in both bitmaps: with vectors where the machine has them, and without. */
size_t cr__bits_common(const uint64_t *a, const uint64_t *b, size_t words);
size_t cr__bits_common_plain(const uint64_t *a, const uint64_t *b, size_t words);
/* The same, and the bitmap of those rows. */
size_t cr__bits_meet(uint64_t *out, const uint64_t *a, const uint64_t *b, size_t words);

#endif
