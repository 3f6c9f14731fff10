/* tests/decide/test_predict_arrays.c - rows in memory, answers into memory.
 *
 * The plain twin is cr_model_predict() on a source of the same rows: every answer must be the same
 * to the last bit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "credence/credence.h"

enum { ROWS = 30000, COLOURS = 3, CLASSES = 3 };

typedef struct table {
    float x[ROWS][2];
    int8_t colour[ROWS];
    const char *class[ROWS];
    double number[ROWS];
} table;

static const char *const colours[] = {"red", "green", "blue"};
static const char *const classes[] = {"a", "b", "c"};

static table *make_table(void)
{
    table *t = malloc(sizeof *t);
    uint32_t random = 1;

    for (size_t i = 0; i < ROWS; i++) {
        const uint32_t r = random = random * 1664525 + 1013904223;
        const size_t class = (r >> 28) % 3;

        t->class[i] = classes[class];
        t->x[i][0] = (float)(r >> 8 & 255) + 120 * (float)class;
        t->x[i][1] = r % 7 == 0 ? NAN : (float)(r >> 16 & 255) - 30 * (float)class;
        t->colour[i] = (int8_t)(r % 11 == 0 ? -1 : (int)(r >> 20) % COLOURS);
        t->number[i] = 3 * t->x[i][0] - t->colour[i];
    }
    return t;
}

#define MATRIX(label, at)                                                                          \
    {                                                                                              \
        .name = (label), .data = &(at), .element = CR_ELEMENT_FLOAT, .stride = 2 * sizeof(float)   \
    }
#define COLOUR(t)                                                                                  \
    {                                                                                              \
        .name = "colour", .data = (t)->colour, .element = CR_ELEMENT_INT8,                         \
        .names = &(cr_array){.text = colours}, .name_count = COLOURS                               \
    }

static cr_model *train(const cr_array *arrays, size_t columns, const char *learner)
{
    cr_source *source = NULL;
    cr_model *model = NULL;
    cr_error err = {0};

    if (cr_source_open_arrays(&source, arrays, columns, ROWS, &err) != CR_OK ||
        cr_model_train(&model, source, learner, NULL, 0, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

typedef struct answers {
    double posterior[ROWS * CLASSES], logs[ROWS * CLASSES], evidence[ROWS], cost[ROWS];
    int32_t decision[ROWS];
    unsigned char reason[ROWS];
    cr_regression regression[ROWS];
    size_t rows;
} answers;

static cr_status collect(void *context, const cr_predictions *p)
{
    answers *a = context;

    for (size_t i = 0; i < p->rows; i++, a->rows++) {
        memcpy(a->posterior + a->rows * p->classes, p->posterior + i * p->classes,
               p->classes * sizeof(double));
        if (p->log_posterior != NULL)
            memcpy(a->logs + a->rows * p->classes, p->log_posterior + i * p->classes,
                   p->classes * sizeof(double));
        a->decision[a->rows] = p->decision[i];
        a->reason[a->rows] = p->reason[i];
        a->evidence[a->rows] = p->log_evidence[i];
        a->cost[a->rows] = p->expected_cost == NULL ? NAN : p->expected_cost[i];
        if (p->regression != NULL)
            a->regression[a->rows] = p->regression[i];
    }
    return CR_OK;
}

static answers *by_source(const cr_model *model, const cr_array *arrays, size_t columns,
                          const cr_rule *rule)
{
    const cr_predict_options options = {.rule = rule, .log_posterior = 1};
    answers *a = calloc(1, sizeof *a);
    const cr_sink sink = {.visit = collect, .context = a};
    cr_source *source = NULL;

    assert_int_equal(cr_source_open_arrays(&source, arrays, columns, ROWS, NULL), CR_OK);
    assert_int_equal(cr_model_predict(model, source, &options, &sink, NULL, NULL, NULL), CR_OK);
    assert_int_equal(a->rows, ROWS);
    cr_source_close(source);
    return a;
}

static answers *by_arrays(const cr_model *model, const cr_array *arrays, size_t columns,
                          const cr_rule *rule, const cr_run *run, size_t at_once)
{
    const cr_predict_options options = {.rule = rule};
    answers *a = calloc(1, sizeof *a);
    const size_t k = cr_model_classes(model);
    const int numbers = k == 1;
    cr_error err = {0};

    for (size_t i = 0; i < ROWS; i += at_once) {
        const cr_answers out = {.size = sizeof out,
                                .posterior = a->posterior + i * k,
                                .log_posterior = a->logs + i * k,
                                .decision = a->decision + i,
                                .reason = a->reason + i,
                                .log_evidence = a->evidence + i,
                                .expected_cost = a->cost + i,
                                .regression = numbers ? a->regression + i : NULL};
        cr_array part[4];

        memcpy(part, arrays, columns * sizeof *part);
        for (size_t c = 0; c < columns; c++)
            part[c].offset = i;
        if (cr_model_predict_arrays(model, part, columns, at_once, &options, &out, run, &err) !=
            CR_OK)
            fail_msg("%s", err.message);
    }
    return a;
}

static void expect_same(const answers *a, const answers *b, size_t k)
{
    assert_memory_equal(a->posterior, b->posterior, ROWS * k * sizeof(double));
    assert_memory_equal(a->logs, b->logs, ROWS * k * sizeof(double));
    assert_memory_equal(a->decision, b->decision, sizeof a->decision);
    assert_memory_equal(a->reason, b->reason, sizeof a->reason);
    assert_memory_equal(a->evidence, b->evidence, sizeof a->evidence);
    for (size_t i = 0; i < ROWS; i++)
        assert_true(a->cost[i] == b->cost[i] || (isnan(a->cost[i]) && isnan(b->cost[i])));
}

static void answers_are_those_of_a_source(void **state)
{
    static const char *const learners[] = {"nb", "gda", "logistic", "tree", "aode"};
    table *t = make_table();
    const cr_array arrays[] = {MATRIX("x", t->x[0][0]),
                               MATRIX("y", t->x[0][1]),
                               COLOUR(t),
                               {.name = "class", .text = t->class, .role = CR_ROLE_TARGET}};

    (void)state;
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++) {
        cr_model *model = train(arrays, 4, learners[i]);
        cr_run run = {.threads = 3};
        answers *expected = by_source(model, arrays, 4, NULL);
        answers *one = by_arrays(model, arrays, 3, NULL, &(cr_run){.threads = 1}, ROWS);
        answers *three = by_arrays(model, arrays, 4, NULL, &run, ROWS);

        expect_same(expected, one, CLASSES);
        expect_same(expected, three, CLASSES);
        free(expected);
        free(one);
        free(three);
        cr_model_free(model);
    }
    free(t);
}

static void rules_and_small_batches_change_nothing_else(void **state)
{
    const cr_rule_options costs = {.costs = "a->b=5", .may_reject = 1, .reject_cost = 0.2};
    table *t = make_table();
    const cr_array arrays[] = {MATRIX("x", t->x[0][0]),
                               MATRIX("y", t->x[0][1]),
                               COLOUR(t),
                               {.name = "class", .text = t->class, .role = CR_ROLE_TARGET}};
    cr_model *model = train(arrays, 4, "nb");
    cr_run run = CR_RUN_INIT;
    cr_rule *rule = NULL;
    answers *expected, *some;
    size_t rejected = 0;

    (void)state;
    assert_int_equal(cr_rule_new(&rule, model, &costs, NULL), CR_OK);
    assert_int_equal(cr_pool_new(&run.pool, 3, NULL), CR_OK);
    expected = by_source(model, arrays, 4, rule);
    for (size_t at_once = 1; at_once <= ROWS; at_once *= 3000) {
        some = by_arrays(model, arrays, 3, rule, &run, at_once);
        expect_same(expected, some, CLASSES);
        free(some);
    }
    for (size_t i = 0; i < ROWS; i++)
        rejected += expected->reason[i] == CR_REJECTED;
    assert_in_range(rejected, 1, ROWS - 1);
    free(expected);
    cr_pool_free(run.pool);
    cr_rule_free(rule);
    cr_model_free(model);
    free(t);
}

static void numbers_are_predicted_too(void **state)
{
    table *t = make_table();
    const cr_array arrays[] = {MATRIX("x", t->x[0][0]),
                               COLOUR(t),
                               {.name = "number", .real = t->number, .role = CR_ROLE_TARGET}};
    cr_model *model = train(arrays, 3, "linear");
    answers *expected = by_source(model, arrays, 3, NULL);
    answers *got = by_arrays(model, arrays, 2, NULL, NULL, ROWS);

    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        assert_true(expected->regression[i].mean == got->regression[i].mean);
        assert_true(expected->regression[i].scale == got->regression[i].scale);
        assert_true(expected->regression[i].freedom == got->regression[i].freedom);
        assert_true(isnan(got->regression[i].truth));
        assert_true(got->posterior[i] == 1 && got->decision[i] == 0);
    }
    free(expected);
    free(got);
    cr_model_free(model);
    free(t);
}

/* Counts of words are answered as the text with these words is. */
static void texts_and_counts_of_words_get_the_same_answers(void **state)
{
    const char *const texts[] = {"free money now free", "hello you", "money money unheard", NULL};
    const char *const class[] = {"spam", "ham", "spam", "ham"};
    const char *const words[] = {"free", "hello", "money", "now", "you", "unheard"};
    const int32_t start[] = {0, 3, 5, 7, 7}, index[] = {0, 2, 3, 1, 4, 2, 5};
    const float count[] = {2, 1, 1, 1, 1, 2, 1};
    const unsigned char valid = 0x07;
    const cr_array table_of[] = {{.name = "text", .text = texts, .kind = CR_BAG},
                                 {.name = "class", .text = class, .role = CR_ROLE_TARGET}};
    const cr_array counts = {.name = "text",
                             .start = start,
                             .index = index,
                             .index_element = CR_ELEMENT_INT32,
                             .data = count,
                             .element = CR_ELEMENT_FLOAT,
                             .names = &(cr_array){.text = words},
                             .name_count = 6,
                             .mask = &valid,
                             .mask_kind = CR_MASK_VALID_BITS};
    double a[4 * 2], b[4 * 2];
    cr_source *source = NULL;
    cr_model *model = NULL;

    (void)state;
    assert_int_equal(cr_source_open_arrays(&source, table_of, 2, 2, NULL), CR_OK);
    assert_int_equal(cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, NULL), CR_OK);
    assert_int_equal(cr_model_predict_arrays(model, table_of, 1, 4, NULL,
                                             &(cr_answers){.posterior = a}, NULL, NULL),
                     CR_OK);
    assert_int_equal(cr_model_predict_arrays(model, &counts, 1, 4, NULL,
                                             &(cr_answers){.posterior = b}, NULL, NULL),
                     CR_OK);
    assert_memory_equal(a, b, sizeof a);
    assert_true(a[1] > 0.8); /* spam, the second class in order */
    assert_true(a[6] == 0.5 && a[7] == 0.5);
    cr_source_close(source);
    cr_model_free(model);
}

