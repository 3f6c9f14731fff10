/* tests/render/test_sheets.c - every result that has a table, read cell by cell and as CSV.
 *
 * A cell is compared with the figure of the result that it shows; the CSV of a sheet has the keys
 * of its columns as header and one line for each row.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/in_memory.h"

static const char rows[] = "x,y,class\n1,5,a\n2,4,a\n3,6,a\n4,1,b\n5,2,a\n6,3,b\n7,9,b\n8,8,b\n"
                           "9,7,a\n10,12,b\n11,10,b\n12,11,b\n";
/* price = 1 + 2 size, exactly */
static const char prices[] = "size,price\n1,3\n2,5\n3,7\n4,9\n5,11\n";

static size_t column_of(const cr_sheet *s, const char *key)
{
    for (size_t c = 0; c < cr_sheet_columns(s); c++)
        if (strcmp(cr_sheet_field(s, c)->key, key) == 0)
            return c;
    fail_msg("no column %s", key);
    return 0;
}

static void assert_number(const cr_sheet *s, size_t row, const char *key, double expected)
{
    double x;

    assert_null(cr_sheet_cell(s, row, column_of(s, key), &x));
    if (!(fabs(x - expected) <= 1e-12 * fmax(1, fabs(expected))))
        fail_msg("%s is %.17g, expected %.17g", key, x, expected);
}

static void assert_text(const cr_sheet *s, size_t row, const char *key, const char *expected)
{
    double x;

    assert_string_equal(cr_sheet_cell(s, row, column_of(s, key), &x), expected);
}

/* The columns for programs, one line for each row; and nothing past the ends. The sheet is freed.
 */
static void assert_whole(cr_sheet *s, size_t count)
{
    char *csv = csv_of(s), *line = csv, buffer[CR_SHOW_SIZE];
    size_t lines = 0;

    assert_int_equal(cr_sheet_rows(s), count);
    assert_null(cr_sheet_field(s, cr_sheet_columns(s)));
    assert_string_equal(cr_sheet_shown(s, count, 0, buffer), "");
    for (size_t c = 0; c < cr_sheet_columns(s); c++)
        if ((cr_sheet_field(s, c)->whom & CR_FOR_PROGRAMS) != 0)
            assert_has(csv, cr_sheet_field(s, c)->key);
    for (; (line = strchr(line, '\n')) != NULL; line++)
        lines++;
    assert_int_equal(lines, count + 1);
    free(csv);
    cr_sheet_free(s);
}

static cr_study *study_of(cr_source *source)
{
    const cr_deal deal = {.folds = 3, .seed = 1};
    cr_study *study = NULL;
    cr_error err = {0};

    assert_ok(cr_study_new(&study, source, &deal, NULL, &err), err);
    return study;
}

/* --- one learner -------------------------------------------------------------------------------
 */

static void folds(void **state)
{
    cr_source *source = rows_of(rows);
    cr_study *study = study_of(source);
    cr_cv *cv = NULL;
    cr_cv_metrics *m = NULL;
    cr_sheet *s = NULL;
    cr_error err = {0};
    size_t accuracy = 0;

    (void)state;
    while (strcmp(cr_metric_get(0, accuracy)->key, "accuracy") != 0)
        accuracy++;
    assert_ok(cr_cv_run(&cv, study, "nb", NULL, 0, &err), err);
    assert_ok(cr_cv_measure(&m, cv, NULL, &err), err);
    assert_ok(cr_cv_sheet(&s, cv, m, &err), err);
    assert_number(s, 2, "accuracy", m->value[2 * m->metrics + accuracy]);
    assert_whole(s, 3);
    cr_cv_metrics_free(m);
    cr_cv_free(cv);
    cr_study_free(study);
    cr_source_close(source);
}

static void settings(void **state)
{
    const char *const space[] = {"alpha=0.5,1,2"};
    cr_source *source = rows_of(rows);
    cr_study *study = study_of(source);
    cr_tuning *tuning = NULL;
    cr_setting best;
    cr_sheet *s = NULL;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_tune(&tuning, study, "nb", space, 1, NULL, &err), err);
    assert_string_equal(cr_tuning_by(tuning)->key, "log_loss");
    assert_int_equal(cr_tuning_setting(tuning, 0, &best), CR_OK);
    assert_ok(cr_tuning_sheet(&s, tuning, &err), err);
    assert_number(s, 0, "log_loss", -best.score); /* more is better of scores, not of losses */
    assert_whole(s, 3);
    cr_tuning_free(tuning);
    cr_study_free(study);
    cr_source_close(source);
}

