/* tests/render/test_results.c - results as JSON and as sheets; the keys that help lists are there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "credence/credence.h"

static const double number[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static const char *const label[] = {"a", "a", "a", "b", "a", "a", "b", "b", "a", "b", "b", "b"};

static cr_source *rows(void)
{
    const cr_array arrays[] = {{.name = "x", .real = number},
                               {.name = "class", .text = label, .role = CR_ROLE_TARGET}};
    cr_source *source;

    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 12, NULL), CR_OK);
    return source;
}

static cr_output *memory(void)
{
    cr_output *out;

    assert_int_equal(cr_output_new(&out, NULL, NULL, NULL), CR_OK);
    return out;
}

/* What was written, to be freed; the output is gone. */
static char *text_of(cr_output *out)
{
    size_t size;
    const char *data = cr_output_data(out, &size);
    char *text = malloc(size + 1);

    assert_non_null(text);
    memcpy(text, data, size);
    text[size] = '\0';
    cr_output_free(out);
    return text;
}

static void assert_has_key(const char *json, const char *key, size_t size)
{
    char quoted[80];

    snprintf(quoted, sizeof quoted, "\"%.*s\": ", (int)size, key);
    if (strstr(json, quoted) == NULL)
        fail_msg("there is no %s in %s", quoted, json);
}

/* Every name in the list of keys is a key of the JSON, but for those of `absent`. */
static void assert_keys(const char *result, const char *json, const char *absent)
{
    cr_output *out = memory();
    char *keys;

    assert_int_equal(cr_result_keys(result, out), CR_OK);
    keys = text_of(out);
    for (const char *at = keys; *at != '\0';) {
        const size_t size = strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789");
        char name[80];

        snprintf(name, sizeof name, " %.*s ", (int)size, at);
        if (size > 0 && strstr(absent, name) == NULL)
            assert_has_key(json, at, size);
        at += size + (size == 0);
    }
    free(keys);
}

static void a_test_has_the_keys_of_help(void **state)
{
    const char *const params[] = {"variance=class-feature"};
    cr_source *source = rows();
    cr_evaluation *e;
    cr_model *model;
    cr_output *out = memory();
    cr_sheet *sheet;
    cr_tally tally;
    char *text;
    double x;

    (void)state;
    assert_int_equal(cr_model_train(&model, source, "nb", params, 1, NULL, NULL, NULL), CR_OK);
    assert_int_equal(cr_model_test(model, source, NULL, NULL, &e, &tally, NULL), CR_OK);
    assert_int_equal(cr_test_json(model, e, tally.unlabelled, 0.5, out), CR_OK);
    text = text_of(out);
    assert_keys("test", text,
                " cost expected_cost rejected coverage decided_accuracy threshold decide low high "
                "best_threshold best_cost ");
    assert_non_null(strstr(text, "\"seconds\": 0.5"));
    free(text);
    assert_int_equal(cr_test_sheet(&sheet, model, e, NULL), CR_OK);
    assert_int_equal(cr_sheet_rows(sheet), 2);
    assert_string_equal(cr_sheet_cell(sheet, 1, 0, &x), "b");
    assert_null(cr_sheet_cell(sheet, 1, 1, &x));
    assert_true(x == 6);
    out = memory();
    cr_sheet_csv(sheet, out);
    text = text_of(out);
    assert_non_null(strstr(text, "class,support,precision,recall,f1\na,6,"));
    free(text);
    cr_sheet_free(sheet);
    cr_evaluation_free(e);
    cr_model_free(model);
    cr_source_close(source);
}

static void comparisons_and_settings_too(void **state)
{
    const char *const space[] = {"alpha=0.5,1"};
    cr_source *source = rows();
    cr_comparison *c;
    cr_tuning *tuning;
    cr_study *study;
    cr_spec *specs;
    size_t count;
    cr_output *out = memory();
    char *text;

    (void)state;
    assert_int_equal(cr_specs_parse(&specs, &count, "nb,tree,joint", NULL), CR_OK);
    assert_int_equal(cr_study_new(&study, source, &(cr_deal){.folds = 3}, NULL, NULL), CR_OK);
    assert_int_equal(
        cr_compare_learners(&c, study, specs, count, &(cr_compare_options){.skip = 1}, NULL),
        CR_OK);
    assert_int_equal(cr_comparison_json(c, out), CR_OK);
    text = text_of(out);
    assert_keys("compare", text, " ");
    free(text);
    cr_comparison_free(c);
    out = memory();
    assert_int_equal(cr_tune(&tuning, study, "nb", space, 1, &(cr_tune_options){.nested = 1}, NULL),
                     CR_OK);
    assert_int_equal(cr_tuning_json(tuning, "nb", 1, out), CR_OK);
    text = text_of(out);
    assert_keys("tune", text, " ");
    free(text);
    cr_tuning_free(tuning);
    cr_study_free(study);
    cr_specs_free(specs, count);
    cr_source_close(source);
}

static void accounts_and_drift_too(void **state)
{
    cr_source *source = rows();
    cr_accounts *accounts;
    cr_drift_advice advice;
    cr_model *model;
    cr_drift *drift;
    cr_spec *specs;
    size_t count;
    cr_output *out = memory();
    char *text;

    (void)state;
    assert_int_equal(cr_specs_parse(&specs, &count, "nb,joint", NULL), CR_OK);
    assert_int_equal(cr_compare_accounts(&accounts, source, source, specs, count,
                                         &(cr_account_options){.skip = 1}, NULL, NULL, NULL),
                     CR_OK);
    assert_int_equal(cr_accounts_json(accounts, 0, out), CR_OK);
    text = text_of(out);
    assert_keys("accounts", text, " ");
    free(text);
    cr_accounts_free(accounts);
    cr_specs_free(specs, count);
    assert_int_equal(cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, NULL), CR_OK);
    assert_int_equal(cr_model_drift(model, source, NULL, NULL, &drift, NULL, NULL), CR_OK);
    assert_int_equal(cr_drift_get_advice(drift, 0, &advice), CR_OK);
    assert_int_equal(advice.action, CR_DRIFT_NOTHING);
    assert_int_equal(cr_drift_get_advice(drift, 1, &advice), CR_END);
    assert_true(cr_drift_order(drift, 0) == 0 && cr_drift_order(drift, 1) == SIZE_MAX);
    out = memory();
    assert_int_equal(cr_drift_json(drift, out), CR_OK);
    text = text_of(out);
    assert_keys("drift", text, " new of numbers ");
    free(text);
    cr_drift_free(drift);
    cr_model_free(model);
    cr_source_close(source);
    assert_int_equal(cr_result_keys("nothing", NULL), CR_EARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_test_has_the_keys_of_help),
                                       cmocka_unit_test(comparisons_and_settings_too),
                                       cmocka_unit_test(accounts_and_drift_too)};

    return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
