/* tests/learners/test_logistic_products.c - products of features inside a logistic regression.
 *
 * Without a prior the weights have one best value whatever the features are called and scaled, so a
 * model with products answers as one whose products are columns of the data.
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

#include "base/memory.h"
#include "base/random.h"
#include "credence/credence.h"
#include "learners/logistic/logistic.h"
#include "model/model.h"
#include "support/model_bytes.h"

enum { ROWS = 400, CLASSES = 3, PRODUCTS = 5 };

typedef struct table {
    double size[ROWS], age[ROWS], product[PRODUCTS][ROWS];
    const char *bit[ROWS], *colour[ROWS], *class[ROWS];
} table;

/* The mean of the values that are there. */
static double mean_of(const double *x)
{
    double sum = 0, n = 0;

    for (size_t r = 0; r < ROWS; r++)
        if (!isnan(x[r])) {
            sum += x[r];
            n++;
        }
    return sum / n;
}

/* Classes that overlap, and differ in products as well; some values are missing. */
static table *random_table(uint64_t seed)
{
    static const char *const names[] = {"low", "mid", "high"};
    static const char *const colours[] = {"red", "green", "blue", "grey"};
    table *t = calloc(1, sizeof *t);
    double size, age;
    cr__random rng;

    assert_non_null(t);
    cr__random_seed(&rng, seed);
    for (size_t r = 0; r < ROWS; r++) {
        const int bit = cr__random_below(&rng, 3) == 0;
        double score;

        t->size[r] = 5 + 2 * cr__random_normal(&rng);
        t->age[r] = 40 + 10 * cr__random_normal(&rng);
        score = (t->size[r] - 5) / 2 * ((t->age[r] - 40) / 10 + bit) + cr__random_normal(&rng);
        t->class[r] = names[score < -0.5 ? 0 : score < 0.8 ? 1 : 2];
        t->bit[r] = bit ? "1" : "0";
        t->colour[r] = cr__random_below(&rng, 9) == 0
                           ? NULL
                           : colours[(cr__random_below(&rng, 3) + (score > 0)) % 4];
        if (cr__random_below(&rng, 9) == 0)
            t->size[r] = NAN;
    }
    size = mean_of(t->size);
    age = mean_of(t->age);
    for (size_t r = 0; r < ROWS; r++) {
        const double x = isnan(t->size[r]) ? 0 : t->size[r] - size, y = t->age[r] - age;
        const double bit = t->bit[r][0] - '0';
        const double all[PRODUCTS] = {x * x, x * y, y * y, x * bit, y * bit};

        for (size_t k = 0; k < PRODUCTS; k++)
            t->product[k][r] = all[k];
    }
    return t;
}

enum { COLOUR = 1, COLUMNS = 2 };

static cr_source *source_of(const table *t, size_t first, size_t count, int columns)
{
    static const char *const names[PRODUCTS] = {"ss", "sa", "aa", "sb", "ab"};
    cr_array arrays[5 + PRODUCTS];
    size_t n = 0;
    cr_source *source;
    cr_error err = {0};

    arrays[n++] = (cr_array){.name = "size", .real = t->size + first};
    arrays[n++] = (cr_array){.name = "age", .real = t->age + first};
    arrays[n++] = (cr_array){.name = "bit", .text = t->bit + first, .kind = CR_SYMBOL};
    if (columns & COLOUR)
        arrays[n++] = (cr_array){.name = "colour", .text = t->colour + first};
    for (size_t k = 0; (columns & COLUMNS) && k < PRODUCTS; k++)
        arrays[n++] = (cr_array){.name = names[k], .real = t->product[k] + first};
    arrays[n++] = (cr_array){.name = "class", .text = t->class + first, .role = CR_ROLE_TARGET};
    if (cr_source_open_arrays(&source, arrays, n, count, &err) != CR_OK)
        fail_msg("%s", err.message);
    return source;
}

