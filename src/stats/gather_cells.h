/* stats/gather_cells.h - the other way to collect statistics: the cells of a joint table.
 *
 * A gather that counts cells keeps no table by class while data are read; classes and values are
 * counted from the cells when it is finished. There need not be a target: then there is one class,
 * without a name, to which every row belongs. Rows that lack a value are kept, in cells that lack
 * it too. With a target, rows without a class are left out, as everywhere.
 */
#ifndef CR_STATS_GATHER_CELLS_H
#define CR_STATS_GATHER_CELLS_H

#include "data/bins.h"
#include "stats/gather.h"

/* Make a gather, still empty, count cells. Real columns are cut by bins, which must outlive it;
 * NULL when no batch will follow. */
cr_status cr__gather_count_cells(cr__gather *gather, const cr__bins *bins, cr_error *err);

/* Remove one row; 0 when it cannot have been learned. */
int cr__gather_take_cell(cr__gather *gather, const cr__batch *batch, size_t row);

/* What cr__gather_absorb, _add (columns matched), _finish (schema copied) and _free do in that
 * case. */
cr_status cr__gather_absorb_cells(cr__gather *gather, const cr__batch *batch, cr_error *err);
cr_status cr__gather_add_cells(cr__gather *gather, const cr__stats *stats, const size_t *match,
                               int sign, cr_error *err);
/* Move the cells of another gather of the same schema and bins here; it can only be freed then. */
cr_status cr__gather_join_cells(cr__gather *gather, cr__gather *from, cr_error *err);
cr_status cr__gather_finish_cells(cr__gather *gather, cr__stats *stats, cr_error *err);
void cr__gather_free_cells(cr__gather *gather);

/* For every gather that counts real columns by their intervals: a feature's dictionary, the
 * intervals as declared values of the finished statistics, and the error for two cuts that
 * differ. */
cr_status cr__gather_begin_counted(cr__gather *gather, size_t column, const cr__bins *bins,
                                   cr_error *err);
cr_status cr__gather_declare_intervals(const cr__gather *gather, cr__stats *stats, cr_error *err);
cr_status cr__gather_fail_intervals(const cr__column *column, cr_error *err);

#endif
