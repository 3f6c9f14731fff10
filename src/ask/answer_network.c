/* ask/answer_network.c - what to observe next, and what the arcs of a network separate.
 *
 * The information of a variable about another, given the evidence, is
 *
 *     I(T; X | e) = Σ_t P(t | e) Σ_x P(x | t, e) log2 (P(x | t, e) / P(x | e))
 *
 * the bits by which observing X is expected to lower the entropy of T (D. Lindley, 1956). One
 * propagation for each value of T gives P(x | t, e) of all variables.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/answer.h"
#include "base/fail.h"
#include "base/memory.h"
#include "network/graph/separation.h"

/* --- information ------------------------------------------------------------------------------ */

static double entropy_of(const double *p, size_t n)
{
    double bits = 0;

    for (size_t i = 0; i < n; i++)
        bits -= p[i] > 0 ? p[i] * log2(p[i]) : 0;
    return fmax(bits, 0);
}

/* The divergence of p from q in bits. */
static double divergence(const double *p, const double *q, size_t n)
{
    double bits = 0;

    for (size_t i = 0; i < n; i++)
        bits += p[i] > 0 && q[i] > 0 ? p[i] * log2(p[i] / q[i]) : 0;
    return bits;
}

/* I(T; X | e) of all nodes into bits. p and q have room for all posteriors. */
static cr_status inform_nodes(cr__answering *k, cr__junction_tree *tree, uint32_t target, double *p,
                              double *q, double *bits, cr_error *err)
{
    const cr__network *net = k->network->network;
    const double *of_target = p + net->label_at[target];
    cr_status st = cr__junction_tree_posteriors(tree, p, err);

    if (st == CR_OK)
        k->answer->entropy = entropy_of(of_target, net->states[target]);
    for (uint32_t t = 0; st == CR_OK && t < net->states[target]; t++) {
        if (!(of_target[t] > 0))
            continue;
        cr__junction_tree_observe(tree, target, t);
        if ((st = cr__junction_tree_posteriors(tree, q, err)) != CR_OK)
            break;
        for (uint32_t i = 0; i < net->nodes; i++)
            bits[i] += of_target[t] *
                       divergence(q + net->label_at[i], p + net->label_at[i], net->states[i]);
    }
    return st;
}

/* The most informative first, ties in their order, which `state` has. */
static int more_informative(const void *pa, const void *pb)
{
    const cr_query_variable *a = pa, *b = pb;

    if (a->information != b->information)
        return a->information > b->information ? -1 : 1;
    return a->state < b->state ? -1 : a->state > b->state;
}

static void sort_by_information(cr_query_variable *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        v[i].state = i;
    qsort(v, n, sizeof *v, more_informative);
    for (size_t i = 0; i < n; i++)
        v[i].state = SIZE_MAX;
}

/* All nodes that are not observed, except the target. */
static cr_status list_nodes(cr__answering *k, const cr__facts *facts, uint32_t target,
                            const double *p, const double *bits, cr_error *err)
{
    const cr__network *net = k->network->network;
    cr_query_variable *about = cr__arena_alloc(k->arena, net->nodes, sizeof *about);
    size_t n = 0;
    cr_status st = about == NULL ? cr__fail_memory(err) : CR_OK;

    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++) {
        if (i == target || facts->state[i] != UINT32_MAX)
            continue;
        st = cr__answer_node(k, i, NULL, &about[n], err);
        about[n].p = p + net->label_at[i];
        about[n++].information = fmax(bits[i], 0);
    }
    if (st == CR_OK)
        sort_by_information(about, n);
    k->answer->about = about;
    k->answer->variables = n;
    return st;
}

static cr_status inform_by_tree(cr__answering *k, uint32_t target, const cr__facts *facts,
                                cr_error *err)
{
    const cr__network *net = k->network->network;
    const size_t cells = net->label_at[net->nodes];
    double *p = cr__arena_alloc(k->arena, cells, sizeof *p), *q = cr__alloc(cells, sizeof *q),
           *bits = cr__alloc_zero(net->nodes, sizeof *bits), log_evidence = 0;
    cr__junction_tree *tree = NULL;
    cr_status st = p == NULL || q == NULL || bits == NULL
                       ? cr__fail_memory(err)
                       : cr__junction_tree_new(&tree, net, k->network->memory, NULL, err);

    if (st == CR_OK)
        st = cr__facts_into_tree(facts, tree, err);
    if (st == CR_OK)
        st = cr__junction_tree_evidence(tree, &log_evidence, err);
    if (st == CR_OK && !(log_evidence > -INFINITY))
        st = cr__answer_fail_zero(k->query, err);
    if (st == CR_OK)
        st = inform_nodes(k, tree, target, p, q, bits, err);
    if (st == CR_OK)
        st = list_nodes(k, facts, target, p, bits, err);
    k->answer->log_condition = k->query->condition_place == 0 ? 0 : log_evidence;
    cr__junction_tree_free(tree);
    cr__free(q);
    cr__free(bits);
    return st;
}

