/* tests/belief/test_estimate.c - posteriors, intervals and comparisons against other programs.
 *
 * Values marked R are from R 4.2 (qbeta, qgamma, qt, qnbinom, t.test); those marked mpmath from
 * mpmath 1.3 with 30 digits: its betainc and gammainc, findroot for the two equations of a highest
 * density interval, quad for the integrals.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "credence/estimate.h"
#include "belief/numeric.h"

static void assert_near(double found, double expected, double relative)
{
    if (!(fabs(found - expected) <= relative * fabs(expected)))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

static void assert_interval(cr_interval found, double low, double high, double relative)
{
    assert_near(found.low, low, relative);
    assert_near(found.high, high, relative);
}

/* --- the coin and the die ----------------------------------------------------------------- */

static void flip(double heads, double tails, double a, double b, cr_share *share, cr_shares *all)
{
    const double count[] = {heads, tails}, prior[] = {a, b};

    assert_int_equal(cr_shares_estimate(count, prior, 2, share, all, NULL), CR_OK);
}

/* Lecture, case A: 51 heads, 49 tails. MAP with Beta(2, 2) is (51+2-1)/(51+2-1+49+2-1) = 52/102,
 * the posterior Beta(53, 51). */
static void case_a_of_the_lecture(void **state)
{
    cr_share share[2];
    cr_shares all;

    (void)state;
    flip(51, 49, 2, 2, share, &all);
    assert_near(share[0].mle, 0.51, 1e-15);
    assert_near(share[0].map, 52.0 / 102, 1e-15);
    assert_near(share[1].map, 50.0 / 102, 1e-15);
    assert_near(share[0].predictive, 53.0 / 104, 1e-15);
    assert_true(share[0].posterior.a == 53 && share[0].posterior.b == 51);
    assert_int_equal(all.mode, CR_MODE_INSIDE);
    assert_near(all.log_evidence, -70.98383514983878418, 1e-13); /* mpmath: log B(53,51)/B(2,2) */
    assert_interval(cr_distribution_central(&share[0].posterior, 0.95), 0.41401913269300239,
                    0.6048611882827446, 1e-10); /* R */
}

/* Lecture, case B: 2 heads, 1 tail; with a uniform prior MAP is MLE. */
static void case_b_of_the_lecture(void **state)
{
    cr_share share[2];
    cr_shares all;

    (void)state;
    flip(2, 1, 1, 1, share, &all);
    assert_near(share[0].mle, 2.0 / 3, 1e-15);
    assert_near(share[0].map, 2.0 / 3, 1e-15);
    assert_near(share[0].predictive, 0.6, 1e-15);
    assert_near(all.log_evidence, -log(12), 1e-14); /* B(3, 2) = 1/12 */
}

/* Lecture, case C: one flip after another gives what all of them at once give. The product of the
 * predictive probabilities is the evidence. */
static void case_c_of_the_lecture_online_is_batch(void **state)
{
    static const char flips[] = "HTTHHHTHHT";
    cr_share share[2], whole[2];
    cr_shares all;
    double a = 2, b = 2, log_p = 0;

    (void)state;
    for (const char *f = flips; *f != '\0'; f++) {
        flip(0, 0, a, b, share, &all);
        log_p += log(share[*f == 'H' ? 0 : 1].predictive);
        flip(*f == 'H', *f == 'T', a, b, share, &all);
        a = share[0].posterior.a;
        b = share[1].posterior.a;
    }
    flip(6, 4, 2, 2, whole, &all);
    assert_true(whole[0].posterior.a == a && whole[0].posterior.b == b);
    assert_near(log_p, all.log_evidence, 1e-14);
}

/* Dirichlet(1, 1, 1) with 3, 5, 2: evidence 2! 3! 5! 2! / 12!. */
static void die_with_a_dirichlet_prior(void **state)
{
    const double count[] = {3, 5, 2}, prior[] = {1, 1, 1};
    cr_share share[3];
    cr_shares all;

    (void)state;
    assert_int_equal(cr_shares_estimate(count, prior, 3, share, &all, NULL), CR_OK);
    assert_near(share[1].map, 0.5, 1e-15);
    assert_near(share[1].predictive, 6.0 / 13, 1e-15);
    assert_true(share[1].posterior.a == 6 && share[1].posterior.b == 7);
    assert_near(all.log_evidence, -12.02166892253189454, 1e-13); /* mpmath */
}

