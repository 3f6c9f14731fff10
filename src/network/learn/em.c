/* network/learn/em.c - tables from rows with gaps: expectation maximisation and gradient ascent.
 *
 * A row's missing variables fall into groups: those that share a family belong together, and given
 * the observations the groups are independent. A group with few combinations is enumerated; rows
 * with a larger one use variable elimination, family by family.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/random.h"
#include "network/infer/infer.h"
#include "network/learn/records.h"

enum {
    CHUNKS = 16,        /* whose sums are added in order, for any number of threads */
    GROUP_MAX = 1 << 12 /* combinations that are enumerated */
};
#define CLOSE_ENOUGH 1e-9 /* of the objective */

/* One chunk of rows and its expected counts. */
typedef struct chunk {
    double *counts;        /* [cells of all tables] */
    double log_likelihood; /* of incomplete families only */
    cr_status status;
    cr_error err;
} chunk;

/* What a thread needs. */
typedef struct workspace {
    uint32_t *state;        /* [nodes] */
    uint32_t *group;        /* [nodes] members of one */
    uint32_t *family;       /* [nodes] that it touches */
    uint32_t *seen, *taken; /* [nodes] stamps: family listed, variable grouped */
    uint32_t stamp;
    double *weight; /* [GROUP_MAX] */
} workspace;

typedef struct em {
    const cr__network *net;
    const cr__records *records;
    size_t cells;
    size_t *gappy; /* rows that lack something */
    size_t gappy_count;
    double *complete; /* counts of complete families, which no round changes */
    double *counts;   /* expected */
    chunk chunk[CHUNKS];
    workspace *workspace; /* [workers] */
    cr_pool *pool;
    int workers;
} em;

/* --- groups ----------------------------------------------------------------------------------- */

/* Add a family to the list, and its missing variables to the group. */
static void add_family(const cr__network *net, workspace *d, uint32_t node, size_t *families,
                       size_t *members)
{
    if (d->seen[node] == d->stamp)
        return;
    d->seen[node] = d->stamp;
    d->family[(*families)++] = node;
    for (size_t k = net->parent_at[node]; k <= net->parent_at[node + 1]; k++) {
        const uint32_t v = k < net->parent_at[node + 1] ? net->parent[k] : node;

        if (d->state[v] == UINT32_MAX && d->taken[v] != d->stamp) {
            d->taken[v] = d->stamp;
            d->group[(*members)++] = v;
        }
    }
}

/* The group of a missing variable: families that touch it bring in others, until none does. */
static void gather_group(const cr__network *net, workspace *d, uint32_t start, size_t *families,
                         size_t *members)
{
    *families = 0;
    *members = 1;
    d->group[0] = start;
    d->taken[start] = d->stamp;
    for (size_t i = 0; i < *members; i++) {
        const uint32_t v = d->group[i];

        add_family(net, d, v, families, members);
        for (size_t k = net->child_at[v]; k < net->child_at[v + 1]; k++)
            add_family(net, d, net->child[k], families, members);
    }
}

static size_t combinations(const cr__network *net, const workspace *d, size_t members)
{
    size_t n = 1;

    for (size_t i = 0; i < members; i++) {
        if (n > GROUP_MAX / net->states[d->group[i]])
            return SIZE_MAX;
        n *= net->states[d->group[i]];
    }
    return n;
}

/* The next combination of a group's states. */
static void next_combination(const cr__network *net, workspace *d, size_t members)
{
    for (size_t i = 0; i < members; i++) {
        if (++d->state[d->group[i]] < net->states[d->group[i]])
            return;
        d->state[d->group[i]] = 0;
    }
}

static void set_group(workspace *d, size_t members, uint32_t state)
{
    for (size_t i = 0; i < members; i++)
        d->state[d->group[i]] = state;
}

/* The log of the product of the families' entries, without underflow. */
static double log_product(const cr__network *net, const workspace *d, size_t families)
{
    double product = 1, shift = 0;

    for (size_t i = 0; i < families; i++) {
        const uint32_t v = d->family[i];

        product *= net->table[cr__row_at(net, v, d->state) + d->state[v]];
        if (product < 1e-200) {
            if (product == 0)
                return -INFINITY;
            shift += log(product);
            product = 1;
        }
    }
    return log(product) + shift;
}

