/* draw/numbers.c - regressions against the truth: predictions, residuals, intervals. */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/distribution.h"
#include "draw/draw.h"

#define LEVEL 0.95  /* of intervals */
#define MARGIN 0.03 /* beside the dots, as a share of their range */
enum { DOTS = 2000, CURVE_ROWS = 500, POINTS = 201, PLACES = 20, FEW_PLACES = 10 };

static double left_over(const cr_regression *f)
{
    return f->truth - f->mean;
}

double cr_regression_distance(const cr_regression *f)
{
    return f->truth == f->mean ? 0 : fabs(left_over(f)) / f->scale;
}

double cr_regression_place(const cr_regression *f)
{
    const cr_distribution t = cr_student(f->freedom, f->mean, f->scale);

    if (f->scale > 0)
        return cr_distribution_lower(&t, f->truth);
    return f->truth < f->mean ? 0 : f->truth > f->mean ? 1 : 0.5;
}

/* --- dots ------------------------------------------------------------------------------------- */

/* Dots over a line from one end of x to the other, which is y = slope x. Large numbers of dots are
 * sampled evenly. */
static cr_status add_dots(cr_figure *f, const cr_axes *axes, const double *x, const double *y,
                          size_t count, double slope, cr_error *err)
{
    const size_t every = count / DOTS + 1;
    double *some = cr__alloc(2 * (count / every + 1), sizeof *some);
    double *other = some + count / every + 1;
    double ends[2] = {INFINITY, -INFINITY}, heights[2], margin;
    cr_axes limited = *axes;
    size_t dots = 0;
    cr_status st;

    if (some == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        ends[0] = fmin(ends[0], x[i]);
        ends[1] = fmax(ends[1], x[i]);
        if (i % every == 0) {
            some[dots] = x[i];
            other[dots++] = y[i];
        }
    }
    if (!(ends[0] <= ends[1])) /* all are missing */
        ends[0] = ends[1] = 0;
    margin = ends[1] > ends[0] ? MARGIN * (ends[1] - ends[0]) : 1;
    limited.x.low = ends[0] -= margin;
    limited.x.high = ends[1] += margin;
    heights[0] = slope * ends[0];
    heights[1] = slope * ends[1];
    st =
        cr_figure_add_lines(f, &limited,
                            (const cr_series[]){{.x = ends, .y = heights, .count = 2, .dim = 1},
                                                {.x = some, .y = other, .count = dots, .loose = 1}},
                            2, err);
    cr__free(some);
    return st;
}

/* Both numbers of each answer, [2 * rows]: the prediction, and the truth or the residual. */
static double *pairs(const cr_scored *a, int rest)
{
    double *n = cr__alloc(2 * a->rows + 1, sizeof *n);

    for (size_t i = 0; n != NULL && i < a->rows; i++) {
        n[i] = a->answer[i].mean;
        n[a->rows + i] = rest ? left_over(&a->answer[i]) : a->answer[i].truth;
    }
    return n;
}

cr_status cr_draw_predicted(cr_figure *f, const char *title, const cr_scored *a, cr_error *err)
{
    double *n = pairs(a, 0);
    const cr_status st =
        n == NULL ? cr__fail_memory(err)
                  : add_dots(f, &(cr_axes){title, {.label = "predicted"}, {.label = "truth"}}, n,
                             n + a->rows, a->rows, 1, err);

    cr__free(n);
    return st;
}

cr_status cr_draw_residuals_along(cr_figure *f, const char *title, const cr_scored *a,
                                  const double *x, const char *name, cr_error *err)
{
    double *n = pairs(a, 1);
    const cr_status st =
        n == NULL
            ? cr__fail_memory(err)
            : add_dots(f, &(cr_axes){title, {.label = name}, {.label = "truth less predicted"}},
                       x != NULL ? x : n, n + a->rows, a->rows, 0, err);

    cr__free(n);
    return st;
}

