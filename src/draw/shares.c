/* draw/shares.c - the posterior of shares: beta and Dirichlet distributions. */
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/distribution.h"
#include "draw/draw.h"

enum { POINTS = 301 };

#define LEVEL 0.95
#define EDGE 1e-4 /* densities may be infinite at 0 and 1 */

typedef struct known {
    char name[300];
    cr_distribution d;
    double x[POINTS], y[POINTS], low[POINTS], high[POINTS];
} known;

/* The density, shaded below it within the central interval. */
static void trace(known *k, const cr_beta_curve *share)
{
    const cr_distribution d = cr_beta(share->a, share->b);
    const cr_interval i = cr_distribution_central(&d, LEVEL);
    const char *name = share->name != NULL ? share->name : "";
    char one[CR_SHOW_SIZE], other[CR_SHOW_SIZE];

    snprintf(k->name, sizeof k->name, "%.180s%sBeta(%s, %s)", name, *name != '\0' ? ": " : "",
             cr_show_number(one, CR_SHOW_PLAIN, share->a),
             cr_show_number(other, CR_SHOW_PLAIN, share->b));
    k->d = d;
    for (size_t p = 0; p < POINTS; p++) {
        k->x[p] = EDGE + (1 - 2 * EDGE) * (double)p / (POINTS - 1);
        k->y[p] = exp(cr_distribution_log_density(&d, k->x[p]));
        k->low[p] = k->x[p] >= i.low && k->x[p] <= i.high ? 0 : NAN;
        k->high[p] = k->y[p];
    }
}

static void shares_json(cr_json *j, const known *k, size_t count)
{
    cr_json_number(j, "level", LEVEL);
    cr_json_array(j, "densities", CR_JSON_BLOCK);
    for (size_t i = 0; i < count; i++) {
        const cr_interval interval = cr_distribution_central(&k[i].d, LEVEL);

        cr_json_object(j, NULL, CR_JSON_BLOCK);
        cr_json_text(j, "name", k[i].name);
        cr_json_number(j, "a", k[i].d.a);
        cr_json_number(j, "b", k[i].d.b);
        cr_json_number(j, "mean", cr_distribution_mean(&k[i].d));
        cr_json_numbers(j, "interval", (double[]){interval.low, interval.high}, 2);
        cr_json_numbers(j, "x", k[i].x, POINTS);
        cr_json_numbers(j, "density", k[i].y, POINTS);
        cr_json_end(j);
    }
    cr_json_end(j);
}

static cr_status check(const cr_beta_curve *share, size_t count, cr_error *err)
{
    if (count == 0 || count > CR_BETAS_DRAWN)
        return cr__fail(err, CR_EARG, "%zu shares; 1 to %d can be drawn", count, CR_BETAS_DRAWN);
    for (size_t i = 0; i < count; i++)
        if (!(share[i].a > 0 && share[i].b > 0 && isfinite(share[i].a + share[i].b)))
            return cr__fail(err, CR_EARG,
                            "Beta(%g, %g) is no distribution: both parameters are above 0",
                            share[i].a, share[i].b);
    return CR_OK;
}

cr_status cr_draw_betas(cr_figure *figure, const char *title, const cr_beta_curve *share,
                        size_t count, cr_json *numbers, cr_error *err)
{
    const cr_axes axes = {title != NULL ? title : "What is known of a share",
                          {.label = "share", .high = 1},
                          {.label = "density"}};
    cr_series series[CR_BETAS_DRAWN] = {0};
    cr_status st = check(share, count, err);
    known *k;

    if (st != CR_OK)
        return st;
    if ((k = cr__alloc(count, sizeof *k)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        trace(&k[i], &share[i]);
        series[i] = (cr_series){.name = k[i].name,
                                .x = k[i].x,
                                .y = k[i].y,
                                .low = k[i].low,
                                .high = k[i].high,
                                .count = POINTS};
    }
    st = cr_figure_add_lines(figure, &axes, series, count, err);
    if (st == CR_OK && numbers != NULL)
        shares_json(numbers, k, count);
    cr__free(k);
    return st;
}

/* Three outcomes in their triangle. */
static cr_status draw_triangle(cr_figure *figure, const char *title, const char *const *name,
                               const double *parameter, cr_error *err)
{
    char one[CR_SHOW_SIZE], two[CR_SHOW_SIZE], three[CR_SHOW_SIZE], usual[200];

    snprintf(usual, sizeof usual, "Dirichlet(%s, %s, %s)",
             cr_show_number(one, CR_SHOW_PLAIN, parameter[0]),
             cr_show_number(two, CR_SHOW_PLAIN, parameter[1]),
             cr_show_number(three, CR_SHOW_PLAIN, parameter[2]));
    return cr_figure_add_dirichlet(figure, title != NULL ? title : usual, name, parameter, err);
}

/* A share of a Dirichlet distribution by itself is Beta(a_i, sum of the others). */
cr_status cr_draw_dirichlet(cr_figure *figure, const char *title, const char *const *name,
                            const double *parameter, size_t count, cr_json *numbers, cr_error *err)
{
    cr_beta_curve share[CR_BETAS_DRAWN];
    double sum = 0;
    cr_status st;

    if (count < 2 || count > CR_BETAS_DRAWN)
        return cr__fail(err, CR_EARG, "%zu outcomes; 2 to %d can be drawn", count, CR_BETAS_DRAWN);
    for (size_t i = 0; i < count; i++) {
        if (!(parameter[i] > 0 && isfinite(parameter[i])))
            return cr__fail(err, CR_EARG, "'%s' has the parameter %g; it must be above 0", name[i],
                            parameter[i]);
        sum += parameter[i];
    }
    for (size_t i = 0; i < count; i++)
        share[i] = (cr_beta_curve){name[i], parameter[i], sum - parameter[i]};
    st = count == 3 ? draw_triangle(figure, title, name, parameter, err) : CR_OK;
    if (st == CR_OK && numbers != NULL)
        cr_json_numbers(numbers, "parameters", parameter, count);
    return st == CR_OK ? cr_draw_betas(figure, title != NULL ? title : "Each share by itself",
                                       share, count, numbers, err)
                       : st;
}
