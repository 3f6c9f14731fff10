/* tests/eval/test_compare.c - likelihoods of rows, and what a model costs to write down.
 *
 * Expected numbers are worked from the counts of a table of eight rows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "credence/compare.h"
#include "credence/credence.h"

static void assert_near(double found, double expected, double absolute)
{
    if (!(fabs(found - expected) <= absolute))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

/* x = a 3 times in A, once in B; x = b once in A, 3 times in B. */
static const char *const x[] = {"a", "a", "a", "b", "a", "b", "b", "b", "a"};
static const char *const class[] = {"A", "A", "A", "A", "B", "B", "B", "B", NULL};

static cr_source *rows(size_t count)
{
    const cr_array arrays[] = {{.name = "x", .text = x},
                               {.name = "class", .text = class, .role = CR_ROLE_TARGET}};
    cr_source *source;

    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, count, NULL), CR_OK);
    return source;
}

static cr_model *train(size_t count, const char *const *params, size_t param_count)
{
    cr_source *source = rows(count);
    cr_model *model;
    cr_error err = {0};

    if (cr_model_train(&model, source, "nb", params, param_count, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

static cr_likelihood likelihood_of(const cr_model *model, size_t count, cr_tally *tally)
{
    cr_source *source = rows(count);
    cr_likelihood l;
    cr_error err = {0};

    if (cr_model_likelihood(model, source, NULL, NULL, &l, tally, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return l;
}

/* Six rows have P(class, x) = 1/2 · 3/4 and two 1/2 · 1/4; P(class | x) is 3/4 and 1/4. */
static void likelihoods_are_sums_over_the_rows(void **state)
{
    const char *none = "smoothing=none";
    cr_model *model = train(8, &none, 1);
    cr_tally tally;
    cr_likelihood l = likelihood_of(model, 9, &tally);

    (void)state;
    assert_near(l.joint, 6 * log(3.0 / 8) + 2 * log(1.0 / 8), 1e-12);
    assert_near(l.conditional, 6 * log(3.0 / 4) + 2 * log(1.0 / 4), 1e-12);
    assert_true(l.rows == 8 && l.impossible == 0);
    assert_true(tally.rows == 8 && tally.unlabelled == 1);
    cr_model_free(model);
}

/* k = 1 + 1 + 1 free parameters, n = 8: 3/2 · 3 = 4.5 bits. */
static void criteria_weigh_likelihood_against_parameters(void **state)
{
    const char *params[] = {"smoothing=none", "alpha=0.25"};
    cr_model *model = train(8, params, 1);
    cr_likelihood l = likelihood_of(model, 8, NULL);
    cr_criteria plain, turned;
    size_t learners = 0, knobs = 0, choices = 1;
    double expected, found;
    cr_knob knob;

    (void)state;
    cr_model_criteria(model, &l, &plain);
    assert_true(plain.parameters == 3);
    assert_near(plain.parameter_bits, 4.5, 1e-12);
    assert_near(plain.data_bits, -l.joint / log(2), 1e-12);
    assert_near(plain.class_bits, -l.conditional / log(2), 1e-12);
    assert_near(plain.bic, 3 * log(8) - 2 * l.conditional, 1e-12);
    assert_near(plain.aic, 6 - 2 * l.conditional, 1e-12);
    assert_near(plain.mdl, plain.parameter_bits + plain.knob_bits + plain.class_bits, 1e-12);
    assert_near(plain.joint_mdl, plain.parameter_bits + plain.knob_bits + plain.data_bits, 1e-12);
    /* Two of eight rows are decided wrongly, of two classes: log2 9 + log2 28 + 2 log2 1. */
    assert_near(plain.error, .25, 0);
    assert_near(plain.mistake_bits, log2(9) + log2(28), 1e-9);
    assert_near(plain.mistakes_mdl, plain.parameter_bits + plain.knob_bits + plain.mistake_bits,
                1e-12);
    while (cr_learner_name(learners) != NULL)
        learners++;
    for (; cr_model_knob(model, knobs, &knob) == CR_OK; knobs++)
        if (strcmp(knob.name, "smoothing") == 0)
            for (const char *c = knob.choices; *c != '\0'; c++)
                choices += *c == '|';
    expected = log2((double)learners) + log2((double)knobs) + log2((double)choices - 1);
    assert_near(plain.knob_bits, expected, 1e-12);
    assert_int_equal(cr_model_refit(model, &params[1], 1, NULL), CR_OK);
    cr_model_criteria(model, &l, &turned); /* four characters more: 0.25 */
    assert_near(turned.knob_bits - plain.knob_bits, log2((double)knobs) + 32, 1e-12);
    assert_int_equal(cr_model_evidence(model, &found, NULL), CR_OK);
    assert_near(turned.log_evidence, found, 0);
    cr_model_free(model);
}

/* A value never seen with smoothing=none and unseen=smooth: no class allows it. */
static void impossible_rows_have_no_likelihood(void **state)
{
    const char *params[] = {"smoothing=none", "unseen=smooth"};
    const char *const other[] = {"a", "c"}, *const label[] = {"A", "A"};
    const cr_array arrays[] = {{.name = "x", .text = other},
                               {.name = "class", .text = label, .role = CR_ROLE_TARGET}};
    cr_model *model = train(8, params, 2);
    cr_source *source;
    cr_likelihood l;

    (void)state;
    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 2, NULL), CR_OK);
    assert_int_equal(cr_model_likelihood(model, source, NULL, NULL, &l, NULL, NULL), CR_OK);
    assert_true(l.joint == -INFINITY && l.impossible == 1 && l.rows == 2);
    assert_near(l.conditional, log(0.75) + log(0.5), 1e-12); /* a uniform guess */
    cr_source_close(source);
    cr_model_free(model);
}

/* An ensemble of one says what its member says; it has no evidence. */
static void ensembles_are_compared_as_well(void **state)
{
    const char *equal = "weights=equal";
    cr_model *model = train(8, NULL, 0), *one;
    const cr_model *members[] = {model};
    cr_likelihood l = likelihood_of(model, 8, NULL), same;
    cr_criteria c;

    (void)state;
    assert_int_equal(cr_model_combine(&one, members, NULL, 1, NULL, &equal, 1, NULL, NULL, NULL),
                     CR_OK);
    same = likelihood_of(one, 8, NULL);
    assert_true(isnan(same.joint)); /* members give posteriors, which describe no rows */
    assert_near(same.conditional, l.conditional, 1e-12);
    cr_model_criteria(one, &same, &c);
    assert_true(isnan(c.log_evidence) && c.parameters == 3);
    cr_model_free(one);
    cr_model_free(model);
}

static void rows_without_classes_are_refused(void **state)
{
    const char *const other[] = {"a"}, *const label[] = {NULL};
    const cr_array arrays[] = {{.name = "x", .text = other},
                               {.name = "class", .text = label, .role = CR_ROLE_TARGET}};
    cr_model *model = train(8, NULL, 0);
    cr_source *source;
    cr_likelihood l;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 1, NULL), CR_OK);
    assert_int_equal(cr_model_likelihood(model, source, NULL, NULL, &l, NULL, &err), CR_EFORMAT);
    assert_string_equal(err.message, "no row has a class");
    cr_source_close(source);
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(likelihoods_are_sums_over_the_rows),
        cmocka_unit_test(criteria_weigh_likelihood_against_parameters),
        cmocka_unit_test(impossible_rows_have_no_likelihood),
        cmocka_unit_test(ensembles_are_compared_as_well),
        cmocka_unit_test(rows_without_classes_are_refused),
    };

    return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
