/* stats/stats.h - the sufficient statistics of a table: what a model knows, in canonical form.
 *
 * For every class its count; for every symbol feature the count of each value with each class; for
 * every real feature and class the count, the exact sum and the exact sum of squares; for every
 * word of a text its occurrences by class. Nothing else is needed by naive Bayes, and nothing
 * depends on the order in which rows came: words are in canonical order (declared ones first, as
 * declared), words that no row has any more are dropped, exact numbers are in their unique shortest
 * form. Equal data give equal bytes.
 */
#ifndef CR_STATS_STATS_H
#define CR_STATS_STATS_H

#include <stdatomic.h>

#include "base/exact.h"
#include "data/schema.h"
#include "stats/bag.h"
#include "stats/cells.h"
#include "stats/counts.h"
#include "stats/cross.h"
#include "stats/tuples.h"
#include "stats/values.h"

#define CR__CANONICAL_SEED UINT64_C(0x63726564656e6365) /* of the dictionaries */

typedef struct cr__moment {
    cr__count count;   /* observed values */
    cr__exact sum;     /* of x */
    cr__exact squares; /* of x * x */
} cr__moment;

/* Whether some values can have these moments; CR_ECONFLICT: none can. */
cr_status cr__moment_check(const cr__moment *moment);

/* The statistics of one column; which part is used depends on its kind. */
typedef struct cr__column_stats {
    cr__dict *dict;     /* symbol columns, the target among them: code v + 1 is value v */
    int64_t *whole;     /* symbol features: [values * classes] */
    uint64_t *fraction; /* the same, or NULL */
    cr__moment *moment; /* real features: [classes] */
    cr__values *values; /* real features: the numbers one by one, or NULL: they are not kept */
    cr__bag *bag;       /* bag features */
} cr__column_stats;

typedef struct cr__stats {
    cr_schema *schema;
    uint64_t rows;
    size_t classes;
    int64_t *class_whole;     /* [classes] */
    uint64_t *class_fraction; /* [classes], or NULL */
    cr__column_stats *column; /* [schema->columns] */
    cr__cells *cells;         /* of a joint table, or NULL; then real columns have intervals, which
                                 are in their dictionaries and counted like words */
    cr__tuples *tuples;       /* counts of pairs and more, or NULL; real columns likewise */
    cr__cross *cross;         /* products of pairs, or NULL */
    struct cr__stats *base;   /* in a view of a store: owner of all but the texts; else NULL */
    atomic_size_t others;     /* owners besides the first one */
} cr__stats;

/* Drop one reference; the last one frees them. NULL is allowed. */
void cr__stats_free(cr__stats *stats);

/* Add an owner to statistics that no longer change. Returns stats. Any thread. */
cr__stats *cr__stats_share(const cr__stats *stats);

/* Statistics that share those of base (as one more owner), except for the texts: these have no
 * words and are to be filled in. */
cr_status cr__stats_view(cr__stats **out, const cr__stats *base, cr_error *err);

/* Whether real features are counted by the intervals that they are divided into. */
static inline int cr__stats_cuts(const cr__stats *stats)
{
    return stats->cells != NULL || stats->tuples != NULL;
}

/* Whether the numbers of real features are kept. */
int cr__stats_keeps_values(const cr__stats *stats);

/* Forget them; no one else may hold the statistics. */
void cr__stats_drop_values(cr__stats *stats);

static inline size_t cr__stats_values(const cr__stats *stats, size_t column)
{
    return stats->column[column].dict == NULL ? 0 : stats->column[column].dict->words;
}

static inline cr__count cr__stats_class(const cr__stats *stats, size_t c)
{
    return (cr__count){stats->class_whole[c],
                       stats->class_fraction == NULL ? 0 : stats->class_fraction[c]};
}

static inline cr__count cr__stats_count(const cr__stats *stats, size_t column, size_t value,
                                        size_t c)
{
    const cr__column_stats *s = &stats->column[column];
    const size_t at = value * stats->classes + c;

    return (cr__count){s->whole[at], s->fraction == NULL ? 0 : s->fraction[at]};
}

/* Whether a column takes part: a feature that is not ignored. */
int cr__stats_is_feature(const cr_schema *schema, size_t column);

/* Cross products of the statistics' columns and classes, all 0. NULL when out of memory. */
cr__cross *cr__stats_lay_out_cross(const cr__stats *stats, cr__cross_use use);

/* a + sign * b, matched by the names of columns, classes and values. CR_ECONFLICT: the columns
 * differ, or (sign < 0) b was never part of a; err says why. */
cr_status cr__stats_combine(cr__stats **out, const cr__stats *a, const cr__stats *b, int sign,
                            cr_error *err);

/* The same of a model's and a lesson's, so that taking the lesson back leaves no trace even in
 * cross products. */
cr_status cr__stats_change(cr__stats **out, const cr__stats *have, const cr__stats *lesson,
                           int sign, cr_error *err);

/* The sum of one or more; of one it is a copy. */
cr_status cr__stats_sum(cr__stats **out, cr__stats *const *part, size_t count, cr_error *err);

#endif
