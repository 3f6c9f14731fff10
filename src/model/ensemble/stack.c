/* model/ensemble/stack.c - stacking: the mixture that predicts held-out labels best.
 *
 * Maximise L(w) = Σ_r v_r log Σ_m w_m p_rm over weights w that are at least 0 and add up to 1, with
 * p_rm = P(label of row r | member m) and v_r the weight of the row (D. Wolpert, "Stacked
 * generalization", 1992; Y. Yao et al., "Using stacking to average Bayesian predictive
 * distributions", 2018). L is concave. EM multiplies each weight by the gradient
 * g_m = Σ_r v_r p_rm / Σ_k w_k p_rk / V, V the sum of the v, and never lowers L; as
 * L* - L <= V log max g, the largest g tells how far there is still to go.
 */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "model/ensemble/ensemble.h"

enum { MOST_STEPS = 20000 };
#define CLOSE 1e-9 /* of the score of a row, on average */

/* Likelihoods relative to the best member of the row; a row impossible to all says nothing and gets
 * weight 0. Returns the weight of the others. */
static double scale(const double *log_p, const double *weight, size_t rows, size_t members,
                    double *p, double *v)
{
    double sum = 0;

    for (size_t r = 0; r < rows; r++, log_p += members, p += members) {
        double best = -INFINITY;

        for (size_t m = 0; m < members; m++)
            best = fmax(best, log_p[m]);
        v[r] = isinf(best) ? 0 : weight[r];
        sum += v[r];
        for (size_t m = 0; m < members; m++)
            p[m] = isinf(best) ? 0 : exp(log_p[m] - best);
    }
    return sum;
}

static void gradient(const double *p, const double *v, double total, size_t rows, size_t members,
                     const double *w, double *g)
{
    for (size_t m = 0; m < members; m++)
        g[m] = 0;
    for (size_t r = 0; r < rows; r++, p += members) {
        double mixture = 0;

        for (size_t m = 0; m < members; m++)
            mixture += w[m] * p[m];
        for (size_t m = 0; mixture > 0 && m < members; m++)
            g[m] += v[r] / total * p[m] / mixture;
    }
}

cr_status cr__stack(const double *log_p, const double *weight, size_t rows, size_t members,
                    double *out, cr_error *err)
{
    double *p = rows > SIZE_MAX / sizeof *p / members ? NULL : cr__alloc(rows * members, sizeof *p);
    double *v = cr__alloc(rows, sizeof *v), *g = cr__alloc(members, sizeof *g);
    double total, most = INFINITY, sum = 0;
    cr_status st = p == NULL || v == NULL || g == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t m = 0; m < members; m++)
        out[m] = 1 / (double)members;
    if (st == CR_OK && (total = scale(log_p, weight, rows, members, p, v)) > 0)
        for (int step = 0; step < MOST_STEPS && most > 1 + CLOSE; step++) {
            gradient(p, v, total, rows, members, out, g);
            most = sum = 0;
            for (size_t m = 0; m < members; m++) {
                most = fmax(most, g[m]);
                sum += out[m] *= g[m];
            }
            for (size_t m = 0; m < members; m++)
                out[m] /= sum;
        }
    cr__free(p);
    cr__free(v);
    cr__free(g);
    return st;
}
