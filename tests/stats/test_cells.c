/* tests/stats/test_cells.c - cells of a joint table come out by key, whatever their keys have in
 * common. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "stats/cells.h"

enum { WORDS = 3, CELLS = 5000 };

static uint64_t draw(void)
{
    static uint64_t state = 3;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
}

static int by_key(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    for (size_t w = 0; w < WORDS; w++)
        if (x[w] != y[w])
            return x[w] < y[w] ? -1 : 1;
    return 0;
}

/* The first word has `first` different values, the second `second`: long runs of equal words, short
 * ones, and none. The expected order is that of qsort(). */
static void check_order(uint64_t first, uint64_t second)
{
    static uint64_t key[CELLS][WORDS];
    cr__cell_table table = {.packing = {.words = WORDS}};
    cr__cells cells = {0};
    size_t different = 0;

    for (size_t i = 0; i < CELLS; i++) {
        key[i][0] = draw() % first * UINT64_C(0x9e3779b97f4a7c15);
        key[i][1] = draw() % second << 40;
        key[i][2] = draw() % 50;
        assert_int_equal(cr__cell_table_count(&table, key[i], (cr__count){2, 0}, 1), CR_OK);
    }
    qsort(key, CELLS, sizeof *key, by_key);
    assert_int_equal(cr__cell_table_sort(&table, &cells), CR_OK);
    for (size_t i = 0, next; i < CELLS; i = next, different++) {
        for (next = i + 1; next < CELLS && by_key(key[i], key[next]) == 0;)
            next++;
        assert_true(different < cells.count);
        assert_memory_equal(cells.key + different * WORDS, key[i], sizeof *key);
        assert_int_equal(cells.whole[different], 2 * (next - i));
    }
    assert_int_equal(different, cells.count);
    cr__cells_free(&cells);
    cr__cell_table_free(&table);
}

static void cells_come_by_key(void **state)
{
    (void)state;
    check_order(1, 1);        /* the last word alone */
    check_order(1, 100000);   /* one run, parted by the second word */
    check_order(3, 7);        /* long runs within long runs */
    check_order(200, 5);      /* runs on both sides of what is sorted by insertion */
    check_order(1u << 30, 1); /* no two alike */
}

/* Cells that are left with nothing are gone; without memory nothing is left behind. */
static void empty_cells_and_memory(void **state)
{
    cr__cell_table table = {.packing = {.words = WORDS}};
    cr__cells cells = {0};
    const uint64_t a[WORDS] = {2, 0, 0}, b[WORDS] = {1, 5, 9};
    cr_status st = CR_ENOMEM;

    (void)state;
    assert_int_equal(cr__cell_table_count(&table, a, (cr__count){1, 0}, 1), CR_OK);
    assert_int_equal(cr__cell_table_count(&table, b, (cr__count){3, 0}, 1), CR_OK);
    assert_int_equal(cr__cell_table_count(&table, a, (cr__count){1, 0}, -1), CR_OK);
    for (long n = 0; st != CR_OK; n++) {
        cr__memory_fail_after = n;
        st = cr__cell_table_sort(&table, &cells);
        cr__memory_fail_after = -1;
        if (st != CR_OK)
            cr__cells_free(&cells);
    }
    assert_int_equal(cells.count, 1);
    assert_memory_equal(cells.key, b, sizeof b);
    assert_int_equal(cells.whole[0], 3);
    cr__cells_free(&cells);
    cr__cell_table_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cells_come_by_key),
                                       cmocka_unit_test(empty_cells_and_memory)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
