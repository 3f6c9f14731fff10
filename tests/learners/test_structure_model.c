/* tests/learners/test_structure_model.c - the learner of networks as a model: exact, saved, robust.
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

#include "base/memory.h"
#include "base/random.h"
#include "credence/credence.h"
#include "credence/structure.h"

enum { ROWS = 400, COLUMNS = 6 };

/* weather -> mood -> pace; hours depends on mood; spare is ignored; weight. */
typedef struct table {
    const char *weather[ROWS], *mood[ROWS], *pace[ROWS], *spare[ROWS];
    double hours[ROWS], weight[ROWS];
} table;

static table *random_table(int gaps)
{
    static const char *const weather[] = {"rain", "sun", "snow"};
    static const char *const mood[] = {"bad", "good"};
    static const char *const pace[] = {"slow", "fast"};
    cr__random rng;
    table *t = calloc(1, sizeof *t);

    assert_non_null(t);
    cr__random_seed(&rng, 17);
    for (size_t r = 0; r < ROWS; r++) {
        const uint64_t w = cr__random_below(&rng, 3);
        const uint64_t m = cr__random_below(&rng, 10) < 8 ? w == 1 : cr__random_below(&rng, 2);
        const uint64_t p = cr__random_below(&rng, 10) < 8 ? m : cr__random_below(&rng, 2);

        t->weather[r] = weather[w];
        t->mood[r] = gaps && cr__random_below(&rng, 5) == 0 ? NULL : mood[m];
        t->pace[r] = gaps && cr__random_below(&rng, 5) == 0 ? NULL : pace[p];
        t->spare[r] = "x";
        t->hours[r] = (double)cr__random_below(&rng, 5) + (m ? 4 : 0);
        t->weight[r] = 1;
    }
    return t;
}

static cr_source *source_of(const table *t, size_t first, size_t count, int targeted)
{
    const cr_array arrays[COLUMNS] = {
        {.name = "spare", .text = t->spare + first, .role = CR_ROLE_FEATURE},
        {.name = "weather", .text = t->weather + first},
        {.name = "mood",
         .text = t->mood + first,
         .role = targeted ? CR_ROLE_TARGET : CR_ROLE_FEATURE},
        {.name = "weight", .real = t->weight + first, .role = CR_ROLE_WEIGHT},
        {.name = "hours", .real = t->hours + first},
        {.name = "pace", .text = t->pace + first},
    };
    cr_source *source;
    cr_error err = {0};

    if (cr_source_open_arrays(&source, arrays, COLUMNS, count, &err) != CR_OK)
        fail_msg("%s", err.message);
    return source;
}

static cr_status try_train(cr_model **model, const table *t, size_t first, size_t count,
                           int targeted, const char *structure, cr_error *err)
{
    cr_source *source = source_of(t, first, count, targeted);
    const char *const params[] = {"bins=hours:3.5", structure, "relearn=always", "alpha=0.001"};
    const cr_run run = {.threads = 1, .seed = 1};
    const cr_status st = cr_model_train(model, source, "network", params, 4, &run, NULL, err);

    cr_source_close(source);
    return st;
}

static cr_model *train(const table *t, size_t first, size_t count, int targeted,
                       const char *structure)
{
    cr_model *model;
    cr_error err = {0};

    if (try_train(&model, t, first, count, targeted, structure, &err) != CR_OK)
        fail_msg("%s", err.message);
    return model;
}

/* "a>b c>d": the arcs by their children's order. */
static void write_arcs(const cr_model *model, char *out)
{
    out[0] = '\0';
    for (size_t i = 0; i < cr_network_nodes(model); i++)
        for (size_t k = 0; cr_network_parent(model, i, k) != SIZE_MAX; k++)
            sprintf(out + strlen(out), "%s>%s ",
                    cr_structure_node(model, cr_network_parent(model, i, k)),
                    cr_structure_node(model, i));
}