static void curves(void **state)
{
    const size_t sizes[] = {2, 4, 8};
    const cr_curve_options options = {.sizes = sizes, .size_count = 3, .repeats = 3};
    const char *const name[] = {"naive Bayes"};
    cr_source *source = rows_of(rows);
    cr_study *study = study_of(source);
    cr_learning_curve *curve = NULL;
    const cr_learning_curve *const *all = (const cr_learning_curve *const *)&curve;
    cr_output *out = new_output();
    cr_sheet *s = NULL;
    cr_error err = {0};
    cr_json j;

    (void)state;
    assert_ok(cr_study_curve(study, "nb", NULL, 0, &options, &curve, &err), err);
    assert_ok(cr_curves_sheet(&s, all, name, 1, &err), err);
    assert_text(s, 1, "learner", "naive Bayes");
    assert_number(s, 1, "size", 4);
    assert_number(s, 1, "accuracy", curve->point[1].accuracy.mean);
    assert_whole(s, 3);
    assert_int_equal(cr_curves_json(all, name, 1, NAN, out), CR_OK);
    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    cr_learning_point_json(&j, "naive Bayes", &curve->point[2], 0);
    cr_json_end(&j);
    assert_has(text_of(out), "\"repeats\": 3");
    assert_has(text_of(out), "{\"learner\": \"naive Bayes\", \"size\": 8, \"accuracy\": ");
    cr_output_free(out);
    cr_learning_curve_free(curve);
    cr_study_free(study);
    cr_source_close(source);
}

/* Two learners at each size; the ends of an interval stay within what an accuracy can be. */
static void curves_by_pairs(void **state)
{
    const size_t sizes[] = {4, 8};
    const cr_curve_options options = {.sizes = sizes, .size_count = 2, .repeats = 3};
    const char *const name[] = {"nb", "tree"};
    cr_source *source = rows_of(rows);
    cr_study *study = study_of(source);
    cr_learning_curve *curve[2] = {NULL, NULL};
    const cr_learning_curve *const *all = (const cr_learning_curve *const *)curve;
    cr_output *out = new_output();
    cr_sheet *s = NULL;
    cr_error err = {0};
    cr_paired p;

    (void)state;
    for (size_t i = 0; i < 2; i++)
        assert_ok(cr_study_curve(study, name[i], NULL, 0, &options, &curve[i], &err), err);
    assert_ok(cr_curve_pairs_sheet(&s, all, name, 2, &err), err);
    assert_number(s, 2, "size", 8);
    assert_text(s, 3, "learner", "tree");
    assert_number(s, 3, "accuracy", curve[1]->point[1].accuracy.mean);
    assert_number(s, 3, "low", fmax(0, curve[1]->point[1].accuracy.low));
    assert_number(s, 3, "high", fmin(1, curve[1]->point[1].accuracy.high));
    assert_text(s, 2, "p(t) against the first", "");
    cr_compare_curves(curve[1], curve[0], 1, CR_ROPE, &p);
    assert_number(s, 3, "p(t) against the first", p.p);
    assert_whole(s, 4);
    assert_int_equal(cr_curve_pairs_json(all, name, 2, out), CR_OK);
    assert_has(text_of(out), "\"repeats\": 3,\n  \"tested\": 4,\n  \"points\": [");
    assert_has(text_of(out), "{\"learner\": \"tree\", \"size\": 8, \"accuracy\": ");
    assert_has(text_of(out), "\"p\": null}");
    cr_output_free(out);
    cr_learning_curve_free(curve[0]);
    cr_learning_curve_free(curve[1]);
    cr_study_free(study);
    cr_source_close(source);
}

/* --- several learners --------------------------------------------------------------------------
 */

static void learners_on_the_same_folds(void **state)
{
    cr_source *source = rows_of(rows);
    cr_study *study = study_of(source);
    cr_spec *specs = NULL;
    size_t count = 0;
    cr_comparison *c = NULL;
    cr_comparison_facts facts;
    cr_entrant e;
    cr_sheet *s = NULL;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_specs_parse(&specs, &count, "nb,gda,tree", &err), err);
    assert_ok(cr_compare_learners(&c, study, specs, count, NULL, &err), err);
    cr_comparison_get_facts(c, &facts);
    assert_ok(cr_comparison_sheet(&s, c, &err), err);
    assert_text(s, facts.best, "best", "*");
    assert_int_equal(cr_comparison_get(c, 1, &e), CR_OK);
    assert_text(s, 1, "model", "gda");
    assert_number(s, 1, "bytes", e.bytes);
    assert_whole(s, 3);
    assert_ok(cr_comparison_pairs(&s, c, &err), err);
    assert_int_equal(cr_comparison_get(c, facts.best == 0 ? 1 : 0, &e), CR_OK);
    assert_text(s, 0, "model", e.name); /* the first that is not the best */
    assert_number(s, 0, "accuracy", e.main.difference.mean);
    assert_number(s, 0, "better", e.main.better);
    assert_whole(s, 2);
    cr_comparison_free(c);
    cr_specs_free(specs, count);
    cr_study_free(study);
    cr_source_close(source);
}