static void mode_says_when_there_is_none(void **state)
{
    static const struct {
        double heads, tails, a, b, map;
        cr_mode mode;
    } cases[] = {
        {0, 0, 1, 1, NAN, CR_MODE_FLAT},     {0, 0, 0.5, 0.5, NAN, CR_MODE_NONE},
        {3, 0, 1, 1, 1, CR_MODE_BORDER},     {0, 3, 0.5, 0.5, 0, CR_MODE_BORDER},
        {3, 0, 0.5, 0.5, 1, CR_MODE_BORDER}, {0, 0, 0.5, 1, 0, CR_MODE_BORDER},
        {0, 0, 1, 0.5, 1, CR_MODE_BORDER},   {1, 1, 0.5, 0.5, 0.5, CR_MODE_INSIDE},
    };
    cr_share share[2];
    cr_shares all;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        flip(cases[i].heads, cases[i].tails, cases[i].a, cases[i].b, share, &all);
        assert_int_equal(all.mode, cases[i].mode);
        if (isnan(cases[i].map))
            assert_true(isnan(share[0].map) && isnan(share[1].map));
        else
            assert_true(share[0].map == cases[i].map && share[1].map == 1 - cases[i].map);
    }
    const double count[] = {4, 0, 0}, ones[] = {1, 1, 1}, halves[] = {0.5, 0.5, 0.5};
    cr_share three[3];

    assert_int_equal(cr_shares_estimate(count, ones, 3, three, &all, NULL), CR_OK);
    assert_int_equal(all.mode, CR_MODE_BORDER);
    assert_true(three[0].map == 1 && three[1].map == 0);
    assert_int_equal(cr_shares_estimate(count, halves, 3, three, &all, NULL), CR_OK);
    assert_int_equal(all.mode, CR_MODE_NONE);
    assert_true(isnan(three[0].map));
}

static void shares_refuse_what_they_cannot_count(void **state)
{
    const double good[] = {1, 1}, negative[] = {1, -1}, nan[] = {1, NAN}, zero[] = {1, 0},
                 huge[] = {0x1p53, 1};
    cr_share share[2];
    cr_shares all;
    cr_error err;

    (void)state;
    assert_int_equal(cr_shares_estimate(good, good, 1, share, &all, &err), CR_EARG);
    assert_int_equal(cr_shares_estimate(negative, good, 2, share, &all, &err), CR_EARG);
    assert_string_equal(err.message, "the count of outcome 2 is -1; it must be 0 or more");
    assert_int_equal(cr_shares_estimate(nan, good, 2, share, &all, &err), CR_EARG);
    assert_int_equal(cr_shares_estimate(good, zero, 2, share, &all, &err), CR_EARG);
    assert_int_equal(cr_shares_estimate(good, nan, 2, share, &all, &err), CR_EARG);
    assert_int_equal(cr_shares_estimate(huge, good, 2, share, &all, &err), CR_ELIMIT);
}

/* --- intervals ---------------------------------------------------------------------------- */

