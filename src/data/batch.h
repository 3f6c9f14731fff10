/* data/batch.h - some rows of a table, column by column: what readers fill and learners absorb.
 *
 * A batch has one column per column of its schema. A real column is an array of doubles (NaN is
 * missing), a symbol column an array of codes (CR__MISSING is missing; words + 1 of a frozen
 * dictionary is "not in the dictionary"), a bag column a list of words for each row, an ignored
 * column has no array. Codes and words belong to the plan the batch was filled with.
 */
#ifndef CR_DATA_BATCH_H
#define CR_DATA_BATCH_H

#include "data/schema.h"
#include "data/section.h"

typedef struct cr__batch_column {
    cr_kind kind;
    double *real;    /* [capacity] when kind is CR_REAL */
    uint32_t *code;  /* [capacity] when kind is CR_SYMBOL; when kind is CR_BAG: 1 where the row has
                        a text, else CR__MISSING */
    uint32_t *start; /* [capacity + 1] when kind is CR_BAG: where each row's words begin in word */
    uint32_t *word;  /* [word_capacity] the words of all rows, in order, by the plan's numbering */
    size_t word_capacity;
} cr__batch_column;

typedef struct cr__record { /* where a row came from */
    const char *bytes;      /* its text in the chunk, without the line end; NULL when unknown */
    size_t size;
    size_t line; /* 1-based line of its first byte; the row number for arrays */
} cr__record;

typedef struct cr__batch {
    size_t rows, capacity, columns;
    cr__batch_column *column;
    double *weight;      /* [capacity], or NULL when rows weigh 1 */
    cr__record *record;  /* [capacity] */
    const char *failure; /* why its only row could not be read; NULL: all could be */
} cr__batch;

/* A batch for the schema's columns; capacity is chosen so that it fits the cache (1 to 1024). */
cr_status cr__batch_new(cr__batch **out, const cr_schema *schema, cr_error *err);
/* The same for at most this many rows. */
cr_status cr__batch_new_for(cr__batch **out, const cr_schema *schema, size_t rows, cr_error *err);
void cr__batch_free(cr__batch *batch);

/* A bag column: begin row `row`, the next one. It has no text so far. */
void cr__batch_no_text(cr__batch *batch, size_t row, size_t column);

/* Room for more words at the end of row `row`, whose words begin at start[row] and, while it is
 * being written, end at start[row + 1]. NULL when out of memory. */
uint32_t *cr__batch_words(cr__batch *batch, size_t row, size_t column, size_t more);

/* Give the batch weights, all 1 at first, when it has none (a record has a weight in a file without
 * a column of weights). */
cr_status cr__batch_weigh(cr__batch *batch, cr_error *err);

struct cr__token; /* text/token.h */

/* How the fields of records become a batch's columns. One per worker: with grow set, new words are
 * added to its dictionaries. */
typedef struct cr__plan {
    const cr_schema *schema;
    cr__dict **dict; /* [columns], for symbol columns */
    int grow;        /* new words: added (1), or coded words + 1 (0) */
    /* For bag columns: add a text's words to a row that cr__batch_no_text() has begun; before the
     * first call for the next row. */
    cr_status (*put_text)(struct cr__plan *plan, cr__batch *batch, size_t row, size_t column,
                          const cr__section *text, cr_error *err);
    /* For bag columns whose text is already split: the numbers of n tokens of a text, UINT32_MAX
     * for one to skip. CR__DICT_PAD bytes can be read beyond each. NULL: not supported. */
    cr_status (*find_words)(struct cr__plan *plan, size_t column, const char *text,
                            const struct cr__token *token, size_t n, uint32_t *number);
    void *text;            /* their state */
    cr_error *err;         /* where it reports its error while a chunk is parsed */
    size_t broken_column;  /* after cr__plan_put refused: the column of the wrong kind */
    cr_kind broken_to;     /* the kind that would fit (CR_REAL or CR_SYMBOL) */
    struct cr__memo *memo; /* a table's codes as this plan's, as far as known: source/rows.c */
} cr__plan;

/* The codes and words of a table, or of arrays, by column, as a plan numbers them. */
typedef struct cr__memo {
    const void *table;
    size_t columns;
    uint32_t **code; /* [columns], [code] each; CR__MEMO_OPEN where it is not known yet */
    uint64_t **key;  /* [columns] the key that cached codes belong to; may be NULL */
} cr__memo;

#define CR__MEMO_OPEN (UINT32_MAX - 1)

/* Free what a plan remembers; its owner calls this when the plan is freed. */
void cr__plan_forget(cr__plan *plan);

#endif
