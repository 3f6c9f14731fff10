/* sql/trainer_finish.c - the model in the end: of rows that have waited, or calibrated by a sample.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trainer_impl.h"

#define ORDERED_ROWS ((size_t)100) /* of fewer the model does not depend on their order */
#define SAMPLE_ROWS ((size_t)16384)

static const cr_run alone = {.size = sizeof alone, .threads = 1};

/* --- the order of rows ------------------------------------------------------------------------ */

/* Of two rows: by the columns in turn, missing values first, numbers by size, others by bytes. */
static int compare_rows(const trainer *t, const block *b, size_t one, size_t two)
{
    int order = 0;

    for (size_t i = 0; order == 0 && i < t->columns; i++) {
        const column_block *c = &b->column[i];

        if (c->real != NULL) {
            const double x = c->real[one], y = c->real[two];

            order = isnan(x) || isnan(y) ? isnan(y) - isnan(x) : (x > y) - (x < y);
        } else if (c->text != NULL || (c->code != NULL && c->code[one] != c->code[two])) {
            const cr_span x = trainer_text_of(t, b, i, one), y = trainer_text_of(t, b, i, two);
            const size_t least = x.length < y.length ? x.length : y.length;

            if (x.bytes == NULL || y.bytes == NULL)
                order = (x.bytes != NULL) - (y.bytes != NULL);
            else if ((order = least == 0 ? 0 : memcmp(x.bytes, y.bytes, least)) == 0)
                order = (x.length > y.length) - (x.length < y.length);
        }
    }
    return order;
}

/* Merge sort from the bottom up: row has the numbers of the rows, spare as much room. */
static const uint32_t *sort_rows(const trainer *t, const block *b, uint32_t *row, uint32_t *spare)
{
    for (size_t run = 1; run < b->rows; run *= 2) {
        uint32_t *swap = row;

        for (size_t low = 0; low < b->rows; low += 2 * run) {
            const size_t middle = low + run < b->rows ? low + run : b->rows,
                         high = middle + run < b->rows ? middle + run : b->rows;
            size_t i = low, j = middle;

            for (size_t k = low; k < high; k++)
                spare[k] = j == high || (i < middle && compare_rows(t, b, row[i], row[j]) <= 0)
                               ? row[i++]
                               : row[j++];
        }
        row = spare;
        spare = swap;
    }
    return row;
}

/* Bring an array into the order of the rows; spare has room for it. */
static void arrange(void *array, size_t size, const uint32_t *row, size_t rows, void *spare)
{
    for (size_t r = 0; r < rows; r++)
        memcpy((char *)spare + r * size, (char *)array + row[r] * size, size);
    memcpy(array, spare, rows * size);
}

/* Workers hand over their rows in any order, and a calibration by folds of them depends on it. */
static cr_status order_block(const trainer *t, block *b, cr_error *err)
{
    uint32_t *row = malloc(2 * b->rows * sizeof *row);
    const uint32_t *order;
    void *spare = malloc(b->rows * sizeof(cr_span));

    if (row == NULL || spare == NULL) {
        free(row);
        free(spare);
        return trainer_no_memory(err);
    }
    for (size_t r = 0; r < b->rows; r++)
        row[r] = (uint32_t)r;
    order = sort_rows(t, b, row, row + b->rows);
    for (size_t i = 0; i < t->columns; i++) {
        column_block *c = &b->column[i];

        if (c->real != NULL)
            arrange(c->real, sizeof *c->real, order, b->rows, spare);
        else if (c->code != NULL)
            arrange(c->code, sizeof *c->code, order, b->rows, spare);
        else if (c->text != NULL)
            arrange(c->text, sizeof *c->text, order, b->rows, spare);
    }
    free(row);
    free(spare);
    return CR_OK;
}

/* --- the last step ---------------------------------------------------------------------------- */

/* All rows are here: train as the command does. */
static cr_status train_held(trainer *t, cr_error *err)
{
    block *b = &t->wait[0];
    cr_source *source = NULL;
    cr_array *arrays = NULL;
    cr_status status = b->rows >= ORDERED_ROWS ? order_block(t, b, err) : CR_OK;

    if (status == CR_OK && (status = trainer_open_block(&source, &arrays, t, b, err)) == CR_OK &&
        (status = cr_source_set_basis(source, t->basis, err)) == CR_OK)
        status = cr_model_train_default(
            &t->done, source, t->learner == NULL ? "nb" : t->learner, (const char *const *)t->param,
            t->params, trainer_calibrates(t) ? NULL : "none", &alone, NULL, NULL, err);
    cr_source_close(source);
    free(arrays);
    return status;
}

/* Let the rows of the sample wait, as often as they came, or evenly over them where that is too
 * often. */
static cr_status take_sample(trainer *t, cr_error *err)
{
    const uint64_t rows = t->rows;
    uint64_t all = 0, at = 0;
    cr_status status = CR_OK;

    sample_sort(&t->sample);
    for (size_t i = 0; i < t->sample.rows; i++)
        all += t->sample.row[i].count;
    for (size_t i = 0; status == CR_OK && i < t->sample.rows; i++) {
        const sample_row *row = &t->sample.row[i];
        const double share = all <= SAMPLE_ROWS ? 1 : (double)SAMPLE_ROWS / (double)all;
        const uint64_t before = (uint64_t)((double)at * share),
                       after = (uint64_t)((double)(at + row->count) * share);

        at += row->count;
        for (uint64_t k = before; status == CR_OK && k < after; k++)
            if ((status = trainer_take_row(t, row->bytes, row->size, err)) == CR_OK &&
                ++t->wait[0].rows == t->wait[0].room)
                status = trainer_grow_block(&t->wait[0], t, err);
    }
    t->rows = rows;
    return status;
}

/* The rows were learned as they came: calibrate a copy of the model by some of them. */
static cr_status train_spilled(trainer *t, cr_error *err)
{
    cr_source *source = NULL;
    cr_array *arrays = NULL;
    cr_model *model = NULL;
    cr_status status = trainer_flush_all(t, err);

    if (status == CR_OK)
        status = cr_model_copy(&model, t->model, err);
    if (status == CR_OK && trainer_calibrates(t) && t->sample.rows > 0) {
        if ((status = take_sample(t, err)) == CR_OK &&
            (status = trainer_open_block(&source, &arrays, t, &t->wait[0], err)) == CR_OK)
            status = cr_model_calibrate_learned(model, source, &alone, NULL, err);
        cr_source_close(source);
        free(arrays);
        trainer_empty_block(&t->wait[0]);
    }
    if (status == CR_OK)
        t->done = model;
    else
        cr_model_free(model);
    return status;
}

cr_status trainer_finish(trainer *t, const cr_model **out, cr_error *err)
{
    cr_status status = CR_OK;

    *out = NULL;
    if (t->plain)
        return trainer_model(t, out, err);
    if (t->rows > 0 && t->done == NULL)
        status = trainer_is_held(t) ? train_held(t, err) : train_spilled(t, err);
    *out = t->done;
    return status;
}
