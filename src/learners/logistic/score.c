/* learners/logistic/score.c - the intercept and each feature's weight times its value, added in
 * order.
 *
 * The scores of a row are the log-odds of its classes up to a constant: their softmax is the
 * posterior. With moderate=yes the scores of a row are multiplied with 1 / √(1 + π v / 8), v being
 * the variance, under the posterior of the weights, of the log-odds between its two most probable
 * classes: MacKay's approximation of the averaged sigmoid (MacKay 1992). One factor serves all
 * classes, so that the softmax does not depend on what the scores have in common, and a class that
 * no row has stays as improbable as it is.
 */
#include <math.h>
#include <string.h>

#include "learners/logistic/design.h"

/* --- the variance of a score --------------------------------------------------------------- */

/* Walks the features of a row that are not 0. */
typedef struct walk {
    const cr__lr *lr;
    const cr__batch *batch;
    size_t row, column, item; /* the next item of the column, after these of the pair */
    size_t pair;
    cr__lr_text_features how; /* of the current text */
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
    for (; w->pair < w->lr->shape.pairs; w->pair++, w->item = 0) {
        const cr__lr_pair *pair = &w->lr->shape.pair[w->pair];
        const cr__lr_cells cells = cr__lr_cells_of(w->lr, pair, w->batch, w->row, 1);

        if (w->item >= cr__lr_product_count(&w->lr->shape, pair, &cells))
            continue;
        w->feature =
            1 + pair->first + cr__lr_product(&w->lr->shape, pair, &cells, w->item++, &w->x);
        return 1;
    }
    return 0;
}

static walk walk_begin(const cr__lr *lr, const cr__batch *batch, size_t row)
{
    return (walk){.lr = lr, .batch = batch, .row = row, .column = SIZE_MAX};
}

/* The covariance of two weights, of features and sets. */
static double weight_covariance(const cr__lr *lr, size_t p, size_t q)
{
    if (lr->outcome.posterior == CR__LR_FULL)
        return lr->covariance[p * cr__lr_parameters(&lr->shape) + q];
    return p == q ? lr->covariance[p] : 0;
}

/* The covariance of what two features have as weights in set a less set b; b SIZE_MAX: in a. */
static double pair_covariance(const cr__lr *lr, size_t f, size_t g, size_t a, size_t b)
{
    const size_t sets = lr->shape.sets, p = f * sets, q = g * sets;
    const double own = weight_covariance(lr, p + a, q + a);

    if (b == SIZE_MAX)
        return own;
    return own + weight_covariance(lr, p + b, q + b) - weight_covariance(lr, p + a, q + b) -
           weight_covariance(lr, p + b, q + a);
}

/* φ' Σ φ of the difference between the scores of two sets. */
static double score_variance(const cr__lr *lr, const cr__batch *batch, size_t row, size_t a,
                             size_t b)
{
    walk u = walk_begin(lr, batch, row);
    double variance = 0;

    while (walk_next(&u)) {
        walk v = walk_begin(lr, batch, row);

        if (lr->outcome.posterior == CR__LR_DIAGONAL)
            variance += u.x * u.x * pair_covariance(lr, u.feature, u.feature, a, b);
        while (lr->outcome.posterior == CR__LR_FULL && walk_next(&v))
            variance += u.x * v.x * pair_covariance(lr, u.feature, v.feature, a, b);
    }
    return variance > 0 ? variance : 0;
}

/* The sets of the two largest scores, [sets]; the first class of the reference form, whose score is
 * 0, has none: SIZE_MAX. */
static void find_rivals(const cr__lr *lr, const double *score, size_t *a, size_t *b)
{
    const size_t sets = lr->shape.sets;
    double most = lr->shape.first_class > 0 ? 0 : -INFINITY, next = -INFINITY;

    *a = *b = SIZE_MAX;
    for (size_t s = 0; s < sets; s++)
        if (score[s] > most) {
            *b = *a;
            next = most;
            *a = s;
            most = score[s];
        } else if (score[s] > next) {
            *b = s;
            next = score[s];
        }
    if (*a == SIZE_MAX) {
        *a = *b;
        *b = SIZE_MAX;
    }
}

double cr__lr_moderation(const cr__lr *lr, const cr__batch *batch, size_t row, const double *score)
{
    size_t a, b;

    if (!lr->moderate || lr->covariance == NULL)
        return 1;
    find_rivals(lr, score, &a, &b);
    return a == SIZE_MAX ? 1 : 1 / sqrt(1 + M_PI / 8 * score_variance(lr, batch, row, a, b));
}

/* --- contributions ---------------------------------------------------------------------------- */

/* The contribution of a text: Σ f · weight, and what is added once. */
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

