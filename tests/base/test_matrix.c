/* tests/base/test_matrix.c - factors of matrices.
 *
 * The numbers are worked by hand for A = [4 2 2; 2 5 3; 2 3 6], whose factor is
 * L = [2 0 0; 1 2 0; 1 1 2]: |A| = 64, A⁻¹ = [21 -6 -4; -6 20 -8; -4 -8 16] / 64.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/pool.h"

enum { N = 3 };

static const double given[N * N] = {4, 2, 2, 2, 5, 3, 2, 3, 6};

static int open_library(void **state)
{
    (void)state;
    return cr__matrix_open(NULL) == CR_OK ? 0 : -1;
}

static void assert_near(double got, double want)
{
    assert_true(fabs(got - want) < 1e-13);
}

/* A copy of the lower triangle; the part above it must not be read or changed. */
static void take_lower(double *a)
{
    memcpy(a, given, sizeof given);
    a[1] = a[2] = a[5] = 77;
}

static void a_factor_takes_the_place_of_the_lower_triangle(void **state)
{
    const double want[N * N] = {2, 77, 77, 1, 2, 77, 1, 1, 2};
    double a[N * N];

    (void)state;
    take_lower(a);
    assert_int_equal(cr__cholesky(a, N), 0);
    for (size_t i = 0; i < N * N; i++)
        assert_near(a[i], want[i]);
    assert_int_equal(cr__cholesky(NULL, 0), 0);
}

static void the_row_where_a_factor_ends_is_told(void **state)
{
    double flat[4] = {1, 0, 1, 1}, strange[N * N];

    (void)state;
    assert_int_equal(cr__cholesky(flat, 2), 2);
    take_lower(strange);
    strange[3] = NAN;
    assert_int_equal(cr__cholesky(strange, N), 2);
}

static void a_factor_solves_and_inverts(void **state)
{
    const double inverse[] = {21, -6, 20, -4, -8, 16}; /* / 64, by rows of the lower triangle */
    double a[N * N], b[N] = {8, 10, 11};               /* A (1, 1, 1)' */

    (void)state;
    take_lower(a);
    cr__cholesky(a, N);
    cr__cholesky_solve(a, N, b);
    for (size_t i = 0; i < N; i++)
        assert_near(b[i], 1);
    assert_true(cr__cholesky_invert(a, N));
    for (size_t i = 0, k = 0; i < N; i++)
        for (size_t j = 0; j <= i; j++, k++)
            assert_near(a[i * N + j], inverse[k] / 64);
}

/* [2 0 0; 1 2 0; 1 1 2]⁻¹ = [1/2 0 0; -1/4 1/2 0; -1/8 -1/4 1/2]. */
static void a_triangle_is_inverted(void **state)
{
    double l[N * N] = {2, 77, 77, 1, 2, 77, 1, 1, 2};
    double singular[4] = {0, 0, 1, 1};

    (void)state;
    assert_true(cr__triangle_invert(l, N));
    assert_near(l[0], 0.5);
    assert_near(l[3], -0.25);
    assert_near(l[6], -0.125);
    assert_near(l[7], -0.25);
    assert_near(l[8], 0.5);
    assert_near(l[1], 77);
    assert_false(cr__triangle_invert(singular, 2));
}

/* [2 1; 1 2] has the values 1 and 3 along (1, -1) / √2 and (1, 1) / √2. */
static void eigenvectors_are_columns_and_values_ascend(void **state)
{
    double a[4] = {2, 1, 1, 2}, value[N], whole[N * N];

    (void)state;
    assert_int_equal(cr__eigen(a, 2, value), CR_OK);
    assert_near(value[0], 1);
    assert_near(value[1], 3);
    assert_near(a[0] * a[2], -0.5);
    assert_near(a[1] * a[3], 0.5);
    memcpy(whole, given, sizeof given);
    assert_int_equal(cr__eigen(whole, N, value), CR_OK);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double sum = 0;

            for (size_t k = 0; k < N; k++)
                sum += whole[i * N + k] * value[k] * whole[j * N + k];
            assert_near(sum, given[i * N + j]);
        }
}

static void what_is_not_a_number_has_no_eigenvalues(void **state)
{
    double a[4] = {2, NAN, NAN, 2}, b[4] = {INFINITY, 0, 0, 1}, value[2];

    (void)state;
    assert_int_equal(cr__eigen(a, 2, value), CR_EFORMAT);
    assert_int_equal(cr__eigen(b, 2, value), CR_EFORMAT);
}

