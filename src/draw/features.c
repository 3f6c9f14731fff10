/* draw/features.c - each feature by class.
 *
 * Numbers: the density that the model uses for each class, over a histogram of the data where
 * there are some. Words: P(value | class) as bars; of a model that has no such probability, the
 * shares of the data.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "data/bins.h"
#include "draw/draw.h"

enum {
    POINTS = 201,
    CLASSES_DRAWN = 8,
    VALUES_DRAWN = 12,
    INTERVAL_SIZE = 64,
};

/* --- the density of a class ------------------------------------------------------------------- */

static int fitted(const cr_model *model, size_t column, size_t c, cr_gaussian *g)
{
    return cr_model_gaussian(model, column, c, g) == CR_OK && g->fitted_variance > 0 &&
           isfinite(g->fitted_variance) && isfinite(g->fitted_mean);
}

/* From the data and, of a model with densities, three standard deviations around the mean of each
 * class. */
static int find_range(const cr_model *model, int modelled, size_t column, const cr_values *v,
                      size_t at, double *low, double *high)
{
    cr_gaussian g;

    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; v != NULL && i < v->rows; i++) {
        *low = fmin(*low, v->value[i * v->columns + at]); /* fmin ignores NaN */
        *high = fmax(*high, v->value[i * v->columns + at]);
    }
    for (size_t c = 0; modelled && c < cr_model_classes(model); c++)
        if (fitted(model, column, c, &g)) {
            *low = fmin(*low, g.fitted_mean - 3 * sqrt(g.fitted_variance));
            *high = fmax(*high, g.fitted_mean + 3 * sqrt(g.fitted_variance));
        }
    return *low < *high;
}

/* --- the histogram of a class ----------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* D. Freedman and P. Diaconis, "On the histogram as a density estimator" (1981): bins of twice the
 * interquartile range over the cube root of n. 0 when the range is. */
double cr__bin_width(double *x, size_t n)
{
    qsort(x, n, sizeof *x, ascending);
    return n > 3 ? 2 * (x[n * 3 / 4] - x[n / 4]) / cbrt((double)n) : 0;
}

size_t cr__bins_between(double low, double high, double width)
{
    return width > 0 && isfinite(width) ? (size_t)fmin(fmax(ceil((high - low) / width), 1), 60)
                                        : 20;
}

/* As fine as the class with the narrowest bins needs. 0: out of memory. */
static size_t choose_bins(const cr_values *v, size_t at, size_t classes, double low, double high)
{
    double *x = cr__alloc(v->rows + 1, sizeof *x), least = INFINITY;
    size_t n;

    if (x == NULL)
        return 0;
    for (size_t c = 0; c < classes; c++) {
        n = 0;
        for (size_t i = 0; i < v->rows; i++)
            if (v->class_index[i] == (int32_t)c && !isnan(v->value[i * v->columns + at]))
                x[n++] = v->value[i * v->columns + at];
        const double width = cr__bin_width(x, n);

        least = width > 0 ? fmin(least, width) : least;
    }
    cr__free(x);
    return cr__bins_between(low, high, least);
}

/* Heights so that the bars of a class have the area 1. */
static void fill_bins(const cr_values *v, size_t at, int32_t c, double low, double high,
                      size_t bins, double *height)
{
    const double width = (high - low) / (double)bins;
    double n = 0;

    for (size_t i = 0; i < v->rows; i++) {
        const double x = v->value[i * v->columns + at];

        if (v->class_index[i] != c || isnan(x))
            continue;
        height[(size_t)fmin(fmax((x - low) / width, 0), (double)(bins - 1))]++;
        n++;
    }
    for (size_t b = 0; n > 0 && b < bins; b++)
        height[b] /= n * width;
}

/* --- one feature ------------------------------------------------------------------------------ */

typedef struct densities {
    size_t classes, bins;
    int modelled;   /* the model has densities */
    double *edge;   /* [bins + 1] */
    double *height; /* [classes * bins] */
    double *x;      /* [POINTS] */
    double *y;      /* [classes * POINTS]; NaN where the model has no density */
} densities;

