/* tests/train/test_properties.c - what must hold for any data: exact learning, merging and
 * unlearning, the same bytes for any number of threads, missing values left out exactly.
 */
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
#include "support/model_bytes.h"

enum { ROWS = 3000, SYMBOLS = 3, REALS = 2, COLUMNS = SYMBOLS + REALS + 2, PARTS = 3 };

/* A random table: symbols of few and of many values, reals of wild magnitudes, missing cells, a
 * class that is rare, and optionally fractional weights. */
typedef struct table {
    const char *symbol[SYMBOLS + 1][ROWS]; /* the last is the class */
    double real[REALS + 1][ROWS];          /* the last is the weight */
    char word[ROWS][16];
} table;

static table *random_table(uint64_t seed)
{
    static const char *const colours[] = {"red", "green", "blue"};
    static const char *const classes[] = {"yes", "no", "perhaps"};
    cr__random rng;
    table *t = calloc(1, sizeof *t);

    assert_non_null(t);
    cr__random_seed(&rng, seed);
    for (size_t r = 0; r < ROWS; r++) {
        snprintf(t->word[r], sizeof t->word[r], "w%u", (unsigned)cr__random_below(&rng, 40));
        t->symbol[0][r] = colours[cr__random_below(&rng, 3)];
        t->symbol[1][r] = cr__random_below(&rng, 5) == 0 ? NULL : t->word[r];
        t->symbol[2][r] = cr__random_below(&rng, 2) ? "1" : "0";
        t->symbol[3][r] =
            cr__random_below(&rng, 50) == 0 ? NULL : classes[cr__random_below(&rng, 21) / 10];
        t->real[0][r] = cr__random_below(&rng, 7) == 0 ? NAN : cr__random_normal(&rng) * 1e-3 + 5;
        t->real[1][r] =
            ldexp(cr__random_uniform(&rng) - 0.5, (int)cr__random_below(&rng, 400) - 200);
        t->real[2][r] = cr__random_uniform(&rng) * 3;
    }
    return t;
}

/* Rows first … first + count - 1 as a source. */
static cr_source *source_of(const table *t, size_t first, size_t count, int weighted)
{
    const cr_array arrays[COLUMNS] = {
        {.name = "colour", .text = t->symbol[0] + first, .role = CR_ROLE_FEATURE},
        {.name = "word", .text = t->symbol[1] + first, .role = CR_ROLE_FEATURE},
        {.name = "bit", .text = t->symbol[2] + first, .role = CR_ROLE_FEATURE},
        {.name = "small", .real = t->real[0] + first, .role = CR_ROLE_FEATURE},
        {.name = "wild", .real = t->real[1] + first, .role = CR_ROLE_FEATURE},
        {.name = "class", .text = t->symbol[3] + first, .role = CR_ROLE_TARGET},
        {.name = "weight", .real = t->real[2] + first, .role = CR_ROLE_WEIGHT},
    };
    cr_source *source;
    cr_error err = {0};

    if (cr_source_open_arrays(&source, arrays, weighted ? COLUMNS : COLUMNS - 1, count, &err) !=
        CR_OK)
        fail_msg("%s", err.message);
    return source;
}