/* An empty text is missing in an array as in a row: it is no text without words, which of a
 * Bernoulli model would lack all of them. */
static void an_empty_text_is_missing_as_in_a_row(void **state)
{
    const char *const texts[] = {"free money now", "hello you"}, *const asked[] = {"", NULL};
    const char *const class[] = {"spam", "ham"}, *const knob = "event=bernoulli";
    const cr_array table_of[] = {{.name = "text", .text = texts, .kind = CR_BAG},
                                 {.name = "class", .text = class, .role = CR_ROLE_TARGET}};
    const cr_array given = {.name = "text", .text = asked, .kind = CR_BAG};
    double a[2 * 2], b[2];
    cr_source *source = NULL;
    cr_model *model = NULL;
    cr_decision decision;
    cr_row *row = NULL;

    (void)state;
    assert_int_equal(cr_source_open_arrays(&source, table_of, 2, 2, NULL), CR_OK);
    assert_int_equal(cr_model_train(&model, source, "nb", &knob, 1, NULL, NULL, NULL), CR_OK);
    assert_int_equal(cr_model_predict_arrays(model, &given, 1, 2, NULL,
                                             &(cr_answers){.posterior = a}, NULL, NULL),
                     CR_OK);
    assert_memory_equal(a, a + 2, 2 * sizeof *a);
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    assert_int_equal(cr_row_set_text(row, 0, ""), CR_OK);
    assert_int_equal(cr_row_classify(row, NULL, b, &decision), CR_OK);
    assert_memory_equal(a, b, sizeof b);
    cr_row_free(row);
    cr_source_close(source);
    cr_model_free(model);
}