/* Add n rows' expected counts of a group; returns the log of the sum over its families. */
static double expect_group(const cr__network *net, workspace *d, size_t families, size_t members,
                           size_t count, double n, double *counts)
{
    double most = -INFINITY, sum = 0;

    set_group(d, members, 0);
    for (size_t i = 0; i < count; i++, next_combination(net, d, members)) {
        d->weight[i] = log_product(net, d, families);
        most = d->weight[i] > most ? d->weight[i] : most;
    }
    if (most == -INFINITY)
        return most;
    for (size_t i = 0; i < count; i++)
        sum += d->weight[i] = exp(d->weight[i] - most);
    set_group(d, members, 0);
    for (size_t i = 0; i < count; i++, next_combination(net, d, members)) {
        const double share = n * d->weight[i] / sum;

        for (size_t k = 0; share > 0 && k < families; k++)
            counts[cr__row_at(net, d->family[k], d->state) + d->state[d->family[k]]] += share;
    }
    return most + log(sum);
}

/* --- rows with large groups ------------------------------------------------------------------- */

/* Add n rows' expected counts of one family: its missing variables are queried. *log_p becomes ln
 * P(what the row has). */
static cr_status expect_family(const cr__network *net, workspace *d, uint32_t node, double n,
                               double *counts, double *log_p, cr_error *err)
{
    const cr__evidence given = {.state = d->state};
    size_t members = 0, count = 1;
    double *p, sum = 0;
    int64_t exponent = 0;
    cr_status st;

    for (size_t k = net->parent_at[node]; k <= net->parent_at[node + 1]; k++) {
        const uint32_t v = k < net->parent_at[node + 1] ? net->parent[k] : node;

        if (d->state[v] == UINT32_MAX) {
            d->group[members++] = v;
            count *= net->states[v];
        }
    }
    if ((p = cr__alloc(count, sizeof *p)) == NULL)
        return cr__fail_memory(err);
    st = cr__ask_joint(net, &given, d->group, (uint32_t)members, 0, NULL, p, &exponent, err);
    for (size_t i = 0; st == CR_OK && i < count; i++)
        sum += p[i];
    *log_p = sum > 0 ? log(sum) + (double)exponent * log(2) : -INFINITY;
    for (size_t i = 0; st == CR_OK && sum > 0 && i < count; i++) {
        size_t rest = i; /* the last variable is the fastest */

        for (size_t m = members; m-- > 0;) {
            d->state[d->group[m]] = (uint32_t)(rest % net->states[d->group[m]]);
            rest /= net->states[d->group[m]];
        }
        counts[cr__row_at(net, node, d->state) + d->state[node]] += n * p[i] / sum;
    }
    set_group(d, members, UINT32_MAX);
    cr__free(p);
    return st;
}

static cr_status expect_by_asking(const cr__network *net, workspace *d, double n, chunk *c)
{
    double log_p = 0;
    cr_status st = CR_OK;

    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++)
        if (!cr__record_has_family(net, i, d->state))
            st = expect_family(net, d, i, n, c->counts, &log_p, &c->err);
    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++) /* counted with the complete ones */
        if (cr__record_has_family(net, i, d->state))
            log_p -= log(net->table[cr__row_at(net, i, d->state) + d->state[i]]);
    c->log_likelihood += n * log_p;
    return st;
}

/* --- the expectation -------------------------------------------------------------------------- */

/* Whether all groups of a row can be enumerated. */
static int groups_are_small(const cr__network *net, workspace *d)
{
    size_t families, members;

    d->stamp++;
    for (uint32_t i = 0; i < net->nodes; i++)
        if (d->state[i] == UINT32_MAX && d->taken[i] != d->stamp) {
            gather_group(net, d, i, &families, &members);
            if (combinations(net, d, members) == SIZE_MAX)
                return 0;
        }
    return 1;
}

static cr_status expect_row(const em *e, workspace *d, size_t row, chunk *c)
{
    const cr__network *net = e->net;
    const double n = cr__count_value(cr__cells_at(e->records->cells, row));
    size_t families, members;

    cr__record_states(net, e->records, row, d->state);
    if (!groups_are_small(net, d))
        return expect_by_asking(net, d, n, c);
    d->stamp++;
    for (uint32_t i = 0; i < net->nodes; i++) {
        if (d->state[i] != UINT32_MAX || d->taken[i] == d->stamp)
            continue;
        gather_group(net, d, i, &families, &members);
        c->log_likelihood += n * expect_group(net, d, families, members,
                                              combinations(net, d, members), n, c->counts);
        set_group(d, members, UINT32_MAX);
    }
    return CR_OK;
}

static void work(void *context, int worker)
{
    em *e = context;

    for (int k = worker; k < CHUNKS; k += e->workers) {
        chunk *c = &e->chunk[k];
        const size_t end = e->gappy_count * ((size_t)k + 1) / CHUNKS;

        memset(c->counts, 0, e->cells * sizeof *c->counts);
        c->log_likelihood = 0;
        c->status = CR_OK;
        for (size_t i = e->gappy_count * (size_t)k / CHUNKS; i < end && c->status == CR_OK; i++)
            c->status = expect_row(e, &e->workspace[worker], e->gappy[i], c);
    }
}