static void central_intervals_agree_with_r(void **state)
{
    static const struct {
        cr_distribution d;
        double level, low, high;
    } cases[] = {
        {{CR_BETA, 4, 3, 0}, 0.95, 0.22277809550351216, 0.88188275124297477},
        {{CR_BETA, 0.5, 0.5, 0}, 0.95, 0.0015413331334360124, 0.99845866686656404},
        {{CR_BETA, 1, 4, 0}, 0.9, 0.012741455098566192, 0.52712919549841197},
        {{CR_BETA, 0.5, 20.5, 0}, 0.95, 2.4246478459242726e-05, 0.1166389829048754},
        {{CR_BETA, 1001, 99001, 0}, 0.95, 0.0094021565765590211, 0.01063600520347785},
        {{CR_GAMMA, 12.5, 100, 0}, 0.95, 0.065598600124688919, 0.20323234560137599},
        {{CR_GAMMA, 0.5, 3, 0}, 0.95, 0.00016367818619587602, 0.83731436455248076},
        {{CR_INVERSE_GAMMA, 2.5, 1.75, 0}, 0.95, 0.27274494105890501, 4.2107207637759512},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_interval(cr_distribution_central(&cases[i].d, cases[i].level), cases[i].low,
                        cases[i].high, 1e-10);
}

static void highest_density_intervals_agree_with_mpmath(void **state)
{
    static const struct {
        cr_distribution d;
        double level, low, high;
    } cases[] = {
        {{CR_BETA, 53, 51, 0}, 0.95, 0.41414330811858703527, 0.60498474356960177328},
        {{CR_BETA, 4, 3, 0}, 0.95, 0.23870611966646708607, 0.89516888618157030832},
        {{CR_BETA, 3, 20, 0}, 0.9, 0.023617550735320050123, 0.23251228386399354957},
        {{CR_GAMMA, 12.5, 100, 0}, 0.95, 0.060365281907749633801, 0.19551724130150791885},
        {{CR_INVERSE_GAMMA, 2.5, 1.75, 0}, 0.95, 0.16054988921530712289, 3.0722090797350253092},
    };
    cr_interval piece[2];
    cr_distribution two_ends = cr_beta(0.3, 0.6);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(cr_distribution_highest(&cases[i].d, cases[i].level, piece), 1);
        assert_interval(piece[0], cases[i].low, cases[i].high, 1e-10);
    }
    assert_int_equal(cr_distribution_highest(&two_ends, 0.95, piece), 2);
    assert_interval(piece[0], 0, 0.58478128719950902932, 1e-10);
    assert_interval(piece[1], 0.68593224029325855956, 1, 1e-10);
}

/* The length of the interval that leaves p below it, minimised by golden-section search. A minimum
 * is only found to the root of the precision, so the lengths are what is compared. */
static double shortest(const cr_distribution *d, double level)
{
    const double golden = (sqrt(5) - 1) / 2;
    double low = 0, high = 1 - level, length = INFINITY;

    for (int i = 0; i < 80; i++) {
        const double left = high - golden * (high - low), right = low + golden * (high - low);
        const double l =
            cr_distribution_quantile(d, left + level) - cr_distribution_quantile(d, left);
        const double r =
            cr_distribution_quantile(d, right + level) - cr_distribution_quantile(d, right);

        length = fmin(length, fmin(l, r));
        if (l < r)
            high = right;
        else
            low = left;
    }
    return length;
}

static void highest_density_intervals_are_the_shortest(void **state)
{
    cr__random random;

    (void)state;
    cr__random_seed(&random, 20);
    for (int i = 0; i < 60; i++) {
        const double a = 1.05 + 40 * cr__random_uniform(&random);
        const double b = 1.05 + 40 * cr__random_uniform(&random);
        const double level = 0.5 + 0.49 * cr__random_uniform(&random);
        const cr_distribution all[] = {cr_beta(a, b), cr_gamma(a, b), cr_inverse_gamma(a, b)};
        cr_interval piece[2];

        for (size_t j = 0; j < 3; j++) {
            assert_int_equal(cr_distribution_highest(&all[j], level, piece), 1);
            const double mass = cr_distribution_lower(&all[j], piece[0].high) -
                                cr_distribution_lower(&all[j], piece[0].low);

            assert_near(mass, level, 1e-11);
            assert_near(piece[0].high - piece[0].low, shortest(&all[j], level), 1e-9);
        }
    }
}

