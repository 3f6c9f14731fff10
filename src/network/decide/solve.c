/* network/decide/solve.c - policies, the last decision first. */
#include "network/decide/solve.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "network/graph/separation.h"
#include "network/infer/infer.h"

#define ROWS_MOST ((size_t)1 << 26) /* cells of a policy's table */
#define EQUAL 1e-12                 /* of the range of utilities: less is rounding */

/* How decisions are filled in to turn the diagram into a network. */
typedef enum filling { RANDOM, BY_POLICY } filling;

typedef struct solver {
    const cr__problem *problem;
    uint32_t *decision; /* [count] in order */
    uint32_t count;
    cr__strategy *strategy;
    double *least, *range; /* [nodes] of utilities */
    uint32_t *state;       /* [nodes] evidence of the question at hand */
    unsigned char *mark;   /* [nodes] */
    unsigned char *fill;   /* [nodes] filling of decisions */
} solver;

/* --- the diagram as a network ----------------------------------------------------------------- */

/* Least and range of each utility. */
static void measure(solver *s)
{
    const cr__network *net = s->problem->net;

    for (uint32_t i = 0; i < net->nodes; i++) {
        double low = INFINITY, high = -INFINITY;

        for (size_t k = net->weight_at[i]; k < net->weight_at[i + 1]; k++) {
            low = fmin(low, net->weight[k]);
            high = fmax(high, net->weight[k]);
        }
        s->least[i] = low;
        s->range[i] = high - low;
    }
}

static const cr__policy *policy_of(const solver *s, uint32_t node)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->decision[i] == node)
            return &s->strategy->policy[i];
    return NULL; /* already decided */
}

/* P(1 | parents) of a utility, or the choices of a policy. */
static void fill_table(const solver *s, uint32_t i, double *table, size_t cells)
{
    const cr__network *net = s->problem->net;
    const cr__policy *policy = policy_of(s, i);

    if (net->kind[i] == CR__KIND_CHANCE) {
        memcpy(table, net->table + net->table_at[i], cells * sizeof *table);
    } else if (net->kind[i] == CR__KIND_DECISION) {
        for (size_t k = 0; k < cells; k++)
            table[k] = policy == NULL || s->fill[i] == RANDOM
                           ? 1.0 / net->states[i]
                           : policy->best[k / net->states[i]] == k % net->states[i];
    } else {
        for (size_t k = 0; k < cells / 2; k++) {
            const double u = net->weight[net->weight_at[i] + k] - s->least[i];

            table[2 * k + 1] = s->range[i] > 0 ? fmin(u / s->range[i], 1) : 0;
            table[2 * k] = 1 - table[2 * k + 1];
        }
    }
}

static cr_status fill_node(const solver *s, cr__builder *b, uint32_t i, cr_error *err)
{
    const cr__network *net = s->problem->net;
    const uint32_t *parent = net->parent + net->parent_at[i];
    size_t parents = net->parent_at[i + 1] - net->parent_at[i];
    double *table;
    cr_status st;

    if (net->kind[i] == CR__KIND_DECISION) {
        const cr__policy *policy = s->fill[i] == BY_POLICY ? policy_of(s, i) : NULL;

        parent = policy == NULL ? NULL : policy->known;
        parents = policy == NULL ? 0 : policy->knowns;
    }
    st = cr__builder_set_parents(b, i, parent, parents, err);
    if (st == CR_OK && (st = cr__builder_table(b, i, &table, err)) == CR_OK)
        fill_table(s, i, table, b->node[i].cells);
    return st;
}

/* The diagram with its decisions filled in as s->fill says, and utilities of two states. */
static cr_status make_network(const solver *s, cr__network **out, cr_error *err)
{
    const cr__network *net = s->problem->net;
    cr__builder *b = NULL;
    cr_status st = cr__builder_new(&b, err);
    uint32_t same;

    *out = NULL;
    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++) {
        st = cr__builder_add(b, net->name[i], strlen(net->name[i]), &same, err);
        for (size_t k = net->label_at[i]; st == CR_OK && k < net->label_at[i + 1]; k++)
            st = cr__builder_add_state(b, i, net->label[k], strlen(net->label[k]), err);
        if (st == CR_OK && net->kind[i] == CR__KIND_UTILITY)
            st = cr__builder_add_state(b, i, "1", 1, err);
    }
    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++)
        st = fill_node(s, b, i, err);
    if (st == CR_OK)
        st = cr__builder_finish(b, out, err);
    cr__builder_free(b);
    return st;
}

