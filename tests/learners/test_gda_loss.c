/* tests/learners/test_gda_loss.c - the scores and the log loss that covariances are chosen by,
 * beside their definitions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>

#include <cmocka.h>

#include "base/logspace.h"
#include "base/matrix.h"
#include "base/random.h"
#include "learners/gda/loss.h"
#include "learners/gda/turned.h"

enum { ROWS = 300, CLASSES = 6, SLOPES = 3 };

/* Σ_r log Σ_c e^(s x_rc) - s x_r,of[r], with cr__log_sum_exp row by row. */
static double by_definition(const double *score, const uint32_t *of, size_t rows, size_t classes,
                            double slope)
{
    double x[CLASSES], sum = 0;

    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < classes; c++)
            x[c] = slope * score[r * classes + c];
        sum += cr__log_sum_exp(x, classes) - x[of[r]];
    }
    return sum;
}

static void the_loss_is_as_defined(void **state)
{
    static const size_t sizes[] = {0, 1, 3, 4, 5, 63, 64, 65, 300};
    static const double slope[SLOPES] = {1, 0.5, 0.07};
    static double score[ROWS * CLASSES], turned[(ROWS + 4) * CLASSES];
    uint32_t of[ROWS];
    cr__random rng;

    (void)state;
    cr__random_seed(&rng, 3);
    for (size_t classes = 1; classes <= CLASSES; classes++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const size_t rows = sizes[i];
            double loss[SLOPES] = {1, 2, 3};

            for (size_t r = 0; r < rows; r++) {
                of[r] = (uint32_t)cr__random_below(&rng, classes);
                for (size_t c = 0; c < classes; c++)
                    score[r * classes + c] = c != of[r] && cr__random_below(&rng, 20) == 0
                                                 ? -INFINITY
                                                 : 200 * cr__random_normal(&rng) - 500;
            }
            cr__gda_turn(score, rows, (rows + 3) / 4 * 4, classes, turned);
            cr__gda_log_loss(turned, of, rows, (rows + 3) / 4 * 4, classes, slope, SLOPES, loss);
            for (size_t t = 0; t < SLOPES; t++) {
                const double expected =
                    (double)(t + 1) + by_definition(score, of, rows, classes, slope[t]);

                assert_true(fabs(loss[t] - expected) <= 1e-12 * expected);
            }
        }
}

/* Random means and triangles; the scores that rows get from the triangular solves of BLAS. */
static void check_scores(size_t n, size_t classes, size_t factors)
{
    enum { COUNT = 2 * CR__GDA_TURNED_ROWS };
    static double x[COUNT * CR__GDA_TURNED_MOST], by[COUNT * CR__GDA_TURNED_MOST];
    static double z[COUNT * CR__GDA_TURNED_MOST], expected[COUNT * CLASSES], got[COUNT * CLASSES];
    const double prior[CLASSES] = {-1, -2, -0.5};
    cr__gda_density d;
    uint32_t at[COUNT];
    cr__random rng;

    cr__random_seed(&rng, 7 + n);
    assert_int_equal(cr__gda_density_new(&d, classes, n, factors, 0), CR_OK);
    for (size_t i = 0; i < classes * n; i++)
        d.own[i] = cr__random_normal(&rng);
    for (size_t f = 0; f < factors; f++)
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k <= i; k++)
                d.own[classes * n + (f * n + i) * n + k] =
                    k == i ? 1 + cr__random_uniform(&rng) : 0.1 * cr__random_normal(&rng);
    assert_int_equal(cr__gda_density_finish(&d), CR_OK);
    assert_true(cr__gda_turns(&d));
    for (uint32_t r = 0; r < COUNT; r++) {
        at[r] = r;
        for (size_t i = 0; i < n; i++)
            x[r * n + i] = by[i * COUNT + r] = 3 * cr__random_normal(&rng);
        for (size_t c = 0; c < classes; c++)
            expected[r * classes + c] = prior[c];
    }
    cr__gda_add_scores(&d, x, at, COUNT, z, expected);
    cr__gda_turned_scores(&d, prior, by, COUNT, COUNT, got);
    for (size_t r = 0; r < COUNT; r++)
        for (size_t c = 0; c < classes; c++)
            assert_true(fabs(got[c * COUNT + r] - expected[r * classes + c]) <=
                        1e-12 * fabs(expected[r * classes + c]));
    cr__gda_density_free(&d);
}

static void rows_by_feature_are_scored_as_rows(void **state)
{
    static const size_t sizes[] = {1, 2, 7, 20, CR__GDA_TURNED_MOST};

    (void)state;
    assert_int_equal(cr__matrix_open(NULL), CR_OK);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_scores(sizes[i], 3, 3);
        check_scores(sizes[i], 3, 1);
        check_scores(sizes[i], 2, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loss_is_as_defined),
        cmocka_unit_test(rows_by_feature_are_scored_as_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