static void one_sided_and_flat_densities_have_their_own_intervals(void **state)
{
    const cr_distribution falls = cr_beta(1, 4), rises = cr_beta(4, 0.5), flat = cr_beta(1, 1),
                          rate = cr_gamma(0.5, 3);
    cr_interval piece[2];

    (void)state;
    cr_distribution_highest(&falls, 0.95, piece); /* 1 - (1 - x)^4 = 0.95 */
    assert_interval(piece[0], 0, 1 - pow(0.05, 0.25), 1e-14);
    cr_distribution_highest(&rises, 0.95, piece);
    assert_true(piece[0].high == 1);
    assert_near(cr_distribution_upper(&rises, piece[0].low), 0.95, 1e-13);
    cr_distribution_highest(&flat, 0.9, piece);
    assert_interval(piece[0], 0.05, 0.95, 1e-14);
    cr_distribution_highest(&rate, 0.95, piece);
    assert_true(piece[0].low == 0);
    assert_near(cr_distribution_lower(&rate, piece[0].high), 0.95, 1e-13);
}

/* A long way from 1/2: no digit of the small end is lost. */
static void large_parameters_keep_their_digits(void **state)
{
    const cr_distribution d = cr_beta(3e6, 12), mirror = cr_beta(12, 3e6);
    cr_interval piece[2], other[2];

    (void)state;
    cr_distribution_highest(&d, 0.95, piece);
    cr_distribution_highest(&mirror, 0.95, other);
    assert_near(1 - piece[0].high, other[0].low, 1e-9);
    assert_near(1 - piece[0].low, other[0].high, 1e-9);
}

static void parameters_and_levels_out_of_range_give_nan(void **state)
{
    const cr_distribution bad[] = {cr_beta(0, 1),
                                   cr_beta(1, INFINITY),
                                   cr_gamma(-1, 1),
                                   cr_student(0, 0, 1),
                                   cr_student(3, NAN, 1),
                                   cr_beta(NAN, 1),
                                   {.family = 9, .a = 1, .b = 1}};
    const cr_distribution good = cr_beta(2, 2);
    cr_interval piece[2];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_true(isnan(cr_distribution_mean(&bad[i])) && isnan(cr_distribution_sd(&bad[i])));
        assert_true(isnan(cr_distribution_mode(&bad[i], NULL)));
        assert_true(isnan(cr_distribution_lower(&bad[i], 0.5)));
        assert_true(isnan(cr_distribution_upper(&bad[i], 0.5)));
        assert_true(isnan(cr_distribution_quantile(&bad[i], 0.5)));
        assert_true(isnan(cr_distribution_log_density(&bad[i], 0.5)));
        cr_distribution_highest(&bad[i], 0.95, piece);
        assert_true(isnan(piece[0].low));
    }
    assert_true(isnan(cr_distribution_central(&good, 1).low));
    assert_true(isnan(cr_distribution_central(&good, NAN).low));
}

/* --- mean and variance -------------------------------------------------------------------- */

static const double numbers[] = {1.2, 3.4, 2.2, 5.1, 0.7};

/* With the reference prior the intervals are those of R's t.test and of the chi-square test. */
static void reference_prior_gives_the_classical_intervals(void **state)
{
    const cr_normal_prior prior = cr_normal_reference();
    cr_sample sample;
    cr_normal n;

    (void)state;
    assert_int_equal(cr_sample_of(&sample, numbers, 5, NULL), CR_OK);
    assert_int_equal(cr_normal_estimate(&n, &sample, &prior, NULL), CR_OK);
    assert_near(n.mle_mean, 2.52, 1e-15);
    assert_near(n.mle_variance, 2.5176, 1e-15);
    assert_near(n.unbiased_variance, 3.147, 1e-15);
    assert_interval(cr_distribution_central(&n.mean, 0.95), 0.3173146644338713, 4.7226853355661289,
                    1e-10); /* R: t.test */
    assert_interval(cr_distribution_central(&n.variance, 0.95), 1.1296487514322722, 25.985792277803,
                    1e-10); /* R: 4 var / qchisq */
    assert_interval(cr_distribution_central(&n.next, 0.95), -2.8754551360481551, 7.9154551360481538,
                    1e-10); /* R: mean + qt sd sqrt(1 + 1/5) */
    assert_true(isnan(n.log_evidence));
}

