/* model/network/given_score.c - log P(class, row) of a network; and why.
 *
 * What a row lacks is summed out, exactly, and so is a value that was never seen. A row that has
 * everything but the target needs no inference: the product of the tables' rows is its probability.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "model/network/given.h"

/* The states that a row observes, without the target. Returns how many it does not. */
static uint32_t read_row(const cr__given_network *g, const cr__batch *batch, size_t row,
                         uint32_t *state)
{
    uint32_t lacking = 0;

    for (uint32_t i = 0; i < g->network->nodes; i++) {
        const uint32_t code = i == g->target ? CR__MISSING : batch->column[i].code[row];

        state[i] = code == CR__MISSING || code > g->network->states[i] ? UINT32_MAX : code - 1;
        lacking += i != g->target && state[i] == UINT32_MAX;
    }
    return lacking;
}

/* All is known but the target: the tables that it is in depend on the class. */
static void score_whole(const cr__given_network *g, uint32_t *state, double *score)
{
    const cr__network *net = g->network;
    const uint32_t t = g->target;
    double rest = 0;

    for (uint32_t i = 0; i < net->nodes; i++) {
        int about = i == t;

        for (size_t k = net->parent_at[i]; k < net->parent_at[i + 1]; k++)
            about |= net->parent[k] == t;
        if (!about)
            rest += log(net->table[cr__row_at(net, i, state) + state[i]]);
    }
    for (uint32_t c = 0; c < (t == CR__NO_NODE ? 1 : net->states[t]); c++) {
        score[c] = rest;
        if (t == CR__NO_NODE)
            break;
        state[t] = c;
        score[c] += log(net->table[cr__row_at(net, t, state) + c]);
        for (size_t k = net->child_at[t]; k < net->child_at[t + 1]; k++) {
            const uint32_t child = net->child[k];

            score[c] += log(net->table[cr__row_at(net, child, state) + state[child]]);
        }
    }
}

/* By inference; all classes -infinity when the row is impossible. */
static cr_status score_part(const cr__given_network *g, cr__tree *tree, const uint32_t *state,
                            size_t classes, double *score, cr_error *err)
{
    double log_evidence;
    cr_status st;

    for (uint32_t i = 0; i < g->network->nodes; i++)
        cr__tree_observe(tree, i, state[i]);
    if ((st = cr__tree_evidence(tree, &log_evidence, err)) != CR_OK)
        return st;
    if (log_evidence == -INFINITY || g->target == CR__NO_NODE) {
        for (size_t c = 0; c < classes; c++)
            score[c] = log_evidence;
        return CR_OK;
    }
    if ((st = cr__tree_posterior(tree, g->target, score, err)) != CR_OK)
        return st;
    for (size_t c = 0; c < classes; c++)
        score[c] = score[c] > 0 ? log(score[c]) + log_evidence : -INFINITY;
    return CR_OK;
}

static size_t class_count(const cr__given_network *g)
{
    return g->target == CR__NO_NODE ? 1 : g->network->states[g->target];
}

cr_status cr__given_score(const void *fitted, const cr__batch *batch, double *score, cr_error *err)
{
    const cr__given_network *g = fitted;
    const size_t classes = class_count(g);
    uint32_t *state = cr__alloc(g->network->nodes, sizeof *state);
    cr__tree *tree = NULL;
    cr_status st = state == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t r = 0; st == CR_OK && r < batch->rows; r++, score += classes) {
        if (read_row(g, batch, r, state) == 0) {
            score_whole(g, state, score);
            continue;
        }
        if (tree == NULL)
            st = cr__tree_new(&tree, g->network, g->memory, NULL, err);
        if (st == CR_OK)
            st = score_part(g, tree, state, classes, score, err);
    }
    cr__tree_free(tree);
    cr__free(state);
    return st;
}

/* --- why -------------------------------------------------------------------------------------- */

/* Which of the values before it a node depends on besides the class: the observations that a ball
 * meets on its way from the node (R. Shachter, "Bayes-ball", 1998). It passes an unobserved node in
 * any direction but from a parent back to another one, and an observed one only in that. */
typedef struct ball {
    const cr__network *net;
    unsigned char *known;         /* [nodes] */
    unsigned char *up, *down;     /* [nodes] parents, children were visited from here */
    unsigned char *met;           /* [nodes] */
    uint32_t *stack;              /* [2 * nodes] the node twice, plus 1 when it came from a child */
    size_t depth;
} ball;

