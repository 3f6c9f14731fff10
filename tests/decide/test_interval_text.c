/* tests/decide/test_interval_text.c - intervals of the probabilities of texts. */
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
#include "base/special.h"
#include "credence/credence.h"
#include "learners/naive_bayes/naive_bayes.h"
#include "model/model.h"

enum { TEXTS = 30, LENGTH = 6, WORDS = 8, WORLDS = 500, DRAWS = 100000 };

static const char *const words[WORDS] = {"ant", "bee", "cow", "dog", "elk", "fox", "gnu", "hen"};
static const char *const classes[2] = {"a", "b"};

/* A world: parameters from the prior that alpha=1 stands for, and texts by them. */
typedef struct world {
    double share[2], p[2][WORDS];
    char bytes[TEXTS][LENGTH * 4 + 1];
    const char *text[TEXTS], *class[TEXTS];
    double rows[2], count[2][WORDS], total[2];
} world;

static void draw_shares(cr__random *random, const double *parameter, double *p, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += p[i] = cr__random_gamma(random, parameter == NULL ? 1 : parameter[i]);
    for (size_t i = 0; i < n; i++)
        p[i] /= sum;
}

static size_t draw_value(cr__random *random, const double *p, size_t n)
{
    double u = cr__random_uniform(random);
    size_t i = 0;

    while (i + 1 < n && u >= p[i])
        u -= p[i++];
    return i;
}

static void draw_world(cr__random *random, world *w)
{
    *w = (world){0};
    draw_shares(random, NULL, w->share, 2);
    for (size_t c = 0; c < 2; c++)
        draw_shares(random, NULL, w->p[c], WORDS);
    for (size_t r = 0; r < TEXTS; r++) {
        const size_t c = draw_value(random, w->share, 2);

        w->class[r] = classes[c];
        w->rows[c]++;
        w->text[r] = w->bytes[r];
        for (size_t i = 0; i < LENGTH; i++) {
            const size_t v = draw_value(random, w->p[c], WORDS);

            sprintf(w->bytes[r] + 4 * i, "%s ", words[v]);
            w->count[c][v]++;
            w->total[c]++;
        }
    }
}

/* All classes and words have been seen: else the model does not know how many there are. */
static int is_complete(const world *w)
{
    for (size_t v = 0; v < WORDS; v++)
        if (w->count[0][v] + w->count[1][v] == 0)
            return 0;
    return w->rows[0] > 0 && w->rows[1] > 0;
}

static cr_model *learn(const world *w, const char *knob)
{
    const cr_array table[] = {{.name = "t", .text = w->text, .kind = CR_BAG},
                              {.name = "c", .text = w->class, .role = CR_ROLE_TARGET}};
    cr_source *source;
    cr_model *model = NULL;
    cr_error err = {0};

    assert_int_equal(cr_source_open_arrays(&source, table, 2, TEXTS, &err), CR_OK);
    assert_int_equal(cr_model_train(&model, source, "nb", &knob, 1, NULL, NULL, &err), CR_OK);
    cr_source_close(source);
    return model;
}

/* The class 'a' of the model. */
static size_t first_class(const cr_model *model)
{
    return cr_model_class(model, 0)[0] != 'a';
}

/* P(a | words) under parameters. */
static double posterior(const double *share, double p[2][WORDS], const size_t *v, size_t n)
{
    double joint[2] = {share[0], share[1]};

    for (size_t c = 0; c < 2; c++)
        for (size_t i = 0; i < n; i++)
            joint[c] *= p[c][v[i]];
    return joint[0] / (joint[0] + joint[1]);
}

static void ask(const cr_model *model, const size_t *v, size_t n, double *low, double *high)
{
    char text[64];
    double lows[2], highs[2];
    cr_row *row;

    for (size_t i = 0; i < n; i++)
        sprintf(text + 4 * i, "%s ", words[v[i]]);
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    assert_int_equal(cr_row_set_text(row, 0, text), CR_OK);
    assert_int_equal(cr_row_interval(row, NULL, 0.8, 1, lows, highs, NULL), CR_OK);
    *low = lows[first_class(model)];
    *high = highs[first_class(model)];
    cr_row_free(row);
}

/* The share of worlds held is 0.8 but for chance, whose standard deviation is 0.018, and for
 * leaving out worlds in which a word or a class was never seen. */