/* mpmath: m', k', a', b' one observation at a time, and the product of the Student predictives. */
static void proper_prior_gives_the_evidence(void **state)
{
    const cr_normal_prior prior = {1, 2, 3, 4};
    cr_normal_prior step = prior;
    cr_sample sample;
    cr_normal n;

    (void)state;
    assert_int_equal(cr_sample_of(&sample, numbers, 5, NULL), CR_OK);
    assert_int_equal(cr_normal_estimate(&n, &sample, &prior, NULL), CR_OK);
    assert_near(n.posterior.m, 2.085714285714285714, 1e-15);
    assert_true(n.posterior.k == 7 && n.posterior.a == 5.5);
    assert_near(n.posterior.b, 11.94428571428571429, 1e-15);
    assert_near(n.map_variance, 11.94428571428571429 / 7, 1e-15);
    assert_near(n.log_evidence, -11.43891567593919761, 1e-14);
    for (size_t i = 0; i < 5; i++) {
        cr_sample_of(&sample, &numbers[i], 1, NULL);
        step = cr_normal_update(&step, &sample);
    }
    assert_near(step.b, n.posterior.b, 1e-14);
    assert_near(step.m, n.posterior.m, 1e-14);
}

/* A mean of 1e9 would leave nothing of a variance of 1 by the textbook's formula. */
static void variance_survives_a_large_mean(void **state)
{
    const double far[] = {1e9 - 1, 1e9, 1e9 + 1};
    cr_sample sample;

    (void)state;
    assert_int_equal(cr_sample_of(&sample, far, 3, NULL), CR_OK);
    assert_true(sample.mean == 1e9);
    assert_near(sample.squares, 2, 1e-15);
}

static void normal_refuses_what_says_nothing(void **state)
{
    const cr_normal_prior prior = cr_normal_reference(), bad = {0, -1, 1, 1}, nan = {NAN, 1, 1, 1};
    const double alike[] = {2, 2, 2}, not_finite[] = {1, INFINITY}, huge[] = {-1e300, 1e300};
    cr_sample sample;
    cr_normal n;
    cr_error err;

    (void)state;
    assert_int_equal(cr_sample_of(&sample, not_finite, 2, &err), CR_EARG);
    assert_string_equal(err.message, "number 2 is inf; it must be finite");
    assert_int_equal(cr_sample_of(&sample, alike, 3, &err), CR_OK);
    assert_int_equal(cr_normal_estimate(&n, &sample, &prior, &err), CR_ECONFLICT);
    assert_non_null(strstr(err.message, "all 3 numbers are equal"));
    assert_int_equal(cr_normal_estimate(&n, &sample, &bad, &err), CR_EARG);
    assert_int_equal(cr_normal_estimate(&n, &sample, &nan, &err), CR_EARG);
    assert_int_equal(cr_sample_of(&sample, alike, 1, &err), CR_OK);
    assert_int_equal(cr_normal_estimate(&n, &sample, &prior, &err), CR_ECONFLICT);
    assert_int_equal(cr_sample_of(&sample, huge, 2, &err), CR_OK);
    assert_int_equal(cr_normal_estimate(&n, &sample, &prior, &err), CR_ELIMIT);
}

static void sample_without_memory_says_so(void **state)
{
    const double wide[] = {1e-300, 1e300, 1, -1e-200};
    cr_sample sample;
    cr_status st = CR_ENOMEM;

    (void)state;
    for (long limit = 0; st == CR_ENOMEM && limit < 100; limit++) {
        cr__memory_fail_after = limit;
        st = cr_sample_of(&sample, wide, 4, NULL);
    }
    cr__memory_fail_after = -1;
    assert_int_equal(st, CR_OK);
}

/* --- rates -------------------------------------------------------------------------------- */

/* mpmath: gamma(2, 3) after 5, 7, 10 events in 4, 5, 6; evidence as a product of negative
 * binomials. */
static void rate_with_a_gamma_prior(void **state)
{
    const double count[] = {5, 7, 10}, exposure[] = {4, 5, 6};
    cr_rate r;

    (void)state;
    assert_int_equal(cr_rate_estimate(&r, count, exposure, 3, 2, 3, NULL), CR_OK);
    assert_true(r.posterior.a == 24 && r.posterior.b == 18);
    assert_near(r.mle, 22.0 / 15, 1e-15);
    assert_near(r.map, 23.0 / 18, 1e-15);
    assert_near(r.log_evidence, -7.866955836411629525, 1e-14);
}

