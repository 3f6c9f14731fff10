/* network/infer/loopy.c - loopy belief propagation on the graph of tables and variables.
 *
 * A table sends each of its variables a summary of the others; a variable sends each of its tables
 * the product of the other tables' messages (Kschischang, Frey & Loeliger 2001):
 *
 *     m(table -> x) = sum over the other variables of table * product of m(y -> table)
 *     m(x -> table) = product of m(other table -> x)
 *
 * Tables are visited parents first and then backwards, which makes trees exact after a few rounds.
 * Products over a variable's tables are kept as sums of logs with the zeros counted, so that one
 * table can be left out of a thousand at no cost.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "network/infer/sample.h"

enum { CALM_ROUNDS = 30 }; /* without convergence until then, messages are damped */
#define CONVERGED 1e-12

typedef struct loopy {
    const cr__network *net;
    const cr__evidence *evidence;
    size_t *at;       /* [arcs + nodes] where each member's message begins: a family's parents in
                         their order, then the node itself */
    double *message;  /* from table to member */
    double *log_sum;  /* [states of all nodes] of the tables' messages, zeros left out */
    uint32_t *zeros;  /* how many are zero */
    double *in, *out; /* [most cells of a family's members] */
    double damping;
    double change; /* the largest of this round */
} loopy;

/* The family of a node: parents, then itself. */
static uint32_t member_of(const cr__network *net, uint32_t node, size_t k)
{
    const size_t parents = net->parent_at[node + 1] - net->parent_at[node];

    return k < parents ? net->parent[net->parent_at[node] + k] : node;
}

static size_t first_slot(const cr__network *net, uint32_t node)
{
    return net->parent_at[node] + node;
}

/* Add a message to (sign 1) or remove it from (-1) the sums of a variable. */
static void account(loopy *l, uint32_t variable, const double *m, int sign)
{
    const size_t label = l->net->label_at[variable];

    for (uint32_t k = 0; k < l->net->states[variable]; k++)
        if (m[k] > 0)
            l->log_sum[label + k] += sign * log(m[k]);
        else
            l->zeros[label + k] += (uint32_t)sign;
}

/* Convert logs to numbers that sum to 1. 0 when all are zero. */
static int to_numbers(const loopy *l, uint32_t variable, double *p)
{
    const size_t label = l->net->label_at[variable];
    const uint32_t states = l->net->states[variable];
    double most = -INFINITY, sum = 0;

    for (uint32_t k = 0; k < states; k++)
        if (l->zeros[label + k] == 0)
            most = fmax(most, l->log_sum[label + k]);
    for (uint32_t k = 0; k < states; k++)
        sum += p[k] = l->zeros[label + k] == 0 ? exp(l->log_sum[label + k] - most) : 0;
    for (uint32_t k = 0; k < states && sum > 0; k++)
        p[k] /= sum;
    return sum > 0;
}

/* Recompute all sums from the messages, so that rounding does not accumulate; evidence first. */
static void recount(loopy *l)
{
    const cr__network *net = l->net;

    memset(l->log_sum, 0, net->label_at[net->nodes] * sizeof *l->log_sum);
    memset(l->zeros, 0, net->label_at[net->nodes] * sizeof *l->zeros);
    for (uint32_t i = 0; i < net->nodes; i++) {
        for (uint32_t k = 0; k < net->states[i]; k++)
            if (l->evidence->state[i] != UINT32_MAX && l->evidence->state[i] != k)
                l->zeros[net->label_at[i] + k]++;
        if (l->evidence->likelihood != NULL && l->evidence->likelihood[i] != NULL)
            account(l, i, l->evidence->likelihood[i], 1);
        for (size_t k = 0; k <= net->parent_at[i + 1] - net->parent_at[i]; k++)
            account(l, member_of(net, i, k), l->message + l->at[first_slot(net, i) + k], 1);
    }
}

/* out for each member: the table times what all other members say, summed over them. */
static void pass_table(loopy *l, uint32_t node, const size_t *from, size_t members)
{
    const cr__network *net = l->net;
    uint32_t state[CR__PARENTS_MAX + 1] = {0};
    double before[CR__PARENTS_MAX + 2], after;

    for (size_t cell = net->table_at[node]; cell < net->table_at[node + 1]; cell++) {
        before[0] = net->table[cell];
        for (size_t k = 0; k < members; k++)
            before[k + 1] = before[k] * l->in[from[k] + state[k]];
        after = 1;
        for (size_t k = members; k-- > 0;) {
            l->out[from[k] + state[k]] += before[k] * after;
            after *= l->in[from[k] + state[k]];
        }
        for (size_t k = members; k-- > 0;) {
            if (++state[k] < net->states[member_of(net, node, k)])
                break;
            state[k] = 0;
        }
    }
}

