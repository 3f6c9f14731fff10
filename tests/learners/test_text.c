/* tests/learners/test_text.c - texts in naive Bayes, against hand calculation.
 *
 * The documents are the worked example of Manning, Raghavan & Schütze, Introduction to Information
 * Retrieval (2008), section 13: class c = China or not; the test document is
 * "Chinese Chinese Chinese Tokyo Japan".
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "credence/credence.h"
#include "stats/text_plan.h"
#include "support/model_bytes.h"

static const char *const texts[] = {"Chinese Beijing Chinese", "Chinese Chinese Shanghai",
                                    "Chinese Macao", "Tokyo Japan Chinese"};
static const char *const classes[] = {"yes", "yes", "yes", "no"};

static cr_source *source_of(const char *const *text, const char *const *class_name, size_t rows)
{
    const cr_array table[] = {
        {.name = "text", .text = text, .kind = CR_BAG},
        {.name = "china", .text = class_name, .role = CR_ROLE_TARGET},
    };
    cr_source *source;
    cr_error err = {0};

    if (cr_source_open_arrays(&source, table, class_name == NULL ? 1 : 2, rows, &err) != CR_OK)
        fail_msg("%s", err.message);
    return source;
}

static cr_model *train(size_t first, size_t count, const char *const *params, size_t n)
{
    cr_source *source = source_of(texts + first, classes + first, count);
    cr_model *model;
    cr_error err = {0};

    if (cr_model_train(&model, source, NULL, params, n, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

typedef struct answer {
    double yes, log_evidence;
    size_t rows;
} answer;

static cr_status take(void *context, const cr_predictions *p)
{
    answer *a = context;

    if (p->rows > 0) {
        a->yes = p->posterior[p->classes - 1]; /* "no" comes before "yes" */
        a->log_evidence = p->log_evidence[0];
    }
    a->rows += p->rows;
    return CR_OK;
}

static answer ask(const cr_model *model, const char *text)
{
    cr_source *source = source_of(&text, NULL, 1);
    answer a = {0};
    const cr_sink sink = {.visit = take, .context = &a};
    cr_error err = {0};

    if (cr_model_predict(model, source, NULL, &sink, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    assert_int_equal(a.rows, 1);
    return a;
}

static void near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-12 * fmax(1, fabs(wanted))))
        fail_msg("%.17g is not %.17g", got, wanted);
}

/* P(yes) P(d|yes) = 3/4 (3/7)^3 1/14 1/14, P(no) P(d|no) = 1/4 (2/9)^3 2/9 2/9. */
static void multinomial_with_add_one_smoothing(void **state)
{
    const double yes = 3.0 / 4 * pow(3.0 / 7, 3) / 14 / 14, no = 1.0 / 4 * pow(2.0 / 9, 5);
    const char *const knobs[] = {"alpha=1"};
    cr_model *model = train(0, 4, knobs, 1);
    answer a = ask(model, "Chinese Chinese Chinese Tokyo Japan");

    (void)state;
    near(a.yes, yes / (yes + no));
    near(a.log_evidence, log(yes + no));
    cr_model_free(model);
}

/* P(yes) P(d|yes) = 3/4 · 4/5 · 1/5 · 1/5 · (1-2/5)(1-2/5)(1-2/5),
 * P(no) P(d|no) = 1/4 · 2/3 · 2/3 · 2/3 · (1-1/3)(1-1/3)(1-1/3). */
static void bernoulli_punishes_absent_words(void **state)
{
    const double yes = 3.0 / 4 * 4 / 5 / 5 / 5 * pow(3.0 / 5, 3);
    const double no = 1.0 / 4 * pow(2.0 / 3, 6);
    const char *const knobs[] = {"alpha=1", "event=bernoulli"};
    cr_model *model = train(0, 4, knobs, 2);
    answer a = ask(model, "Chinese Chinese Chinese Tokyo Japan");

    (void)state;
    near(a.yes, yes / (yes + no));
    cr_model_free(model);
}

/* Boolean: each word counts once per document, in training and in the question.
 * yes: Chinese 3 of 6 words, V = 6; no: Chinese 1 of 3. */
static void boolean_counts_each_word_once(void **state)
{
    const double yes = 3.0 / 4 * 4 / 12 * 1 / 12 * 1 / 12, no = 1.0 / 4 * pow(2.0 / 9, 3);
    const char *const knobs[] = {"alpha=1", "event=boolean"};
    cr_model *model = train(0, 4, knobs, 2);
    answer a = ask(model, "Chinese Chinese Chinese Tokyo Japan");

    (void)state;
    near(a.yes, yes / (yes + no));
    cr_model_free(model);
}

/* Complement: -log of what the other class gives; with two classes that is a ratio of the
 * likelihoods turned around: weight of yes = -log P(w | no). The prior is uniform. */
