/* tests/model/test_spec.c - what people type: names nearly right, learners with knobs, priors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "credence/credence.h"

static const char *nearest(const char *wanted, const char *a, const char *b)
{
    cr_nearest near = {.wanted = wanted};

    cr_nearest_offer(&near, a);
    cr_nearest_offer(&near, b);
    return near.best;
}

static void the_nearest_name_is_near_or_none(void **state)
{
    char longer[100];

    (void)state;
    assert_string_equal(nearest("smothing", "alpha", "smoothing"), "smoothing");
    assert_null(nearest("smothing", "alpha", "prior"));
    assert_string_equal(nearest("tree", "three", "tree"), "tree");
    assert_string_equal(nearest("perdict", "predict", "report"), "predict"); /* swapped */
    assert_string_equal(nearest("pr", "predict", "x"), "predict");           /* a beginning */
    assert_string_equal(nearest("SETOSA", "virginica", "setosa"), "setosa");
    assert_string_equal(nearest("ab", "aa", "bb"), "aa"); /* the first of equals */
    assert_null(nearest("", "abc", "abcd"));
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_null(nearest(longer, "x", "y"));
    assert_string_equal(nearest(longer, longer, "y"), longer);
}

static void a_specification_is_a_learner_with_knobs(void **state)
{
    cr_spec s;

    (void)state;
    assert_int_equal(cr_spec_parse(&s, "nb", NULL), CR_OK);
    assert_string_equal(s.learner, "nb");
    assert_int_equal(s.param_count, 0);
    assert_int_equal(cr_spec_add(&s, "alpha=2", NULL), CR_OK);
    assert_string_equal(s.params[0], "alpha=2");
    cr_spec_free(&s);
    assert_int_equal(cr_spec_parse(&s, "nb:alpha=1:prior=no:0.7,yes:0.3:unseen=ignore", NULL),
                     CR_OK);
    assert_string_equal(s.name, "nb:alpha=1:prior=no:0.7,yes:0.3:unseen=ignore");
    assert_string_equal(s.learner, "nb");
    assert_int_equal(s.param_count, 3);
    assert_string_equal(s.params[0], "alpha=1");
    assert_string_equal(s.params[1], "prior=no:0.7,yes:0.3");
    assert_string_equal(s.params[2], "unseen=ignore");
    cr_spec_free(&s);
}

static void several_are_parted_by_commas(void **state)
{
    cr_spec *s;
    size_t count;

    (void)state;
    assert_int_equal(cr_specs_parse(&s, &count, "nb,gda:pool=0.1,nb:prior=a:0.1,b:0.9,tree", NULL),
                     CR_OK);
    assert_int_equal(count, 4);
    assert_string_equal(s[0].learner, "nb");
    assert_string_equal(s[1].learner, "gda");
    assert_string_equal(s[1].params[0], "pool=0.1");
    assert_string_equal(s[2].params[0], "prior=a:0.1,b:0.9");
    assert_string_equal(s[3].learner, "tree");
    cr_specs_free(s, count);
    assert_int_equal(cr_specs_parse(&s, &count, "", NULL), CR_OK);
    assert_int_equal(count, 1);
    assert_string_equal(s[0].learner, "");
    cr_specs_free(s, count);
}

static void a_specification_trains(void **state)
{
    static const char *const colour[] = {"red", "blue", "red", "green"};
    static const char *const label[] = {"a", "b", "a", "b"};
    const cr_array table[] = {{.name = "colour", .text = colour},
                              {.name = "class", .text = label, .role = CR_ROLE_TARGET}};
    cr_source *source;
    cr_model *model;
    cr_knob knob;
    cr_spec s;

    (void)state;
    assert_int_equal(cr_spec_parse(&s, "nb:alpha=0.25", NULL), CR_OK);
    assert_int_equal(cr_source_open_arrays(&source, table, 2, 4, NULL), CR_OK);
    assert_int_equal(cr_model_train(&model, source, s.learner, (const char *const *)s.params,
                                    s.param_count, NULL, NULL, NULL),
                     CR_OK);
    for (size_t i = 0; cr_model_knob(model, i, &knob) == CR_OK; i++)
        if (strcmp(knob.name, "alpha") == 0)
            assert_string_equal(knob.value, "0.25");
    cr_source_close(source);
    cr_model_free(model);
    cr_spec_free(&s);
}

