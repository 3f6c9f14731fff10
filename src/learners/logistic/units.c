/* learners/logistic/units.c - convert between internal weights and those that users see. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/logistic/design.h"

static void free_text(cr__lr_text *text)
{
    if (text == NULL)
        return;
    cr__free(text->own_index);
    cr__free(text->own_idf);
    cr__free(text->own_ratio);
    cr__free(text);
}

void cr__lr_free(void *fitted)
{
    cr__lr *lr = fitted;

    if (lr == NULL)
        return;
    for (size_t i = 0; lr->column != NULL && i < lr->shape.columns; i++) {
        cr__free(lr->column[i].own);
        free_text(lr->column[i].text);
    }
    for (size_t i = 0; i < sizeof lr->own / sizeof *lr->own; i++)
        cr__free(lr->own[i]);
    cr__free(lr->column);
    cr__lr_shape_free(&lr->shape);
    cr__free(lr);
}

cr_status cr__lr_new(cr__lr **out, cr__lr_shape *shape, cr_error *err)
{
    cr__lr *lr = cr__alloc_zero(1, sizeof *lr);

    *out = NULL;
    if (lr == NULL) {
        cr__lr_shape_free(shape);
        return cr__fail_memory(err);
    }
    lr->shape = *shape;
    *shape = (cr__lr_shape){0};
    if ((lr->column = cr__alloc_zero(lr->shape.columns, sizeof *lr->column)) == NULL) {
        cr__lr_free(lr);
        return cr__fail_memory(err);
    }
    for (size_t i = 0; i < lr->shape.columns; i++) {
        lr->column[i].kind = lr->shape.slot[i].kind;
        lr->column[i].values = lr->shape.slot[i].values;
    }
    *out = lr;
    return CR_OK;
}

/* The vocabulary belongs to the statistics; the text owns its index and idf. */
static cr_status own_text(cr__lr_column *column, const cr__lr_shape *shape, const cr__bag *bag,
                          const cr__knobs *knobs, cr_error *err)
{
    cr__lr_text *text = column->text = cr__alloc_zero(1, sizeof *text);
    int unit_length;
    cr_status st;

    if (text == NULL)
        return cr__fail_memory(err);
    text->form.weight = cr__text_weighting(knobs, &unit_length);
    text->form.unit_length = (uint32_t)unit_length;
    text->form.words = (cr__words){.words = bag->words,
                                   .hash = bag->hash,
                                   .end = bag->end,
                                   .bytes = bag->bytes,
                                   .index_bits = cr__words_index_bits(bag->words)};
    text->own_index =
        cr__alloc(((size_t)1 << text->form.words.index_bits) + 1, sizeof *text->own_index);
    if (text->own_index == NULL)
        return cr__fail_memory(err);
    cr__words_make_index(&text->form.words, text->own_index);
    text->form.words.index = text->own_index;
    st = cr__lr_idf(&text->own_idf, bag, (cr__text_weight)text->form.weight, err);
    if (st == CR_OK)
        st = cr__lr_ratio(&text->own_ratio, shape, bag, knobs, err);
    text->form.idf = text->own_idf;
    text->ratio = text->own_ratio;
    text->apart = (uint32_t)cr__lr_apart(knobs);
    return st;
}

cr_status cr__lr_own_column(cr__lr *lr, size_t i, const cr__bag *bag, const cr__knobs *knobs,
                            double **weight, cr_error *err)
{
    cr__lr_column *column = &lr->column[i];
    const size_t sets = lr->shape.sets;
    const size_t rows = column->kind == CR_REAL     ? 2
                        : column->kind == CR_SYMBOL ? column->values + 2
                                                    : column->values + 1;
    cr_status st = CR_OK;

    if (rows > SIZE_MAX / sizeof(double) / (sets + 1) ||
        (column->own = cr__alloc_zero(rows * sets, sizeof *column->own)) == NULL)
        return cr__fail_memory(err);
    column->weight = *weight = column->own;
    if (column->kind == CR_BAG && (st = own_text(column, &lr->shape, bag, knobs, err)) == CR_OK) {
        column->text->once = column->own;
        column->text->weight = column->own + sets;
    }
    return st;
}

