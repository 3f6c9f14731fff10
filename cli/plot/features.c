/* cli/plot/features.c - credence plot densities: each feature by class.
 *
 * Numbers: the density that the model uses for each class, over a histogram of the data where
 * there are some. Words: P(value | class) as bars.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/describe.h"
#include "out/out.h"
#include "plot/plot.h"
#include "session/reserve.h"
#include "session/session.h"

enum {
    POINTS = 201,
    CLASSES_DRAWN = 8,
    VALUES_DRAWN = 12,
    FEATURES_DRAWN = 6,
    MOST_BINS = 200,
    RANKABLE = 300
};

/* --- the density of a class ------------------------------------------------------------------- */

static bool fitted(const cr_model *model, size_t column, size_t c, cr_gaussian *g)
{
    return cr_model_gaussian(model, column, c, g) == CR_OK && g->fitted_variance > 0 &&
           isfinite(g->fitted_variance) && isfinite(g->fitted_mean);
}

/* From the data and, for each class, three standard deviations around its mean. */
static bool find_range(const cr_model *model, size_t column, const values *v, size_t at,
                       double *low, double *high)
{
    cr_gaussian g;

    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; v != NULL && i < v->rows; i++) {
        *low = fmin(*low, v->value[i * v->columns + at]); /* fmin passes over NaN */
        *high = fmax(*high, v->value[i * v->columns + at]);
    }
    for (size_t c = 0; c < cr_model_classes(model); c++)
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
double bin_width(double *x, size_t n)
{
    qsort(x, n, sizeof *x, ascending);
    return n > 3 ? 2 * (x[n * 3 / 4] - x[n / 4]) / cbrt((double)n) : 0;
}

size_t bins_between(double low, double high, double width)
{
    return width > 0 && isfinite(width) ? (size_t)fmin(fmax(ceil((high - low) / width), 1), 60)
                                        : 20;
}

/* As fine as the class with the narrowest bins needs it. */
static size_t choose_bins(const values *v, size_t at, size_t classes, double low, double high)
{
    double *x = reserve(v->rows + 1, sizeof *x), least = INFINITY;
    size_t n;

    for (size_t c = 0; c < classes; c++) {
        n = 0;
        for (size_t i = 0; i < v->rows; i++)
            if (v->class_index[i] == (int32_t)c && !isnan(v->value[i * v->columns + at]))
                x[n++] = v->value[i * v->columns + at];
        const double width = bin_width(x, n);

        least = width > 0 ? fmin(least, width) : least;
    }
    free(x);
    return bins_between(low, high, least);
}

/* Heights so that the bars of a class have the area 1. */
static void fill_bins(const values *v, size_t at, int32_t c, double low, double high, size_t bins,
                      double *height)
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
    double *edge;   /* [bins + 1] */
    double *height; /* [classes * bins] */
    double *x;      /* [POINTS] */
    double *y;      /* [classes * POINTS]; NaN where the model has no density */
} densities;

static bool densities_make(densities *d, const cr_model *model, size_t column, const values *v,
                           size_t at, size_t bins)
{
    double low, high;

    *d = (densities){.classes = cr_model_classes(model)};
    if (!find_range(model, column, v, at, &low, &high))
        return false;
    if (v != NULL && v->rows > 0)
        d->bins = bins > 0 ? bins : choose_bins(v, at, d->classes, low, high);
    d->edge = reserve(d->bins + 1, sizeof *d->edge);
    d->height = reserve(d->classes * d->bins + 1, sizeof *d->height);
    d->x = reserve(POINTS, sizeof *d->x);
    d->y = reserve(d->classes * POINTS, sizeof *d->y);
    for (size_t b = 0; d->bins > 0 && b <= d->bins; b++)
        d->edge[b] = low + (high - low) * (double)b / (double)d->bins;
    for (size_t i = 0; i < POINTS; i++)
        d->x[i] = low + (high - low) * (double)i / (POINTS - 1);
    if (cr_model_density(model, column, d->x, POINTS, d->y, NULL) != CR_OK)
        for (size_t i = 0; i < d->classes * POINTS; i++)
            d->y[i] = NAN;
    for (size_t c = 0; d->bins > 0 && c < d->classes; c++)
        fill_bins(v, at, (int32_t)c, low, high, d->bins, d->height + c * d->bins);
    return true;
}

static void densities_free(densities *d)
{
    free(d->edge);
    free(d->height);
    free(d->x);
    free(d->y);
}

