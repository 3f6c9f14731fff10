/* tests/render/test_json_of_results.c - results written as JSON, read again, compared with what
 * they were made from.
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

#include "support/in_memory.h"

static const char play[] = "sky,wind,play\nsun,weak,yes\nsun,strong,yes\nsun,weak,no\n"
                           "rain,strong,no\n";
static const char lawn[] = "network lawn {}\n"
                           "variable rain { type discrete [ 2 ] { yes, no }; }\n"
                           "variable lawn { type discrete [ 2 ] { wet, dry }; }\n"
                           "probability ( rain ) { table 0.3, 0.7; }\n"
                           "probability ( lawn | rain ) { (yes) 0.9, 0.1; (no) 0.2, 0.8; }\n";

/* The object that was written; the output is freed, the object is to be freed. */
static const cr_json_value *read_again(cr_output *out)
{
    const cr_json_value *root = NULL;
    size_t size;
    const char *bytes = cr_output_data(out, &size);
    cr_error err = {0};

    assert_ok(cr_json_parse(&root, bytes, size, &err), err);
    cr_output_free(out);
    return root;
}

static void assert_member(const cr_json_value *v, const char *key, double expected)
{
    const double x = cr_json_get_number(v, key, NAN);

    if (!(fabs(x - expected) <= 1e-12 * fmax(1, fabs(expected))))
        fail_msg("%s is %.17g, expected %.17g", key, x, expected);
}

static void assert_word(const cr_json_value *v, const char *key, const char *expected)
{
    assert_string_equal(cr_json_get_text(v, key, "(none)"), expected);
}

static cr_model *read_lawn(void)
{
    cr_model *model = NULL;
    cr_error err = {0};

    assert_ok(cr_network_read_bytes(&model, lawn, strlen(lawn), "lawn.bif", NULL, &err), err);
    return model;
}

/* --- what was done to a model ------------------------------------------------------------------
 */

static void training_and_changes(void **state)
{
    cr_model *model = model_of(play, "nb", "alpha=2");
    const cr_training_report trained = {.name = "play.model", .tally = {.rows = 4}, .seconds = 0.5};
    const cr_change_report learned = {.name = "play.model",
                                      .rows_before = 1,
                                      .classes_before = 1,
                                      .done = "learned",
                                      .tally = {.rows = 3},
                                      .seconds = 0.25};
    cr_output *out = new_output();
    const cr_json_value *v;
    char knobs[80];

    (void)state;
    assert_int_equal(cr_training_json(model, &trained, out), CR_OK);
    v = read_again(out);
    assert_word(v, "model", "play.model");
    assert_word(v, "learner", "nb");
    assert_word(v, "target", "play");
    assert_member(v, "seconds", 0.5);
    assert_int_equal(cr_json_get(v, "columns")->count, 3);
    cr_json_free(v);

    out = new_output();
    assert_int_equal(cr_change_json(model, &learned, out), CR_OK);
    v = read_again(out);
    assert_member(v, "rows_before", 1);
    assert_member(v, "rows", 4);
    assert_member(v, "learned", 3);
    assert_member(v, "classes", 2);
    cr_json_free(v);
    assert_has(cr_show_knobs(knobs, sizeof knobs, model), "alpha=2");
    cr_model_free(model);
}

static void combinations_and_calibrations(void **state)
{
    cr_model *nb = model_of(play, "nb", NULL), *tree = model_of(play, "tree", NULL), *both = NULL;
    const cr_model *const member[] = {nb, tree};
    const char *const name[] = {"nb", "tree"}, *const equal = "weights=equal";
    const cr_calibration_report report = {.method = "temperature",
                                          .rows = 4,
                                          .temperature = 1.5,
                                          .log_loss_before = 0.75,
                                          .log_loss_after = 0.5};
    cr_output *out = new_output();
    const cr_json_value *v;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_model_combine(&both, member, name, 2, NULL, &equal, 1, NULL, NULL, &err), err);
    assert_int_equal(cr_combination_json(both, "both.model", &(cr_tally){0}, 0.5, out), CR_OK);
    v = read_again(out);
    assert_word(v, "model", "both.model");
    assert_int_equal(cr_json_get(v, "members")->count, 2);
    assert_member(cr_json_get(v, "members")->child, "weight", 0.5);
    cr_json_free(v);

    out = new_output();
    assert_int_equal(cr_calibration_json(&report, "nb.model", out), CR_OK);
    v = read_again(out);
    assert_word(v, "calibration", "temperature");
    assert_member(v, "temperature", 1.5);
    assert_member(v, "log_loss_before", 0.75);
    assert_member(v, "log_loss_after", 0.5);
    cr_json_free(v);
    cr_model_free(nb);
    cr_model_free(tree);
    cr_model_free(both);
}

