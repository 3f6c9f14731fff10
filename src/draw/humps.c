/* draw/humps.c - numbers with two humps within a class, for which one Gaussian is misleading.
 *
 * It matters where the number alone would predict the class of more rows with two humps than with
 * one: decisions by prior and density, with the Gaussians of the model and with two per class. Both
 * use the same rows, so this shows where to look, not how good a model will be.
 */
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "belief/humps.h"
#include "draw/draw.h"

enum { CLASSES_MOST = 50 };

#define DOUBT 20
#define GAIN 0.05 /* share of the rows: less is not worth mentioning */

/* One column by class. */
typedef struct column {
    double *x; /* [rows] of one class, ascending */
    size_t count[CLASSES_MOST];
    double mean[CLASSES_MOST], deviation[CLASSES_MOST];
    double fitted_mean[CLASSES_MOST], fitted_deviation[CLASSES_MOST]; /* the model's own */
    cr__humps humps[CLASSES_MOST];
    int two[CLASSES_MOST];
    double rows;
} column;

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void look_at_class(column *c, const cr_values *v, size_t at, size_t k, double doubt)
{
    double sum = 0, squares = 0;
    size_t n = 0;

    for (size_t r = 0; r < v->rows; r++) {
        const double x = v->value[r * v->columns + at];

        if (v->class_index[r] == (int32_t)k && isfinite(x))
            c->x[n++] = x;
    }
    qsort(c->x, n, sizeof *c->x, ascending);
    for (size_t i = 0; i < n; i++)
        sum += c->x[i];
    c->mean[k] = n > 0 ? sum / (double)n : 0;
    for (size_t i = 0; i < n; i++)
        squares += (c->x[i] - c->mean[k]) * (c->x[i] - c->mean[k]);
    c->deviation[k] = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
    c->count[k] = n;
    c->rows += (double)n;
    c->two[k] = cr__two_humps(c->x, n, doubt, &c->humps[k]);
}

/* The class of a number, by one Gaussian each or by two where there are two. */
static size_t decide(const column *c, size_t classes, double x, int humps)
{
    double most = -INFINITY;
    size_t best = 0;

    for (size_t k = 0; k < classes; k++) {
        const double mean = humps ? c->mean[k] : c->fitted_mean[k];
        const double deviation = humps ? c->deviation[k] : c->fitted_deviation[k];
        const double z = (x - mean) / deviation;
        double score = log((double)c->count[k]);

        if (c->count[k] == 0 || !(deviation > 0))
            continue;
        score += humps && c->two[k] ? cr__humps_log_density(&c->humps[k], x)
                                    : -0.5 * z * z - log(deviation) - 0.5 * log(2 * M_PI);
        if (score > most) {
            most = score;
            best = k;
        }
    }
    return best;
}

static double share_right(const column *c, const cr_values *v, size_t at, size_t classes, int humps)
{
    double right = 0;

    for (size_t r = 0; r < v->rows; r++) {
        const double x = v->value[r * v->columns + at];

        if (v->class_index[r] >= 0 && isfinite(x))
            right += decide(c, classes, x, humps) == (size_t)v->class_index[r];
    }
    return c->rows > 0 ? right / c->rows : 0;
}

static void take_gaussians(column *c, const cr_model *model, size_t index, size_t classes)
{
    cr_gaussian g;

    for (size_t k = 0; k < classes; k++)
        if (cr_model_gaussian(model, index, k, &g) == CR_OK) {
            c->fitted_mean[k] = g.fitted_mean;
            c->fitted_deviation[k] = sqrt(g.fitted_variance);
        }
}

cr_status cr_values_humps(const cr_values *v, size_t at, const cr_model *model, size_t index,
                          cr_humps *out, int *found, cr_error *err)
{
    const size_t classes = cr_model_classes(model);
    column *c;
    size_t two = SIZE_MAX;

    *found = 0;
    if (at >= v->columns)
        return cr__fail(err, CR_EARG, "there are %zu columns, not %zu", v->columns, at + 1);
    if (classes < 2 || classes > CLASSES_MOST)
        return CR_OK;
    c = cr__alloc_zero(1, sizeof *c);
    if (c == NULL || (c->x = cr__alloc(v->rows + 1, sizeof *c->x)) == NULL) {
        cr__free(c);
        return cr__fail_memory(err);
    }
    for (size_t k = 0; k < classes; k++) {
        look_at_class(c, v, at, k, DOUBT + 2 * log((double)(v->columns * classes)));
        two = c->two[k] && two == SIZE_MAX ? k : two;
    }
    if (two != SIZE_MAX) {
        take_gaussians(c, model, index, classes);
        *out = (cr_humps){.class_index = two,
                          .low = c->humps[two].mean[0],
                          .high = c->humps[two].mean[1],
                          .right_with_one = share_right(c, v, at, classes, 0),
                          .right_with_two = share_right(c, v, at, classes, 1)};
        *found = out->right_with_two > out->right_with_one + GAIN;
    }
    cr__free(c->x);
    cr__free(c);
    return CR_OK;
}
