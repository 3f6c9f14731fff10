/* draw/mistake.c - the joint densities of one number, the regions of decisions, and the mistakes.
 *
 * In the region of decision d the area under p(x, Ct), t other than d, is a mistake and shaded.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "draw/draw.h"

enum { POINTS = 241 };

#define REACH 3.5 /* scales around each centre */

typedef struct curves {
    size_t points;
    double *x, *y;    /* [points], [classes * points] */
    double *low, *up; /* [points] zeros; [classes * points] y where it is a mistake, else NaN */
} curves;

static void curves_free(curves *c)
{
    cr__free(c->x);
    cr__free(c->y);
    cr__free(c->low);
    cr__free(c->up);
}

static void find_range(const cr_mistake *m, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t c = 0; c < m->classes; c++)
        if (m->prior[c] > 0) {
            *low = fmin(*low, m->centre[c] - REACH * m->scale[c]);
            *high = fmax(*high, m->centre[c] + REACH * m->scale[c]);
        }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* An even grid, and each boundary twice: as the end of one region and the beginning of the next. */
static void fill_x(curves *v, const cr_mistake *m)
{
    double low, high;

    find_range(m, &low, &high);
    for (size_t i = 0; i < POINTS; i++)
        v->x[v->points++] = low + (high - low) * (double)i / (POINTS - 1);
    for (size_t i = 1; i < m->regions; i++)
        if (m->region[i].low > low && m->region[i].low < high)
            for (int twice = 0; twice < 2; twice++)
                v->x[v->points++] = m->region[i].low;
    qsort(v->x, v->points, sizeof *v->x, ascending);
}

/* The region of point i: a boundary ends the one before when it stands there first. */
static size_t next_region(const curves *v, const cr_mistake *m, size_t i, size_t region)
{
    while (region + 1 < m->regions &&
           (v->x[i] > m->region[region].high ||
            (v->x[i] == m->region[region].high && i > 0 && v->x[i - 1] == v->x[i])))
        region++;
    return region;
}

static cr_status curves_make(curves *v, const cr_mistake *m, cr_error *err)
{
    const size_t room = POINTS + 2 * m->regions;
    size_t region = 0;

    *v = (curves){.x = cr__alloc(room, sizeof *v->x),
                  .y = cr__alloc(room * m->classes, sizeof *v->y),
                  .low = cr__alloc_zero(room, sizeof *v->low),
                  .up = cr__alloc(room * m->classes, sizeof *v->up)};
    if (v->x == NULL || v->y == NULL || v->low == NULL || v->up == NULL)
        return cr__fail_memory(err);
    fill_x(v, m);
    for (size_t i = 0; i < v->points; i++) {
        region = next_region(v, m, i, region);
        for (size_t c = 0; c < m->classes; c++) {
            const double y = cr_mistake_density(m, c, v->x[i]);
            const int32_t d = m->region[region].decision;

            v->y[c * v->points + i] = y;
            v->up[c * v->points + i] = d >= 0 && (size_t)d != c ? y : NAN;
        }
    }
    return CR_OK;
}

static void make_title(char *title, size_t size, const cr_mistake *m)
{
    const int n = snprintf(title, size, "p(mistake) = %.4g %%", 100 * m->mistake);

    if (m->rejected > 0)
        snprintf(title + n, size - (size_t)n, ", undecided %.4g %%", 100 * m->rejected);
}

cr_status cr_draw_mistake(cr_figure *f, const char *title, const cr_model *model,
                          const cr_mistake *m, cr_error *err)
{
    const size_t drawn = m->classes < CR__CURVES ? m->classes : CR__CURVES;
    char own[120], name[CR__CURVES][120];
    const cr_axes axes = {title != NULL ? title : own,
                          {.label = cr_schema_name(cr_model_schema(model), m->column)},
                          {.label = "p(x, class)"}};
    cr_strip *strip = cr__alloc_zero(m->regions, sizeof *strip);
    cr_series series[CR__CURVES] = {0};
    curves v = {0};
    cr_status st = strip == NULL ? cr__fail_memory(err) : curves_make(&v, m, err);

    make_title(own, sizeof own, m);
    for (size_t c = 0; st == CR_OK && c < drawn; c++) {
        snprintf(name[c], sizeof name[c], "p(x, %s)", cr_model_class(model, c));
        series[c] = (cr_series){.name = name[c],
                                .x = v.x,
                                .y = v.y + c * v.points,
                                .low = v.low,
                                .high = v.up + c * v.points,
                                .count = v.points};
    }
    for (size_t i = 0; st == CR_OK && i < m->regions; i++) {
        const int32_t d = m->region[i].decision;

        strip[i] = (cr_strip){m->region[i].low, m->region[i].high,
                              d < 0 ? "?" : cr_model_class(model, (size_t)d),
                              d < 0 ? SIZE_MAX : (size_t)d};
    }
    if (st == CR_OK)
        st = cr_figure_add_strips(f, &axes, series, drawn, strip, m->regions, err);
    cr__free(strip);
    curves_free(&v);
    return st;
}

cr_status cr__mistake_numbers(cr_json *j, const cr_model *model, const cr_mistake *m, cr_error *err)
{
    curves v;
    cr_status st = curves_make(&v, m, err);

    if (st == CR_OK) {
        cr_json_text(j, "feature", cr_schema_name(cr_model_schema(model), m->column));
        cr_mistake_json(j, m, model);
        cr_json_numbers(j, "x", v.x, v.points);
        cr_json_object(j, "joint_density", CR_JSON_BLOCK);
        for (size_t c = 0; c < m->classes; c++)
            cr_json_numbers(j, cr_model_class(model, c), v.y + c * v.points, v.points);
        cr_json_end(j);
    }
    curves_free(&v);
    return st;
}
