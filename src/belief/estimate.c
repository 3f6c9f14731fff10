/* belief/estimate.c - posteriors in closed form: shares, means and variances, rates.
 *
 * Conjugate priors as in Gelman et al., "Bayesian Data Analysis" (3rd ed.), chapters 2 and 3; the
 * estimates of the coin and the die as in the lectures.
 */
#include "credence/estimate.h"

#include <math.h>

#include "base/exact.h"
#include "base/fail.h"
#include "base/special.h"

static const double too_many = 0x1p53; /* from here on a double may not hold a count */

/* --- shares ------------------------------------------------------------------------------- */

static cr_status check_shares(const double *count, const double *prior, size_t outcomes,
                              cr_shares *all, cr_error *err)
{
    if (outcomes < 2)
        return cr__fail(err, CR_EARG, "%zu outcome: a share needs at least two", outcomes);
    for (size_t i = 0; i < outcomes; i++) {
        if (!(count[i] >= 0))
            return cr__fail(err, CR_EARG, "the count of outcome %zu is %g; it must be 0 or more",
                            i + 1, count[i]);
        if (!(prior[i] > 0) || isinf(prior[i]))
            return cr__fail(err, CR_EARG,
                            "parameter %zu of the prior is %g; it must be above 0 and finite",
                            i + 1, prior[i]);
        all->observations += count[i];
        all->pseudo += prior[i];
    }
    if (!(all->observations < too_many) || !(all->pseudo < too_many))
        return cr__fail(err, CR_ELIMIT, "the counts add up to %g; they must stay below 2^53",
                        fmax(all->observations, all->pseudo));
    return CR_OK;
}

/* The mode of Dirichlet(alpha). A parameter of 1 puts it on the border; one below 1 makes the
 * density infinite on a whole face, which is a point when there are two outcomes. */
static cr_mode dirichlet_mode(const cr_share *share, size_t outcomes)
{
    cr_mode mode = CR_MODE_INSIDE;
    size_t ones = 0;

    if (outcomes == 2) {
        cr_distribution_mode(&share[0].posterior, &mode);
        return mode;
    }
    for (size_t i = 0; i < outcomes; i++) {
        if (share[i].posterior.a < 1)
            return CR_MODE_NONE;
        ones += share[i].posterior.a == 1;
    }
    return ones == 0 ? CR_MODE_INSIDE : ones < outcomes ? CR_MODE_BORDER : CR_MODE_FLAT;
}

/* MAP: (n + prior - 1) / (sum of the same over all outcomes). On the border an outcome has nothing
 * above 1, and no share in the mode. */
static void find_map(cr_share *share, size_t outcomes, cr_mode mode)
{
    double sum = 0;

    for (size_t i = 0; i < outcomes; i++)
        sum += share[i].map = fmax(0, share[i].posterior.a - 1);
    for (size_t i = 0; i < outcomes; i++)
        if (mode == CR_MODE_FLAT || mode == CR_MODE_NONE)
            share[i].map = NAN;
        else if (outcomes == 2)
            share[i].map = cr_distribution_mode(&share[i].posterior, NULL);
        else
            share[i].map /= sum;
}

/* log P(data) = log B(alpha + n) / B(alpha), with B the multivariate beta function. */
static double dirichlet_evidence(const cr_share *share, size_t outcomes, const cr_shares *all)
{
    double log_p = 0;

    for (size_t i = 0; i < outcomes; i++)
        if (share[i].count > 0)
            log_p += cr__log_gamma_ratio(share[i].prior, share[i].count);
    return all->observations > 0 ? log_p - cr__log_gamma_ratio(all->pseudo, all->observations) : 0;
}

/* Sums of whole and half counts below 2^52 are exact, so the parameters of the marginals are too.
 */
cr_status cr_shares_estimate(const double *count, const double *prior, size_t outcomes,
                             cr_share *share, cr_shares *all, cr_error *err)
{
    cr_status st;
    double sum;

    *all = (cr_shares){0};
    if ((st = check_shares(count, prior, outcomes, all, err)) != CR_OK)
        return st;
    sum = all->observations + all->pseudo;
    for (size_t i = 0; i < outcomes; i++) {
        const double own = count[i] + prior[i];

        share[i] = (cr_share){.count = count[i],
                              .prior = prior[i],
                              .mle = all->observations > 0 ? count[i] / all->observations : NAN,
                              .predictive = own / sum,
                              .posterior = cr_beta(own, sum - own)};
    }
    if (outcomes == 2) {
        share[0].posterior.b = share[1].posterior.a;
        share[1].posterior.b = share[0].posterior.a;
    }
    all->mode = dirichlet_mode(share, outcomes);
    find_map(share, outcomes, all->mode);
    all->log_evidence = dirichlet_evidence(share, outcomes, all);
    return CR_OK;
}

/* --- mean and variance -------------------------------------------------------------------- */

enum { PORTION = 512 };