/* --- answers -----------------------------------------------------------------------------------
 */

/* P(rain = yes | lawn = wet) = .27 / .41. */
static void answers(void **state)
{
    cr_model *model = read_lawn();
    static const char query[] = "P(rain=yes | lawn=wet)";
    cr_answer *answer = NULL;
    cr_output *out = new_output();
    const cr_json_value *v;
    cr_error err = {0};
    double p;

    (void)state;
    assert_ok(cr_query_run(model, query, &answer, &err), err);
    assert_int_equal(cr_answer_json(query, answer, out), CR_OK);
    v = read_again(out);
    assert_word(v, "query", query);
    assert_member(v, "probability", 0.27 / 0.41);
    cr_json_free(v);
    out = new_output();
    assert_int_equal(cr_answer_csv(query, answer, out), CR_OK);
    assert_int_equal(sscanf(strrchr(text_of(out), ',') + 1, "%lf", &p), 1);
    assert_true(fabs(p - 0.27 / 0.41) < 1e-12);
    cr_output_free(out);
    cr_answer_free(answer);
    cr_model_free(model);
}

/* Given a wet lawn, .3 · .9 beats .7 · .2: it has rained. */
static void states_and_structures(void **state)
{
    cr_model *model = read_lawn(), *same = read_lawn();
    cr_states *states = NULL;
    cr_structure_comparison c;
    cr_output *out = new_output();
    const cr_json_value *v;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_query_best(model, "lawn=wet", &states, &err), err);
    assert_int_equal(cr_states_json(states, model, "lawn=wet", out), CR_OK);
    v = read_again(out);
    assert_word(cr_json_get(v, "states"), "rain", "yes");
    assert_member(v, "probability", 0.27 / 0.41);
    cr_json_free(v);
    cr_states_free(states);

    out = new_output();
    assert_ok(cr_structure_compare(model, same, &c, &err), err);
    assert_int_equal(cr_structure_json(&c, "one.bif", "two.bif", out), CR_OK);
    v = read_again(out);
    assert_word(cr_json_get(v, "second"), "network", "two.bif");
    assert_member(cr_json_get(v, "first"), "variables", 2);
    assert_member(v, "shd", 0);
    cr_json_free(v);
    cr_model_free(model);
    cr_model_free(same);
}

/* H. Raiffa's oil wildcatter: test, then drill unless there is no structure; 22.5 expected. */
static void a_strategy(void **state)
{
    char path[4096];
    cr_diagram *d = NULL;
    cr_strategy *s = NULL;
    cr_output *out = new_output();
    const cr_json_value *v;
    cr_error err = {0};

    (void)state;
    snprintf(path, sizeof path, "%s/examples/data/oil.net", getenv("CREDENCE_SOURCE"));
    assert_ok(cr_diagram_read(&d, path, &err), err);
    assert_ok(cr_diagram_solve(&s, d, NULL, NULL, &err), err);
    assert_int_equal(cr_strategy_json(s, d, "", NULL, 0, out), CR_OK);
    v = read_again(out);
    assert_member(v, "utility", 22.5);
    assert_int_equal(cr_json_get(v, "policies")->count, 2);
    assert_word(cr_json_get(v, "policies")->child, "decision", "test");
    assert_word(cr_json_get(cr_json_get(v, "policies")->child, "rows")->child, "best", "yes");
    cr_json_free(v);
    cr_strategy_free(s);
    cr_diagram_free(d);
}

/* --- beliefs -----------------------------------------------------------------------------------
 */