cr_status cr_draw_residuals(cr_figure *f, const char *title, const cr_scored *a, cr_error *err)
{
    return cr_draw_residuals_along(f, title, a, NULL, "predicted", err);
}

/* --- histograms ------------------------------------------------------------------------------- */

/* Bars of the area 1 over x, and a curve. */
static cr_status add_histogram(cr_figure *f, const cr_axes *axes, const cr_scored *a,
                               const double *x, double low, double high, size_t bins,
                               const cr_series *line, cr_error *err)
{
    const double width = (high - low) / (double)bins;
    double *edge = cr__alloc_zero(2 * bins + 1, sizeof *edge), *height = edge + bins + 1, total = 0;
    cr_status st;

    if (edge == NULL)
        return cr__fail_memory(err);
    for (size_t b = 0; b <= bins; b++)
        edge[b] = low + width * (double)b;
    for (size_t i = 0; i < a->rows; i++) {
        height[(size_t)fmin(fmax((x[i] - low) / width, 0), (double)(bins - 1))] += a->weight[i];
        total += a->weight[i];
    }
    for (size_t b = 0; b < bins; b++)
        height[b] /= total * width;
    st = cr_figure_add_densities(f, axes,
                                 &(cr_density){.edge = edge,
                                               .height = height,
                                               .bins = bins,
                                               .x = line->x,
                                               .y = line->y,
                                               .count = line->count},
                                 1, err);
    cr__free(edge);
    return st;
}

/* The errors that the predictions expect: the mean of their densities, each around 0. */
static double expected_density(const cr_scored *a, double x)
{
    const size_t every = a->rows / CURVE_ROWS + 1;
    double sum = 0, total = 0;

    for (size_t i = 0; i < a->rows; i += every) {
        const cr_regression *f = &a->answer[i];

        if (f->scale > 0)
            sum += a->weight[i] * exp(cr_regression_log_density(f, f->mean + x));
        total += a->weight[i];
    }
    return total > 0 ? sum / total : 0;
}

cr_status cr_draw_errors(cr_figure *f, const char *title, const cr_scored *a, cr_error *err)
{
    double *rest = cr__alloc(2 * a->rows + 1, sizeof *rest), *copy = rest + a->rows;
    double x[POINTS], y[POINTS], low = INFINITY, high = -INFINITY, width, reach = 0;
    cr_status st;

    if (rest == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < a->rows; i++) {
        rest[i] = copy[i] = left_over(&a->answer[i]);
        low = fmin(low, rest[i]);
        high = fmax(high, rest[i]);
        reach = fmax(reach, a->answer[i].scale);
    }
    low = fmin(low, -3 * reach);
    high = fmax(high, 3 * reach);
    if (!(high > low))
        high = low + 1;
    width = cr__bin_width(copy, a->rows);
    for (size_t i = 0; i < POINTS; i++) {
        x[i] = low + (high - low) * (double)i / (POINTS - 1);
        y[i] = expected_density(a, x[i]);
    }
    st =
        add_histogram(f, &(cr_axes){title, {.label = "truth less predicted"}, {.label = "density"}},
                      a, rest, low, high, cr__bins_between(low, high, width),
                      &(cr_series){.x = x, .y = y, .count = POINTS}, err);
    cr__free(rest);
    return st;
}

/* --- intervals -------------------------------------------------------------------------------- */

enum { COVERAGE_LEVELS = 20 };

/* The share of truths that lie in intervals of the levels 0, 0.05 … 1, with Wilson's 95 %. */
typedef struct coverage {
    double level[COVERAGE_LEVELS + 1], share[COVERAGE_LEVELS + 1];
    double low[COVERAGE_LEVELS + 1], high[COVERAGE_LEVELS + 1];
} coverage;

/* An interval of level c around the middle holds the truth when |2 u - 1| <= c, where u is
 * P(target <= truth). */
