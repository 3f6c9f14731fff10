/* network/infer/infer.c - single queries by variable elimination. */
#include "network/infer/infer.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

typedef struct question {
    const cr__network *net;
    const cr__evidence *evidence;
    uint32_t *state;     /* [nodes] as given; a variable with a single state has that one */
    unsigned char *part; /* [nodes] */
    cr__order order;
    cr__factor_list *bucket; /* [ranks] factors whose first variable it is */
    cr__scaled mass;         /* of all factors that have no variable left */
    cr__workshop shop;
    int keep_buckets; /* they are needed again */
    int maximise;     /* over the nodes that are asked for, after the others are summed out */
} question;

size_t cr__row_at(const cr__network *net, uint32_t node, const uint32_t *state)
{
    size_t row = 0;

    for (size_t k = net->parent_at[node]; k < net->parent_at[node + 1]; k++)
        row = row * net->states[net->parent[k]] + state[net->parent[k]];
    return net->table_at[node] + row * net->states[node];
}

static const double *likelihood_of(const cr__evidence *evidence, uint32_t node)
{
    return evidence->likelihood == NULL ? NULL : evidence->likelihood[node];
}

double cr__log_joint(const cr__network *net, const cr__evidence *evidence, const uint32_t *state)
{
    double sum = 0;

    for (uint32_t i = 0; i < net->nodes; i++) {
        sum += log(net->table[cr__row_at(net, i, state) + state[i]]);
        if (evidence != NULL && likelihood_of(evidence, i) != NULL)
            sum += log(likelihood_of(evidence, i)[state[i]]);
    }
    return sum;
}

/* --- what is needed --------------------------------------------------------------------------- */

static void question_free(question *q)
{
    for (uint32_t r = 0; q->bucket != NULL && r < q->order.count; r++)
        cr__factor_list_free(&q->bucket[r]);
    cr__free(q->bucket);
    cr__order_free(&q->order);
    cr__free(q->state);
    cr__free(q->part);
}

/* Mark queried and known nodes and all their ancestors; without a query all nodes count as
 * queried. */
static void choose_parts(question *q, const uint32_t *query, uint32_t count, int all)
{
    const cr__network *net = q->net;

    for (uint32_t i = 0; i < net->nodes; i++) {
        q->state[i] = net->states[i] == 1 ? 0 : q->evidence->state[i];
        q->part[i] =
            all || q->evidence->state[i] != UINT32_MAX || likelihood_of(q->evidence, i) != NULL;
    }
    for (uint32_t k = 0; k < count; k++)
        q->part[query[k]] = 1;
    for (uint32_t i = net->nodes; i-- > 0;)
        if (q->part[net->order[i]])
            for (size_t k = net->parent_at[net->order[i]]; k < net->parent_at[net->order[i] + 1];
                 k++)
                q->part[net->parent[k]] = 1;
    for (uint32_t i = 0; i < net->nodes; i++)
        q->part[i] = !q->part[i]                 ? CR__PART_NONE
                     : q->state[i] != UINT32_MAX ? CR__PART_OBSERVED
                                                 : CR__PART_ELIMINATED;
    for (uint32_t k = 0; k < count; k++)
        if (q->part[query[k]] == CR__PART_ELIMINATED)
            q->part[query[k]] = q->maximise ? CR__PART_LATER : CR__PART_KEPT;
}

/* An upper bound of the results' bytes, and of the answer itself. */
static cr_status check_cost(const question *q, uint64_t memory, cr_error *err)
{
    const cr__order *o = &q->order;
    cr__cost cost = {.cells = o->cells, .largest = o->largest, .operations = 2 * o->cells};
    double answer = 1;

    for (uint32_t r = 0; r < o->eliminated; r++) {
        double cells = 1;

        for (size_t k = o->clique_at[r]; k < o->clique_at[r + 1]; k++)
            cells *= o->size[o->clique[k]];
        cost.bytes += sizeof(double) * cells;
    }
    for (uint32_t r = o->eliminated; r < o->count; r++)
        answer *= o->size[r];
    cost.bytes += sizeof(double) * answer;
    cost.cells += answer;
    cost.largest = fmax(cost.largest, answer);
    return memory != 0 && cost.bytes > (double)memory ? cr__cost_refuse(&cost, memory, err) : CR_OK;
}

/* Put a factor into the bucket of its first variable; takes over the reference. */
static cr_status file(question *q, cr__factor *f, cr_error *err)
{
    cr_status st = CR_OK;

    if (f->variables > 0)
        st = cr__factor_list_add(&q->bucket[f->variable[0]], f, err);
    else
        q->mass = cr__scaled_times(q->mass, cr__scaled_of(f->cell[0], f->exponent));
    cr__factor_drop(f);
    return st;
}

