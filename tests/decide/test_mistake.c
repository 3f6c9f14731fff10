/* tests/decide/test_mistake.c - p(mistake) as an integral: closed forms, and brute force. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "credence/credence.h"

enum { MOST = 5, STEPS = 400000 };

/* Two rows at mean ± sd have these moments; their weights are the prior. */
static cr_model *gaussians(const double *mean, const double *sd, const double *prior,
                           size_t classes, const char *param)
{
    static const char *const letter[] = {"a", "b", "c", "d", "e"};
    double x[2 * MOST], weight[2 * MOST];
    const char *label[2 * MOST];
    const char *params[] = {"variance=class-feature", "variance-estimate=mle", "variance-floor=0",
                            param};
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    for (size_t c = 0; c < classes; c++)
        for (size_t i = 0; i < 2; i++) {
            x[2 * c + i] = mean[c] + (i == 0 ? -sd[c] : sd[c]);
            weight[2 * c + i] = 64 * prior[c];
            label[2 * c + i] = letter[c];
        }
    const cr_array arrays[] = {{.name = "x", .real = x},
                               {.name = "class", .text = label, .role = CR_ROLE_TARGET},
                               {.name = "weight", .real = weight, .role = CR_ROLE_WEIGHT}};

    assert_int_equal(cr_source_open_arrays(&source, arrays, 3, 2 * classes, NULL), CR_OK);
    if (cr_model_train(&model, source, "nb", params, param != NULL ? 4 : 3, NULL, NULL, &err) !=
        CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

static cr_mistake *mistake_of(const cr_model *model, const cr_rule_options *how)
{
    cr_mistake *m;
    cr_rule *rule = NULL;
    cr_error err = {0};

    if (how != NULL)
        assert_int_equal(cr_rule_new(&rule, model, how, NULL), CR_OK);
    if (cr_model_mistake(&m, model, 0, rule, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_rule_free(rule);
    return m;
}

/* Equal variances: one boundary, ((m1² - m0²) / (2 s²) + ln(P0/P1)) s² / (m1 - m0), and two tails
 * of the normal distribution. */
static void equal_variances_have_one_boundary(void **state)
{
    cr_model *model =
        gaussians((double[]){-1, 2}, (double[]){1.5, 1.5}, (double[]){.75, .25}, 2, NULL);
    cr_mistake *m = mistake_of(model, NULL);
    const double edge = .5 + log(3) * 2.25 / 3;
    const double wrong =
        .75 * erfc((edge + 1) / 1.5 / sqrt(2)) / 2 + .25 * erfc((2 - edge) / 1.5 / sqrt(2)) / 2;

    (void)state;
    assert_int_equal(m->regions, 2);
    assert_true(fabs(m->region[0].high - edge) < 1e-12 && m->region[1].low == m->region[0].high);
    assert_true(m->region[0].decision == 0 && m->region[1].decision == 1);
    assert_true(isinf(m->region[0].low) && isinf(m->region[1].high));
    assert_true(fabs(m->mistake - wrong) < 1e-14 && m->cost == m->mistake);
    assert_true(fabs(m->mistake + m->correct - 1) < 1e-14 && m->rejected == 0);
    assert_true(fabs(m->mass[0 * 3 + 1] + m->mass[1 * 3 + 0] - wrong) < 1e-14);
    cr_mistake_free(m);
    cr_model_free(model);
}

/* The narrow class lies within the wide one: three regions, edges where the quadratic is 0. */
static void unequal_variances_have_two_boundaries(void **state)
{
    cr_model *model = gaussians((double[]){0, 0}, (double[]){1, 3}, (double[]){.5, .5}, 2, NULL);
    cr_mistake *m = mistake_of(model, NULL);
    const double edge = sqrt(2 * log(3) / (1 - 1. / 9));

    (void)state;
    assert_int_equal(m->regions, 3);
    assert_true(fabs(m->region[1].low + edge) < 1e-12 && fabs(m->region[1].high - edge) < 1e-12);
    assert_int_equal(m->region[1].decision, 0);
    assert_true(fabs(m->mistake - (erfc(edge / sqrt(2)) + erf(edge / 3 / sqrt(2))) / 2) < 1e-14);
    cr_mistake_free(m);
    cr_model_free(model);

    /* The same class twice: nothing is gained by looking. */
    model = gaussians((double[]){1, 1}, (double[]){2, 2}, (double[]){.625, .375}, 2, NULL);
    m = mistake_of(model, NULL);
    assert_true(m->regions == 1 && m->region[0].decision == 0);
    assert_true(fabs(m->mistake - .375) < 1e-15);
    cr_mistake_free(m);
    cr_model_free(model);
}

/* Decide each x of a fine line by cr_row_classify() and add up the joint densities. */
static void brute_force(const cr_model *model, const cr_mistake *m, const cr_rule *rule,
                        double *wrong, double *cost)
{
    const double low = -60, high = 60, step = (high - low) / STEPS;
    double posterior[MOST];
    cr_row *row;
    cr_decision d;

    *wrong = *cost = 0;
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    for (size_t i = 0; i < STEPS; i++) {
        const double x = low + ((double)i + .5) * step;

        assert_int_equal(cr_row_set_real(row, 0, x), CR_OK);
        assert_int_equal(cr_row_classify(row, rule, posterior, &d), CR_OK);
        for (size_t c = 0; c < m->classes; c++) {
            const double mass = cr_mistake_density(m, c, x) * step;

            *wrong += d.decision >= 0 && (size_t)d.decision != c ? mass : 0;
            *cost +=
                mass * (rule != NULL ? cr_rule_cost(rule, c, d.decision) : (size_t)d.decision != c);
        }
    }
    cr_row_free(row);
}

static void check(const double *mean, const double *sd, const double *prior, size_t classes,
                  const char *param, const cr_rule_options *how)
{
    cr_model *model = gaussians(mean, sd, prior, classes, param);
    cr_mistake *m = mistake_of(model, how);
    cr_rule *rule = NULL;
    double wrong, cost;

    if (how != NULL)
        assert_int_equal(cr_rule_new(&rule, model, how, NULL), CR_OK);
    brute_force(model, m, rule, &wrong, &cost);
    /* A step is 3e-4; its middle errs by that only where a region ends within it. */
    assert_true(fabs(m->mistake - wrong) < 2e-4 && fabs(m->cost - cost) < 2e-3);
    assert_true(fabs(m->mistake + m->correct + m->rejected - 1) < 1e-12);
    for (size_t i = 1; i < m->regions; i++)
        assert_true(m->region[i].low == m->region[i - 1].high &&
                    m->region[i].decision != m->region[i - 1].decision);
    cr_rule_free(rule);
    cr_mistake_free(m);
    cr_model_free(model);
}

static void brute_force_agrees(void **state)
{
    static const double mean[] = {-2, 1, 3, 8}, sd[] = {1, .25, 2, 4};
    static const double prior[] = {.25, .125, .5, .125};
    const cr_rule_options dear = {.costs = "a->b=7, b->a=3"};
    const cr_rule_options shy = {.costs = "a->b=7", .may_reject = 1, .reject_cost = .3};
    const cr_rule_options other = {.priors = "a:0.1,b:0.9"};
    const cr_rule_options many = {.costs = "a->c=5, d->*=2", .may_reject = 1, .reject_cost = .4};

    (void)state;
    check(mean, sd, (double[]){.5, .5}, 2, NULL, NULL);
    check(mean, sd, (double[]){.5, .5}, 2, NULL, &dear);
    check(mean, sd, (double[]){.5, .5}, 2, NULL, &shy);
    check(mean, sd, (double[]){.5, .5}, 2, NULL, &other);
    check(mean, sd, prior, 4, NULL, NULL);
    check(mean, sd, prior, 4, NULL, &many);
    check(mean, sd, prior, 4, "gaussian=predictive", NULL);
}

static void what_has_no_gaussians_is_refused(void **state)
{
    cr_model *model =
        gaussians((double[]){0, 5}, (double[]){1, 1}, (double[]){.5, .5}, 2, "real=kde");
    cr_mistake *m;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_model_mistake(&m, model, 0, NULL, &err), CR_EARG);
    assert_null(m);
    assert_true(strstr(err.hint, "Gaussian") != NULL);
    assert_int_equal(cr_model_mistake(&m, model, 1, NULL, &err), CR_EARG); /* the target */
    assert_int_equal(cr_model_mistake(&m, model, SIZE_MAX, NULL, &err), CR_EARG);
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_variances_have_one_boundary),
        cmocka_unit_test(unequal_variances_have_two_boundaries),
        cmocka_unit_test(brute_force_agrees),
        cmocka_unit_test(what_has_no_gaussians_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
