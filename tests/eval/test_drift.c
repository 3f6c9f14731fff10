/* tests/eval/test_drift.c - recent rows compared with a model's statistics.
 *
 * Expected numbers are SciPy's (chi2_contingency with the log-likelihood, ttest_ind without equal
 * variances, ks_2samp) or worked by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "credence/credence.h"
#include "credence/drift.h"

enum { MOST = 1200 };

static void assert_near(double found, double expected, double relative)
{
    if (!(fabs(found - expected) <= relative * fmax(fabs(expected), 1e-12)))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

/* --- tables ----------------------------------------------------------------------------------- */

typedef struct rows {
    const char *symbol[MOST], *class[MOST];
    double number[MOST];
    size_t count;
} rows;

static void add(rows *t, size_t count, const char *symbol, double number, const char *class)
{
    for (; count > 0; count--) {
        t->symbol[t->count] = symbol;
        t->number[t->count] = number;
        t->class[t->count++] = class;
    }
}

static cr_source *open_rows(const rows *t)
{
    const cr_array arrays[] = {{.name = "s", .text = t->symbol},
                               {.name = "x", .real = t->number},
                               {.name = "class", .text = t->class, .role = CR_ROLE_TARGET}};
    cr_source *source;

    assert_int_equal(cr_source_open_arrays(&source, arrays, 3, t->count, NULL), CR_OK);
    return source;
}

