/* tests/data/test_discretise.c - rules that cut numbers into intervals. */
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
#include "data/discretise.h"

enum { N = 60 };

typedef struct numbers {
    double value[N], count[N];
    uint32_t class_of[N];
    cr__spread spread;
} numbers;

typedef struct one {
    double x;
    uint32_t c;
} one;

static int by_value(const void *pa, const void *pb)
{
    const one *a = pa, *b = pb;

    return a->x < b->x ? -1 : a->x > b->x;
}

/* The data of tests/reference/make_beyond_reference.py. */
static void make(numbers *n)
{
    one all[N];

    for (int i = 1; i <= N; i++) {
        const double x = round(fmod(i * 0.6180339887498949, 1) * 1000) / 100;

        all[i - 1] = (one){x, x < 3 ? 0 : x >= 7 ? 2 : i % 5 == 0 ? 0 : 1};
    }
    qsort(all, N, sizeof *all, by_value);
    for (int i = 0; i < N; i++) {
        n->value[i] = all[i].x;
        n->class_of[i] = all[i].c;
        n->count[i] = 1;
    }
    n->spread = (cr__spread){N, 3, n->value, n->class_of, n->count};
}

static void expect_cuts(const numbers *n, const char *rule, const double *cut, size_t count)
{
    cr__cut_rule r;
    cr__cuts cuts;

    assert_int_equal(cr__cut_rule_read(&r, rule), 1);
    assert_int_equal(cr__cut(&cuts, &n->spread, r), CR_OK);
    assert_int_equal(cuts.count, count);
    for (size_t i = 0; i < count; i++)
        assert_true(fabs(cuts.cut[i] - cut[i]) < 1e-12);
    cr__free(cuts.cut);
}

/* An independent implementation gives 2.945 and 6.975. */
static void mdl_cuts_where_an_independent_implementation_does(void **state)
{
    numbers n;

    (void)state;
    make(&n);
    expect_cuts(&n, "mdl", (double[]){2.945, 6.975}, 2);
}

/* Two classes that alternate are not worth a cut. */
static void mdl_leaves_noise_whole(void **state)
{
    numbers n;

    (void)state;
    make(&n);
    for (int i = 0; i < N; i++)
        n.class_of[i] = (uint32_t)(i % 2);
    expect_cuts(&n, "mdl", NULL, 0);
}

/* Classes that do not occur change nothing, however many they are. */
static void mdl_is_blind_to_classes_that_do_not_occur(void **state)
{
    numbers n;

    (void)state;
    make(&n);
    for (int i = 0; i < N; i++)
        n.class_of[i] = 99999 - 40000 * n.class_of[i];
    n.spread.classes = 100000;
    expect_cuts(&n, "mdl", (double[]){2.945, 6.975}, 2);
}

/* By hand: 0.01 … of four intervals between the least and the largest number. */
/* Counts that are not whole go another way: every second entry is given in two halves, which with
 * odd counts are not whole, and the cuts are the same. */
static void mdl_is_the_same_for_counts_in_parts(void **state)
{
    enum { MANY = 4000, CLASSES = 3 };
    double value[2 * MANY], count[2 * MANY], halved[2 * MANY], twice[2 * MANY];
    uint32_t class_of[2 * MANY], class_twice[2 * MANY];
    cr__spread whole = {0, CLASSES, value, class_of, count};
    cr__spread parts = {0, CLASSES, twice, class_twice, halved};
    cr__cuts a, b;

    (void)state;
    for (uint32_t i = 0; i < MANY; i++) {
        const double x = i / 3 * 0.01, n = 1 + i * 7919 % 5;
        const uint32_t c = (uint32_t)(sin(x * 1.7) + sin(i * 2.39) > 0.2) + (i * 31 % 11 == 0);

        value[whole.entries] = x;
        class_of[whole.entries] = c;
        count[whole.entries++] = n;
        for (uint32_t half = 0; half <= i % 2; half++) {
            twice[parts.entries] = x;
            class_twice[parts.entries] = c;
            halved[parts.entries++] = n / (1 + i % 2);
        }
    }
    assert_int_equal(cr__cut_mdl(&a, &whole, NULL), CR_OK);
    assert_int_equal(cr__cut_mdl(&b, &parts, NULL), CR_OK);
    assert_in_range(a.count, 5, 100);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.cut, b.cut, a.count * sizeof *a.cut);
    cr__free(a.cut);
    cr__free(b.cut);
}

/* Whole counts are searched block by block, and blocks where no cut can be are passed over: the
 * cuts are those of looking at every place, for classes that differ much, little and not at all,
 * many and few, at numbers that are all different or repeated. */
