/* train/recode.h - rows for learners that need them. */
#ifndef CR_TRAIN_RECODE_H
#define CR_TRAIN_RECODE_H

#include "data/table.h"
#include "stats/stats.h"

/* The rows of a table that have a target and a weight (those listed; all when row is NULL; evenly
 * over them no more than `most`, unless that is 0), with the codes of the statistics: value v of a
 * column is code v + 1, a word is its place in the bag. A value or word that the statistics do not
 * have is missing or left out. Unchanged columns may be borrowed from the table, which must outlive
 * the result. */
cr_status cr__recode_rows(cr__table **out, const cr__table *table, const uint32_t *row, size_t rows,
                          size_t most, const cr__stats *stats, cr_error *err);

/* Where the codes of one column are in the statistics, to be freed: of a symbol code v + 1, or
 * CR__MISSING; of a text the place of a word in the bag, or UINT32_MAX. NULL: they are no codes.
 * CR_ENOMEM. */
cr_status cr__recode_column(uint32_t **map, const cr__table_column *from,
                            const cr__column_stats *to);

#endif
