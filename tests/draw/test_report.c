/* tests/draw/test_report.c - a report from the public interface alone: rows in memory, the page and
 * its figures in memory.
 *
 * The figures are those of cr_model_test() and cr_model_test_regression(), which other tests
 * compare with scikit-learn and R.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "credence/credence.h"

/* Two rows are labelled wrongly; one value is markup. */
static const char rows[] =
    "size,colour,kind\n1,red,<b>a</b>\n1.2,red,<b>a</b>\n0.8,green,<b>a</b>\n"
    "1.1,red,<b>a</b>\n5,green,z\n5.2,green,z\n4.8,red,z\n5.1,green,z\n"
    "5,green,<b>a</b>\n1,red,z\n";
static const char prices[] = "size,colour,price\n1,red,10\n2,red,21\n3,green,29\n4,green,42\n"
                             "5,red,50\n6,green,90\n";

static cr_source *open_rows(const char *text)
{
    cr_source *source = NULL;
    cr_error err = {0};

    if (cr_source_open_memory(&source, text, strlen(text), "rows.csv", NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    return source;
}

static cr_model *trained(const char *text, const char *learner)
{
    cr_source *source = open_rows(text);
    cr_model *model = NULL;
    cr_error err = {0};

    if (cr_model_train(&model, source, learner, NULL, 0, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

static char *text_of(const cr_output *out)
{
    size_t size;
    const char *bytes = cr_output_data(out, &size);
    char *text = malloc(size + 1);

    assert_non_null(text);
    memcpy(text, bytes, size);
    text[size] = '\0';
    return text;
}

/* The page and the JSON; both to be freed. */
static cr_status make(const cr_model *model, const char *text, const cr_report_options *how,
                      char **page, char **json)
{
    cr_source *source = text != NULL ? open_rows(text) : NULL;
    cr_report *report = NULL;
    cr_output *out = NULL, *members = NULL;
    cr_error err = {0};
    cr_status st = cr_report_new(&report, model, source, how, NULL, &err);

    *page = *json = NULL;
    if (st == CR_OK && (st = cr_output_new(&out, NULL, NULL, &err)) == CR_OK)
        st = cr_report_html(report, out, NULL, &err);
    if (st == CR_OK && (st = cr_output_new(&members, NULL, NULL, &err)) == CR_OK)
        st = cr_report_json(report, "page.html", members);
    if (st == CR_OK) {
        *page = text_of(out);
        *json = text_of(members);
    }
    cr_output_free(out);
    cr_output_free(members);
    cr_report_free(report);
    cr_source_close(source);
    return st;
}

static size_t times(const char *text, const char *part)
{
    size_t count = 0;

    for (; (text = strstr(text, part)) != NULL; text++)
        count++;
    return count;
}

/* The number under a key. */
static double member(const char *json, const char *key)
{
    char name[40];
    const char *at;

    snprintf(name, sizeof name, "\"%s\": ", key);
    at = strstr(json, name);
    assert_non_null(at);
    return strtod(at + strlen(name), NULL);
}

static void a_classifier_has_its_figures_and_its_mistakes(void **unused)
{
    cr_model *model = trained(rows, "nb");
    cr_source *source = open_rows(rows);
    cr_evaluation *e = NULL;
    char *page, *json;
    cr_metrics m;

    (void)unused;
    assert_int_equal(cr_model_test(model, source, NULL, NULL, &e, NULL, NULL), CR_OK);
    cr_evaluation_metrics(e, &m);
    assert_int_equal(make(model, rows, NULL, &page, &json), CR_OK);
    assert_true(member(json, "accuracy") == m.accuracy && m.accuracy == 0.8);
    assert_true(member(json, "log_loss") == m.log_loss);
    assert_int_equal(times(json, "\"line\": "), 2);
    assert_int_equal(times(page, "<h3>Line "), 2);
    assert_non_null(strstr(page, "&#60;b&#62;a&#60;/b&#62; taken for z"));
    assert_null(strstr(page, "<b>a"));
    assert_non_null(strstr(page, "the model on the data"));
    assert_non_null(strstr(page, "population stability index"));
    free(page);
    free(json);
    cr_evaluation_free(e);
    cr_source_close(source);
    cr_model_free(model);
}

static void a_regression_has_its_errors_and_weights(void **unused)
{
    cr_model *model = trained(prices, "linear");
    cr_source *source = open_rows(prices);
    cr_regression_metrics m;
    cr_tally tally;
    char *page, *json;

    (void)unused;
    assert_int_equal(cr_model_test_regression(model, source, NULL, 0.8, NULL, &m, &tally, NULL),
                     CR_OK);
    assert_int_equal(
        make(model, prices, &(cr_report_options){.level = 0.8, .mistakes = 1}, &page, &json),
        CR_OK);
    assert_true(member(json, "rmse") == m.rmse && member(json, "coverage") == m.coverage);
    assert_int_equal(times(json, "\"scales\": "), 1);
    assert_non_null(strstr(page, "share of truths inside their 80 % interval"));
    assert_non_null(strstr(page, "<td>(intercept)</td>"));
    free(page);
    free(json);
    cr_source_close(source);
    cr_model_free(model);
}

static void rows_that_come_once_have_no_reasons(void **unused)
{
    cr_model *model = trained(rows, "nb");
    char *page, *json;

    (void)unused;
    assert_int_equal(make(model, rows, &(cr_report_options){.read_once = 1}, &page, &json), CR_OK);
    assert_null(strstr(json, "\"feature\""));
    assert_null(strstr(page, "population stability index"));
    free(page);
    free(json);
    assert_int_equal(make(model, rows, &(cr_report_options){.mistakes = SIZE_MAX}, &page, &json),
                     CR_OK);
    assert_non_null(strstr(page, "There are none."));
    free(page);
    free(json);
    cr_model_free(model);
}

static void wrong_options_are_refused(void **unused)
{
    cr_model *model = trained(prices, "linear");
    char *page, *json;

    (void)unused;
    assert_int_equal(make(model, prices, &(cr_report_options){.level = 1}, &page, &json), CR_EARG);
    assert_int_equal(make(model, prices, &(cr_report_options){.mistakes = 1001}, &page, &json),
                     CR_EARG);
    assert_int_equal(make(model, "size,colour,price\n1,red,\n", NULL, &page, &json), CR_EFORMAT);
    cr_model_free(model);
}

static void a_model_alone_has_a_page(void **unused)
{
    cr_model *classes = trained(rows, "nb"), *numbers = trained(prices, "linear");
    char *page, *json;

    (void)unused;
    assert_int_equal(make(classes, NULL, &(cr_report_options){.model = "m"}, &page, &json), CR_OK);
    assert_non_null(strstr(page, "<title>m</title>"));
    assert_non_null(strstr(page, "What tells the classes apart"));
    assert_null(strstr(page, "rows tested"));
    assert_null(strstr(page, "mistakes"));
    assert_non_null(strstr(json, "\"mistakes\": ["));
    free(page);
    free(json);
    assert_int_equal(make(numbers, NULL, NULL, &page, &json), CR_OK);
    assert_non_null(strstr(page, "<h3>Weights</h3>"));
    assert_null(strstr(page, "rows tested"));
    free(page);
    free(json);
    cr_model_free(classes);
    cr_model_free(numbers);
}

/* Without memory a report is CR_ENOMEM, or, where rows could only not be kept for the curves, made
 * without these; nothing leaks. */
static void lack_of_memory_is_told(void **unused)
{
    cr_model *model = trained(rows, "nb");
    cr_status st = CR_ENOMEM;

    (void)unused;
    for (size_t limit = 0; limit < 20000; limit += 1 + limit / 16) {
        cr_source *source = open_rows(rows);
        cr_report *report = NULL;
        cr_output *out = NULL;
        const cr_run run = {.threads = 1};

        assert_int_equal(cr_output_new(&out, NULL, NULL, NULL), CR_OK);
        cr__memory_fail_after = (long)limit;
        st = cr_report_new(&report, model, source, NULL, &run, NULL);
        if (st == CR_OK)
            st = cr_report_html(report, out, NULL, NULL);
        cr__memory_fail_after = -1;
        assert_true(st == CR_OK || st == CR_ENOMEM);
        cr_report_free(report);
        cr_output_free(out);
        cr_source_close(source);
    }
    assert_int_equal(st, CR_OK);
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_classifier_has_its_figures_and_its_mistakes),
        cmocka_unit_test(a_regression_has_its_errors_and_weights),
        cmocka_unit_test(rows_that_come_once_have_no_reasons),
        cmocka_unit_test(a_model_alone_has_a_page),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(lack_of_memory_is_told),
    };

    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