static void mdl_passes_over_nothing(void **state)
{
    enum { MOST = 20000 };
    static const uint32_t classes[] = {2, 3, 5, 40};
    static const double strength[] = {0, 0.03, 0.3, 3};
    double *value = malloc(3 * (size_t)MOST * sizeof *value), *whole = value + MOST,
           *twice = whole + MOST;
    double *halved = malloc(MOST * sizeof *halved);
    uint32_t *class_of = malloc(2 * (size_t)MOST * sizeof *class_of),
             *class_twice = class_of + MOST;
    cr__random random;
    size_t most = 0, none = 0;

    (void)state;
    assert_true(value != NULL && halved != NULL && class_of != NULL);
    cr__random_seed(&random, 16);
    for (size_t i = 0; i < 2 * 4 * 4 * 4 + 2000; i++) {
        const int borderline = i >= 2 * 4 * 4 * 4; /* a few rows of one class before much noise */
        const uint32_t k = borderline ? 2 + (uint32_t)cr__random_below(&random, 6) : classes[i & 3];
        const double strong = borderline ? 0 : strength[i >> 2 & 3];
        const size_t rows =
            borderline ? 200 + cr__random_below(&random, 800) : (size_t)200 << (i >> 4 & 3) * 2;
        const size_t alike = i >> 6 & 1 ? 7 : 1, first = 3 + cr__random_below(&random, 12);
        const size_t last = 40 + cr__random_below(&random, 100);
        cr__spread full = {rows, k, value, class_of, whole};
        cr__spread split = {0, k, twice, class_twice, halved};
        cr__cuts a, b;

        assert_true(rows <= MOST * 2 / 3);
        for (uint32_t r = 0; r < rows; r++) {
            const double x = (double)(r / alike) / (double)rows * 6, lean = sin(x) * strong;
            const uint64_t parts = 1 + (r & 1);

            value[r] = x;
            class_of[r] = (uint32_t)cr__random_below(&random, k);
            if (cr__random_uniform(&random) < lean || (borderline && r < first))
                class_of[r] = 0;
            if (borderline && r + last > rows && cr__random_below(&random, 8) == 0)
                class_of[r] = k - 1;
            whole[r] = (double)(1 + cr__random_below(&random, 3) / 2);
            for (uint64_t h = 0; h < parts && split.entries < MOST; h++) {
                twice[split.entries] = x;
                class_twice[split.entries] = class_of[r];
                halved[split.entries++] = whole[r] / (double)parts;
            }
        }
        assert_int_equal(cr__cut_mdl(&a, &full, NULL), CR_OK);
        assert_int_equal(cr__cut_mdl(&b, &split, NULL), CR_OK);
        assert_int_equal(a.count, b.count);
        assert_true(a.count == 0 || memcmp(a.cut, b.cut, a.count * sizeof *a.cut) == 0);
        most = a.count > most ? a.count : most;
        none += a.count == 0;
        cr__free(a.cut);
        cr__free(b.cut);
    }
    assert_in_range(most, 4, 1000);
    assert_in_range(none, 16, 2000);
    free(value);
    free(halved);
    free(class_of);
}

/* Of 16 classes, half are more frequent in the second half of the rows: that cut is the best one,
 * but its description is longer than that of a cut behind a few rows of one class, as all classes
 * are on both sides. Where it is not worth it, there is no cut, also where the other would be. */
static void mdl_cuts_at_the_best_place_or_not_at_all(void **state)
{
    enum { LONG = 2000, CLASSES = 16, TRIALS = 300 };
    static double value[LONG], count[LONG], twice[LONG + 1], halved[LONG + 1];
    static uint32_t class_of[LONG], class_twice[LONG + 1];
    cr__random random;
    size_t some = 0;

    (void)state;
    cr__random_seed(&random, 1993);
    for (size_t i = 0; i < TRIALS; i++) {
        const cr__spread full = {LONG, CLASSES, value, class_of, count};
        const cr__spread split = {LONG + 1, CLASSES, twice, class_twice, halved};
        const size_t first = 8 + cr__random_below(&random, 12);
        const double lean = 0.1 + cr__random_uniform(&random) * 0.25;
        cr__cuts a, b;

        for (size_t r = 0; r < LONG; r++) {
            const uint32_t half =
                cr__random_uniform(&random) < 0.5 + lean / 2 ? r >= LONG / 2 : r < LONG / 2;

            class_of[r] = r < first ? 0 : half * 8 + (uint32_t)cr__random_below(&random, 8);
            value[r] = (double)r;
            count[r] = 1;
            twice[r + 1] = value[r];
            class_twice[r + 1] = class_of[r];
            halved[r + 1] = r == 0 ? 0.5 : 1;
        }
        twice[0] = twice[1];
        class_twice[0] = class_twice[1];
        halved[0] = 0.5;
        assert_int_equal(cr__cut_mdl(&a, &full, NULL), CR_OK);
        assert_int_equal(cr__cut_mdl(&b, &split, NULL), CR_OK);
        assert_int_equal(a.count, b.count);
        assert_true(a.count == 0 || memcmp(a.cut, b.cut, a.count * sizeof *a.cut) == 0);
        some += a.count > 0;
        cr__free(a.cut);
        cr__free(b.cut);
    }
    assert_in_range(some, 10, TRIALS - 10);
}