/* Recompute the messages of one table. 0 when the evidence turns out impossible. */
static int update(loopy *l, uint32_t node)
{
    const cr__network *net = l->net;
    const size_t members = net->parent_at[node + 1] - net->parent_at[node] + 1;
    size_t from[CR__PARENTS_MAX + 1], total = 0;

    for (size_t k = 0; k < members; k++) {
        const uint32_t v = member_of(net, node, k);
        double *m = l->message + l->at[first_slot(net, node) + k];

        from[k] = total;
        total += net->states[v];
        account(l, v, m, -1);
        if (!to_numbers(l, v, l->in + from[k]))
            return 0;
        account(l, v, m, 1);
    }
    memset(l->out, 0, total * sizeof *l->out);
    pass_table(l, node, from, members);
    for (size_t k = 0; k < members; k++) {
        const uint32_t v = member_of(net, node, k);
        double *m = l->message + l->at[first_slot(net, node) + k], sum = 0;

        for (uint32_t s = 0; s < net->states[v]; s++)
            sum += l->out[from[k] + s];
        if (!(sum > 0))
            return 0;
        account(l, v, m, -1);
        for (uint32_t s = 0; s < net->states[v]; s++) {
            const double now = l->out[from[k] + s] / sum;
            const double mixed = l->damping * m[s] + (1 - l->damping) * now;

            l->change = fmax(l->change, fabs(mixed - m[s]));
            m[s] = mixed;
        }
        account(l, v, m, 1);
    }
    return 1;
}

static void loopy_free(loopy *l)
{
    cr__free(l->at);
    cr__free(l->message);
    cr__free(l->log_sum);
    cr__free(l->zeros);
    cr__free(l->in);
    cr__free(l->out);
}

static cr_status begin(loopy *l, cr_error *err)
{
    const cr__network *net = l->net;
    const size_t arcs = net->parent_at[net->nodes], labels = net->label_at[net->nodes];
    size_t total = 0, most = 0;

    if ((l->at = cr__alloc(arcs + net->nodes, sizeof *l->at)) == NULL)
        return cr__fail_memory(err);
    for (uint32_t i = 0; i < net->nodes; i++) {
        const size_t begun = total;

        for (size_t k = 0; k <= net->parent_at[i + 1] - net->parent_at[i]; k++) {
            l->at[first_slot(net, i) + k] = total;
            total += net->states[member_of(net, i, k)];
        }
        most = total - begun > most ? total - begun : most;
    }
    l->message = cr__alloc(total, sizeof *l->message);
    l->log_sum = cr__alloc(labels, sizeof *l->log_sum);
    l->zeros = cr__alloc(labels, sizeof *l->zeros);
    l->in = cr__alloc(most, sizeof *l->in);
    l->out = cr__alloc(most, sizeof *l->out);
    if (l->message == NULL || l->log_sum == NULL || l->zeros == NULL || l->in == NULL ||
        l->out == NULL)
        return cr__fail_memory(err);
    for (size_t k = 0; k < total; k++)
        l->message[k] = 1;
    return CR_OK;
}

cr_status cr__loopy(const cr__network *net, const cr__evidence *evidence, uint64_t rounds,
                    double *p, cr__sampled *about, cr_error *err)
{
    loopy l = {.net = net, .evidence = evidence};
    cr_status st = begin(&l, err);
    int sound = 1;

    *about = (cr__sampled){.log_evidence = NAN, .effective = NAN};
    while (st == CR_OK && sound && !about->converged && about->rounds < rounds) {
        l.change = 0;
        recount(&l);
        for (uint32_t i = 0; sound && i < net->nodes; i++)
            sound = update(&l, net->order[i]);
        for (uint32_t i = net->nodes; sound && i-- > 0;)
            sound = update(&l, net->order[i]);
        about->rounds++;
        about->converged = l.change < CONVERGED;
        l.damping = about->rounds >= CALM_ROUNDS ? 0.5 : 0;
    }
    if (st == CR_OK && sound)
        recount(&l);
    for (uint32_t i = 0; st == CR_OK && sound && i < net->nodes; i++)
        sound = to_numbers(&l, i, p + net->label_at[i]);
    if (st == CR_OK && !sound)
        st = cr__fail(err, CR_ECONFLICT,
                      "the evidence is impossible: the messages leave no state possible");
    loopy_free(&l);
    return st;
}

cr_status cr__loopy_beliefs(const cr__network *network, const cr__evidence *given, uint64_t rounds,
                            double *p, cr__sampled *about, cr_error *err)
{
    cr_status st = cr__loopy(network, given, rounds < 1000 ? rounds : 1000, p, about, err);

    if (st != CR_OK || about->converged)
        return st;
    cr__fail(err, CR_ELIMIT, "loopy belief propagation does not converge");
    return cr__fail_hint(err, CR_ELIMIT, "take weighting or gibbs");
}
