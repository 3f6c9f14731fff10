/* tests/stats/test_fold_cuts.c - cuts without each fold, against those of a source that has only
 * the other rows: to the bit, also where bits of the numbers are dropped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "data/cut_finder.h"
#include "source/source.h"
#include "stats/fold_cuts.h"
#include "stats/table_read.h"
#include "stats/values_read.h"

enum { ROWS = 120000, COLUMNS = 5, FOLDS = 4 };

typedef struct data {
    double x[COLUMNS][ROWS];
    const char *class[ROWS];
    uint32_t fold[ROWS], row[ROWS];
} data;

/* Few numbers; many; many in the first fold alone; many or few by the fold; some missing. */
static void fill(data *d)
{
    static const char *const classes[] = {"a", "b", "c"};
    cr__random random;

    cr__random_seed(&random, 5);
    for (size_t r = 0; r < ROWS; r++) {
        const size_t c = cr__random_below(&random, 3);
        const double z = cr__random_normal(&random) + (double)c;

        d->class[r] = classes[c];
        d->fold[r] = r < 80000 ? 0 : (uint32_t)cr__random_below(&random, FOLDS);
        d->row[r] = (uint32_t)r;
        d->x[0][r] = rint(z * 8);
        d->x[1][r] = z;
        d->x[2][r] = d->fold[r] == 0 ? z : rint(z * 2);
        d->x[3][r] = rint(z * pow(10, 1 + 2 * d->fold[r]));
        d->x[4][r] = cr__random_below(&random, 10) == 0 ? NAN : exp(z * 20);
    }
}

static cr__table *read_table(const data *d)
{
    static const char *const names[COLUMNS] = {"p", "q", "r", "s", "t"};
    cr_array arrays[COLUMNS + 1];
    const cr__recipe recipe = cr__recipe_usual();
    cr_source *source;
    const cr_schema *schema;
    cr__table *table;

    for (size_t i = 0; i < COLUMNS; i++)
        arrays[i] = (cr_array){.name = names[i], .real = d->x[i]};
    arrays[COLUMNS] = (cr_array){.name = "class", .text = d->class, .role = CR_ROLE_TARGET};
    assert_int_equal(cr_source_open_arrays(&source, arrays, COLUMNS + 1, ROWS, NULL), CR_OK);
    assert_int_equal(cr__source_infer(source, CR__TARGET_CLASS, &schema, NULL), CR_OK);
    assert_int_equal(cr__table_read(&table, source, schema, &recipe, NULL, NULL), CR_OK);
    cr_source_close(source);
    return table;
}

static void same_cuts(const cr__bins *a, const cr__bins *b)
{
    assert_int_equal(a->columns, b->columns);
    for (size_t i = 0; i < a->columns; i++) {
        assert_int_equal(a->column[i].count, b->column[i].count);
        if (a->column[i].count > 0)
            assert_memory_equal(a->column[i].cut, b->column[i].cut,
                                a->column[i].count * sizeof(double));
    }
}

/* The cuts that reading just these rows gives. */
static void read_cuts(const cr__table *table, const uint32_t *row, size_t rows, cr__cut_rule rule,
                      cr__bins *out)
{
    const cr__recipe recipe = cr__recipe_usual();
    const cr_run run = {.threads = 2};
    const cr_schema *schema;
    cr_source *source;

    assert_int_equal(cr__source_open_table(&source, table, row, rows, NULL), CR_OK);
    assert_int_equal(cr__source_infer(source, CR__TARGET_CLASS, &schema, NULL), CR_OK);
    assert_int_equal(cr__values_cut(out, source, schema, &recipe, rule, &run, NULL), CR_OK);
    cr_source_close(source);
}

static void cuts_are_those_of_the_other_rows(void **state)
{
    static const cr__cut_rule rules[] = {{.kind = CR__CUT_AUTO},
                                         {.kind = CR__CUT_FREQUENCY, .bins = 7}};
    data *d = malloc(sizeof *d);
    uint32_t *list = malloc(ROWS * sizeof *list);
    cr__table *table;

    (void)state;
    assert_non_null(d);
    assert_non_null(list);
    fill(d);
    table = read_table(d);
    assert_true(cr__fold_cuts_apply(table));
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        for (int threads = 1; threads <= 3; threads += 2) {
            const cr__dealt dealt = {table, d->row, d->fold, ROWS, FOLDS};
            cr__bins bins[FOLDS + 1] = {0};

            assert_int_equal(
                cr__fold_cuts(bins, &dealt, rules[k], &(cr_run){.threads = threads}, NULL), CR_OK);
            for (uint32_t f = 0; f <= FOLDS; f++) {
                cr__bins plain;
                size_t rows = 0;

                for (size_t r = 0; r < ROWS; r++)
                    if (d->fold[r] != f)
                        list[rows++] = (uint32_t)r;
                read_cuts(table, list, rows, rules[k], &plain);
                assert_true(plain.column[1].count > 2);
                same_cuts(&bins[f], &plain);
                cr__bins_free(&plain);
                cr__bins_free(&bins[f]);
            }
        }
    cr__table_free(table);
    free(list);
    free(d);
}

/* Cuts far apart, side by side, one, none; numbers on them, beside them, beyond, infinite, none. */
static void a_finder_finds_what_a_search_finds(void **state)
{
    static const double cut[][6] = {{0, 1, 2, 3, 4, 5},
                                    {-1e300, -1, 0, 1e-300, 1, 1e300},
                                    {1, 1 + 1e-15, 1 + 2e-15, 1 + 3e-15, 2, 1000},
                                    {-INFINITY, 0, 1, 2, 3, INFINITY},
                                    {5, 5.5, 1e6, 2e6, 2e6 + 1, 2e6 + 2}};
    cr__random random;

    (void)state;
    cr__random_seed(&random, 9);
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++)
        for (size_t count = 0; count <= 6; count++) {
            cr__cuts cuts = {.count = count, .cut = (double *)cut[i]};
            cr__cut_finder finder;
            double x[1000];
            uint32_t code[1000];

            for (size_t r = 0; r < 1000; r++) {
                const double near = cut[i][cr__random_below(&random, 6)];

                x[r] = r % 5 == 0   ? near
                       : r % 5 == 1 ? nextafter(near, INFINITY)
                       : r % 5 == 2 ? nextafter(near, -INFINITY)
                       : r % 5 == 3 ? cr__random_normal(&random) * pow(10, (double)(r % 17) - 8)
                                    : (r % 3 == 0   ? NAN
                                       : r % 3 == 1 ? INFINITY
                                                    : -INFINITY);
            }
            assert_int_equal(cr__cut_finder_make(&finder, &cuts), CR_OK);
            cr__cut_finder_codes(&finder, x, 1000, code);
            for (size_t r = 0; r < 1000; r++)
                assert_int_equal(code[r], cr__cuts_code(&cuts, x[r]));
            cr__free(finder.cut);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_are_those_of_the_other_rows),
        cmocka_unit_test(a_finder_finds_what_a_search_finds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
