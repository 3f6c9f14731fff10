/* credence/distribution.h - the distributions of conjugate posteriors, and comparison of two of
 * them.
 *
 * A cr_distribution is a plain value: a family and its parameters. Nothing here allocates or keeps
 * state, so every function may be called from any thread. Invalid parameters give NaN.
 */
#ifndef CREDENCE_DISTRIBUTION_H
#define CREDENCE_DISTRIBUTION_H

#include "credence/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cr_family {
    CR_BETA = 1,          /* a, b > 0: on 0 ... 1 */
    CR_GAMMA = 2,         /* shape a, rate b > 0: mean a / b */
    CR_INVERSE_GAMMA = 3, /* shape a, scale b > 0: 1 / x is gamma with shape a and rate b */
    CR_STUDENT = 4        /* centre a, scale b > 0, and degrees of freedom, which may be infinite */
} cr_family;

typedef struct cr_distribution {
    cr_family family;
    double a, b;
    double freedom; /* of Student's t; 0 otherwise */
} cr_distribution;

/* The named distributions, by their parameters. */
cr_distribution cr_beta(double a, double b);
cr_distribution cr_gamma(double shape, double rate);
cr_distribution cr_inverse_gamma(double shape, double scale);
cr_distribution cr_student(double freedom, double centre, double scale);

/* "beta", "gamma", "inverse-gamma", "student"; "unknown" for anything else. */
const char *cr_family_name(cr_family family);

/* A distribution for people: "Beta(53, 51)", "Student's t, 4 degrees of freedom, centre 2.5, scale
 * .8". Returns buffer. */
char *cr_distribution_text(const cr_distribution *d, char *buffer, size_t size);

/* Mean and standard deviation. They may be infinite, and are NaN where they do not exist. */
double cr_distribution_mean(const cr_distribution *d);
double cr_distribution_sd(const cr_distribution *d);

/* Where the density is highest. */
typedef enum cr_mode {
    CR_MODE_INSIDE = 1, /* at one point inside the support */
    CR_MODE_BORDER = 2, /* at one point on its border */
    CR_MODE_FLAT = 3,   /* the same everywhere: there is no single mode */
    CR_MODE_NONE = 4    /* at several points of the border, or on a whole face of it */
} cr_mode;

/* "inside", "border", "flat", "none". */
const char *cr_mode_name(cr_mode mode);

/* The mode; NaN if the density is flat or has none. kind may be NULL. */
double cr_distribution_mode(const cr_distribution *d, cr_mode *kind);

/* The logarithm of the density, probabilities and quantiles. */
double cr_distribution_log_density(const cr_distribution *d, double x);
double cr_distribution_lower(const cr_distribution *d, double x);    /* P(X <= x) */
double cr_distribution_upper(const cr_distribution *d, double x);    /* P(X > x) */
double cr_distribution_quantile(const cr_distribution *d, double p); /* x with P(X <= x) = p */

typedef struct cr_interval {
    double low, high;
} cr_interval;

/* The interval that leaves (1 - level) / 2 on either side; 0 < level < 1, else NaN. */
cr_interval cr_distribution_central(const cr_distribution *d, double level);

/* The smallest set that has probability `level`: the density is higher everywhere inside than
 * outside. It is usually one interval. For a beta with a, b < 1 it is two pieces, one at each end.
 * For a flat density, which has no smallest set, it is the central interval. Returns the number of
 * pieces. */
size_t cr_distribution_highest(const cr_distribution *d, double level, cr_interval piece[2]);

/* --- two of them ---------------------------------------------------------------------------- */

/* Comparison of two independent quantities A and B. */
typedef struct cr_versus {
    double greater, less;   /* P(A > B), P(A < B) */
    int exact;              /* both are closed forms. Otherwise they come from quadrature, to about
                             * 1e-12 (1e-9 for a beta parameter below 0.05, which puts mass beyond
                             * the last double before 0 or 1) */
    double mean, sd;        /* of A - B */
    cr_interval difference; /* central interval of A - B */
    cr_interval ratio;      /* central interval of A / B; NaN for Student's t */
    double loss_a, loss_b;  /* loss_a is E[max(B - A, 0)], the average loss of choosing A where the
                             * larger is better; loss_b is that of choosing B. NaN where the means
                             * do not exist */
} cr_versus;

/* Compare two beta, two gamma or two Student distributions. CR_EARG: other families, parameters
 * out of range, or a level outside 0 ... 1. */
cr_status cr_distribution_compare(const cr_distribution *a, const cr_distribution *b, double level,
                                  cr_versus *out, cr_error *err);

#ifdef __cplusplus
}
#endif
#endif
