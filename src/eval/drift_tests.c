/* eval/drift_tests.c - how large a change is, and whether it could be chance.
 *
 * The size is the population stability index, Σ (q - p) ln (q / p): the symmetric divergence of
 * H. Jeffreys (1946) between the shares before and after. Below 0.1 it is commonly called small
 * and from 0.25 on large.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/special.h"
#include "eval/drift.h"
#include "model/model.h"

#define LEAST_EXPECTED 5 /* smaller counts make G² unreliable: such values are pooled */
#define NEW_SHARE 0.01   /* of rows with new values: worth a look */
#define MISSING_CHANGE 0.05

enum { TENTHS = 10, EM_STEPS = 2000, FEW_ROWS = 20 };

/* --- pieces ----------------------------------------------------------------------------------- */

/* One term of the index, with half a row added on both sides against zeros. */
static double index_term(double before, double before_total, double after, double after_total)
{
    const double p = (before + 0.5) / (before_total + 1), q = (after + 0.5) / (after_total + 1);

    return (q - p) * log(q / p);
}

static double entropy_term(double observed, double expected)
{
    return observed > 0 ? observed * log(observed / expected) : 0;
}

/* 2 Σ O ln (O / E) of one column of the table with two rows, before and after. */
static double g_term(double before, double before_total, double after, double after_total)
{
    const double whole = before + after, all = before_total + after_total;

    return 2 * (entropy_term(before, whole * before_total / all) +
                entropy_term(after, whole * after_total / all));
}

/* p of "as many here as there", of shares a of n and b of m. */
static double share_p(double a, double n, double b, double m)
{
    if (!(n > 0) || !(m > 0))
        return NAN;
    return cr__chi_square_upper(1, fmax(g_term(a, n, b, m) + g_term(n - a, n, m - b, m), 0));
}

/* Keep the changes that contribute most. */
static void offer(cr__drift_column *c, double *size, cr_drift_change change, double adds)
{
    size_t at = c->changes < CR__CHANGES ? c->changes++ : CR__CHANGES;

    for (; at > 0 && size[at - 1] < adds; at--)
        if (at < CR__CHANGES) {
            size[at] = size[at - 1];
            c->change[at] = c->change[at - 1];
        }
    if (at < CR__CHANGES) {
        size[at] = adds;
        c->change[at] = change;
    }
}

/* --- symbols ---------------------------------------------------------------------------------- */

static void offer_values(const cr_drift *d, cr__drift_column *c)
{
    const double n = c->before_total, m = c->found.after;
    double size[CR__CHANGES];

    for (size_t v = 0; v < c->values; v++)
        offer(c, size,
              (cr_drift_change){cr_model_value(d->model, c->found.column, v), c->before[v] / n,
                                c->after[v] / m, 0},
              index_term(c->before[v], n, c->after[v], m));
    for (uint32_t v = 0; v < c->fresh->words; v++)
        offer(c, size,
              (cr_drift_change){cr__dict_word(c->fresh, v + 1, NULL), 0, c->fresh_count[v] / m, 1},
              index_term(0, n, c->fresh_count[v], m));
}

/* Likelihood ratio of one distribution for both against one for each (S. Wilks, 1938). */
static void judge_symbol(cr_drift *d, cr__drift_column *c)
{
    cr_drift_feature *f = &c->found;
    const double n = c->before_total, m = f->after;
    double g = 0, rare_before = 0, rare_after = c->unseen, cells = 0;

    f->new_values = c->fresh->words;
    f->new_share = m > 0 ? c->unseen / m : 0;
    if (!(n > 0) || !(m > 0))
        return;
    f->index = index_term(0, n, c->unseen, m);
    for (size_t v = 0; v < c->values; v++) {
        const double smaller = fmin(n, m) / (n + m) * (c->before[v] + c->after[v]);

        f->index += index_term(c->before[v], n, c->after[v], m);
        if (smaller < LEAST_EXPECTED) {
            rare_before += c->before[v];
            rare_after += c->after[v];
        } else {
            g += g_term(c->before[v], n, c->after[v], m);
            cells++;
        }
    }
    if (rare_before + rare_after > 0) {
        g += g_term(rare_before, n, rare_after, m);
        cells++;
    }
    f->test = "G2";
    f->statistic = fmax(g, 0);
    f->freedom = cells - 1;
    f->p = cells > 1 ? cr__chi_square_upper(f->freedom, f->statistic) : 1;
    offer_values(d, c);
}

/* --- texts ------------------------------------------------------------------------------------ */

static char *copy_word(cr_drift *d, const cr__drift_column *c, size_t word)
{
    cr_word w;

    if (cr_model_word(d->model, c->found.column, word, 0, &w) != CR_OK)
        return NULL;
    return cr__arena_copy(&d->texts, w.bytes, w.length);
}

