/* tests/eval/test_comparison.c - learners against each other: which take part, which wins, and
 * why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "credence/credence.h"

enum { ROWS = 60 };

static double x[ROWS], y[ROWS];
static const char *label[ROWS];

/* Class b where x > y: a line that no axis is along; x and y are spread evenly. */
static cr_source *rows(void)
{
    static const cr_array arrays[] = {{.name = "x", .real = x},
                                      {.name = "y", .real = y},
                                      {.name = "class", .text = label, .role = CR_ROLE_TARGET}};
    cr_source *source;

    for (size_t i = 0; i < ROWS; i++) {
        x[i] = (double)(i * 7 % ROWS);
        y[i] = (double)(i * 11 % ROWS);
        label[i] = x[i] > y[i] ? "b" : "a";
    }
    assert_int_equal(cr_source_open_arrays(&source, arrays, 3, ROWS, NULL), CR_OK);
    return source;
}

static void slips_in_specs_are_told(void **state)
{
    cr_spec *list = NULL;
    size_t count = 0;
    cr_error err = {0};

    (void)state;
    assert_int_equal(
        cr_specs_parse(&list, &count, "treee,nb:variance=class,nb:smothing=none", NULL), CR_OK);
    assert_int_equal(count, 3);
    assert_int_equal(cr_spec_check(&list[0], &err), CR_EARG);
    assert_non_null(strstr(err.hint, "tree"));
    assert_int_equal(cr_spec_check(&list[1], &err), CR_OK);
    assert_int_equal(cr_spec_check(&list[2], &err), CR_EARG);
    assert_non_null(strstr(err.hint, "smoothing"));
    cr_specs_free(list, count);
    assert_int_equal(cr_specs_all(&list, &count, NULL), CR_OK);
    assert_true(count > 8);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(cr_spec_check(&list[i], &err), CR_OK);
    cr_specs_free(list, count);
}

static cr_comparison *compare(const char *text, const cr_compare_options *o, cr_status expected,
                              cr_error *err)
{
    cr_source *source = rows();
    cr_study *study;
    cr_comparison *c = NULL;
    cr_spec *specs = NULL;
    size_t count = 0;

    assert_int_equal(cr_specs_parse(&specs, &count, text, NULL), CR_OK);
    assert_int_equal(cr_study_new(&study, source, &(cr_deal){.folds = 5}, NULL, NULL), CR_OK);
    assert_int_equal(cr_compare_learners(&c, study, specs, count, o, err), expected);
    cr_specs_free(specs, count);
    cr_study_free(study);
    cr_source_close(source);
    return c;
}

/* The figures are those of cross-validation by itself, and the best has the least log-loss. */
static void the_least_log_loss_wins(void **state)
{
    cr_comparison *c = compare("nb,logistic,tree", NULL, CR_OK, NULL);
    const cr_metric *log_loss = cr_metric_find(0, "log_loss");
    double least = INFINITY;
    cr_comparison_facts f;
    cr_entrant e;
    size_t best = 0;

    (void)state;
    cr_comparison_get_facts(c, &f);
    assert_true(f.count == 3 && f.rows == ROWS && f.folds == 5 && f.by == log_loss);
    for (size_t i = 0; cr_comparison_get(c, i, &e) == CR_OK; i++) {
        cr_evaluation *all;
        cr_metrics m;

        assert_int_equal(cr_cv_evaluate(e.cv, SIZE_MAX, NULL, &all, NULL), CR_OK);
        cr_evaluation_metrics(all, &m);
        cr_evaluation_free(all);
        for (size_t k = 0; k < e.metrics->metrics; k++)
            if (cr_metric_get(0, k) == log_loss)
                assert_true(e.metrics->all[k] == m.log_loss);
        if (m.log_loss < least) {
            least = m.log_loss;
            best = i;
        }
        if (i == f.best) {
            assert_true(e.main.difference.mean == 0 && e.only == 0 && e.only_best == 0);
            assert_true(fabs(e.log.worse + e.log.same + e.log.better - 1) < 1e-9);
        } else {
            assert_true(e.log.difference.mean > 0 && e.log.worse > e.log.better);
        }
    }
    assert_int_equal(f.best, best);
    cr_comparison_free(c);
}

