/* credence/estimate.h - estimates with conjugate priors: shares, means and variances, rates.
 *
 * Data and a prior give a posterior in closed form, and with it the maximum likelihood estimate
 * (MLE), the most probable value (MAP), intervals, and the distribution of the next observation.
 * Results of the single estimates are plain values: nothing needs to be freed, and any thread may
 * call the functions.
 *
 * log_evidence is ln P(data), the marginal likelihood of the observations one by one in their
 * order; NaN for an improper prior, which gives the data no probability.
 */
#ifndef CREDENCE_ESTIMATE_H
#define CREDENCE_ESTIMATE_H

#include "credence/distribution.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- shares: Bernoulli with a beta prior, multinomial with a Dirichlet prior ------------------ */

typedef struct cr_share {      /* one outcome's probability */
    double count, prior;       /* observed, and the parameter of the prior */
    double mle;                /* NaN when nothing was observed */
    double map;                /* its part of the posterior's mode; NaN if there is no mode */
    double predictive;         /* P(next outcome is this one): the posterior mean */
    cr_distribution posterior; /* beta: the marginal of the Dirichlet */
} cr_share;

typedef struct cr_shares {
    double observations; /* sum of the counts */
    double pseudo;       /* sum of the prior's parameters */
    cr_mode mode;        /* of the whole posterior */
    double log_evidence;
} cr_shares;

/* Estimate the probabilities of two or more outcomes. share has room for all of them. Counts may be
 * fractional. CR_EARG: there are fewer than two outcomes, a count is negative, or a prior is not
 * above 0. CR_ELIMIT: the counts add up to 2^53 or more. */
cr_status cr_shares_estimate(const double *count, const double *prior, size_t outcomes,
                             cr_share *share, cr_shares *all, cr_error *err);

/* --- mean and variance of a Gaussian with a normal-inverse-gamma prior ------------------------ */

typedef struct cr_sample {
    double n, mean;
    double squares; /* sum of squared distances from the mean */
} cr_sample;

/* Summarise n numbers. Sums are exact internally. CR_EARG: a number is not finite. */
cr_status cr_sample_of(cr_sample *out, const double *x, size_t n, cr_error *err);

/* Variance v is inverse gamma with shape a and scale b; given v, the mean is normal around m with
 * variance v / k: m is worth k observations. */
typedef struct cr_normal_prior {
    double m, k, a, b;
} cr_normal_prior;

/* Density proportional to 1 / v (k = 0, a = -1/2, b = 0): improper, and the intervals are those of
 * the t and chi-square tests. */
cr_normal_prior cr_normal_reference(void);

/* The posterior given the sample, as a new prior. */
cr_normal_prior cr_normal_update(const cr_normal_prior *prior, const cr_sample *sample);

typedef struct cr_normal {
    cr_sample sample;
    cr_normal_prior posterior;
    double mle_mean, mle_variance; /* NaN without data */
    double unbiased_variance;      /* NaN with fewer than two */
    double map_mean, map_variance; /* the joint mode of both */
    cr_distribution mean;          /* Student */
    cr_distribution variance;      /* inverse gamma */
    cr_distribution next;          /* Student-t of the next observation */
    double log_evidence;
} cr_normal;

/* CR_EARG: the prior's parameters are out of range. CR_ECONFLICT: the prior is improper, and the
 * data are too few or all equal, so there is no proper posterior. CR_ELIMIT: a result is beyond the
 * range of a double. */
cr_status cr_normal_estimate(cr_normal *out, const cr_sample *sample, const cr_normal_prior *prior,
                             cr_error *err);

/* --- rate of a Poisson process with a gamma prior --------------------------------------------- */

typedef struct cr_rate {
    double events, exposure;
    double mle; /* NaN without exposure */
    double map;
    cr_mode mode;
    cr_distribution posterior; /* gamma */
    double log_evidence;
} cr_rate;

/* Events counted n times, each during an exposure (time, area, ...; NULL: 1 each). The prior is
 * gamma; shape 1/2 with rate 0 is Jeffreys', shape 1 with rate 0 flat. CR_EARG: a count is not
 * whole, or an exposure or the prior is out of range. CR_ECONFLICT: the prior is improper and there
 * is no exposure. */
cr_status cr_rate_estimate(cr_rate *out, const double *count, const double *exposure, size_t n,
                           double shape, double rate, cr_error *err);

