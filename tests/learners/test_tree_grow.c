/* tests/learners/test_tree_grow.c - trees grown from columns sorted once equal those grown by
 * sorting at every node, with weights and missing values, for any number of threads.
 */
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
#include "learners/tree/tree_impl.h"

/* --- the plainest way ----------------------------------------------------------------------- */

/* Rows on their way, with what of their weight has come here. */
typedef struct share {
    uint32_t row;
    float unused; /* keeps the weight aligned */
    double weight;
} share;

typedef struct errand {
    uint32_t node;
    size_t rows;
    share *share;
} errand;

typedef struct sorted {
    double x, weight;
    uint32_t class_code;
} sorted;

typedef struct grower {
    const cr__tree_plan *plan;
    cr__tree_node *node;
    double *count;
    size_t nodes, node_capacity, count_capacity;
    errand *errand;
    size_t errands, errand_capacity;
    double *table;  /* [(most values + 1) * classes] */
    sorted *sorted; /* [rows at the node] */
    size_t sorted_capacity;
    cr__tree_cut *cuts; /* [columns] */
    cr__tree_logs logs;
} grower;

static uint32_t class_of(const cr__table *rows, uint32_t row)
{
    return rows->column[rows->schema->target].code[row] - 1;
}

static void judge_symbol(grower *g, const errand *e, cr__tree_cut *s, double total)
{
    const cr__table *rows = g->plan->rows;
    const size_t K = g->plan->classes, values = g->plan->values[s->column];
    const uint32_t *code = rows->column[s->column].code;
    double *all = g->table + (values + 1) * K;

    memset(g->table, 0, ((values + 2) * K + values) * sizeof *g->table);
    for (size_t i = 0; i < e->rows; i++) {
        const uint32_t r = e->share[i].row;

        if (code[r] == CR__MISSING)
            continue;
        g->table[(code[r] - 1) * K + class_of(rows, r)] += e->share[i].weight;
        all[class_of(rows, r)] += e->share[i].weight;
    }
    cr__tree_judge_symbol(g->plan, &g->logs, g->table, total, s);
}

static int by_number(const void *pa, const void *pb)
{
    const sorted *a = pa, *b = pb;

    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return a->class_code < b->class_code ? -1 : a->class_code > b->class_code;
}

static cr_status judge_real(grower *g, const errand *e, cr__tree_cut *s, double total)
{
    const cr__table *rows = g->plan->rows;
    const size_t K = g->plan->classes;
    const double *x = rows->column[s->column].real;
    double *left = g->table, *right = g->table + K;
    double known = 0, below = 0, best = INFINITY, least, info;
    size_t n = 0, tried = 0, at = 0;

    if (!cr__grow(&g->sorted, &g->sorted_capacity, e->rows, sizeof *g->sorted))
        return CR_ENOMEM;
    memset(g->table, 0, 2 * K * sizeof *g->table);
    for (size_t i = 0; i < e->rows; i++) {
        const uint32_t r = e->share[i].row;

        if (isnan(x[r]))
            continue;
        g->sorted[n++] = (sorted){x[r], e->share[i].weight, class_of(rows, r)};
        right[class_of(rows, r)] += e->share[i].weight;
        known += e->share[i].weight;
    }
    qsort(g->sorted, n, sizeof *g->sorted, by_number);
    least = cr__tree_least_side(g->plan, known);
    info = cr__tree_info(&g->logs, right, K);
    for (size_t i = 0; i + 1 < n; i++) {
        left[g->sorted[i].class_code] += g->sorted[i].weight;
        right[g->sorted[i].class_code] -= g->sorted[i].weight;
        below += g->sorted[i].weight;
        if (g->sorted[i].x == g->sorted[i + 1].x)
            continue;
        tried++;
        if (below >= least - 1e-9 && known - below >= least - 1e-9) {
            const double rest =
                cr__tree_info(&g->logs, left, K) + cr__tree_info(&g->logs, right, K);

            if (rest < best - 1e-9) {
                best = rest;
                at = i;
                s->threshold = below;
            }
        }
    }
    if (isinf(best))
        return CR_OK;
    cr__tree_judge_real(s, info, best, s->threshold, known, total, tried, g->sorted[at].x,
                        g->sorted[at + 1].x);
    return CR_OK;
}