static void nodes_are_the_columns_that_take_part(void **state)
{
    table *t = random_table(0);
    cr_model *model = train(t, 0, ROWS, 1, "structure=chow-liu");
    char arcs[200];

    (void)state;
    assert_int_equal(cr_network_nodes(model), 5); /* all but the weight */
    assert_string_equal(cr_structure_node(model, 0), "spare");
    assert_string_equal(cr_structure_node(model, 2), "mood");
    assert_string_equal(cr_structure_node(model, 3), "hours");
    assert_null(cr_structure_node(model, 5));
    assert_int_equal(cr_structure_target(model), 2);
    assert_int_equal(cr_structure_find(model, "pace"), 4);
    assert_int_equal(cr_structure_find(model, "weight"), SIZE_MAX);
    assert_int_equal(cr_structure_states(model, 3), 2);
    assert_string_equal(cr_structure_state(model, 3, 0), "<=3.5");
    write_arcs(model, arcs); /* the target is the root of the tree */
    assert_non_null(strstr(arcs, "mood>weather "));
    assert_non_null(strstr(arcs, "mood>hours "));
    assert_non_null(strstr(arcs, "mood>pace "));
    cr_model_free(model);
    free(t);
}

static double answer(const cr_model *model, const char *text)
{
    cr_answer *a;
    cr_error err = {0};
    double p;

    if (cr_query_run(model, text, &a, &err) != CR_OK)
        fail_msg("%s", err.message);
    p = a->probability;
    cr_answer_free(a);
    return p;
}

static void a_saved_network_answers_as_before(void **state)
{
    for (int targeted = 0; targeted < 2; targeted++) {
        table *t = random_table(1);
        cr_model *model = train(t, 0, ROWS, targeted, "structure=hc"), *again;
        const char *const question = "P(mood=good | pace=slow, hours>3.5)";
        char before[200], after[200];
        double p = answer(model, question);

        (void)state;
        assert_true(p > 0 && p < 1);
        assert_int_equal(cr_model_save(model, "network.model", NULL), CR_OK);
        assert_int_equal(cr_model_load(&again, "network.model", 0, NULL), CR_OK);
        write_arcs(model, before);
        write_arcs(again, after);
        assert_string_equal(before, after);
        assert_true(answer(again, question) == p);
        remove("network.model");
        cr_model_free(model);
        cr_model_free(again);
        free(t);
    }
}

static void merging_and_unlearning_are_exact(void **state)
{
    table *t = random_table(0);
    cr_model *all = train(t, 0, ROWS, 1, "structure=tabu");
    cr_model *first = train(t, 0, 150, 1, "structure=tabu");
    cr_model *second = train(t, 150, ROWS - 150, 1, "structure=tabu");
    cr_source *rest = source_of(t, 150, ROWS - 150, 1);
    char want[200], got[200];
    const double p = answer(first, "P(mood=good | pace=slow)");

    (void)state;
    assert_int_equal(cr_model_merge(second, first, NULL), CR_OK);
    write_arcs(all, want);
    write_arcs(second, got);
    assert_string_equal(got, want);
    assert_true(answer(second, "P(mood=good | pace=slow)") ==
                answer(all, "P(mood=good | pace=slow)"));
    assert_int_equal(cr_model_unlearn(all, rest, NULL, NULL, NULL), CR_OK);
    assert_true(answer(all, "P(mood=good | pace=slow)") == p);
    cr_source_close(rest);
    cr_model_free(all);
    cr_model_free(first);
    cr_model_free(second);
    free(t);
}

/* Whatever allocation fails, nothing leaks and the error says why. */
static void memory_may_run_out(void **state)
{
    static const char *const ways[] = {"structure=tabu", "structure=pc", "structure=mmhc",
                                       "structure=k2", "structure=chow-liu"};
    table *t = random_table(1);

    (void)state;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        for (long n = 0;; n += 1 + n / 40) {
            cr_model *model = NULL;
            cr_source *source = source_of(t, 0, 60, 1);
            const char *const params[] = {"bins=hours:3.5", ways[w], "iterations=2"};
            const cr_run run = {.threads = 1};
            cr_error err = {0};
            cr_status st;

            cr__memory_fail_after = n;
            st = cr_model_train(&model, source, "network", params, 3, &run, NULL, &err);
            cr__memory_fail_after = -1;
            cr_source_close(source);
            cr_model_free(model);
            if (st == CR_OK)
                break;
            assert_int_equal(st, CR_ENOMEM);
        }
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_the_columns_that_take_part),
        cmocka_unit_test(a_saved_network_answers_as_before),
        cmocka_unit_test(merging_and_unlearning_are_exact),
        cmocka_unit_test(memory_may_run_out),
    };

    return cmocka_run_group_tests_name("structure_model", tests, NULL, NULL);
}