/* Knobs are separated by blanks. */
static cr_model *train(const table *t, size_t count, int columns, const char *knobs, int threads)
{
    cr_source *source = source_of(t, 0, count, columns);
    const cr_run run = {.threads = threads};
    char copy[200];
    const char *params[10];
    size_t n = 0;
    cr_model *model = NULL;
    cr_error err = {0};

    snprintf(copy, sizeof copy, "%s", knobs);
    for (char *at = strtok(copy, " "); at != NULL; at = strtok(NULL, " "))
        params[n++] = at;
    if (cr_model_train(&model, source, "logistic", params, n, &run, NULL, &err) != CR_OK)
        fail_msg("%s (%s)", err.message, err.hint);
    cr_source_close(source);
    return model;
}

typedef struct answers {
    double posterior[ROWS][CLASSES];
    size_t rows;
} answers;

static cr_status take(void *context, const cr_predictions *p)
{
    answers *a = context;

    for (size_t r = 0; r < p->rows; r++, a->rows++)
        memcpy(a->posterior[a->rows], p->posterior + r * p->classes, sizeof a->posterior[0]);
    return CR_OK;
}

static answers *answers_of(const cr_model *model, const table *t, int columns)
{
    cr_source *source = source_of(t, 0, ROWS, columns);
    answers *a = calloc(1, sizeof *a);
    const cr_sink sink = {.visit = take, .context = a};
    cr_error err = {0};

    assert_non_null(a);
    if (cr_model_predict(model, source, NULL, &sink, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    assert_int_equal(a->rows, ROWS);
    return a;
}

static double difference(const cr_model *x, int x_columns, const cr_model *y, int y_columns,
                         const table *t)
{
    answers *a = answers_of(x, t, x_columns), *b = answers_of(y, t, y_columns);
    double most = 0;

    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < CLASSES; c++)
            most = fmax(most, fabs(a->posterior[r][c] - b->posterior[r][c]));
    free(a);
    free(b);
    return most;
}

/* --- tests ------------------------------------------------------------------------------------ */

static void products_are_those_of_columns(void **state)
{
    static const char *const solver[] = {"newton", "lbfgs"};
    table *t = random_table(1);

    (void)state;
    for (int k = 0; k < 2; k++) {
        char knobs[2][120];
        cr_model *inside, *outside, *plain = train(t, ROWS, 0, "prior=none", 1);

        for (int i = 0; i < 2; i++)
            snprintf(knobs[i], sizeof knobs[i], "prior=none epsilon=1e-9 solver=%s %s", solver[k],
                     i == 0 ? "interactions=yes" : "");
        inside = train(t, ROWS, 0, knobs[0], 1);
        outside = train(t, ROWS, COLUMNS, knobs[1], 1);
        assert_true(difference(inside, 0, outside, COLUMNS, t) < 1e-5);
        assert_true(difference(inside, 0, plain, 0, t) > 0.3);
        cr_model_free(inside);
        cr_model_free(outside);
        cr_model_free(plain);
    }
    free(t);
}

/* size², size·age, size·bit, age², age·bit, and of the four colours 3 · 4; no colour times
 * another. */
static void each_product_has_a_weight_and_a_name(void **state)
{
    static const char *const names[] = {"size^2", "size*age", "size*bit",   "size*colour",
                                        "age^2",  "age*bit",  "age*colour", "bit*colour"};
    static const size_t counts[] = {1, 1, 1, 4, 1, 1, 4, 4};
    table *t = random_table(2);
    cr_model *model = train(t, ROWS, COLOUR, "interactions=yes", 1);
    cr_model *plain = train(t, ROWS, COLOUR, "", 1);
    cr_interaction p;
    char name[40];
    size_t i = 0;

    (void)state;
    assert_int_equal(cr_model_interactions(plain), 0);
    assert_int_equal(cr_model_interaction(plain, 0, 0, &p), CR_EARG);
    assert_int_equal(cr_model_interaction_name(plain, 0, 0, name, sizeof name), 0);
    assert_int_equal(cr_model_interactions(model), 17);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        for (size_t n = 0; n < counts[k]; n++, i++) {
            assert_int_equal(cr_model_interaction_name(model, i, 0, name, sizeof name),
                             strlen(names[k]));
            assert_string_equal(name, names[k]);
            cr_model_interaction_name(model, i, 1, name, sizeof name);
            if (k == 7) {
                char expected[40];

                snprintf(expected, sizeof expected, "1, %s", cr_model_value(model, 3, n));
                assert_string_equal(name, expected);
            }
            assert_int_equal(cr_model_interaction(model, i, 1, &p), CR_OK);
            assert_true(isfinite(p.weight.weight) && p.weight.error > 0);
            assert_true((p.deviation[0] > 0) == (p.column[0] < 2));
        }
    assert_int_equal(i, 17);
    assert_int_equal(cr_model_interaction(model, 17, 0, &p), CR_EARG);
    assert_int_equal(cr_model_interaction(model, 0, 3, &p), CR_EARG);
    cr_model_free(model);
    cr_model_free(plain);
    free(t);
}

static void any_number_of_threads_gives_the_same_bytes(void **state)
{
    table *t = random_table(3);
    cr_model *one = train(t, ROWS, COLOUR, "interactions=yes solver=lbfgs", 1);
    cr_model *four = train(t, ROWS, COLOUR, "interactions=yes solver=lbfgs", 4);

    (void)state;
    assert_same_model(one, four);
    cr_model_free(one);
    cr_model_free(four);
    free(t);
}

/* The posterior of the first half is the prior of the second. */
static void learning_goes_on(void **state)
{
    static const char *const codings[] = {"onehot", "reference", "effect"};
    table *t = random_table(4);

    (void)state;
    for (int k = 0; k < 3; k++) {
        char knobs[80];
        cr_model *all, *half;
        cr_source *rest = source_of(t, ROWS / 2, ROWS / 2, COLOUR);
        cr_error err = {0};
        double before;

        snprintf(knobs, sizeof knobs, "interactions=yes coding=%s", codings[k]);
        all = train(t, ROWS, COLOUR, knobs, 1);
        half = train(t, ROWS / 2, COLOUR, knobs, 1);
        before = difference(all, COLOUR, half, COLOUR, t);
        if (cr_model_learn(half, rest, NULL, NULL, &err) != CR_OK)
            fail_msg("%s", err.message);
        assert_true(difference(all, COLOUR, half, COLOUR, t) < before / 2);
        cr_source_close(rest);
        cr_model_free(all);
        cr_model_free(half);
    }
    free(t);
}

/* Weights for numbers less other means answer the same. */
static void weights_move_with_the_means(void **state)
{
    table *t = random_table(5);
    cr_model *model = train(t, ROWS, COLOUR, "interactions=yes coding=effect", 1);
    answers *before = answers_of(model, t, COLOUR), *after;
    const cr__lr *lr = model->share->fitted;
    const cr__stats *stats;
    cr__lr_shape shape;
    cr__lr *moved;
    double *frame, *theta;

    (void)state;
    assert_int_equal(cr__model_stats(model, &stats, NULL), CR_OK);
    assert_int_equal(cr__lr_shape_new(&shape, stats, &model->knobs, NULL), CR_OK);
    assert_int_equal(cr__lr_new(&moved, &shape, NULL), CR_OK);
    frame = cr__alloc(lr->shape.columns, 2 * sizeof *frame);
    theta = cr__alloc(cr__lr_parameters(&lr->shape), sizeof *theta);
    memcpy(frame, lr->frame, 2 * lr->shape.columns * sizeof *frame);
    frame[0] += 3;
    frame[1] *= 2;
    frame[2] -= 7;
    moved->frame = moved->own[2] = frame;
    moved->share = moved->own[1] = cr__alloc_zero(CLASSES, sizeof(double));
    cr__lr_recover(lr, frame, theta);
    assert_int_equal(cr__lr_set_units(moved, stats, &model->knobs, theta, NULL), CR_OK);
    for (size_t r = 0; r < ROWS; r++)
        if (isnan(t->size[r])) /* a missing number counts as the mean, which has moved */
            t->size[r] = lr->frame[0];
    free(before);
    before = answers_of(model, t, COLOUR);
    model->share->fitted = moved;
    after = answers_of(model, t, COLOUR);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < CLASSES; c++)
            assert_true(fabs(before->posterior[r][c] - after->posterior[r][c]) < 1e-12);
    cr__lr_free((void *)lr);
    cr__free(theta);
    free(before);
    free(after);
    cr_model_free(model);
    free(t);
}