static void the_first_fault_is_reported_whatever_the_threads(void **state)
{
    table *t = make_table();
    const cr_array arrays[] = {MATRIX("x", t->x[0][0]),
                               MATRIX("y", t->x[0][1]),
                               COLOUR(t),
                               {.name = "class", .text = t->class, .role = CR_ROLE_TARGET}};
    cr_model *model = train(arrays, 4, "nb");
    static double posterior[ROWS * CLASSES];
    const cr_answers out = {.posterior = posterior};
    cr_error err = {0};

    (void)state;
    t->x[25000][0] = INFINITY;
    t->x[9000][1] = INFINITY;
    for (int threads = 1; threads <= 4; threads++) {
        assert_int_equal(cr_model_predict_arrays(model, arrays, 4, ROWS, NULL, &out,
                                                 &(cr_run){.threads = threads}, &err),
                         CR_EFORMAT);
        assert_int_equal(err.line, 9001);
        assert_int_equal(err.column, 2);
    }
    assert_int_equal(cr_model_predict_arrays(model, arrays, 2, ROWS, NULL, &out, NULL, &err),
                     CR_ECONFLICT);
    assert_non_null(strstr(err.message, "'colour'"));
    assert_int_equal(cr_model_predict_arrays(model, arrays, 2, 9000,
                                             &(cr_predict_options){.allow_absent_columns = 1}, &out,
                                             NULL, &err),
                     CR_OK);
    assert_int_equal(cr_model_predict_arrays(model, arrays, 3, 1, NULL,
                                             &(cr_answers){.regression = &(cr_regression){0}}, NULL,
                                             &err),
                     CR_EARG);
    assert_int_equal(cr_model_predict_arrays(model, arrays, 3, 0, NULL, &out, NULL, &err), CR_OK);
    cr_model_free(model);
    free(t);
}

static int stop(void *context, uint64_t done, uint64_t total, uint64_t rows)
{
    (void)context;
    assert_true(done <= total && rows == done);
    return 1;
}

static void progress_may_stop_it(void **state)
{
    table *t = make_table();
    const cr_array arrays[] = {MATRIX("x", t->x[0][0]),
                               {.name = "class", .text = t->class, .role = CR_ROLE_TARGET}};
    cr_model *model = train(arrays, 2, "nb");
    static int32_t decision[ROWS];

    (void)state;
    assert_int_equal(cr_model_predict_arrays(model, arrays, 1, ROWS, NULL,
                                             &(cr_answers){.decision = decision},
                                             &(cr_run){.progress = stop}, NULL),
                     CR_ESTOPPED);
    cr_model_free(model);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_a_source),
        cmocka_unit_test(rules_and_small_batches_change_nothing_else),
        cmocka_unit_test(numbers_are_predicted_too),
        cmocka_unit_test(texts_and_counts_of_words_get_the_same_answers),
        cmocka_unit_test(an_empty_text_is_missing_as_in_a_row),
        cmocka_unit_test(the_first_fault_is_reported_whatever_the_threads),
        cmocka_unit_test(progress_may_stop_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