static cr_status file_node(question *q, uint32_t node, cr_error *err)
{
    const double *likelihood = likelihood_of(q->evidence, node);
    const uint32_t rank = q->order.rank[node];
    const int known = q->state[node] != UINT32_MAX;
    cr__factor *f;
    cr_status st = cr__factor_of_node(&f, q->net, node, q->order.rank, q->state, err);

    if (st == CR_OK)
        st = file(q, f, err);
    if (st != CR_OK || likelihood == NULL)
        return st;
    if ((f = cr__factor_new(&rank, !known, q->order.size)) == NULL)
        return cr__fail_memory(err);
    memcpy(f->cell, likelihood + (known ? q->state[node] : 0), f->cells * sizeof *f->cell);
    return file(q, f, err);
}

/* Set everything up; nothing is multiplied yet. */
static cr_status begin(question *q, const uint32_t *query, uint32_t count, int all, uint64_t memory,
                       cr_error *err)
{
    cr_status st = CR_OK;

    q->mass = cr__scaled_of(1, 0);
    q->state = cr__alloc(q->net->nodes, sizeof *q->state);
    q->part = cr__alloc(q->net->nodes, 1);
    if (q->state == NULL || q->part == NULL)
        return cr__fail_memory(err);
    choose_parts(q, query, count, all);
    if ((st = cr__order_make(&q->order, q->net, q->part, err)) != CR_OK ||
        (st = check_cost(q, memory, err)) != CR_OK)
        return st;
    q->shop.size = q->order.size;
    if ((q->bucket = cr__alloc_zero(q->order.count, sizeof *q->bucket)) == NULL)
        return cr__fail_memory(err);
    for (uint32_t i = 0; st == CR_OK && i < q->net->nodes; i++)
        if (q->part[i] != CR__PART_NONE)
            st = file_node(q, i, err);
    return st;
}

/* --- elimination ------------------------------------------------------------------------------ */

/* The variables of a bucket but the first, ascending. */
static cr_status scope_of(const question *q, uint32_t rank, uint32_t *scope, uint32_t *count,
                          cr_error *err)
{
    const cr__factor_list *b = &q->bucket[rank];

    *count = 0;
    for (size_t i = 0; i < b->count; i++)
        for (uint32_t k = 1; k < b->factor[i]->variables; k++) {
            const uint32_t v = b->factor[i]->variable[k];
            uint32_t at = *count;

            while (at > 0 && scope[at - 1] > v)
                at--;
            if (at > 0 && scope[at - 1] == v)
                continue;
            if (*count == CR__SCOPE_MAX)
                return cr__fail(err, CR_ELIMIT, "a product has more than %d variables",
                                CR__SCOPE_MAX);
            memmove(scope + at + 1, scope + at, (*count - at) * sizeof *scope);
            scope[at] = v;
            ++*count;
        }
    return CR_OK;
}

static cr_status eliminate(question *q, cr_error *err)
{
    uint32_t scope[CR__SCOPE_MAX], count;
    cr_status st = CR_OK;

    for (uint32_t r = 0; st == CR_OK && r < q->order.eliminated; r++) {
        cr__factor_list *b = &q->bucket[r];
        cr__factor *f = NULL;

        q->shop.max |= q->part[q->order.node[r]] == CR__PART_LATER;
        if ((st = scope_of(q, r, scope, &count, err)) == CR_OK)
            st = cr__factor_product(&f, b->factor, b->count, scope, count, &q->shop, err);
        if (st == CR_OK)
            st = file(q, f, err);
        if (!q->keep_buckets)
            cr__factor_list_free(b);
    }
    return st;
}

/* --- joint distributions ---------------------------------------------------------------------- */

/* The remaining factors as one, over all kept variables, ascending. */
static cr_status join_rest(question *q, cr__factor **out, cr_error *err)
{
    const uint32_t kept = q->order.count - q->order.eliminated;
    uint32_t all[CR__SCOPE_MAX];
    cr__factor_list rest;
    cr_status st = CR_OK;

    if (kept > CR__SCOPE_MAX)
        return cr__fail(err, CR_ELIMIT, "%u variables are too many for a joint table", kept);
    cr__factor_list_begin(&rest);
    for (uint32_t k = 0; k < kept; k++) {
        cr__factor_list *b = &q->bucket[all[k] = q->order.eliminated + k];

        for (size_t i = 0; st == CR_OK && i < b->count; i++)
            st = cr__factor_list_add(&rest, b->factor[i], err);
    }
    if (st == CR_OK)
        st = cr__factor_product(out, rest.factor, rest.count, all, kept, &q->shop, err);
    cr__factor_list_free(&rest);
    return st;
}

