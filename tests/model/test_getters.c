/* tests/model/test_getters.c - getters for things that do not exist return nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "credence/credence.h"

enum { ROWS = 24 };

static double x[ROWS], y[ROWS];
static const char *colour[ROWS], *text[ROWS], *label[ROWS];

static void fill(void)
{
    static const char *const colours[] = {"red", "blue", "green"};
    static const char *const texts[] = {"a close game", "the election", "a clean match", "votes"};

    for (size_t r = 0; r < ROWS; r++) {
        x[r] = (double)(r * r % 7) + 0.5 * (double)(r % 2);
        y[r] = (double)(r % 5) + (double)(r % 3);
        colour[r] = colours[r * 5 % 3];
        text[r] = texts[r % 4];
        label[r] = r % 2 ? "odd" : "even";
    }
}

static cr_source *source_of(int texts, int number)
{
    cr_array table[5] = {{.name = "x", .real = x},
                         {.name = "colour", .text = colour},
                         {.name = "y", .real = y, .role = number ? CR_ROLE_TARGET : 0}};
    size_t columns = 3;
    cr_source *source;

    if (texts)
        table[columns++] = (cr_array){.name = "text", .text = text, .kind = CR_BAG};
    if (!number)
        table[columns++] = (cr_array){.name = "class", .text = label, .role = CR_ROLE_TARGET};
    assert_int_equal(cr_source_open_arrays(&source, table, columns, ROWS, NULL), CR_OK);
    return source;
}

static cr_model *trained(const char *learner, const char *param, int texts, int number)
{
    cr_source *source = source_of(texts, number);
    cr_model *model;
    cr_error err = {0};

    if (cr_model_train(&model, source, learner, &param, param != NULL, NULL, NULL, &err) != CR_OK)
        fail_msg("%s: %s", learner, err.message);
    cr_source_close(source);
    return model;
}

/* Numbers that no list reaches, and some that wrap around when they are shortened or multiplied. */
static const size_t beyond[] = {
    64,           1000,    UINT32_MAX, (size_t)UINT32_MAX + 1, SIZE_MAX / 8, SIZE_MAX / 2 + 1,
    SIZE_MAX - 1, SIZE_MAX};
enum { BEYOND = sizeof beyond / sizeof *beyond };

/* --- schema and model ------------------------------------------------------------------------- */

static void ask_schema(const cr_schema *schema, size_t i)
{
    assert_null(cr_schema_name(schema, i));
    assert_int_equal(cr_schema_kind(schema, i), CR_IGNORE);
    assert_int_equal(cr_schema_role(schema, i), 0);
    assert_int_equal(cr_schema_why(schema, i), 0);
}

/* A column, a value or a class that the model does not have; the other two may be there. */
static void ask_model(const cr_model *model, size_t column, size_t value, size_t c)
{
    cr_gaussian g;
    cr_fit_test f;
    cr_word w;

    assert_true(isnan(cr_model_count(model, column, value, c)));
    assert_true(isnan(cr_model_probability(model, column, value, c)));
    if (model == NULL || column >= cr_schema_columns(cr_model_schema(model)) ||
        c >= cr_model_classes(model)) {
        assert_int_equal(cr_model_gaussian(model, column, c, &g), CR_EARG);
        if (model != NULL)
            assert_int_not_equal(cr_model_fit_test(model, column, c, &f, NULL), CR_OK);
    }
    assert_int_equal(cr_model_word(model, column, value, c, &w), CR_EARG);
}

static void ask_column(const cr_model *model, size_t i)
{
    size_t words[3];

    ask_schema(cr_model_schema(model), i);
    assert_int_equal(cr_model_values(model, i), 0);
    assert_null(cr_model_value(model, i, 0));
    assert_int_equal(cr_model_words(model, i), 0);
    assert_int_equal(cr_model_informative_words(model, i, 0, words, 3), 0);
    assert_true(isnan(cr_model_information(model, i)));
    assert_true(isnan(cr_model_present(model, i)));
    ask_model(model, i, 0, 0);
}