static cr_status choose(grower *g, const errand *e, double total, size_t *chosen)
{
    const cr_schema *schema = g->plan->rows->schema;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < schema->columns; i++) {
        g->cuts[i] = (cr__tree_cut){.column = i};
        if (!cr__stats_is_feature(schema, i))
            continue;
        if (schema->column[i].kind == CR_SYMBOL)
            judge_symbol(g, e, &g->cuts[i], total);
        else if (schema->column[i].kind == CR_REAL)
            st = judge_real(g, e, &g->cuts[i], total);
    }
    *chosen = st == CR_OK ? cr__tree_choose(g->cuts, schema->columns) : SIZE_MAX;
    return st;
}

/* --- growing -------------------------------------------------------------------------------- */

/* Nodes at the end, empty so far. */
static int add_nodes(grower *g, size_t more)
{
    const size_t K = g->plan->classes;

    if (g->nodes > UINT32_MAX - more || !cr__tree_may_add(g->plan, more) ||
        !cr__grow(&g->node, &g->node_capacity, g->nodes + more, sizeof *g->node) ||
        !cr__grow(&g->count, &g->count_capacity, (g->nodes + more) * K, sizeof *g->count))
        return 0;
    for (size_t i = 0; i < more; i++)
        g->node[g->nodes + i] = (cr__tree_node){.column = UINT32_MAX};
    memset(g->count + g->nodes * K, 0, more * K * sizeof *g->count);
    g->nodes += more;
    return 1;
}

static size_t branch_of(const cr__table *rows, const cr__tree_node *node, uint32_t row)
{
    const cr__table_column *column = &rows->column[node->column];

    return column->kind == CR_REAL ? cr__tree_branch(node, CR_REAL, 0, column->real[row])
                                   : cr__tree_branch(node, CR_SYMBOL, column->code[row], 0);
}

/* Distribute the rows of a task over the children, each of which becomes a task. */
static cr_status deal(grower *g, const errand *e)
{
    const cr__table *rows = g->plan->rows;
    const cr__tree_node node = g->node[e->node];
    double *part = g->table, known = 0;
    size_t *n = cr__alloc_zero(node.children, sizeof *n), missing = 0;
    cr_status st = CR_OK;

    if (n == NULL ||
        !cr__grow(&g->errand, &g->errand_capacity, g->errands + node.children, sizeof *g->errand)) {
        cr__free(n);
        return CR_ENOMEM;
    }
    memset(part, 0, node.children * sizeof *part);
    for (size_t i = 0; i < e->rows; i++) {
        const size_t b = branch_of(rows, &node, e->share[i].row);

        missing += b == node.children;
        if (b < node.children) {
            n[b]++;
            part[b] += e->share[i].weight;
            known += e->share[i].weight;
        }
    }
    for (size_t b = 0; b < node.children; b++) {
        const size_t room = n[b] + (part[b] > 0 ? missing : 0);
        errand child = {node.first + (uint32_t)b, 0, cr__alloc(room, sizeof *child.share)};

        if (child.share == NULL)
            st = CR_ENOMEM;
        for (size_t i = 0; st == CR_OK && i < e->rows; i++) {
            const size_t to = branch_of(rows, &node, e->share[i].row);
            share s = e->share[i];

            if (to != b && (to != node.children || !(part[b] > 0)))
                continue;
            s.weight *= to == b ? 1 : part[b] / known;
            child.share[child.rows++] = s;
            g->count[child.node * g->plan->classes + class_of(rows, s.row)] += s.weight;
        }
        g->errand[g->errands++] = child;
    }
    cr__free(n);
    return st;
}

/* One node: a leaf, or a question and its branches. */
static cr_status grow_node(grower *g, const errand *e)
{
    const size_t K = g->plan->classes;
    const double *count = g->count + e->node * K, total = cr__tree_sum(count, K);
    cr__tree_node *node;
    size_t chosen, children;
    cr_status st;

    if (total < 2 * g->plan->least || cr__tree_info(&g->logs, count, K) < 1e-9)
        return CR_OK;
    if ((st = choose(g, e, total, &chosen)) != CR_OK || chosen == SIZE_MAX)
        return st;
    children = g->plan->rows->column[chosen].kind == CR_REAL || g->plan->binary
                   ? 2
                   : g->plan->values[chosen];
    if (!add_nodes(g, children))
        return CR_ENOMEM;
    node = &g->node[e->node];
    *node = (cr__tree_node){.column = (uint32_t)chosen,
                            .children = (uint32_t)children,
                            .first = (uint32_t)(g->nodes - children),
                            .threshold = g->plan->rows->column[chosen].kind == CR_REAL
                                             ? g->cuts[chosen].threshold
                                             : g->cuts[chosen].value};
    return deal(g, e);
}

