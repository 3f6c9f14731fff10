/* tests/decide/test_row_in_place.c - learning and unlearning rows in place gives the same bytes as
 * training on the remaining rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "credence/credence.h"
#include "model/model.h"
#include "support/model_bytes.h"

enum { ROWS = 240, FIRST = 120, REALS = 3, SYMBOLS = 2, VALUES = 4 };

static double real[REALS][ROWS];
static const char *symbol[SYMBOLS][ROWS], *label[ROWS];
static const char *const value[VALUES] = {"red", "green", "blue", NULL};
static const char *const name[REALS + SYMBOLS] = {"x", "y", "z", "colour", "shade"};

static uint32_t draw(void)
{
    static uint64_t state = 7;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static int make_rows(void **state)
{
    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        const uint32_t c = draw() % 3;

        label[r] = c == 0 ? "a" : c == 1 ? "b" : "c";
        real[0][r] = c + draw() % 1000 * 1e-3;
        real[1][r] = draw() % 10 == 0 ? NAN : 1e6 + draw() % 100 * 0.1;
        real[2][r] = draw() % 2 ? 1e-9 * (draw() % 7) : -(double)(draw() % 5) * 1e3;
        for (size_t i = 0; i < SYMBOLS; i++)
            symbol[i][r] = value[draw() % VALUES];
    }
    return 0;
}

static size_t table_of(cr_array *table, size_t first)
{
    for (size_t i = 0; i < REALS; i++)
        table[i] = (cr_array){.name = name[i], .real = real[i] + first};
    for (size_t i = 0; i < SYMBOLS; i++)
        table[REALS + i] = (cr_array){.name = name[REALS + i], .text = symbol[i] + first};
    table[REALS + SYMBOLS] =
        (cr_array){.name = "class", .text = label + first, .role = CR_ROLE_TARGET};
    return REALS + SYMBOLS + 1;
}

static cr_model *trained(const char *param, size_t first, size_t rows)
{
    cr_array table[REALS + SYMBOLS + 1];
    const size_t columns = table_of(table, first);
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    assert_int_equal(cr_source_open_arrays(&source, table, columns, rows, NULL), CR_OK);
    if (cr_model_train(&model, source, "nb", &param, param != NULL, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

static void fill(cr_row *row, size_t r)
{
    cr_row_clear(row);
    for (size_t i = 0; i < REALS; i++)
        assert_int_equal(cr_row_set_real(row, i, real[i][r]), CR_OK);
    for (size_t i = 0; i < SYMBOLS; i++)
        assert_int_equal(cr_row_set_text(row, REALS + i, symbol[i][r]), CR_OK);
    assert_int_equal(cr_row_set_text(row, REALS + SYMBOLS, label[r]), CR_OK);
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
                                    "smoothing=none",
                                    "smoothing=laplace-classes",
                                    "smoothing=m-estimate",
                                    "smoothing=dirichlet",
                                    "unseen=smooth",
                                    "prior=map",
                                    "prior=uniform",
                                    "variance=class-feature",
                                    "variance=class",
                                    "variance=shared",
                                    "variance-estimate=mle",
                                    "variance-floor=0.1",
                                    "gaussian=predictive"};

/* Learn the second half, row by row, then unlearn the first half: the second remains. */
static void rows_come_and_go(void **state)
{
    (void)state;
    for (size_t p = 0; p < sizeof param / sizeof *param; p++) {
        cr_row *row;
        cr_model *model = begin(param[p], &row), *half = trained(param[p], FIRST, ROWS - FIRST);
        cr_model *all = trained(param[p], 0, ROWS);
        const cr__model_share *share = model->share;

        for (size_t r = FIRST; r < ROWS; r++) {
            fill(row, r);
            assert_int_equal(cr_row_learn(model, row, 1, NULL), CR_OK);
        }
        assert_ptr_equal(model->share, share); /* nothing was made anew */
        assert_same_model(model, all);
        for (size_t r = 0; r < FIRST; r++) {
            fill(row, r);
            assert_int_equal(cr_row_learn(model, row, -1, NULL), CR_OK);
        }
        assert_ptr_equal(model->share, share);
        assert_same_model(model, half);
        cr_row_free(row);
        cr_model_free(model);
        cr_model_free(half);
        cr_model_free(all);
    }
}