/* Reorder from ascending ranks to the order of the query; a known node has probability only in its
 * state. */
static void arrange(const question *q, const uint32_t *query, uint32_t count, const cr__factor *f,
                    double factor, double *p)
{
    size_t cells = 1;

    for (uint32_t k = 0; k < count; k++)
        cells *= q->net->states[query[k]];
    for (size_t cell = 0; cell < cells; cell++) {
        size_t rest = cell, at = 0, stride = 1;
        size_t state_of[CR__SCOPE_MAX] = {0};
        int agrees = 1;

        for (uint32_t k = count; k-- > 0;) {
            const uint32_t state = (uint32_t)(rest % q->net->states[query[k]]);
            const uint32_t rank = q->order.rank[query[k]];

            rest /= q->net->states[query[k]];
            if (rank == UINT32_MAX)
                agrees &= state == q->state[query[k]];
            else
                state_of[rank - q->order.eliminated] = state;
        }
        for (uint32_t v = f->variables; v-- > 0;) {
            at += state_of[f->variable[v] - q->order.eliminated] * stride;
            stride *= q->order.size[f->variable[v]];
        }
        p[cell] = agrees ? f->cell[at] * factor : 0;
    }
}

cr_status cr__ask_joint_counted(const cr__network *net, const cr__evidence *evidence,
                                const uint32_t *query, uint32_t count, uint64_t memory,
                                cr_pool *pool, double *p, int64_t *exponent, double *operations,
                                cr_error *err)
{
    question q = {.net = net, .evidence = evidence, .shop = {.pool = pool}};
    cr__factor *f = NULL;
    cr_status st = begin(&q, query, count, 0, memory, err);

    if (st == CR_OK)
        st = eliminate(&q, err);
    if (st == CR_OK)
        st = join_rest(&q, &f, err);
    if (st == CR_OK) {
        arrange(&q, query, count, f, q.mass.value, p);
        *exponent = f->exponent + q.mass.exponent;
    }
    *operations = 2 * q.order.cells;
    cr__factor_drop(f);
    question_free(&q);
    return st;
}

cr_status cr__ask_joint(const cr__network *net, const cr__evidence *evidence, const uint32_t *query,
                        uint32_t count, uint64_t memory, cr_pool *pool, double *p,
                        int64_t *exponent, cr_error *err)
{
    double operations;

    return cr__ask_joint_counted(net, evidence, query, count, memory, pool, p, exponent,
                                 &operations, err);
}

/* --- the most probable explanation ------------------------------------------------------------ */

/* The cell of a factor where all its variables have the chosen states, the first one the given. */
static double cell_at(const question *q, const cr__factor *f, uint32_t first)
{
    size_t at = 0;

    for (uint32_t k = 0; k < f->variables; k++)
        at = at * q->order.size[f->variable[k]] +
             (k == 0 ? first : q->state[q->order.node[f->variable[k]]]);
    return f->cell[at];
}

/* Backwards: choose the best state of each variable given all later ones. Those that were summed
 * out are skipped. */
static void choose_states(question *q)
{
    for (uint32_t r = q->order.count; r-- > 0;) {
        double best = -1;
        uint32_t choice = 0;

        if (q->maximise && q->part[q->order.node[r]] != CR__PART_LATER)
            break;
        for (uint32_t k = 0; k < q->order.size[r]; k++) {
            double product = 1;

            for (size_t i = 0; i < q->bucket[r].count; i++)
                product *= cell_at(q, q->bucket[r].factor[i], k);
            if (product > best) {
                best = product;
                choice = k;
            }
        }
        q->state[q->order.node[r]] = choice;
    }
}

cr_status cr__ask_explanation(const cr__network *net, const cr__evidence *evidence, uint64_t memory,
                              cr_pool *pool, uint32_t *state, double *log_p, cr_error *err)
{
    question q = {
        .net = net, .evidence = evidence, .keep_buckets = 1, .shop = {.pool = pool, .max = 1}};
    cr_status st = begin(&q, NULL, 0, 1, memory, err);

    if (st == CR_OK)
        st = eliminate(&q, err);
    if (st == CR_OK && !(q.mass.value > 0))
        st = cr__fail(err, CR_ECONFLICT,
                      "the evidence is impossible: the network gives it probability zero");
    if (st == CR_OK) {
        choose_states(&q);
        memcpy(state, q.state, net->nodes * sizeof *state);
        *log_p = cr__log_joint(net, evidence, state);
    }
    question_free(&q);
    return st;
}

