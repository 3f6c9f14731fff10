/* tests/decide/test_texts_in_place.c - texts learned and taken back one by one leave the bytes that
 * training on the texts that are left gives, whenever the model is looked at in between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "credence/credence.h"
#include "model/model.h"
#include "support/model_bytes.h"

enum { ROWS = 300, FIRST = 150, SIZE = 400, COLUMNS = 5 };

static const char *text[ROWS], *note[ROWS], *colour[ROWS], *label[ROWS];
static double number[ROWS];
static char words[2 * ROWS][SIZE];

static uint32_t draw(void)
{
    static uint64_t state = 11;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

/* Up to 30 words, small numbers most; one word that every text of a class has, some that come once
 * and never again, and some texts without words. */
static void make_text(char *out, size_t row, uint32_t c)
{
    const uint32_t n = draw() % 30;
    size_t at = 0;

    if (n == 0) {
        strcpy(out, "- . -");
        return;
    }
    at += (size_t)snprintf(out, SIZE, "class%u ", c);
    for (uint32_t i = 0; i < n; i++)
        at += (size_t)snprintf(out + at, SIZE - at, "w%u ", draw() % (1 + draw() % 60) + 20 * c);
    if (draw() % 4 == 0)
        snprintf(out + at, SIZE - at, "once%zu", row);
}

static int make_rows(void **state)
{
    static const char *const colours[] = {"red", "green", NULL};

    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        const uint32_t c = draw() % 3;

        label[r] = c == 0 ? "a" : c == 1 ? "b" : "c";
        make_text(words[2 * r], r, c);
        make_text(words[2 * r + 1], r, 0);
        text[r] = draw() % 15 == 0 ? NULL : words[2 * r];
        note[r] = draw() % 3 == 0 ? NULL : words[2 * r + 1];
        colour[r] = colours[draw() % 3];
        number[r] = draw() % 12 == 0 ? NAN : c + draw() % 1000 * 1e-3;
    }
    return 0;
}