static cr_status plant(grower *g)
{
    const cr__table *rows = g->plan->rows;
    errand root = {0, rows->rows, cr__alloc(rows->rows, sizeof *root.share)};

    if (root.share == NULL || !add_nodes(g, 1) ||
        !cr__grow(&g->errand, &g->errand_capacity, 1, sizeof *g->errand)) {
        cr__free(root.share);
        return CR_ENOMEM;
    }
    for (uint32_t r = 0; r < rows->rows; r++) {
        const double w = rows->weight == NULL ? 1 : rows->weight[r];

        root.share[r] = (share){r, 0, w};
        g->count[class_of(rows, r)] += w;
    }
    g->errand[g->errands++] = root;
    return CR_OK;
}

static cr_status plain_grow(const cr__tree_plan *plan, cr__tree_node **node, double **count,
                            size_t *nodes)
{
    const size_t columns = plan->rows->schema->columns;
    grower g = {.plan = plan};
    cr_status st = CR_ENOMEM;

    g.table = cr__alloc(cr__tree_table_size(plan), sizeof *g.table);
    g.cuts = cr__alloc(columns, sizeof *g.cuts);
    if (g.table != NULL && g.cuts != NULL &&
        cr__tree_logs_make(&g.logs, 1, (double)plan->rows->rows) == CR_OK)
        st = plant(&g);
    while (st == CR_OK && g.errands > 0) {
        const errand e = g.errand[--g.errands];

        st = grow_node(&g, &e);
        cr__free(e.share);
    }
    while (g.errands > 0)
        cr__free(g.errand[--g.errands].share);
    cr__free(g.errand);
    cr__free(g.table);
    cr__free(g.sorted);
    cr__free(g.cuts);
    cr__tree_logs_free(&g.logs);
    if (st != CR_OK) {
        cr__free(g.node);
        cr__free(g.count);
        return st;
    }
    *node = g.node;
    *count = g.count;
    *nodes = g.nodes;
    return CR_OK;
}

/* --- tables --------------------------------------------------------------------------------- */

enum { ROWS = 20000, REALS = 3, SYMBOLS = 2, COLUMNS = 6 }; /* more than one task has */

typedef struct sample {
    cr__column column[COLUMNS];
    cr_schema schema;
    cr__table_column data[COLUMNS];
    cr__table table;
    size_t values[COLUMNS];
    double x[REALS][ROWS], weight[ROWS];
    uint32_t code[SYMBOLS + 1][ROWS]; /* the last is the class */
} sample;

typedef enum weights { ONES, WHOLE, ANY } weights;

/* Numbers without ties, numbers with many, numbers of very different size, two symbols, and a class
 * that depends on all of them; of 1000 values so many are missing. */
static void fill_row(sample *s, size_t r, cr__random *rng, uint64_t missing, weights w)
{
    const uint64_t u = cr__random_below(rng, 4), v = cr__random_below(rng, 3);
    uint64_t c;

    s->x[0][r] = cr__random_normal(rng);
    s->x[1][r] = floor(4 * cr__random_normal(rng));
    s->x[2][r] = ldexp(cr__random_uniform(rng) - 0.5, (int)cr__random_below(rng, 60) - 30);
    c = (u + (s->x[0][r] > 0.3) + (s->x[1][r] * (double)v > 2)) % 3;
    s->code[0][r] = (uint32_t)u + 1;
    s->code[1][r] = (uint32_t)v + 1;
    s->code[2][r] = 1 + (uint32_t)(cr__random_below(rng, 8) == 0 ? cr__random_below(rng, 3) : c);
    s->weight[r] = w == ONES    ? 1
                   : w == WHOLE ? (double)cr__random_below(rng, 3) + 1
                                : cr__random_uniform(rng) + 0.5;
    for (size_t i = 0; i < REALS; i++)
        if (cr__random_below(rng, 1000) < missing)
            s->x[i][r] = NAN;
    for (size_t i = 0; i < SYMBOLS; i++)
        if (cr__random_below(rng, 1000) < missing)
            s->code[i][r] = CR__MISSING;
}