/* --- expectations ----------------------------------------------------------------------------- */

/* P(query, evidence) as plain numbers, without the common power of two in *exponent. */
static cr_status ask(const solver *s, const cr__network *net, const uint32_t *query, uint32_t count,
                     double *p, int64_t *exponent, cr_error *err)
{
    const cr__evidence evidence = {.state = s->state};

    return cr__ask_joint(net, &evidence, query, count, s->problem->memory, s->problem->pool, p,
                         exponent, err);
}

/* Add E[u | query, evidence] to mean, [cells], given p = P(query, evidence) with its exponent. */
static cr_status add_utility(solver *s, const cr__network *net, uint32_t u, const uint32_t *query,
                             uint32_t count, size_t cells, const double *p, int64_t exponent,
                             double *mean, cr_error *err)
{
    double *joint = cr__alloc(cells, sizeof *joint);
    int64_t scale = 0;
    cr_status st = joint == NULL ? cr__fail_memory(err) : CR_OK;

    s->state[u] = 1;
    if (st == CR_OK)
        st = ask(s, net, query, count, joint, &scale, err);
    s->state[u] = UINT32_MAX;
    for (size_t k = 0; st == CR_OK && k < cells; k++)
        mean[k] += p[k] > 0
                       ? s->least[u] + s->range[u] * ldexp(joint[k] / p[k], (int)(scale - exponent))
                       : NAN;
    cr__free(joint);
    return st;
}

/* E[sum of the marked utilities | query, evidence] into mean, and P(query | evidence) into p. */
static cr_status expect(solver *s, const cr__network *net, const uint32_t *query, uint32_t count,
                        size_t cells, double *p, double *mean, cr_error *err)
{
    int64_t exponent = 0;
    double sum = 0;
    cr_status st = ask(s, net, query, count, p, &exponent, err);

    memset(mean, 0, cells * sizeof *mean);
    for (uint32_t u = 0; st == CR_OK && u < net->nodes; u++)
        if (s->problem->net->kind[u] == CR__KIND_UTILITY && s->mark[u])
            st = add_utility(s, net, u, query, count, cells, p, exponent, mean, err);
    for (size_t k = 0; k < cells && st == CR_OK; k++)
        sum += p[k];
    if (st == CR_OK && !(sum > 0))
        return cr__fail(err, CR_ECONFLICT, "what is known is impossible");
    for (size_t k = 0; k < cells && st == CR_OK; k++)
        p[k] /= sum;
    return st;
}

/* --- one decision ----------------------------------------------------------------------------- */

/* Whether node is independent of the marked utilities given the other known nodes and the
 * decision. */
static cr_status makes_no_difference(const solver *s, const cr__network *net,
                                     const cr__policy *policy, uint32_t index, uint32_t *room,
                                     int *out, cr_error *err)
{
    uint32_t *goal = room, *given = room + net->nodes, *path = room + 2 * (size_t)net->nodes;
    size_t goals = 0, knowns = 0, length;

    for (uint32_t i = 0; i < net->nodes; i++) {
        if (s->mark[i] && s->problem->net->kind[i] == CR__KIND_UTILITY)
            goal[goals++] = i;
        if (s->state[i] != UINT32_MAX)
            given[knowns++] = i;
    }
    for (uint32_t k = 0; k < policy->knowns; k++)
        if (k != index)
            given[knowns++] = policy->known[k];
    given[knowns++] = policy->decision;
    return cr__separated(net, (cr__node_set){&policy->known[index], 1}, (cr__node_set){goal, goals},
                         (cr__node_set){given, knowns}, out, path, &length, err);
}

/* Drop known nodes that make no difference, one after another. */
static cr_status reduce(const solver *s, const cr__network *net, cr__policy *policy, cr_error *err)
{
    uint32_t *room = cr__alloc(4 * (size_t)net->nodes + 1, sizeof *room);
    cr_status st = room == NULL ? cr__fail_memory(err) : CR_OK;

    for (uint32_t k = policy->knowns; st == CR_OK && k-- > 0;) {
        int idle = 0;

        st = makes_no_difference(s, net, policy, k, room, &idle, err);
        if (st == CR_OK && idle) {
            memmove(policy->known + k, policy->known + k + 1,
                    (policy->knowns - k - 1) * sizeof *policy->known);
            policy->knowns--;
        }
    }
    cr__free(room);
    return st;
}