/* The sums and sums of squares are exact, so a mean far from 0 costs the variance nothing. */
cr_status cr_sample_of(cr_sample *out, const double *x, size_t n, cr_error *err)
{
    static const uint32_t one_class[PORTION];
    cr__lane lane = {0};
    cr__exact sum, squares;
    cr_status st = CR_OK;

    *out = (cr_sample){.n = (double)n};
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return cr__fail(err, CR_EARG, "number %zu is %g; it must be finite", i + 1, x[i]);
    cr__exact_init(&sum);
    cr__exact_init(&squares);
    for (size_t i = 0; st == CR_OK && i < n; i += PORTION)
        st = cr__lanes_absorb(&lane, x + i, one_class, n - i < PORTION ? n - i : PORTION);
    if (st == CR_OK)
        st = cr__lane_flush(&lane, &sum, &squares);
    if (st == CR_OK) {
        out->mean = cr__exact_mean((int64_t)n, 0, &sum);
        out->squares = cr__exact_variance((int64_t)n, 0, &sum, &squares, 0) * (double)n;
    }
    cr__lane_free(&lane);
    cr__exact_free(&sum);
    cr__exact_free(&squares);
    return st == CR_OK ? CR_OK : cr__fail_memory(err);
}

cr_normal_prior cr_normal_reference(void)
{
    return (cr_normal_prior){.a = -0.5};
}

/* k' = k + n, m' = (k m + n mean) / k', a' = a + n/2,
 * b' = b + squares/2 + k n (mean - m)^2 / (2 k'). */
cr_normal_prior cr_normal_update(const cr_normal_prior *prior, const cr_sample *sample)
{
    const double k = prior->k + sample->n, step = sample->mean - prior->m;
    cr_normal_prior posterior = *prior;

    if (sample->n == 0)
        return posterior;
    posterior.k = k;
    posterior.m = prior->k == 0 ? sample->mean : prior->m + step * (sample->n / k);
    posterior.a = prior->a + sample->n / 2;
    posterior.b = prior->b + sample->squares / 2;
    if (prior->k > 0)
        posterior.b += prior->k * (sample->n / k) * step * step / 2;
    return posterior;
}

static int is_proper(const cr_normal_prior *p)
{
    return p->k > 0 && p->a > 0 && p->b > 0;
}

static cr_status check_normal(const cr_normal_prior *prior, cr_error *err)
{
    if (!isfinite(prior->m) || !isfinite(prior->k) || !isfinite(prior->a) || !isfinite(prior->b))
        return cr__fail(err, CR_EARG, "the prior has a parameter that is not finite");
    if (!(prior->k >= 0) || !(prior->a >= -0.5) || !(prior->b >= 0))
        return cr__fail(err, CR_EARG,
                        "the prior has k = %g, a = %g, b = %g; k and b must be 0 or more, a at "
                        "least -1/2",
                        prior->k, prior->a, prior->b);
    return CR_OK;
}

static cr_status fail_improper(const cr_sample *sample, cr_error *err)
{
    if (sample->n < 2)
        cr__fail(err, CR_ECONFLICT, "%g number%s: too few for a prior that knows nothing",
                 sample->n, sample->n == 1 ? "" : "s");
    else
        cr__fail(err, CR_ECONFLICT,
                 "all %g numbers are equal: the prior knows nothing about the "
                 "variance, and neither do they",
                 sample->n);
    return cr__fail_hint(err, CR_ECONFLICT,
                         "give at least two different numbers, or a prior with k, a, b above 0");
}

/* log P(x) = log gamma(a')/gamma(a) + a log b - a' log b' + log(k/k')/2 - n/2 log(2 pi). */
static double normal_evidence(const cr_normal_prior *before, const cr_normal_prior *after, double n)
{
    if (!is_proper(before))
        return NAN;
    if (n == 0)
        return 0;
    return cr__log_gamma_ratio(before->a, n / 2) - before->a * log(after->b / before->b) -
           n / 2 * log(after->b) + log(before->k / after->k) / 2 - n / 2 * log(2 * M_PI);
}

cr_status cr_normal_estimate(cr_normal *out, const cr_sample *sample, const cr_normal_prior *prior,
                             cr_error *err)
{
    const double n = sample->n;
    cr_normal_prior p;
    cr_status st;

    *out = (cr_normal){.sample = *sample};
    if ((st = check_normal(prior, err)) != CR_OK)
        return st;
    out->posterior = p = cr_normal_update(prior, sample);
    if (!is_proper(&p))
        return fail_improper(sample, err);
    out->mle_mean = n > 0 ? sample->mean : NAN;
    out->mle_variance = n > 0 ? sample->squares / n : NAN;
    out->unbiased_variance = n > 1 ? sample->squares / (n - 1) : NAN;
    out->map_mean = p.m;
    out->map_variance = p.b / (p.a + 1.5);
    out->mean = cr_student(2 * p.a, p.m, sqrt(p.b / p.a / p.k));
    out->variance = cr_inverse_gamma(p.a, p.b);
    out->next = cr_student(2 * p.a, p.m, sqrt(p.b / p.a * (1 + 1 / p.k)));
    out->log_evidence = normal_evidence(prior, &p, n);
    if (!isfinite(p.b) || !isfinite(p.m) || !(out->mean.b > 0))
        return cr__fail(err, CR_ELIMIT,
                        "the squares of these numbers are beyond what a double holds");
    return CR_OK;
}

