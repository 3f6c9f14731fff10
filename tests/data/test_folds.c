/* tests/data/test_folds.c - rows listed fold by fold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/folds.h"

/* Worked by hand: of seven rows two are in fold 0, none in fold 1, four in fold 2, one in fold 3.
 */
static void rows_are_listed_fold_by_fold(void **state)
{
    static const uint32_t fold[] = {2, 0, 2, 3, 2, 0, 2}, wanted[] = {1, 5, 0, 2, 4, 6, 3};
    static const size_t begins[] = {0, 2, 2, 6, 7};
    uint32_t list[7], same[7], item[] = {0, 1, 2, 3, 4, 5, 6};
    size_t start[5];

    (void)state;
    cr__folds_sort(fold, 7, 4, list, start);
    assert_memory_equal(list, wanted, sizeof wanted);
    assert_memory_equal(start, begins, sizeof begins);
    for (uint32_t f = 0; f < 4; f++) {
        const size_t rows = start[f + 1] - start[f];

        assert_int_equal(cr__folds_list(fold, item, 7, f, 1, same), rows);
        assert_memory_equal(same, list + start[f], rows * sizeof *list);
    }
}

static void no_rows_are_in_no_fold(void **state)
{
    size_t start[3] = {9, 9, 9};
    uint32_t none = 0;

    (void)state;
    cr__folds_sort(&none, 0, 2, &none, start);
    assert_true(start[0] == 0 && start[1] == 0 && start[2] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_listed_fold_by_fold),
        cmocka_unit_test(no_rows_are_in_no_fold),
    };

    return cmocka_run_group_tests_name("folds", tests, NULL, NULL);
}