/* Expected counts under the current tables, and Σ ln P(d). */
static cr_status expect(em *e, double *log_likelihood, cr_error *err)
{
    double sum = 0;

    cr__pool_run(e->pool, work, e);
    for (int k = 0; k < CHUNKS; k++)
        if (e->chunk[k].status != CR_OK) {
            if (err != NULL)
                *err = e->chunk[k].err;
            return e->chunk[k].status;
        }
    memcpy(e->counts, e->complete, e->cells * sizeof *e->counts);
    for (size_t i = 0; i < e->cells; i++)
        sum += e->complete[i] > 0 ? e->complete[i] * log(e->net->table[i]) : 0;
    for (int k = 0; k < CHUNKS; k++) {
        sum += e->chunk[k].log_likelihood;
        for (size_t i = 0; i < e->cells; i++)
            e->counts[i] += e->chunk[k].counts[i];
    }
    *log_likelihood = sum;
    return CR_OK;
}

/* What the prior adds to the objective: Σ a ln P(k | j). */
static double prior_part(const cr__network *net, const cr__prior *prior)
{
    double sum = 0;

    for (uint32_t i = 0; i < net->nodes; i++) {
        const double a = cr__prior_pseudo(prior, net, i);

        for (size_t at = net->table_at[i]; a > 0 && at < net->table_at[i + 1]; at++)
            sum += a * log(net->table[at]);
    }
    return sum;
}

/* --- the beginning ---------------------------------------------------------------------------- */

static int is_hidden(const em *e, uint32_t node)
{
    for (size_t k = e->net->parent_at[node]; k < e->net->parent_at[node + 1]; k++)
        if (e->records->variable[e->net->parent[k]] == UINT32_MAX)
            return 1;
    return e->records->variable[node] == UINT32_MAX;
}

/* Tables from the complete families, plus one in each cell; families with a hidden variable, which
 * no row has completely, begin at random, since equal parts would stay equal for ever. */
static void begin_tables(const em *e, cr__network *net, uint64_t seed)
{
    const cr__prior one = {CR__PRIOR_DIRICHLET, 1};
    cr__random random;

    cr__set_tables(net, e->complete, &one);
    cr__random_seed(&random, seed);
    for (uint32_t i = 0; i < net->nodes; i++) {
        const uint32_t states = net->states[i];

        for (size_t at = net->table_at[i]; is_hidden(e, i) && at < net->table_at[i + 1];
             at += states) {
            double sum = 0;

            for (uint32_t k = 0; k < states; k++)
                sum += net->table[at + k] = 1 + cr__random_uniform(&random);
            for (uint32_t k = 0; k < states; k++)
                net->table[at + k] /= sum;
        }
    }
}

static void free_em(em *e)
{
    for (int w = 0; e->workspace != NULL && w < e->workers; w++) {
        cr__free(e->workspace[w].state);
        cr__free(e->workspace[w].weight);
    }
    for (int k = 0; k < CHUNKS; k++)
        cr__free(e->chunk[k].counts);
    cr__free(e->workspace);
    cr__free(e->gappy);
    cr__free(e->complete);
    cr__free(e->counts);
    cr_pool_free(e->pool);
}

static cr_status make_workspaces(em *e, cr_error *err)
{
    const size_t n = e->net->nodes;

    e->workers = cr_pool_threads(e->pool);
    if ((e->workspace = cr__alloc_zero((size_t)e->workers, sizeof *e->workspace)) == NULL)
        return cr__fail_memory(err);
    for (int w = 0; w < e->workers; w++) {
        workspace *d = &e->workspace[w];

        d->state = cr__alloc_zero(n * 5, sizeof *d->state);
        d->weight = cr__alloc(GROUP_MAX, sizeof *d->weight);
        if (d->state == NULL || d->weight == NULL)
            return cr__fail_memory(err);
        d->group = d->state + n;
        d->family = d->group + n;
        d->seen = d->family + n;
        d->taken = d->seen + n;
    }
    return CR_OK;
}

static cr_status make_em(em *e, int threads, cr_error *err)
{
    const cr__cells *cells = e->records->cells;
    uint32_t *state;
    cr_status st = cr_pool_new(&e->pool, threads, err);

    if (st != CR_OK || (st = make_workspaces(e, err)) != CR_OK)
        return st;
    e->cells = e->net->table_at[e->net->nodes];
    e->gappy = cr__alloc(cells->count, sizeof *e->gappy);
    e->complete = cr__alloc(e->cells, sizeof *e->complete);
    e->counts = cr__alloc(e->cells, sizeof *e->counts);
    if (e->gappy == NULL || e->complete == NULL || e->counts == NULL)
        return cr__fail_memory(err);
    for (int k = 0; k < CHUNKS; k++)
        if ((e->chunk[k].counts = cr__alloc(e->cells, sizeof(double))) == NULL)
            return cr__fail_memory(err);
    state = e->workspace[0].state;
    for (size_t r = 0; r < cells->count; r++)
        if (cr__record_states(e->net, e->records, r, state))
            e->gappy[e->gappy_count++] = r;
    return cr__count_tables(e->complete, e->net, e->records, err);
}

