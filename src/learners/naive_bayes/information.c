/* learners/naive_bayes/information.c - the information of a feature about the class, in bits.
 *
 * I(C; X) = Σ_c P(c) Σ_x P(x | c) log2 ( P(x | c) / P(x) ),  P(x) = Σ_c P(c) P(x | c)
 * (Shannon 1948; Cover & Thomas, Elements of Information Theory, ch. 2). For densities the inner
 * sum is an integral, taken by Simpson's rule over eight standard deviations each way.
 */
#include <math.h>

#include "learners/naive_bayes/naive_bayes.h"

enum { CLASSES_MAX = 512 }; /* for real columns: every class is compared with every other */

/* p log2(p / q), 0 at p = 0. */
static double term(double p, double q)
{
    return p > 0 && q > 0 ? p * log2(p / q) : 0;
}

static double symbol_information(const cr__nb *nb, const cr__nb_column *column)
{
    const size_t K = nb->classes;
    double bits = 0;

    for (size_t v = 1; v <= column->values; v++) {
        const double *log_p = column->log_p + v * K;
        double p_value = 0;

        for (size_t c = 0; c < K; c++)
            p_value += exp(nb->log_prior[c] + log_p[c]);
        for (size_t c = 0; c < K; c++)
            bits += exp(nb->log_prior[c]) * term(exp(log_p[c]), p_value);
    }
    return bits;
}

/* The standard deviation of class c, or the scale of its Student-t. */
static double spread(const cr__nb_real *real, size_t c)
{
    if (real->freedom[c] > 0)
        return sqrt(1 / (real->freedom[c] * real->inverse[c]));
    return sqrt(0.5 / real->power[c]);
}

/* ∫ p(x | c) log2 ( p(x | c) / p(x) ) dx. */
static double divergence(const cr__nb *nb, const cr__nb_real *real, size_t c)
{
    enum { STEPS = 128 };
    const double width = 16 * spread(real, c) / STEPS;
    double sum = 0;

    for (int i = 0; i <= STEPS; i++) {
        const double x = real->mean[c] + (i - STEPS / 2) * width;
        const double p = exp(cr__nb_log_density(real, c, x));
        double mixture = 0;

        for (size_t k = 0; k < nb->classes; k++)
            mixture += exp(nb->log_prior[k] + cr__nb_log_density(real, k, x));
        sum += term(p, mixture) * (i == 0 || i == STEPS ? 1 : i % 2 == 1 ? 4 : 2);
    }
    return sum * width / 3;
}

double cr__nb_information(const void *fitted, size_t i)
{
    const cr__nb *nb = fitted;
    const cr__nb_column *column = &nb->column[i];
    double bits = 0;

    if (column->kind == CR_SYMBOL || column->cut)
        bits = symbol_information(nb, column);
    else if (column->kind == CR_BAG)
        return NAN; /* a text is many features: its words are ranked one by one */
    else if (column->kind == CR_REAL && nb->classes > CLASSES_MAX)
        return NAN;
    else if (column->kde != NULL)
        bits = cr__nb_kde_information(column->kde, nb->log_prior);
    else if (column->kind == CR_REAL)
        for (size_t c = 0; c < nb->classes; c++)
            if (nb->log_prior[c] > -INFINITY)
                bits += exp(nb->log_prior[c]) * divergence(nb, &column->real, c);
    return bits > 0 ? bits : 0;
}