static int add_real(cr_figure *f, const cr_model *model, size_t column, const values *v, size_t at,
                    size_t bins, const char *title)
{
    const char *name = cr_schema_name(cr_model_schema(model), column);
    const cr_axes axes = {title, {.label = name}, {.label = "density"}};
    cr_density class[CLASSES_DRAWN] = {0};
    size_t drawn = 0;
    densities d;
    cr_error err = {0};
    cr_status status = CR_OK;

    if (!densities_make(&d, model, column, v, at, bins)) {
        note("'%s' has no density to draw", name);
        return EXIT_DONE;
    }
    for (; drawn < d.classes && drawn < CLASSES_DRAWN; drawn++)
        class[drawn] =
            (cr_density){.name = cr_model_has_classes(model) ? cr_model_class(model, drawn) : NULL,
                         .edge = d.edge,
                         .height = d.height + drawn * d.bins,
                         .bins = d.bins,
                         .x = d.x,
                         .y = d.y + drawn * POINTS,
                         .count = POINTS};
    status = cr_figure_add_densities(f, &axes, class, drawn, &err);
    densities_free(&d);
    return panel_added(status, &err);
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

/* The values to be drawn, to be freed: all intervals of a number in their order; of words those
 * that are common in some class, with room left for the others together. */
static listed *drawn_values(const cr_model *model, size_t column, size_t *count, size_t *others)
{
    const bool words = cr_schema_kind(cr_model_schema(model), column) == CR_SYMBOL;
    const size_t all = cr_model_values(model, column);
    listed *list = reserve(all + 1, sizeof *list);

    for (size_t v = 0; v < all; v++) {
        list[v].value = v;
        for (size_t c = 0; c < cr_model_classes(model); c++)
            list[v].most = fmax(list[v].most, cr_model_count(model, column, v, c));
    }
    qsort(list, all, sizeof *list, words ? more_common_first : in_order);
    *count = words && all > VALUES_DRAWN ? VALUES_DRAWN - 1 : all;
    *others = all - *count;
    return list;
}

/* P(value | class), the rest of the values as one. */
static int add_symbol(cr_figure *f, const cr_model *model, size_t column, const char *title)
{
    const cr_axes axes = {title,
                          {.label = cr_schema_name(cr_model_schema(model), column)},
                          {.label = "P(value | class)"}};
    const size_t all = cr_model_values(model, column);
    const size_t sets =
        cr_model_classes(model) < CLASSES_DRAWN ? cr_model_classes(model) : CLASSES_DRAWN;
    size_t count, others;
    listed *list = drawn_values(model, column, &count, &others);
    const size_t bars = count + (others > 0);
    const char **name = reserve(bars + 1, sizeof *name), *set[CLASSES_DRAWN];
    double *height = reserve(bars * sets + 1, sizeof *height);
    char rest[40];
    cr_error err = {0};
    int code;

    snprintf(rest, sizeof rest, "%zu others", others);
    name[count] = rest;
    for (size_t i = 0; i < count; i++)
        name[i] = cr_model_value(model, column, list[i].value);
    for (size_t c = 0; c < sets; c++) {
        set[c] = cr_model_class(model, c);
        for (size_t i = 0; i < all; i++)
            height[c * bars + (i < count ? i : count)] +=
                cr_model_probability(model, column, list[i].value, c);
    }
    code = panel_added(cr_figure_add_bars(f, &axes, name, bars, set, sets, height, &err), &err);
    free(list);
    free(name);
    free(height);
    return code;
}

int add_feature(cr_figure *f, const cr_model *model, size_t column, const values *histogram,
                size_t at, size_t bins, const char *title)
{
    if (cr_model_has_values(model, column))
        return add_symbol(f, model, column, title);
    return add_real(f, model, column, histogram, at, bins, title);
}

/* --- all of them ------------------------------------------------------------------------------ */

typedef struct ranked {
    size_t column;
    double bits;
} ranked;

static int more_telling_first(const void *a, const void *b)
{
    const ranked *x = a, *y = b;

    if (x->bits != y->bits)
        return x->bits > y->bits ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

size_t *telling_features(const cr_model *model, size_t *count)
{
    const cr_schema *schema = cr_model_schema(model);
    const size_t columns = cr_schema_columns(schema);
    ranked *all = reserve(columns, sizeof *all);
    size_t *order = reserve(columns, sizeof *order);

    *count = 0;
    for (size_t i = 0; i < columns; i++)
        if (cr_schema_role(schema, i) == CR_ROLE_FEATURE &&
            (cr_schema_kind(schema, i) == CR_REAL || cr_schema_kind(schema, i) == CR_SYMBOL)) {
            const double bits =
                cr_model_classes(model) <= RANKABLE ? cr_model_information(model, i) : NAN;

            all[(*count)++] = (ranked){i, isnan(bits) ? -1 : bits};
        }
    qsort(all, *count, sizeof *all, more_telling_first);
    for (size_t i = 0; i < *count; i++)
        order[i] = all[i].column;
    free(all);
    return order;
}

static void json_feature(json *j, const cr_model *model, size_t column, const values *v, size_t at,
                         size_t bins)
{
    densities d = {0};
    const bool real =
        !cr_model_has_values(model, column) && densities_make(&d, model, column, v, at, bins);

    json_object(j, NULL, JSON_BLOCK);
    json_text(j, "name", cr_schema_name(cr_model_schema(model), column));
    if (real) {
        json_numbers(j, "x", d.x, POINTS);
        if (d.bins > 0)
            json_numbers(j, "edges", d.edge, d.bins + 1);
    }
    json_array(j, "classes", JSON_BLOCK);
    for (size_t c = 0; c < cr_model_classes(model); c++) {
        json_object(j, NULL, JSON_BLOCK);
        json_text(j, "name", cr_model_class(model, c));
        if (real)
            json_numbers(j, "density", d.y + c * POINTS, POINTS);
        if (real && d.bins > 0)
            json_numbers(j, "histogram", d.height + c * d.bins, d.bins);
        if (cr_model_has_values(model, column)) {
            json_object(j, "probability", JSON_BLOCK);
            for (size_t i = 0; i < cr_model_values(model, column); i++)
                json_number(j, cr_model_value(model, column, i),
                            cr_model_probability(model, column, i, c));
            json_end(j);
        }
        json_end(j);
    }
    json_end(j);
    json_end(j);
    densities_free(&d);
}

static int pick_features(const request *r, const cr_model *model, size_t *column, size_t *count)
{
    const char *only = option_text(r, "feature");
    const size_t most = option_count(r, "top", FEATURES_DRAWN);
    cr_nearest n = {.wanted = only};
    char hint[300];

    if (only == NULL) {
        *count = *count < most ? *count : most;
        return *count > 0 ? EXIT_DONE
                          : misuse("credence plot words draws the words of texts",
                                   "the model has no numbers or symbols to draw");
    }
    for (size_t i = 0; i < *count; i++) {
        const char *name = cr_schema_name(cr_model_schema(model), column[i]);

        cr_nearest_offer(&n, name);
        if (strcmp(name, only) == 0) {
            column[0] = column[i];
            *count = 1;
            return EXIT_DONE;
        }
    }
    snprintf(hint, sizeof hint, "did you mean '%s'?", n.best != NULL ? n.best : "");
    return misuse(n.best != NULL ? hint : NULL, "the model has no feature '%s' to draw", only);
}

int plot_densities(plot *p)
{
    const size_t bins = option_count(p->r, "bins", 0);
    size_t count, *column = NULL;
    cr_model *model = NULL;
    values v = {0};
    int code = open_model(&model, p->r, 1);

    if (code == EXIT_DONE && (code = check_classes(model)) != EXIT_DONE)
        cr_model_free(model);
    if (code != EXIT_DONE)
        return code;
    column = telling_features(model, &count);
    code = bins > MOST_BINS ? misuse(NULL, "--bins %zu; at most %d", bins, MOST_BINS)
                            : pick_features(p->r, model, column, &count);
    if (code == EXIT_DONE && p->r->operand_count > 2)
        code = values_read(&v, p->r, model, 2, column, count);
    for (size_t i = 0; code == EXIT_DONE && i < count; i++) {
        char *title = plot_title(p->r, "%s", cr_schema_name(cr_model_schema(model), column[i]));

        code = add_feature(p->figure, model, column[i], v.rows > 0 ? &v : NULL, i, bins, title);
        free(title);
    }
    if (code == EXIT_DONE && p->r->json) {
        json_array(&p->j, "features", JSON_BLOCK);
        for (size_t i = 0; i < count; i++)
            json_feature(&p->j, model, column[i], v.rows > 0 ? &v : NULL, i, bins);
        json_end(&p->j);
    }
    free(column);
    values_free(&v);
    cr_model_free(model);
    return code;
}