/* --- the rounds ------------------------------------------------------------------------------- */

/* One row of a table along the gradient g(k) = (N(k, j) + a) / (P(k | j) N(j)). The component that
 * only changes the sum is removed, so that the row keeps its sum of 1; no probability falls below a
 * tenth of itself in a step. */
static void ascend_row(double *p, const double *counts, uint32_t states, double a, double total,
                       double rate)
{
    double mean = 0, sum = 0;

    for (uint32_t k = 0; k < states; k++)
        mean += p[k] > 0 ? (counts[k] + a) / p[k] / total / states : 0;
    for (uint32_t k = 0; k < states; k++) {
        const double to = p[k] > 0 ? p[k] + rate * ((counts[k] + a) / p[k] / total - mean) : 0;

        p[k] = to > p[k] / 10 ? to : p[k] / 10;
        sum += p[k];
    }
    for (uint32_t k = 0; k < states; k++)
        p[k] /= sum;
}

/* All rows; a combination of parents without any counts is left unchanged. */
static void ascend(cr__network *net, const double *counts, const cr__prior *prior, double rate)
{
    for (uint32_t i = 0; i < net->nodes; i++) {
        const double a = cr__prior_pseudo(prior, net, i);
        const uint32_t states = net->states[i];

        for (size_t at = net->table_at[i]; at < net->table_at[i + 1]; at += states) {
            double total = states * a;

            for (uint32_t k = 0; k < states; k++)
                total += counts[at + k];
            if (total > 0)
                ascend_row(net->table + at, counts + at, states, a, total, rate);
        }
    }
}

/* A step that does not decrease the objective: a rate that does is halved, one that works grows
 * again. */
static cr_status ascend_safely(em *e, cr__network *net, const cr__em_plan *plan, double *rate,
                               double *kept, double *log_likelihood, double *objective,
                               cr_error *err)
{
    const double before = *objective;
    cr_status st;

    memcpy(kept, net->table, e->cells * sizeof *kept);
    memcpy(kept + e->cells, e->counts, e->cells * sizeof *kept);
    for (;;) {
        ascend(net, kept + e->cells, &plan->prior, *rate);
        if ((st = expect(e, log_likelihood, err)) != CR_OK)
            return st;
        *objective = *log_likelihood + prior_part(net, &plan->prior);
        if (*objective >= before || *rate < 1e-12)
            break;
        memcpy(net->table, kept, e->cells * sizeof *kept);
        *rate /= 2;
    }
    *rate *= 1.5;
    return CR_OK;
}

static cr_status run_rounds(em *e, cr__network *net, const cr__em_plan *plan, cr__em_report *report,
                            double *kept, cr_error *err)
{
    double rate = .05, objective, before;
    cr_status st = expect(e, &report->log_likelihood, err);

    objective = report->log_likelihood + prior_part(net, &plan->prior);
    if (st == CR_OK && report->trace != NULL)
        report->trace[0] = objective;
    while (st == CR_OK && report->rounds < plan->rounds) {
        before = objective;
        if (plan->gradient) {
            st = ascend_safely(e, net, plan, &rate, kept, &report->log_likelihood, &objective, err);
        } else {
            cr__set_tables(net, e->counts, &plan->prior);
            st = expect(e, &report->log_likelihood, err);
            objective = report->log_likelihood + prior_part(net, &plan->prior);
        }
        report->rounds++;
        if (st == CR_OK && report->trace != NULL)
            report->trace[report->rounds] = objective;
        if (fabs(objective - before) <= CLOSE_ENOUGH * (1 + fabs(objective)))
            break;
    }
    report->objective = objective;
    return st;
}

cr_status cr__em(cr__network *net, const cr__records *records, const cr__em_plan *plan,
                 cr__em_report *report, cr_error *err)
{
    em e = {.net = net, .records = records};
    double *kept = NULL;
    cr_status st = make_em(&e, plan->threads, err);

    *report = (cr__em_report){.trace = report->trace};
    if (st == CR_OK && plan->gradient && (kept = cr__alloc(e.cells * 2, sizeof *kept)) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK) {
        if (!plan->warm)
            begin_tables(&e, net, plan->seed);
        st = run_rounds(&e, net, plan, report, kept, err);
    }
    cr__free(kept);
    free_em(&e);
    return st;
}