/* The same from the joint table of two variables: I = H(T) + H(X) - H(T, X). */
static cr_status inform_by_table(cr__answering *k, size_t column, cr_query_variable *out,
                                 cr_error *err)
{
    size_t pair[2] = {column, k->query->column[0]};
    cr__question question = {0};
    cr__question_report report = {0};
    cr__scaled *mass, total = {0, 0};
    double *row = NULL, *of_target = NULL, joint = 0;
    cr_status st = cr__answer_columns(k, pair, 2, &report, &question, &mass, err);
    const size_t values = k->model->values[column] + 1, targets = k->model->values[pair[1]] + 1;

    for (size_t i = 0; st == CR_OK && i < question.outcomes; i++)
        total = cr__scaled_add(total, mass[i]);
    if (st == CR_OK && !(total.value > 0))
        st = cr__answer_fail_zero(k->query, err);
    if (st == CR_OK && ((row = cr__alloc_zero(values, sizeof *row)) == NULL ||
                        (of_target = cr__alloc_zero(targets, sizeof *of_target)) == NULL))
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < question.outcomes; i++) {
        const double p = cr__scaled_ratio(mass[i], total);

        row[i / targets] += p;
        of_target[i % targets] += p;
        joint += entropy_of(&p, 1);
    }
    if (st == CR_OK) {
        k->answer->entropy = entropy_of(of_target, targets);
        out->information = fmax(k->answer->entropy + entropy_of(row, values) - joint, 0);
        k->answer->log_condition = k->query->condition_place == 0 ? 0 : cr__scaled_log(total);
        k->answer->method = report.method;
    }
    cr__free(row);
    cr__free(of_target);
    cr__free(report.error);
    cr__free(mass);
    cr__question_free(&question);
    return st;
}

/* Whether the condition mentions a column. */
static int is_mentioned(const cr__query *q, size_t column)
{
    for (size_t i = 0; i < q->leaves; i++)
        if (q->leaf[i].column == column)
            return 1;
    return 0;
}

static cr_status inform_one_by_one(cr__answering *k, cr_error *err)
{
    const size_t columns = k->model->schema->columns;
    cr_query_variable *about = cr__arena_alloc(k->arena, columns, sizeof *about);
    size_t n = 0;
    cr_status st = about == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t i = 0; st == CR_OK && i < columns; i++) {
        if (i == k->query->column[0] || !cr__name_is_variable(k->model, i) ||
            cr__model_is_number(k->model, i) || is_mentioned(k->query, i))
            continue;
        if ((st = cr__answer_name(k, i, k->model->values[i], &about[n], err)) == CR_OK)
            st = inform_by_table(k, i, &about[n++], err);
    }
    if (st == CR_OK)
        sort_by_information(about, n);
    k->answer->about = about;
    k->answer->variables = n;
    return st;
}

cr_status cr__answer_information(cr__answering *k, cr_error *err)
{
    const char *name = k->model->schema->column[k->query->column[0]].name;
    cr__facts facts;
    cr_status st;

    k->answer->variable = cr__arena_copy(k->arena, name, strlen(name));
    if (k->answer->variable == NULL)
        return cr__fail_memory(err);
    if (k->network == NULL || cr__answer_facts(k, &facts, NULL) != CR_OK)
        return inform_one_by_one(k, err);
    st = inform_by_tree(k, cr__network_model_node(k->model, k->query->column[0]), &facts, err);
    cr__facts_free(&facts);
    return st;
}

/* --- separation ------------------------------------------------------------------------------- */

static cr_status nodes_of(const cr__answering *k, const size_t *column, size_t count,
                          cr__node_set *out, cr_error *err)
{
    uint32_t *node = cr__arena_alloc(k->arena, count, sizeof *node);

    if (node == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < count; i++)
        if ((node[i] = cr__network_model_node(k->model, column[i])) == CR__NO_NODE)
            return cr__fail(err, CR_EARG, "'%s' takes no part in the network",
                            k->model->schema->column[column[i]].name);
    *out = (cr__node_set){node, count};
    return CR_OK;
}

static cr_status list_path(cr__answering *k, const uint32_t *path, size_t length, cr_error *err)
{
    cr_query_variable *about = cr__arena_alloc(k->arena, length, sizeof *about);
    cr_status st = about == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t i = 0; st == CR_OK && i < length; i++)
        st = cr__answer_node(k, path[i], NULL, &about[i], err);
    k->answer->about = about;
    k->answer->variables = length;
    return st;
}

cr_status cr__answer_separation(cr__answering *k, cr_error *err)
{
    const cr__query *q = k->query;
    cr__node_set side[2], given;
    uint32_t *path;
    size_t length = 0;
    cr_status st;

    if (k->network == NULL)
        return cr__fail(
            err, CR_ECONFLICT,
            "a model of '%s' is not a Bayesian network, so it has no arcs that separate",
            k->model->learner->name);
    if ((path = cr__alloc(2 * (size_t)k->network->network->nodes, sizeof *path)) == NULL)
        return cr__fail_memory(err);
    st = nodes_of(k, q->column, q->columns, &given, err);
    for (int i = 0; st == CR_OK && i < 2; i++)
        st = nodes_of(k, q->list[i], q->listed[i], &side[i], err);
    if (st == CR_OK)
        st = cr__separated(k->network->network, side[0], side[1], given, &k->answer->separated,
                           path, &length, err);
    if (st == CR_OK)
        st = list_path(k, path, length, err);
    cr__free(path);
    return st;
}