static void eigenvalues_without_memory_are_refused(void **state)
{
    (void)state;
    for (long n = 0; n < 2; n++) {
        double a[4] = {2, 1, 1, 2}, value[2];

        cr__memory_fail_after = n;
        assert_int_equal(cr__eigen(a, 2, value), CR_ENOMEM);
        cr__memory_fail_after = -1;
    }
}

/* A A' = [9 9; 9 18] = L L' with L = [3 0; 3 3], up to the signs of its columns. */
static void a_triangle_is_found_without_the_products(void **state)
{
    double a[2 * 3] = {1, 2, 2, -1, 4, 1}, room[2 * CR__QR_ROOM];

    (void)state;
    cr__qr(a, 2, 3, room);
    assert_near(fabs(a[0]), 3);
    assert_near(a[0] * a[3], 9);
    assert_near(fabs(a[4]), 3);
}

/* Blocks are used from 128 columns on: L L' is A A' there too. */
static void a_large_triangle_is_found_by_blocks(void **state)
{
    enum { COUNT = 150, LENGTH = 200 };
    double *a = cr__alloc(COUNT * LENGTH, sizeof *a), *was = cr__alloc(COUNT * LENGTH, sizeof *was);
    double *room = cr__alloc(COUNT, CR__QR_ROOM * sizeof *room);

    (void)state;
    assert_true(a != NULL && was != NULL && room != NULL);
    for (size_t i = 0; i < COUNT * LENGTH; i++)
        a[i] = was[i] = sin((double)(i * i % 1009));
    cr__qr(a, COUNT, LENGTH, room);
    for (size_t i = 0; i < COUNT; i += 7)
        for (size_t j = 0; j <= i; j += 5) {
            double sum = 0;

            for (size_t k = 0; k <= j; k++)
                sum += a[i * LENGTH + k] * a[j * LENGTH + k];
            assert_true(fabs(sum - cblas_ddot(LENGTH, was + i * LENGTH, 1, was + j * LENGTH, 1)) <
                        1e-10);
        }
    cr__free(a);
    cr__free(was);
    cr__free(room);
}

/* --- threads ---------------------------------------------------------------------------------- */

enum { WORKERS = 4, TERMS = 24, ROWS = 200 };

typedef struct shift {
    double x[WORKERS][ROWS * TERMS], want[WORKERS][TERMS * TERMS];
    size_t wrong[WORKERS];
} shift;

static void multiply(const double *x, double *out)
{
    memset(out, 0, TERMS * TERMS * sizeof *out);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, TERMS, ROWS, 1, x, TERMS, 0, out, TERMS);
}

static void multiply_often(void *context, int worker)
{
    shift *s = context;
    double out[TERMS * TERMS];

    for (size_t i = 0; i < 5000; i++) {
        multiply(s->x[worker], out);
        s->wrong[worker] += memcmp(out, s->want[worker], sizeof out) != 0;
    }
}

/* Threads that share a buffer of the library get each other's numbers, one time in two hundred. */
static void threads_multiply_at_once(void **state)
{
    shift *s = cr__alloc_zero(1, sizeof *s);
    cr_pool *pool;

    (void)state;
    assert_non_null(s);
    assert_int_equal(cr_pool_new(&pool, WORKERS, NULL), CR_OK);
    for (size_t w = 0; w < WORKERS; w++) {
        for (size_t i = 0; i < ROWS * TERMS; i++)
            s->x[w][i] = sin((double)((w + 1) * i % 997));
        multiply(s->x[w], s->want[w]);
    }
    cr__pool_run(pool, multiply_often, s);
    for (size_t w = 0; w < WORKERS; w++)
        assert_int_equal(s->wrong[w], 0);
    cr_pool_free(pool);
    cr__free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_factor_takes_the_place_of_the_lower_triangle),
        cmocka_unit_test(the_row_where_a_factor_ends_is_told),
        cmocka_unit_test(a_factor_solves_and_inverts),
        cmocka_unit_test(a_triangle_is_inverted),
        cmocka_unit_test(eigenvectors_are_columns_and_values_ascend),
        cmocka_unit_test(what_is_not_a_number_has_no_eigenvalues),
        cmocka_unit_test(eigenvalues_without_memory_are_refused),
        cmocka_unit_test(a_triangle_is_found_without_the_products),
        cmocka_unit_test(a_large_triangle_is_found_by_blocks),
        cmocka_unit_test(threads_multiply_at_once),
    };
    return cmocka_run_group_tests_name("matrix", tests, open_library, NULL);
}