static sample *random_sample(size_t rows, uint64_t seed, uint64_t missing, weights w)
{
    sample *s = calloc(1, sizeof *s);
    cr__random rng;

    assert_non_null(s);
    cr__random_seed(&rng, seed);
    for (size_t r = 0; r < rows; r++)
        fill_row(s, r, &rng, missing, w);
    for (size_t i = 0; i < COLUMNS; i++) {
        const int real = i < REALS;

        s->column[i].kind = real ? CR_REAL : CR_SYMBOL;
        s->column[i].role = i == COLUMNS - 1 ? CR_ROLE_TARGET : CR_ROLE_FEATURE;
        s->data[i].kind = s->column[i].kind;
        s->data[i].real = real ? s->x[i] : NULL;
        s->data[i].code = real ? NULL : s->code[i - REALS];
        s->values[i] = real ? 0 : i == REALS ? 4 : 3;
    }
    s->schema = (cr_schema){
        .columns = COLUMNS, .column = s->column, .target = COLUMNS - 1, .weight = SIZE_MAX};
    s->table = (cr__table){.schema = &s->schema, .rows = rows, .capacity = rows, .column = s->data};
    s->table.weight = w == ONES ? NULL : s->weight;
    return s;
}

/* --- both ways ------------------------------------------------------------------------------ */

typedef struct grown {
    cr__tree_node *node;
    double *count;
    size_t nodes;
} grown;

static grown grow_by(cr_status (*way)(const cr__tree_plan *, cr__tree_node **, double **, size_t *),
                     const sample *s, int binary, int threads)
{
    const cr_run run = {.threads = threads};
    atomic_size_t made = 0;
    const cr__tree_plan plan = {.least = 2,
                                .binary = binary,
                                .rows = &s->table,
                                .classes = 3,
                                .values = s->values,
                                .run = &run,
                                .most = SIZE_MAX,
                                .made = &made};
    grown g = {0};

    assert_int_equal(way(&plan, &g.node, &g.count, &g.nodes), CR_OK);
    return g;
}

static void free_grown(grown *g)
{
    cr__free(g->node);
    cr__free(g->count);
}

static void expect_same(const grown *a, const grown *b)
{
    assert_int_equal(a->nodes, b->nodes);
    for (size_t i = 0; i < a->nodes; i++) {
        assert_int_equal(a->node[i].column, b->node[i].column);
        assert_int_equal(a->node[i].children, b->node[i].children);
        assert_int_equal(a->node[i].first, b->node[i].first);
        assert_true(a->node[i].threshold == b->node[i].threshold);
    }
    assert_memory_equal(a->count, b->count, a->nodes * 3 * sizeof *a->count);
}

static void compare_ways(size_t rows, uint64_t seed, uint64_t missing, weights w)
{
    sample *s = random_sample(rows, seed, missing, w);

    for (int binary = 0; binary < 2; binary++) {
        grown plain = grow_by(plain_grow, s, binary, 1);
        grown fast = grow_by(cr__tree_grow, s, binary, 2);

        assert_true(rows < 1000 || plain.nodes > 100);
        expect_same(&plain, &fast);
        free_grown(&plain);
        free_grown(&fast);
    }
    free(s);
}

static void sorting_once_and_at_every_node_give_the_same_tree(void **state)
{
    (void)state;
    compare_ways(ROWS, 5, 0, ONES);
    compare_ways(ROWS, 6, 0, WHOLE);
    compare_ways(ROWS / 4, 7, 0, ANY);
}

static void so_they_do_where_values_are_missing(void **state)
{
    (void)state;
    compare_ways(ROWS, 8, 1, ONES);
    compare_ways(ROWS / 8, 9, 30, ONES);
    compare_ways(ROWS / 8, 10, 30, ANY);
}

/* Many places and columns are equally good: the first is taken. */
static void so_they_do_for_few_rows(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 600; seed++)
        compare_ways(1 + seed % 40, 100 + seed, seed % 3 == 0 ? 50 : 0, (weights)(seed % 2));
}

static void any_number_of_threads_grows_the_same_tree(void **state)
{
    static const int threads[] = {2, 3, 8};

    (void)state;
    for (uint64_t missing = 0; missing < 2; missing++) {
        sample *s = random_sample(ROWS, 5, missing, ONES);
        grown one = grow_by(cr__tree_grow, s, 1, 1);

        for (size_t i = 0; i < 3; i++) {
            grown many = grow_by(cr__tree_grow, s, 1, threads[i]);

            expect_same(&one, &many);
            free_grown(&many);
        }
        free_grown(&one);
        free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorting_once_and_at_every_node_give_the_same_tree),
        cmocka_unit_test(so_they_do_where_values_are_missing),
        cmocka_unit_test(so_they_do_for_few_rows),
        cmocka_unit_test(any_number_of_threads_grows_the_same_tree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