static void intervals_of_texts_hold_what_they_promise(void **state)
{
    cr__random random;
    double held = 0, tried = 0;

    (void)state;
    cr__random_seed(&random, 1);
    for (size_t i = 0; i < WORLDS; i++) {
        world w;
        cr_model *model;
        double low, high, truth;
        size_t v[4];

        draw_world(&random, &w);
        if (!is_complete(&w))
            continue;
        model = learn(&w, "alpha=1");
        for (size_t j = 0; j < 4; j++)
            v[j] = cr__random_below(&random, WORDS);
        truth = posterior(w.share, w.p, v, 4);
        ask(model, v, 4, &low, &high);
        tried++;
        held += low <= truth && truth <= high;
        cr_model_free(model);
    }
    assert_true(tried > WORLDS / 2);
    if (fabs(held / tried - 0.8) > 0.06)
        fail_msg("%.3f of the intervals of 80 %% hold the truth", held / tried);
}

/* Every word of the vocabulary drawn, and P(class): a tenth of the posteriors is below the
 * interval and a tenth above, but for the chance of the 2,000 draws behind it, 0.0067. */
static void intervals_are_those_of_the_whole_dirichlet(void **state)
{
    const size_t v[] = {0, 0, 0, 3, 5};
    cr__random random;
    double low, high, below = 0, above = 0, rows[2], parameter[2][WORDS];
    cr_model *model;
    world w;

    (void)state;
    cr__random_seed(&random, 5);
    do
        draw_world(&random, &w);
    while (!is_complete(&w));
    model = learn(&w, "alpha=0.3");
    ask(model, v, 5, &low, &high);
    for (size_t c = 0; c < 2; c++) {
        rows[c] = w.rows[c] + 1;
        for (size_t i = 0; i < WORDS; i++)
            parameter[c][i] = w.count[c][i] + 0.3;
    }
    for (size_t i = 0; i < DRAWS; i++) {
        double share[2], p[2][WORDS], x;

        draw_shares(&random, rows, share, 2);
        for (size_t c = 0; c < 2; c++)
            draw_shares(&random, parameter[c], p[c], WORDS);
        x = posterior(share, p, v, 5);
        below += x < low;
        above += x > high;
    }
    if (fabs(below / DRAWS - 0.1) > 0.027 || fabs(above / DRAWS - 0.1) > 0.027)
        fail_msg("%.4f below %g, %.4f above %g", below / DRAWS, low, above / DRAWS, high);
    cr_model_free(model);
}

static uint32_t word_number(const cr__bag *bag, const char *word)
{
    for (size_t w = 0; w < bag->words; w++) {
        size_t length;
        const char *bytes = cr__bag_word(bag, w, &length);

        if (length == strlen(word) && memcmp(bytes, word, length) == 0)
            return (uint32_t)w;
    }
    fail_msg("there is no %s", word);
    return 0;
}