/* *made is 0 where there is nothing to draw. Free it even after a failure. */
static cr_status densities_make(densities *d, const cr_model *model, size_t column,
                                const cr_values *v, size_t at, size_t bins, int *made,
                                cr_error *err)
{
    double low, high;
    cr_status st;

    *d = (densities){.classes = cr_model_classes(model)};
    *made = 0;
    d->x = cr__alloc_zero(POINTS, sizeof *d->x);
    d->y = cr__alloc_zero(d->classes * POINTS + 1, sizeof *d->y);
    if (d->x == NULL || d->y == NULL ||
        (st = cr_model_density(model, column, d->x, 1, d->y, NULL)) == CR_ENOMEM)
        return cr__fail_memory(err);
    d->modelled = st == CR_OK;
    if (!find_range(model, d->modelled, column, v, at, &low, &high))
        return CR_OK;
    if (v != NULL && v->rows > 0 &&
        (d->bins = bins > 0 ? bins : choose_bins(v, at, d->classes, low, high)) == 0)
        return cr__fail_memory(err);
    d->edge = cr__alloc_zero(d->bins + 1, sizeof *d->edge);
    d->height = cr__alloc_zero(d->classes * d->bins + 1, sizeof *d->height);
    if (d->edge == NULL || d->height == NULL)
        return cr__fail_memory(err);
    *made = d->modelled || d->bins > 0;
    for (size_t b = 0; d->bins > 0 && b <= d->bins; b++)
        d->edge[b] = low + (high - low) * (double)b / (double)d->bins;
    for (size_t i = 0; i < POINTS; i++)
        d->x[i] = low + (high - low) * (double)i / (POINTS - 1);
    if (d->modelled && cr_model_density(model, column, d->x, POINTS, d->y, NULL) != CR_OK)
        return cr__fail_memory(err);
    for (size_t i = 0; !d->modelled && i < d->classes * POINTS; i++)
        d->y[i] = NAN;
    for (size_t c = 0; d->bins > 0 && c < d->classes; c++)
        fill_bins(v, at, (int32_t)c, low, high, d->bins, d->height + c * d->bins);
    return CR_OK;
}

static void densities_free(densities *d)
{
    cr__free(d->edge);
    cr__free(d->height);
    cr__free(d->x);
    cr__free(d->y);
}

static cr_status add_real(cr_figure *f, const char *title, const cr_model *model, size_t column,
                          const cr_values *v, size_t at, size_t bins, int *made, cr_error *err)
{
    const char *name = cr_schema_name(cr_model_schema(model), column);
    const cr_axes axes = {title, {.label = name}, {.label = "density"}};
    cr_density class[CLASSES_DRAWN] = {0};
    size_t drawn = 0;
    densities d;
    cr_status st = densities_make(&d, model, column, v, at, bins, made, err);

    for (; st == CR_OK && *made && drawn < d.classes && drawn < CLASSES_DRAWN; drawn++)
        class[drawn] =
            (cr_density){.name = cr_model_has_classes(model) ? cr_model_class(model, drawn) : NULL,
                         .edge = d.edge,
                         .height = d.height + drawn * d.bins,
                         .bins = d.bins,
                         .x = d.x,
                         .y = d.y + drawn * POINTS,
                         .count = POINTS};
    if (st == CR_OK && *made)
        st = cr_figure_add_densities(f, &axes, class, drawn, err);
    densities_free(&d);
    return st;
}

typedef struct listed {
    size_t value;
    double most; /* rows of a class that have it */
} listed;

