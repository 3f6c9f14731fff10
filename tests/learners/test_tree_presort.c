/* tests/learners/test_tree_presort.c - trees from columns sorted once are those that sorting at
 * every node gives, for any number of threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "credence/credence.h"
#include "learners/tree/tree.h"
#include "model/model.h"
#include "support/model_bytes.h"

enum { ROWS = 20000 }; /* more than a task of one thread has */

typedef struct table {
    double x[3][ROWS], weight[ROWS];
    const char *symbol[2][ROWS], *class_name[ROWS], *hole[ROWS];
} table;

/* Numbers with many ties and with none, symbols, classes that depend on all of them; `hole` is the
 * same everywhere but in one row, where it is missing: it is never asked for. */
static table *random_table(void)
{
    static const char *const words[] = {"a", "b", "c", "d"};
    table *t = calloc(1, sizeof *t);
    cr__random rng;

    assert_non_null(t);
    cr__random_seed(&rng, 5);
    for (size_t r = 0; r < ROWS; r++) {
        const uint64_t u = cr__random_below(&rng, 4), v = cr__random_below(&rng, 3);
        uint64_t c;

        t->x[0][r] = cr__random_normal(&rng);
        t->x[1][r] = floor(4 * cr__random_normal(&rng));
        t->x[2][r] = ldexp(cr__random_uniform(&rng) - 0.5, (int)cr__random_below(&rng, 60) - 30);
        c = (u + (t->x[0][r] > 0.3) + (t->x[1][r] * (double)v > 2)) % 3;
        t->symbol[0][r] = words[u];
        t->symbol[1][r] = words[v];
        t->class_name[r] = words[cr__random_below(&rng, 8) == 0 ? cr__random_below(&rng, 3) : c];
        t->weight[r] = (double)cr__random_below(&rng, 3) + 1;
        t->hole[r] = r == 17 ? NULL : "same";
    }
    return t;
}

static cr_model *train(const table *t, int weighted, int hole, int threads, const char *knob)
{
    cr_array arrays[8] = {
        {.name = "x", .real = t->x[0], .role = CR_ROLE_FEATURE},
        {.name = "y", .real = t->x[1], .role = CR_ROLE_FEATURE},
        {.name = "z", .real = t->x[2], .role = CR_ROLE_FEATURE},
        {.name = "s", .text = t->symbol[0], .role = CR_ROLE_FEATURE},
        {.name = "t", .text = t->symbol[1], .role = CR_ROLE_FEATURE},
        {.name = "class", .text = t->class_name, .role = CR_ROLE_TARGET},
    };
    const cr_run run = {.threads = threads};
    size_t columns = 6;
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    if (weighted)
        arrays[columns++] = (cr_array){.name = "w", .real = t->weight, .role = CR_ROLE_WEIGHT};
    if (hole)
        arrays[columns++] = (cr_array){.name = "hole", .text = t->hole, .role = CR_ROLE_FEATURE};
    assert_int_equal(cr_source_open_arrays(&source, arrays, columns, ROWS, NULL), CR_OK);
    if (cr_model_train(&model, source, "tree", &knob, 1, &run, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

static void sorting_once_and_at_every_node_give_the_same_tree(void **state)
{
    static const char *const knobs[] = {"symbols=binary", "symbols=multiway"};
    table *t = random_table();

    (void)state;
    for (int weighted = 0; weighted < 2; weighted++)
        for (size_t k = 0; k < 2; k++) {
            cr_model *once = train(t, weighted, 0, 2, knobs[k]);
            cr_model *each = train(t, weighted, 1, 2, knobs[k]);
            const cr__tree *a = once->fitted, *b = each->fitted;

            assert_int_equal(a->nodes, b->nodes);
            assert_true(a->nodes > 100);
            assert_memory_equal(a->node, b->node, a->nodes * sizeof *a->node);
            assert_memory_equal(a->count, b->count, a->nodes * a->classes * sizeof *a->count);
            cr_model_free(once);
            cr_model_free(each);
        }
    free(t);
}

static void any_number_of_threads_grows_the_same_tree(void **state)
{
    static const int threads[] = {2, 3, 8};
    table *t = random_table();
    cr_model *one = train(t, 0, 0, 1, "m=4");

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        cr_model *many = train(t, 0, 0, threads[i], "m=4");

        assert_same_model(one, many);
        cr_model_free(many);
    }
    cr_model_free(one);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorting_once_and_at_every_node_give_the_same_tree),
        cmocka_unit_test(any_number_of_threads_grows_the_same_tree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