static cr_model *train(const table *t, size_t first, size_t count, int weighted, int threads)
{
    cr_source *source = source_of(t, first, count, weighted);
    const cr_run run = {.threads = threads};
    cr_model *model;
    cr_error err = {0};

    if (cr_model_train(&model, source, "nb", NULL, 0, &run, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

static void merging_any_split_equals_one_pass_and_comes_apart_again(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++)
        for (int weighted = 0; weighted < 2; weighted++) {
            table *t = random_table(seed);
            const size_t cut[PARTS + 1] = {0, 500 + 185 * seed, 2000 + 55 * seed, ROWS};
            const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
            const int *o = order[seed % 6];
            cr_model *whole = train(t, 0, ROWS, weighted, 1), *part[PARTS];

            for (int i = 0; i < PARTS; i++)
                part[i] = train(t, cut[i], cut[i + 1] - cut[i], weighted, 1);
            assert_int_equal(cr_model_merge(part[o[0]], part[o[1]], NULL), CR_OK);
            assert_int_equal(cr_model_merge(part[o[0]], part[o[2]], NULL), CR_OK);
            assert_same_model(whole, part[o[0]]);
            assert_int_equal(cr_model_unmerge(whole, part[o[2]], NULL), CR_OK);
            assert_int_equal(cr_model_unmerge(part[o[0]], part[o[1]], NULL), CR_OK);
            assert_int_equal(cr_model_unmerge(part[o[0]], part[o[2]], NULL), CR_OK);
            assert_int_equal(cr_model_unmerge(whole, part[o[1]], NULL), CR_OK);
            assert_same_model(whole, part[o[0]]); /* both have the rows of the first part */
            assert_int_equal(cr_model_unmerge(part[o[1]], part[o[2]], NULL), CR_ECONFLICT);
            for (int i = 0; i < PARTS; i++)
                cr_model_free(part[i]);
            cr_model_free(whole);
            free(t);
        }
}

static void learning_and_unlearning_leaves_the_file_as_it_was(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++)
        for (int weighted = 0; weighted < 2; weighted++) {
            table *t = random_table(seed);
            cr_model *before = train(t, 0, 200, weighted, 1),
                     *model = train(t, 0, 200, weighted, 2);
            cr_model *all = train(t, 0, ROWS, weighted, 1);
            cr_source *more = source_of(t, 200, ROWS - 200, weighted);
            cr_error err = {0};

            assert_int_equal(cr_model_learn(model, more, NULL, NULL, &err), CR_OK);
            assert_same_model(model, all);
            cr_source_close(more);
            more = source_of(t, 200, ROWS - 200, weighted);
            if (cr_model_unlearn(model, more, NULL, NULL, &err) != CR_OK)
                fail_msg("%s", err.message);
            assert_same_model(model, before);
            cr_source_close(more);
            cr_model_free(before);
            cr_model_free(model);
            cr_model_free(all);
            free(t);
        }
}

static void any_number_of_threads_gives_the_same_bytes(void **state)
{
    const int threads[] = {2, 3, 8};
    table *t = random_table(99);
    cr_model *one = train(t, 0, ROWS, 1, 1);

    (void)state;
    for (int i = 0; i < 3; i++) {
        cr_model *many = train(t, 0, ROWS, 1, threads[i]);
        assert_same_model(one, many);
        cr_model_free(many);
    }
    cr_model_free(one);
    free(t);
}

static void unlearning_what_was_never_learned_is_refused(void **state)
{
    table *t = random_table(5);
    cr_model *model = train(t, 0, 300, 0, 1), *before = train(t, 0, 300, 0, 1);
    cr_source *source;
    cr_error err = {0};

    (void)state;
    t->symbol[0][310] = "violet"; /* a colour that the model has never met */
    t->symbol[3][310] = "yes";
    source = source_of(t, 305, 20, 0);
    assert_int_equal(cr_model_unlearn(model, source, NULL, NULL, &err), CR_ECONFLICT);
    assert_true(err.line >= 1 && err.line <= 6); /* row 6 of this source, if none before it */
    assert_non_null(strstr(err.message, "never learned"));
    assert_same_model(model, before); /* nothing changed */
    cr_source_close(source);
    cr_model_free(model);
    cr_model_free(before);
    free(t);
}

/* Other rows with as many of each class: of x the sums would remain without a row, or one row would
 * have a variance. The same rows are taken back, and nothing is left. */
static void other_rows_of_the_same_classes_are_refused(void **state)
{
    static const char *const learners[] = {"nb", "gda"};
    static const char *const class[] = {"a", "a", "b", "b"};
    static const double x[] = {1, 2, 5, 6}, other[] = {3, 4, 7, 9}, near[] = {1.25, 2, 5, 6};
    const double *const wrong[] = {other, near, near};
    const size_t rows[] = {4, 4, 1};
    cr_error err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++) {
        cr_array arrays[] = {{.name = "x", .real = x, .role = CR_ROLE_FEATURE},
                             {.name = "class", .text = class, .role = CR_ROLE_TARGET}};
        cr_source *source;
        cr_model *model;

        assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 4, &err), CR_OK);
        assert_int_equal(cr_model_train(&model, source, learners[i], NULL, 0, NULL, NULL, &err),
                         CR_OK);
        for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
            cr_source *bad;

            arrays[0].real = wrong[w];
            assert_int_equal(cr_source_open_arrays(&bad, arrays, 2, rows[w], &err), CR_OK);
            assert_int_equal(cr_model_unlearn(model, bad, NULL, NULL, &err), CR_ECONFLICT);
            assert_non_null(strstr(err.message, "than were learned"));
            cr_source_close(bad);
        }
        cr_source_close(source);
        arrays[0].real = x;
        assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 4, &err), CR_OK);
        assert_int_equal(cr_model_unlearn(model, source, NULL, NULL, &err), CR_OK);
        assert_int_equal(cr_model_classes(model), 0);
        cr_model_free(model);
        cr_source_close(source);
    }
}

