/* learners/tree/explain.c - the contribution of each column, and the path of a row through the
 * tree. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/tree/tree.h"

/* --- factors -------------------------------------------------------------------------------- */

/* The prior: a row with every value missing. */
static cr_status know_nothing(const cr__tree *tree, const cr__batch *batch, cr__tree_visitor *stack,
                              double *p, cr_error *err)
{
    cr__batch none = *batch;
    uint32_t missing = CR__MISSING;
    double nan = NAN;

    if ((none.column = cr__alloc_zero(batch->columns, sizeof *none.column)) == NULL)
        return cr__fail_memory(err);
    for (size_t k = 0; k < batch->columns; k++)
        none.column[k] =
            (cr__batch_column){.kind = batch->column[k].kind, .real = &nan, .code = &missing};
    cr__tree_descend(tree, &none, 0, SIZE_MAX, stack, p);
    cr__free(none.column);
    return CR_OK;
}

static int is_missing(const cr__batch_column *data, size_t row)
{
    return data->kind == CR_REAL ? isnan(data->real[row]) != 0 : data->code[row] == CR__MISSING;
}

/* The contribution of each column after those before it: a row whose later values are missing. */
cr_status cr__tree_factors(const void *fitted, void *state, const cr__stats *stats,
                           const cr__knobs *knobs, const cr__batch *batch, size_t row,
                           cr_factor *factor, size_t *count, double *work, cr_error *err)
{
    const cr__tree *tree = fitted;
    const size_t K = tree->classes;
    cr__tree_visitor *stack = cr__alloc(tree->nodes, sizeof *stack);
    double *before = cr__alloc(K, 2 * sizeof *before), *after = before + K;
    size_t n = 1;
    cr_status st = stack == NULL || before == NULL ? cr__fail_memory(err)
                                                   : know_nothing(tree, batch, stack, before, err);

    (void)state;
    (void)knobs;
    for (size_t c = 0; st == CR_OK && c < K; c++)
        work[c] = log(before[c]);
    factor[0] = (cr_factor){.column = SIZE_MAX, .name = "prior", .log_p = work};
    for (size_t i = 0; st == CR_OK && i < tree->columns; i++) {
        double *log_p = work + n * K;

        if (!cr__stats_is_feature(stats->schema, i))
            continue;
        cr__tree_descend(tree, batch, row, i, stack, after);
        for (size_t c = 0; c < K; c++)
            log_p[c] = before[c] > 0 ? log(after[c]) - log(before[c]) : 0;
        memcpy(before, after, K * sizeof *before);
        factor[n++] = (cr_factor){.column = i,
                                  .name = stats->schema->column[i].name,
                                  .log_p = log_p,
                                  .left_out = is_missing(&batch->column[i], row),
                                  .chained = 1};
    }
    *count = n;
    cr__free(stack);
    cr__free(before);
    return st;
}

/* --- paths ---------------------------------------------------------------------------------- */

enum { QUESTION = 256 };

typedef struct detail {
    const cr__tree *tree;
    const cr__stats *stats;
    double m;
    uint32_t *parent;        /* [nodes] */
    double *top;             /* [nodes * classes] of the fractions */
    cr__tree_visitor *stack; /* [nodes] */
    cr_path *path;
    cr_path_step *step;
    char (*question)[QUESTION];
    size_t paths, steps, path_room, step_room, question_room;
} detail;

static void close_detail(void *state)
{
    detail *x = state;

    if (x == NULL)
        return;
    cr__free(x->parent);
    cr__free(x->top);
    cr__free(x->stack);
    cr__free(x->path);
    cr__free(x->step);
    cr__free(x->question);
    cr__free(x);
}

/* top = n_c + m P(c | node above), as fitting smooths. */
static void set_tops(detail *x)
{
    const cr__tree *tree = x->tree;
    const size_t K = tree->classes;

    x->parent[0] = UINT32_MAX;
    for (size_t i = 0; i < tree->nodes; i++) {
        for (size_t b = 0; b < tree->node[i].children; b++)
            x->parent[tree->node[i].first + b] = (uint32_t)i;
        for (size_t c = 0; c < K; c++)
            x->top[i * K + c] =
                tree->count[i * K + c] +
                x->m * (i == 0 ? 1 / (double)K : tree->probability[x->parent[i] * K + c]);
    }
}

static cr_status open_detail(void **state, const void *fitted, const cr__stats *stats,
                             const cr__knobs *knobs, cr_error *err)
{
    const cr__tree *tree = fitted;
    detail *x = cr__alloc_zero(1, sizeof *x);

    *state = x;
    if (x == NULL || (x->parent = cr__alloc(tree->nodes, sizeof *x->parent)) == NULL ||
        (x->top = cr__alloc(tree->nodes, tree->classes * sizeof *x->top)) == NULL ||
        (x->stack = cr__alloc(tree->nodes, sizeof *x->stack)) == NULL)
        return cr__fail_memory(err);
    x->tree = tree;
    x->stats = stats;
    x->m = cr__knobs_number(knobs, "m");
    set_tops(x);
    return CR_OK;
}

