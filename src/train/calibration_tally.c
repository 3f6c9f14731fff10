/* train/calibration_tally.c - calibrations whose answers are kept as integers that add up.
 *
 * Temperature: Σ w · loss at b = 1 / T for 64 values of b, evenly spaced in their logarithms from
 * 1/1000 to 30, in multiples of 2^-20; the least one is found by a parabola through the three
 * values around it. Others: for each function the weight of rows of the class and of the others by
 * bins of log-odds z, evenly spaced in asinh z by 1/16, in multiples of 2^-16.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "train/calibration.h"

#define LEAST_INVERSE 1e-3 /* of the temperatures */
#define MOST_INVERSE 30.0
#define LOSS_UNITS 1048576.0
#define WEIGHT_UNITS 65536.0
#define LOSS_MOST 1000.0 /* of one row, so that sums stay within 63 bits */
#define BINS_A_UNIT 16.0
#define PRIOR 1.0 /* precision of 1 / T around 1, in rows */

static double inverse_at(double place)
{
    return LEAST_INVERSE *
           pow(MOST_INVERSE / LEAST_INVERSE, place / (double)(CR__TEMPERATURES - 1));
}

/* log Σ exp(b (score - most)). */
static double log_sum_at(const double *score, size_t classes, double most, double b)
{
    double sum = 0;

    for (size_t c = 0; c < classes; c++)
        sum += score[c] > -INFINITY ? exp(b * (score[c] - most)) : 0;
    return log(sum);
}

static void count_losses(cr__calibration *c, const double *score, size_t truth, double weight,
                         int sign)
{
    double most = -INFINITY;

    for (size_t k = 0; k < c->classes; k++)
        most = fmax(most, score[k]);
    if (!isfinite(most) || !isfinite(score[truth]))
        return; /* no temperature makes it possible */
    for (size_t i = 0; i < CR__TEMPERATURES; i++) {
        const double b = inverse_at((double)i);
        const double loss = log_sum_at(score, c->classes, most, b) - b * (score[truth] - most);

        c->tally[i] += sign * llround(weight * fmin(loss, LOSS_MOST) * LOSS_UNITS);
    }
}

static void count_odds(cr__calibration *c, const double *score, size_t truth, double weight,
                       int sign)
{
    const int64_t units = sign * llround(weight * WEIGHT_UNITS);
    const cr__odds_total total = cr__odds_total_of(score, c->classes);

    for (size_t f = 0; f < c->functions; f++) {
        const size_t k = c->functions == 1 ? 1 : f;
        double log_p, log_rest;
        long bin;

        if (!cr__odds_parts(&total, score, k, &log_p, &log_rest))
            continue;
        bin = lround(asinh(log_p - log_rest) * BINS_A_UNIT);
        bin = bin < -CR__ODDS_HALF ? -CR__ODDS_HALF : bin > CR__ODDS_HALF ? CR__ODDS_HALF : bin;
        c->tally[(f * CR__ODDS_BINS + (size_t)(bin + CR__ODDS_HALF)) * 2 + (truth == k)] += units;
    }
}