static void ask_class(const cr_model *model, size_t c)
{
    size_t words[3];

    assert_null(cr_model_class(model, c));
    assert_true(isnan(cr_model_class_count(model, c)));
    assert_true(isnan(cr_model_prior(model, c)));
    for (size_t i = 0; i < cr_schema_columns(cr_model_schema(model)); i++) {
        assert_int_equal(cr_model_informative_words(model, i, c, words, 3), 0);
        ask_model(model, i, 0, c);
    }
}

static void ask_value(const cr_model *model, size_t value)
{
    for (size_t i = 0; i < cr_schema_columns(cr_model_schema(model)); i++) {
        assert_null(cr_model_value(model, i, value));
        ask_model(model, i, value, 0);
    }
}

static void ask_lists(const cr_model *model, size_t i)
{
    char buffer[300];
    double mean, covariance;
    cr_knob knob;
    cr_member member;
    cr_coefficient coefficient;
    cr_weight weight;
    size_t cells;

    assert_int_equal(cr_model_remark(model, i, buffer, sizeof buffer), CR_END);
    assert_int_equal(cr_model_knob(model, i, &knob), CR_END);
    assert_int_equal(cr_model_member(model, i, &member), CR_END);
    assert_int_not_equal(cr_model_coefficient(model, i, 0.9, &coefficient), CR_OK);
    if (i != SIZE_MAX) /* which is the intercept */
        assert_int_equal(cr_model_weight(model, i, 0, 0, &weight), CR_EARG);
    assert_int_equal(cr_model_weight(model, 0, 0, i, &weight), CR_EARG);
    assert_true(isnan(cr_model_strength(model, i)));
    assert_int_not_equal(cr_model_normal(model, 0, &i, 1, &mean, &covariance, NULL, NULL), CR_OK);
    assert_int_not_equal(cr_model_normal(model, i, &(size_t){0}, 1, &mean, &covariance, NULL, NULL),
                         CR_OK);
    assert_int_equal(cr_network_parent(model, i, 0), SIZE_MAX);
    assert_int_equal(cr_network_parent(model, 0, i), SIZE_MAX);
    assert_int_equal(cr_network_child(model, i, 0), SIZE_MAX);
    assert_int_equal(cr_network_child(model, 0, i), SIZE_MAX);
    assert_null(cr_network_table(model, i, &cells));
    assert_null(cr_network_weights(model, i, &cells));
    assert_int_equal(cr_network_blanket(model, i, &cells), 0);
    assert_null(cr_structure_node(model, i));
    assert_int_equal(cr_structure_states(model, i), 0);
    assert_null(cr_structure_state(model, i, 0));
    assert_null(cr_structure_state(model, 0, i));
}

static void ask_everything(const cr_model *model)
{
    const size_t columns = cr_schema_columns(cr_model_schema(model));

    ask_column(model, columns);
    ask_class(model, cr_model_classes(model));
    for (size_t k = 0; k < BEYOND; k++) {
        ask_column(model, beyond[k]);
        ask_class(model, beyond[k]);
        ask_value(model, beyond[k]);
        ask_lists(model, beyond[k]);
    }
}

