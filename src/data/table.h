/* data/table.h - all rows of a table in memory, column by column.
 *
 * Most learners see each row once and do not store it. Some need the rows repeatedly (gradients,
 * splits of a tree), and an evaluation gives the same rows to many models: these keep a table. The
 * meaning of its codes and words depends on where it came from: a table read from a source has
 * dictionaries of its own, in order of arrival (stats/table_read.h); one made for a learner has the
 * codes of the statistics (value v is code v + 1, words by their place in the bag).
 */
#ifndef CR_DATA_TABLE_H
#define CR_DATA_TABLE_H

#include "credence/run.h"
#include "data/batch.h"

typedef struct cr__table_column {
    cr_kind kind;
    double *real;    /* [capacity] when kind is CR_REAL; NaN is missing */
    uint32_t *code;  /* [capacity] when kind is CR_SYMBOL; CR_BAG: 1 where the row has a text */
    uint8_t *byte;   /* [capacity] the codes of symbols instead, in a packed table */
    uint64_t *start; /* [capacity + 1] when kind is CR_BAG: where each row's words begin */
    uint32_t *word;  /* [word_capacity] */
    size_t word_capacity;
    cr__dict *dict; /* symbols and bags: what codes and words mean; NULL: the statistics say */
    int lent;       /* the arrays are another table's */
} cr__table_column;

typedef struct cr__table {
    cr_schema *schema;
    size_t rows, capacity;
    cr__table_column *column; /* [schema->columns] */
    double *weight;           /* [capacity], or NULL when all rows weigh 1 */
    uint64_t *line;           /* [capacity] line of each row in its file */
    int lent;                 /* weight and line are another table's */
    char *missing;            /* the texts that meant missing where it was read, or NULL */
} cr__table;

/* The code of a row, where the table may be packed. */
static inline uint32_t cr__table_code(const cr__table_column *column, size_t row)
{
    return column->byte != NULL ? column->byte[row] : column->code[row];
}

/* An empty table of a schema's columns, which are copied; without dictionaries. */
cr_status cr__table_new(cr__table **out, const cr_schema *schema, cr_error *err);
void cr__table_free(cr__table *table);

/* Reserve room for this many rows, or for as many as fit into this many bytes: then they need not
 * be moved as the table grows, and unused room costs nothing. CR_ENOMEM. */
cr_status cr__table_expect(cr__table *table, size_t rows, double bytes);

/* Keep codes of symbols in a byte each, in a table that has no rows yet; a column gets four bytes
 * for each when a code is appended that one does not hold. CR_ENOMEM. */
cr_status cr__table_pack(cr__table *table);

/* Make room for codes up to this one in a column. Rows that are put into a table do not: who puts
 * them widens the column before. CR_ENOMEM. */
cr_status cr__table_widen(cr__table *table, size_t column, uint32_t code);

/* Append the rows of a batch as they are. CR_ENOMEM, CR_ELIMIT. */
cr_status cr__table_append(cr__table *table, const cr__batch *batch);

/* Append rows of another table of the same columns: those listed, or all when row is NULL. Codes
 * and words go through map[column], [code] each; a NULL map leaves them as they are. A word that
 * maps to UINT32_MAX is left out. */
cr_status cr__table_extend(cr__table *table, const cr__table *from, const uint32_t *row,
                           size_t rows, uint32_t *const *map);

/* The same in two steps. Reserved rows may be filled by several threads at once, as long as nothing
 * is reserved meanwhile; first is the table's number of rows before. Only the last rows may leave
 * out words. */
cr_status cr__table_reserve(cr__table *table, const cr__table *from, const uint32_t *row,
                            size_t rows);
void cr__table_put(cr__table *table, size_t first, const cr__table *from, const uint32_t *row,
                   size_t rows, uint32_t *const *map);

/* All rows of another table of the same columns, into an empty one. Columns without a map, weights
 * and lines are borrowed: the other table must live longer, and neither may change. CR_ENOMEM. */
cr_status cr__table_borrow(cr__table *table, const cr__table *from, uint32_t *const *map);

/* Remove all rows but keep the memory. */
void cr__table_clear(cr__table *table);

/* Row r moves to place[r], a permutation of the rows of a table without texts. After CR_ENOMEM
 * some columns have moved, and the table is of no use. */
cr_status cr__table_rearrange(cr__table *table, const uint32_t *place, const cr_run *run,
                              cr_error *err);

/* Release unused memory: the table will not grow any more. */
void cr__table_trim(cr__table *table);

double cr__table_bytes(const cr__table *table);

#endif