/* Models that keep their numbers go the long way, to the same bytes. */
static void other_ways_are_as_good(void **state)
{
    static const char *const other[] = {"real=kde", "values=keep", "real=bins:mdl"};

    (void)state;
    for (size_t p = 0; p < sizeof other / sizeof *other; p++) {
        cr_row *row;
        cr_model *model = begin(other[p], &row), *more = trained(other[p], 0, FIRST + 2);

        for (size_t r = FIRST; r < FIRST + 2; r++) {
            fill(row, r);
            assert_int_equal(cr_row_learn(model, row, 1, NULL), CR_OK);
        }
        assert_same_model(model, more);
        cr_row_free(row);
        cr_model_free(model);
        cr_model_free(more);
    }
}

static void copies_and_rows_keep_what_they_knew(void **state)
{
    cr_row *row, *kept;
    cr_model *model = begin(NULL, &row), *copy, *same = trained(NULL, 0, FIRST);
    double before[3], after[3];
    cr_decision d;

    (void)state;
    assert_int_equal(cr_row_new(&kept, model, NULL), CR_OK);
    assert_int_equal(cr_model_copy(&copy, model, NULL), CR_OK);
    fill(kept, 5);
    assert_int_equal(cr_row_classify(kept, NULL, before, &d), CR_OK);
    for (size_t r = FIRST; r < ROWS; r++) {
        fill(row, r);
        assert_int_equal(cr_row_learn(model, row, 1, NULL), CR_OK);
    }
    assert_int_equal(cr_row_classify(kept, NULL, after, &d), CR_OK);
    assert_memory_equal(before, after, sizeof before);
    assert_same_model(copy, same);
    cr_row_free(row);
    cr_row_free(kept);
    cr_model_free(model);
    cr_model_free(copy);
    cr_model_free(same);
}

/* Unlearning a row that was never learned changes nothing, even after rows were learned in
 * place. */
static void what_was_never_learned_is_refused(void **state)
{
    cr_row *row;
    cr_model *model = begin(NULL, &row), *more = trained(NULL, 0, FIRST + 1);
    cr_error err = {0};

    (void)state;
    fill(row, FIRST);
    assert_int_equal(cr_row_learn(model, row, 1, NULL), CR_OK);
    assert_int_equal(cr_row_set_text(row, REALS, "mauve"), CR_OK);
    assert_int_equal(cr_row_learn(model, row, -1, &err), CR_ECONFLICT);
    assert_same_model(model, more);
    assert_int_equal(cr_row_set_text(row, REALS, "red"), CR_OK);
    assert_int_equal(cr_row_set_real(row, 2, 1e90), CR_OK);
    assert_int_equal(cr_row_learn(model, row, -1, &err), CR_ECONFLICT);
    assert_same_model(model, more);
    assert_int_equal(cr_row_set_real(row, 2, 1e200), CR_OK);
    assert_int_equal(cr_row_learn(model, row, 1, &err), CR_EFORMAT); /* its square overflows */
    assert_same_model(model, more);
    cr_row_free(row);
    cr_model_free(model);
    cr_model_free(more);
}

/* Whatever allocation fails, the model is as it was or as it should be. */
static void memory_may_run_out(void **state)
{
    cr_row *row;
    cr_model *model = begin(NULL, &row), *same = trained(NULL, 0, FIRST);
    cr_model *more = trained(NULL, 0, FIRST + 1);
    cr_status st = CR_ENOMEM;

    (void)state;
    fill(row, FIRST);
    for (long n = 0; st != CR_OK; n++) {
        cr__memory_fail_after = n;
        st = cr_row_learn(model, row, 1, NULL);
        cr__memory_fail_after = -1;
        assert_same_model(model, st == CR_OK ? more : same);
    }
    cr_row_free(row);
    cr_model_free(model);
    cr_model_free(same);
    cr_model_free(more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_and_go), cmocka_unit_test(other_ways_are_as_good),
        cmocka_unit_test(copies_and_rows_keep_what_they_knew),
        cmocka_unit_test(what_was_never_learned_is_refused), cmocka_unit_test(memory_may_run_out)};

    return cmocka_run_group_tests(tests, make_rows, NULL);
}