static cr_status count_rows(const cr__network *net, cr__policy *policy, cr_error *err)
{
    size_t cells = net->states[policy->decision];

    for (uint32_t k = 0; k < policy->knowns; k++) {
        if (policy->knowns >= CR__SCOPE_MAX || cells > ROWS_MOST / net->states[policy->known[k]])
            return cr__fail(err, CR_ELIMIT, "the policy of '%s' depends on %u variables: too many",
                            net->name[policy->decision], policy->knowns);
        cells *= net->states[policy->known[k]];
    }
    policy->rows = cells / net->states[policy->decision];
    return CR_OK;
}

/* The first option with the highest utility; impossible ones are excluded. */
static uint32_t choose(const double *mean, uint32_t options, double scale)
{
    uint32_t best = 0;

    for (uint32_t d = 1; d < options; d++)
        if (mean[d] > mean[best] + EQUAL * scale || (isnan(mean[best]) && !isnan(mean[d])))
            best = d;
    return best;
}

/* The known nodes and the decision itself, as a query. The caller frees it. */
static uint32_t *query_of(const cr__policy *policy)
{
    uint32_t *query = cr__alloc(policy->knowns + (size_t)1, sizeof *query);

    if (query == NULL)
        return NULL;
    if (policy->knowns > 0)
        memcpy(query, policy->known, policy->knowns * sizeof *query);
    query[policy->knowns] = policy->decision;
    return query;
}

static double scale_of(const solver *s)
{
    double scale = 0;

    for (uint32_t i = 0; i < s->problem->net->nodes; i++)
        if (s->problem->net->kind[i] == CR__KIND_UTILITY)
            scale += fabs(s->least[i]) + s->range[i];
    return scale;
}

