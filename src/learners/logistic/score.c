/* learners/logistic/score.c - the intercept and each feature's weight times its value, added in
 * order.
 *
 * The scores of a row are the log-odds of its classes up to a constant: their softmax is the
 * posterior. With moderate=yes each score is multiplied with 1 / √(1 + π v / 8), v being its
 * variance under the posterior of the weights: for two classes MacKay's approximation of the
 * averaged sigmoid (MacKay 1992), for more the same for every score (Lu, Ie & Sha 2020).
 */
#include <math.h>
#include <string.h>

#include "learners/logistic/design.h"

/* --- the variance of a score --------------------------------------------------------------- */

/* Walks the features of a row that are not 0. */
typedef struct walk {
    const cr__lr *lr;
    const cr__batch *batch;
    size_t row, column, item; /* the next item of the column */
    cr__lr_text_features how; /* of the text at hand */
    cr__lr_norm norm;
    size_t feature; /* found: counted from 1; the intercept is 0 */
    double x;
} walk;

static int walk_text(walk *w, const cr__lr_slot *slot, const cr__batch_column *data)
{
    const uint32_t *word = data->word + data->start[w->row];
    const size_t n = data->start[w->row + 1] - data->start[w->row];

    if (data->code[w->row] == CR__MISSING || w->item >= n)
        return 0;
    if (w->item == 0) {
        w->how = cr__lr_text_features_of(w->lr->column[w->column].text);
        w->norm = cr__lr_norm_of(&w->how, word, n);
    }
    const size_t run = cr__lr_run(word, n, w->item);
    const uint32_t at = word[w->item];

    w->x = cr__lr_norm_for(&w->how, &w->norm, at) * cr__lr_word_weight(&w->how, at, run);
    w->feature = 1 + slot->first + at;
    w->item += run;
    return 1;
}

static int walk_column(walk *w)
{
    const cr__lr_slot *slot = &w->lr->shape.slot[w->column];
    const cr__batch_column *data = &w->batch->column[w->column];
    const double *frame = w->lr->frame + 2 * w->column;

    if (slot->kind == CR_BAG)
        return walk_text(w, slot, data);
    if (slot->kind == CR_SYMBOL) {
        const uint32_t code = data->code[w->row];
        size_t feature;

        if (code == CR__MISSING || code > slot->values ||
            w->item >= cr__lr_code_size(slot, code - 1))
            return 0;
        cr__lr_code(slot, code - 1, w->item++, &feature, &w->x);
        w->feature = 1 + feature;
        return 1;
    }
    if (slot->kind != CR_REAL || w->item++ > 0 || isnan(data->real[w->row]) || !(frame[1] > 0))
        return 0;
    w->x = (data->real[w->row] - frame[0]) / frame[1];
    w->feature = 1 + slot->first;
    return 1;
}

static int walk_next(walk *w)
{
    if (w->column == SIZE_MAX) {
        w->column = 0;
        w->feature = 0;
        w->x = 1;
        return 1;
    }
    while (w->column < w->lr->shape.columns) {
        if (walk_column(w))
            return 1;
        w->column++;
        w->item = 0;
    }
    return 0;
}

static walk walk_begin(const cr__lr *lr, const cr__batch *batch, size_t row)
{
    return (walk){.lr = lr, .batch = batch, .row = row, .column = SIZE_MAX};
}

/* φ' Σ φ of one set of weights. */
static double score_variance(const cr__lr *lr, const cr__batch *batch, size_t row, size_t set)
{
    const size_t sets = lr->shape.sets, all = cr__lr_parameters(&lr->shape);
    walk a = walk_begin(lr, batch, row);
    double variance = 0;

    while (walk_next(&a)) {
        const size_t p = a.feature * sets + set;
        walk b = walk_begin(lr, batch, row);

        if (lr->outcome.posterior == CR__LR_DIAGONAL)
            variance += a.x * a.x * lr->covariance[p];
        while (lr->outcome.posterior == CR__LR_FULL && walk_next(&b))
            variance += a.x * b.x * lr->covariance[p * all + b.feature * sets + set];
    }
    return variance > 0 ? variance : 0;
}

void cr__lr_moderation(const cr__lr *lr, const cr__batch *batch, size_t row, size_t first,
                       size_t count, double *factor)
{
    for (size_t s = 0; s < count; s++)
        factor[s] = lr->moderate && lr->covariance != NULL
                        ? 1 / sqrt(1 + M_PI / 8 * score_variance(lr, batch, row, first + s))
                        : 1;
}

/* --- shares -------------------------------------------------------------------------------- */

/* What a text adds: Σ f · weight, and what is added once. */
static void text_share(const cr__lr_text *text, const uint32_t *word, size_t n, size_t sets,
                       size_t first, size_t count, double *share)
{
    const cr__lr_text_features how = cr__lr_text_features_of(text);
    const cr__lr_norm norm = cr__lr_norm_of(&how, word, n);

    for (size_t s = 0; s < count; s++)
        share[s] = text->once[first + s];
    for (size_t i = 0, run; i < n; i += run) {
        const double *weight = text->weight + word[i] * sets + first;
        double f;

        run = cr__lr_run(word, n, i);
        f = cr__lr_norm_for(&how, &norm, word[i]) * cr__lr_word_weight(&how, word[i], run);
        for (size_t s = 0; s < count; s++)
            share[s] += f * weight[s];
    }
}

