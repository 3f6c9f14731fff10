/* train/calibration_fit.c - the calibration under which the classes of given rows are likeliest.
 *
 * Temperature: with b = 1 / T and l_c the log posteriors of a row of class t, the negative log
 * likelihood Σ w (log Σ_c exp(b l_c) - b l_t) is convex in b; its slope Σ w (E_b[l] - l_t) rises,
 * so Newton's steps are kept within a bracket.
 *
 * Confidence: the temperature at which the mean of the largest posterior is the share of rows it is
 * right about (L. Clarté et al., "Expectation consistency for calibration of neural networks",
 * 2023). A few rows on which the model is utterly wrong hardly move it, while they dominate the
 * likelihood. Σ w (1 / Σ_c exp(b (l_c - l_max)) - right) rises with b: the same steps find its
 * zero.
 *
 * Platt and beta: logistic regression on one or two features by Newton's steps with a little ridge;
 * targets are (N+ + 1) / (N+ + 2) and 1 / (N- + 2) as in Platt. Beta's a and b may not be negative:
 * a feature with a negative weight is left out (Kull, Silva Filho & Flach, 2017).
 *
 * Isotonic: pool adjacent violators (M. Ayer et al., 1955). A block of weight n with h of the class
 * has the value (h + s) / (n + 1), s the class's share in all rows: one row's worth of doubt, so
 * that no answer becomes impossible because of a handful of rows.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "train/calibration.h"

enum { NEWTON_STEPS = 100, FEATURES = 3 };

static double weight_of(const cr__answers_seen *s, size_t row)
{
    return s->weight == NULL ? 1 : s->weight[row];
}

/* --- temperature ------------------------------------------------------------------------------ */

/* The contribution of one row at b to the sum whose zero is sought, and to its slope. */
static void slope_of_row(cr__calibration_kind kind, const double *score, size_t classes,
                         int32_t truth, double b, double *slope, double *curvature)
{
    double most = -INFINITY, sum = 0, mean = 0, square = 0;

    for (size_t c = 0; c < classes; c++)
        most = fmax(most, score[c]);
    for (size_t c = 0; c < classes; c++) {
        const double l = score[c] - most, p = isfinite(l) ? exp(b * l) : 0;

        if (p > 0) {
            sum += p;
            mean += p * l;
            square += p * l * l;
        }
    }
    *slope = *curvature = 0;
    if (sum == 0) /* no class is possible */
        return;
    mean /= sum;
    if (kind == CR__CALIBRATION_TEMPERATURE) {
        *slope = mean - (score[truth] - most);
        *curvature = square / sum - mean * mean;
    } else {
        *slope = 1 / sum - (score[truth] == most);
        *curvature = -mean / sum;
    }
}

static void slope_at(cr__calibration_kind kind, const cr__answers_seen *s, double b, double *slope,
                     double *curvature)
{
    *slope = kind == CR__CALIBRATION_TEMPERATURE ? s->prior * (b - 1) : 0;
    *curvature = kind == CR__CALIBRATION_TEMPERATURE ? s->prior : 0;
    for (size_t i = 0; i < s->rows; i++) {
        const size_t r = s->row[i];
        const double *score = s->score + r * s->classes;
        double one, bend;

        if (s->truth[r] < 0 ||
            (kind == CR__CALIBRATION_TEMPERATURE && !isfinite(score[s->truth[r]])))
            continue; /* no temperature makes it possible */
        slope_of_row(kind, score, s->classes, s->truth[r], b, &one, &bend);
        *slope += weight_of(s, r) * one;
        *curvature += weight_of(s, r) * bend;
    }
}

static double fit_temperature(cr__calibration_kind kind, const cr__answers_seen *s)
{
    double low = 1e-6, high = 1e3, b = 1, slope, curvature;

    for (int i = 0; i < NEWTON_STEPS && high - low > 1e-12 * b; i++) {
        double next;

        slope_at(kind, s, b, &slope, &curvature);
        if (slope < 0)
            low = b;
        else
            high = b;
        next = curvature > 0 ? b - slope / curvature : 0;
        if (!(next > low && next < high))
            next = sqrt(low * high);
        if (fabs(next - b) <= 1e-13 * b)
            break;
        b = next;
    }
    return 1 / b;
}

/* --- logistic regression on a few features ------------------------------------------------------
 */

typedef struct sample {
    double x[FEATURES]; /* the last one is 1 */
    double target, weight;
} sample;