/* The number of events in a further exposure: negative binomial. */
typedef struct cr_forecast {
    double mean, sd;
    double none;          /* P(no event) */
    cr_interval interval; /* has probability `level` or more, and at most (1 - level) / 2 on each
                           * side */
} cr_forecast;
cr_forecast cr_rate_forecast(const cr_distribution *rate, double exposure, double level);
double cr_rate_predictive(const cr_distribution *rate, double exposure, double events);

/* --- priors as text -------------------------------------------------------------- */

typedef enum cr_prior_of { CR_PRIOR_SHARES, CR_PRIOR_NORMAL, CR_PRIOR_RATE } cr_prior_of;

typedef struct cr_prior {
    cr_prior_of of;
    double *value;          /* [count] a parameter for each outcome; or shape and rate */
    size_t count;           /* of shares: 0 when every outcome has the same parameter */
    double each;            /* the parameter of every outcome when count is 0 */
    cr_normal_prior normal; /* of a mean and variance */
} cr_prior;

/* Read a prior; NULL is the default, which is named first below. CR_EARG: there is no such prior
 * for this quantity; the hint lists those that exist. On CR_OK the caller frees it with
 * cr_prior_free().
 *
 *     shares     uniform, jeffreys, beta:A,B, dirichlet:A, dirichlet:A,B,C…
 *     normal     reference, nig:M,K,A,B
 *     rate       jeffreys, uniform, gamma:SHAPE,RATE */
cr_status cr_prior_parse(cr_prior *out, cr_prior_of of, const char *text, cr_error *err);
void cr_prior_free(cr_prior *prior);

/* The parameter of an outcome. */
double cr_prior_parameter(const cr_prior *prior, size_t outcome);

/* A prior for people: "Beta(2, 2)", "Dirichlet(1, 1, 1)", "Gamma(0.5, 0)", "reference". outcomes is
 * how many there are, of shares. Returns buffer. */
char *cr_prior_text(const cr_prior *prior, size_t outcomes, char *buffer, size_t size);

/* --- all of it at once: one sample, or two that are compared ---------------------------------- */

/* What was counted or measured. */
typedef struct cr_measured {
    const char *name;       /* of the sample; "" if there is only one */
    const double *value;    /* [count] counts by outcome, numbers, or counts of events */
    const double *exposure; /* [count] of each count of events; NULL: 1 each */
    size_t count;           /* later outcomes were never seen */
    const cr_sample *sum;   /* for numbers: their summary, used instead of them; or NULL */
} cr_measured;

/* What is estimated. Everything is borrowed. */
typedef struct cr_estimate_of {
    cr_prior_of of;
    const cr_prior *prior;
    const char *const *outcome; /* [outcomes] names, of shares */
    size_t outcomes;
    double level; /* of the intervals; 0: 0.95 */
} cr_estimate_of;

/* An unknown quantity and what the data say about it. */
typedef struct cr_quantity {
    char name[160];  /* "P(heads)", "mean", "rate" */
    double count;    /* of a share; NaN otherwise */
    double mle, map; /* NaN where there is none */
    cr_mode mode;
    cr_distribution posterior;
    int future; /* an observation to come, not a parameter */
} cr_quantity;

/* What follows from one sample. */
typedef struct cr_estimation {
    const char *name; /* of the sample */
    cr_quantity *quantity;
    size_t count, room;
    cr_shares shares; /* of these three, the one that was asked for is set */
    cr_normal normal;
    cr_rate rate;
    cr_forecast forecast; /* of a rate, for an exposure of 1 */
    double log_evidence;
} cr_estimation;

typedef struct cr_estimate {
    cr_estimate_of question;
    cr_estimation result[2];
    size_t results;
    cr_versus *versus; /* [compared] comparisons of the two samples: of every share if there are
                        * more than two outcomes, otherwise of the first quantity */
    size_t compared;
} cr_estimate;

/* Estimate from one or two samples. Start from {0}; an estimate may be used again. Free it even
 * after a failure. Statuses are those of the functions above. */
cr_status cr_estimate_make(cr_estimate *out, const cr_estimate_of *question,
                           const cr_measured *sample, size_t samples, cr_error *err);
void cr_estimate_free(cr_estimate *estimate);

#ifdef __cplusplus
}
#endif
#endif
