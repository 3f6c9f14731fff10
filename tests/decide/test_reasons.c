/* tests/decide/test_reasons.c - one row: its answer, the reasons for it, and its own fields.
 *
 * Expected probabilities are worked by hand from the tables below, without smoothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "support/in_memory.h"

/* P(yes) = P(no) = 1/2; P(sun | yes) = 1, P(sun | no) = 1/2; P(weak | ·) = 1/2. */
static const char play[] = "sky,wind,play\nsun,weak,yes\nsun,strong,yes\nsun,weak,no\n"
                           "rain,strong,no\n";
static const char letters[] = "text,class\n"
                              "cheap pills cheap pills,spam\nnoon today,good\n"
                              "cheap noon pills today,spam\nlunch noon today,good\n";
static const char prices[] = "size,price\n1,2\n2,4\n3,6\n4,8.5\n";

/* --- a decision --------------------------------------------------------------------------------
 */

/* sun, weak: yes has 1/2 · 1 · 1/2 = 1/4, no has 1/2 · 1/2 · 1/2 = 1/8, so P(yes) = 2/3. */
static cr_status see_sun(void *context, const cr_explanation *e)
{
    const cr_model *model = context;
    int32_t rival = 99;

    assert_string_equal(cr_model_class(model, (size_t)e->decision), "yes");
    assert_true(fabs(cr_explanation_certainty(e) - 2.0 / 3) < 1e-12);
    assert_int_equal(cr_explanation_rival(&rival, model, e, NULL, NULL), CR_OK);
    assert_string_equal(cr_model_class(model, (size_t)rival), "no");
    assert_int_equal(cr_explanation_rival(&rival, model, e, "yes", NULL), CR_OK);
    assert_string_equal(cr_model_class(model, (size_t)rival), "no"); /* not the decision itself */
    assert_int_equal(cr_explanation_rival(&rival, model, e, "maybe", NULL), CR_EARG);
    assert_null(cr_explanation_zero(e, (size_t)e->decision));
    assert_true(cr_factor_alike(&e->factor[1], 0) == e->factor[1].log_p[0]); /* it has no words */
    return CR_OK;
}

/* rain was never seen with yes: no other class is possible, so the decision is certain. */
static cr_status see_rain(void *context, const cr_explanation *e)
{
    const cr_model *model = context;
    size_t yes;

    assert_int_equal(cr_model_find_class(&yes, model, "yes", NULL), CR_OK);
    assert_string_equal(cr_model_class(model, (size_t)e->decision), "no");
    assert_true(cr_explanation_certainty(e) == 1);
    assert_non_null(cr_explanation_zero(e, yes));
    assert_string_equal(cr_explanation_zero(e, yes)->name, "sky");
    return CR_OK;
}

static void one_row_explained(void **state)
{
    cr_model *model = model_of(play, "nb", "smoothing=none");
    cr_row *row = NULL;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_row_new(&row, model, &err), err);
    assert_ok(cr_row_set_named(row, "sky", "sun", &err), err);
    assert_ok(cr_row_set_named(row, "wind", "weak", &err), err);
    assert_ok(cr_row_explain(row, NULL, see_sun, model, &err), err);
    assert_ok(cr_row_set_named(row, "sky", "rain", &err), err);
    assert_ok(cr_row_explain(row, NULL, see_rain, model, &err), err);
    cr_row_free(row);
    cr_model_free(model);
}

/* The words of a text, the one that favours the decision most first: pills and cheap are three
 * times among the eight words of spam, noon and today once. */
static cr_status see_words(void *context, const cr_explanation *e)
{
    const cr_factor *text = &e->factor[1];
    size_t order[3];
    double sum = cr_factor_alike(text, (size_t)e->decision);

    (void)context;
    assert_int_equal(text->words, 3);
    assert_int_equal(cr_factor_order_words(text, e->decision, e->runner_up, order), CR_OK);
    assert_memory_equal(text->word[order[2]].bytes, "noon", 4);
    for (size_t i = 0; i + 1 < 3; i++) {
        const double *a = text->word[order[i]].log_p, *b = text->word[order[i + 1]].log_p;

        assert_true(a[e->decision] - a[e->runner_up] >= b[e->decision] - b[e->runner_up]);
    }
    for (size_t i = 0; i < 3; i++)
        sum += text->word[i].log_p[e->decision];
    assert_true(fabs(sum - text->log_p[e->decision]) < 1e-12); /* alike and words are all of it */
    return CR_OK;
}

static void words_in_order(void **state)
{
    cr_model *model = model_with(letters, "nb", NULL, "text=text");
    cr_row *row = NULL;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_row_new(&row, model, &err), err);
    assert_ok(cr_row_set_named(row, "text", "cheap pills noon unknown", &err), err);
    assert_ok(cr_row_explain(row, NULL, see_words, NULL, &err), err);
    cr_row_free(row);
    cr_model_free(model);
}

/* --- many rows at once --------------------------------------------------------------------------
 */

/* sky and wind: three of the four rows as above, with P(yes) = 2/3 where the sun shines, and 0
 * where it rains. Numbers are evenly spaced. */
