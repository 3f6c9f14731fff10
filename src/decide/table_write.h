/* decide/table_write.h - the rows of a table as CSV or ARFF. */
#ifndef CR_DECIDE_TABLE_WRITE_H
#define CR_DECIDE_TABLE_WRITE_H

#include "credence/table.h"
#include "stats/table_read.h"

/* CR_EARG, with a hint: a column is a text. */
cr_status cr__table_check_written(const cr_schema *schema, cr_error *err);

/* The head and the rows: those listed, or all (NULL). Of the options, format, name, write and
 * context are used. */
cr_status cr__table_write(const cr__table *table, const uint32_t *row, size_t rows,
                          const cr_table_options *options, cr_error *err);

#endif
