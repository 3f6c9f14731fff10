/* learners/logistic/solve_memory.c - limited-memory BFGS (Nocedal 1980), its vectors cut for
 * threads.
 *
 * The curvature of the likelihood differs greatly between the weights of rare and of common
 * features. The search runs over φ = θ √h, where h is the curvature along each weight at the start:
 * then all are similar, and it takes fewer steps. A step must gain in proportion to its length and
 * must end at a flatter slope (Wolfe's conditions: Nocedal & Wright 2006, 3.1). */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/logistic/history.h"
#include "learners/logistic/solve.h"

#define GAIN 1e-4   /* share of the predicted gain that a step must achieve */
#define FLATTER 0.9 /* share of the slope that may remain */
#define NOISE 1e-14 /* differences of the objective that are rounding errors */

enum { TRIALS = 40 }; /* step lengths to try */

typedef struct climb {
    cr__lr_search *search;
    size_t all;
    double *scale;            /* [P] 1/√h */
    double *theta, *gradient; /* [P] where the search is */
    double *trial, *ahead;    /* [P] where the step leads */
    cr__lr_history history;
} climb;

static int begin(climb *c, cr_error *err)
{
    cr__lr_search *s = c->search;

    c->scale = cr__alloc(c->all, sizeof *c->scale);
    c->theta = cr__alloc(c->all, sizeof *c->theta);
    c->gradient = cr__alloc(c->all, sizeof *c->gradient);
    c->trial = cr__alloc(c->all, sizeof *c->trial);
    c->ahead = cr__alloc(c->all, sizeof *c->ahead);
    if (c->scale == NULL || c->theta == NULL || c->gradient == NULL || c->trial == NULL ||
        c->ahead == NULL) {
        cr__fail_memory(err);
        return 0;
    }
    cr__lr_curvature(s->objective, s->theta, c->scale);
    for (size_t p = 0; p < c->all; p++)
        c->scale[p] = c->scale[p] > 0 ? 1 / sqrt(c->scale[p]) : 1;
    memcpy(c->theta, s->theta, c->all * sizeof *c->theta);
    return cr__lr_history_open(&c->history, c->all, c->scale, s->objective->pool, err) == CR_OK;
}

static void end(climb *c)
{
    cr__lr_history_close(&c->history);
    cr__free(c->scale);
    cr__free(c->theta);
    cr__free(c->gradient);
    cr__free(c->trial);
    cr__free(c->ahead);
}

static void swap(double **a, double **b)
{
    double *const kept = *a;

    *a = *b;
    *b = kept;
}

/* The minimum of the parabola through two values and the slope at the first, within bounds.
 */
static double shorter(double length, double value, double slope, double reached)
{
    const double least = -slope * length * length / (2 * (reached - value - slope * length));

    return !(least > 0.1 * length) ? 0.1 * length : fmin(least, 0.5 * length);
}

/* A step of about that length along the direction, along which the slope is given. Steps that are
 * too long are shortened, too short ones doubled, within the bracket found so far. 0: no step
 * gains, and the search does not move. */
static int take_step(climb *c, double slope, double length)
{
    cr__lr_search *s = c->search;
    double low = 0, high = INFINITY;

    for (int i = 0; i < TRIALS; i++) {
        double value;

        cr__lr_history_move(&c->history, c->theta, length, c->trial);
        value = cr__lr_evaluate(s->objective, c->trial, c->ahead);
        if (!(value <= s->value + GAIN * length * slope + NOISE * fabs(s->value))) {
            high = length;
            length = low > 0 ? (low + high) / 2 : shorter(length, s->value, slope, value);
        } else if (cr__lr_history_note(&c->history, length, c->gradient, c->ahead) <
                   FLATTER * slope) {
            low = length;
            length = isfinite(high) ? (low + high) / 2 : 2 * length;
        } else {
            s->value = value;
            swap(&c->theta, &c->trial);
            swap(&c->gradient, &c->ahead);
            return cr__lr_history_keep(&c->history);
        }
    }
    return 0;
}

/* The first direction is the gradient, whose length is meaningless: about one unit of φ per row is
 * tried. When no step gains, the curvature history is dropped, once. */
static cr_status run(climb *c, int *stuck, cr_error *err)
{
    cr__lr_search *s = c->search;
    cr__lr_history *h = &c->history;
    cr_status st = CR_OK;

    cr__lr_begin(s, cr__lr_evaluate(s->objective, c->theta, c->gradient));
    s->gradient = cr__lr_steepest(s, c->theta, c->gradient);
    s->converged = s->gradient == 0;
    cr__lr_history_note(h, 0, c->gradient, c->gradient);
    while (!s->converged && s->iterations < s->most) {
        const double slope = cr__lr_history_direct(h, c->gradient);
        const double length = h->known > 0 ? 1 : sqrt(s->objective->total / h->gg);

        if (!take_step(c, slope, length)) {
            *stuck = h->known == 0;
            if (*stuck)
                break;
            h->known = h->next = 0;
            cr__lr_history_note(h, 0, c->gradient, c->gradient);
            continue;
        }
        s->iterations++;
        s->gradient = cr__lr_steepest(s, c->theta, c->gradient);
        if ((st = cr__lr_step(s, err)) != CR_OK)
            return st;
        s->converged = cr__lr_is_there(s);
    }
    return st;
}

cr_status cr__lr_solve_memory(cr__lr_search *s, cr_error *err)
{
    climb c = {.search = s, .all = cr__lr_parameters(s->objective->design->shape)};
    int stuck = 0;
    cr_status st = begin(&c, err) ? run(&c, &stuck, err) : CR_ENOMEM;

    if (st == CR_OK)
        memcpy(s->theta, c.theta, c.all * sizeof *c.theta);
    end(&c);
    return st == CR_OK && stuck ? cr__lr_settle(s, err) : st;
}