static void cover(const cr_scored *a, coverage *out)
{
    double inside[COVERAGE_LEVELS + 1] = {0}, total = 0, sum = 0;

    for (size_t i = 0; i < a->rows; i++) {
        const double reach = fabs(2 * cr_regression_place(&a->answer[i]) - 1);

        inside[(size_t)fmin(ceil(reach * COVERAGE_LEVELS), COVERAGE_LEVELS)] += a->weight[i];
        total += a->weight[i];
    }
    for (size_t k = 0; k <= COVERAGE_LEVELS; k++) {
        sum += inside[k];
        out->level[k] = (double)k / COVERAGE_LEVELS;
        out->share[k] = k == COVERAGE_LEVELS ? 1 : sum / total;
        cr_wilson_interval(out->share[k], total, &out->low[k], &out->high[k]);
    }
    out->low[COVERAGE_LEVELS] = 1; /* of all numbers no truth is outside */
}

cr_status cr_draw_coverage(cr_figure *f, const char *title, const cr_scored *a, cr_error *err)
{
    static const double diagonal[] = {0, 1};
    const cr_axes axes = {title,
                          {.label = "level of the interval", .high = 1},
                          {.label = "share of truths inside", .high = 1}};
    coverage c;
    const cr_series series[] = {
        {.name = "as it should be", .x = diagonal, .y = diagonal, .count = 2, .dim = 1},
        {.name = "truths inside",
         .x = c.level,
         .y = c.share,
         .low = c.low,
         .high = c.high,
         .count = COVERAGE_LEVELS + 1,
         .marks = 1}};

    cover(a, &c);
    return cr_figure_add_lines(f, &axes, series, 2, err);
}

/* (A. P. Dawid, "The prequential approach", 1984) */
cr_status cr_draw_places(cr_figure *f, const char *title, const cr_scored *a, cr_error *err)
{
    const double ends[] = {0, 1}, flat[] = {1, 1};
    double *place = cr__alloc(a->rows + 1, sizeof *place);
    cr_status st;

    if (place == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < a->rows; i++)
        place[i] = cr_regression_place(&a->answer[i]);
    st = add_histogram(
        f, &(cr_axes){title, {.label = "P(target ≤ truth)", .high = 1}, {.label = "density"}}, a,
        place, 0, 1, a->rows < 200 ? FEW_PLACES : PLACES,
        &(cr_series){.x = ends, .y = flat, .count = 2}, err);
    cr__free(place);
    return st;
}

/* --- for programs ----------------------------------------------------------------------------- */

/* The prediction and the truth of each row: all pictures show these. */
void cr__scored_json(cr_json *j, const cr_scored *s)
{
    cr_regression_metrics m;

    if (cr_regression_measure(s->answer, s->weight, s->rows, LEVEL, &m, NULL) == CR_OK)
        cr_regression_members(j, &m);
    cr_json_array(j, "answers", CR_JSON_BLOCK);
    for (size_t i = 0; i < s->rows; i++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_number(j, "line", (double)s->line[i]);
        cr_json_number(j, "truth", s->answer[i].truth);
        cr_json_number(j, "prediction", s->answer[i].mean);
        cr_json_number(j, "scale", s->answer[i].scale);
        cr_json_number(j, "place", cr_regression_place(&s->answer[i]));
        cr_json_end(j);
    }
    cr_json_end(j);
}

void cr__coverage_json(cr_json *j, const cr_scored *s)
{
    coverage c;

    cover(s, &c);
    cr_json_array(j, "levels", CR_JSON_BLOCK);
    for (size_t k = 0; k <= COVERAGE_LEVELS; k++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_number(j, "level", c.level[k]);
        cr_json_number(j, "share", c.share[k]);
        cr_json_number(j, "low", c.low[k]);
        cr_json_number(j, "high", c.high[k]);
        cr_json_end(j);
    }
    cr_json_end(j);
}