int cr__lr_share(const cr__lr *lr, size_t i, const cr__batch *batch, size_t row, size_t first,
                 size_t count, double *share)
{
    const cr__lr_column *column = &lr->column[i];
    const cr__batch_column *data = &batch->column[i];
    const size_t sets = lr->shape.sets;

    if (column->kind == CR_REAL) {
        const double x = data->real[row];

        for (size_t s = 0; s < count; s++)
            share[s] = isnan(x) ? column->weight[sets + first + s] : column->weight[first + s] * x;
        return isnan(x);
    }
    if (column->kind == CR_SYMBOL) {
        const size_t code =
            data->code[row] <= column->values ? data->code[row] : column->values + 1;

        memcpy(share, column->weight + code * sets + first, count * sizeof *share);
        return code == CR__MISSING ? 1 : code > column->values ? 2 : 0;
    }
    if (data->code[row] == CR__MISSING)
        memset(share, 0, count * sizeof *share);
    else
        text_share(column->text, data->word + data->start[row],
                   data->start[row + 1] - data->start[row], sets, first, count, share);
    return data->code[row] == CR__MISSING;
}

/* --- scores -------------------------------------------------------------------------------- */

#define MOST 1e300 /* where a value beyond all reason would make a score infinite, or undefined */

enum { SETS = 128 }; /* at a time, so that shares fit the stack */

static void score_row(const cr__lr *lr, const cr__batch *batch, size_t row, size_t first,
                      size_t count, double *score)
{
    double factor[SETS], share[SETS];

    cr__lr_moderation(lr, batch, row, first, count, factor);
    for (size_t s = 0; s < count; s++)
        score[s] = factor[s] * lr->intercept[first + s];
    for (size_t i = 0; i < lr->shape.columns; i++) {
        if (lr->column[i].kind == CR_IGNORE)
            continue;
        cr__lr_share(lr, i, batch, row, first, count, share);
        for (size_t s = 0; s < count; s++)
            score[s] += factor[s] * share[s];
    }
}

/* The same without moderation, column by column. */
static void score_real(const cr__lr *lr, const double *weight, const double *x, size_t rows,
                       double *score)
{
    const size_t sets = lr->shape.sets;

    for (size_t r = 0; r < rows; r++, score += lr->shape.classes)
        for (size_t s = 0; s < sets; s++)
            score[s] += isnan(x[r]) ? weight[sets + s] : weight[s] * x[r];
}

static void score_symbol(const cr__lr *lr, const cr__lr_column *column, const uint32_t *code,
                         size_t rows, double *score)
{
    const size_t sets = lr->shape.sets;

    for (size_t r = 0; r < rows; r++, score += lr->shape.classes) {
        const size_t at = code[r] <= column->values ? code[r] : column->values + 1;

        for (size_t s = 0; s < sets; s++)
            score[s] += column->weight[at * sets + s];
    }
}

static void score_text(const cr__lr *lr, size_t i, const cr__batch *batch, double *score)
{
    const size_t sets = lr->shape.sets;
    double share[SETS];

    for (size_t r = 0; r < batch->rows; r++, score += lr->shape.classes)
        for (size_t first = 0; first < sets; first += SETS) {
            const size_t count = sets - first < SETS ? sets - first : SETS;

            cr__lr_share(lr, i, batch, r, first, count, share);
            for (size_t s = 0; s < count; s++)
                score[first + s] += share[s];
        }
}

static void score_plain(const cr__lr *lr, const cr__batch *batch, double *score)
{
    for (size_t r = 0; r < batch->rows; r++)
        memcpy(score + r * lr->shape.classes, lr->intercept, lr->shape.sets * sizeof *score);
    for (size_t i = 0; i < lr->shape.columns; i++) {
        const cr__lr_column *column = &lr->column[i];

        if (column->kind == CR_REAL)
            score_real(lr, column->weight, batch->column[i].real, batch->rows, score);
        else if (column->kind == CR_SYMBOL)
            score_symbol(lr, column, batch->column[i].code, batch->rows, score);
        else if (column->kind == CR_BAG)
            score_text(lr, i, batch, score);
    }
}

cr_status cr__lr_score(const void *fitted, void *state, const cr__batch *batch, double *score,
                       cr_error *err)
{
    const cr__lr *lr = fitted;
    const cr__lr_shape *shape = &lr->shape;

    (void)state;
    (void)err;
    for (size_t r = 0; shape->first_class > 0 && r < batch->rows; r++)
        score[r * shape->classes] = 0;
    double *of = score + shape->first_class;

    if (!lr->moderate)
        score_plain(lr, batch, of);
    for (size_t r = 0; lr->moderate && r < batch->rows; r++)
        for (size_t first = 0; first < shape->sets; first += SETS)
            score_row(lr, batch, r, first, shape->sets - first < SETS ? shape->sets - first : SETS,
                      of + r * shape->classes + first);
    for (size_t k = 0; k < batch->rows * shape->classes; k++)
        if (!(fabs(score[k]) <= MOST))
            score[k] = isnan(score[k]) ? 0 : copysign(MOST, score[k]);
    return CR_OK;
}