static void visit(ball *b, const size_t *at, const uint32_t *list, uint32_t node, int from_child)
{
    for (size_t k = at[node]; k < at[node + 1]; k++)
        if (!(from_child ? b->up : b->down)[list[k]]) {
            (from_child ? b->up : b->down)[list[k]] = 1;
            b->stack[b->depth++] = list[k] * 2 + (uint32_t)from_child;
        }
}

static void roll(ball *b, uint32_t from)
{
    const cr__network *net = b->net;

    b->depth = 0;
    b->up[from] = 1;
    b->stack[b->depth++] = from * 2 + 1;
    while (b->depth > 0) {
        const uint32_t node = b->stack[--b->depth] / 2, from_child = b->stack[b->depth] % 2;

        b->met[node] = 1;
        if (b->known[node] ? !from_child : from_child)
            visit(b, net->parent_at, net->parent, node, 1);
        if (!b->known[node])
            visit(b, net->child_at, net->child, node, 0);
    }
}

/* known: the states of the values before it; the node itself is none of them yet. */
static cr_status name_givens(const cr__given_network *g, const uint32_t *known, uint32_t node,
                             cr_factor *f, cr_error *err)
{
    const uint32_t n = g->network->nodes;
    unsigned char *room = cr__alloc_zero(n, 4);
    uint32_t *stack = cr__alloc(n, 2 * sizeof *stack);
    ball b = {g->network, room, room + n, room + 2 * (size_t)n, room + 3 * (size_t)n, stack, 0};

    if (room == NULL || stack == NULL) {
        cr__free(room);
        cr__free(stack);
        return cr__fail_memory(err);
    }
    for (uint32_t i = 0; i < n; i++)
        b.known[i] = i == g->target || known[i] != UINT32_MAX;
    roll(&b, node);
    for (uint32_t i = 0; i < n; i++)
        if (b.met[i] && known[i] != UINT32_MAX) {
            if (f->givens < CR_FACTOR_GIVEN)
                f->given[f->givens] = i;
            f->givens++;
        }
    f->chained = f->givens > 0;
    cr__free(room);
    cr__free(stack);
    return CR_OK;
}

/* One more value is known: what it adds to each class, P(value | class, the values before it). */
static void set_factor(cr_factor *f, size_t classes, const double *before, const double *after,
                       double *log_p)
{
    for (size_t c = 0; c < classes; c++)
        log_p[c] = after[c] == -INFINITY ? (before[c] == -INFINITY ? 0 : -INFINITY)
                                         : after[c] - before[c];
    f->log_p = log_p;
}

cr_status cr__given_factors(const void *fitted, const cr__stats *stats, const cr__knobs *knobs,
                            const cr__batch *batch, size_t row, cr_factor *factor, size_t *count,
                            double *work, cr_error *err)
{
    const cr__given_network *g = fitted;
    const cr__network *net = g->network;
    const size_t classes = class_count(g);
    uint32_t *state = cr__alloc(net->nodes, sizeof *state);
    uint32_t *known = cr__alloc(net->nodes, sizeof *known);
    double *score = cr__alloc(2 * classes, sizeof *score), *before = score;
    cr__tree *tree = NULL;
    cr_status st = CR_OK;

    (void)stats;
    (void)knobs;
    if (state == NULL || known == NULL || score == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        st = cr__tree_new(&tree, net, g->memory, NULL, err);
    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++)
        known[i] = UINT32_MAX;
    if (st == CR_OK) {
        read_row(g, batch, row, state);
        factor[0] = (cr_factor){.column = SIZE_MAX, .name = "prior", .log_p = work};
        st = score_part(g, tree, known, classes, work, err);
        memcpy(before, work, classes * sizeof *before);
        *count = 1;
    }
    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++) {
        cr_factor *f = &factor[*count];
        double *after = score + classes, *log_p = work + *count * classes;

        if (i == g->target)
            continue;
        *f = (cr_factor){.column = i, .name = net->name[i]};
        ++*count;
        if (state[i] == UINT32_MAX) {
            f->left_out = batch->column[i].code[row] == CR__MISSING ? 1 : 2;
            memset(log_p, 0, classes * sizeof *log_p);
            f->log_p = log_p;
            continue;
        }
        if ((st = name_givens(g, known, i, f, err)) != CR_OK)
            continue;
        known[i] = state[i];
        st = score_part(g, tree, known, classes, after, err);
        set_factor(f, classes, before, after, log_p);
        memcpy(before, after, classes * sizeof *before);
    }
    cr__tree_free(tree);
    cr__free(state);
    cr__free(known);
    cr__free(score);
    return st;
}