cr_status cr__ask_map(const cr__network *net, const cr__evidence *evidence, const uint32_t *node,
                      uint32_t count, uint64_t memory, cr_pool *pool, uint32_t *state,
                      double *log_p, cr_error *err)
{
    question q = {
        .net = net, .evidence = evidence, .keep_buckets = 1, .maximise = 1, .shop = {.pool = pool}};
    cr_status st = begin(&q, node, count, 0, memory, err);

    if (st == CR_OK)
        st = eliminate(&q, err);
    if (st == CR_OK && !(q.mass.value > 0))
        st = cr__fail(err, CR_ECONFLICT,
                      "the evidence is impossible: the network gives it probability zero");
    if (st == CR_OK) {
        choose_states(&q);
        for (uint32_t k = 0; k < count; k++)
            state[k] = q.state[node[k]];
        *log_p = cr__scaled_log(q.mass);
    }
    question_free(&q);
    return st;
}

/* --- draws ------------------------------------------------------------------------------------ */

struct cr__sampler {
    question q;
};

void cr__sampler_free(cr__sampler *b)
{
    if (b == NULL)
        return;
    question_free(&b->q);
    cr__free(b);
}

cr_status cr__sampler_new(cr__sampler **out, const cr__network *net, const cr__evidence *evidence,
                          uint64_t memory, cr_pool *pool, cr_error *err)
{
    cr__sampler *b = cr__alloc_zero(1, sizeof *b);
    cr_status st = CR_OK;

    *out = NULL;
    if (b == NULL)
        return cr__fail_memory(err);
    b->q = (question){.net = net, .evidence = evidence, .keep_buckets = 1, .shop = {.pool = pool}};
    if ((st = begin(&b->q, NULL, 0, 0, memory, err)) == CR_OK)
        st = eliminate(&b->q, err);
    b->q.shop.pool = NULL;
    if (st == CR_OK && !(b->q.mass.value > 0))
        st = cr__fail(err, CR_ECONFLICT,
                      "the evidence is impossible: the network gives it probability zero");
    if (st != CR_OK) {
        cr__sampler_free(b);
        return st;
    }
    *out = b;
    return CR_OK;
}

double cr__sampler_log_evidence(const cr__sampler *b)
{
    return cr__scaled_log(b->q.mass);
}

uint32_t cr__draw_state(cr__random *random, const double *p, uint32_t states, double sum)
{
    double u = cr__random_uniform(random) * sum;
    uint32_t last = 0;

    for (uint32_t k = 0; k < states; k++)
        if (p[k] > 0) {
            last = k;
            if ((u -= p[k]) < 0)
                break;
        }
    return last;
}

/* The cells of a factor along its first variable, the others in their states: where they begin, and
 * how far apart they are. */
static const double *cells_along(const question *q, const cr__factor *f, const uint32_t *state,
                                 size_t *stride)
{
    size_t at = 0;

    for (uint32_t k = 1; k < f->variables; k++)
        at = at * q->order.size[f->variable[k]] + state[q->order.node[f->variable[k]]];
    *stride = f->cells / q->order.size[f->variable[0]];
    return f->cell + at;
}

void cr__sampler_draw(const cr__sampler *b, cr__random *random, uint32_t *state, double *p)
{
    const question *q = &b->q;
    const cr__network *net = q->net;

    memcpy(state, q->state, net->nodes * sizeof *state);
    for (uint32_t r = q->order.count; r-- > 0;) {
        const uint32_t states = q->order.size[r];
        double sum = 0;

        for (uint32_t k = 0; k < states; k++)
            p[k] = 1;
        for (size_t i = 0; i < q->bucket[r].count; i++) {
            size_t stride;
            const double *cell = cells_along(q, q->bucket[r].factor[i], state, &stride);

            for (uint32_t k = 0; k < states; k++)
                p[k] *= cell[k * stride];
        }
        for (uint32_t k = 0; k < states; k++)
            sum += p[k];
        state[q->order.node[r]] = cr__draw_state(random, p, states, sum);
    }
    for (uint32_t i = 0; i < net->nodes; i++) {
        const uint32_t node = net->order[i];

        if (q->part[node] == CR__PART_NONE && net->states[node] > 1)
            state[node] = cr__draw_state(random, net->table + cr__row_at(net, node, state),
                                         net->states[node], 1);
    }
}