static int by_number(const void *a, const void *b)
{
    return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

/* The derivatives of log Γ, by differences. */
static double digamma(double x)
{
    const double h = 1e-5 * x;

    return (cr__log_gamma(x + h) - cr__log_gamma(x - h)) / (2 * h);
}

static double trigamma(double x)
{
    const double h = 1e-3 * x;

    return (cr__log_gamma(x + h) - 2 * cr__log_gamma(x) + cr__log_gamma(x - h)) / (h * h);
}

/* log P(text | c) = Σ f log θ_w has the mean Σ f ψ(α_w) - F ψ(A) and, with the trigamma function
 * ψ1, the variance Σ f² ψ1(α_w) - F² ψ1(A). */
static void check_moments(const world *w, double alpha, const char *knob)
{
    const size_t v[] = {2, 2, 4, 7};
    const double f[WORDS] = {[2] = 2, [4] = 1, [7] = 1};
    cr_model *model = learn(w, knob);
    const cr__stats *stats;
    cr__nb_text_draw *draw;
    uint32_t text[4];
    double sum[2] = {0}, squares[2] = {0};
    cr__random random;

    assert_int_equal(cr__model_stats(model, &stats, NULL), CR_OK);
    for (size_t i = 0; i < 4; i++)
        text[i] = word_number(stats->column[0].bag, words[v[i]]);
    qsort(text, 4, sizeof *text, by_number);
    assert_int_equal(cr__nb_text_draw_new(&draw,
                                          ((const cr__nb *)model->share->fitted)->column[0].text,
                                          stats->column[0].bag, &model->knobs, "t", NULL),
                     CR_OK);
    cr__random_seed(&random, 7);
    assert_true(cr__nb_text_draw_row(draw, text, 4));
    for (size_t i = 0; i < DRAWS; i++) {
        double score[2] = {0};

        cr__nb_text_draw_add(draw, &random, score);
        for (size_t c = 0; c < 2; c++) {
            sum[c] += score[c];
            squares[c] += score[c] * score[c];
        }
    }
    for (size_t c = 0; c < 2; c++) {
        const size_t mine = c == 0 ? first_class(model) : !first_class(model);
        const double all = w->total[c] + alpha * WORDS, got = sum[mine] / DRAWS;
        double mean = -4 * digamma(all), variance = -16 * trigamma(all);

        for (size_t i = 0; i < WORDS; i++) {
            mean += f[i] * digamma(w->count[c][i] + alpha);
            variance += f[i] * f[i] * trigamma(w->count[c][i] + alpha);
        }
        if (fabs(got - mean) > 5 * sqrt(variance / DRAWS))
            fail_msg("%s: a mean of %.6f instead of %.6f", knob, got, mean);
        if (fabs(squares[mine] / DRAWS - got * got - variance) > 0.05 * variance)
            fail_msg("%s: a variance of %.6f instead of %.6f", knob,
                     squares[mine] / DRAWS - got * got, variance);
    }
    cr__nb_text_draw_free(draw);
    cr_model_free(model);
}

static void draws_have_the_moments_of_logs_of_a_dirichlet(void **state)
{
    cr__random random;
    world w;

    (void)state;
    cr__random_seed(&random, 3);
    do
        draw_world(&random, &w);
    while (!is_complete(&w));
    check_moments(&w, 1, "alpha=1");
    check_moments(&w, 0.01, "text-alpha=0.01");
}

static void a_text_without_known_words_says_nothing(void **state)
{
    cr__random random;
    world w;
    cr_model *model;
    cr_row *row;
    double low[2], high[2], n[2];

    (void)state;
    cr__random_seed(&random, 3);
    draw_world(&random, &w);
    model = learn(&w, "alpha=1");
    n[first_class(model)] = w.rows[0] + 1;
    n[!first_class(model)] = w.rows[1] + 1;
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    assert_int_equal(cr_row_set_text(row, 0, "yak zebu"), CR_OK);
    assert_int_equal(cr_row_interval(row, NULL, 0.9, 1, low, high, NULL), CR_OK);
    assert_true(fabs(cr__beta_lower(n[0], n[1], low[0]) - 0.05) < 1e-12);
    cr_row_free(row);
    cr_model_free(model);
}

static void what_has_no_posterior_is_refused(void **state)
{
    static const char *const knobs[] = {"event=boolean",    "event=bernoulli",
                                        "event=complement", "event=weighted-complement",
                                        "smoothing=none",   "text-smoothing=jelinek-mercer",
                                        "weight=tfidf",     "length-norm=l2"};
    cr__random random;
    world w;

    (void)state;
    cr__random_seed(&random, 3);
    draw_world(&random, &w);
    for (size_t i = 0; i < sizeof knobs / sizeof *knobs; i++) {
        cr_model *model = learn(&w, knobs[i]);
        double low[2], high[2];
        cr_error err = {0};
        cr_row *row;

        assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
        assert_int_equal(cr_row_interval(row, NULL, 0.9, 1, low, high, &err), CR_EARG);
        assert_non_null(strstr(err.message, "'t' has no interval"));
        cr_row_free(row);
        cr_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_of_texts_hold_what_they_promise),
        cmocka_unit_test(intervals_are_those_of_the_whole_dirichlet),
        cmocka_unit_test(draws_have_the_moments_of_logs_of_a_dirichlet),
        cmocka_unit_test(a_text_without_known_words_says_nothing),
        cmocka_unit_test(what_has_no_posterior_is_refused),
    };
    return cmocka_run_group_tests_name("intervals of texts", tests, NULL, NULL);
}