/* --- from θ -------------------------------------------------------------------------------- */

static void symbol_units(const cr__lr_slot *slot, const double *theta, size_t sets, double *weight)
{
    for (size_t v = 0; v < slot->values; v++)
        for (size_t k = 0, n = cr__lr_code_size(slot, v); k < n; k++) {
            size_t feature;
            double x;

            cr__lr_code(slot, v, k, &feature, &x);
            for (size_t s = 0; s < sets; s++)
                weight[(1 + v) * sets + s] += x * theta[(1 + feature) * sets + s];
        }
}

/* In x rather than (x - centre) / spread; the constant part goes to the intercept. */
static void real_units(const cr__lr_slot *slot, const double *theta, size_t sets,
                       const double *frame, double *weight, double *intercept)
{
    for (size_t s = 0; s < sets; s++) {
        const double w = frame[1] > 0 ? theta[(1 + slot->first) * sets + s] / frame[1] : 0;

        weight[s] = w;
        weight[sets + s] = w * frame[0];
        intercept[s] -= w * frame[0];
    }
}

/* How many units of the data a unit of the product of two features is. */
static double product_spread(const cr__lr_shape *shape, const double *frame,
                             const cr__lr_pair *pair)
{
    const size_t column[2] = {pair->a, pair->b};
    double spread = 1;

    for (int k = 0; k < 2; k++)
        if (shape->slot[column[k]].kind == CR_REAL)
            spread *= frame[2 * column[k] + 1];
    return spread;
}

static cr_status product_units(cr__lr *lr, const double *theta, cr_error *err)
{
    const size_t sets = lr->shape.sets;
    double *weight;

    if (lr->shape.pairs == 0)
        return CR_OK;
    if ((weight = cr__alloc_zero(lr->shape.products * sets, sizeof *weight)) == NULL)
        return cr__fail_memory(err);
    lr->product = lr->own[CR__LR_OWN_PRODUCT] = weight;
    for (size_t k = 0; k < lr->shape.pairs; k++) {
        const cr__lr_pair *pair = &lr->shape.pair[k];
        const double spread = product_spread(&lr->shape, lr->frame, pair);

        for (size_t p = 0; spread > 0 && p < pair->count * sets; p++)
            weight[pair->weight * sets + p] = theta[(1 + pair->first) * sets + p] / spread;
    }
    return CR_OK;
}

cr_status cr__lr_set_units(cr__lr *lr, const cr__stats *stats, const cr__knobs *knobs,
                           const double *theta, cr_error *err)
{
    const size_t sets = lr->shape.sets;
    double *intercept = cr__alloc(sets, sizeof *intercept), *weight;
    cr_status st = intercept == NULL ? cr__fail_memory(err) : CR_OK;

    lr->intercept = lr->own[0] = intercept;
    for (size_t s = 0; st == CR_OK && s < sets; s++)
        intercept[s] = theta[s];
    for (size_t i = 0; st == CR_OK && i < lr->shape.columns; i++) {
        const cr__lr_slot *slot = &lr->shape.slot[i];

        if (slot->kind == CR_IGNORE)
            continue;
        if ((st = cr__lr_own_column(lr, i, stats->column[i].bag, knobs, &weight, err)) != CR_OK)
            break;
        if (slot->kind == CR_REAL) {
            real_units(slot, theta, sets, lr->frame + 2 * i, weight, intercept);
        } else if (slot->kind == CR_SYMBOL) {
            symbol_units(slot, theta, sets, weight);
        } else {
            memcpy(weight + sets, theta + (1 + slot->first) * sets,
                   slot->count * sets * sizeof *weight);
        }
    }
    return st == CR_OK ? product_units(lr, theta, err) : st;
}

