/* model/calibration_apply.c - convert scores so that their posterior is the calibrated one. */
#include "model/calibration.h"

#include <math.h>

#define FARTHEST 700.0 /* bound on logs of probabilities: exp(-745) is 0 */

static double clamp(double x)
{
    return x < -FARTHEST ? -FARTHEST : x > FARTHEST ? FARTHEST : x;
}

/* log Σ exp over the classes except one (SIZE_MAX: over all). */
static double log_sum_but(const double *score, size_t classes, size_t but)
{
    double most = -INFINITY, sum = 0;

    for (size_t c = 0; c < classes; c++)
        if (c != but && score[c] > most)
            most = score[c];
    if (!isfinite(most))
        return most;
    for (size_t c = 0; c < classes; c++)
        sum += c == but ? 0 : exp(score[c] - most);
    return most + log(sum);
}

int cr__log_odds_parts(const double *score, size_t classes, size_t class_index, double *log_p,
                       double *log_rest)
{
    const double all = log_sum_but(score, classes, SIZE_MAX);

    if (!isfinite(all) || !(score[class_index] > -INFINITY))
        return 0;
    *log_p = clamp(fmin(0, score[class_index] - all));
    *log_rest = clamp(fmin(0, log_sum_but(score, classes, class_index) - all));
    return 1;
}

static double sigmoid(double z)
{
    return z >= 0 ? 1 / (1 + exp(-z)) : exp(z) / (1 + exp(z));
}

/* The two points around a place; the same one twice outside the range. */
static void find_points(const double *x, size_t n, double at, size_t *left, size_t *right)
{
    size_t low = 0, high = n - 1;

    if (at <= x[0] || at >= x[high]) {
        *left = *right = at <= x[0] ? 0 : high;
        return;
    }
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (x[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    *left = x[high] > x[low] ? low : high;
    *right = high;
}

/* Straight lines between the points, level outside. */
static double interpolate(const double *x, const double *y, size_t n, double at)
{
    size_t low, high;

    find_points(x, n, at, &low, &high);
    if (low == high)
        return y[high];
    return y[low] + (y[high] - y[low]) * (at - x[low]) / (x[high] - x[low]);
}

/* The calibrated probability of a class against the rest. */
static double apply(const cr__calibration *c, size_t function, double log_p, double log_rest)
{
    const double *v = c->number + c->start[function];
    const size_t n = (size_t)(c->start[function + 1] - c->start[function]) / 2;

    switch (c->kind) {
    case CR__CALIBRATION_PLATT: return sigmoid(v[0] * (log_p - log_rest) + v[1]);
    case CR__CALIBRATION_BETA: return sigmoid(v[0] * log_p - v[1] * log_rest + v[2]);
    default: return interpolate(v, v + n, n, log_p - log_rest);
    }
}

static void cool(const cr__calibration *c, double *score, double all)
{
    double sum;

    for (size_t k = 0; k < c->classes; k++)
        score[k] = (score[k] - all) / c->number[0];
    sum = log_sum_but(score, c->classes, SIZE_MAX);
    for (size_t k = 0; k < c->classes; k++)
        score[k] += all - sum;
}

/* Two classes: one function, of the second. */
static void calibrate_pair(const cr__calibration *c, double *score, double all)
{
    double log_p, log_rest, q;

    if (!cr__log_odds_parts(score, 2, 1, &log_p, &log_rest) || !(score[0] > -INFINITY))
        return; /* one of them is impossible */
    q = apply(c, 0, log_p, log_rest);
    score[0] = all + log1p(-q);
    score[1] = all + log(q);
}

/* Several classes: each against the rest, then normalised. 1 - p of the likeliest class is summed
 * up from the others; for any other class, 1 - exp is accurate. */
static void calibrate_each(const cr__calibration *c, double *score, double all)
{
    double sum = 0, rest_of_best;
    size_t best = 0;

    for (size_t k = 0; k < c->classes; k++)
        best = score[k] > score[best] ? k : best;
    rest_of_best = log_sum_but(score, c->classes, best) - all;
    if (!isfinite(rest_of_best))
        return; /* no other is possible */
    for (size_t k = 0; k < c->classes; k++) {
        const double log_p = fmin(0, score[k] - all);
        double q;

        if (!(score[k] > -INFINITY))
            continue;
        q = apply(c, k, clamp(log_p),
                  clamp(fmin(0, k == best ? rest_of_best : log1p(-exp(log_p)))));
        sum += q;
        score[k] = log(q);
    }
    for (size_t k = 0; k < c->classes; k++)
        score[k] += all - log(sum);
}

void cr__calibrate(const cr__calibration *c, double *score)
{
    double all;

    if (c == NULL || !isfinite(all = log_sum_but(score, c->classes, SIZE_MAX)))
        return;
    if (cr__calibration_is_temperature(c->kind))
        cool(c, score, all);
    else if (c->classes == 2)
        calibrate_pair(c, score, all);
    else
        calibrate_each(c, score, all);
}

/* --- for explanations ----------------------------------------------------------------------- */

/* The numbers of the current function: for an isotonic one the points around the place. */
static void copy_numbers(const cr__calibration *c, size_t function, cr_calibration_share *out)
{
    const double *v = c->number + c->start[function];
    const size_t n = (size_t)(c->start[function + 1] - c->start[function]);
    size_t low, high;

    if (c->kind == CR__CALIBRATION_ISOTONIC) {
        find_points(v, n / 2, out->log_before - out->log_rest, &low, &high);
        out->numbers = 4;
        out->number[0] = v[low];
        out->number[1] = v[n / 2 + low];
        out->number[2] = v[high];
        out->number[3] = v[n / 2 + high];
        return;
    }
    out->numbers = n;
    for (size_t i = 0; i < n && i < sizeof out->number / sizeof *out->number; i++)
        out->number[i] = v[i];
}

int cr__calibrate_shares(const cr__calibration *c, const double *score, cr_calibration_share *out)
{
    const int cools = cr__calibration_is_temperature(c->kind);
    size_t possible = 0;

    for (size_t k = 0; k < c->classes; k++) {
        const size_t function = c->functions == 1 ? 0 : k;

        out[k] = (cr_calibration_share){.log_before = -INFINITY};
        if (!cr__log_odds_parts(score, c->classes, k, &out[k].log_before, &out[k].log_rest))
            continue;
        possible++;
        out[k].before = exp(out[k].log_before);
        copy_numbers(c, function, &out[k]);
        out[k].after = cools ? exp(out[k].log_before / c->number[0])
                             : apply(c, function, out[k].log_before, out[k].log_rest);
    }
    if (!cools && c->classes == 2)
        out[0].after = 1 - out[1].after;
    return possible > 1;
}
