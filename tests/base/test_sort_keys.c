/* tests/base/test_sort_keys.c - keys in falling order, as a stable sort by comparison has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/sort_keys.h"

enum { MOST = 5000 };

typedef struct named {
    uint64_t key;
    uint32_t item;
} named;

static int falling(const void *pa, const void *pb)
{
    const named *a = pa, *b = pb;

    if (a->key != b->key)
        return a->key > b->key ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

/* Keys drawn through a mask, which decides how many are equal, and where they differ. */
static void expect_order(size_t n, uint64_t mask, uint64_t base, uint64_t seed)
{
    static uint64_t key[MOST], room[MOST], alone[MOST], other[MOST];
    static uint32_t item[MOST], item_room[MOST];
    static named wanted[MOST];
    cr__random random;
    cr__keys sorted, bare;

    cr__random_seed(&random, seed);
    for (size_t i = 0; i < n; i++) {
        key[i] = alone[i] = base | (cr__random_next(&random) & mask);
        item[i] = (uint32_t)i;
        wanted[i] = (named){key[i], item[i]};
    }
    qsort(wanted, n, sizeof *wanted, falling);
    sorted = cr__keys_sort_down((cr__keys){key, item}, (cr__keys){room, item_room}, n);
    bare = cr__keys_sort_down((cr__keys){.key = alone}, (cr__keys){.key = other}, n);
    for (size_t i = 0; i < n; i++) {
        assert_true(sorted.key[i] == wanted[i].key && bare.key[i] == wanted[i].key);
        assert_int_equal(sorted.item[i], wanted[i].item);
    }
}

static void keys_fall_and_equal_ones_keep_their_order(void **state)
{
    static const uint64_t mask[] = {0,          1,          255,           UINT64_MAX,
                                    0xffffffff, 0xffff0000, 0xffull << 56, 0x1000000100000001u};
    static const size_t rows[] = {0, 1, 2, 31, 32, 33, 34, 1000, MOST};

    (void)state;
    for (size_t m = 0; m < sizeof mask / sizeof *mask; m++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            expect_order(rows[i], mask[m], 0, m + 1);
            expect_order(rows[i], mask[m], UINT64_C(0x3fe) << 52, m + 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_fall_and_equal_ones_keep_their_order),
    };

    return cmocka_run_group_tests_name("sort_keys", tests, NULL, NULL);
}
