/* learners/network/score.c - log P(class, row) of a network, a numeric target, and explanations.
 *
 * What a row lacks is summed out, exactly, and so is a value that was never seen. A row that has
 * everything but the target needs no inference: the product of the tables' rows is its probability.
 * row_scorer.c does the work.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/network/row_scorer.h"

static size_t class_count(const cr__network_model *g)
{
    return g->target == CR__NO_NODE ? 1 : g->network->states[g->target];
}

cr_status cr__network_model_begin(void **state, const void *fitted, cr_error *err)
{
    return cr__row_scorer_open((cr__row_scorer **)state, fitted, err);
}

void cr__network_model_end(void *state)
{
    cr__row_scorer_close(state);
}

cr_status cr__network_model_score(const void *fitted, void *state, const cr__batch *batch,
                                  double *score, cr_error *err)
{
    const size_t classes = class_count(fitted);
    cr_status st = CR_OK;

    for (size_t r = 0; st == CR_OK && r < batch->rows; r++) {
        cr__row_scorer_read(state, batch, r);
        st = cr__row_scorer_score(state, classes, score + r * classes, err);
    }
    return st;
}

cr_status cr__network_model_regress(const void *fitted, void *state, const cr__batch *batch,
                                    cr_regression *out, cr_error *err)
{
    const cr__network_model *g = fitted;
    cr_status st = CR_OK;

    for (size_t r = 0; st == CR_OK && r < batch->rows; r++) {
        cr__row_scorer_read(state, batch, r);
        st = cr__row_scorer_number(state, g->target, &out[r].mean, &out[r].scale, err);
        out[r].freedom = INFINITY;
        if (st == CR_ECONFLICT)
            st = cr__fail_at(err, st, NULL, batch->record[r].line, 0);
    }
    return st;
}

/* --- explanations ----------------------------------------------------------------------------- */

/* Which of the earlier values a node depends on besides the class: the observations that a ball
 * starting at the node reaches (R. Shachter, "Bayes-ball", 1998). It passes an unobserved node in
 * any direction except from one parent to another, and an observed one only in that way. */
typedef struct ball {
    const cr__network *net;
    unsigned char *known;     /* [nodes] */
    unsigned char *up, *down; /* [nodes] parents, children were visited from here */
    unsigned char *met;       /* [nodes] */
    uint32_t *stack;          /* [2 * nodes] the node twice, plus 1 when it came from a child */
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

/* known: the states of the values before it; the node itself is not one of them yet. */
static cr_status name_givens(const cr__network_model *g, const uint32_t *known, uint32_t node,
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

/* One more value is known: its contribution to each class, P(value | class, the values before
 * it). */
static void set_factor(cr_factor *f, size_t classes, const double *before, const double *after,
                       double *log_p)
{
    for (size_t c = 0; c < classes; c++)
        log_p[c] =
            after[c] == -INFINITY ? (before[c] == -INFINITY ? 0 : -INFINITY) : after[c] - before[c];
    f->log_p = log_p;
}

/* Tell the scorer the value of node i of the row, or retract it. */
static void learn_node(cr__row_scorer *scorer, const cr__batch *batch, size_t row, uint32_t i,
                       int forget)
{
    const cr__normals *n = scorer->g->normals;

    if (scorer->g->network->gaussian[i]) {
        scorer->known[n->place[i]] = !forget;
        scorer->x[n->place[i]] = forget ? NAN : batch->column[i].real[row];
        scorer->knowns += forget ? 0 : 1;
    }
    scorer->state[i] = forget                            ? UINT32_MAX
                       : scorer->g->network->gaussian[i] ? 0
                                                         : batch->column[i].code[row] - 1;
}

/* Why a column is left out: 1 missing, 2 never seen. */
static int left_out(const cr__batch_column *column, size_t row)
{
    return column->kind == CR_REAL || column->code[row] == CR__MISSING ? 1 : 2;
}

cr_status cr__network_model_factors(const void *fitted, void *state, const cr__stats *stats,
                                    const cr__knobs *knobs, const cr__batch *batch, size_t row,
                                    cr_factor *factor, size_t *count, double *work, cr_error *err)
{
    const cr__network_model *g = fitted;
    const cr__network *net = g->network;
    const size_t classes = class_count(g);
    unsigned char *has = cr__alloc_zero(net->nodes, 1);
    double *score = cr__alloc(2 * classes, sizeof *score), *before = score;
    cr__row_scorer *scorer = state;
    cr_status st = has == NULL || score == NULL ? cr__fail_memory(err) : CR_OK;

    (void)stats;
    (void)knobs;
    if (st == CR_OK) {
        cr__row_scorer_read(scorer, batch, row);
        for (uint32_t i = 0; i < net->nodes; i++) {
            has[i] = scorer->state[i] != UINT32_MAX;
            learn_node(scorer, batch, row, i, 1);
        }
        scorer->knowns = 0;
        factor[0] = (cr_factor){.column = SIZE_MAX, .name = "prior", .log_p = work};
        st = cr__row_scorer_score(scorer, classes, work, err);
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
        if (!has[i]) {
            f->left_out = left_out(&batch->column[i], row);
            memset(log_p, 0, classes * sizeof *log_p);
            f->log_p = log_p;
            continue;
        }
        if ((st = name_givens(g, scorer->state, i, f, err)) != CR_OK)
            continue;
        learn_node(scorer, batch, row, i, 0);
        st = cr__row_scorer_score(scorer, classes, after, err);
        set_factor(f, classes, before, after, log_p);
        memcpy(before, after, classes * sizeof *before);
    }
    cr__free(has);
    cr__free(score);
    return st;
}

/* --- one class -------------------------------------------------------------------------------- */

void cr__network_model_gaussian(const void *fitted, size_t column, size_t c, cr_gaussian *out)
{
    const cr__network_model *g = fitted;
    double mean, deviation;
    cr__row_scorer *scorer;

    if (column >= g->network->nodes || !g->network->gaussian[column] ||
        cr__row_scorer_open(&scorer, g, NULL) != CR_OK)
        return;
    for (uint32_t i = 0; i < g->network->nodes; i++)
        scorer->state[i] = UINT32_MAX;
    for (uint32_t i = 0; i < g->normals->count; i++)
        scorer->x[i] = NAN;
    if (g->target != CR__NO_NODE && !g->network->gaussian[g->target])
        scorer->state[g->target] = (uint32_t)c;
    if (cr__row_scorer_number(scorer, (uint32_t)column, &mean, &deviation, NULL) == CR_OK) {
        out->fitted_mean = mean;
        out->fitted_variance = deviation * deviation;
    }
    cr__row_scorer_close(scorer);
}
