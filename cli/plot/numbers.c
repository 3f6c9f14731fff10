/* cli/plot/numbers.c - numbers next to the truth: what was predicted, what is left, how sure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"
#include "plot/plot.h"
#include "session/reserve.h"

#define MARGIN 0.03 /* beside the dots, as a share of their range */
enum { DOTS = 2000, CURVE_ROWS = 500, POINTS = 201, PLACES = 20, FEW_PLACES = 10 };

/* --- reading ---------------------------------------------------------------------------------- */

void answers_add(answers *a, const cr_regression *answer, double weight, size_t line)
{
    if (a->rows == a->room) {
        a->room = a->room != 0 ? 2 * a->room : 1024;
        a->answer = reserve_more(a->answer, a->room, sizeof *a->answer);
        a->weight = reserve_more(a->weight, a->room, sizeof *a->weight);
        a->place = reserve_more(a->place, a->room, sizeof *a->place);
        a->line = reserve_more(a->line, a->room, sizeof *a->line);
    }
    a->answer[a->rows] = *answer;
    a->weight[a->rows] = weight;
    a->place[a->rows] = a->seen++;
    a->line[a->rows++] = line;
}

static cr_status keep(void *context, const cr_predictions *p)
{
    answers *a = context;

    for (size_t i = 0; i < p->rows; i++)
        if (isnan(p->regression[i].truth)) {
            a->unlabelled++;
            a->seen++;
        } else {
            answers_add(a, &p->regression[i], p->weight != NULL ? p->weight[i] : 1, p->line[i]);
        }
    return CR_OK;
}

int answers_read(answers *a, request *r, const cr_model *model, size_t first, double *seconds)
{
    const cr_sink sink = {.visit = keep, .context = a};
    cr_error err = {0};
    double total = 0;
    int code;

    *a = (answers){0};
    if ((code = predict_all(r, model, first, &sink, seconds)) != EXIT_DONE)
        return code;
    for (size_t i = 0; i < a->rows; i++)
        total += a->weight[i];
    if (!(total > 0)) {
        snprintf(err.message, sizeof err.message, "no row has a number to test against");
        return complain(CR_EFORMAT, &err);
    }
    return EXIT_DONE;
}

void answers_free(answers *a)
{
    free(a->answer);
    free(a->weight);
    free(a->place);
    free(a->line);
    *a = (answers){0};
}

static double left_over(const cr_regression *f)
{
    return f->truth - f->mean;
}

double answer_distance(const cr_regression *f)
{
    return f->truth == f->mean ? 0 : fabs(left_over(f)) / f->scale;
}

double answer_place(const cr_regression *f)
{
    const cr_distribution t = cr_student(f->freedom, f->mean, f->scale);

    if (f->scale > 0)
        return cr_distribution_lower(&t, f->truth);
    return f->truth < f->mean ? 0 : f->truth > f->mean ? 1 : 0.5;
}

/* --- dots ------------------------------------------------------------------------------------- */

/* Dots over a line from one end of x to the other, which is y = slope x. Of many some are left out,
 * each as often as any other. */
static int add_dots(cr_figure *f, const cr_axes *axes, const double *x, const double *y,
                    size_t count, double slope)
{
    const size_t every = count / DOTS + 1;
    double *some = reserve(2 * (count / every + 1), sizeof *some);
    double *other = some + count / every + 1;
    double ends[2] = {INFINITY, -INFINITY}, heights[2], margin;
    cr_axes limited = *axes;
    cr_error err = {0};
    size_t dots = 0;
    int code;

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
    code = panel_added(
        cr_figure_add_lines(f, &limited,
                            (const cr_series[]){{.x = ends, .y = heights, .count = 2, .dim = 1},
                                                {.x = some, .y = other, .count = dots, .loose = 1}},
                            2, &err),
        &err);
    free(some);
    return code;
}

/* Both numbers of each answer, [2 * rows]: what was predicted, and the truth or what is left. */
static double *pairs(const answers *a, bool rest)
{
    double *n = reserve(2 * a->rows + 1, sizeof *n);

    for (size_t i = 0; i < a->rows; i++) {
        n[i] = a->answer[i].mean;
        n[a->rows + i] = rest ? left_over(&a->answer[i]) : a->answer[i].truth;
    }
    return n;
}