/* Jeffreys' prior: R's qgamma, qnbinom and dnbinom with size 22.5, prob 15/16. */
static void rate_forecast_is_negative_binomial(void **state)
{
    static const double p[] = {0.23407429228978088, 0.32916697353250468, 0.24173199618793309,
                               0.12338403972092409};
    const double count[] = {5, 7, 10}, exposure[] = {4, 5, 6};
    cr_rate r;
    cr_forecast f;

    (void)state;
    assert_int_equal(cr_rate_estimate(&r, count, exposure, 3, 0.5, 0, NULL), CR_OK);
    assert_interval(cr_distribution_central(&r.posterior, 0.95), 0.94553840972866154,
                    2.1803386336666524, 1e-10);
    f = cr_rate_forecast(&r.posterior, 1, 0.95);
    assert_true(f.interval.low == 0 && f.interval.high == 4);
    for (int k = 0; k < 4; k++)
        assert_near(cr_rate_predictive(&r.posterior, 1, k), p[k], 1e-12);
    assert_near(f.none, p[0], 1e-12);
    assert_near(f.mean, 1.5, 1e-15);
    assert_near(f.sd, sqrt(1.5 * 16 / 15), 1e-15);
    assert_true(isnan(r.log_evidence));
}

static void no_events_put_the_mode_on_the_border(void **state)
{
    const double none[] = {0, 0};
    cr_rate r;

    (void)state;
    assert_int_equal(cr_rate_estimate(&r, none, NULL, 2, 0.5, 0, NULL), CR_OK);
    assert_int_equal(r.mode, CR_MODE_BORDER);
    assert_true(r.map == 0 && r.mle == 0);
}

static void rate_refuses_bad_counts(void **state)
{
    const double half[] = {1.5}, negative[] = {-1}, fine[] = {1}, zero[] = {0};
    cr_rate r;
    cr_error err;

    (void)state;
    assert_int_equal(cr_rate_estimate(&r, half, NULL, 1, 1, 1, &err), CR_EARG);
    assert_int_equal(cr_rate_estimate(&r, negative, NULL, 1, 1, 1, &err), CR_EARG);
    assert_int_equal(cr_rate_estimate(&r, fine, zero, 1, 1, 1, &err), CR_EARG);
    assert_int_equal(cr_rate_estimate(&r, fine, NULL, 1, 0, 1, &err), CR_EARG);
    assert_int_equal(cr_rate_estimate(&r, fine, NULL, 1, 1, NAN, &err), CR_EARG);
    assert_int_equal(cr_rate_estimate(&r, fine, NULL, 0, 1, 0, &err), CR_ECONFLICT);
}

/* --- two samples -------------------------------------------------------------------------- */

static cr_versus compare(cr_distribution a, cr_distribution b)
{
    cr_versus v;

    assert_int_equal(cr_distribution_compare(&a, &b, 0.95, &v, NULL), CR_OK);
    return v;
}

/* A: 51 of 100, B: 60 of 100, uniform priors. mpmath: Cook's sum, and quad of f_A F_B. */
static void whole_parameters_have_a_closed_form(void **state)
{
    const cr_versus v = compare(cr_beta(52, 50), cr_beta(61, 41));

    (void)state;
    assert_true(v.exact);
    assert_near(v.greater, 0.101264591059393005266, 1e-11);
    assert_near(v.less, 1 - 0.101264591059393005266, 1e-11);
    assert_interval(v.difference, -0.222535229933929402936, 0.0476477134263490892402, 1e-10);
    assert_near(v.loss_a, 0.091573794806895096473, 1e-10);
}