typedef struct exactness {
    const answers *answers;
    size_t row, products;
} exactness;

static cr_status check_shares(void *context, const cr_explanation *e)
{
    exactness *x = context;

    for (size_t c = 0; c < e->classes; c++) {
        double sum = 0;

        for (size_t f = 0; f < e->factors; f++) {
            const cr_factor *factor = &e->factor[f];

            sum += factor->log_p[c];
            assert_true(
                factor->left_out ||
                fabs(factor->x * factor->slope[c] * (e->moderation == NULL ? 1 : e->moderation[c]) -
                     factor->log_p[c]) < 1e-12 * fmax(1, fabs(factor->log_p[c])));
            x->products += factor->with > 0;
        }
        assert_true(sum == e->score[c]);
        assert_true(fabs(e->posterior[c] - x->answers->posterior[x->row][c]) < 1e-14);
    }
    x->row++;
    return CR_OK;
}

static void shares_add_up_to_the_scores_exactly(void **state)
{
    table *t = random_table(6);

    (void)state;
    for (int moderated = 0; moderated < 2; moderated++) {
        cr_model *model = train(
            t, ROWS, COLOUR, moderated ? "interactions=yes moderate=yes" : "interactions=yes", 1);
        cr_source *source = source_of(t, 0, ROWS, COLOUR);
        answers *a = answers_of(model, t, COLOUR);
        exactness x = {a, 0, 0};
        cr_error err = {0};

        if (cr_model_explain(model, source, NULL, check_shares, &x, &err) != CR_OK)
            fail_msg("%s", err.message);
        assert_int_equal(x.row, ROWS);
        assert_true(x.products > ROWS);
        free(a);
        cr_source_close(source);
        cr_model_free(model);
    }
    free(t);
}

