/* tests/base/test_memory.c - checked allocation, arenas and buffers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "base/pages.h"

#include <string.h>
#include <sys/resource.h>

static void sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    assert_null(cr__alloc(SIZE_MAX / 2, 4));
    assert_null(cr__alloc_zero(SIZE_MAX, SIZE_MAX));
    assert_null(cr__realloc(NULL, SIZE_MAX / 8 + 1, 8));
    assert_null(cr__strndup("", SIZE_MAX));
}

static void zero_bytes_give_a_block(void **state)
{
    (void)state;
    void *a = cr__alloc(0, 8), *b = cr__alloc_zero(8, 0), *c = cr__realloc(NULL, 0, 0);
    assert_true(a != NULL && b != NULL && c != NULL);
    c = cr__realloc(c, 0, 1);
    assert_non_null(c);
    cr__free(a);
    cr__free(b);
    cr__free(c);
    cr__free(NULL);
}

/* 1000 bytes are from the heap, 1 MB is one large page, 9 MB are five that have moved. */
static void pages_keep_what_they_have_and_add_zeros(void **state)
{
    static const size_t count[] = {1000, 1 << 20, 9 << 20};
    cr__pages pages = {0};
    size_t had = 0;

    (void)state;
    for (int i = 0; i < 3; had = count[i++]) {
        const unsigned char *at;

        cr__memory_fail_after = 0;
        assert_false(cr__pages_fit(&pages, count[i], 1));
        assert_true(cr__pages_fit(&pages, count[i], 1));
        assert_true(cr__pages_fit(&pages, had, 1));
        at = pages.at;
        assert_int_equal((uintptr_t)at % 64, 0);
        for (size_t k = 0; k < count[i]; k++)
            if (at[k] != (k < had ? k % 251 + 1 : 0))
                fail_msg("byte %zu of %zu is %d", k, count[i], at[k]);
        for (size_t k = 0; k < count[i]; k++)
            ((unsigned char *)pages.at)[k] = (unsigned char)(k % 251 + 1);
    }
    assert_false(cr__pages_fit(&pages, SIZE_MAX / 2, 4));
    cr__pages_free(&pages);
    assert_null(pages.at);
    cr__pages_free(&pages);
}

/* A block of 64 MB that grows keeps its pages: copying them would touch as many new ones, 16,384
 * where they are small. The sanitizers' realloc() copies always. */
static void large_blocks_grow_without_being_copied(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    (void)state;
    skip();
#else
    enum { SIZE = 64 << 20 };
    struct rusage before, after;
    unsigned char *block = cr__alloc(SIZE, 1);

    (void)state;
    assert_non_null(block);
    memset(block, 1, SIZE);
    getrusage(RUSAGE_SELF, &before);
    block = cr__realloc(block, SIZE, 2);
    getrusage(RUSAGE_SELF, &after);
    assert_non_null(block);
    assert_true(after.ru_minflt - before.ru_minflt < 2048);
    for (size_t i = 0; i < SIZE; i += 4096)
        assert_int_equal(block[i], 1);
    cr__free(block);
#endif
}

static void strndup_takes_bytes_and_ends_them(void **state)
{
    (void)state;
    char *copy = cr__strndup("ab\0cd", 4);
    assert_memory_equal(copy, "ab\0c\0", 5);
    cr__free(copy);
}

static void the_chosen_allocation_fails_and_only_that_one(void **state)
{
    (void)state;
    cr__memory_fail_after = 1;
    void *a = cr__alloc(1, 1), *b = cr__alloc(1, 1), *c = cr__alloc_zero(1, 1);
    assert_true(a != NULL && b == NULL && c != NULL);
    assert_true(cr__memory_fail_after < 0);
    cr__memory_fail_after = 0;
    assert_null(cr__realloc(a, 100, 1));
    cr__memory_fail_after = -1;
    cr__free(a);
    cr__free(c);
}

