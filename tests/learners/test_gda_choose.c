/* tests/learners/test_gda_choose.c - the form of the covariances that is chosen: for the rows there
 * are, however few of them are held out to judge it. */
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
#include "support/gda.h"
#include "support/model_bytes.h"

enum { ROWS = 40000, FEW = 4000, REALS = 12, CLASSES = 10 };

#define APART 0.02

typedef struct table {
    double x[REALS][ROWS], weight[ROWS];
    const char *class[ROWS];
} table;

/* Classes whose covariances differ a little: x = M_c z, where M_c is the unit matrix and something
 * of its own. */
static table *make_table(uint64_t seed)
{
    static const char *const name[CLASSES] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    double mix[CLASSES][REALS][REALS], z[REALS];
    cr__random rng;
    table *t = calloc(1, sizeof *t);

    assert_non_null(t);
    cr__random_seed(&rng, seed);
    for (size_t c = 0; c < CLASSES; c++)
        for (size_t i = 0; i < REALS; i++)
            for (size_t k = 0; k < REALS; k++)
                mix[c][i][k] = (i == k) + APART * cr__random_normal(&rng);
    for (size_t r = 0; r < ROWS; r++) {
        const size_t c = r % CLASSES;

        t->class[r] = name[c];
        t->weight[r] = 2;
        for (size_t i = 0; i < REALS; i++)
            z[i] = cr__random_normal(&rng);
        for (size_t i = 0; i < REALS; i++) {
            t->x[i][r] = (double)(c * i % 7) / 4;
            for (size_t k = 0; k < REALS; k++)
                t->x[i][r] += mix[c][i][k] * z[k];
        }
    }
    return t;
}

static cr_model *train(const table *t, size_t rows, int weighted, int threads)
{
    static const char *const params[] = {"covariance=auto", "variance-estimate=mle"};
    static const char *const name[REALS] = {"x0", "x1", "x2", "x3", "x4",  "x5",
                                            "x6", "x7", "x8", "x9", "x10", "x11"};
    cr_array arrays[REALS + 2];
    size_t n = 0;
    cr_source *source;

    for (size_t i = 0; i < REALS; i++)
        arrays[n++] = (cr_array){.name = name[i], .real = t->x[i], .role = CR_ROLE_FEATURE};
    arrays[n++] = (cr_array){.name = "class", .text = t->class, .role = CR_ROLE_TARGET};
    if (weighted)
        arrays[n++] = (cr_array){.name = "weight", .real = t->weight, .role = CR_ROLE_WEIGHT};
    assert_int_equal(cr_source_open_arrays(&source, arrays, n, rows, NULL), CR_OK);
    return train_gda(source, params, 2, threads);
}

/* The pool that was chosen, by the model's remark. */
static double pool_of(const cr_model *model)
{
    char remark[200];

    for (size_t i = 0; cr_model_remark(model, i, remark, sizeof remark) == CR_OK; i++) {
        const char *at = strstr(remark, "pool ");

        if (at != NULL)
            return strtod(at + strlen("pool "), NULL);
    }
    return NAN;
}

/* Estimating d (d + 1) / 2 numbers from n rows costs about d (d + 1) / (4 n) nats a row: .1 where a
 * class has 400 rows, .01 where it has 4,000. A covariance of its own gains a class a quarter of
 * the squares that it differs by: 2 d² · .02² / 4 = .03. */
static void many_rows_share_less_than_the_rows_held_out_would(void **state)
{
    table *t = make_table(3);
    cr_model *few = train(t, FEW, 0, 1), *many = train(t, ROWS, 0, 1);

    (void)state;
    assert_true(pool_of(few) >= 0.6);
    assert_true(pool_of(many) <= 0.3);
    cr_model_free(few);
    cr_model_free(many);
    free(t);
}

/* With covariances divided by n nothing depends on the unit of the weights. */
static void double_weights_choose_the_same(void **state)
{
    table *t = make_table(4);

    (void)state;
    for (size_t rows = 300; rows <= FEW; rows *= 3) {
        cr_model *once = train(t, rows, 0, 1), *twice = train(t, rows, 1, 1);

        assert_true(pool_of(once) >= 0);
        assert_true(pool_of(once) == pool_of(twice));
        cr_model_free(once);
        cr_model_free(twice);
    }
    free(t);
}

static void any_number_of_threads_chooses_the_same(void **state)
{
    table *t = make_table(5);
    cr_model *one = train(t, ROWS, 0, 1);

    (void)state;
    for (int threads = 2; threads <= 8; threads *= 2) {
        cr_model *more = train(t, ROWS, 0, threads);

        assert_same_model(one, more);
        cr_model_free(more);
    }
    cr_model_free(one);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_rows_share_less_than_the_rows_held_out_would),
        cmocka_unit_test(double_weights_choose_the_same),
        cmocka_unit_test(any_number_of_threads_chooses_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
