/* eval/paired.c - tests of two learners on the same rows, and of several on many data sets.
 *
 * Corrected t: J differences d of mean m and variance s², t = m / √((1/J + test/train) s²) with
 * J - 1 degrees of freedom (Nadeau & Bengio, 2003). With all differences equal there is nothing to
 * estimate s from: p is 1 where they are 0, and 0 elsewhere.
 *
 * McNemar: of n rows that only one got right, k fell to the lesser; p = 2 P(X <= k), X binomial (n,
 * ½), at most 1. For a regression the prediction nearer to the truth counts: that is the sign test.
 *
 * Friedman: with R_j the mean rank of learner j of k on N sets,
 *   χ² = 12 N / (k (k + 1)) (Σ R_j² - k (k + 1)² / 4),  F = (N - 1) χ² / (N (k - 1) - χ²)
 * and Nemenyi's critical difference is q √(k (k + 1) / (6 N)) (J. Demšar, JMLR 7, 2006).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/special.h"
#include "credence/compare.h"
#include "eval/cv_impl.h"
#include "model/model.h"

enum { DRAWS = 20000 };

void cr_compare_paired(const double *a, const double *b, size_t count, double test_over_train,
                       double rope, cr_paired *out)
{
    double *d = cr__alloc(count + 1, sizeof *d), scale, df;

    *out = (cr_paired){.t = NAN, .p = NAN, .worse = NAN, .same = NAN, .better = NAN};
    cr_corrected_spread(NULL, 0, 0, &out->difference);
    if (d == NULL)
        return;
    for (size_t i = 0; i < count; i++)
        d[i] = a[i] - b[i];
    cr_corrected_spread(d, count, test_over_train, &out->difference);
    cr__free(d);
    if (out->difference.count < 2)
        return;
    df = (double)out->difference.count - 1;
    scale = out->difference.deviation * sqrt(1 / (double)out->difference.count + test_over_train);
    if (!(scale > 0)) {
        const double m = out->difference.mean;

        out->p = m == 0;
        out->worse = m < -rope;
        out->better = m > rope;
        out->same = 1 - out->worse - out->better;
        return;
    }
    out->t = out->difference.mean / scale;
    out->p = 2 * cr__student_lower(df, -fabs(out->t));
    out->worse = cr__student_lower(df, (-rope - out->difference.mean) / scale);
    out->better = cr__student_lower(df, (out->difference.mean - rope) / scale);
    out->same = fmax(0, 1 - out->worse - out->better);
}

void cr_compare_curves(const cr_learning_curve *a, const cr_learning_curve *b, size_t point,
                       double rope, cr_paired *out)
{
    const double last = (double)a->point[a->points - 1].size;
    const double share = (double)a->point[point].size / last;
    const double *of_a = a->numbers ? a->rmse : a->accuracy;
    const double *of_b = b->numbers ? b->rmse : b->accuracy;

    cr_compare_paired(of_a + point * a->repeats, of_b + point * b->repeats, a->repeats,
                      (double)a->tested / last * share, rope, out);
}

/* --- rows ---------------------------------------------------------------------------------------
 */

/* Whether a's number is the nearer one: 1, -1 when it is b's, 0 when they are as near. */
static int is_nearer(const cr_cv *a, const cr_cv *b, size_t row)
{
    const double x = fabs(a->regression[row].mean - a->regression[row].truth);
    const double y = fabs(b->regression[row].mean - b->regression[row].truth);

    return x < y ? 1 : x > y ? -1 : 0;
}

static int is_right(const cr_cv *cv, size_t row, double *posterior)
{
    cr_cv_answer a;

    cr_cv_get(cv, 0, row, NULL, &a, posterior);
    return a.decision == a.truth;
}

static int same_rows(const cr_cv *a, const cr_cv *b)
{
    size_t r = 0;

    while (a->rows == b->rows && r < a->rows && cr__cv_line(a, r) == cr__cv_line(b, r))
        r++;
    return a->rows == b->rows && r == a->rows;
}

cr_status cr_compare_rows(const cr_cv *a, const cr_cv *b, double *only_a, double *only_b, double *p,
                          cr_error *err)
{
    const size_t classes = a->classes > b->classes ? a->classes : b->classes;
    double *posterior;

    *only_a = *only_b = *p = 0;
    if (!same_rows(a, b))
        return cr__fail(err, CR_ECONFLICT, "the answers are to other rows");
    if ((a->regression == NULL) != (b->regression == NULL))
        return cr__fail(err, CR_ECONFLICT, "one predicts numbers and the other classes");
    if ((posterior = cr__alloc(classes, sizeof *posterior)) == NULL)
        return cr__fail_memory(err);
    for (size_t r = 0; a->regression != NULL && r < a->rows; r++) {
        *only_a += is_nearer(a, b, r) > 0;
        *only_b += is_nearer(a, b, r) < 0;
    }
    for (size_t r = 0; a->regression == NULL && r < a->rows; r++) {
        const int first = is_right(a, r, posterior), second = is_right(b, r, posterior);

        *only_a += first && !second;
        *only_b += second && !first;
    }
    cr__free(posterior);
    *p = 1;
    if (*only_a != *only_b) {
        const double n = *only_a + *only_b, k = fmin(*only_a, *only_b);

        *p = fmin(1, 2 * cr__beta_lower(n - k, k + 1, 0.5));
    }
    return CR_OK;
}

