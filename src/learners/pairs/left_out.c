/* learners/pairs/left_out.c - how many rows one parent less is worth, from the counts alone.
 *
 * The m that makes the rows likeliest when each is left out of the tables in turn:
 *
 *     L(m) = Σ_rows Σ_i ln P(x_i | parents, c; tables without the row)
 *
 * A row takes one from each count that it is part of, so with n rows that have the value, N that
 * have the parents' values and V values, the tables give exactly
 *
 *     P_t = (n_t - 1 + a + m P_{t-1}) / (N_t - 1 + a V + m),    P_0 = (n_0 - 1 + a) / (N_0 - 1 + a
 * V)
 *
 * with t parents. A count below one, of rows with fractional weights, is taken away whole. (The
 * same for aode makes its mean worse: what is best for each of its models is not for all.)
 */
#include <stdio.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/pairs/pairs.h"

#define M_LEAST 0.1
#define M_STEP 1.7782794100389228 /* four of them make 10 */

enum { TRIED = 18 }; /* the m in use, and 0.1 to 1,000 */

/* What is tried, the m in use first; and how likely each makes the rows. */
typedef struct trials {
    double m[TRIED], log_p[TRIED];
} trials;

static trials begin(double in_use)
{
    trials t = {.m = {in_use}};

    for (size_t k = 1; k < TRIED; k++)
        t.m[k] = k == 1 ? M_LEAST : t.m[k - 1] * M_STEP;
    return t;
}

/* A value's share without a row of it: n rows of N, V values, alpha; guess: with one parent less,
 * or NULL where there is none. */
static void leave_out(const double *m, double n, double N, size_t V, double alpha,
                      const double *guess, double *p)
{
    const double one = fmin(n, 1);

    for (size_t k = 0; k < TRIED; k++) {
        const double all = N - one + alpha * (double)V + (guess == NULL ? 0 : m[k]);
        const double less = guess == NULL ? 1 / (double)V : guess[k];

        p[k] = all > 0 ? (n - one + alpha + (guess == NULL ? 0 : m[k] * less)) / all : less;
    }
}

static void add(trials *t, double n, const double *p)
{
    for (size_t k = 0; k < TRIED; k++)
        t->log_p[k] += n * log(fmax(p[k], 1e-300));
}

/* The m in use unless another is better. */
static void advise_m(const trials *t, const cr__knobs *knobs, cr__advice *out)
{
    size_t best = 0;

    for (size_t k = 1; k < TRIED; k++)
        best = t->log_p[k] > t->log_p[best] ? k : best;
    if (best == 0)
        snprintf(out->setting[out->count++], sizeof *out->setting, "m=%.40s",
                 cr__knobs_text(knobs, "m"));
    else
        snprintf(out->setting[out->count++], sizeof *out->setting, "m=%.3g", t->m[best]);
}

/* One feature in one class, by the values of all its parents. count[t]: its table with t parents,
 * per[t]: how many rows of the last table a row of it serves. */
static void add_feature(trials *t, const cr__dependent *d, size_t i, size_t c,
                        const double *const *count, const size_t *per)
{
    const size_t V = d->values[i], K = d->classes, depth = d->structure.depth[i];
    double p[2][TRIED];

    for (size_t q = 0; q < per[0]; q++) {
        const double *row[CR__PARENTS_MOST + 1];
        double all[CR__PARENTS_MOST + 1] = {0};

        for (size_t s = 0; s <= depth; s++) {
            row[s] = count[s] + q / per[s] * V * K + c;
            for (size_t v = 0; v < V; v++)
                all[s] += row[s][v * K];
        }
        for (size_t v = 0; v < V; v++) {
            const double n = row[depth][v * K];

            for (size_t s = 0; n > 0 && s <= depth; s++)
                leave_out(t->m, row[s][v * K], all[s], V, d->alpha, s == 0 ? NULL : p[(s - 1) % 2],
                          p[s % 2]);
            if (n > 0)
                add(t, n, p[depth % 2]);
        }
    }
}

cr_status cr__dependent_advise(const void *fitted, const cr__stats *stats, const cr__knobs *knobs,
                               cr__advice *out, cr_error *err)
{
    const cr__dependent *d = fitted;
    trials t = begin(d->m);
    cr__codes codes = {0};
    double *n;
    cr_status st;

    if (isnan(d->m)) /* laplace has none */
        return CR_OK;
    if ((st = cr__codes_make(&codes, stats, err)) != CR_OK)
        return st;
    if ((n = cr__alloc(d->size + 1, sizeof *n)) == NULL)
        st = cr__fail_memory(err);
    else
        cr__dependent_count(d, &codes, n);
    for (size_t i = 0; n != NULL && i < d->features; i++) {
        const size_t depth = d->structure.depth[i];
        const double *count[CR__PARENTS_MOST + 1];
        size_t per[CR__PARENTS_MOST + 1] = {1, 1, 1, 1, 1};

        if (depth == 0) /* no parent, no m */
            continue;
        for (size_t s = depth; s-- > 0;)
            per[s] = per[s + 1] * d->values[d->structure.parent[i * CR__PARENTS_MOST + s]];
        for (size_t s = 0; s <= depth; s++)
            count[s] = n + d->table_at[i * (CR__PARENTS_MOST + 1) + s];
        for (size_t c = 0; c < d->classes; c++)
            add_feature(&t, d, i, c, count, per);
    }
    cr__free(n);
    cr__codes_free(&codes);
    if (st == CR_OK)
        advise_m(&t, knobs, out);
    return st;
}