static int more_common_first(const void *a, const void *b)
{
    const listed *x = a, *y = b;

    if (x->most != y->most)
        return x->most > y->most ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static int in_order(const void *a, const void *b)
{
    const listed *x = a, *y = b;

    return x->value < y->value ? -1 : x->value > y->value;
}

/* The values to be drawn, to be freed: all intervals of a number in their order; for words, those
 * that are common in some class, with room left for all others together. */
static listed *drawn_values(const cr_model *model, size_t column, size_t *count, size_t *others)
{
    const int words = cr_schema_kind(cr_model_schema(model), column) == CR_SYMBOL;
    const size_t all = cr_model_values(model, column);
    listed *list = cr__alloc_zero(all + 1, sizeof *list);

    for (size_t v = 0; list != NULL && v < all; v++) {
        list[v].value = v;
        for (size_t c = 0; c < cr_model_classes(model); c++)
            list[v].most = fmax(list[v].most, cr_model_count(model, column, v, c));
    }
    if (list != NULL)
        qsort(list, all, sizeof *list, words ? more_common_first : in_order);
    *count = words && all > VALUES_DRAWN ? VALUES_DRAWN - 1 : all;
    *others = all - *count;
    return list;
}

/* Whether the upper ends of neighbouring intervals differ when they are written with so many
 * digits, and no end needs an exponent that its name does not have. */
static int tells_apart(const char *const *name, size_t count, int digits)
{
    char text[2][40] = {"", ""};
    double low, high;

    for (size_t i = 0; i + 1 < count; i++) {
        char *now = text[i % 2];

        if (!cr__interval_of_name(name[i], strlen(name[i]), &low, &high))
            return 0;
        snprintf(now, sizeof text[0], "%.*g", digits, high);
        if (strcmp(now, text[(i + 1) % 2]) == 0 ||
            (strchr(now, 'e') != NULL && strchr(name[i], 'e') == NULL))
            return 0;
    }
    return 1;
}

/* The names of all intervals of a number with as few digits, but at least three, as tell
 * neighbours apart; shorter has room for count names. */
static void shorten_intervals(const char **name, size_t count, char (*shorter)[INTERVAL_SIZE])
{
    int digits = 3;
    double low, high;

    while (digits < 17 && !tells_apart(name, count, digits))
        digits++;
    for (size_t i = 0; digits < 17 && count > 1 && i < count; i++) {
        if (!cr__interval_of_name(name[i], strlen(name[i]), &low, &high))
            return;
        if (i == 0)
            snprintf(shorter[i], INTERVAL_SIZE, "<=%.*g", digits, high);
        else if (i + 1 == count)
            snprintf(shorter[i], INTERVAL_SIZE, ">%.*g", digits, low);
        else
            snprintf(shorter[i], INTERVAL_SIZE, "%.*g..%.*g", digits, low, digits, high);
        name[i] = shorter[i];
    }
}

/* Whether the model has P(value | class), as logistic regression and trees do not. */
static int has_probabilities(const cr_model *model, size_t column)
{
    for (size_t c = 0; c < cr_model_classes(model); c++)
        if (!isnan(cr_model_probability(model, column, 0, c)))
            return 1;
    return 0;
}

/* The rows to draw the values of a feature from: none where the model has probabilities. */
static const cr_values *rows_of(const cr_model *model, size_t column, const cr_values *v)
{
    return cr_schema_kind(cr_model_schema(model), column) == CR_SYMBOL &&
                   !has_probabilities(model, column)
               ? v
               : NULL;
}

/* The share of each value among the rows of a class that have one, into share[values]. */
static void find_shares(const cr_values *v, size_t at, int32_t c, double *share, size_t values)
{
    double n = 0;

    memset(share, 0, values * sizeof *share);
    for (size_t i = 0; i < v->rows; i++) {
        const double x = v->value[i * v->columns + at];

        if (v->class_index[i] != c || isnan(x))
            continue;
        share[(size_t)x]++;
        n++;
    }
    for (size_t i = 0; n > 0 && i < values; i++)
        share[i] /= n;
}

/* What a bar of each value of class c is, into p[values]: P(value | class) of the model where
 * v is NULL, else the shares of the rows. */
static void find_bars(const cr_model *model, size_t column, const cr_values *v, size_t at, size_t c,
                      double *p, size_t values)
{
    if (v != NULL)
        find_shares(v, at, (int32_t)c, p, values);
    for (size_t i = 0; v == NULL && i < values; i++)
        p[i] = cr_model_probability(model, column, i, c);
}

/* P(value | class), or the shares of the rows v, the rest of the values as one. */
static cr_status add_symbol(cr_figure *f, const char *title, const cr_model *model, size_t column,
                            const cr_values *v, size_t at, cr_error *err)
{
    const cr_axes axes = {title,
                          {.label = cr_schema_name(cr_model_schema(model), column)},
                          {.label = v == NULL ? "P(value | class)" : "share of the rows"}};
    const size_t all = cr_model_values(model, column);
    const size_t sets =
        cr_model_classes(model) < CLASSES_DRAWN ? cr_model_classes(model) : CLASSES_DRAWN;
    size_t count, others;
    listed *list = drawn_values(model, column, &count, &others);
    const size_t bars = count + (others > 0);
    const char **name = cr__alloc(bars + 1, sizeof *name), *set[CLASSES_DRAWN];
    double *height = cr__alloc_zero(bars * sets + 1, sizeof *height);
    double *p = cr__alloc(all + 1, sizeof *p);
    char rest[40], (*shorter)[INTERVAL_SIZE] = cr__alloc(bars + 1, sizeof *shorter);
    cr_status st = CR_OK;

    if (list == NULL || name == NULL || height == NULL || p == NULL || shorter == NULL) {
        st = cr__fail_memory(err);
        goto done;
    }
    snprintf(rest, sizeof rest, "%zu others", others);
    name[count] = rest;
    for (size_t i = 0; i < count; i++)
        name[i] = cr_model_value(model, column, list[i].value);
    if (cr_schema_kind(cr_model_schema(model), column) == CR_REAL)
        shorten_intervals(name, count, shorter);
    for (size_t c = 0; c < sets; c++) {
        set[c] = cr_model_class(model, c);
        find_bars(model, column, v, at, c, p, all);
        for (size_t i = 0; i < all; i++)
            height[c * bars + (i < count ? i : count)] += p[list[i].value];
    }
    st = cr_figure_add_bars(f, &axes, name, bars, set, sets, height, err);
done:
    cr__free(list);
    cr__free(name);
    cr__free(height);
    cr__free(p);
    cr__free(shorter);
    return st;
}

cr_status cr_draw_feature(cr_figure *f, const char *title, const cr_model *model, size_t column,
                          const cr_values *values, size_t at, size_t bins, int *drawn,
                          cr_error *err)
{
    int made = 0;
    cr_status st = cr__draw_ready(model, err);

    if (st == CR_OK && cr_model_has_values(model, column)) {
        const cr_values *rows = rows_of(model, column, values);

        made = rows != NULL || has_probabilities(model, column);
        if (made)
            st = add_symbol(f, title, model, column, rows, at, err);
    } else if (st == CR_OK)
        st = add_real(f, title, model, column, values, at, bins, &made, err);
    if (drawn != NULL)
        *drawn = made;
    return st;
}

/* --- for programs ----------------------------------------------------------------------------- */

/* A value's name and its bar, for each value of class c. */
static cr_status put_values(cr_json *j, const cr_model *model, size_t column, const cr_values *v,
                            size_t at, size_t c, cr_error *err)
{
    const size_t values = cr_model_values(model, column);
    double *p = cr__alloc(values + 1, sizeof *p);

    if (p == NULL)
        return cr__fail_memory(err);
    find_bars(model, column, v, at, c, p, values);
    cr_json_object(j, v == NULL ? "probability" : "share", CR_JSON_BLOCK);
    for (size_t i = 0; i < values; i++)
        cr_json_number(j, cr_model_value(model, column, i), p[i]);
    cr_json_end(j);
    cr__free(p);
    return CR_OK;
}

static void put_densities(cr_json *j, const densities *d, size_t c)
{
    if (d->modelled)
        cr_json_numbers(j, "density", d->y + c * POINTS, POINTS);
    if (d->bins > 0)
        cr_json_numbers(j, "histogram", d->height + c * d->bins, d->bins);
}

cr_status cr__feature_numbers(cr_json *j, const cr_model *model, size_t column, const cr_values *v,
                              size_t at, size_t bins, cr_error *err)
{
    const int values = cr_model_has_values(model, column);
    const cr_values *rows = values ? rows_of(model, column, v) : NULL;
    const int bars = rows != NULL || (values && has_probabilities(model, column));
    densities d = {0};
    int real = 0;
    cr_status st = values ? CR_OK : densities_make(&d, model, column, v, at, bins, &real, err);

    cr_json_object(j, NULL, CR_JSON_BLOCK);
    cr_json_text(j, "name", cr_schema_name(cr_model_schema(model), column));
    if (real && d.modelled)
        cr_json_numbers(j, "x", d.x, POINTS);
    if (real && d.bins > 0)
        cr_json_numbers(j, "edges", d.edge, d.bins + 1);
    cr_json_array(j, "classes", CR_JSON_BLOCK);
    for (size_t c = 0; st == CR_OK && c < cr_model_classes(model); c++) {
        cr_json_object(j, NULL, CR_JSON_BLOCK);
        cr_json_text(j, "name", cr_model_class(model, c));
        if (real)
            put_densities(j, &d, c);
        if (bars)
            st = put_values(j, model, column, rows, at, c, err);
        cr_json_end(j);
    }
    cr_json_end(j);
    cr_json_end(j);
    densities_free(&d);
    return st;
}