static cr_model *train(const rows *t, const char *param)
{
    cr_source *source = open_rows(t);
    cr_model *model;
    cr_error err = {0};

    if (cr_model_train(&model, source, "nb", &param, param != NULL, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

static cr_drift *compare(const cr_model *model, const rows *t, const cr_drift_options *options)
{
    cr_source *source = open_rows(t);
    cr_drift *drift;
    cr_error err = {0};

    if (cr_model_drift(model, source, options, NULL, &drift, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return drift;
}

static cr_drift_feature feature(const cr_drift *drift, size_t index)
{
    cr_drift_feature f;

    assert_int_equal(cr_drift_get_feature(drift, index, &f), CR_OK);
    return f;
}

/* --- tests ------------------------------------------------------------------------------------ */

/* 60 a, 40 b before; 30 a, 70 b after. */
static void symbols_are_compared_by_counts(void **state)
{
    static rows before, after;
    cr_model *model;
    cr_drift *d;
    cr_drift_feature f;
    cr_drift_change change;

    (void)state;
    before = after = (rows){0};
    add(&before, 60, "a", NAN, "p");
    add(&before, 40, "b", NAN, "q");
    add(&after, 30, "a", NAN, NULL);
    add(&after, 70, "b", NAN, NULL);
    model = train(&before, NULL);
    d = compare(model, &after, &(cr_drift_options){.correction = CR_CORRECT_NONE});
    f = feature(d, 0);
    assert_string_equal(f.test, "G2");
    assert_near(f.statistic, 18.4803316726054, 1e-13);
    assert_near(f.p, 1.71666764674322e-05, 1e-12);
    assert_near(f.index, 0.368087351622522, 1e-13); /* with half a row added to each share */
    assert_true(f.freedom == 1 && f.verdict == CR_DRIFT_STRONG && f.new_values == 0);
    assert_int_equal(cr_drift_get_change(d, 0, 0, &change), CR_OK);
    assert_string_equal(change.name, "a"); /* .3 ln (.6 / .3) is more than .3 ln (.7 / .4) */
    assert_int_equal(cr_drift_get_change(d, 0, 2, &change), CR_END);
    assert_int_equal(feature(d, 1).verdict, CR_DRIFT_UNKNOWN); /* no numbers at all */
    cr_drift_free(d);
    cr_model_free(model);
}

/* 1/4, 2/4 … 10 before, the first thirty of them times 1.1 plus 2 after. */
static void numbers_are_compared_by_their_moments(void **state)
{
    static rows before, after;
    cr_model *model;
    cr_drift *d;
    cr_drift_feature f;

    (void)state;
    before = after = (rows){0};
    for (int i = 1; i <= 40; i++)
        add(&before, 1, "a", i / 4.0, i % 3 == 0 ? "p" : "q");
    for (int i = 1; i <= 30; i++)
        add(&after, 1, "a", i / 4.0 * 1.1 + 2, NULL);
    model = train(&before, NULL);
    d = compare(model, &after, NULL);
    f = feature(d, 1);
    assert_string_equal(f.test, "moments");
    assert_near(f.statistic, 1.77885083099887, 1e-12);
    assert_near(f.p, 1 - (1 - 0.0797817995700085) * (1 - 0.0797817995700085), 1e-10);
    assert_near(f.mean_before, 5.125, 1e-14);
    assert_near(f.mean_after, 6.2625, 1e-14);
    assert_int_equal(f.verdict, CR_DRIFT_NONE);
    cr_drift_free(d);
    cr_model_free(model);
}

/* The same numbers where the model keeps them. */
static void kept_numbers_are_compared_one_by_one(void **state)
{
    static rows before, after;
    cr_model *model;
    cr_drift *d;
    cr_drift_feature f;

    (void)state;
    before = after = (rows){0};
    for (int i = 1; i <= 40; i++)
        add(&before, 1, "a", i / 4.0, i % 3 == 0 ? "p" : "q");
    for (int i = 1; i <= 30; i++)
        add(&after, 1, "a", i / 4.0 * 1.1 + 2, NULL);
    model = train(&before, "real=kde");
    d = compare(model, &after, &(cr_drift_options){.correction = CR_CORRECT_NONE});
    f = feature(d, 1);
    assert_string_equal(f.test, "KS");
    assert_near(f.statistic, 0.225, 1e-12);
    assert_near(f.p, 0.350617804788653, 1e-9);
    cr_drift_free(d);
    cr_model_free(model);
}

/* P(a|p) = .9 and P(a|q) = .2; 41 of 100 recent rows are a, so P(p) = (.41 - .2) / .7 = .3. */
static void shares_of_classes_are_found_without_labels(void **state)
{
    static rows before, after;
    cr_model *model;
    cr_drift *d;
    cr_drift_class c;
    cr_drift_summary s;

    (void)state;
    before = after = (rows){0};
    add(&before, 450, "a", NAN, "p");
    add(&before, 50, "b", NAN, "p");
    add(&before, 100, "a", NAN, "q");
    add(&before, 400, "b", NAN, "q");
    add(&after, 410, "a", NAN, NULL);
    add(&after, 590, "b", NAN, NULL);
    model = train(&before, "smoothing=none");
    d = compare(model, &after, NULL);
    assert_int_equal(cr_drift_get_class(d, 0, &c), CR_OK);
    assert_string_equal(c.name, "p");
    assert_near(c.before, 0.5, 1e-14);
    assert_near(c.estimated, 0.3, 1e-6);
    assert_true(isnan(c.labelled));
    cr_drift_get_summary(d, &s);
    assert_true(s.rows == 1000 && s.labelled == 0 && s.prior_p < 1e-6);
    /* ln L: 410 ln(.41 / .55) + 590 ln(.59 / .45), twice. */
    assert_near(s.prior_statistic, 2 * (410 * log(.41 / .55) + 590 * log(.59 / .45)), 1e-6);
    assert_int_equal(s.prior_verdict, CR_DRIFT_MODERATE);
    assert_int_equal(cr_drift_get_class(d, 2, &c), CR_END);
    cr_drift_free(d);
    cr_model_free(model);
}

static void new_values_and_gaps_are_told(void **state)
{
    static rows before, after;
    cr_model *model;
    cr_drift *d;
    cr_drift_feature f;
    cr_drift_change change;

    (void)state;
    before = after = (rows){0};
    add(&before, 50, "a", 1, "p");
    add(&before, 50, "b", 2, "q");
    add(&after, 50, "a", NAN, "p");
    add(&after, 45, "b", 2, "q");
    add(&after, 5, "never<seen>", 1, "q");
    model = train(&before, NULL);
    d = compare(model, &after, NULL);
    f = feature(d, 0);
    assert_int_equal(f.new_values, 1);
    assert_near(f.new_share, 0.05, 1e-14);
    assert_int_equal(f.verdict, CR_DRIFT_MODERATE);
    assert_int_equal(cr_drift_get_change(d, 0, 0, &change), CR_OK);
    assert_string_equal(change.name, "never<seen>");
    assert_true(change.is_new && change.before == 0);
    f = feature(d, 1);
    assert_near(f.missing_after, 0.5, 1e-14);
    assert_true(f.missing_before == 0 && f.missing_p < 1e-10);
    assert_true(f.verdict >= CR_DRIFT_MODERATE);
    cr_drift_free(d);
    cr_model_free(model);
}

/* The same rows as in training are no drift, and Holm's p is at least the plain one. */
static void the_training_rows_themselves_are_stable(void **state)
{
    static rows t;
    cr_model *model;
    cr_drift *d;

    (void)state;
    t = (rows){0};
    for (int i = 0; i < 300; i++)
        add(&t, 1, i % 7 < 3 ? "a" : "b", i % 11, i % 2 ? "p" : "q");
    model = train(&t, NULL);
    d = compare(model, &t, NULL);
    for (size_t i = 0; i < 2; i++) {
        const cr_drift_feature f = feature(d, i);

        assert_int_equal(f.verdict, CR_DRIFT_NONE);
        assert_true(f.corrected >= f.p && fabs(f.index) < 1e-9);
    }
    cr_drift_free(d);
    cr_model_free(model);
}

static void without_memory_there_is_an_error(void **state)
{
    static rows t;
    cr_model *model;
    int failures = 0;

    (void)state;
    t = (rows){0};
    add(&t, 5, "a", 1, "p");
    add(&t, 5, "b", 2, "q");
    model = train(&t, NULL);
    add(&t, 5, "c", 3, "q");
    for (long n = 0; n < 3000; n++) {
        cr_source *source = open_rows(&t);
        cr_drift *d = NULL;
        cr_status st;

        cr__memory_fail_after = n;
        st = cr_model_drift(model, source, NULL, &(cr_run){.threads = 1}, &d, NULL, NULL);
        cr__memory_fail_after = -1;
        cr_source_close(source);
        cr_drift_free(d);
        if (st == CR_OK)
            break;
        assert_int_equal(st, CR_ENOMEM);
        failures++;
    }
    assert_true(failures > 5 && failures < 3000);
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_are_compared_by_counts),
        cmocka_unit_test(numbers_are_compared_by_their_moments),
        cmocka_unit_test(kept_numbers_are_compared_one_by_one),
        cmocka_unit_test(shares_of_classes_are_found_without_labels),
        cmocka_unit_test(new_values_and_gaps_are_told),
        cmocka_unit_test(the_training_rows_themselves_are_stable),
        cmocka_unit_test(without_memory_there_is_an_error),
    };

    return cmocka_run_group_tests_name("drift", tests, NULL, NULL);
}
