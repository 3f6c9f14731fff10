/* stats/gather_tuples.h - counts of tuples while they are being collected.
 *
 * A gather that counts tuples counts classes and values as usual, real columns by the intervals
 * they are cut into; in addition it counts every tuple. Each batch is coded once, column by column,
 * and its codes wait until there are thousands of rows; then one tuple after another is counted
 * over all of them, so that a table stays in the cache.
 */
#ifndef CR_STATS_GATHER_TUPLES_H
#define CR_STATS_GATHER_TUPLES_H

#include "data/bins.h"
#include "stats/gather.h"

/* Whether the lists of all tuples up to this order alone fit into the limit, before a row is
 * counted. CR_ELIMIT. */
cr_status cr__gather_afford_tuples(const cr__gather *gather, int order, cr_error *err);

/* Make a gather, still empty, count tuples: all pairs and those of `more`. Real columns are cut by
 * bins, which must outlive it; NULL when no batch will follow. */
cr_status cr__gather_count_tuples(cr__gather *gather, const cr__bins *bins, const cr__tuple *more,
                                  size_t more_count, cr_error *err);

/* Refuse, with CR_ELIMIT, to count triples whose tables have more cells than this in all: values of
 * the three features times classes. */
void cr__gather_limit_triples(cr__gather *gather, double most);

/* What cr__gather_absorb, _add (columns matched), _finish (columns finished) and _free do in
 * addition. code is where absorb stores the codes of a real column. */
cr_status cr__gather_code_real(cr__gather *gather, size_t column, const cr__batch *batch,
                               const uint32_t **code);
cr_status cr__gather_absorb_tuples(cr__gather *gather, const cr__batch *batch,
                                   const uint32_t *class_code, cr_error *err);
cr_status cr__gather_add_tuples(cr__gather *gather, const cr__stats *stats, const size_t *match,
                                int sign, cr_error *err);
cr_status cr__gather_finish_tuples(cr__gather *gather, cr__stats *stats, cr_error *err);
void cr__gather_free_tuples(cr__gather *gather);

/* Remove one row from tuples and real columns; 0 when it cannot have been learned. */
int cr__gather_take_tuples(cr__gather *gather, const cr__batch *batch, size_t row);

/* Make room for all words of the dictionaries, after cr__gather_fit(); then add to the count of one
 * cell of tuple t: codes of its features, none missing. Different tuples may be in different
 * threads. */
cr_status cr__gather_fit_tuples(cr__gather *gather, cr_error *err);
cr_status cr__gather_put_tuple(cr__gather *gather, size_t t, const uint32_t *code,
                               uint32_t class_code, cr__count n);

#endif