static void complement_uses_the_other_classes(void **state)
{
    const double yes = 1 / pow(2.0 / 9, 5), no = 1 / (pow(3.0 / 7, 3) / 14 / 14);
    const char *const knobs[] = {"alpha=1", "event=complement", "prior=uniform"};
    cr_model *model = train(0, 4, knobs, 3);
    answer a = ask(model, "Chinese Chinese Chinese Tokyo Japan");

    (void)state;
    near(a.yes, yes / (yes + no));
    cr_model_free(model);
}

static void unknown_words_are_skipped(void **state)
{
    const char *const knobs[] = {"alpha=1"};
    cr_model *model = train(0, 4, knobs, 1);

    (void)state;
    near(ask(model, "Osaka").yes, 0.75); /* nothing but the prior */
    near(ask(model, "").yes, 0.75);
    near(ask(model, "Chinese Osaka").yes, ask(model, "chinese").yes);
    cr_model_free(model);
}

/* Jelinek-Mercer by hand: yes has 8 words, no 3, all 11; P(Chinese) = 6/11, P(Tokyo) = 1/11. */
static void smoothing_by_the_whole_vocabulary(void **state)
{
    const char *const jm[] = {"text-smoothing=jelinek-mercer", "lambda=0.25"};
    const char *const dirichlet[] = {"text-smoothing=dirichlet", "mu=10"};
    cr_model *model = train(0, 4, jm, 2);
    double yes = 0.75 * (0.75 * 5 / 8 + 0.25 * 6 / 11) * (0.25 * 1 / 11);
    double no = 0.25 * (0.75 * 1 / 3 + 0.25 * 6 / 11) * (0.75 * 1 / 3 + 0.25 * 1 / 11);

    (void)state;
    near(ask(model, "Chinese Tokyo").yes, yes / (yes + no));
    cr_model_free(model);
    model = train(0, 4, dirichlet, 2);
    yes = 0.75 * (5 + 10 * 6.0 / 11) / 18 * (10 * 1.0 / 11) / 18;
    no = 0.25 * (1 + 10 * 6.0 / 11) / 13 * (1 + 10 * 1.0 / 11) / 13;
    near(ask(model, "Chinese Tokyo").yes, yes / (yes + no));
    cr_model_free(model);
}

/* Every text has four different words, so length-norm=l2 halves every count. The smoothing that is
 * best then is half as large, the probabilities of the words are the same, and as each word of the
 * text that is judged counts half, so do the log-odds. */
static void smoothing_is_found_on_the_scale_of_the_weights(void **state)
{
    static const char *const text[] = {"apple bread candy dates", "apple bread candy figs",
                                       "apple bread candy honey", "icing jelly kiwi dates",
                                       "icing jelly kiwi mango",  "icing jelly kiwi apple"};
    static const char *const class_name[] = {"yes", "yes", "yes", "no", "no", "no"};
    static const char *const params[] = {"prior=uniform", "text-alpha=auto", "length-norm=l2"};
    double odds[2];

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        cr_source *source = source_of(text, class_name, 6);
        cr_model *model;
        answer a;

        assert_int_equal(cr_model_train(&model, source, "nb", params, 2 + k, NULL, NULL, NULL),
                         CR_OK);
        a = ask(model, "apple bread kiwi honey");
        odds[k] = log(a.yes / (1 - a.yes));
        cr_model_free(model);
        cr_source_close(source);
    }
    assert_true(odds[0] > 0.5);
    assert_true(fabs(odds[1] - odds[0] / 2) < 1e-3); /* the search ends within 0.1 % of a */
}

static void learning_unlearning_and_merging_are_exact(void **state)
{
    cr_model *all = train(0, 4, NULL, 0), *left = train(0, 2, NULL, 0),
             *right = train(2, 2, NULL, 0);
    cr_model *before = train(0, 2, NULL, 0);
    cr_source *more = source_of(texts + 2, classes + 2, 2);
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_model_learn(left, more, NULL, NULL, &err), CR_OK);
    assert_same_model(left, all);
    assert_int_equal(cr_model_unlearn(left, more, NULL, NULL, &err), CR_OK);
    assert_same_model(left, before);
    assert_int_equal(cr_model_merge(right, before, &err), CR_OK);
    assert_same_model(right, all);
    assert_int_equal(cr_model_unlearn(before, more, NULL, NULL, &err), CR_ECONFLICT);
    cr_source_close(more);
    cr_model_free(all);
    cr_model_free(left);
    cr_model_free(right);
    cr_model_free(before);
}

