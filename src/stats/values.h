/* stats/values.h - how often each number of a real feature occurs in each class.
 *
 * Cuts, histograms and kernel densities need more than a feature's moments: the numbers themselves.
 * They are counted exactly while there are at most CR__VALUES_EXACT different ones. Beyond that the
 * last bit of all numbers is dropped, repeatedly, until at most CR__VALUES_COARSE are left: numbers
 * that agree in their leading bits become one. This is a sketch of the distribution with exact
 * ranks, whose numbers are off by at most half of the last bit kept. As the bits to drop follow
 * from the set of numbers alone, equal data give equal bytes in any order, and merging gives what
 * one pass would have given; subtracting what was added restores the former state, unless bits were
 * dropped in between.
 */
#ifndef CR_STATS_VALUES_H
#define CR_STATS_VALUES_H

#include "data/discretise.h"
#include "stats/counts.h"
#include "stats/value_grid.h"

#define CR__VALUES_EXACT 65536
#define CR__VALUES_COARSE 16384

/* In canonical order: by number, then by class. */
typedef struct cr__values {
    size_t count;       /* pairs of a number and a class that occur */
    unsigned shift;     /* bits dropped; 0: all numbers are exact */
    uint64_t *key;      /* [2 * count] the number's key, the class */
    int64_t *whole;     /* [count] */
    uint64_t *fraction; /* [count], or NULL */
} cr__values;           /* {0} is empty */

void cr__values_free(cr__values *values);

/* Keys are ordered as numbers are. Both zeros have one key. */
uint64_t cr__values_key(double x);
double cr__values_number(uint64_t key, unsigned shift); /* the midpoint of its interval */

static inline cr__count cr__values_at(const cr__values *values, size_t i)
{
    return (cr__count){values->whole[i], values->fraction == NULL ? 0 : values->fraction[i]};
}

/* --- while they are being collected ----------------------------------------------------------- */

/* A number that has not been counted yet. */
typedef struct cr__value_pending {
    uint64_t key;
    uint32_t class_code;
    uint32_t at; /* where its weight is */
} cr__value_pending;

/* Numbers wait in order of arrival; when there are many, they are sorted and merged into those
 * already counted. Once enough bits are dropped, a number and its class fit 64 bits, and a grid
 * counts them, unless they are too scattered for that. */
typedef struct cr__value_table {
    cr__values counted; /* in canonical order by class codes; counts may be 0 or negative */
    cr__value_pending *pending;
    size_t pendings, pending_capacity;
    cr__count *weight; /* [weight_capacity] of what waits; those before `weighted` have one, */
    size_t weighted, weight_capacity; /* the others weigh 1 */
    uint64_t *code;                   /* [codes] of weight 1 that wait: the bits kept of the key, */
    size_t codes, code_capacity;      /* then class_bits of the class */
    unsigned class_bits;
    cr__value_grid grid; /* codes that were counted, of the same bits */
    uint64_t looked;     /* rows in it when its numbers were last counted */
    int scattered;       /* there is no grid */
} cr__value_table;       /* {0} is empty */

void cr__value_table_free(cr__value_table *table);

/* Count rows; class_code NULL: all of class 0. Rows of class CR__MISSING and NaN are skipped,
 * unless there are no classes. */
cr_status cr__value_table_absorb(cr__value_table *table, const double *x, const double *weight,
                                 const uint32_t *class_code, size_t rows);

/* Add sign * values, whose class c is class_code[c] here. */
cr_status cr__value_table_add(cr__value_table *table, const cr__values *values,
                              const uint32_t *class_code, int sign);

/* Convert to canonical form; class_of[code] is the class of a code, UINT32_MAX: it no longer exists
 * and must have no counts. CR_ECONFLICT: a count is negative. */
cr_status cr__value_table_finish(cr__value_table *table, const uint32_t *class_of, cr__values *out);

/* --- sums and differences --------------------------------------------------------------------- */

/* Statistics have numbers of classes of their own: class c here is class_of[c] of the result. */
typedef struct cr__values_of {
    const cr__values *values;
    const uint32_t *class_of;
} cr__values_of;

/* a + sign * b in canonical form, as if both had been added to a table. Classes from `classes` on
 * must have no counts then. CR_ECONFLICT: a count is negative, or there is one of such a class. */
cr_status cr__values_combine(cr__values_of a, cr__values_of b, int sign, size_t classes,
                             cr__values *out);

/* --- parts ------------------------------------------------------------------------------------ */

/* All parts but `skip` (SIZE_MAX: all), added up with as many bits as the coarsest of them has.
 * They are canonical and of the same classes. */
cr_status cr__values_join(const cr__values *part, size_t count, size_t skip, cr__values *out);

/* What the numbers without one part or another are made in, one after the other. */
typedef struct cr__values_room {
    cr__spread spread;
    size_t capacity;   /* entries of the spread */
    cr__values coarse; /* the joined parts with more bits dropped */
} cr__values_room;     /* {0} is empty */

void cr__values_room_free(cr__values_room *room);

/* Joined parts without one of them (NULL: all of them), as room->spread: the same as collecting
 * the others, provided that one of these is as coarse as the joined ones. A room belongs to the
 * same joined parts. */
cr_status cr__values_spread_without(const cr__values *joined, const cr__values *part,
                                    size_t classes, cr__values_room *room);

/* --- queries ---------------------------------------------------------------------------------- */

/* The numbers as a spread for cutting; free its arrays with cr__spread_free(). */
cr_status cr__values_spread(const cr__values *values, size_t classes, cr__spread *out);

/* The same of every k-th pair, so that there are at most so many. */
cr_status cr__values_thinned(const cr__values *values, size_t most, size_t classes,
                             cr__spread *out);

#endif
