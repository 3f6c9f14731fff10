/* network/infer/session.c - elimination or propagation, whichever is cheaper for the queries that
 * come. */
#include "network/infer/session.h"

#include <math.h>

#include "base/fail.h"
#include "base/memory.h"

struct cr__inference_session {
    const cr__network *net;
    uint64_t memory;
    cr_pool *pool;
    cr__junction_tree *tree; /* NULL until it is needed */
    int refused;             /* the tree would take too much memory */
    int ready;               /* eliminations have cost as much as the whole tree */
    double eliminated;       /* multiplications and additions of all eliminations, */
    double elimination;      /* and of recent ones, per query */
    double propagation;      /* the same of recent propagations */
    double look_at;          /* when eliminations have cost so much, compare them with the tree */
    double message;          /* of one message, about */
    uint64_t propagations;
};

/* Recent queries: each counts a quarter as much as all before it. An unused way becomes more
 * attractive with each query, until it is tried again. */
static const double RECENT = 0.25, FADES = 0.9375;

cr_status cr__inference_session_new(cr__inference_session **out, const cr__network *net,
                                    uint64_t memory, cr_error *err)
{
    cr__inference_session *s = cr__alloc_zero(1, sizeof *s);
    cr_status st;

    *out = NULL;
    if (s == NULL)
        return cr__fail_memory(err);
    *s = (cr__inference_session){.net = net, .memory = memory, .look_at = 1};
    if ((st = cr_pool_new(&s->pool, 0, err)) != CR_OK) {
        cr__free(s);
        return st;
    }
    *out = s;
    return CR_OK;
}

void cr__inference_session_free(cr__inference_session *s)
{
    if (s == NULL)
        return;
    cr__junction_tree_free(s->tree);
    cr_pool_free(s->pool);
    cr__free(s);
}

uint64_t cr__inference_session_propagations(const cr__inference_session *s)
{
    return s->propagations;
}

/* --- the tree --------------------------------------------------------------------------------- */

cr_status cr__inference_session_tree(cr__inference_session *s, const cr__evidence *evidence,
                                     cr__junction_tree **tree, cr_error *err)
{
    cr_status st = CR_OK;

    if (s->tree == NULL)
        st = cr__junction_tree_new(&s->tree, s->net, s->memory, s->pool, err);
    for (uint32_t i = 0; st == CR_OK && i < s->net->nodes; i++) {
        cr__junction_tree_observe(s->tree, i, evidence->state[i]);
        st = cr__junction_tree_weigh(
            s->tree, i, evidence->likelihood == NULL ? NULL : evidence->likelihood[i], err);
    }
    *tree = s->tree;
    return st;
}

/* Whether the tree is worth building by now. Its plan costs something too: so this is asked when
 * the cost of eliminations has doubled since the last time. */
static cr_status consider_tree(cr__inference_session *s, const cr__evidence *evidence,
                               cr_error *err)
{
    cr__junction_tree *tree;
    cr__cost cost;
    cr_status st;

    if (s->ready || s->refused || s->eliminated < s->look_at)
        return CR_OK;
    st = cr__inference_session_tree(s, evidence, &tree, err);
    if (st == CR_OK)
        st = cr__junction_tree_cost(tree, &cost, err);
    if (st != CR_OK)
        return st;
    s->refused = s->memory != 0 && cost.bytes > (double)s->memory;
    s->ready = !s->refused && s->eliminated >= cost.operations;
    s->look_at = fmax(2 * s->eliminated, cost.operations);
    return CR_OK;
}

/* P(node, evidence), or P(evidence) alone, from the tree. */
static cr_status propagate(cr__inference_session *s, const cr__evidence *evidence,
                           const uint32_t *query, uint32_t count, double *p, int64_t *exponent,
                           cr_error *err)
{
    const uint64_t before = cr__junction_tree_messages(s->tree);
    const uint32_t cells = count == 0 ? 1 : s->net->states[query[0]];
    cr__junction_tree *tree;
    double log_evidence, log2_evidence;
    cr__cost cost = {0};
    cr_status st = cr__inference_session_tree(s, evidence, &tree, err);

    if (st == CR_OK)
        st = cr__junction_tree_cost(tree, &cost, err);
    if (st == CR_OK)
        st = cr__junction_tree_evidence(tree, &log_evidence, err);
    if (st != CR_OK)
        return st;
    *exponent = 0;
    for (uint32_t k = 0; k < cells; k++)
        p[k] = count == 0;
    if (!(log_evidence > -INFINITY)) {
        p[0] = 0;
    } else {
        if (count > 0)
            st = cr__junction_tree_posterior(tree, query[0], p, err);
        log2_evidence = log_evidence / M_LN2;
        *exponent = (int64_t)floor(log2_evidence);
        for (uint32_t k = 0; k < cells; k++)
            p[k] *= exp2(log2_evidence - floor(log2_evidence));
    }
    if (s->propagations++ == 0) /* the first one computes about half of all messages */
        s->message = cost.operations / 2 / fmax(1, (double)cr__junction_tree_messages(tree));
    else
        s->propagation +=
            RECENT *
            (s->message * (double)(cr__junction_tree_messages(tree) - before) - s->propagation);
    s->elimination *= FADES;
    return st;
}

/* --- queries ---------------------------------------------------------------------------------- */

cr_status cr__inference_session_joint(cr__inference_session *s, const cr__evidence *evidence,
                                      const uint32_t *query, uint32_t count, double *p,
                                      int64_t *exponent, cr_error *err)
{
    double operations = 0;
    cr_status st = CR_OK;

    if (count <= 1) {
        st = consider_tree(s, evidence, err);
        if (st == CR_OK && s->ready && !s->refused && s->propagation <= s->elimination) {
            st = propagate(s, evidence, query, count, p, exponent, err);
            if (st != CR_ELIMIT)
                return st;
            s->refused = 1; /* with this evidence; elimination may do with less */
            st = CR_OK;
        }
    }
    if (st == CR_OK)
        st = cr__ask_joint_counted(s->net, evidence, query, count, s->memory, s->pool, p, exponent,
                                   &operations, err);
    s->elimination += (s->eliminated > 0 ? RECENT : 1) * (operations - s->elimination);
    s->eliminated += operations;
    s->propagation *= FADES;
    return st;
}
