/* tests/belief/test_observations.c - observations as people write them, and what follows from them.
 *
 * Expected values are worked by hand: 3 heads and 2 tails under Beta(1, 1) give Beta(4, 3), whose
 * mean is 4/7; 51 of 100 under Beta(2, 2) give Beta(53, 51); 17 events in an exposure of 48 under
 * Gamma(1, 1) give Gamma(18, 49); the numbers 1 2 3 have mean 2 and sum of squares 2.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "credence/observations.h"

static cr_observations *of_items(cr_prior_of of, const char *const *item)
{
    cr_observations *o = NULL;

    assert_int_equal(cr_observations_new(&o, of, NULL), CR_OK);
    for (; *item != NULL; item++)
        assert_int_equal(cr_observations_item(o, *item, NULL), CR_OK);
    return o;
}

#define OF(of, ...) of_items(of, (const char *const[]){__VA_ARGS__, NULL})

static cr_estimate estimate(cr_observations *o, cr_prior_of of, const char *prior_text,
                            cr_prior *prior)
{
    cr_estimate e = {0};

    assert_int_equal(cr_prior_parse(prior, of, prior_text, NULL), CR_OK);
    assert_int_equal(cr_observations_estimate(&e, o, prior, 0, NULL), CR_OK);
    return e;
}

static void assert_posterior(const cr_estimate *e, size_t sample, size_t quantity, const char *text)
{
    char buffer[160];

    assert_string_equal(cr_distribution_text(&e->result[sample].quantity[quantity].posterior,
                                             buffer, sizeof buffer),
                        text);
}

static void end(cr_estimate *e, cr_prior *prior, cr_observations *o)
{
    cr_estimate_free(e);
    cr_prior_free(prior);
    cr_observations_free(o);
}

static void a_coin_written_in_three_ways(void **state)
{
    static const char *const written[][3] = {
        {"HHTHT", NULL}, {"3/5", NULL}, {"heads=3", "tails=2", NULL}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        cr_observations *o = of_items(CR_PRIOR_SHARES, written[i]);
        cr_prior prior;
        cr_estimate e = estimate(o, CR_PRIOR_SHARES, NULL, &prior);
        char text[96];

        assert_int_equal(cr_observations_outcomes(o), 2);
        assert_int_equal(cr_observations_samples(o), 1);
        assert_posterior(&e, 0, 0, "Beta(4, 3)");
        assert_true(fabs(cr_distribution_mean(&e.result[0].quantity[0].posterior) - 4.0 / 7) <
                    1e-15);
        assert_string_equal(cr_prior_text(&prior, 2, text, sizeof text), "Beta(1, 1)");
        end(&e, &prior, o);
    }
}

static void priors_as_people_read_them(void **state)
{
    static const struct {
        cr_prior_of of;
        const char *written;
        size_t outcomes;
        const char *shown;
    } known[] = {{CR_PRIOR_SHARES, "beta:2,2", 2, "Beta(2, 2)"},
                 {CR_PRIOR_SHARES, "jeffreys", 3, "Dirichlet(0.5, 0.5, 0.5)"},
                 {CR_PRIOR_SHARES, "uniform", 8, "Dirichlet(1, 1, 1, 1, 1, 1, ...)"},
                 {CR_PRIOR_NORMAL, NULL, 0, "reference"},
                 {CR_PRIOR_NORMAL, "nig:0,1,2,3", 0, "normal-inverse-gamma(0, 1, 2, 3)"},
                 {CR_PRIOR_RATE, "gamma:1,2", 0, "Gamma(1, 2)"}};
    char text[96], cut[8];

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        cr_prior p;

        assert_int_equal(cr_prior_parse(&p, known[i].of, known[i].written, NULL), CR_OK);
        assert_string_equal(cr_prior_text(&p, known[i].outcomes, text, sizeof text),
                            known[i].shown);
        assert_string_equal(cr_prior_text(&p, known[i].outcomes, cut, 1), "");
        cr_prior_free(&p);
    }
}

static void two_samples(void **state)
{
    cr_observations *o = OF(CR_PRIOR_SHARES, "A:", "51/100", "B:60/100");
    cr_prior prior;
    cr_estimate e = estimate(o, CR_PRIOR_SHARES, "beta:2,2", &prior);

    (void)state;
    assert_int_equal(cr_observations_samples(o), 2);
    assert_string_equal(e.result[0].name, "A");
    assert_string_equal(e.result[1].name, "B");
    assert_posterior(&e, 0, 0, "Beta(53, 51)");
    assert_posterior(&e, 1, 0, "Beta(62, 42)");
    assert_int_equal(e.compared, 1);
    end(&e, &prior, o);
}

static void exposures(void **state)
{
    /* 12 in 24 and 5 in the exposure of all others, 24 */
    cr_observations *o = OF(CR_PRIOR_RATE, "12/24", "5");
    cr_prior prior;
    cr_estimate e;

    (void)state;
    assert_int_equal(cr_observations_expose(o, "24", NULL), CR_OK);
    e = estimate(o, CR_PRIOR_RATE, "gamma:1,1", &prior);
    assert_posterior(&e, 0, 0, "Gamma(18, 49)");
    end(&e, &prior, o);

    o = OF(CR_PRIOR_RATE, "12", "5", "0");
    assert_int_equal(cr_observations_expose(o, "24,20,4", NULL), CR_OK);
    e = estimate(o, CR_PRIOR_RATE, "gamma:1,1", &prior);
    assert_posterior(&e, 0, 0, "Gamma(18, 49)");
    end(&e, &prior, o);
}