static void copies_and_files_answer_as_before(void **state)
{
    table *t = random_table(7);
    cr_model *model = train(t, ROWS, COLOUR, "interactions=yes", 1), *loaded = NULL;
    const char *knob = "moderate=yes";
    cr_error err = {0};
    size_t size;
    char *bytes = model_bytes(model, &size), *aligned = NULL;

    (void)state;
    assert_int_equal(posix_memalign((void **)&aligned, 64, size), 0);
    memcpy(aligned, bytes, size);
    if (cr__model_borrow(&loaded, aligned, size, 1, &err) != CR_OK)
        fail_msg("%s", err.message);
    assert_true(difference(model, COLOUR, loaded, COLOUR, t) == 0);
    assert_same_model(model, loaded);
    assert_int_equal(cr_model_refit(loaded, &knob, 1, &err), CR_OK);
    assert_int_equal(cr_model_interactions(loaded), 17);
    assert_true(difference(model, COLOUR, loaded, COLOUR, t) > 0);
    knob = "moderate=no";
    assert_int_equal(cr_model_refit(loaded, &knob, 1, &err), CR_OK);
    assert_same_model(model, loaded);
    cr_model_free(loaded);
    cr_model_free(model);
    free(bytes);
    free(aligned);
    free(t);
}

/* Any byte may be anything: the file is refused, or the model answers with probabilities. */
static void damaged_files_do_no_harm(void **state)
{
    table *t = random_table(8);
    cr_model *model = train(t, ROWS, COLOUR, "interactions=yes moderate=yes", 1);
    size_t size, opened = 0;
    char *bytes = model_bytes(model, &size), *aligned = NULL;
    cr__random rng;

    (void)state;
    assert_int_equal(posix_memalign((void **)&aligned, 64, size), 0);
    cr__random_seed(&rng, 18);
    for (int round = 0; round < 400; round++) {
        cr_model *loaded = NULL;
        cr_error err = {0};

        memcpy(aligned, bytes, size);
        for (uint64_t k = cr__random_below(&rng, 4) + 1; k > 0; k--)
            aligned[64 + cr__random_below(&rng, size - 64)] = (char)cr__random_next(&rng);
        if (cr__model_borrow(&loaded, aligned, size, 0, &err) == CR_OK &&
            strcmp(cr_model_learner(loaded), "logistic") == 0) {
            cr_source *source = source_of(t, 0, 40, COLOUR);
            answers a = {.rows = 0};
            const cr_sink sink = {.visit = take, .context = &a};

            if (cr_model_classes(loaded) == CLASSES &&
                cr_model_predict(loaded, source, NULL, &sink, NULL, NULL, &err) == CR_OK)
                for (size_t r = 0; r < a.rows; r++)
                    assert_true(a.posterior[r][0] >= 0 && a.posterior[r][0] <= 1);
            cr_source_close(source);
            opened++;
        }
        cr_model_free(loaded);
    }
    assert_true(opened > 20);
    cr_model_free(model);
    free(bytes);
    free(aligned);
    free(t);
}

