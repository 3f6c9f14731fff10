/* tests/learners/test_aode_rows.c - many rows by aode: the definition, the same bits on every
 * processor, and the same whether a row comes alone or among others.
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
#include "data/batch.h"
#include "learners/pairs/aode.h"
#include "learners/pairs/aode_mean.h"
#include "model/model.h"
#include "model/scorer.h"

enum { ROWS = 900, FEATURES = 8, VALUES = 60 };

/* Features of many values, so that the table is read in their order; some values are rare, some
 * missing. */
typedef struct table {
    char word[VALUES][8];
    const char *symbol[FEATURES + 1][ROWS];
} table;

static table *random_table(uint64_t seed, size_t classes)
{
    table *t = calloc(1, sizeof *t);
    cr__random rng;

    assert_non_null(t);
    cr__random_seed(&rng, seed);
    for (size_t v = 0; v < VALUES; v++)
        snprintf(t->word[v], sizeof t->word[v], "v%zu", v);
    for (size_t r = 0; r < ROWS; r++) {
        const size_t c = cr__random_below(&rng, classes);

        for (size_t i = 0; i < FEATURES; i++) {
            const size_t v = cr__random_below(&rng, 1 + cr__random_below(&rng, VALUES));

            t->symbol[i][r] =
                cr__random_below(&rng, 40) == 0 ? NULL : t->word[(v + c * (i % 3)) % VALUES];
        }
        t->symbol[FEATURES][r] = t->word[c];
    }
    return t;
}