/* --- back to θ ----------------------------------------------------------------------------- */

/* The inverse of symbol_units: codings leave the values' weights unchanged except for effect and
 * reference, where the mean, or the first value's weight, is part of the intercept. */
static void recover_symbol(const cr__lr_slot *slot, const double *weight, size_t sets,
                           double *theta)
{
    for (size_t s = 0; s < sets; s++) {
        double base = 0;

        for (size_t v = 0; slot->coding == CR__LR_EFFECT && v < slot->values; v++)
            base += weight[(1 + v) * sets + s] / (double)slot->values;
        if (slot->coding == CR__LR_REFERENCE || slot->coding == CR__LR_INDICATOR)
            base = slot->values > 0 ? weight[sets + s] : 0;
        theta[s] += base;
        for (size_t v = 0; v < slot->values; v++) {
            size_t feature;
            double x;

            if (cr__lr_code_size(slot, v) != 1)
                continue;
            cr__lr_code(slot, v, 0, &feature, &x);
            if (x > 0)
                theta[(1 + feature) * sets + s] = weight[(1 + v) * sets + s] - base;
        }
    }
}

/* By how much the mean of a number is larger in another frame. */
static double shift_of(const cr__lr *from, const double *frame, size_t column)
{
    return from->shape.slot[column].kind == CR_REAL ? frame[2 * column] - from->frame[2 * column]
                                                    : 0;
}

/* Where means have moved, (a - m)(b - n) with a - m = (a - m') + d and b - n = (b - n') + e has
 * parts of a alone, of b alone, and of neither. */
static void recover_pair(const cr__lr *from, const double *frame, const cr__lr_pair *pair,
                         double *theta)
{
    const cr__lr_shape *shape = &from->shape;
    const cr__lr_slot *a = &shape->slot[pair->a], *b = &shape->slot[pair->b];
    const double d = shift_of(from, frame, pair->a), e = shift_of(from, frame, pair->b);
    const double of_a = a->kind == CR_REAL ? frame[2 * pair->a + 1] : 1;
    const double of_b = b->kind == CR_REAL ? frame[2 * pair->b + 1] : 1;
    const size_t sets = shape->sets;

    for (size_t i = 0; i < pair->count; i++) {
        const double *w = from->product + (pair->weight + i) * sets;
        double *to = theta + (1 + pair->first + i) * sets;
        double *alone_a = theta + (1 + a->first + i / b->count) * sets;
        double *alone_b = theta + (1 + b->first + i % b->count) * sets;

        for (size_t s = 0; s < sets; s++) {
            to[s] = w[s] * of_a * of_b;
            alone_a[s] += w[s] * e * of_a;
            alone_b[s] += w[s] * d * of_b;
            theta[s] += w[s] * d * e;
        }
    }
}

void cr__lr_recover(const cr__lr *from, const double *frame, double *theta)
{
    const size_t sets = from->shape.sets;

    memset(theta, 0, cr__lr_parameters(&from->shape) * sizeof *theta);
    for (size_t s = 0; s < sets; s++)
        theta[s] = from->intercept[s];
    for (size_t i = 0; i < from->shape.columns; i++) {
        const cr__lr_slot *slot = &from->shape.slot[i];
        const cr__lr_column *column = &from->column[i];
        double *to = theta + (1 + slot->first) * sets;

        if (slot->kind == CR_SYMBOL)
            recover_symbol(slot, column->weight, sets, theta);
        for (size_t s = 0; slot->kind == CR_REAL && s < sets; s++) {
            to[s] = column->weight[s] * frame[2 * i + 1];
            theta[s] += column->weight[s] * frame[2 * i];
        }
        if (slot->kind == CR_BAG)
            memcpy(to, column->text->weight, slot->count * sets * sizeof *to);
    }
    for (size_t k = 0; k < from->shape.pairs; k++)
        recover_pair(from, frame, &from->shape.pair[k], theta);
}
