/* tests/stats/test_tuples.c - counts of pairs: against a plain loop over the rows, exact under
 * learning, unlearning and merging, the same for any number of threads; older models.
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
#include "model/model.h"
#include "support/model_bytes.h"

enum { ROWS = 10000, FEATURES = 4, MANY = 400 };

/* Two columns of few values, two of many (their pair is kept sparse), a number, missing values
 * everywhere, rows without a class, and weights. */
typedef struct table {
    const char *symbol[FEATURES + 1][ROWS]; /* the last is the class */
    double real[2][ROWS];                   /* a number, the weight */
    char word[2][ROWS][16];
} table;

static table *random_table(uint64_t seed)
{
    static const char *const letters[] = {"a", "b", "c", "d"};
    table *t = calloc(1, sizeof *t);
    cr__random rng;

    assert_non_null(t);
    cr__random_seed(&rng, seed);
    for (size_t r = 0; r < ROWS; r++) {
        const uint64_t c = cr__random_below(&rng, 3), u = cr__random_below(&rng, 4);

        for (int k = 0; k < 2; k++)
            snprintf(t->word[k][r], sizeof t->word[k][r], "w%u",
                     (unsigned)cr__random_below(&rng, MANY));
        t->symbol[0][r] = letters[u];
        t->symbol[1][r] = cr__random_below(&rng, 9) == 0 ? NULL : t->word[0][r];
        t->symbol[2][r] = cr__random_below(&rng, 5) == 0 ? NULL : letters[(u + c) % 4];
        t->symbol[3][r] = t->word[1][r];
        t->symbol[4][r] = cr__random_below(&rng, 40) == 0 ? NULL : letters[c];
        t->real[0][r] =
            cr__random_below(&rng, 20) == 0 ? NAN : cr__random_normal(&rng) + 2 * (double)c;
        t->real[1][r] = cr__random_uniform(&rng) * 3;
    }
    return t;
}

static cr_source *source_of(const table *t, size_t first, size_t count, int weighted)
{
    const cr_array arrays[] = {
        {.name = "p", .text = t->symbol[0] + first, .role = CR_ROLE_FEATURE},
        {.name = "many", .text = t->symbol[1] + first, .role = CR_ROLE_FEATURE},
        {.name = "q", .text = t->symbol[2] + first, .role = CR_ROLE_FEATURE},
        {.name = "more", .text = t->symbol[3] + first, .role = CR_ROLE_FEATURE},
        {.name = "x", .real = t->real[0] + first, .role = CR_ROLE_FEATURE},
        {.name = "class", .text = t->symbol[4] + first, .role = CR_ROLE_TARGET},
        {.name = "w", .real = t->real[1] + first, .role = CR_ROLE_WEIGHT},
    };
    cr_source *source;

    assert_int_equal(cr_source_open_arrays(&source, arrays, weighted ? 7 : 6, count, NULL), CR_OK);
    return source;
}

static cr_model *train(const table *t, const char *learner, size_t first, size_t count,
                       int weighted, int threads)
{
    const char *const knobs[] = {"bins=x:0:1.5:4"};
    const cr_run run = {.threads = threads};
    cr_source *source = source_of(t, first, count, weighted);
    cr_model *model;
    cr_error err = {0};

    if (cr_model_train(&model, source, learner, knobs, 1, &run, NULL, &err) != CR_OK)
        fail_msg("%s: %s", learner, err.message);
    cr_source_close(source);
    return model;
}

/* The value of a feature in a row, by the model's numbering from 0; SIZE_MAX: missing. */
static size_t value_in(const cr_model *model, const table *t, size_t feature, size_t row)
{
    const char *word = feature < FEATURES ? t->symbol[feature][row] : NULL;

    if (feature == FEATURES) {
        const double x = t->real[0][row];

        return isnan(x) ? SIZE_MAX : (size_t)(x > 0) + (x > 1.5) + (x > 4);
    }
    return word == NULL ? SIZE_MAX
                        : cr__dict_find(model->dict[feature], word, strlen(word)) - (size_t)1;
}

/* n[v][w][class] of a pair, by a loop over the rows. */
static double *count_plainly(const cr_model *model, const table *t, size_t i, size_t j,
                             int weighted)
{
    const size_t V = model->values[i], W = model->values[j], K = model->classes;
    double *n = calloc(V * W * K, sizeof *n);

    assert_non_null(n);
    for (size_t r = 0; r < ROWS; r++) {
        const char *c = t->symbol[FEATURES][r];
        const size_t v = value_in(model, t, i, r), w = value_in(model, t, j, r);

        if (c != NULL && v != SIZE_MAX && w != SIZE_MAX)
            n[(v * W + w) * K + cr__dict_find(model->dict[5], c, strlen(c)) - 1] +=
                weighted ? t->real[1][r] : 1;
    }
    return n;
}

static void pairs_are_counted_as_a_plain_loop_counts_them(void **state)
{
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        table *t = random_table(1);
        cr_model *model = train(t, "tan", 0, ROWS, weighted, 3);
        const cr__tuples *tuples = model->stats->tuples;
        size_t sparse = 0;

        assert_non_null(tuples);
        assert_int_equal(tuples->count, 10);
        for (size_t i = 0; i < FEATURES + 1; i++)
            for (size_t j = i + 1; j < FEATURES + 1; j++) {
                const cr__tuple_counts *n = &tuples->counts[cr__tuples_pair(FEATURES + 1, i, j)];
                double *plain = count_plainly(model, t, i, j, weighted), all = 0, sum = 0;

                sparse += n->key != NULL;
                for (size_t k = 0; k < n->cells; k++) {
                    const uint64_t at = n->key == NULL ? k : n->key[k];

                    assert_float_equal(cr__count_value(cr__tuple_at(n, k)), plain[at], 1e-9);
                    sum += cr__count_value(cr__tuple_at(n, k));
                }
                for (size_t k = 0; k < model->values[i] * model->values[j] * model->classes; k++)
                    all += plain[k];
                assert_float_equal(sum, all, 1e-6);
                free(plain);
            }
        assert_int_equal(sparse, 1); /* 400 × 400 values of 3 classes; the others are arrays */
        cr_model_free(model);
        free(t);
    }
}