cr__lr_cells cr__lr_cells_of(const cr__lr *lr, const cr__lr_pair *pair, const cr__batch *batch,
                             size_t row, int scaled)
{
    const size_t column[2] = {pair->a, pair->b};
    cr__lr_cells cells;

    for (int k = 0; k < 2; k++) {
        const cr__lr_slot *slot = &lr->shape.slot[column[k]];
        const cr__batch_column *data = &batch->column[column[k]];

        cr__lr_see_cell(&cells, k, slot, lr->frame + 2 * column[k],
                        slot->kind == CR_REAL ? data->real[row] : 0,
                        slot->kind == CR_REAL ? 0 : data->code[row], scaled);
    }
    return cells;
}

int cr__lr_pair_share(const cr__lr *lr, const cr__lr_pair *pair, const cr__batch *batch, size_t row,
                      size_t first, size_t count, double *share)
{
    const cr__lr_cells cells = cr__lr_cells_of(lr, pair, batch, row, 0);
    const size_t n = cr__lr_product_count(&lr->shape, pair, &cells), sets = lr->shape.sets;
    int nothing = 1;

    memset(share, 0, count * sizeof *share);
    for (size_t k = 0; k < n; k++) {
        double x;
        const size_t feature = cr__lr_product(&lr->shape, pair, &cells, k, &x);
        const double *weight = lr->product + (pair->weight + feature) * sets + first;

        for (size_t s = 0; s < count; s++)
            share[s] += weight[s] * x;
    }
    for (size_t s = 0; s < count; s++)
        nothing &= share[s] == 0;
    return nothing;
}

/* --- scores -------------------------------------------------------------------------------- */

#define MOST 1e300 /* bound where an extreme value would make a score infinite or undefined */

enum { SETS = 128 }; /* at a time, so that contributions fit the stack */

/* What some sets add up to for a row, not moderated. */
static void score_row(const cr__lr *lr, const cr__batch *batch, size_t row, size_t first,
                      size_t count, double *score)
{
    double share[SETS];

    memcpy(score, lr->intercept + first, count * sizeof *score);
    for (size_t i = 0; i < lr->shape.columns; i++) {
        if (lr->column[i].kind == CR_IGNORE)
            continue;
        cr__lr_share(lr, i, batch, row, first, count, share);
        for (size_t s = 0; s < count; s++)
            score[s] += share[s];
    }
    for (size_t k = 0; k < lr->shape.pairs; k++)
        if (!cr__lr_pair_share(lr, &lr->shape.pair[k], batch, row, first, count, share))
            for (size_t s = 0; s < count; s++)
                score[s] += share[s];
}

void cr__lr_score_row(const cr__lr *lr, const cr__batch *batch, size_t row, double *score)
{
    const size_t sets = lr->shape.sets;

    for (size_t first = 0; first < sets; first += SETS)
        score_row(lr, batch, row, first, sets - first < SETS ? sets - first : SETS, score + first);
}

/* The scores of a row, moderated. */
static void score_moderated(const cr__lr *lr, const cr__batch *batch, size_t row, double *score)
{
    double factor;

    cr__lr_score_row(lr, batch, row, score);
    factor = cr__lr_moderation(lr, batch, row, score);
    for (size_t s = 0; s < lr->shape.sets; s++)
        score[s] *= factor;
}

/* The scores of all rows without moderation, column by column. */
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

static void score_pair(const cr__lr *lr, const cr__lr_pair *pair, const cr__batch *batch,
                       double *score)
{
    const size_t sets = lr->shape.sets;
    double share[SETS];

    for (size_t r = 0; r < batch->rows; r++, score += lr->shape.classes)
        for (size_t first = 0; first < sets; first += SETS) {
            const size_t count = sets - first < SETS ? sets - first : SETS;

            if (cr__lr_pair_share(lr, pair, batch, r, first, count, share))
                continue;
            for (size_t s = 0; s < count; s++)
                score[first + s] += share[s];
        }
}

/* The same of two numbers. */
static void score_square(const cr__lr *lr, const cr__lr_pair *pair, const cr__batch *batch,
                         double *score)
{
    const size_t sets = lr->shape.sets;
    const double *a = batch->column[pair->a].real, *b = batch->column[pair->b].real;
    const double *frame = lr->frame, *weight = lr->product + pair->weight * sets;

    if (!(frame[2 * pair->a + 1] > 0) || !(frame[2 * pair->b + 1] > 0))
        return;
    for (size_t r = 0; r < batch->rows; r++, score += lr->shape.classes) {
        const double x = (a[r] - frame[2 * pair->a]) * (b[r] - frame[2 * pair->b]);

        for (size_t s = 0; !isnan(x) && s < sets; s++)
            score[s] += weight[s] * x;
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
    for (size_t k = 0; k < lr->shape.pairs; k++)
        (lr->shape.pair[k].first < lr->shape.dense ? score_square : score_pair)(
            lr, &lr->shape.pair[k], batch, score);
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
        score_moderated(lr, batch, r, of + r * shape->classes);
    for (size_t k = 0; k < batch->rows * shape->classes; k++)
        if (!(fabs(score[k]) <= MOST))
            score[k] = isnan(score[k]) ? 0 : copysign(MOST, score[k]);
    return CR_OK;
}