void cr__calibration_count(cr__calibration *c, const double *score, size_t truth, double weight,
                           int sign)
{
    if (!(weight > 0))
        return;
    if (c->kind == CR__CALIBRATION_TEMPERATURE)
        count_losses(c, score, truth, weight, sign);
    else
        count_odds(c, score, truth, weight, sign);
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* ln(b T)² / (2 / 4) in the place of losses. */
void cr__calibration_expect(cr__calibration *c, double temperature)
{
    const double precision = 4;

    for (size_t i = 0; c->kind == CR__CALIBRATION_TEMPERATURE && i < CR__TEMPERATURES; i++) {
        const double far = log(inverse_at((double)i) * temperature);

        c->tally[i] += llround(precision / 2 * far * far * LOSS_UNITS);
    }
}

/* A sum of losses is not negative; it can seem so where rows were taken back that are answered
 * otherwise now than when they were learned, and then it counts as 0. */
static double loss_at(const cr__calibration *c, size_t i)
{
    const double far = inverse_at((double)i) - 1;

    return fmax((double)c->tally[i], 0) / LOSS_UNITS + PRIOR / 2 * far * far;
}

static double best_temperature(const cr__calibration *c)
{
    size_t best = 0;
    double place, low, middle, high, bend;

    for (size_t i = 1; i < CR__TEMPERATURES; i++)
        best = loss_at(c, i) < loss_at(c, best) ? i : best;
    place = (double)best;
    if (best > 0 && best + 1 < CR__TEMPERATURES) {
        low = loss_at(c, best - 1);
        middle = loss_at(c, best);
        high = loss_at(c, best + 1);
        bend = low - 2 * middle + high;
        place += bend > 0 ? (low - high) / (2 * bend) : 0;
    }
    return 1 / inverse_at(place);
}

/* The bins of a function that have rows; a count below 0 counts as 0. */
static size_t list_bins(const cr__calibration *c, size_t function, cr__ranked *list)
{
    size_t n = 0;

    for (size_t i = 0; i < 2 * CR__ODDS_BINS; i++) {
        const int64_t units = c->tally[function * CR__ODDS_BINS * 2 + i];
        const double z = sinh(((double)(i / 2) - CR__ODDS_HALF) / BINS_A_UNIT);

        if (units > 0)
            list[n++] =
                (cr__ranked){.log_p = fmax(-700, z < 0 ? z - log1p(exp(z)) : -log1p(exp(-z))),
                             .log_rest = fmax(-700, z > 0 ? -z - log1p(exp(-z)) : -log1p(exp(z))),
                             .weight = (double)units / WEIGHT_UNITS,
                             .hit = (int)(i % 2)};
    }
    return n;
}

/* Store the numbers of all functions, and free the lists. */
static cr_status put_numbers(cr__calibration *c, double **numbers, const size_t *count,
                             cr_error *err)
{
    cr__calibration *made = cr__calibration_new(c->kind, c->classes, count);

    if (made == NULL)
        return cr__fail_memory(err);
    for (size_t f = 0; f < c->functions; f++)
        memcpy(made->number + made->start[f], numbers[f], count[f] * sizeof **numbers);
    cr__free(c->start);
    cr__free(c->number);
    c->start = made->start;
    c->number = made->number;
    made->start = NULL;
    made->number = NULL;
    cr__calibration_free(made);
    return CR_OK;
}

cr_status cr__calibration_settle(cr__calibration *c, cr_error *err)
{
    cr__ranked *list = cr__alloc(2 * CR__ODDS_BINS, sizeof *list);
    double **numbers = cr__alloc_zero(c->functions, sizeof *numbers);
    size_t *count = cr__alloc_zero(c->functions, sizeof *count);
    cr_status st = list == NULL || numbers == NULL || count == NULL ? cr__fail_memory(err) : CR_OK;

    if (st == CR_OK && c->kind == CR__CALIBRATION_TEMPERATURE) {
        c->number[0] = best_temperature(c);
    } else if (st == CR_OK) {
        for (size_t f = 0; st == CR_OK && f < c->functions; f++)
            st = cr__calibration_fit_list(c->kind, list, list_bins(c, f, list), &numbers[f],
                                          &count[f], err);
        if (st == CR_OK)
            st = put_numbers(c, numbers, count, err);
    }
    for (size_t f = 0; numbers != NULL && f < c->functions; f++)
        cr__free(numbers[f]);
    cr__free(numbers);
    cr__free(count);
    cr__free(list);
    return st;
}

/* --- life ------------------------------------------------------------------------------------- */

cr_status cr__calibration_begin(cr__calibration **out, cr__calibration_kind kind, size_t classes,
                                const int64_t *tally, cr_error *err)
{
    const size_t functions = cr__calibration_functions(kind, classes);
    const size_t tallies = cr__calibration_tallies(kind, classes);
    size_t *count = cr__alloc(functions, sizeof *count);

    *out = NULL;
    for (size_t f = 0; count != NULL && f < functions; f++)
        count[f] = 1;
    if (count != NULL && (*out = cr__calibration_new(kind, classes, count)) != NULL &&
        ((*out)->tally = cr__alloc_zero(tallies, sizeof *tally)) == NULL) {
        cr__calibration_free(*out);
        *out = NULL;
    }
    cr__free(count);
    if (*out == NULL)
        return cr__fail_memory(err);
    (*out)->tallies = tallies;
    if (tally != NULL)
        memcpy((*out)->tally, tally, tallies * sizeof *tally);
    return CR_OK;
}

cr_status cr__calibration_keep(cr__calibration **out, cr__calibration_kind kind,
                               const cr__answers_seen *seen, cr_error *err)
{
    cr_status st;

    if (cr__calibration_tallies(kind, seen->classes) == 0)
        return cr__calibration_fit(out, kind, seen, err);
    st = cr__calibration_begin(out, kind, seen->classes, NULL, err);
    for (size_t i = 0; st == CR_OK && i < seen->rows; i++) {
        const size_t r = seen->row[i];

        if (seen->truth[r] >= 0)
            cr__calibration_count(*out, seen->score + r * seen->classes, (size_t)seen->truth[r],
                                  seen->weight == NULL ? 1 : seen->weight[r], 1);
    }
    if (st == CR_OK)
        st = cr__calibration_settle(*out, err);
    if (st != CR_OK) {
        cr__calibration_free(*out);
        *out = NULL;
    }
    return st;
}