/* P(class | observed) by summing P(class, all) over every completion of the missing symbols. */
static void missing_values_equal_brute_force_marginalisation(void **state)
{
    table *t = random_table(3);
    cr_model *model = train(t, 0, ROWS, 0, 1);
    const size_t classes = cr_model_classes(model);
    const size_t column[SYMBOLS] = {0, 1, 2};
    double posterior[8], sum[8];
    cr_row *row;
    int32_t decision;

    (void)state;
    assert_int_equal(classes, 3);
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    for (int mask = 0; mask < 1 << SYMBOLS; mask++) {
        double total = 0;
        size_t pick[SYMBOLS] = {0};

        memset(sum, 0, sizeof sum);
        for (;;) { /* every completion: missing symbols run through their values */
            double evidence;
            size_t i;

            cr_row_clear(row);
            cr_row_set_real(row, 3, 5.0005);
            for (i = 0; i < SYMBOLS; i++)
                cr_row_set_text(row, column[i], cr_model_value(model, column[i], pick[i]));
            assert_int_equal(cr_model_classify(model, row, posterior, &decision, &evidence), CR_OK);
            for (size_t c = 0; c < classes; c++)
                sum[c] += posterior[c] * exp(evidence);
            for (i = 0; i < SYMBOLS; i++) {
                if (!(mask >> i & 1))
                    continue;
                if (++pick[i] < cr_model_values(model, column[i]))
                    break;
                pick[i] = 0;
            }
            if (i == SYMBOLS)
                break;
        }
        cr_row_clear(row);
        cr_row_set_real(row, 3, 5.0005);
        for (size_t i = 0; i < SYMBOLS; i++)
            if (!(mask >> i & 1))
                cr_row_set_text(row, column[i], cr_model_value(model, column[i], 0));
        assert_int_equal(cr_model_classify(model, row, posterior, &decision, NULL), CR_OK);
        for (size_t c = 0; c < classes; c++)
            total += sum[c];
        for (size_t c = 0; c < classes; c++)
            assert_true(fabs(posterior[c] - sum[c] / total) < 1e-12);
    }
    cr_row_free(row);
    cr_model_free(model);
    free(t);
}

static cr_status check_sum(void *context, const cr_predictions *p)
{
    size_t *rows = context;

    for (size_t r = 0; r < p->rows; r++, ++*rows) {
        double sum = 0;
        for (size_t c = 0; c < p->classes; c++)
            sum += p->posterior[r * p->classes + c];
        assert_true(fabs(sum - 1) < 1e-14);
        assert_true(p->line[r] == *rows + 1); /* in order */
    }
    return CR_OK;
}

static void posteriors_sum_to_one_and_come_in_order(void **state)
{
    table *t = random_table(8);
    cr_model *model = train(t, 0, 300, 0, 1);
    cr_source *source = source_of(t, 0, ROWS, 0);
    size_t rows = 0;
    const cr_sink sink = {.visit = check_sum, .context = &rows};
    const cr_run run = {.threads = 3};

    (void)state;
    assert_int_equal(cr_model_predict(model, source, NULL, &sink, &run, NULL, NULL), CR_OK);
    assert_int_equal(rows, ROWS);
    cr_source_close(source);
    cr_model_free(model);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merging_any_split_equals_one_pass_and_comes_apart_again),
        cmocka_unit_test(learning_and_unlearning_leaves_the_file_as_it_was),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(unlearning_what_was_never_learned_is_refused),
        cmocka_unit_test(other_rows_of_the_same_classes_are_refused),
        cmocka_unit_test(missing_values_equal_brute_force_marginalisation),
        cmocka_unit_test(posteriors_sum_to_one_and_come_in_order),
    };
    return cmocka_run_group_tests_name("properties", tests, NULL, NULL);
}
