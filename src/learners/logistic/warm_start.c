/* learners/logistic/warm_start.c - continuing from weights that were fitted before.
 *
 * The posterior of the rows learned so far is the prior of the next ones: a Gaussian around the old
 * weights. Values and words that are new have the prior that the knobs describe. A converted model
 * has no posterior: then the knobs' prior is centred on its weights.
 *
 * A search that only starts at the weights of another model has the prior of the knobs, and ends
 * where it would have ended anyway, sooner.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "learners/logistic/fit.h"

/* Where weights come from. */
typedef struct past {
    const cr__lr *lr;
    const cr__stats *stats;
    const char *hint; /* what to do where they do not fit */
} past;

#define AGAIN "train again on all rows"

static cr_status refuse(cr_error *err, const char *hint, const char *what, const char *column)
{
    cr__fail(err, CR_ECONFLICT, "%s%s%s%s", what, column == NULL ? "" : " in '",
             column == NULL ? "" : column, column == NULL ? "" : "'");
    return cr__fail_hint(err, CR_ECONFLICT, "%s", hint);
}

static int same_classes(const cr__stats *a, const cr__stats *b)
{
    const cr__dict *x = a->column[a->schema->target].dict, *y = b->column[b->schema->target].dict;

    if (x->words != y->words)
        return 0;
    for (uint32_t code = 1; code <= x->words; code++) {
        size_t length;
        const char *word = cr__dict_word(x, code, &length);

        if (cr__dict_find(y, word, length) != code)
            return 0;
    }
    return 1;
}

/* map[old feature] = new feature, for the values of a symbol column. CR_ECONFLICT: the codings
 * differ. */
static cr_status map_symbol(const cr__lr_slot *old, const cr__lr_slot *new, const cr__dict *from,
                            const cr__dict *to, uint32_t *map)
{
    if (old->coding != new->coding || (old->coding != CR__LR_ONE_HOT && old->values != new->values))
        return CR_ECONFLICT;
    for (size_t v = 0; v < old->values; v++) {
        size_t length, feature, other;
        const char *word = cr__dict_word(from, (uint32_t)v + 1, &length);
        const uint32_t code = cr__dict_find(to, word, length);
        double x;

        if (code == CR__MISSING || cr__lr_code_size(old, v) != 1)
            continue;
        cr__lr_code(old, v, 0, &feature, &x);
        cr__lr_code(new, code - 1, 0, &other, &x);
        map[feature] = (uint32_t)other;
    }
    return CR_OK;
}

/* Both vocabularies are in the same order. */
static void map_text(const cr__lr_slot *old, const cr__lr_slot *new, const cr__bag *from,
                     const cr__bag *to, uint32_t *map)
{
    for (size_t w = 0, i = 0; w < from->words; w++) {
        size_t length, other_length;
        const char *word = cr__bag_word(from, w, &length), *other;

        while (i < to->words && to->hash[i] < from->hash[w])
            i++;
        for (size_t k = i; k < to->words && to->hash[k] == from->hash[w]; k++) {
            other = cr__bag_word(to, k, &other_length);
            if (length == other_length && memcmp(word, other, length) == 0)
                map[old->first + w] = (uint32_t)(new->first + k);
        }
    }
}

/* The pairs of both are in the order of their columns. */
static void map_products(const cr__lr_shape *old, const cr__lr_shape *new, uint32_t *map)
{
    for (size_t k = 0, n = 0; k < old->pairs && n < new->pairs; k++) {
        const cr__lr_pair *was = &old->pair[k], *is;
        const cr__lr_slot *a = &old->slot[was->a], *b = &old->slot[was->b];

        while (n < new->pairs &&
               (new->pair[n].a < was->a || (new->pair[n].a == was->a &&new->pair[n].b < was->b)))
            n++;
        is = &new->pair[n];
        if (n == new->pairs || is->a != was->a || is->b != was->b)
            continue;
        for (size_t i = 0; i < was->count; i++) {
            const uint32_t x = map[a->first + i / b->count], y = map[b->first + i % b->count];

            if (x != UINT32_MAX && y != UINT32_MAX)
                map[was->first + i] =
                    (uint32_t)(is->first + (x - new->slot[was->a].first) * new->slot[was->b].count +
                               y - new->slot[was->b].first);
        }
    }
}

static cr_status map_features(const cr__lr_fit *f, const past *from, uint32_t *map, cr_error *err)
{
    const cr__stats *to = f->input->stats;

    for (size_t j = 0; j < from->lr->shape.features; j++)
        map[j] = UINT32_MAX;
    for (size_t i = 0; i < f->lr->shape.columns; i++) {
        const cr__lr_slot *old = &from->lr->shape.slot[i], *new = &f->lr->shape.slot[i];

        if (old->kind == CR_REAL)
            map[old->first] = (uint32_t) new->first;
        else if (old->kind == CR_BAG)
            map_text(old, new, from->stats->column[i].bag, to->column[i].bag, map);
        else if (old->kind == CR_SYMBOL && map_symbol(old, new, from->stats->column[i].dict,
                                                      to->column[i].dict, map) != CR_OK)
            return refuse(err, from->hint,
                          "there are values that the model has no weights for, and their coding "
                          "depends on all values",
                          to->schema->column[i].name);
    }
    map_products(&from->lr->shape, &f->lr->shape, map);
    return CR_OK;
}

/* The old parameter p among the new ones; SIZE_MAX when it no longer exists. */
static size_t place(const cr__lr_fit *f, const uint32_t *map, size_t p)
{
    const size_t sets = f->lr->shape.sets, feature = p / sets;

    if (feature == 0)
        return p;
    return map[feature - 1] == UINT32_MAX ? SIZE_MAX : (1 + map[feature - 1]) * sets + p % sets;
}