static void grow_doubles_and_keeps_the_items(void **state)
{
    (void)state;
    int *items = NULL;
    size_t capacity = 0;
    for (size_t i = 0; i < 1000; i++) {
        size_t before = capacity;
        assert_true(cr__grow(&items, &capacity, i + 1, sizeof *items));
        assert_true(capacity == before || capacity >= 2 * before);
        items[i] = (int)i;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    assert_true(cr__grow(&items, &capacity, 5000, sizeof *items));
    assert_int_equal(capacity, 5000);
    cr__free(items);
}

static void grow_that_fails_changes_nothing(void **state)
{
    (void)state;
    double *items = NULL;
    size_t capacity = 0;
    assert_true(cr__grow(&items, &capacity, 3, sizeof *items));
    double *before = items;
    size_t before_capacity = capacity;
    assert_false(cr__grow(&items, &capacity, SIZE_MAX / 4, sizeof *items));
    cr__memory_fail_after = 0;
    assert_false(cr__grow(&items, &capacity, 1000, sizeof *items));
    assert_ptr_equal(items, before);
    assert_int_equal(capacity, before_capacity);
    cr__free(items);
}

static void arena_objects_are_aligned_apart_and_keep_their_bytes(void **state)
{
    (void)state;
    enum { OBJECTS = 3000 };
    static unsigned char *objects[OBJECTS];
    cr__arena arena = {0};
    for (size_t i = 0; i < OBJECTS; i++) {
        size_t size = i % 100 == 99 ? 20000 : i % 37; /* now and then one with its own block */
        objects[i] = cr__arena_alloc(&arena, size, 1);
        assert_non_null(objects[i]);
        assert_int_equal((uintptr_t)objects[i] % _Alignof(max_align_t), 0);
        memset(objects[i], (int)(i % 251), size);
    }
    for (size_t i = 0; i < OBJECTS; i++)
        for (size_t k = 0; k < (i % 100 == 99 ? 20000 : i % 37); k++)
            assert_int_equal(objects[i][k], i % 251);
    cr__arena_free(&arena);
    assert_null(arena.head);
    cr__arena_free(&arena);
}

static void arena_copy_ends_the_bytes(void **state)
{
    (void)state;
    cr__arena arena = {0};
    assert_memory_equal(cr__arena_copy(&arena, "a\0bc", 3), "a\0b\0", 4);
    assert_string_equal(cr__arena_copy(&arena, NULL, 0), "");
    cr__arena_free(&arena);
}

static void arena_refuses_overflow_and_reports_lack_of_memory(void **state)
{
    (void)state;
    cr__arena arena = {0};
    assert_null(cr__arena_alloc(&arena, SIZE_MAX / 2, 3));
    assert_null(cr__arena_alloc(&arena, PTRDIFF_MAX, 1));
    assert_null(cr__arena_copy(&arena, "", SIZE_MAX));
    cr__memory_fail_after = 0;
    assert_null(cr__arena_alloc(&arena, 1, 1));
    assert_non_null(cr__arena_alloc(&arena, 1, 1));
    cr__arena_free(&arena);
}

static void buffer_collects_what_is_added(void **state)
{
    (void)state;
    cr__buffer b = {0};
    cr__buffer_adds(&b, "one ");
    cr__buffer_add(&b, "two\0", 4);
    cr__buffer_add(&b, NULL, 0);
    cr__buffer_addc(&b, '!');
    cr__buffer_printf(&b, "%d%s", 42, "x");
    char *end = cr__buffer_reserve(&b, 3);
    assert_non_null(end);
    memcpy(end, "abc", 3);
    b.size += 2;
    assert_int_equal(b.failed, 0);
    assert_int_equal(b.size, 14);
    assert_memory_equal(b.data, "one two\0!42xab", 14);
    cr__buffer_clear(&b);
    assert_int_equal(b.size, 0);
    cr__buffer_free(&b);
    assert_null(b.data);
}

static void buffer_prints_lines_longer_than_its_guess(void **state)
{
    (void)state;
    for (int width = 120; width < 140; width++) {
        cr__buffer b = {0};
        cr__buffer_printf(&b, "%0*d", width, 7);
        assert_int_equal(b.size, width);
        assert_int_equal(b.data[0], '0');
        assert_int_equal(b.data[width - 1], '7');
        cr__buffer_free(&b);
    }
}

static void a_failed_buffer_stays_failed_and_ignores_additions(void **state)
{
    (void)state;
    cr__buffer b = {0};
    cr__buffer_adds(&b, "kept");
    cr__memory_fail_after = 0;
    cr__buffer_printf(&b, "%300d", 1);
    assert_int_equal(b.failed, 1);
    cr__buffer_adds(&b, "x");
    assert_null(cr__buffer_reserve(&b, 1));
    assert_int_equal(b.size, 4);
    cr__buffer_clear(&b);
    assert_int_equal(b.failed, 1);
    cr__buffer_free(&b);
    assert_int_equal(b.failed, 0);
    assert_null(cr__buffer_reserve(&b, SIZE_MAX));
    assert_int_equal(b.failed, 1);
    cr__buffer_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(zero_bytes_give_a_block),
        cmocka_unit_test(pages_keep_what_they_have_and_add_zeros),
        cmocka_unit_test(large_blocks_grow_without_being_copied),
        cmocka_unit_test(strndup_takes_bytes_and_ends_them),
        cmocka_unit_test(the_chosen_allocation_fails_and_only_that_one),
        cmocka_unit_test(grow_doubles_and_keeps_the_items),
        cmocka_unit_test(grow_that_fails_changes_nothing),
        cmocka_unit_test(arena_objects_are_aligned_apart_and_keep_their_bytes),
        cmocka_unit_test(arena_copy_ends_the_bytes),
        cmocka_unit_test(arena_refuses_overflow_and_reports_lack_of_memory),
        cmocka_unit_test(buffer_collects_what_is_added),
        cmocka_unit_test(buffer_prints_lines_longer_than_its_guess),
        cmocka_unit_test(a_failed_buffer_stays_failed_and_ignores_additions),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