/* Solve the symmetric system by elimination; features that are not used have a unit row. */
static void solve(double a[FEATURES][FEATURES], double *b)
{
    for (size_t i = 0; i < FEATURES; i++)
        for (size_t k = i + 1; k < FEATURES; k++) {
            const double f = a[k][i] / a[i][i];

            for (size_t j = i; j < FEATURES; j++)
                a[k][j] -= f * a[i][j];
            b[k] -= f * b[i];
        }
    for (size_t i = FEATURES; i-- > 0;) {
        for (size_t j = i + 1; j < FEATURES; j++)
            b[i] -= a[i][j] * b[j];
        b[i] /= a[i][i];
    }
}

/* ln(1 + exp z) without overflow. */
static double softplus(double z)
{
    return z > 0 ? z + log1p(exp(-z)) : log1p(exp(z));
}

static double loss_of(const sample *list, size_t n, const double *w)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        double z = 0;

        for (size_t f = 0; f < FEATURES; f++)
            z += w[f] * list[i].x[f];
        sum += list[i].weight * (softplus(z) - list[i].target * z);
    }
    return sum;
}

static void newton_system(const sample *list, size_t n, const double *w, const int *used,
                          double a[FEATURES][FEATURES], double *g)
{
    memset(a, 0, FEATURES * sizeof *a);
    memset(g, 0, FEATURES * sizeof *g);
    for (size_t i = 0; i < n; i++) {
        double z = 0, p, v;

        for (size_t f = 0; f < FEATURES; f++)
            z += w[f] * list[i].x[f];
        p = z >= 0 ? 1 / (1 + exp(-z)) : exp(z) / (1 + exp(z));
        v = list[i].weight * p * (1 - p);
        for (size_t f = 0; f < FEATURES; f++) {
            g[f] += list[i].weight * (p - list[i].target) * list[i].x[f];
            for (size_t k = 0; k < FEATURES; k++)
                a[f][k] += v * list[i].x[f] * list[i].x[k];
        }
    }
    for (size_t f = 0; f < FEATURES; f++) {
        for (size_t k = 0; k < FEATURES; k++)
            if (!used[f] || !used[k])
                a[f][k] = 0;
        a[f][f] = used[f] ? a[f][f] * (1 + 1e-10) + 1e-12 : 1;
        g[f] = used[f] ? g[f] : 0;
    }
}

static void fit_logistic(const sample *list, size_t n, const int *used, double *w)
{
    double loss;

    for (size_t f = 0; f < FEATURES; f++)
        w[f] = 0;
    loss = loss_of(list, n, w);
    for (int i = 0; i < NEWTON_STEPS; i++) {
        double a[FEATURES][FEATURES], g[FEATURES], next[FEATURES], changed = 0, step = 1;

        newton_system(list, n, w, used, a, g);
        solve(a, g);
        for (int half = 0; half < 40; half++, step /= 2) {
            for (size_t f = 0; f < FEATURES; f++)
                next[f] = w[f] - step * g[f];
            if ((changed = loss_of(list, n, next)) <= loss)
                break;
        }
        if (!(changed <= loss))
            return;
        memcpy(w, next, sizeof next);
        if (loss - changed <= 1e-14 * fabs(loss))
            return;
        loss = changed;
    }
}

/* --- one class against the rest -----------------------------------------------------------------
 */

typedef cr__ranked ranked;

typedef cr__odds_total total;

cr__odds_total cr__odds_total_of(const double *score, size_t classes)
{
    total t = {-INFINITY, -INFINITY, 0};
    double rest = 0;

    for (size_t c = 1; c < classes; c++)
        t.best = score[c] > score[t.best] ? c : t.best;
    if (!isfinite(score[t.best]))
        return t;
    for (size_t c = 0; c < classes; c++)
        rest += c == t.best ? 0 : exp(score[c] - score[t.best]);
    t.all = score[t.best] + log1p(rest);
    t.rest = log(rest) + score[t.best] - t.all;
    return t;
}

static double within(double x)
{
    return x < -700 ? -700 : x > 0 ? 0 : x;
}

int cr__odds_parts(const total *t, const double *score, size_t c, double *log_p, double *log_rest)
{
    if (!isfinite(t->all) || !(score[c] > -INFINITY))
        return 0;
    *log_p = within(score[c] - t->all);
    *log_rest = within(c == t->best ? t->rest : log1p(-exp(*log_p)));
    return 1;
}