/* 363 bits have 65,703 products. */
static void too_many_products_are_refused(void **state)
{
    enum { BITS = 363 };
    static const char *const values[] = {"0", "1", "0", "1"}, *const classes[] = {"a", "b", "b",
                                                                                  "a"};
    const char *const knobs[] = {"interactions=yes"}, *const stream[] = {knobs[0], "solver=sgd"};
    cr_array arrays[BITS + 1];
    char names[BITS][8];
    cr_source *source;
    cr_model *model = NULL;
    cr_error err = {0};

    (void)state;
    for (size_t i = 0; i < BITS; i++) {
        snprintf(names[i], sizeof names[i], "b%zu", i);
        arrays[i] = (cr_array){.name = names[i], .text = values, .kind = CR_SYMBOL};
    }
    arrays[BITS] = (cr_array){.name = "class", .text = classes, .role = CR_ROLE_TARGET};
    assert_int_equal(cr_source_open_arrays(&source, arrays, BITS + 1, 4, &err), CR_OK);
    assert_int_equal(cr_model_train(&model, source, "logistic", knobs, 1, NULL, NULL, &err),
                     CR_ELIMIT);
    assert_non_null(strstr(err.message, "65703"));
    cr_source_close(source);
    assert_int_equal(cr_source_open_arrays(&source, arrays + BITS - 2, 3, 4, &err), CR_OK);
    assert_int_equal(cr_model_train(&model, source, "logistic", stream, 2, NULL, NULL, &err),
                     CR_EARG);
    cr_source_close(source);
}

static void out_of_memory_is_an_error_and_nothing_leaks(void **state)
{
    table *t = random_table(9);
    cr_status st = CR_ENOMEM;

    (void)state;
    for (long n = 0; st != CR_OK && n < 100000; n += 1 + n / 40) {
        cr_source *source = source_of(t, 0, 60, COLOUR);
        const cr_run run = {.threads = 1};
        const char *knobs[] = {"interactions=yes", "iterations=3"};
        const char *refit = "moderate=yes";
        cr_model *model = NULL;
        cr_error err = {0};

        cr__memory_fail_after = n;
        st = cr_model_train(&model, source, "logistic", knobs, 2, &run, NULL, &err);
        if (st == CR_OK)
            st = cr_model_refit(model, &refit, 1, &err);
        cr__memory_fail_after = -1;
        if (st != CR_OK)
            assert_int_equal(st, CR_ENOMEM);
        cr_model_free(model);
        cr_source_close(source);
    }
    assert_int_equal(st, CR_OK);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_columns),
        cmocka_unit_test(each_product_has_a_weight_and_a_name),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(learning_goes_on),
        cmocka_unit_test(weights_move_with_the_means),
        cmocka_unit_test(shares_add_up_to_the_scores_exactly),
        cmocka_unit_test(copies_and_files_answer_as_before),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(too_many_products_are_refused),
        cmocka_unit_test(out_of_memory_is_an_error_and_nothing_leaks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