static void another_metric_or_costs_may_decide(void **state)
{
    const cr_rule_options costs = {.costs = "a->b=9"};
    cr_comparison_facts f;
    cr_entrant e;
    cr_error err = {0};
    cr_comparison *c = compare("nb,tree", &(cr_compare_options){.by = "kappa"}, CR_OK, NULL);

    (void)state;
    cr_comparison_get_facts(c, &f);
    assert_string_equal(f.by->key, "kappa");
    cr_comparison_free(c);
    c = compare("nb,tree", &(cr_compare_options){.rule = &costs}, CR_OK, NULL);
    cr_comparison_get_facts(c, &f);
    assert_string_equal(f.by->key, "cost");
    assert_int_equal(cr_comparison_get(c, 2, &e), CR_END);
    cr_comparison_free(c);
    assert_null(compare("nb", &(cr_compare_options){.by = "rmse"}, CR_EARG, &err));
    assert_null(compare("nb", &(cr_compare_options){.by = "rows"}, CR_EARG, &err));
}

static void who_cannot_is_told_or_ends_it(void **state)
{
    const cr_compare_options skip = {.skip = 1};
    cr_comparison *c = compare("joint,nb", &skip, CR_OK, NULL);
    cr_comparison_facts f;
    cr_entrant e;
    cr_error err = {0};

    (void)state;
    cr_comparison_get_facts(c, &f);
    assert_int_equal(f.best, 1);
    assert_int_equal(f.rows, ROWS);
    assert_int_equal(cr_comparison_get(c, 0, &e), CR_OK);
    assert_true(e.status != CR_OK && strstr(e.why, "cut into intervals") != NULL);
    cr_comparison_free(c);
    assert_null(compare("joint,nb", NULL, CR_EARG, &err));
    assert_string_equal(err.file, "joint");
    assert_null(compare("joint", &skip, CR_EARG, &err));
    assert_null(compare("nb,nbb", &skip, CR_EARG, &err)); /* a slip, not a learner that cannot */
}

/* By the classes given the rows all have a length, and the joint code only who describes rows. */
static void codes_are_of_the_same_things(void **state)
{
    cr_source *source = rows();
    cr_spec *specs = NULL;
    cr_accounts *all;
    cr_account a;
    cr_error err = {0};
    size_t count = 0;

    (void)state;
    assert_int_equal(cr_specs_parse(&specs, &count, "nb,logistic,tree", NULL), CR_OK);
    for (size_t k = 0; cr_criterion_get(k) != NULL; k++) {
        const char *by = cr_criterion_get(k)->key;
        double least = INFINITY;
        size_t best = SIZE_MAX;

        if (cr_compare_accounts(&all, source, NULL, specs, count, &(cr_account_options){.by = by},
                                NULL, NULL, &err) != CR_OK)
            fail_msg("%s: %s", by, err.message);
        for (size_t i = 0; cr_accounts_get(all, i, &a) == CR_OK; i++) {
            assert_true(a.criteria.class_bits >= 0 && isfinite(a.criteria.mdl));
            assert_true(isnan(a.criteria.data_bits) == (i > 0));
            assert_true(isnan(a.criteria.joint_mdl) == (i > 0));
            if (a.cost < least) {
                least = a.cost;
                best = i;
            }
        }
        assert_int_equal(cr_accounts_best(all), best);
        cr_accounts_free(all);
    }
    cr_specs_free(specs, count);
    cr_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(slips_in_specs_are_told),
                                       cmocka_unit_test(the_least_log_loss_wins),
                                       cmocka_unit_test(another_metric_or_costs_may_decide),
                                       cmocka_unit_test(who_cannot_is_told_or_ends_it),
                                       cmocka_unit_test(codes_are_of_the_same_things)};

    return cmocka_run_group_tests_name("comparison", tests, NULL, NULL);
}