/* The branches of a node that a row takes: one, or all that have rows when its value is missing. 0:
 * it stays here. */
static size_t next_nodes(detail *x, const cr__batch *batch, size_t row, uint32_t at,
                         cr__tree_visitor *next)
{
    const cr__tree *tree = x->tree;
    const cr__tree_node *node = &tree->node[at];
    const cr__batch_column *data = &batch->column[node->column];
    const size_t b = data->kind == CR_REAL ? cr__tree_branch(node, CR_REAL, 0, data->real[row])
                                           : cr__tree_branch(node, CR_SYMBOL, data->code[row], 0);
    double all = 0;
    size_t n = 0;

    if (b < node->children) {
        next[0] = (cr__tree_visitor){node->first + (uint32_t)b, 1};
        return 1;
    }
    for (size_t k = 0; k < node->children; k++)
        all += cr__tree_weight(tree, node->first + k);
    for (size_t k = 0; k < node->children && all > 0; k++)
        if (cr__tree_weight(tree, node->first + k) > 0)
            next[n++] = (cr__tree_visitor){node->first + (uint32_t)k,
                                           cr__tree_weight(tree, node->first + k) / all};
    return n;
}

/* The share of a node's weight that goes to its child. */
static double share_of_child(const detail *x, const cr__batch *batch, size_t row, uint32_t child)
{
    const cr__tree *tree = x->tree;
    const cr__tree_node *node = &tree->node[x->parent[child]];
    const cr__batch_column *data = &batch->column[node->column];
    const size_t b = data->kind == CR_REAL ? cr__tree_branch(node, CR_REAL, 0, data->real[row])
                                           : cr__tree_branch(node, CR_SYMBOL, data->code[row], 0);
    double all = 0;

    for (size_t k = 0; k < node->children; k++)
        all += cr__tree_weight(tree, node->first + k);
    return b < node->children ? 1 : cr__tree_weight(tree, child) / all;
}

/* The path from the root to a leaf. */
static cr_status add_path(detail *x, const cr__batch *batch, size_t row, cr__tree_visitor leaf,
                          cr_error *err)
{
    const cr__tree *tree = x->tree;
    const size_t K = tree->classes;
    size_t length = 1, at;

    for (uint32_t i = leaf.node; x->parent[i] != UINT32_MAX; i = x->parent[i])
        length++;
    if (!cr__grow(&x->path, &x->path_room, x->paths + 1, sizeof *x->path) ||
        !cr__grow(&x->step, &x->step_room, x->steps + length, sizeof *x->step) ||
        !cr__grow(&x->question, &x->question_room, x->steps + length, sizeof *x->question))
        return cr__fail_memory(err);
    x->path[x->paths++] = (cr_path){.share = leaf.weight, .steps = length};
    at = x->steps += length;
    for (uint32_t i = leaf.node; length-- > 0; i = x->parent[i]) {
        const uint32_t up = x->parent[i];
        const double rows = cr__tree_weight(tree, i);

        at--;
        x->question[at][0] = '\0';
        if (up != UINT32_MAX)
            cr__tree_question(&tree->node[up], i - tree->node[up].first, x->stats->schema,
                              x->stats->column[tree->node[up].column].dict, x->question[at],
                              sizeof x->question[at]);
        x->step[at] =
            (cr_path_step){.share = up == UINT32_MAX ? 1 : share_of_child(x, batch, row, i),
                           .count = tree->count + i * K,
                           .rows = rows,
                           .top = x->top + i * K,
                           .bottom = rows + x->m};
    }
    return CR_OK;
}

/* Leaves in the order of the tree. */
static cr_status detail_row(void *state, const cr__batch *batch, size_t row, cr_factor *factor,
                            cr_explanation *e, cr_error *err)
{
    detail *x = state;
    size_t waiting = 1, at = 0;
    cr_status st = CR_OK;

    (void)factor;
    x->paths = x->steps = 0;
    x->stack[0] = (cr__tree_visitor){0, 1};
    while (st == CR_OK && waiting > 0) {
        const cr__tree_visitor v = x->stack[--waiting];
        cr__tree_visitor *next = x->stack + waiting;
        const size_t n =
            cr__tree_is_leaf(&x->tree->node[v.node]) ? 0 : next_nodes(x, batch, row, v.node, next);

        for (size_t k = 0; k < n; k++)
            next[k].weight *= v.weight;
        for (size_t k = 0; k < n / 2; k++) {
            const cr__tree_visitor one = next[k];

            next[k] = next[n - 1 - k];
            next[n - 1 - k] = one;
        }
        waiting += n;
        if (n == 0)
            st = add_path(x, batch, row, v, err);
    }
    for (size_t p = 0; p < x->paths; p++) {
        x->path[p].step = x->step + at;
        for (size_t k = 0; k < x->path[p].steps; k++, at++)
            x->step[at].question = x->question[at];
    }
    e->paths = x->paths;
    e->path = x->path;
    return st;
}

const cr__detail cr__tree_detail = {open_detail, detail_row, close_detail};