static cr_model *trained(const table *t, const char *knob)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "class"};
    cr_array array[FEATURES + 1];
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    for (size_t i = 0; i <= FEATURES; i++)
        array[i] = (cr_array){.name = names[i],
                              .text = t->symbol[i],
                              .role = i < FEATURES ? CR_ROLE_FEATURE : CR_ROLE_TARGET};
    assert_int_equal(cr_source_open_arrays(&source, array, FEATURES + 1, ROWS, NULL), CR_OK);
    if (cr_model_train(&model, source, "aode", &knob, 1, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

/* 1/q Σ_i P(c) P(xi | c) Π_{j≠i} P(xj | xi, c) over the q features whose value is known and was
 * seen in `limit` rows, naive Bayes where there is none: the definition in aode.h, in wider numbers
 * and without logarithms of sums. */
static double by_definition(const cr__aode *a, const uint32_t *code, size_t c)
{
    const size_t K = a->places.classes, n = a->places.features, all = a->first[n];
    long double total = 0, naive = expl((long double)a->log_prior[c]);
    size_t models = 0;

    for (size_t i = 0; i < n; i++) {
        const size_t x = a->first[i] + code[i] - 1;
        long double p = (long double)a->log_prior[c];

        if (code[i] == 0)
            continue;
        naive *= expl((long double)a->log_value[x * K + c]);
        if (a->places.values[i] < 2 || a->rows[x] < a->limit || a->rows[x] <= 0)
            continue;
        for (size_t j = 0; j < n; j++) {
            const size_t y = a->first[j] + code[j] - 1;

            if (code[j] != 0)
                p += (long double)(i == j ? a->log_value[x * K + c]
                                          : a->log_p[(x * all + y) * K + c]);
        }
        total += expl(p);
        models++;
    }
    return (double)(models > 0 ? logl(total / (long double)models) : logl(naive));
}

static void fill(const cr__aode *a, cr__batch *batch, size_t rows, uint64_t seed)
{
    cr__random rng;

    cr__random_seed(&rng, seed);
    batch->rows = rows;
    for (size_t i = 0; i < FEATURES; i++)
        for (size_t r = 0; r < rows; r++)
            batch->column[i].code[r] =
                (uint32_t)(cr__random_below(&rng, r % 3 == 0 ? 6 : 60) == 0
                               ? 0
                               : 1 + cr__random_below(&rng, a->places.values[i]));
}

static void check_rows(const cr_model *model, uint64_t seed)
{
    const cr__aode *a = model->share->fitted;
    const size_t K = a->places.classes;
    cr__batch *many, *one;
    double *score, *alone;
    void *state;

    assert_int_equal(cr__batch_new(&many, model->schema, NULL), CR_OK);
    assert_int_equal(cr__batch_new_for(&one, model->schema, 1, NULL), CR_OK);
    assert_int_equal(cr__aode_scores.open(&state, a, NULL), CR_OK);
    score = calloc(many->capacity, K * sizeof *score);
    alone = calloc(K, sizeof *alone);
    for (size_t rows = 1; rows <= many->capacity; rows += rows < 9 ? 1 : many->capacity - 9) {
        fill(a, many, rows, seed + rows);
        assert_int_equal(cr__aode_scores.score(a, state, many, score, NULL), CR_OK);
        for (size_t r = 0; r < rows; r++) {
            uint32_t code[FEATURES];

            one->rows = 1;
            for (size_t i = 0; i < FEATURES; i++)
                code[i] = one->column[i].code[0] = many->column[i].code[r];
            assert_int_equal(cr__aode_scores.score(a, state, one, alone, NULL), CR_OK);
            assert_memory_equal(alone, score + r * K, K * sizeof *alone);
            for (size_t c = 0; c < K; c++)
                assert_true(fabs(alone[c] - by_definition(a, code, c)) < 1e-12 * fabs(alone[c]));
        }
    }
    cr__aode_scores.close(state);
    cr__batch_free(many);
    cr__batch_free(one);
    free(score);
    free(alone);
}

static void rows_are_scored_as_defined_alone_or_together(void **state)
{
    static const char *const limits[] = {"limit=1", "limit=20", "limit=1000"};

    (void)state;
    for (size_t classes = 2; classes <= 7; classes++) {
        table *t = random_table(classes, classes);
        cr_model *model = trained(t, limits[classes % 3]);

        check_rows(model, 100 * classes);
        cr_model_free(model);
        free(t);
    }
}

/* e^x by the C library's expl, whose error is far below that of a double. */
static void sums_are_those_of_the_library_and_the_same_for_every_processor(void **state)
{
    enum { N = 10, MODELS = 21, STRIDE = 12 };
    double x[MODELS * STRIDE] = {0}, top[2][STRIDE], sum[2][STRIDE];
    cr__random rng;

    (void)state;
    cr__random_seed(&rng, 5);
    for (int again = 0; again < 200; again++) {
        for (size_t i = 0; i < MODELS * STRIDE; i++)
            x[i] = cr__random_below(&rng, 30) == 0
                       ? -INFINITY
                       : -1000 * cr__random_uniform(&rng) * cr__random_uniform(&rng);
        for (size_t m = 0; m < MODELS; m++)
            x[m * STRIDE + 3] = -INFINITY;
        cr__aode_sums_plain(x, STRIDE, MODELS, N, top[0], sum[0]);
        cr__aode_sums_best()(x, STRIDE, MODELS, N, top[1], sum[1]);
        assert_memory_equal(top[0], top[1], N * sizeof *top[0]);
        assert_memory_equal(sum[0], sum[1], N * sizeof *sum[0]);
        for (size_t i = 0; i < N; i++) {
            long double expected = 0;
            double most = -INFINITY;

            for (size_t m = 0; m < MODELS; m++)
                most = fmax(most, x[m * STRIDE + i]);
            for (size_t m = 0; m < MODELS && most > -INFINITY; m++)
                expected += expl((long double)x[m * STRIDE + i] - (long double)most);
            assert_true(top[0][i] == most);
            assert_true(fabs(sum[0][i] - (double)expected) <= 1e-15 * (double)expected);
        }
        assert_true(sum[0][3] == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_scored_as_defined_alone_or_together),
        cmocka_unit_test(sums_are_those_of_the_library_and_the_same_for_every_processor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
