/* data/batch.c - the memory of a batch. */
#include "data/batch.h"

#include "base/fail.h"
#include "base/memory.h"

/* A batch takes about this many bytes: it stays in the second-level cache. */
#define BATCH_BYTES ((size_t)192 << 10)
#define BATCH_ROWS ((size_t)1024)
#define BATCH_LEAST                                                                                \
    ((size_t)16) /* rows of a table of many columns, if they take no more than this:               \
                  */
#define BATCH_BYTES_MAX ((size_t)64 << 20)
#define BATCH_TEXTS ((size_t)32) /* a row that has a text has many words */

static size_t choose_capacity(const cr_schema *schema)
{
    size_t row = sizeof(cr__record);

    size_t most = BATCH_ROWS;

    for (size_t i = 0; i < schema->columns; i++) {
        row += schema->column[i].kind == CR_REAL ? sizeof(double) : sizeof(uint32_t);
        most = schema->column[i].kind == CR_BAG ? BATCH_TEXTS : most;
    }
    if (row > BATCH_BYTES / BATCH_LEAST)
        return row > BATCH_BYTES_MAX / BATCH_LEAST ? 1 : BATCH_LEAST;
    return BATCH_BYTES / row < most ? BATCH_BYTES / row : most;
}

void cr__batch_free(cr__batch *batch)
{
    if (batch == NULL)
        return;
    for (size_t i = 0; batch->column != NULL && i < batch->columns; i++) {
        cr__free(batch->column[i].real);
        cr__free(batch->column[i].code);
        cr__free(batch->column[i].start);
        cr__free(batch->column[i].word);
    }
    cr__free(batch->column);
    cr__free(batch->weight);
    cr__free(batch->record);
    cr__free(batch);
}

static int allocate(cr__batch *batch, const cr_schema *schema)
{
    const size_t rows = batch->capacity;

    batch->record = cr__alloc_zero(rows, sizeof *batch->record);
    batch->column = cr__alloc_zero(schema->columns, sizeof *batch->column);
    if (batch->record == NULL || batch->column == NULL)
        return 0;
    if (schema->weight != SIZE_MAX &&
        (batch->weight = cr__alloc(rows, sizeof *batch->weight)) == NULL)
        return 0;
    for (size_t i = 0; i < schema->columns; i++) {
        cr__batch_column *c = &batch->column[i];
        c->kind = schema->column[i].kind;
        if (c->kind == CR_REAL && (c->real = cr__alloc(rows, sizeof *c->real)) == NULL)
            return 0;
        if ((c->kind == CR_SYMBOL || c->kind == CR_BAG) &&
            (c->code = cr__alloc(rows, sizeof *c->code)) == NULL)
            return 0;
        if (c->kind == CR_BAG && (c->start = cr__alloc_zero(rows + 1, sizeof *c->start)) == NULL)
            return 0;
    }
    return 1;
}

cr_status cr__batch_new(cr__batch **out, const cr_schema *schema, cr_error *err)
{
    return cr__batch_new_for(out, schema, SIZE_MAX, err);
}

cr_status cr__batch_new_for(cr__batch **out, const cr_schema *schema, size_t rows, cr_error *err)
{
    cr__batch *batch = cr__alloc_zero(1, sizeof *batch);

    *out = NULL;
    if (batch == NULL)
        return cr__fail_memory(err);
    batch->capacity = choose_capacity(schema);
    if (rows < batch->capacity)
        batch->capacity = rows > 0 ? rows : 1;
    batch->columns = schema->columns;
    if (!allocate(batch, schema)) {
        cr__batch_free(batch);
        return cr__fail_memory(err);
    }
    *out = batch;
    return CR_OK;
}

cr_status cr__batch_weigh(cr__batch *batch, cr_error *err)
{
    if (batch->weight != NULL)
        return CR_OK;
    if ((batch->weight = cr__alloc(batch->capacity, sizeof *batch->weight)) == NULL)
        return cr__fail_memory(err);
    for (size_t r = 0; r < batch->capacity; r++)
        batch->weight[r] = 1;
    return CR_OK;
}

void cr__batch_no_text(cr__batch *batch, size_t row, size_t column)
{
    cr__batch_column *c = &batch->column[column];

    c->code[row] = CR__MISSING;
    c->start[row + 1] = c->start[row];
}

uint32_t *cr__batch_words(cr__batch *batch, size_t row, size_t column, size_t more)
{
    cr__batch_column *c = &batch->column[column];
    const size_t used = c->start[row + 1];

    if (more > UINT32_MAX - used ||
        !cr__grow(&c->word, &c->word_capacity, used + more + (more == 0), sizeof *c->word))
        return NULL;
    return c->word + used;
}

void cr__plan_forget(cr__plan *plan)
{
    if (plan->memo == NULL)
        return;
    for (size_t i = 0; i < plan->memo->columns; i++) {
        cr__free(plan->memo->code[i]);
        if (plan->memo->key != NULL)
            cr__free(plan->memo->key[i]);
    }
    cr__free(plan->memo->code);
    cr__free(plan->memo->key);
    cr__free(plan->memo);
    plan->memo = NULL;
}