static void learning_and_unlearning_leaves_the_file_as_it_was(void **state)
{
    static const char *const learners[] = {"tan", "aode"};

    (void)state;
    for (size_t k = 0; k < 2; k++)
        for (int weighted = 0; weighted < 2; weighted++) {
            table *t = random_table(2 + k);
            cr_model *before = train(t, learners[k], 0, 300, weighted, 1);
            cr_model *model = train(t, learners[k], 0, 300, weighted, 2);
            cr_model *all = train(t, learners[k], 0, ROWS, weighted, 1);
            cr_source *more = source_of(t, 300, ROWS - 300, weighted);

            assert_int_equal(cr_model_learn(model, more, NULL, NULL, NULL), CR_OK);
            assert_same_model(all, model);
            cr_source_close(more);
            more = source_of(t, 300, ROWS - 300, weighted);
            assert_int_equal(cr_model_unlearn(model, more, NULL, NULL, NULL), CR_OK);
            assert_same_model(before, model);
            cr_source_close(more);
            cr_model_free(before);
            cr_model_free(model);
            cr_model_free(all);
            free(t);
        }
}

/* Pairs, and the cells of a joint table. */
static void any_split_and_any_number_of_threads_give_the_same_file(void **state)
{
    static const char *const learners[] = {"tan", "joint"};
    static const int threads[] = {2, 3, 8};
    table *t = random_table(7);

    (void)state;
    for (int k = 0; k < 4; k++) {
        const char *learner = learners[k / 2];
        const int weighted = k % 2;
        cr_model *whole = train(t, learner, 0, ROWS, weighted, 1);
        cr_model *part = train(t, learner, 0, 1000, weighted, 1);
        cr_model *rest = train(t, learner, 1000, ROWS - 1000, weighted, 1);

        assert_int_equal(cr_model_merge(rest, part, NULL), CR_OK);
        assert_same_model(whole, rest);
        for (size_t i = 0; i < 3; i++) {
            cr_model *other = train(t, learner, 0, ROWS, weighted, threads[i]);

            assert_same_model(whole, other);
            cr_model_free(other);
        }
        cr_model_free(whole);
        cr_model_free(part);
        cr_model_free(rest);
    }
    free(t);
}

/* Each value was learned in this class, but never both together. */
static void a_row_that_was_never_learned_is_refused_and_named(void **state)
{
    const char *a[] = {"x", "y"}, *b[] = {"u", "v"}, *c[] = {"k", "k"};
    const char *both_a[] = {"x"}, *both_b[] = {"v"};
    const cr_array learned[] = {{.name = "a", .text = a, .role = CR_ROLE_FEATURE},
                                {.name = "b", .text = b, .role = CR_ROLE_FEATURE},
                                {.name = "c", .text = c, .role = CR_ROLE_TARGET}};
    const cr_array taken[] = {{.name = "a", .text = both_a, .role = CR_ROLE_FEATURE},
                              {.name = "b", .text = both_b, .role = CR_ROLE_FEATURE},
                              {.name = "c", .text = c, .role = CR_ROLE_TARGET}};
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_source_open_arrays(&source, learned, 3, 2, NULL), CR_OK);
    assert_int_equal(cr_model_train(&model, source, "tan", NULL, 0, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    assert_int_equal(cr_source_open_arrays(&source, taken, 3, 1, NULL), CR_OK);
    assert_int_equal(cr_model_unlearn(model, source, NULL, NULL, &err), CR_ECONFLICT);
    assert_non_null(strstr(err.message, "no row like it is left"));
    assert_int_equal(err.line, 1);
    cr_source_close(source);
    cr_model_free(model);
}

/* The model behind the first byte of a seed for the fuzzer. */
static cr_model *load_seed(const char *name)
{
    char path[512], *bytes = malloc(1 << 16);
    cr_model *model = NULL;
    FILE *file;
    size_t size;

    snprintf(path, sizeof path, "%s/fuzz/seeds/model/%s", getenv("CREDENCE_SOURCE"), name);
    file = fopen(path, "rb");
    assert_non_null(file);
    assert_non_null(bytes);
    size = fread(bytes, 1, 1 << 16, file);
    fclose(file);
    assert_int_equal(cr_model_load_bytes(&model, bytes + 1, size - 1, 0, NULL), CR_OK);
    free(bytes);
    return model;
}

/* Files of 0.1.0 have the cells of a joint table instead. */
static void models_with_cells_still_learn_and_merge(void **state)
{
    static const char *const names[] = {"tan", "aode"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        cr_model *old = load_seed(names[i]), *other = load_seed(names[i]);
        const cr__stats *stats = NULL;

        assert_int_equal(cr__model_stats(old, &stats, NULL), CR_OK);
        assert_non_null(stats->cells);
        assert_int_equal(cr_model_merge(old, other, NULL), CR_OK);
        assert_int_equal(old->rows, 2 * other->rows);
        cr_model_free(old);
        cr_model_free(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_counted_as_a_plain_loop_counts_them),
        cmocka_unit_test(learning_and_unlearning_leaves_the_file_as_it_was),
        cmocka_unit_test(any_split_and_any_number_of_threads_give_the_same_file),
        cmocka_unit_test(a_row_that_was_never_learned_is_refused_and_named),
        cmocka_unit_test(models_with_cells_still_learn_and_merge),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
