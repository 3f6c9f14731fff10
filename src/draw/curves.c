/* draw/curves.c - learning curves of several learners, measure by measure. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "draw/draw.h"

/* A measure: where it is in a point, and how far an interval goes. */
typedef struct measure {
    const char *label;
    size_t at;
    double least, most;
} measure;

static const measure of_classes[] = {
    {"accuracy", offsetof(cr_learning_point, accuracy), 0, 1},
    {"log loss", offsetof(cr_learning_point, log_loss), 0, INFINITY},
};
static const measure of_numbers[] = {
    {"RMSE", offsetof(cr_learning_point, rmse), 0, INFINITY},
    {"log density", offsetof(cr_learning_point, log_density), -INFINITY, INFINITY},
};

/* The sizes, means and intervals of one learner's curve, [4 * points] at n. One repeat has no
 * interval: it is infinite. */
static cr_series series_of(const cr_learning_curve *c, const char *name, const measure *m,
                           double *n)
{
    for (size_t k = 0; k < c->points; k++) {
        cr_spread s;

        memcpy(&s, (const char *)&c->point[k] + m->at, sizeof s);
        n[k] = (double)c->point[k].size;
        n[c->points + k] = s.mean;
        n[2 * c->points + k] = isfinite(s.low) ? fmax(s.low, m->least) : NAN;
        n[3 * c->points + k] = isfinite(s.high) ? fmin(s.high, m->most) : NAN;
    }
    return (cr_series){.name = name,
                       .x = n,
                       .y = n + c->points,
                       .low = n + 2 * c->points,
                       .high = n + 3 * c->points,
                       .count = c->points,
                       .marks = 1};
}

static cr_status draw_measure(cr_figure *figure, const char *data,
                              const cr_learning_curve *const *curve, const char *const *name,
                              size_t count, const measure *m, cr_error *err)
{
    size_t room = 1;
    double *numbers;
    cr_series *series = cr__alloc(count + 1, sizeof *series);
    char title[300];
    cr_status st;

    for (size_t i = 0; i < count; i++)
        room += 4 * curve[i]->points;
    numbers = cr__alloc(room, sizeof *numbers);
    if (series == NULL || numbers == NULL) {
        cr__free(series);
        cr__free(numbers);
        return cr__fail_memory(err);
    }
    room = 0;
    for (size_t i = 0; i < count; i++) {
        series[i] = series_of(curve[i], name[i], m, numbers + room);
        room += 4 * curve[i]->points;
    }
    snprintf(title, sizeof title, "Learning %.250s: %s", cr__short_name(data, "the data"),
             m->label);
    st = cr_figure_add_learning(figure, title, m->label, series, count, err);
    cr__free(numbers);
    cr__free(series);
    return st;
}

cr_status cr_draw_curves(cr_figure *figure, const char *data, const cr_learning_curve *const *curve,
                         const char *const *name, size_t count, cr_error *err)
{
    const measure *m = count > 0 && curve[0]->numbers ? of_numbers : of_classes;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < 2; i++)
        st = draw_measure(figure, data, curve, name, count, &m[i], err);
    return st;
}