static void lines_of_text(void **state)
{
    cr_observations *words = NULL, *numbers = NULL;
    cr_prior prior, reference;
    cr_estimate e, n;

    (void)state;
    assert_int_equal(cr_observations_new(&words, CR_PRIOR_SHARES, NULL), CR_OK);
    assert_int_equal(cr_observations_line(words, "  light rain \r\n", NULL), CR_OK);
    assert_int_equal(cr_observations_line(words, "\n", NULL), CR_OK);
    assert_int_equal(cr_observations_line(words, "sun", NULL), CR_OK);
    assert_int_equal(cr_observations_line(words, "light rain\n", NULL), CR_OK);
    assert_int_equal(cr_observations_outcomes(words), 2);
    e = estimate(words, CR_PRIOR_SHARES, NULL, &prior);
    assert_string_equal(e.result[0].quantity[0].name, "P(light rain)");
    assert_posterior(&e, 0, 0, "Beta(3, 2)");
    end(&e, &prior, words);

    assert_int_equal(cr_observations_new(&numbers, CR_PRIOR_NORMAL, NULL), CR_OK);
    assert_int_equal(cr_observations_line(numbers, " 1, 2;\t3 \n", NULL), CR_OK);
    assert_int_equal(cr_observations_count(numbers), 3);
    n = estimate(numbers, CR_PRIOR_NORMAL, NULL, &reference);
    assert_true(n.result[0].normal.sample.mean == 2 && n.result[0].normal.sample.squares == 2);
    end(&n, &reference, numbers);
}

/* After each observation: sums instead of numbers, and names for outcomes that were not seen. */
static void one_by_one(void **state)
{
    cr_observations *o = NULL, *numbers = OF(CR_PRIOR_NORMAL, "1", "2");
    cr_prior prior, reference;
    cr_estimate e, n;

    (void)state;
    assert_int_equal(cr_observations_new(&o, CR_PRIOR_SHARES, NULL), CR_OK);
    cr_observations_follow(o);
    assert_int_equal(cr_observations_add(o, "rain", NULL), CR_OK);
    e = estimate(o, CR_PRIOR_SHARES, "dirichlet:1,1,1", &prior);
    assert_string_equal(e.question.outcome[0], "rain");
    assert_string_equal(e.question.outcome[1], "(other)");
    assert_string_equal(e.question.outcome[2], "(other 2)");
    assert_int_equal(cr_observations_add(o, "sun", NULL), CR_OK);
    assert_int_equal(cr_observations_estimate(&e, o, &prior, 0.5, NULL), CR_OK);
    assert_int_equal(e.question.outcomes, 3);
    assert_string_equal(e.question.outcome[1], "sun");
    assert_posterior(&e, 0, 1, "Beta(2, 3)"); /* 1 + 1 of sun; 1 + 1 + 1 of the others */
    end(&e, &prior, o);

    cr_observations_follow(numbers);
    assert_int_equal(cr_observations_add(numbers, "3", NULL), CR_OK);
    assert_int_equal(cr_observations_count(numbers), 1);
    n = estimate(numbers, CR_PRIOR_NORMAL, NULL, &reference);
    assert_true(n.result[0].normal.sample.n == 3 && n.result[0].normal.sample.mean == 2 &&
                n.result[0].normal.sample.squares == 2);
    end(&n, &reference, numbers);
}

static void assert_refused(cr_prior_of of, const char *item, cr_status status, const char *message)
{
    cr_observations *o = NULL;
    cr_error err = {0};

    assert_int_equal(cr_observations_new(&o, of, NULL), CR_OK);
    assert_int_equal(cr_observations_item(o, item, &err), status);
    assert_string_equal(err.message, message);
    cr_observations_free(o);
}