int add_predicted(cr_figure *f, const answers *a, const char *title)
{
    double *n = pairs(a, false);
    const int code = add_dots(f, &(cr_axes){title, {.label = "predicted"}, {.label = "truth"}}, n,
                              n + a->rows, a->rows, 1);

    free(n);
    return code;
}

int add_residuals_along(cr_figure *f, const answers *a, const double *x, const char *name,
                        const char *title)
{
    double *n = pairs(a, true);
    const int code =
        add_dots(f, &(cr_axes){title, {.label = name}, {.label = "truth less predicted"}},
                 x != NULL ? x : n, n + a->rows, a->rows, 0);

    free(n);
    return code;
}

int add_residuals(cr_figure *f, const answers *a, const char *title)
{
    return add_residuals_along(f, a, NULL, "predicted", title);
}

/* --- histograms ------------------------------------------------------------------------------- */

/* Bars of the area 1 over x, and a curve. */
static int add_histogram(cr_figure *f, const cr_axes *axes, const answers *a, const double *x,
                         double low, double high, size_t bins, const cr_series *line)
{
    const double width = (high - low) / (double)bins;
    double *edge = reserve(bins + 1, sizeof *edge), *height = reserve(bins, sizeof *height),
           total = 0;
    cr_error err = {0};
    int code;

    for (size_t b = 0; b <= bins; b++)
        edge[b] = low + width * (double)b;
    for (size_t i = 0; i < a->rows; i++) {
        height[(size_t)fmin(fmax((x[i] - low) / width, 0), (double)(bins - 1))] += a->weight[i];
        total += a->weight[i];
    }
    for (size_t b = 0; b < bins; b++)
        height[b] /= total * width;
    code = panel_added(cr_figure_add_densities(f, axes,
                                               &(cr_density){.edge = edge,
                                                             .height = height,
                                                             .bins = bins,
                                                             .x = line->x,
                                                             .y = line->y,
                                                             .count = line->count},
                                               1, &err),
                       &err);
    free(edge);
    free(height);
    return code;
}

/* What the predictions say of their own errors: the mean of their densities, each around 0. */
static double expected_density(const answers *a, double x)
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

int add_errors(cr_figure *f, const answers *a, const char *title)
{
    double *rest = reserve(a->rows, sizeof *rest), *copy = reserve(a->rows, sizeof *copy);
    double x[POINTS], y[POINTS], low = INFINITY, high = -INFINITY, width, reach = 0;
    int code;

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
    width = bin_width(copy, a->rows);
    for (size_t i = 0; i < POINTS; i++) {
        x[i] = low + (high - low) * (double)i / (POINTS - 1);
        y[i] = expected_density(a, x[i]);
    }
    code = add_histogram(
        f, &(cr_axes){title, {.label = "truth less predicted"}, {.label = "density"}}, a, rest, low,
        high, bins_between(low, high, width), &(cr_series){.x = x, .y = y, .count = POINTS});
    free(rest);
    free(copy);
    return code;
}

/* --- how sure --------------------------------------------------------------------------------- */

/* An interval of level c around the middle holds the truth when |2 u - 1| <= c, where u is
 * P(target <= truth). */
void answers_coverage(const answers *a, coverage *out)
{
    double inside[COVERAGE_LEVELS + 1] = {0}, total = 0, sum = 0;

    for (size_t i = 0; i < a->rows; i++) {
        const double reach = fabs(2 * answer_place(&a->answer[i]) - 1);

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

int add_coverage(cr_figure *f, const answers *a, const char *title)
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
    cr_error err = {0};

    answers_coverage(a, &c);
    return panel_added(cr_figure_add_lines(f, &axes, series, 2, &err), &err);
}

/* (A. P. Dawid, "The prequential approach", 1984) */
int add_places(cr_figure *f, const answers *a, const char *title)
{
    const double ends[] = {0, 1}, flat[] = {1, 1};
    double *place = reserve(a->rows, sizeof *place);
    int code;

    for (size_t i = 0; i < a->rows; i++)
        place[i] = answer_place(&a->answer[i]);
    code = add_histogram(
        f, &(cr_axes){title, {.label = "P(target ≤ truth)", .high = 1}, {.label = "density"}}, a,
        place, 0, 1, a->rows < 200 ? FEW_PLACES : PLACES,
        &(cr_series){.x = ends, .y = flat, .count = 2});
    free(place);
    return code;
}