static void widths_are_equal(void **state)
{
    numbers n;
    double low, high;

    (void)state;
    make(&n);
    low = n.value[0];
    high = n.value[N - 1];
    expect_cuts(&n, "width:4",
                (double[]){low + (high - low) / 4, (low + high) / 2, low + 3 * (high - low) / 4},
                3);
}

/* 60 different numbers in 4 intervals are 15 each; equal numbers stay together. */
static void frequencies_are_equal(void **state)
{
    numbers n;
    cr__cuts cuts;
    const cr__cut_rule rule = {.kind = CR__CUT_FREQUENCY, .bins = 4};

    (void)state;
    make(&n);
    assert_int_equal(cr__cut(&cuts, &n.spread, rule), CR_OK);
    assert_int_equal(cuts.count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_true(cuts.cut[i] >= n.value[15 * (i + 1) - 1] &&
                    cuts.cut[i] < n.value[15 * (i + 1)]);
    cr__free(cuts.cut);
    for (int i = 0; i < N; i++)
        n.value[i] = i < 50 ? 1 : 2;
    expect_cuts(&n, "frequency:4", (double[]){1.5}, 1);
}

/* √60 = 7.7: 7 intervals. */
static void sqrt_makes_as_many_intervals_as_rows_in_each(void **state)
{
    numbers n;
    cr__cuts cuts;

    (void)state;
    make(&n);
    assert_int_equal(cr__cut(&cuts, &n.spread, (cr__cut_rule){.kind = CR__CUT_SQRT}), CR_OK);
    assert_int_equal(cuts.count, 6);
    cr__free(cuts.cut);
}

static void a_constant_is_one_interval(void **state)
{
    numbers n;
    cr__dict *names = NULL;
    cr__cuts cuts, again;

    (void)state;
    make(&n);
    for (int i = 0; i < N; i++)
        n.value[i] = 4;
    assert_int_equal(
        cr__cut(&cuts, &n.spread, (cr__cut_rule){.kind = CR__CUT_FREQUENCY, .bins = 5}), CR_OK);
    assert_int_equal(cuts.count, 0);
    assert_int_equal(cr__cuts_code(&cuts, -1e300), 1);
    assert_int_equal(cr__dict_new(&names, 0, NULL), CR_OK);
    assert_int_equal(cr__cuts_name(&cuts, names, NULL), CR_OK);
    assert_int_equal(names->words, 1);
    assert_string_equal(cr__dict_word(names, 1, NULL), "all");
    assert_int_equal(cr__cuts_of_names(&again, names), CR_OK);
    assert_int_equal(again.count, 0);
    cr__free(again.cut);
    cr__dict_free(names);
}

static void rules_are_read_and_others_refused(void **state)
{
    cr__cut_rule r;

    (void)state;
    assert_int_equal(cr__cut_rule_read(&r, "width"), 1);
    assert_int_equal(r.bins, 0);
    assert_int_equal(cr__cut_rule_read(&r, "frequency:12"), 1);
    assert_int_equal(r.bins, 12);
    assert_int_equal(cr__cut_rule_read(&r, "width:1"), -1);
    assert_int_equal(cr__cut_rule_read(&r, "width:x"), -1);
    assert_int_equal(cr__cut_rule_read(&r, "mdl:3"), 0);
    assert_int_equal(cr__cut_rule_read(&r, "age:30"), 0);
    assert_int_equal(cr__cut_rule_read(&r, "none"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mdl_cuts_where_an_independent_implementation_does),
        cmocka_unit_test(mdl_leaves_noise_whole),
        cmocka_unit_test(mdl_is_blind_to_classes_that_do_not_occur),
        cmocka_unit_test(mdl_is_the_same_for_counts_in_parts),
        cmocka_unit_test(mdl_passes_over_nothing),
        cmocka_unit_test(mdl_cuts_at_the_best_place_or_not_at_all),
        cmocka_unit_test(widths_are_equal),
        cmocka_unit_test(frequencies_are_equal),
        cmocka_unit_test(sqrt_makes_as_many_intervals_as_rows_in_each),
        cmocka_unit_test(a_constant_is_one_interval),
        cmocka_unit_test(rules_are_read_and_others_refused),
    };

    return cmocka_run_group_tests_name("discretise", tests, NULL, NULL);
}