static void learners_on_all_rows(void **state)
{
    cr_source *source = rows_of(rows);
    const cr_account_options options = {.by = "bic"};
    cr_spec *specs = NULL;
    size_t count = 0;
    cr_accounts *accounts = NULL;
    cr_account a;
    cr_sheet *s = NULL;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_specs_parse(&specs, &count, "nb,gda", &err), err);
    assert_ok(
        cr_compare_accounts(&accounts, source, NULL, specs, count, &options, NULL, NULL, &err),
        err);
    assert_ptr_equal(cr_accounts_by(accounts), cr_criterion_find("bic"));
    assert_int_equal(cr_accounts_get(accounts, 1, &a), CR_OK);
    assert_true(a.cost == a.criteria.bic);
    assert_ok(cr_accounts_sheet(&s, accounts, &err), err);
    assert_number(s, 1, "bic", a.criteria.bic);
    assert_whole(s, 2);
    cr_accounts_free(accounts);
    cr_specs_free(specs, count);
    cr_source_close(source);
}

/* --- drift -------------------------------------------------------------------------------------
 */

static void features_that_changed(void **state)
{
    cr_model *model = model_of(rows, "nb", NULL);
    cr_source *source = rows_of("x,y,class\n101,5,a\n102,4,a\n103,6,b\n104,1,b\n");
    cr_drift *drift = NULL;
    cr_drift_feature f;
    cr_sheet *s = NULL;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_model_drift(model, source, NULL, NULL, &drift, NULL, &err), err);
    assert_int_equal(cr_drift_get_feature(drift, 0, &f), CR_OK);
    assert_string_equal(cr_drift_verdict_name(f.verdict), "strong");
    assert_ok(cr_drift_sheet(&s, drift, &err), err);
    assert_text(s, 0, "feature", "x"); /* the largest change first */
    assert_number(s, 0, "index", f.index);
    assert_whole(s, 2);
    cr_drift_free(drift);
    cr_source_close(source);
    cr_model_free(model);
}

/* --- regression --------------------------------------------------------------------------------
 */

/* Errors 1, -1, 1, -1: the mean is 0, the root of the mean square 1. */
static void figures_of_a_regression(void **state)
{
    const cr_regression_metrics m = {
        .rows = 4, .rmse = 1, .mae = 1, .bias = 1e-17, .r2 = 0.5, .coverage = 0.75, .level = 0.9};
    const cr_metric *bias = cr_metric_find(1, "bias"), *coverage = cr_metric_find(1, "coverage");
    char meaning[80];
    cr_output *out = new_output();
    cr_sheet *s = NULL;
    cr_error err = {0};
    const char *text;
    cr_json j;

    (void)state;
    assert_true(cr_regression_value(&m, bias) == 1e-17);
    assert_true(cr_regression_shown(&m, bias) == 0); /* no more than rounding error */
    assert_string_equal(cr_regression_meaning(&m, coverage, meaning, sizeof meaning),
                        "share of truths inside their 90 % interval");
    assert_ok(cr_regression_sheet(&s, &m, &err), err);
    assert_text(s, 0, "measure", cr_metric_get(1, 0)->title);
    cr_sheet_free(s);
    assert_int_equal(cr_regression_json(&m, 3, NAN, out), CR_OK);
    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    cr_regression_members(&j, &m);
    cr_json_end(&j);
    text = text_of(out);
    assert_has(text, "\"unlabelled\": 3");
    assert_has(text, "\"rmse\": 1");
    assert_has(strchr(text, '}'), "\"coverage\": 0.75"); /* the members by themselves */
    cr_output_free(out);
}

static void weights_of_a_regression(void **state)
{
    cr_model *model = model_of(prices, "linear", "lambda=0"), *nb = model_of(rows, "nb", NULL);
    cr_sheet *s = NULL;
    cr_error err = {0};
    double x;

    (void)state;
    assert_ok(cr_coefficients_sheet(&s, model, 0.95, &err), err);
    assert_text(s, 0, "column", "(intercept)");
    assert_text(s, 1, "column", "size");
    assert_null(cr_sheet_cell(s, 0, column_of(s, "weight"), &x));
    assert_true(fabs(x - 1) < 1e-9);
    assert_null(cr_sheet_cell(s, 1, column_of(s, "weight"), &x));
    assert_true(fabs(x - 2) < 1e-9);
    assert_whole(s, 2);
    assert_int_equal(cr_coefficients_sheet(&s, nb, 0.95, &err), CR_EARG);
    cr_model_free(model);
    cr_model_free(nb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds),
        cmocka_unit_test(settings),
        cmocka_unit_test(curves),
        cmocka_unit_test(curves_by_pairs),
        cmocka_unit_test(learners_on_the_same_folds),
        cmocka_unit_test(learners_on_all_rows),
        cmocka_unit_test(features_that_changed),
        cmocka_unit_test(figures_of_a_regression),
        cmocka_unit_test(weights_of_a_regression),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