/* --- many data sets -----------------------------------------------------------------------------
 */

/* The studentized range over √2 at 5 %, for 2 … 20 learners (Demšar, table 5, and R's qtukey). */
static const double nemenyi[] = {1.960, 2.344, 2.569, 2.728, 2.850, 2.948, 3.031,
                                 3.102, 3.164, 3.219, 3.268, 3.313, 3.354, 3.391,
                                 3.426, 3.458, 3.489, 3.517, 3.544};

/* Ranks of one set's scores, the largest first; equal ones share the mean of theirs. */
static void add_ranks(const double *score, size_t n, double *rank)
{
    for (size_t i = 0; i < n; i++) {
        double above = 0, equal = 0;

        for (size_t k = 0; k < n; k++) {
            above += score[k] > score[i];
            equal += score[k] == score[i];
        }
        rank[i] += above + (equal + 1) / 2;
    }
}

cr_status cr_compare_ranks(const double *score, size_t sets, size_t learners, cr_ranking *out,
                           cr_error *err)
{
    const double N = (double)sets, k = (double)learners;
    double squares = 0;

    if (sets < 2 || learners < 2)
        return cr__fail(err, CR_EARG, "ranks need two learners and two data sets at least");
    for (size_t i = 0; i < learners; i++)
        out->rank[i] = 0;
    for (size_t s = 0; s < sets; s++)
        add_ranks(score + s * learners, learners, out->rank);
    for (size_t i = 0; i < learners; i++) {
        out->rank[i] /= N;
        squares += out->rank[i] * out->rank[i];
    }
    out->chi_square = fmax(0, 12 * N / (k * (k + 1)) * (squares - k * (k + 1) * (k + 1) / 4));
    out->p = cr__chi_square_upper(k - 1, out->chi_square);
    if (N * (k - 1) - out->chi_square > 1e-12 * N) {
        const double d1 = k - 1, d2 = (k - 1) * (N - 1);

        out->f = (N - 1) * out->chi_square / (N * (k - 1) - out->chi_square);
        out->p_f = cr__beta_upper(d1 / 2, d2 / 2, d1 * out->f / (d1 * out->f + d2));
    } else { /* the same order everywhere */
        out->f = INFINITY;
        out->p_f = 0;
    }
    out->critical = learners - 2 < sizeof nemenyi / sizeof *nemenyi
                        ? nemenyi[learners - 2] * sqrt(k * (k + 1) / (6 * N))
                        : NAN;
    return CR_OK;
}

/* One draw of weights for the sets and for a pseudo set without a difference: which of the three
 * outcomes has most of the weight of all pairs. */
static int draw_winner(const double *z, size_t n, double rope, double *w, cr__random *random)
{
    double worse = 0, better = 0, sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += w[i] = cr__random_gamma(random, i == 0 ? 0.5 : 1);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            worse += z[i] + z[k] < -2 * rope ? w[i] * w[k] : 0;
            better += z[i] + z[k] > 2 * rope ? w[i] * w[k] : 0;
        }
    worse /= sum * sum;
    better /= sum * sum;
    return worse > better && worse > 1 - worse - better ? -1 : better > 1 - worse - better ? 1 : 0;
}

cr_status cr_compare_signed_rank(const double *difference, size_t sets, double rope, uint64_t seed,
                                 double *worse, double *same, double *better, cr_error *err)
{
    double *z = cr__alloc_zero(sets + 1, sizeof *z), *w = cr__alloc(sets + 1, sizeof *w);
    cr__random random;

    *worse = *same = *better = 0;
    if (z == NULL || w == NULL) {
        cr__free(z);
        cr__free(w);
        return cr__fail_memory(err);
    }
    memcpy(z + 1, difference, sets * sizeof *z); /* z[0] = 0 is the prior */
    cr__random_seed(&random, seed);
    for (int i = 0; i < DRAWS; i++) {
        const int winner = draw_winner(z, sets + 1, rope, w, &random);

        *(winner < 0 ? worse : winner > 0 ? better : same) += 1.0 / DRAWS;
    }
    cr__free(z);
    cr__free(w);
    return CR_OK;
}

double cr_model_size(const cr_model *model)
{
    cr__draft draft = {0};
    double size = NAN;

    if (cr__model_draft(model, &draft, NULL) == CR_OK)
        size = ceil((64 + 32 * (double)draft.sections) / 64) * 64;
    for (size_t i = 0; i < draft.sections; i++)
        size += ceil((double)draft.section[i].size / 64) * 64;
    cr__draft_free(&draft);
    return size;
}