static void other_parameters_are_integrated(void **state)
{
    const cr_versus v = compare(cr_beta(52.5, 50.5), cr_beta(61.5, 41.5)),
                    ends = compare(cr_beta(0.5, 0.5), cr_beta(3.5, 0.5)),
                    lopsided = compare(cr_beta(1.5, 3.5), cr_beta(2.5, 0.001));

    (void)state;
    assert_false(v.exact);
    assert_near(v.greater, 0.102406853092290089566, 1e-12);
    assert_interval(v.difference, -0.221069251047248449334, 0.0478653809694539130907, 1e-11);
    assert_near(v.ratio.low, 0.662349762177599532973, 1e-11);
    assert_near(v.loss_a, 0.090746523840000860528, 1e-11);
    assert_near(v.loss_b - v.loss_a, v.mean, 1e-12);
    assert_near(ends.greater, 0.193784867214268065348, 1e-11);
    assert_near(lopsided.greater, 0.0000623995396612387245464, 1e-11);
}

/* Probabilities so small that they vanish beside 1. */
static void tiny_probabilities_keep_their_digits(void **state)
{
    const cr_versus closed = compare(cr_beta(3, 2000), cr_beta(120, 1000)),
                    near = compare(cr_beta(3 + 1e-9, 2000), cr_beta(120 - 1e-9, 1000));

    (void)state;
    assert_true(closed.exact && !near.exact && closed.greater < 1e-40);
    assert_near(near.greater, closed.greater, 1e-6);
}

/* Closed form and quadrature are two ways to one number. */
static void closed_form_and_quadrature_agree(void **state)
{
    cr__random random;

    (void)state;
    cr__random_seed(&random, 4);
    for (int i = 0; i < 40; i++) {
        const double a = 1 + (double)cr__random_below(&random, 200);
        const double b = 1.5 + 100 * cr__random_uniform(&random);
        const double c = 1 + (double)cr__random_below(&random, 200);
        const double d = 1.5 + 100 * cr__random_uniform(&random);
        const cr_versus exact = compare(cr_beta(a, b), cr_beta(c, d)),
                        sum = compare(cr_beta(a * (1 + 1e-15), b), cr_beta(c * (1 + 1e-15), d));

        assert_true(exact.exact);
        assert_near(sum.greater, exact.greater, 1e-10);
        assert_near(exact.greater + exact.less, 1, 1e-11);
        assert_near(exact.loss_b - exact.loss_a, exact.mean, 1e-10 * (1 + 1 / fabs(exact.mean)));
    }
}

/* mpmath: the beta distribution of the quotient, and quad of both tails. */
static void poisson_rates_are_compared(void **state)
{
    const cr_versus v = compare(cr_gamma(12.5, 100), cr_gamma(9.5, 80));

    (void)state;
    assert_true(v.exact);
    assert_near(v.greater, 0.554735556119620547589, 1e-13);
    assert_near(v.loss_a, 0.0176838736582452990931, 1e-11);
    assert_near(v.difference.low, -0.0992438728800474912667, 1e-11);
    /* The interval's end holds its tail, by the exact distribution of the quotient. */
    assert_near(compare(cr_gamma(12.5, 100 * v.ratio.low), cr_gamma(9.5, 80)).less, 0.025, 1e-11);
    assert_near(compare(cr_gamma(12.5, 100 * v.ratio.high), cr_gamma(9.5, 80)).greater, 0.025,
                1e-11);
}

static void gaussian_means_are_compared(void **state)
{
    const cr_versus v = compare(cr_student(9, 1, 0.5), cr_student(4, 2, 0.7)),
                    normal = compare(cr_student(INFINITY, 1, 3), cr_student(INFINITY, -1, 4)),
                    cauchy = compare(cr_student(1, 0, 1), cr_student(1, 2, 2));

    (void)state;
    assert_near(v.greater, 0.158350387777055239866, 1e-12); /* mpmath */
    assert_near(v.loss_a, 1.11001160142688283250, 1e-11);
    assert_near(v.difference.low, -3.22952530565150245435, 1e-11);
    assert_true(isnan(v.ratio.low));
    assert_near(normal.greater, 0.65542174161032423, 1e-13); /* R: pnorm(0.4) */
    assert_near(normal.difference.low, 2 - 1.9599639845400545 * 5, 1e-11);
    /* The difference of two Cauchy variables is Cauchy with centre -2 and scale 3. */
    assert_near(cauchy.greater, 0.5 + atan(-2.0 / 3) / M_PI, 1e-12);
    assert_near(cauchy.difference.high, -2 + 3 * tan(M_PI * 0.475), 1e-10);
    assert_true(isnan(cauchy.loss_a) && isnan(cauchy.mean));
}