/* --- rates -------------------------------------------------------------------------------- */

static cr_status check_rate(const double *count, const double *exposure, size_t n, double shape,
                            double rate, cr_error *err)
{
    if (!(shape > 0) || !(rate >= 0) || isinf(shape) || isinf(rate))
        return cr__fail(err, CR_EARG,
                        "the prior has shape %g and rate %g; the shape must be above 0, the rate 0 "
                        "or more",
                        shape, rate);
    for (size_t i = 0; i < n; i++) {
        if (!(count[i] >= 0) || count[i] != floor(count[i]) || count[i] >= too_many)
            return cr__fail(err, CR_EARG,
                            "count %zu is %g; it must be a whole number from 0 to below 2^53",
                            i + 1, count[i]);
        if (exposure != NULL && (!(exposure[i] > 0) || isinf(exposure[i])))
            return cr__fail(err, CR_EARG, "exposure %zu is %g; it must be above 0 and finite",
                            i + 1, exposure[i]);
    }
    return CR_OK;
}

/* log P(counts) = sum of (k log t - log k!) + log gamma(a')/gamma(a) + a log b - a' log b'. The
 * first part does not depend on the prior. */
cr_status cr_rate_estimate(cr_rate *out, const double *count, const double *exposure, size_t n,
                           double shape, double rate, cr_error *err)
{
    double own = 0;
    cr_status st;

    *out = (cr_rate){0};
    if ((st = check_rate(count, exposure, n, shape, rate, err)) != CR_OK)
        return st;
    for (size_t i = 0; i < n; i++) {
        const double t = exposure != NULL ? exposure[i] : 1;

        out->events += count[i];
        out->exposure += t;
        own += count[i] * log(t) - cr__log_gamma(count[i] + 1);
    }
    if (out->events >= too_many)
        return cr__fail(err, CR_ELIMIT, "the counts add up to %g; they must stay below 2^53",
                        out->events);
    if (out->exposure + rate == 0 || isinf(out->exposure))
        return cr__fail(err, CR_ECONFLICT,
                        "no exposure, and the prior knows nothing about the rate");
    out->mle = n > 0 ? out->events / out->exposure : NAN;
    out->posterior = cr_gamma(shape + out->events, rate + out->exposure);
    out->map = cr_distribution_mode(&out->posterior, &out->mode);
    out->log_evidence =
        rate > 0 ? own - shape * log1p(out->exposure / rate) - out->events * log(out->posterior.b)
                 : NAN;
    if (out->events > 0)
        out->log_evidence += cr__log_gamma_ratio(shape, out->events);
    return CR_OK;
}

/* P(events <= k) = I_q(a, k + 1) with q = b / (b + exposure) (DLMF 8.17.24). */
static double forecast_upper(const cr_distribution *rate, double exposure, double k)
{
    return cr__beta_lower(k + 1, rate->a, exposure / (rate->b + exposure));
}

/* The least whole k with P(events > k) <= tail. */
static double forecast_quantile(const cr_distribution *rate, double exposure, double tail)
{
    double low = -1, high = 1;

    while (forecast_upper(rate, exposure, high) > tail && high < too_many) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        const double middle = floor((low + high) / 2);

        if (forecast_upper(rate, exposure, middle) <= tail)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Gamma-Poisson: log P(k) = log gamma(a+k)/(gamma(a) k!) + a log(b/(b+t)) + k log(t/(b+t)). */
double cr_rate_predictive(const cr_distribution *rate, double exposure, double events)
{
    const double a = rate->a, b = rate->b;
    double log_p = -a * log1p(exposure / b);

    if (rate->family != CR_GAMMA || !(exposure > 0) || !(events >= 0) || events != floor(events))
        return NAN;
    if (events > 0)
        log_p += cr__log_gamma_ratio(a, events) - cr__log_gamma(events + 1) -
                 events * log1p(b / exposure);
    return exp(log_p);
}

cr_forecast cr_rate_forecast(const cr_distribution *rate, double exposure, double level)
{
    const double tail = (1 - level) / 2;
    cr_forecast f = {.mean = NAN, .sd = NAN, .none = NAN, .interval = {NAN, NAN}};

    if (rate->family != CR_GAMMA || !(exposure > 0) || isinf(exposure) ||
        isnan(cr_distribution_mean(rate)))
        return f;
    f.mean = rate->a / rate->b * exposure;
    f.sd = sqrt(f.mean * (1 + exposure / rate->b));
    f.none = cr_rate_predictive(rate, exposure, 0);
    if (level > 0 && level < 1)
        f.interval = (cr_interval){forecast_quantile(rate, exposure, 1 - tail),
                                   forecast_quantile(rate, exposure, tail)};
    return f;
}