static void what_is_refused(void **state)
{
    cr_observations *o = OF(CR_PRIOR_SHARES, "1/2");
    cr_error err = {0};

    (void)state;
    assert_refused(CR_PRIOR_SHARES, "x", CR_EFORMAT, "'x' is not NAME=COUNT");
    assert_refused(CR_PRIOR_SHARES, "=3", CR_EFORMAT, "'=3' is not NAME=COUNT");
    assert_refused(CR_PRIOR_SHARES, "5/3", CR_EARG,
                   "'5/3' should be successes out of trials, such as 51/100");
    assert_refused(CR_PRIOR_SHARES, "a=-1", CR_EARG,
                   "the count of 'a' is '-1'; it must be a number, 0 or more");
    assert_refused(CR_PRIOR_SHARES, "a=1e16", CR_EARG,
                   "the count of 'a' is 1e16; counts must stay below 2^53");
    assert_refused(CR_PRIOR_NORMAL, "inf", CR_EFORMAT, "'inf' is not a number");
    assert_refused(CR_PRIOR_RATE, "1.5", CR_EFORMAT,
                   "'1.5' is not a count such as 12, or 12/100 for 12 in an exposure of 100");
    assert_int_equal(cr_observations_item(o, "B:", &err), CR_EARG);
    assert_string_equal(err.message, "'1/2' belongs to no sample");
    cr_observations_free(o);
}

static void what_cannot_be_estimated(void **state)
{
    cr_observations *coin = OF(CR_PRIOR_SHARES, "heads=1"), *die = OF(CR_PRIOR_SHARES, "ABC"),
                    *rate = OF(CR_PRIOR_RATE, "A:1", "2");
    cr_prior prior;
    cr_estimate e = {0};
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_prior_parse(&prior, CR_PRIOR_SHARES, "beta:1,1", NULL), CR_OK);
    assert_int_equal(cr_observations_estimate(&e, coin, &prior, 0, &err), CR_EARG);
    assert_string_equal(err.message, "there is only the outcome 'heads'");
    assert_int_equal(cr_observations_estimate(&e, die, &prior, 0, &err), CR_EARG);
    assert_string_equal(err.message, "the prior has 2 parameters for 3 outcomes");
    assert_int_equal(cr_observations_expose(rate, "1,2,3", &err), CR_EARG);
    assert_string_equal(err.message, "3 exposures for 2 counts");
    assert_int_equal(cr_observations_expose(rate, "1,0", &err), CR_EARG);
    assert_int_equal(cr_observations_item(rate, "B:", &err), CR_OK);
    assert_int_equal(cr_observations_item(rate, "C:", &err), CR_EARG);
    assert_string_equal(err.message, "'C' is a third sample; estimate compares two");
    cr_observations_free(die);
    cr_observations_free(rate);
    end(&e, &prior, coin);
}

/* A thousand names, each counted twice, in an order that mixes old and new. */
static void many_outcomes(void **state)
{
    cr_observations *o = NULL;
    cr_prior prior;
    cr_estimate e;
    char name[16];

    (void)state;
    assert_int_equal(cr_observations_new(&o, CR_PRIOR_SHARES, NULL), CR_OK);
    for (unsigned i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "n%u", i * 7 % 1000);
        assert_int_equal(cr_observations_add(o, name, NULL), CR_OK);
    }
    assert_int_equal(cr_observations_outcomes(o), 1000);
    e = estimate(o, CR_PRIOR_SHARES, NULL, &prior);
    for (size_t i = 0; i < 1000; i++)
        assert_true(e.result[0].quantity[i].count == 2);
    assert_string_equal(e.question.outcome[1], "n7");
    end(&e, &prior, o);
}

/* Every allocation fails once: the status is CR_ENOMEM and nothing leaks. */
static void without_memory(void **state)
{
    static const char *const item[] = {"A:", "HHT", "B:", "x=3"};
    int done = 0;

    (void)state;
    for (long n = 0; !done; n++) {
        cr_observations *o = NULL;
        cr_status st;

        cr__memory_fail_after = n;
        st = cr_observations_new(&o, CR_PRIOR_SHARES, NULL);
        for (size_t i = 0; st == CR_OK && i < 4; i++)
            st = cr_observations_item(o, item[i], NULL);
        done = cr__memory_fail_after >= 0;
        cr__memory_fail_after = -1;
        assert_int_equal(st, done ? CR_OK : CR_ENOMEM);
        cr_observations_free(o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_coin_written_in_three_ways),
        cmocka_unit_test(priors_as_people_read_them),
        cmocka_unit_test(two_samples),
        cmocka_unit_test(exposures),
        cmocka_unit_test(lines_of_text),
        cmocka_unit_test(one_by_one),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(what_cannot_be_estimated),
        cmocka_unit_test(many_outcomes),
        cmocka_unit_test(without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