static void a_grid(void **state)
{
    const char *const sky[] = {"sun", "rain"}, *const wind[] = {"weak", "strong"};
    const cr_grid_axis x = {.column = 0, .points = 2, .value = sky},
                       y = {.column = 1, .points = 2, .value = wind},
                       no = {.column = 9, .points = 2, .value = wind},
                       even = {.points = 5, .low = 1, .high = 3};
    cr_model *model = model_of(play, "nb", "smoothing=none");
    cr_row *row = NULL;
    double p[2 * 2 * 2];
    size_t yes;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_model_find_class(&yes, model, "yes", &err), err);
    assert_ok(cr_row_new(&row, model, &err), err);
    assert_ok(cr_row_grid(row, &x, &y, p, &err), err);
    for (size_t i = 0; i < 4; i++) {
        assert_true(fabs(p[2 * i + yes] - (i % 2 == 0 ? 2.0 / 3 : 0)) < 1e-12);
        assert_true(fabs(p[2 * i] + p[2 * i + 1] - 1) < 1e-12);
    }
    assert_int_equal(cr_row_grid(row, &x, &no, p, &err), CR_EARG);
    assert_true(cr_grid_at(&even, 0) == 1 && cr_grid_at(&even, 1) == 1.5 &&
                cr_grid_at(&even, 4) == 3);
    cr_row_free(row);
    cr_model_free(model);
}

/* --- a number ----------------------------------------------------------------------------------
 */

typedef struct page {
    const cr_model *model;
    cr_output *out;
} page;

static cr_status see_number(void *context, const cr_regression_explanation *e)
{
    const page *p = context;
    cr_error err = {0};

    if (e->line == 2)
        assert_ok(cr_regression_explanation_json(p->model, e, 0.95, 0, p->out, &err), err);
    return CR_OK;
}

/* A Student-t with f degrees of freedom and scale s has variance s² f / (f - 2). */
static void one_number(void **state)
{
    cr_model *model = model_of(prices, "linear", NULL);
    cr_source *source = rows_of(prices);
    cr_output *out = new_output();
    cr_row *row = NULL;
    cr_regression mine, theirs;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_row_new(&row, model, &err), err);
    cr_row_set_real(row, 0, 2);
    assert_int_equal(cr_row_regress(row, &mine), CR_OK);
    assert_int_equal(cr_model_regress(model, row, &theirs), CR_OK);
    assert_true(mine.mean == theirs.mean && mine.scale == theirs.scale);
    mine = (cr_regression){.mean = 1, .scale = 3, .freedom = 6};
    assert_true(fabs(cr_regression_variance(&mine) - 9 * 6 / 4.0) < 1e-12);
    mine.freedom = 2;
    assert_true(isinf(cr_regression_variance(&mine)));
    assert_ok(
        cr_model_explain_regression(model, source, NULL, see_number, &(page){model, out}, &err),
        err);
    assert_has(text_of(out), "\"size\"");
    cr_row_free(row);
    cr_output_free(out);
    cr_source_close(source);
    cr_model_free(model);
}

/* --- a row's own fields ------------------------------------------------------------------------
 */

static cr_status see_fields(void *context, const cr_predictions *p)
{
    size_t *seen = context;

    assert_int_equal(cr_predictions_fields(p), 3);
    assert_string_equal(cr_predictions_field_name(p, 1), "wind");
    *seen += p->rows;
    return CR_OK;
}

static void fields_of_the_input(void **state)
{
    cr_model *model = model_of(play, "nb", NULL);
    cr_source *source = rows_of(play);
    size_t seen = 0;
    const cr_sink sink = {.visit = see_fields, .context = &seen};
    cr_error err = {0};

    (void)state;
    assert_ok(cr_model_predict(model, source, NULL, &sink, NULL, NULL, &err), err);
    assert_int_equal(seen, 4);
    cr_source_close(source);
    cr_model_free(model);
}

/* --- mail --------------------------------------------------------------------------------------
 */

/* A field that a filter added earlier does not count: both messages are the same row. */
static void a_message_as_a_row(void **state)
{
    static const char message[] = "Subject: pills\n\ncheap pills\n",
                      marked[] = "Subject: pills\nX-Credence: ham\n\ncheap pills\n";
    cr_model *model = NULL, *none = model_of(play, "nb", NULL);
    cr_row *row = NULL;
    double p[2], q[2];
    int32_t decision;
    size_t column = 9;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_filter_train(&model, message, sizeof message - 1, "spam", NULL, 0, &err), err);
    assert_ok(
        cr_filter_teach(model, "Subject: lunch\n\nat noon\n", 24, NULL, "ham", 1, NULL, NULL, &err),
        err);
    assert_ok(cr_filter_column(model, &column, &err), err);
    assert_int_equal(cr_schema_kind(cr_model_schema(model), column), CR_BAG);
    assert_int_equal(cr_filter_column(none, &column, &err), CR_ECONFLICT);
    assert_ok(cr_row_new(&row, model, &err), err);
    assert_ok(cr_filter_row(row, message, sizeof message - 1, &err), err);
    assert_int_equal(cr_model_classify(model, row, p, &decision, NULL), CR_OK);
    assert_string_equal(cr_model_class(model, (size_t)decision), "spam");
    assert_ok(cr_filter_row(row, marked, sizeof marked - 1, &err), err);
    assert_int_equal(cr_model_classify(model, row, q, &decision, NULL), CR_OK);
    assert_true(p[0] == q[0] && p[1] == q[1]);
    cr_row_free(row);
    cr_model_free(model);
    cr_model_free(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_row_explained),
        cmocka_unit_test(words_in_order),
        cmocka_unit_test(a_grid),
        cmocka_unit_test(one_number),
        cmocka_unit_test(fields_of_the_input),
        cmocka_unit_test(a_message_as_a_row),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