static void compare_refuses_what_is_not_alike(void **state)
{
    const cr_distribution a = cr_beta(1, 1), g = cr_gamma(1, 1), v = cr_inverse_gamma(1, 1),
                          bad = cr_beta(0, 1);
    cr_versus out;
    cr_error err;

    (void)state;
    assert_int_equal(cr_distribution_compare(&a, &g, 0.95, &out, &err), CR_EARG);
    assert_string_equal(err.message, "a beta and a gamma distribution cannot be compared");
    assert_int_equal(cr_distribution_compare(&v, &v, 0.95, &out, &err), CR_EARG);
    assert_int_equal(cr_distribution_compare(&a, &bad, 0.95, &out, &err), CR_EARG);
    assert_int_equal(cr_distribution_compare(&a, &a, 1, &out, &err), CR_EARG);
}

/* --- zeros and integrals ------------------------------------------------------------------ */

static double cubic(const void *context, double x)
{
    (void)context;
    return x * x * x - 2;
}

static double root(const void *context, double x)
{
    (void)context;
    return 1 / sqrt(x);
}

static void zeros_and_integrals_are_found(void **state)
{
    const double edge[] = {0, 1};

    (void)state;
    assert_near(cr__find_zero(cubic, NULL, 0, 5), cbrt(2), 1e-15);
    assert_near(cr__find_zero(cubic, NULL, -7, 1e9), cbrt(2), 1e-15);
    assert_true(cr__find_zero(cubic, NULL, 2, 5) == 2); /* no change of sign */
    assert_near(cr__integrate(root, NULL, edge, 2, 1e-10), 2, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_a_of_the_lecture),
        cmocka_unit_test(case_b_of_the_lecture),
        cmocka_unit_test(case_c_of_the_lecture_online_is_batch),
        cmocka_unit_test(die_with_a_dirichlet_prior),
        cmocka_unit_test(mode_says_when_there_is_none),
        cmocka_unit_test(shares_refuse_what_they_cannot_count),
        cmocka_unit_test(central_intervals_agree_with_r),
        cmocka_unit_test(highest_density_intervals_agree_with_mpmath),
        cmocka_unit_test(highest_density_intervals_are_the_shortest),
        cmocka_unit_test(one_sided_and_flat_densities_have_their_own_intervals),
        cmocka_unit_test(large_parameters_keep_their_digits),
        cmocka_unit_test(parameters_and_levels_out_of_range_give_nan),
        cmocka_unit_test(reference_prior_gives_the_classical_intervals),
        cmocka_unit_test(proper_prior_gives_the_evidence),
        cmocka_unit_test(variance_survives_a_large_mean),
        cmocka_unit_test(normal_refuses_what_says_nothing),
        cmocka_unit_test(sample_without_memory_says_so),
        cmocka_unit_test(rate_with_a_gamma_prior),
        cmocka_unit_test(rate_forecast_is_negative_binomial),
        cmocka_unit_test(no_events_put_the_mode_on_the_border),
        cmocka_unit_test(rate_refuses_bad_counts),
        cmocka_unit_test(whole_parameters_have_a_closed_form),
        cmocka_unit_test(other_parameters_are_integrated),
        cmocka_unit_test(tiny_probabilities_keep_their_digits),
        cmocka_unit_test(closed_form_and_quadrature_agree),
        cmocka_unit_test(poisson_rates_are_compared),
        cmocka_unit_test(gaussian_means_are_compared),
        cmocka_unit_test(compare_refuses_what_is_not_alike),
        cmocka_unit_test(zeros_and_integrals_are_found),
    };
    return cmocka_run_group_tests_name("estimate", tests, NULL, NULL);
}
