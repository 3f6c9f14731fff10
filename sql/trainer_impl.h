/* sql/trainer_impl.h - the inside of a trainer, for the files that it consists of.
 *
 * trainer.c collects rows and learns them, trainer_finish.c trains on rows that have waited or
 * calibrates by a sample of them, trainer_bytes.c turns a trainer into bytes and back.
 */
#ifndef CREDENCE_SQL_TRAINER_IMPL_H
#define CREDENCE_SQL_TRAINER_IMPL_H

#include "bytes.h"
#include "names.h"
#include "sample.h"
#include "trainer.h"

typedef struct text_chunk { /* texts of the rows of a block; they do not move */
    struct text_chunk *next;
    size_t used, size;
    char bytes[];
} text_chunk;

typedef struct column_block {
    double *real;  /* [room] of a real column, */
    int32_t *code; /* or of a symbol, numbers of its names; -1 is missing, */
    cr_span *text; /* or this */
} column_block;

typedef struct block { /* rows waiting to be learned, or taken back */
    size_t rows, room;
    column_block *column;
    text_chunk *texts;
    size_t text_bytes;
} block;

struct trainer {
    trainer_column *column;
    size_t columns, target; /* SIZE_MAX: there is none */
    char *learner, *basis;  /* NULL: the default */
    char *calibrate;        /* NULL: as the command does */
    int plain;              /* rows come and go: nothing is chosen or calibrated by them */
    char **param;
    size_t params;
    cr_model *model; /* of the rows already learned; NULL at first */
    block wait[2];   /* to learn, to take back */
    cr_row *row;     /* of the model, for rows that are learned one by one; NULL at first */
    size_t *at;      /* [columns] of its schema */
    names *names;    /* [columns] of symbols */
    block *into;     /* the block of the row being set, */
    size_t at_row;   /* and its index there, */
    size_t at_bytes; /* and the bytes of its texts */
    uint64_t rows;   /* learned and not taken back */
    sample sample;   /* of the rows already learned */
    cr_model *done;  /* what trainer_finish() gave; NULL: nothing since the last row */
};

cr_status trainer_no_memory(cr_error *err);
cr_status trainer_fail(cr_error *err, cr_status status, const char *message);

/* --- rows that wait --------------------------------------------------------------------------- */

cr_status trainer_grow_block(block *b, const trainer *t, cr_error *err);
void trainer_empty_block(block *b);

/* The block's columns as a source; free *arrays after it. */
cr_status trainer_open_block(cr_source **out, cr_array **arrays, trainer *t, const block *b,
                             cr_error *err);

/* The text of a row in a column that is not numeric; bytes is NULL if it is missing. */
cr_span trainer_text_of(const trainer *t, const block *b, size_t column, size_t row);

/* Whether all rows are still waiting, to be trained on together. */
int trainer_is_held(const trainer *t);

/* Whether the model is calibrated in the end. */
int trainer_calibrates(const trainer *t);

/* Learn all rows that wait, or take them back. */
cr_status trainer_flush_all(trainer *t, cr_error *err);

/* --- rows as bytes ---------------------------------------------------------------------------- */

/* The values of a row: real columns as eight bytes, others as their size + 1, 0 where missing, and
 * their bytes. */
void trainer_put_row(writer *w, const trainer *t, const block *b, size_t row);

/* Set a row to such bytes; it is not ended yet. */
cr_status trainer_take_row(trainer *t, const void *bytes, size_t size, cr_error *err);

#endif
