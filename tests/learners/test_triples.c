/* tests/learners/test_triples.c - kdb and pairs fit the same from counts of triples as from the
 * rows that occur, and keep whichever is bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "credence/credence.h"
#include "model/model.h"
#include "source/source.h"
#include "support/model_bytes.h"

enum { ROWS = 3000, FEATURES = 5 };

static char word[FEATURES][ROWS][8];
static const char *text[FEATURES + 1][ROWS];
static const char *const name[FEATURES + 1] = {"a", "b", "c", "d", "e", "class"};

static uint32_t draw(void)
{
    static uint64_t state = 3;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

/* Features that depend on two others, of so many values; some are missing. */
static void make_rows(uint32_t values)
{
    for (size_t r = 0; r < ROWS; r++) {
        uint32_t v[FEATURES];

        text[FEATURES][r] = draw() % 2 ? "yes" : "no";
        for (size_t i = 0; i < FEATURES; i++) {
            v[i] = draw() % 3 == 0 || i < 2 ? draw() % values : (v[i - 1] + v[i - 2]) % values;
            snprintf(word[i][r], sizeof word[i][r], "w%u", v[i]);
            text[i][r] = draw() % 50 == 0 ? NULL : word[i][r];
        }
    }
}

static cr_source *source_of(size_t first, size_t rows)
{
    cr_array table[FEATURES + 1];
    cr_source *source;

    for (size_t i = 0; i <= FEATURES; i++)
        table[i] = (cr_array){.name = name[i],
                              .text = text[i] + first,
                              .kind = CR_SYMBOL,
                              .role = i == FEATURES ? CR_ROLE_TARGET : CR_ROLE_FEATURE};
    assert_int_equal(cr_source_open_arrays(&source, table, FEATURES + 1, rows, NULL), CR_OK);
    return source;
}

static cr_model *trained(const char *learner, const char *param, int threads, size_t rows)
{
    const cr_run run = {.threads = threads};
    cr_source *source = source_of(0, rows);
    cr_model *model;
    cr_error err = {0};

    if (cr_model_train(&model, source, learner, &param, 1, &run, NULL, &err) != CR_OK)
        fail_msg("%s: %s", learner, err.message);
    cr_source_close(source);
    return model;
}

static void posteriors(const cr_model *model, double out[ROWS][2])
{
    cr_row *row;
    int32_t decision;

    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    for (size_t r = 0; r < ROWS; r++) {
        for (size_t i = 0; i < FEATURES; i++)
            assert_int_equal(cr_row_set_text(row, i, text[i][r]), CR_OK);
        assert_int_equal(cr_model_classify(model, row, out[r], &decision, NULL), CR_OK);
    }
    cr_row_free(row);
}

static void triples_give_what_rows_give(void **state)
{
    static double a[ROWS][2], b[ROWS][2];
    const char *two = "k=2";
    cr_model *triples, *cells;

    (void)state;
    make_rows(4);
    triples = trained("kdb", "k=2", 1, ROWS);
    cells = trained("kdb", "k=3", 1, ROWS);
    assert_int_equal(cr__tuples_order(triples->stats->tuples), 3);
    assert_non_null(cells->stats->cells);
    assert_int_equal(cr_model_refit(cells, &two, 1, NULL), CR_OK);
    posteriors(triples, a);
    posteriors(cells, b);
    assert_memory_equal(a, b, sizeof a);
    cr_model_free(triples);
    cr_model_free(cells);
}

static void rows_come_and_go(void **state)
{
    static const char *const way[][2] = {
        {"kdb", "k=2"}, {"pairs", "order=3"}, {"pairs", "order=2"}};

    (void)state;
    make_rows(4);
    for (size_t w = 0; w < sizeof way / sizeof *way; w++) {
        cr_model *all = trained(way[w][0], way[w][1], 1, ROWS);
        cr_model *half = trained(way[w][0], way[w][1], 2, ROWS / 2);
        cr_model *many = trained(way[w][0], way[w][1], 3, ROWS);
        cr_source *rest = source_of(ROWS / 2, ROWS - ROWS / 2);
        cr_model *both;

        assert_same_model(all, many);
        assert_int_equal(cr_model_copy(&both, half, NULL), CR_OK);
        assert_int_equal(cr_model_learn(both, rest, NULL, NULL, NULL), CR_OK);
        assert_same_model(both, all);
        assert_int_equal(cr__source_rewind(rest, NULL), CR_OK);
        assert_int_equal(cr_model_unlearn(both, rest, NULL, NULL, NULL), CR_OK);
        assert_same_model(both, half);
        cr_source_close(rest);
        cr_model_free(all);
        cr_model_free(half);
        cr_model_free(many);
        cr_model_free(both);
    }
}

/* 150³ · 2 combinations for each of ten triples are more than 2^22. */
static void many_values_are_counted_by_row(void **state)
{
    cr_model *one, *three;

    (void)state;
    make_rows(150);
    one = trained("kdb", "k=2", 1, ROWS);
    three = trained("kdb", "k=2", 3, ROWS);
    assert_null(one->stats->tuples);
    assert_non_null(one->stats->cells);
    assert_same_model(one, three);
    cr_model_free(one);
    cr_model_free(three);
}

static void more_parents_need_training(void **state)
{
    const char *three = "k=3", *one = "k=1";
    cr_error err = {0};
    cr_model *model;

    (void)state;
    make_rows(4);
    model = trained("kdb", "k=2", 1, ROWS);
    assert_int_equal(cr_model_refit(model, &three, 1, &err), CR_EARG);
    assert_non_null(strstr(err.hint, "train again"));
    assert_int_equal(cr_model_refit(model, &one, 1, &err), CR_OK);
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(triples_give_what_rows_give),
                                       cmocka_unit_test(rows_come_and_go),
                                       cmocka_unit_test(many_values_are_counted_by_row),
                                       cmocka_unit_test(more_parents_need_training)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