/* Priors 1/4 and 3/4, likelihoods .9 and .1: the posterior of the first is .225 / .3 = 3/4. */
static void hypotheses(void **state)
{
    const char *const name[] = {"fair", "loaded"};
    const double prior[] = {0.25, 0.75}, log_p[] = {log(0.9), log(0.1)};
    cr_hypotheses *h = NULL;
    cr_output *out = new_output();
    const cr_json_value *v;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_hypotheses_new(&h, name, prior, 2, 0, &err), err);
    assert_ok(cr_hypotheses_observe(h, "heads", log_p, &err), err);
    assert_int_equal(cr_hypotheses_count(h), 2);
    assert_int_equal(cr_hypotheses_json(h, out), CR_OK);
    v = read_again(out);
    assert_int_equal(cr_json_get(v, "hypotheses")->count, 2);
    assert_word(cr_json_get(v, "hypotheses")->child, "name", "fair");
    assert_member(cr_json_get(v, "hypotheses")->child, "posterior", 0.75);
    cr_json_free(v);
    cr_hypotheses_free(h);
}

static void parameters_of_priors(void **state)
{
    cr_prior each, own;

    (void)state;
    assert_int_equal(cr_prior_parse(&each, CR_PRIOR_SHARES, "jeffreys", NULL), CR_OK);
    assert_int_equal(cr_prior_parse(&own, CR_PRIOR_SHARES, "dirichlet:1,2,3", NULL), CR_OK);
    assert_true(cr_prior_parameter(&each, 7) == 0.5);
    assert_true(cr_prior_parameter(&own, 2) == 3);
    assert_true(isnan(cr_prior_parameter(&own, 3)));
    cr_prior_free(&each);
    cr_prior_free(&own);
}

/* --- the rest ----------------------------------------------------------------------------------
 */

/* Two Gaussians one deviation from the middle: P(mistake) = Φ(-d) with the model's own scale. */
static void a_mistake(void **state)
{
    cr_model *model = model_of("x,class\n-3,u\n-2,u\n-1,u\n1,v\n2,v\n3,v\n", "gda", NULL);
    cr_mistake *m = NULL;
    cr_output *out = new_output();
    const cr_json_value *v;
    cr_error err = {0};
    cr_json j;

    (void)state;
    assert_ok(cr_model_mistake(&m, model, 0, NULL, &err), err);
    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    cr_mistake_json(&j, m, model);
    cr_json_end(&j);
    v = read_again(out);
    assert_member(v, "mistake", m->mistake);
    assert_member(v, "mistake", erfc(2 / m->scale[0] / sqrt(2)) / 2);
    assert_int_equal(cr_json_get(v, "regions")->count, 2);
    cr_json_free(v);
    cr_mistake_free(m);
    cr_model_free(model);
}

/* Exclusive or: given the class, one column tells the other, so I is one bit. */
static void dependence(void **state)
{
    cr_model *model = model_of("a,b,c\nx,x,no\nx,y,yes\ny,x,yes\ny,y,no\n", "tan", NULL);
    cr_independence *pairs = NULL;
    cr_output *out = new_output();
    const cr_json_value *v;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_independence_measure(&pairs, model, NULL, &err), err);
    assert_int_equal(cr_independence_json(pairs, model, SIZE_MAX, out), CR_OK);
    v = read_again(out);
    assert_member(v, "pairs", 1);
    assert_member(cr_json_get(v, "pair")->child, "information", 1);
    cr_json_free(v);
    cr_independence_free(pairs);
    cr_model_free(model);
}

/* A report of naive Bayes has reasons for its mistakes. */
static void a_report(void **state)
{
    cr_model *model = model_of(play, "nb", NULL);
    cr_source *source = rows_of(play);
    cr_report *report = NULL;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_report_new(&report, model, source, NULL, NULL, &err), err);
    assert_null(cr_report_without_reasons(report));
    cr_report_free(report);
    cr_source_close(source);
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_and_changes),
        cmocka_unit_test(combinations_and_calibrations),
        cmocka_unit_test(answers),
        cmocka_unit_test(states_and_structures),
        cmocka_unit_test(a_strategy),
        cmocka_unit_test(hypotheses),
        cmocka_unit_test(parameters_of_priors),
        cmocka_unit_test(a_mistake),
        cmocka_unit_test(dependence),
        cmocka_unit_test(a_report),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