static size_t list_class(const cr__answers_seen *s, const total *totals, size_t class_index,
                         ranked *list)
{
    size_t n = 0;

    for (size_t i = 0; i < s->rows; i++) {
        const size_t r = s->row[i];
        ranked *one = &list[n];

        if (s->truth[r] < 0 || !(weight_of(s, r) > 0))
            continue;
        if (totals == NULL ? !cr__log_odds_parts(s->score + r * s->classes, s->classes, class_index,
                                                 &one->log_p, &one->log_rest)
                           : !cr__odds_parts(&totals[i], s->score + r * s->classes, class_index,
                                             &one->log_p, &one->log_rest))
            continue;
        one->weight = weight_of(s, r);
        one->hit = (size_t)s->truth[r] == class_index;
        n++;
    }
    return n;
}

/* The largest feature is scaled to 1, so that the steps are of one size. */
static cr_status fit_curve(cr__calibration_kind kind, const ranked *list, size_t n, double *v,
                           cr_error *err)
{
    const int beta = kind == CR__CALIBRATION_BETA;
    int used[FEATURES] = {1, beta, 1};
    double positive = 0, negative = 0, scale = 1e-300, w[FEATURES];
    sample *samples = cr__alloc(n + 1, sizeof *samples);

    if (samples == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        positive += list[i].hit ? list[i].weight : 0;
        negative += list[i].hit ? 0 : list[i].weight;
        scale = fmax(scale, fmax(-list[i].log_p, -list[i].log_rest));
    }
    for (size_t i = 0; i < n; i++) {
        const double p = list[i].log_p / scale, rest = list[i].log_rest / scale;

        samples[i] =
            (sample){.x = {beta ? p : p - rest, beta ? -rest : 0, 1},
                     .weight = list[i].weight,
                     .target = list[i].hit ? (positive + 1) / (positive + 2) : 1 / (negative + 2)};
    }
    fit_logistic(samples, n, used, w);
    for (int again = 0; again < 2 && (w[0] < 0 || w[1] < 0); again++) {
        used[w[0] <= w[1] ? 0 : 1] = 0;
        fit_logistic(samples, n, used, w);
    }
    cr__free(samples);
    v[0] = w[0] / scale;
    v[beta ? 1 : 0] = beta ? w[1] / scale : v[0];
    v[beta ? 2 : 1] = w[2];
    return CR_OK;
}

static int by_odds(const void *pa, const void *pb)
{
    const ranked *a = pa, *b = pb;
    const double x = a->log_p - a->log_rest, y = b->log_p - b->log_rest;

    return x < y ? -1 : x > y;
}

/* A block of the rising function. */
typedef struct block {
    double weight, hits, first, last; /* from which log-odds to which */
} block;

static size_t pool_blocks(const ranked *list, size_t n, block *blocks)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++) {
        const double z = list[i].log_p - list[i].log_rest;
        const double hits = list[i].hit ? list[i].weight : 0;

        if (count > 0 && blocks[count - 1].last == z) {
            blocks[count - 1].weight += list[i].weight;
            blocks[count - 1].hits += hits;
        } else {
            blocks[count++] = (block){list[i].weight, hits, z, z};
        }
        if (i + 1 < n && list[i + 1].log_p - list[i + 1].log_rest == z)
            continue; /* equal ones first */
        while (count > 1 && blocks[count - 2].hits * blocks[count - 1].weight >=
                                blocks[count - 1].hits * blocks[count - 2].weight) {
            blocks[count - 2].weight += blocks[count - 1].weight;
            blocks[count - 2].hits += blocks[count - 1].hits;
            blocks[count - 2].last = blocks[count - 1].last;
            count--;
        }
    }
    return count;
}

/* Both ends of every block are points. */
static size_t put_points(const block *blocks, size_t count, double share, double *x, double *y)
{
    double floor = 0;
    size_t n = 0;

    for (size_t b = 0; b < count; b++) {
        floor = fmax(floor, (blocks[b].hits + share) / (blocks[b].weight + 1));
        for (int end = 0; end < (blocks[b].first < blocks[b].last ? 2 : 1); end++) {
            x[n] = end == 0 ? blocks[b].first : blocks[b].last;
            y[n++] = fmin(1, floor);
        }
    }
    if (n == 0) {
        x[n] = 0;
        y[n++] = 0.5;
    }
    return n;
}

/* *points is [2 * *count], all x before all y; to be freed. */
static cr_status fit_isotonic(ranked *list, size_t n, double **points, size_t *count, cr_error *err)
{
    block *blocks = cr__alloc(n + 1, sizeof *blocks);
    double *x = cr__alloc(2 * n + 2, sizeof *x), *y = cr__alloc(2 * n + 2, sizeof *y);
    double hits = 0, weight = 0;

    *points = cr__alloc(4 * n + 4, sizeof **points);
    if (blocks != NULL && x != NULL && y != NULL && *points != NULL) {
        for (size_t i = 0; i < n; i++) {
            weight += list[i].weight;
            hits += list[i].hit ? list[i].weight : 0;
        }
        qsort(list, n, sizeof *list, by_odds);
        *count = put_points(blocks, pool_blocks(list, n, blocks), weight > 0 ? hits / weight : 0.5,
                            x, y);
        memcpy(*points, x, *count * sizeof *x);
        memcpy(*points + *count, y, *count * sizeof *y);
    } else {
        cr__free(*points);
        *points = NULL;
    }
    cr__free(blocks);
    cr__free(x);
    cr__free(y);
    return *points == NULL ? cr__fail_memory(err) : CR_OK;
}

