/* stats/gather.h - statistics while they are being collected: the accumulator behind every table.
 *
 * A gather absorbs batches (one gather per worker, with codes of its own growing dictionaries),
 * whole statistics with a sign, and other gathers, and is finished into canonical cr__stats. It is
 * loose where those are strict: words in order of arrival, room to grow, hot accumulators.
 */
#ifndef CR_STATS_GATHER_H
#define CR_STATS_GATHER_H

#include <stdatomic.h>

#include "data/batch.h"
#include "stats/stats.h"
#include "text/tokenizer.h"

/* The words that a text column of another gather has counted. */
typedef struct cr__adopted {
    cr__vocabulary vocabulary;
    uint64_t *documents; /* [codes] texts by the other's class code, */
    uint32_t *map;       /* [codes] the same class here */
    size_t codes;
} cr__adopted;

typedef struct cr__gather_column {
    cr__dict *dict;     /* symbol columns */
    cr__counts counts;  /* symbol features: value code × class code */
    cr__lane *lane;     /* real features: [lanes], by class code: hot sums of this pass */
    cr__moment *moment; /* real features: [lanes], by class code: what has been added whole */
    size_t lanes;
    cr__value_table values;    /* real features, when numbers are kept: by class code */
    cr__vocabulary vocabulary; /* bag features: the words of this pass */
    uint64_t *documents;       /* bag features: [document_codes] texts of this pass by class code */
    size_t document_codes;
    cr__adopted *adopted; /* bag features: [adopted_count] words that others have counted */
    size_t adopted_count, adopted_capacity;
    cr__bag_part *added; /* bag features: [added_count] what is to be added whole; their maps,
                            to class codes, are the gather's */
    size_t added_count, added_capacity;
} cr__gather_column;

typedef struct cr__gather {
    const cr_schema *schema; /* borrowed */
    uint64_t rows;           /* rows with a class, minus those subtracted */
    uint64_t unlabelled;     /* rows without */
    int subtracted;          /* something was subtracted: the rest is checked */
    uint64_t limit;          /* bytes the tables may take; 0 = no limit */
    cr__counts classes;      /* row 0 only */
    cr__gather_column *column;
    int workers;                    /* threads that may finish it; 0 = one */
    int keep_values;                /* the numbers of real features are counted one by one, too, */
    int values_apart;               /* but those of statistics are added by somebody else */
    uint64_t values_most;           /* unless values_seen, the rows of all workers, is larger */
    _Atomic uint64_t *values_seen;  /* NULL: no limit */
    cr__plan plan;                  /* for readers: fills this gather's dictionaries */
    cr__tokenizer *tokenizer;       /* for bag columns, or NULL */
    struct cr__gather_cells *cells; /* set when cells are counted instead: gather_cells.h */
    struct cr__gather_tuples *tuples; /* set when tuples are counted besides: gather_tuples.h */
    struct cr__cross_part *cross;     /* the worker's rows when products are gathered, or NULL */
    uint32_t *label;                  /* of the batch's rows, for a regression */
    size_t label_capacity;
    uint32_t *order, *start; /* rows of the batch by class, when that pays */
    size_t order_capacity, start_capacity;
} cr__gather;

/* Declared values are in the dictionaries from the start. Schema and recipe must outlive the
 * gather; the recipe is NULL when no text will be read. */
cr_status cr__gather_new(cr__gather **out, const cr_schema *schema, const cr__recipe *recipe,
                         uint64_t limit, cr_error *err);
void cr__gather_free(cr__gather *gather);

/* Report that the counts of this many classes need more bytes than the limit. */
cr_status cr__gather_fail_limit(const cr__gather *gather, size_t classes, double bytes,
                                cr_error *err);

/* Make room for all the codes that the dictionaries have by now. CR_ELIMIT beyond the limit. */
cr_status cr__gather_fit(cr__gather *gather, cr_error *err);

/* Absorb the rows of a batch filled through gather->plan. */
cr_status cr__gather_absorb(cr__gather *gather, const cr__batch *batch, cr_error *err);

/* Forget the numbers of real features that were kept. */
void cr__gather_drop_values(cr__gather *gather);

/* Add or subtract statistics of the same columns (matched by name). Those with texts must live
 * until the gather is finished. */
cr_status cr__gather_add(cr__gather *gather, const cr__stats *stats, int sign, cr_error *err);

/* Take over the words of a gather of the same schema, which then has none: adding the rest of it
 * completes the sum. */
cr_status cr__gather_adopt_words(cr__gather *gather, cr__gather *from, cr_error *err);

/* Convert to canonical form: afterwards the gather can only be freed. CR_ECONFLICT when a count is
 * negative or sums remain without rows: something was subtracted that had never been added. */
cr_status cr__gather_finish(cr__gather *gather, cr__stats **out, cr_error *err);

#endif