/* The best option for each row. */
static cr_status choose_rows(solver *s, const cr__network *net, cr__policy *policy, cr_error *err)
{
    const uint32_t options = net->states[policy->decision];
    const size_t cells = policy->rows * options;
    uint32_t *query = query_of(policy);
    double *p = cr__alloc(cells, sizeof *p), *mean = cr__alloc(cells, sizeof *mean);
    cr_status st = CR_OK;

    policy->best = cr__alloc(policy->rows, sizeof *policy->best);
    if (query == NULL || p == NULL || mean == NULL || policy->best == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        st = expect(s, net, query, policy->knowns + 1, cells, p, mean, err);
    for (size_t r = 0; st == CR_OK && r < policy->rows; r++)
        policy->best[r] = choose(mean + r * options, options, scale_of(s));
    cr__free(query);
    cr__free(p);
    cr__free(mean);
    return st;
}

/* The policy of the index-th decision; those after it are solved. */
static cr_status solve_one(solver *s, uint32_t index, cr_error *err)
{
    const cr__network *net = s->problem->net;
    cr__policy *policy = &s->strategy->policy[index];
    cr__network *made = NULL;
    cr_status st = make_network(s, &made, err);

    policy->decision = s->decision[index];
    policy->known = cr__alloc(net->nodes, sizeof *policy->known);
    if (st == CR_OK && policy->known == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK) {
        cr__mark_known(s->problem, s->decision, index, s->mark);
        for (uint32_t i = 0; i < net->nodes; i++) /* parents first, as they come to be known */
            if (s->mark[net->order[i]])
                policy->known[policy->knowns++] = net->order[i];
        cr__mark_descendants(made, policy->decision, s->mark);
        st = reduce(s, made, policy, err);
    }
    if (st == CR_OK && (st = count_rows(made, policy, err)) == CR_OK)
        st = choose_rows(s, made, policy, err);
    s->fill[policy->decision] = BY_POLICY;
    cr__network_free(made);
    return st;
}

/* --- details of a strategy -------------------------------------------------------------------- */

/* The expected total utility of each option in each row: decisions named in a row are fixed, the
 * others follow the strategy. */
static cr_status tell_utilities(solver *s, cr__policy *policy, cr_error *err)
{
    const size_t cells = policy->rows * s->problem->net->states[policy->decision];
    uint32_t *query = query_of(policy);
    double *p = cr__alloc(cells, sizeof *p);
    cr__network *made = NULL;
    cr_status st;

    policy->utility = cr__alloc(cells, sizeof *policy->utility);
    for (uint32_t k = 0; query != NULL && k <= policy->knowns; k++)
        s->fill[query[k]] = RANDOM;
    if (query == NULL || p == NULL || policy->utility == NULL)
        st = cr__fail_memory(err);
    else
        st = make_network(s, &made, err);
    if (st == CR_OK)
        st = expect(s, made, query, policy->knowns + 1, cells, p, policy->utility, err);
    for (uint32_t k = 0; query != NULL && k <= policy->knowns; k++)
        s->fill[query[k]] = BY_POLICY;
    cr__network_free(made);
    cr__free(query);
    cr__free(p);
    return st;
}

/* How probable each row is when the strategy is followed. */
static cr_status tell_probabilities(solver *s, const cr__network *made, cr__policy *policy,
                                    cr_error *err)
{
    double *mean = cr__alloc(policy->rows, sizeof *mean);
    cr_status st = CR_OK;

    policy->probability = cr__alloc(policy->rows, sizeof *policy->probability);
    if (mean == NULL || policy->probability == NULL)
        st = cr__fail_memory(err);
    memset(s->mark, 0, made->nodes);
    if (st == CR_OK)
        st = expect(s, made, policy->known, policy->knowns, policy->rows, policy->probability, mean,
                    err);
    memset(s->mark, 1, made->nodes);
    cr__free(mean);
    return st;
}

/* The value of the strategy, and its details. */
static cr_status tell(solver *s, int details, cr_error *err)
{
    cr__network *made = NULL;
    double p;
    cr_status st = make_network(s, &made, err);

    memset(s->mark, 1, s->problem->net->nodes);
    if (st == CR_OK)
        st = expect(s, made, NULL, 0, 1, &p, &s->strategy->utility, err);
    for (uint32_t i = 0; details && st == CR_OK && i < s->count; i++) {
        st = tell_utilities(s, &s->strategy->policy[i], err);
        if (st == CR_OK)
            st = tell_probabilities(s, made, &s->strategy->policy[i], err);
    }
    cr__network_free(made);
    return st;
}

void cr__strategy_free(cr__strategy *strategy)
{
    if (strategy == NULL)
        return;
    for (uint32_t i = 0; strategy->policy != NULL && i < strategy->count; i++) {
        cr__free(strategy->policy[i].known);
        cr__free(strategy->policy[i].best);
        cr__free(strategy->policy[i].utility);
        cr__free(strategy->policy[i].probability);
    }
    cr__free(strategy->policy);
    cr__free(strategy);
}

static cr_status solver_open(solver *s, cr_error *err)
{
    const size_t nodes = s->problem->net->nodes;
    cr_status st = cr__decision_order(s->problem, &s->decision, &s->count, err);

    if (st != CR_OK)
        return st;
    if ((s->strategy = cr__alloc_zero(1, sizeof *s->strategy)) == NULL ||
        (s->strategy->policy = cr__alloc_zero(s->count, sizeof *s->strategy->policy)) == NULL ||
        (s->least = cr__alloc(nodes, sizeof *s->least)) == NULL ||
        (s->range = cr__alloc(nodes, sizeof *s->range)) == NULL ||
        (s->state = cr__alloc(nodes, sizeof *s->state)) == NULL ||
        (s->mark = cr__alloc(nodes, 1)) == NULL || (s->fill = cr__alloc_zero(nodes, 1)) == NULL)
        return cr__fail_memory(err);
    s->strategy->count = s->count;
    memcpy(s->state, s->problem->state, nodes * sizeof *s->state);
    measure(s);
    return CR_OK;
}

cr_status cr__strategy_find(cr__strategy **out, const cr__problem *problem, int details,
                            cr_error *err)
{
    solver s = {.problem = problem};
    cr_status st = solver_open(&s, err);

    for (uint32_t i = s.count; st == CR_OK && i-- > 0;)
        st = solve_one(&s, i, err);
    if (st == CR_OK)
        st = tell(&s, details, err);
    if (st != CR_OK) {
        cr__strategy_free(s.strategy);
        s.strategy = NULL;
    }
    *out = s.strategy;
    cr__free(s.decision);
    cr__free(s.least);
    cr__free(s.range);
    cr__free(s.state);
    cr__free(s.mark);
    cr__free(s.fill);
    return st;
}