/* tf-idf: the frozen frequencies stay, so learning and unlearning leaves the file as it was. */
static void weighted_texts_can_be_unlearned(void **state)
{
    const char *const knobs[] = {"weight=tfidf", "length-norm=l2", "alpha=0.5"};
    cr_model *model = train(0, 4, knobs, 3), *before = train(0, 4, knobs, 3);
    const char *const more_texts[] = {"Chinese Osaka food", "Tokyo Tokyo tower"};
    const char *const more_classes[] = {"yes", "no"};
    cr_source *more = source_of(more_texts, more_classes, 2);
    cr_error err = {0};

    (void)state;
    if (cr_model_learn(model, more, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    if (cr_model_unlearn(model, more, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    assert_same_model(model, before);
    cr_source_close(more);
    cr_model_free(model);
    cr_model_free(before);
}

static void knobs_of_words_cannot_be_turned_later(void **state)
{
    const char *const tokens = "tokens=chars", *const weight = "weight=tfidf";
    const char *const common = "stop=common:1", *const event = "event=bernoulli";
    cr_model *model = train(0, 4, NULL, 0);

    (void)state;
    assert_int_equal(cr_model_refit(model, &tokens, 1, NULL), CR_EARG);
    assert_int_equal(cr_model_refit(model, &weight, 1, NULL), CR_EARG);
    assert_int_equal(cr_model_refit(model, &event, 1, NULL), CR_OK);
    assert_int_equal(cr_model_refit(model, &common, 1, NULL), CR_OK); /* "chinese" is left out */
    near(ask(model, "Chinese").yes, ask(model, "unknown").yes);
    cr_model_free(model);
}

/* One text at a time gives what a table of one row gives, again and again with the same row. */
static void a_row_takes_a_text(void **state)
{
    static const char *const asked[] = {"Chinese Chinese Chinese Tokyo Japan", "", "Beijing",
                                        "Tokyo Japan Tokyo"};
    cr_model *model = train(0, 4, NULL, 0);
    double posterior[2], log_evidence;
    int32_t decision;
    cr_row *row;

    (void)state;
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(cr_row_set_text(row, 0, asked[i]), CR_OK);
        assert_int_equal(cr_model_classify(model, row, posterior, &decision, &log_evidence), CR_OK);
        assert_true(posterior[1] == ask(model, asked[i]).yes);
    }
    cr_row_clear(row);
    assert_int_equal(cr_model_classify(model, row, posterior, &decision, &log_evidence), CR_OK);
    assert_true(fabs(posterior[1] - 0.75) < 1e-12); /* the prior: 3 of 4 */
    assert_int_equal(cr_row_set_text(row, 0, NULL), CR_OK);
    cr_row_free(row);
    cr_model_free(model);
}

static int by_number(const void *a, const void *b)
{
    return *(const uint32_t *)a < *(const uint32_t *)b
               ? -1
               : *(const uint32_t *)a > *(const uint32_t *)b;
}

/* Texts of no, few and many words, up to the largest number there is. */
static void words_of_a_text_are_sorted(void **state)
{
    enum { TEXTS = 6 };
    static const uint32_t length[TEXTS] = {0, 1, 32, 33, 2000, 300};
    static const uint32_t largest[TEXTS] = {1, 1, 9, 200, 70000, UINT32_MAX};
    uint32_t start[TEXTS + 1] = {0}, word[2366], expected[2366];
    cr__batch_column column = {.kind = CR_BAG, .start = start, .word = word};
    cr__batch batch = {.rows = TEXTS, .columns = 1, .column = &column};
    cr__random rng;

    (void)state;
    cr__random_seed(&rng, 1);
    for (size_t t = 0; t < TEXTS; t++) {
        start[t + 1] = start[t] + length[t];
        for (uint32_t i = start[t]; i < start[t + 1]; i++)
            word[i] = expected[i] = (uint32_t)cr__random_below(&rng, largest[t]);
        qsort(expected + start[t], length[t], sizeof *expected, by_number);
    }
    cr__text_plan_sort(&batch);
    assert_memory_equal(word, expected, start[TEXTS] * sizeof *word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_takes_a_text),
        cmocka_unit_test(words_of_a_text_are_sorted),
        cmocka_unit_test(multinomial_with_add_one_smoothing),
        cmocka_unit_test(bernoulli_punishes_absent_words),
        cmocka_unit_test(boolean_counts_each_word_once),
        cmocka_unit_test(complement_uses_the_other_classes),
        cmocka_unit_test(unknown_words_are_skipped),
        cmocka_unit_test(smoothing_by_the_whole_vocabulary),
        cmocka_unit_test(smoothing_is_found_on_the_scale_of_the_weights),
        cmocka_unit_test(learning_unlearning_and_merging_are_exact),
        cmocka_unit_test(weighted_texts_can_be_unlearned),
        cmocka_unit_test(knobs_of_words_cannot_be_turned_later),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