static void models_answer_for_what_they_lack(void **state)
{
    static const struct {
        const char *learner, *param;
        int texts, number;
    } all[] = {
        {"nb", NULL, 1, 0},     {"nb", "real=bins:mdl", 0, 0}, {"nb", "values=keep", 1, 0},
        {"gda", NULL, 0, 0},    {"tan", NULL, 0, 0},           {"aode", NULL, 0, 0},
        {"kdb", NULL, 0, 0},    {"tree", NULL, 0, 0},          {"logistic", NULL, 1, 0},
        {"linear", NULL, 0, 1}, {"network", NULL, 0, 0},       {"joint", "bins=x:2,y:3", 0, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        cr_model *model = trained(all[i].learner, all[i].param, all[i].texts, all[i].number);

        ask_everything(model);
        cr_model_free(model);
    }
}

static void no_model_has_nothing(void **state)
{
    (void)state;
    assert_null(cr_model_learner(NULL));
    assert_null(cr_model_schema(NULL));
    assert_null(cr_model_missing(NULL));
    assert_int_equal(cr_model_target(NULL), SIZE_MAX);
    assert_int_equal(cr_model_classes(NULL), 0);
    assert_int_equal(cr_schema_columns(NULL), 0);
    for (size_t k = 0; k < BEYOND; k++)
        ask_schema(NULL, beyond[k]);
    ask_column(NULL, 0);
    ask_class(NULL, 0);
    ask_model(NULL, 0, 0, 0);
    cr_model_free(NULL);
    cr_row_free(NULL);
    cr_lessons_free(NULL);
    cr_rule_free(NULL);
}

/* --- lists without a model -------------------------------------------------------------------- */

static void lists_end(void **state)
{
    cr_knob knob;

    (void)state;
    for (size_t k = 0; k < BEYOND; k++) {
        assert_null(cr_learner_name(beyond[k]));
        assert_null(cr_learner_summary(beyond[k]));
        assert_int_equal(cr_learner_knob("nb", beyond[k], &knob), CR_END);
        assert_null(cr_source_format_name(beyond[k]));
        assert_null(cr_source_format_summary(beyond[k]));
    }
    assert_int_equal(cr_learner_knob("none", 0, &knob), CR_EARG);
}

/* --- results ---------------------------------------------------------------------------------- */

static void rules_and_evaluations_know_their_classes(void **state)
{
    cr_model *model = trained("nb", NULL, 1, 0);
    cr_source *source = source_of(1, 0);
    cr_evaluation *evaluation;
    cr_class_metrics metrics;
    cr_area area;
    cr_rule *rule;

    (void)state;
    assert_int_equal(cr_rule_new(&rule, model, &(cr_rule_options){.costs = "odd->even=2"}, NULL),
                     CR_OK);
    assert_int_equal(cr_model_test(model, source, NULL, NULL, &evaluation, NULL, NULL), CR_OK);
    for (size_t k = 0; k < BEYOND; k++) {
        assert_true(isnan(cr_rule_cost(rule, beyond[k], 0)));
        assert_true(isnan(cr_evaluation_confusion(evaluation, beyond[k], 0)));
        cr_evaluation_class(evaluation, beyond[k], &metrics);
        assert_true(metrics.support == 0);
        if (beyond[k] != SIZE_MAX) /* which stands for all classes */
            assert_int_equal(cr_evaluation_area(evaluation, beyond[k], &area, NULL), CR_EARG);
    }
    assert_true(isnan(cr_rule_cost(rule, 0, 2)));
    assert_true(isnan(cr_rule_cost(rule, 0, -2)));
    assert_true(isnan(cr_rule_cost(rule, 0, INT32_MAX)));
    assert_true(isnan(cr_evaluation_confusion(evaluation, 0, 2)));
    assert_true(isnan(cr_evaluation_confusion(evaluation, 0, INT32_MIN)));
    cr_evaluation_free(evaluation);
    cr_rule_free(rule);
    cr_source_close(source);
    cr_model_free(model);
}

static void cross_validations_know_their_rows(void **state)
{
    cr_source *source = source_of(0, 0);
    cr_study *study;
    cr_cv *cv;
    cr_cv_answer answer;
    cr_regression regression;
    double posterior[2];
    cr_error err = {0};

    (void)state;
    if (cr_study_new(&study, source, &(cr_deal){.folds = 3}, NULL, &err) != CR_OK ||
        cr_cv_run(&cv, study, "nb", NULL, 0, &err) != CR_OK)
        fail_msg("%s", err.message);
    assert_int_equal(cr_cv_get(cv, 0, 0, NULL, &answer, posterior), CR_OK);
    for (size_t k = 0; k < BEYOND; k++) {
        assert_int_equal(cr_cv_get(cv, 0, beyond[k], NULL, &answer, posterior), CR_EARG);
        assert_int_equal(cr_cv_get(cv, beyond[k], 0, NULL, &answer, posterior), CR_EARG);
        assert_int_equal(cr_cv_get_regression(cv, 0, beyond[k], &answer, &regression), CR_EARG);
    }
    cr_cv_free(cv);
    cr_study_free(study);
    cr_source_close(source);
}

static void hypotheses_and_pairs_are_counted(void **state)
{
    const char *const names[] = {"fair", "loaded"};
    const double prior[] = {0.5, 0.5};
    cr_model *model = trained("joint", "bins=x:2,y:3", 0, 0);
    cr_independence *pairs;
    cr_hypothesis one;
    cr_hypotheses *h;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_hypotheses_new(&h, names, prior, 2, 0, NULL), CR_OK);
    if (cr_independence_measure(&pairs, model, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    assert_null(cr_independence_pair(pairs, cr_independence_pairs(pairs)));
    for (size_t k = 0; k < BEYOND; k++) {
        cr_hypotheses_get(h, beyond[k], &one);
        assert_null(one.name);
        assert_null(cr_hypotheses_evidence(h, beyond[k]));
        assert_null(cr_hypotheses_posterior(h, beyond[k]));
        assert_null(cr_hypotheses_class(h, beyond[k]));
        assert_true(isnan(cr_hypotheses_says(h, beyond[k], 0)));
        assert_true(isnan(cr_hypotheses_says(h, 0, beyond[k])));
        assert_true(isnan(cr_hypotheses_predictive(h, beyond[k])));
        assert_null(cr_independence_pair(pairs, beyond[k]));
    }
    cr_hypotheses_free(h);
    cr_independence_free(pairs);
    cr_model_free(model);
}

static void networks_know_their_nodes(void **state)
{
    cr_model *model = trained("tan", NULL, 0, 0);
    double p[8];
    cr_network *network;
    cr_error err = {0};

    (void)state;
    if (cr_network_open(&network, model, NULL, &err) == CR_OK) {
        for (size_t k = 0; k < BEYOND; k++) {
            assert_int_equal(cr_network_observe(network, beyond[k], 0, NULL), CR_EARG);
            if (beyond[k] != SIZE_MAX) /* which takes the evidence back */
                assert_int_equal(cr_network_observe(network, 0, beyond[k], NULL), CR_EARG);
            assert_int_equal(cr_network_soften(network, beyond[k], p, NULL), CR_EARG);
            assert_int_equal(cr_network_posterior(network, beyond[k], p, NULL), CR_EARG);
        }
        cr_network_close(network);
    }
    cr_model_free(model);
}

static cr_status look(void *context, const cr_predictions *p)
{
    size_t size = 1;

    *(int *)context = 1;
    for (size_t k = 0; k < BEYOND; k++) {
        assert_null(cr_predictions_field_name(p, beyond[k]));
        assert_null(cr_predictions_field(p, beyond[k], 0, &size));
        assert_null(cr_predictions_field(p, 0, beyond[k], &size));
        assert_int_equal(size, 0);
    }
    return CR_OK;
}

static void predictions_know_their_rows(void **state)
{
    cr_model *model = trained("nb", NULL, 1, 0);
    cr_source *source = source_of(1, 0);
    int looked = 0;
    const cr_sink sink = {.visit = look, .context = &looked};

    (void)state;
    assert_int_equal(cr_model_predict(model, source, NULL, &sink, NULL, NULL, NULL), CR_OK);
    assert_int_equal(looked, 1);
    for (size_t k = 0; k < BEYOND; k++)
        assert_null(cr_source_note(source, beyond[k]));
    cr_source_close(source);
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_answer_for_what_they_lack),
        cmocka_unit_test(no_model_has_nothing),
        cmocka_unit_test(lists_end),
        cmocka_unit_test(rules_and_evaluations_know_their_classes),
        cmocka_unit_test(cross_validations_know_their_rows),
        cmocka_unit_test(hypotheses_and_pairs_are_counted),
        cmocka_unit_test(networks_know_their_nodes),
        cmocka_unit_test(predictions_know_their_rows),
    };

    fill();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