static void priors_have_names_and_numbers(void **state)
{
    cr_prior p;

    (void)state;
    assert_int_equal(cr_prior_parse(&p, CR_PRIOR_SHARES, NULL, NULL), CR_OK);
    assert_true(p.count == 0 && p.each == 1);
    cr_prior_free(&p);
    assert_int_equal(cr_prior_parse(&p, CR_PRIOR_SHARES, "jeffreys", NULL), CR_OK);
    assert_true(p.count == 0 && p.each == 0.5);
    cr_prior_free(&p);
    assert_int_equal(cr_prior_parse(&p, CR_PRIOR_SHARES, "beta:2,3.5", NULL), CR_OK);
    assert_true(p.count == 2 && p.value[0] == 2 && p.value[1] == 3.5);
    cr_prior_free(&p);
    assert_int_equal(cr_prior_parse(&p, CR_PRIOR_SHARES, "dirichlet:0.1", NULL), CR_OK);
    assert_true(p.count == 0 && p.each == 0.1);
    cr_prior_free(&p);
    assert_int_equal(cr_prior_parse(&p, CR_PRIOR_SHARES, "dirichlet:1,2,3", NULL), CR_OK);
    assert_true(p.count == 3 && p.value[2] == 3);
    cr_prior_free(&p);
    assert_int_equal(cr_prior_parse(&p, CR_PRIOR_NORMAL, NULL, NULL), CR_OK);
    assert_true(p.normal.k == 0 && p.normal.a == -0.5);
    cr_prior_free(&p);
    assert_int_equal(cr_prior_parse(&p, CR_PRIOR_NORMAL, "nig:10,1,2,3", NULL), CR_OK);
    assert_true(p.normal.m == 10 && p.normal.k == 1 && p.normal.a == 2 && p.normal.b == 3);
    cr_prior_free(&p);
    assert_int_equal(cr_prior_parse(&p, CR_PRIOR_RATE, "gamma:2,0.5", NULL), CR_OK);
    assert_true(p.value[0] == 2 && p.value[1] == 0.5);
    cr_prior_free(&p);
}

static void other_priors_are_refused(void **state)
{
    static const char *const bad[] = {
        "",          "beta", "beta:",      "beta:1",    "beta:1,2,3",  "beta:x",   "beta:1,,",
        "dirichlet", "flat", "beta:1,inf", "gamma:1,2", "nig:1,2,3,4", "uniform:1"};
    cr_error err = {0};
    cr_prior p;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(cr_prior_parse(&p, CR_PRIOR_SHARES, bad[i], &err), CR_EARG);
        assert_non_null(strstr(err.hint, "dirichlet:A,B,C"));
        assert_null(p.value);
    }
    assert_int_equal(cr_prior_parse(&p, CR_PRIOR_NORMAL, "beta:1,1", &err), CR_EARG);
    assert_int_equal(cr_prior_parse(&p, CR_PRIOR_RATE, "gamma:1", &err), CR_EARG);
}

static void memory_may_run_out_anywhere(void **state)
{
    cr_status st;
    long n = 0;

    (void)state;
    do {
        cr_spec *s = NULL;
        size_t count = 0;
        cr_prior p = {0};

        cr__memory_fail_after = n++;
        st = cr_specs_parse(&s, &count, "nb:alpha=1:m=2,gda,tree:depth=3", NULL);
        if (st == CR_OK)
            st = cr_prior_parse(&p, CR_PRIOR_SHARES, "dirichlet:1,2,3", NULL);
        cr__memory_fail_after = -1;
        assert_true(st == CR_OK || st == CR_ENOMEM);
        cr_specs_free(s, count);
        cr_prior_free(&p);
    } while (st != CR_OK);
    assert_true(n > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_name_is_near_or_none),
        cmocka_unit_test(a_specification_is_a_learner_with_knobs),
        cmocka_unit_test(several_are_parted_by_commas),
        cmocka_unit_test(a_specification_trains),
        cmocka_unit_test(priors_have_names_and_numbers),
        cmocka_unit_test(other_priors_are_refused),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
