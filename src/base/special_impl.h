/* base/special_impl.h - shared by the files of the special functions. */
#ifndef CR_BASE_SPECIAL_IMPL_H
#define CR_BASE_SPECIAL_IMPL_H

/* A point of a distribution: both tails, and the slope of the lower one in the solver's own
 * variable. */
typedef struct cr__tails {
    double lower, upper;
    double slope;
} cr__tails;

typedef cr__tails cr__tails_at(double a, double b, double t);

/* From here on Stirling's series has full accuracy. */
#define CR_STIRLING_FROM 10.0

/* Stirling's correction: log gamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2), x >= 10. */
double cr__stirling_rest(double x);

/* log gamma(1 + x), x >= 0, also where 1 + x would round to 1. */
double cr__log_gamma_1p(double x);

/* log(1 + x) - x, x > -1, without the cancellation near 0. */
double cr__log1p_minus(double x);

/* The t in [low, high] at which the tails are (lower, upper), from a first guess. at's density
 * must be log-concave in t. */
double cr__solve_tails(cr__tails_at *at, double a, double b, double lower, double upper, double low,
                       double high, double guess);

/* Both tails of the beta distribution at x = 1 - y, where the smaller of x and y is exact. */
cr__tails cr__beta_tails(double a, double b, double x, double y);

/* log(x / (1 - x)) of the x at which the beta distribution's tails are (lower, upper). */
double cr__beta_logit_inverse(double a, double b, double lower, double upper);

#endif