/* Λ = Σ⁻¹ of the old weights; a variance of 0 means a fixed weight. */
static cr_status take_matrix(cr__lr_fit *f, const uint32_t *map, cr_error *err)
{
    const cr__lr *before = f->input->before;
    const size_t old = cr__lr_parameters(&before->shape), all = cr__lr_parameters(&f->lr->shape);
    double *a;
    cr_status st = cr__matrix_open(err);

    if (st != CR_OK)
        return st;
    a = cr__alloc(old * old, sizeof *a);
    f->matrix = cr__alloc_zero(all * all, sizeof *f->matrix);
    if (a == NULL || f->matrix == NULL) {
        cr__free(a);
        return cr__fail_memory(err);
    }
    memcpy(a, before->covariance, old * old * sizeof *a);
    for (size_t p = 0; p < old; p++)
        a[p * old + p] += before->shape.sets == 1 && a[p * old + p] == 0 ? 1e-12 : 0;
    if (!cr__lr_invert(a, old, before->shape.sets))
        st = refuse(err, AGAIN, "the posterior of the model's weights has no inverse", NULL);
    for (size_t p = 0; st == CR_OK && p < all; p++)
        f->matrix[p * all + p] = f->precision[p];
    for (size_t p = 0; st == CR_OK && p < old; p++)
        for (size_t q = 0; q < old; q++)
            if (place(f, map, p) != SIZE_MAX && place(f, map, q) != SIZE_MAX)
                f->matrix[place(f, map, p) * all + place(f, map, q)] = a[p * old + q];
    cr__free(a);
    return st;
}

static cr_status take_prior(cr__lr_fit *f, const uint32_t *map, cr_error *err)
{
    const cr__lr *before = f->input->before;
    const size_t old = cr__lr_parameters(&before->shape), all = cr__lr_parameters(&f->lr->shape);

    cr__lr_precision(f, f->lambda > 0 ? f->lambda : 0, f->precision);
    if (before->outcome.posterior == CR__LR_FULL && all <= CR__LR_MOST_FULL)
        return take_matrix(f, map, err);
    for (size_t p = 0; before->covariance != NULL && p < old; p++) {
        const size_t at = place(f, map, p);
        const double variance = before->outcome.posterior == CR__LR_FULL
                                    ? before->covariance[p * old + p]
                                    : before->covariance[p];

        if (at != SIZE_MAX)
            f->precision[at] = 1 / fmax(variance, 1e-12);
    }
    return CR_OK;
}

/* The old weights at their places among the new ones, [P]; map is [features of the old]. */
static cr_status take_weights(cr__lr_fit *f, const past *from, uint32_t *map, double *to,
                              cr_error *err)
{
    const size_t old = cr__lr_parameters(&from->lr->shape);
    double *theta;
    cr_status st;

    if (!same_classes(from->stats, f->input->stats))
        return refuse(err, from->hint, "there are classes that the model has no weights for", NULL);
    if (from->lr->shape.sets != f->lr->shape.sets)
        return refuse(err, from->hint, "the model has its weights in another form", NULL);
    if ((st = map_features(f, from, map, err)) != CR_OK)
        return st;
    if ((theta = cr__alloc(old, sizeof *theta)) == NULL)
        return cr__fail_memory(err);
    cr__lr_recover(from->lr, f->lr->frame, theta);
    for (size_t p = 0; p < old; p++)
        if (place(f, map, p) != SIZE_MAX)
            to[place(f, map, p)] = theta[p];
    cr__free(theta);
    return CR_OK;
}

cr_status cr__lr_resume(cr__lr_fit *f, cr_error *err)
{
    const cr__lr *before = f->input->before;
    const past from = {before, f->input->before_stats, AGAIN};
    const size_t all = cr__lr_parameters(&f->lr->shape);
    uint32_t *map = cr__alloc(before->shape.features, sizeof *map);
    cr_status st;

    f->centre = cr__alloc_zero(all, sizeof *f->centre);
    if (isnan(f->lambda))
        f->lambda = before->outcome.lambda; /* as it was chosen with the first rows */
    if (f->prior == CR__LR_LAPLACE)
        st = refuse(err, AGAIN, "a Laplace prior needs all rows at once", NULL);
    else if (before->outcome.posterior == CR__LR_NO_POSTERIOR &&
             before->outcome.origin == CR__LR_TRAINED)
        st = refuse(err, AGAIN, "the model has no posterior of its weights to go on from", NULL);
    else if (map == NULL || f->centre == NULL)
        st = cr__fail_memory(err);
    else
        st = take_weights(f, &from, map, f->centre, err);
    if (st == CR_OK) {
        memcpy(f->theta, f->centre, all * sizeof *f->theta);
        st = take_prior(f, map, err);
    }
    cr__free(map);
    return st;
}

cr_status cr__lr_start(cr__lr_fit *f, cr_error *err)
{
    const past from = {f->input->start, f->input->start_stats, "train without a start"};
    uint32_t *map;
    cr_status st;

    if (from.lr == NULL)
        return CR_OK;
    if ((map = cr__alloc(from.lr->shape.features, sizeof *map)) == NULL)
        return cr__fail_memory(err);
    st = take_weights(f, &from, map, f->theta, err);
    for (size_t p = 0; st == CR_OK && f->scale != NULL && p < cr__lr_parameters(&f->lr->shape); p++)
        f->theta[p] = f->scale[p] != 0 ? f->theta[p] / f->scale[p] : 0;
    cr__free(map);
    return st;
}