/* --- all together -------------------------------------------------------------------------------
 */

cr_status cr__calibration_fit_list(cr__calibration_kind kind, cr__ranked *list, size_t n,
                                   double **numbers, size_t *count, cr_error *err)
{
    cr_status st;

    if (kind == CR__CALIBRATION_ISOTONIC) {
        st = fit_isotonic(list, n, numbers, count, err);
        *count *= 2;
        return st;
    }
    *count = kind == CR__CALIBRATION_PLATT ? 2 : 3;
    if ((*numbers = cr__alloc_zero(FEATURES, sizeof **numbers)) == NULL)
        return cr__fail_memory(err);
    return fit_curve(kind, list, n, *numbers, err);
}

static cr_status fit_function(cr__calibration_kind kind, const cr__answers_seen *seen,
                              const total *totals, size_t class_index, ranked *list,
                              double **numbers, size_t *count, cr_error *err)
{
    if (!cr__calibration_is_temperature(kind))
        return cr__calibration_fit_list(kind, list, list_class(seen, totals, class_index, list),
                                        numbers, count, err);
    *count = 1;
    if ((*numbers = cr__alloc_zero(1, sizeof **numbers)) == NULL)
        return cr__fail_memory(err);
    (*numbers)[0] = fit_temperature(kind, seen);
    return CR_OK;
}

/* The common part of the classes for each listed row; NULL in *out where one function is fitted. */
static cr_status find_totals(const cr__answers_seen *seen, size_t functions, total **out,
                             cr_error *err)
{
    *out = NULL;
    if (functions < 2)
        return CR_OK;
    if ((*out = cr__alloc(seen->rows + 1, sizeof **out)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < seen->rows; i++)
        (*out)[i] = cr__odds_total_of(seen->score + seen->row[i] * seen->classes, seen->classes);
    return CR_OK;
}

cr_status cr__calibration_fit(cr__calibration **out, cr__calibration_kind kind,
                              const cr__answers_seen *seen, cr_error *err)
{
    const size_t functions = cr__calibration_functions(kind, seen->classes);
    total *totals = NULL;
    ranked *list = cr__alloc(seen->rows + 1, sizeof *list);
    double **numbers = cr__alloc_zero(functions, sizeof *numbers);
    size_t *count = cr__alloc_zero(functions, sizeof *count);
    cr_status st = list == NULL || numbers == NULL || count == NULL ? cr__fail_memory(err) : CR_OK;

    *out = NULL;
    if (st == CR_OK)
        st = find_totals(seen, functions, &totals, err);
    for (size_t f = 0; st == CR_OK && f < functions; f++)
        st = fit_function(kind, seen, totals, functions == 1 ? 1 : f, list, &numbers[f], &count[f],
                          err);
    if (st == CR_OK && (*out = cr__calibration_new(kind, seen->classes, count)) == NULL)
        st = cr__fail_memory(err);
    for (size_t f = 0; numbers != NULL && f < functions; f++) {
        if (st == CR_OK)
            memcpy((*out)->number + (*out)->start[f], numbers[f], count[f] * sizeof **numbers);
        cr__free(numbers[f]);
    }
    cr__free(count);
    cr__free(numbers);
    cr__free(list);
    cr__free(totals);
    return st;
}

double cr__calibration_loss(const cr__calibration *calibration, const cr__answers_seen *seen,
                            double *scratch, double *weight)
{
    const size_t K = seen->classes;
    double loss = 0;

    for (size_t i = 0; i < seen->rows; i++) {
        const size_t r = seen->row[i];
        double p, rest;

        if (seen->truth[r] < 0)
            continue;
        memcpy(scratch, seen->score + r * K, K * sizeof *scratch);
        cr__calibrate(calibration, scratch);
        if (!cr__log_odds_parts(scratch, K, (size_t)seen->truth[r], &p, &rest))
            p = -INFINITY;
        loss -= weight_of(seen, r) * fmax(p, -52 * log(2));
        *weight += weight_of(seen, r);
    }
    return loss;
}