static cr_model *trained(const char *param, size_t first, size_t rows)
{
    const cr_array table[COLUMNS] = {
        {.name = "text", .text = text + first, .kind = CR_BAG},
        {.name = "note", .text = note + first, .kind = CR_BAG},
        {.name = "colour", .text = colour + first},
        {.name = "x", .real = number + first},
        {.name = "class", .text = label + first, .role = CR_ROLE_TARGET}};
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    assert_int_equal(cr_source_open_arrays(&source, table, COLUMNS, rows, NULL), CR_OK);
    if (cr_model_train(&model, source, "nb", &param, param != NULL, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

static void fill(cr_row *row, size_t r)
{
    cr_row_clear(row);
    assert_int_equal(cr_row_set_text(row, 0, text[r]), CR_OK);
    assert_int_equal(cr_row_set_text(row, 1, note[r]), CR_OK);
    assert_int_equal(cr_row_set_text(row, 2, colour[r]), CR_OK);
    assert_int_equal(cr_row_set_real(row, 3, number[r]), CR_OK);
    assert_int_equal(cr_row_set_text(row, 4, label[r]), CR_OK);
}

/* A model of the first rows and a row for it that does not keep it from changing in place. */
static cr_model *begin(const char *param, cr_row **row)
{
    cr_model *model = trained(param, 0, FIRST), *own;

    assert_int_equal(cr_row_new(row, model, NULL), CR_OK);
    own = trained(param, 0, FIRST);
    cr_model_free(model);
    return own;
}

static const char *const param[] = {NULL,
                                    "event=boolean",
                                    "event=bernoulli",
                                    "event=complement",
                                    "event=weighted-complement",
                                    "text-smoothing=dirichlet",
                                    "text-alpha=auto",
                                    "text-length=5",
                                    "select=chi2:20",
                                    "min-count=2",
                                    "stop=common:5"};

/* Learn the second half, then take the first half back: what is left is the second. The model is
 * looked at after every `look` rows. */
static void texts_come_and_go(void **state)
{
    (void)state;
    for (size_t p = 0; p < sizeof param / sizeof *param; p++) {
        const size_t look = p % 3 == 0 ? ROWS : 7 * p;
        cr_row *row;
        cr_model *model = begin(param[p], &row), *half = trained(param[p], FIRST, ROWS - FIRST);
        cr_model *all = trained(param[p], 0, ROWS);
        const cr__model_share *share = model->share;

        for (size_t r = FIRST; r < ROWS; r++) {
            fill(row, r);
            assert_int_equal(cr_row_learn(model, row, 1, NULL), CR_OK);
            if (r % look == 0)
                assert_true(cr_model_prior(model, 0) > 0);
        }
        assert_ptr_equal(model->share, share); /* nothing was made anew */
        assert_same_model(model, all);
        for (size_t r = 0; r < FIRST; r++) {
            fill(row, r);
            assert_int_equal(cr_row_learn(model, row, -1, NULL), CR_OK);
            if (r % look == 0)
                assert_true(cr_model_words(model, 0) > 0);
        }
        assert_ptr_equal(model->share, share);
        assert_same_model(model, half);
        cr_row_free(row);
        cr_model_free(model);
        cr_model_free(half);
        cr_model_free(all);
    }
}

/* A calibrated model of texts alone. */
static cr_model *calibrated(const char *method, const char *const *params, size_t count)
{
    const cr_array table[] = {{.name = "text", .text = text, .kind = CR_BAG},
                              {.name = "note", .text = note, .kind = CR_BAG},
                              {.name = "class", .text = label, .role = CR_ROLE_TARGET}};
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    assert_int_equal(cr_source_open_arrays(&source, table, 3, FIRST, NULL), CR_OK);
    if (cr_model_train_calibrated(&model, source, "nb", params, count, NULL, method, NULL, NULL,
                                  NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

static void teach(cr_model *model, cr_row *row, size_t r, int sign)
{
    cr_row_clear(row);
    assert_int_equal(cr_row_set_text(row, 0, text[r]), CR_OK);
    assert_int_equal(cr_row_set_text(row, 1, note[r]), CR_OK);
    assert_int_equal(cr_row_set_text(row, 2, label[r]), CR_OK);
    assert_int_equal(cr_row_learn(model, row, sign, NULL), CR_OK);
}

/* Each row is answered by the model without it, and counted in its calibration. A model that shares
 * its parts with a copy learns by the way of all data: the bytes must be the same. */
static void calibrations_count_what_was_learned(void **state)
{
    static const struct setting {
        const char *method;
        size_t count;
        const char *param[3];
    } settings[] = {{"temperature", 1, {"text-alpha=1"}},
                    {"platt", 1, {"event=boolean"}},
                    {"isotonic", 2, {"text-alpha=0.3", "text-length=4"}},
                    {"temperature", 3, {"event=boolean", "text-alpha=auto", "text-length=4"}}};

    (void)state;
    for (size_t m = 0; m < sizeof settings / sizeof *settings; m++) {
        const struct setting *s = &settings[m];
        cr_model *model = calibrated(s->method, s->param, s->count), *held;
        cr_model *slow = calibrated(s->method, s->param, s->count);
        cr_model *begun = calibrated(s->method, s->param, s->count);
        const cr__model_share *share = model->share;
        cr_row *row;

        assert_same_model(model, begun);
        assert_int_equal(cr_row_new(&row, slow, NULL), CR_OK);
        for (size_t r = FIRST; r < ROWS; r++) {
            teach(model, row, r, 1);
            assert_int_equal(cr_model_copy(&held, slow, NULL), CR_OK);
            teach(slow, row, r, 1);
            cr_model_free(held);
            if (r % 20 == 0) {
                assert_true(cr_model_prior(model, 0) > 0);
                assert_same_model(model, slow);
            }
        }
        assert_ptr_equal(model->share, share); /* nothing was made anew */
        assert_same_model(model, slow);
        for (size_t r = ROWS; r-- > FIRST;)
            teach(model, row, r, -1);
        assert_ptr_equal(model->share, share);
        assert_same_model(model, begun);
        cr_row_free(row);
        cr_model_free(model);
        cr_model_free(slow);
        cr_model_free(begun);
    }
}

/* Rows of each kind of question see what was learned before it. */
static void questions_see_what_was_learned(void **state)
{
    cr_row *row, *now, *then;
    cr_model *model = begin(NULL, &row), *all = trained(NULL, 0, ROWS), *copy;
    double a[3], b[3];
    cr_decision d;
    cr_word one, other;

    (void)state;
    for (size_t r = FIRST; r < ROWS; r++) {
        fill(row, r);
        assert_int_equal(cr_row_learn(model, row, 1, NULL), CR_OK);
    }
    assert_int_equal(cr_row_new(&now, model, NULL), CR_OK);
    assert_int_equal(cr_row_new(&then, all, NULL), CR_OK);
    for (size_t r = 0; r < ROWS; r++) {
        fill(now, r);
        fill(then, r);
        assert_int_equal(cr_row_classify(now, NULL, a, &d), CR_OK);
        assert_int_equal(cr_row_classify(then, NULL, b, &d), CR_OK);
        assert_memory_equal(a, b, sizeof a);
    }
    cr_row_free(now);
    fill(row, 1); /* once more, and back */
    assert_int_equal(cr_row_learn(model, row, 1, NULL), CR_OK);
    assert_int_equal(cr_row_learn(model, row, -1, NULL), CR_OK);
    assert_int_equal(cr_model_words(model, 0), cr_model_words(all, 0));
    for (size_t w = 0; w < cr_model_words(all, 0); w++) {
        assert_int_equal(cr_model_word(model, 0, w, 1, &one), CR_OK);
        assert_int_equal(cr_model_word(all, 0, w, 1, &other), CR_OK);
        assert_true(one.log_share == other.log_share && one.terms == other.terms);
    }
    assert_int_equal(cr_row_learn(model, row, 1, NULL), CR_OK);
    assert_int_equal(cr_row_learn(model, row, -1, NULL), CR_OK);
    assert_int_equal(cr_model_copy(&copy, model, NULL), CR_OK);
    assert_same_model(copy, all);
    cr_model_free(copy);
    cr_row_free(row);
    cr_row_free(then);
    cr_model_free(model);
    cr_model_free(all);
}

static void set_texts(cr_row *row, size_t r, const char *strange)
{
    cr_row_clear(row);
    assert_int_equal(cr_row_set_text(row, 0, strange != NULL ? strange : text[r]), CR_OK);
    assert_int_equal(cr_row_set_text(row, 1, note[r]), CR_OK);
}

/* Ask a model that is behind, with an early row, and one that has worked everything in. */
static void assert_same_answer(const cr_model *behind, const cr_model *worked, cr_row *row,
                               size_t r, const char *strange)
{
    double a[3], b[3], log_a, log_b;
    int32_t decision;
    cr_decision d;
    cr_row *now;

    set_texts(row, r, strange);
    assert_int_equal(cr_model_classify(behind, row, a, &decision, &log_a), CR_OK);
    assert_int_equal(cr_row_new(&now, worked, NULL), CR_OK);
    set_texts(now, r, strange);
    assert_int_equal(cr_row_classify(now, NULL, b, &d), CR_OK);
    log_b = d.log_evidence;
    assert_memory_equal(a, b, sizeof a);
    assert_memory_equal(&log_a, &log_b, sizeof log_a);
    assert_int_equal(decision, d.decision);
    cr_row_free(now);
}

/* Texts are learned and taken back, and the class of others is asked in between: the same answers,
 * to the last bit, and nothing is worked in. */
static void classes_are_asked_without_working_in(void **state)
{
    static const struct setting {
        const char *method;
        size_t count;
        const char *param[3];
        int in_place;
    } settings[] = {
        {"none", 0, {NULL}, 1},
        {"none", 1, {"event=boolean"}, 1},
        {"none", 1, {"alpha=0"}, 0},
        {"none", 1, {"event=complement"}, 0},
        {"none", 2, {"text-alpha=auto", "text-length=5"}, 0},
        {"none", 3, {"event=boolean", "text-alpha=auto", "text-length=5"}, 1},
        {"temperature", 1, {"text-alpha=1"}, 1},
        {"platt", 1, {"event=boolean"}, 1},
        {"isotonic", 2, {"text-alpha=0.3", "text-length=4"}, 1},
    };

    (void)state;
    for (size_t m = 0; m < sizeof settings / sizeof *settings; m++) {
        const struct setting *s = &settings[m];
        cr_model *model = calibrated(s->method, s->param, s->count);
        cr_model *other = calibrated(s->method, s->param, s->count);
        cr_model *early = calibrated(s->method, s->param, s->count);
        cr_row *row;

        assert_int_equal(cr_row_new(&row, early, NULL), CR_OK);
        for (size_t step = 0; step < 2 * (ROWS - FIRST); step++) {
            const int more = step < ROWS - FIRST;
            const size_t r = more ? FIRST + step : step - (ROWS - FIRST) + FIRST;
            const void *fitted = model->share->fitted;

            teach(model, row, r, more ? 1 : -1);
            teach(other, row, r, more ? 1 : -1);
            assert_same_answer(model, other, row, step % ROWS, NULL);
            assert_same_answer(model, other, row, r, NULL);
            if (step % 9 == 0)
                assert_same_answer(model, other, row, r, "w1 w2 never heard w1 once3 class0");
            if (s->in_place) {
                assert_int_equal(atomic_load(&model->share->behind), 1);
                assert_ptr_equal(model->share->fitted, fitted);
            }
        }
        assert_same_model(model, other);
        cr_row_free(row);
        cr_model_free(model);
        cr_model_free(other);
        cr_model_free(early);
    }
}

/* A row of any model with the same columns is answered as one of the model's own, whatever the
 * columns; of one with others it is refused. */
static void rows_of_other_models_are_answered(void **state)
{
    cr_row *row, *own, *other;
    cr_model *model = begin(NULL, &row), *texts = calibrated("none", NULL, 0);
    double a[3], b[3], log_a;
    int32_t decision;
    cr_decision d;

    (void)state;
    for (size_t r = FIRST; r < ROWS; r++) {
        fill(row, r);
        assert_int_equal(cr_row_learn(model, row, 1, NULL), CR_OK);
        if (r % 10 == 1)
            assert_int_equal(cr_row_set_text(row, 2, "never seen"), CR_OK);
        assert_int_equal(cr_model_classify(model, row, a, &decision, &log_a), CR_OK);
        assert_int_equal(cr_row_new(&own, model, NULL), CR_OK);
        fill(own, r);
        if (r % 10 == 1)
            assert_int_equal(cr_row_set_text(own, 2, "never seen"), CR_OK);
        assert_int_equal(cr_row_classify(own, NULL, b, &d), CR_OK);
        assert_memory_equal(a, b, sizeof a);
        assert_true(log_a == d.log_evidence && decision == d.decision);
        cr_row_free(own);
    }
    assert_int_equal(cr_row_new(&other, texts, NULL), CR_OK);
    assert_int_equal(cr_model_classify(model, other, a, &decision, NULL), CR_EARG);
    cr_row_free(other);
    cr_row_free(row);
    cr_model_free(model);
    cr_model_free(texts);
}

static void *ask_much(void *context)
{
    const cr_model *const *models = context;
    double *sum = calloc(1, sizeof *sum), p[3];
    int32_t decision;
    cr_row *row;

    if (sum == NULL || cr_row_new(&row, models[1], NULL) != CR_OK)
        abort();
    for (size_t r = 0; r < ROWS; r++) {
        cr_row_clear(row);
        if (cr_row_set_text(row, 0, text[r]) != CR_OK ||
            cr_model_classify(models[0], row, p, &decision, NULL) != CR_OK)
            abort();
        *sum += p[0] - p[2] / 3;
        if (r == ROWS / 2 && models[2] != NULL && !(cr_model_prior(models[0], 0) > 0))
            abort(); /* works in what was learned while others ask */
    }
    cr_row_free(row);
    return sum;
}

/* Threads ask at once; in the second round one of them also looks at the model. */
static void threads_ask_at_once(void **state)
{
    cr_model *model = calibrated("temperature", NULL, 0), *early = calibrated("none", NULL, 0);
    cr_row *row;
    double first = 0;

    (void)state;
    assert_int_equal(cr_row_new(&row, early, NULL), CR_OK);
    for (size_t r = FIRST; r < ROWS; r++)
        teach(model, row, r, 1);
    for (int round = 0; round < 2; round++) {
        const cr_model *quiet[3] = {model, early, NULL}, *look[3] = {model, early, model};
        pthread_t thread[4];

        for (int t = 0; t < 4; t++)
            assert_int_equal(
                pthread_create(&thread[t], NULL, ask_much, round == 1 && t == 0 ? look : quiet), 0);
        for (int t = 0; t < 4; t++) {
            void *sum;

            assert_int_equal(pthread_join(thread[t], &sum), 0);
            if (round == 0 && t == 0)
                first = *(double *)sum;
            assert_true(*(double *)sum == first);
            free(sum);
        }
        assert_int_equal(atomic_load(&model->share->behind), round == 0);
    }
    cr_row_free(row);
    cr_model_free(model);
    cr_model_free(early);
}

/* What was never learned is refused, and leaves everything as it was: a word, a word so often, a
 * text without the word that all texts of its class have, a class. */
static void what_was_never_learned_is_refused(void **state)
{
    static const char *const never[] = {"class0 w1 unheard",
                                        "class0 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 "
                                        "w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 "
                                        "w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1"};
    cr_row *row;
    cr_model *model = begin(NULL, &row), *more = trained(NULL, 0, FIRST + 1);
    cr_error err = {0};

    (void)state;
    fill(row, FIRST);
    assert_int_equal(cr_row_learn(model, row, 1, NULL), CR_OK);
    cr_row_clear(row);
    assert_int_equal(cr_row_set_text(row, 4, "a"), CR_OK);
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        assert_int_equal(cr_row_set_text(row, 0, never[i]), CR_OK);
        assert_int_equal(cr_row_learn(model, row, -1, &err), CR_ECONFLICT);
        assert_same_model(model, more);
    }
    cr_row_free(row);
    cr_model_free(model);
    cr_model_free(more);
}

/* All three texts of a class have the word; one without it was never there. */
static void a_word_of_every_text_must_go_too(void **state)
{
    static const char *const all[] = {"red ball", "red dog", "red cat", "blue", "green ball"};
    static const char *const of[] = {"a", "a", "a", "b", "b"};
    const cr_array table[] = {{.name = "text", .text = all, .kind = CR_BAG},
                              {.name = "class", .text = of, .role = CR_ROLE_TARGET}};
    cr_source *source;
    cr_model *model, *same;
    cr_row *row;
    cr_error err = {0};

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(cr_source_open_arrays(&source, table, 2, 5, NULL), CR_OK);
        assert_int_equal(
            cr_model_train(i == 0 ? &same : &model, source, "nb", NULL, 0, NULL, NULL, NULL),
            CR_OK);
        cr_source_close(source);
    }
    assert_int_equal(cr_row_new(&row, same, NULL), CR_OK);
    assert_int_equal(cr_row_set_text(row, 1, "a"), CR_OK);
    assert_int_equal(cr_row_set_text(row, 0, "ball"), CR_OK);
    assert_int_equal(cr_row_learn(model, row, -1, &err), CR_ECONFLICT);
    assert_same_model(model, same);
    assert_int_equal(cr_row_learn(model, row, 1, &err), CR_OK); /* now not all have it */
    assert_int_equal(cr_row_learn(model, row, -1, &err), CR_OK);
    assert_int_equal(cr_row_set_text(row, 0, "red dog"), CR_OK);
    assert_int_equal(cr_row_learn(model, row, -1, &err), CR_OK);
    assert_int_equal(cr_row_learn(model, row, -1, &err), CR_ECONFLICT);
    assert_int_equal(cr_row_learn(model, row, 1, &err), CR_OK);
    assert_same_model(model, same);
    cr_row_free(row);
    cr_model_free(model);
    cr_model_free(same);
}

/* Whatever allocation fails, the model is as it was or as it should be, and a look at it that
 * fails can be tried again. */
static void memory_may_run_out(void **state)
{
    cr_row *row;
    cr_model *model = begin(NULL, &row), *same = trained(NULL, 0, FIRST), *copy = NULL;
    cr_model *more = trained(NULL, 0, FIRST + 1);
    cr_status st = CR_ENOMEM;

    (void)state;
    fill(row, FIRST);
    for (long n = 0; st != CR_OK; n++) {
        cr__memory_fail_after = n;
        st = cr_row_learn(model, row, 1, NULL);
        cr__memory_fail_after = -1;
        if (st != CR_OK)
            assert_same_model(model, same);
    }
    st = CR_ENOMEM;
    for (long n = 0; st != CR_OK; n++) {
        cr__memory_fail_after = n;
        st = cr_model_copy(&copy, model, NULL);
        cr__memory_fail_after = -1;
    }
    assert_same_model(copy, more);
    cr_model_free(copy);
    fill(row, FIRST);
    assert_int_equal(cr_row_learn(model, row, 1, NULL), CR_OK);
    st = CR_ENOMEM;
    for (long n = 0; st != CR_OK; n++) {
        double p[3];

        cr__memory_fail_after = n;
        st = cr_model_classify(model, row, p, &(int32_t){0}, NULL);
        cr__memory_fail_after = -1;
        assert_true(st == CR_OK || st == CR_ENOMEM);
    }
    assert_int_equal(cr_row_learn(model, row, -1, NULL), CR_OK);
    assert_same_model(model, more);
    cr_row_free(row);
    cr_model_free(model);
    cr_model_free(same);
    cr_model_free(more);
}

/* The same with a calibration: a row is learned, or taken back, whole or not at all. */
static void memory_may_run_out_while_answers_are_counted(void **state)
{
    cr_model *model = calibrated("temperature", NULL, 0), *more;
    cr_model *less = calibrated("temperature", NULL, 0);
    cr_row *row;

    (void)state;
    more = calibrated("temperature", NULL, 0);
    assert_int_equal(cr_row_new(&row, less, NULL), CR_OK);
    teach(more, row, FIRST, 1);
    for (int sign = 1; sign >= -1; sign -= 2) {
        cr_status st = CR_ENOMEM;

        for (long n = 0; st != CR_OK; n++) {
            cr__memory_fail_after = n;
            st = cr_row_learn(model, row, sign, NULL);
            cr__memory_fail_after = -1;
            if (st != CR_OK)
                assert_same_model(model, sign > 0 ? less : more);
        }
        st = CR_ENOMEM;
        for (long n = 0; st != CR_OK; n++) {
            double p[3];

            cr__memory_fail_after = n;
            st = cr_model_classify(model, row, p, &(int32_t){0}, NULL);
            cr__memory_fail_after = -1;
            assert_true(st == CR_OK || st == CR_ENOMEM);
        }
        assert_same_model(model, sign > 0 ? more : less);
    }
    cr_row_free(row);
    cr_model_free(model);
    cr_model_free(less);
    cr_model_free(more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_come_and_go),
        cmocka_unit_test(calibrations_count_what_was_learned),
        cmocka_unit_test(questions_see_what_was_learned),
        cmocka_unit_test(classes_are_asked_without_working_in),
        cmocka_unit_test(rows_of_other_models_are_answered),
        cmocka_unit_test(threads_ask_at_once),
        cmocka_unit_test(what_was_never_learned_is_refused),
        cmocka_unit_test(a_word_of_every_text_must_go_too),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(memory_may_run_out_while_answers_are_counted)};

    return cmocka_run_group_tests(tests, make_rows, NULL);
}