/* Each word by the texts that have it, which are independent of each other, unlike its occurrences;
 * the smallest of their p-values times their number (C. Bonferroni, 1936). The index is the mean
 * over words, weighted by how many texts have them. */
static cr_status judge_words(cr_drift *d, cr__drift_column *c)
{
    cr_drift_feature *f = &c->found;
    const double n = c->before_total, m = f->after;
    double size[CR__CHANGES], weight = 0, index = 0, most = 0, tested = 0;

    f->new_share = m > 0 ? c->unseen / m : 0;
    if (!(n > 0) || !(m > 0) || c->values == 0)
        return CR_OK;
    for (size_t w = 0; w < c->values; w++) {
        const double a = c->before[w], b = c->after[w];
        const double here = (a + b) / (n + m);

        if (a + b < LEAST_EXPECTED)
            continue;
        tested++;
        const double g = fmax(g_term(a, n, b, m) + g_term(n - a, n, m - b, m), 0);
        const double term = index_term(a, n, b, m) + index_term(n - a, n, m - b, m);

        most = fmax(most, g);
        index += here * term;
        weight += here;
        offer(c, size, (cr_drift_change){.before = a / n, .after = b / m, .is_new = (int)w}, term);
    }
    for (size_t i = 0; i < c->changes; i++) {
        c->change[i].name = copy_word(d, c, (size_t)c->change[i].is_new);
        c->change[i].is_new = 0;
        if (c->change[i].name == NULL)
            return CR_ENOMEM;
    }
    f->test = "words";
    f->index = weight > 0 ? index / weight : 0;
    f->statistic = most;
    f->freedom = 1;
    f->p = tested > 0 ? fmin(cr__chi_square_upper(1, most) * tested, 1) : NAN;
    return CR_OK;
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* Jeffreys' divergence of two Gaussians with means a, b and variances v, w. */
static double gaussian_index(double a, double v, double b, double w)
{
    const double step = a - b;

    if (!(v > 0) || !(w > 0))
        return v == w && step == 0 ? 0 : INFINITY;
    return (v / w + w / v - 2) / 2 + step * step * (1 / v + 1 / w) / 2;
}

/* B. Welch's test of two means (1947), with his degrees of freedom. v and w are variances over n
 * and m rows, divided by n and m. */
static double welch_p(double shift, double v, double n, double w, double m, double *t, double *df)
{
    const double a = n > 1 ? v / (n - 1) : 0, b = m > 1 ? w / (m - 1) : 0;

    *df = a + b > 0
              ? (a + b) * (a + b) / ((n > 1 ? a * a / (n - 1) : 0) + (m > 1 ? b * b / (m - 1) : 0))
              : 1;
    *t = a + b > 0 ? fabs(shift) / sqrt(a + b) : shift == 0 ? 0 : INFINITY;
    return isinf(*t) ? (n > 1 && m > 1 ? 0 : 1) : 2 * cr__student_lower(*df, -*t);
}

/* The logarithm of a variance has about the variance (kurtosis - 1) / n (M. Layard, "Robust
 * large-sample tests for homogeneity of variances", 1973). The kurtosis is that of the recent rows,
 * but at least a Gaussian's; few rows are uninformative. */
static double spread_p(double v, double n, double w, double m, double kurtosis)
{
    const double error = sqrt((fmax(kurtosis, 3) - 1) * (1 / n + 1 / m));

    if (n < FEW_ROWS || m < FEW_ROWS)
        return 1;
    if (!(v > 0) || !(w > 0))
        return v == w ? 1 : 0;
    return 2 * cr__normal_lower(-fabs(log(w / v)) / error);
}

/* The smaller p of both tests, corrected for two tests. */
static void judge_moments(cr__drift_column *c)
{
    cr_drift_feature *f = &c->found;
    const double n = c->before_total, m = f->after;
    const double shift = c->sum[0] / m, v = c->variance_before;
    const double w = fmax(c->sum[1] / m - shift * shift, 0);
    const double fourth = c->sum[3] / m - 4 * shift * c->sum[2] / m +
                          6 * shift * shift * c->sum[1] / m - 3 * pow(shift, 4);
    double p = welch_p(shift, v, n, w, m, &f->statistic, &f->freedom);

    p = fmin(p, spread_p(v, n, w, m, w > 0 ? fourth / (w * w) : 1));
    f->mean_after = c->centre + shift;
    f->sd_after = m > 1 ? sqrt(w * m / (m - 1)) : NAN;
    f->test = "moments";
    f->p = p < 1e-8 ? 2 * p : 1 - (1 - p) * (1 - p);
    f->index = gaussian_index(f->mean_before, v, f->mean_after, w);
}

/* P(K > x) of A. Kolmogorov's limit distribution: 2 Σ (-1)^(k-1) exp(-2 k² x²). */
static double kolmogorov_upper(double x)
{
    double sum = 0;

    if (x < 0.2)
        return 1;
    for (int k = 1; k <= 100; k++) {
        const double term = exp(-2.0 * k * k * x * x);

        sum += k % 2 == 1 ? term : -term;
        if (term < 1e-17)
            break;
    }
    return fmin(fmax(2 * sum, 0), 1);
}

typedef struct walk { /* through numbers in order, all classes together */
    const cr__values *values;
    size_t at;
} walk;

/* The next number and its weight; infinite at the end. */
static double next(walk *w, double *weight)
{
    const cr__values *v = w->values;
    const size_t i = w->at;

    *weight = 0;
    if (i >= v->count)
        return INFINITY;
    for (; w->at < v->count && v->key[2 * w->at] == v->key[2 * i]; w->at++)
        *weight += cr__count_value(cr__values_at(v, w->at));
    return cr__values_number(v->key[2 * i], v->shift);
}

/* The largest distance of two distribution functions (N. Smirnov, 1948), and the index over tenths
 * of the training numbers. */
static cr_status judge_kept(cr__drift_column *c)
{
    static const uint32_t only[] = {0, 0};
    cr_drift_feature *f = &c->found;
    const double n = c->before_total, m = f->after;
    cr__values recent = {0};
    walk a = {c->kept, 0}, b = {&recent, 0};
    double u, x, v, y, before = 0, after = 0, last_before = 0, last_after = 0, farthest = 0;
    cr_status st = cr__value_table_finish(&c->table, only, &recent);

    if (st != CR_OK)
        return st;
    f->index = 0;
    x = next(&a, &u);
    y = next(&b, &v);
    while (isfinite(x) || isfinite(y)) {
        const double low = fmin(x, y);

        if (x == low) {
            before += u;
            x = next(&a, &u);
        }
        if (y == low) {
            after += v;
            y = next(&b, &v);
        }
        farthest = fmax(farthest, fabs(before / n - after / m));
        if (before - last_before >= n / TENTHS || (isinf(x) && isinf(y))) {
            f->index += index_term(before - last_before, n, after - last_after, m);
            last_before = before;
            last_after = after;
        }
    }
    cr__values_free(&recent);
    f->test = "KS";
    f->statistic = farthest;
    f->freedom = 0;
    f->p = kolmogorov_upper(farthest * sqrt(n * m / (n + m)));
    return CR_OK;
}

cr_status cr__drift_judge(cr_drift *d, cr__drift_column *c)
{
    cr_drift_feature *f = &c->found;
    cr_model_facts facts;
    cr_status st = CR_OK;

    cr_model_get_facts(d->model, &facts);
    f->missing_before = facts.weight > 0 ? fmax(1 - f->before / facts.weight, 0) : NAN;
    f->missing_after = fmax(1 - f->after / d->summary.rows, 0);
    f->missing_p = share_p(fmax(facts.weight - f->before, 0), facts.weight,
                           d->summary.rows - f->after, d->summary.rows);
    if (f->kind == CR_SYMBOL || c->cut)
        judge_symbol(d, c);
    else if (f->kind == CR_BAG)
        st = judge_words(d, c);
    else if (c->before_total > 0 && f->after > 0)
        judge_moments(c);
    if (st == CR_OK && f->kind == CR_REAL && c->kept != NULL && c->kept->count > 0 && f->after > 0)
        st = judge_kept(c);
    return st;
}

/* --- classes ---------------------------------------------------------------------------------- */

/* M. Saerens, P. Latinne, C. Decaestecker, "Adjusting the outputs of a classifier to new a priori
 * probabilities" (2002): each row's posterior is adjusted to the current priors, and the priors
 * become the mean of these posteriors, until nothing moves. Returns the log-likelihood ratio
 * against the priors of the model. */
static double em_step(const cr_drift *d, const double *prior, double *next_prior)
{
    double gained = 0, rows = 0;

    for (size_t c = 0; c < d->classes; c++)
        next_prior[c] = 0;
    for (size_t r = 0; r < d->rows; r++) {
        const double *p = d->posterior + r * d->classes;
        double sum = 0;

        for (size_t c = 0; c < d->classes; c++)
            sum += d->class_shift[c].before > 0 ? p[c] * prior[c] / d->class_shift[c].before : 0;
        if (!(sum > 0))
            continue;
        rows += d->weight[r];
        gained += d->weight[r] * log(sum);
        for (size_t c = 0; c < d->classes; c++)
            if (d->class_shift[c].before > 0)
                next_prior[c] += d->weight[r] * p[c] * prior[c] / d->class_shift[c].before / sum;
    }
    for (size_t c = 0; c < d->classes; c++)
        next_prior[c] = rows > 0 ? next_prior[c] / rows : prior[c];
    return gained;
}

static cr_drift_verdict verdict_of(double corrected, double level, double index)
{
    if (isnan(corrected))
        return CR_DRIFT_UNKNOWN;
    if (!(corrected < level))
        return CR_DRIFT_NONE;
    return index < 0.1 ? CR_DRIFT_SLIGHT : index < 0.25 ? CR_DRIFT_MODERATE : CR_DRIFT_STRONG;
}

cr_status cr__drift_priors(cr_drift *d, double level)
{
    double *prior = cr__alloc(2 * d->classes, sizeof *prior), *other = prior + d->classes;
    double gained = 0, moved = 1;

    if (prior == NULL)
        return CR_ENOMEM;
    if (d->classes == 0) {
        d->summary.prior_index = d->summary.prior_statistic = d->summary.prior_p = NAN;
        d->summary.prior_verdict = CR_DRIFT_UNKNOWN;
        cr__free(prior);
        return CR_OK;
    }
    for (size_t c = 0; c < d->classes; c++)
        prior[c] = d->class_shift[c].before = cr_model_prior(d->model, c);
    for (int step = 0; step < EM_STEPS && moved > 1e-9; step++) {
        gained = em_step(d, prior, other);
        moved = 0;
        for (size_t c = 0; c < d->classes; c++) {
            moved = fmax(moved, fabs(other[c] - prior[c]));
            prior[c] = other[c];
        }
    }
    for (size_t c = 0; c < d->classes; c++) {
        cr_drift_class *s = &d->class_shift[c];

        s->name = cr_model_class(d->model, c);
        s->estimated = prior[c];
        s->decided = d->decided[c] / d->summary.rows;
        s->labelled = d->summary.labelled > 0 ? d->labels[c] / d->summary.labelled : NAN;
        d->summary.prior_index += index_term(s->before * d->summary.rows, d->summary.rows,
                                             s->estimated * d->summary.rows, d->summary.rows);
    }
    d->summary.prior_statistic = fmax(2 * gained, 0);
    d->summary.prior_p =
        d->classes > 1 ? cr__chi_square_upper((double)d->classes - 1, d->summary.prior_statistic)
                       : 1;
    d->summary.prior_verdict = verdict_of(d->summary.prior_p, level, d->summary.prior_index);
    cr__free(prior);
    return CR_OK;
}

/* --- many tests ------------------------------------------------------------------------------- */

static int by_p(const void *a, const void *b)
{
    const double x = **(double *const *)a, y = **(double *const *)b;

    return x < y ? -1 : x > y;
}

/* Holm: the k-th smallest of t times t - k + 1, never less than the one before; Benjamini and
 * Hochberg: times t / k, never more than the one after. */
static void correct(double **p, size_t tests, cr_correction how)
{
    double bound = how == CR_CORRECT_HOLM ? 0 : 1;

    qsort(p, tests, sizeof *p, by_p);
    for (size_t i = 0; how == CR_CORRECT_HOLM && i < tests; i++)
        *p[i] = bound = fmin(1, fmax(bound, *p[i] * (double)(tests - i)));
    for (size_t i = tests; how == CR_CORRECT_BH && i-- > 0;)
        *p[i] = bound = fmin(bound, *p[i] * (double)tests / (double)(i + 1));
}

cr_status cr__drift_correct(cr_drift *d, const cr_drift_options *options)
{
    const double level = options->level > 0 ? options->level : 0.05;
    double **p = cr__alloc(2 * d->columns + 1, sizeof *p);
    size_t tests = 0;

    if (p == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; i < d->columns; i++) {
        cr_drift_feature *f = &d->column[i].found;

        f->corrected = f->p;
        if (!isnan(f->corrected))
            p[tests++] = &f->corrected;
        if (!isnan(f->missing_p))
            p[tests++] = &f->missing_p;
    }
    correct(p, tests, options->correction);
    for (size_t i = 0; i < d->columns; i++) {
        cr_drift_feature *f = &d->column[i].found;
        const int lost =
            f->missing_p < level && fabs(f->missing_after - f->missing_before) > MISSING_CHANGE;

        f->verdict = verdict_of(f->corrected, level, f->index);
        if (f->verdict < CR_DRIFT_MODERATE && (f->new_share > NEW_SHARE || lost) &&
            f->kind != CR_BAG)
            f->verdict = CR_DRIFT_MODERATE;
        d->summary.drifted += f->verdict == CR_DRIFT_MODERATE || f->verdict == CR_DRIFT_STRONG;
    }
    d->summary.features = d->columns;
    cr__free(p);
    return CR_OK;
}
