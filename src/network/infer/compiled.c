/* network/infer/compiled.c - an elimination order compiled into steps, and their evaluation for
 * rows. */
#include "network/infer/compiled.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "network/graph/order.h"
#include "network/infer/infer.h"

enum {
    SCOPE_MOST = 32, /* variables of a step; more would exceed any limit */
    FEW_INPUTS = 8   /* each has its largest cell above a half, so their product stays in range */
};

/* A table or a message that a step multiplies. */
typedef struct input {
    uint32_t from; /* the step whose message it is, or UINT32_MAX: a table */
    size_t at;     /* where its cells begin, in the tables or the messages */
    size_t
        stride_at; /* [variables of the step] how far apart the states of each are; 0: not in it */
} input;

/* One variable is summed out of a product. Its scope is the variables of the message, then the one
 * summed out. */
typedef struct step {
    uint32_t variables;
    size_t variable_at; /* into node */
    size_t input_at;
    uint32_t inputs;
    size_t message_at;
    size_t stride_at; /* of the message */
} step;

struct cr__compiled {
    const cr__network *net;
    uint32_t target;
    uint32_t steps; /* in the order of elimination; the last one sums nothing: it is the result */
    step *step;
    size_t inputs, nodes, strides; /* counted */
    input *input;
    uint32_t *node;
    size_t *stride;
    size_t cells, messages, most; /* of tables, of messages, of the largest message */
    double *table;
    double *message;   /* [messages] of rows without evidence */
    int64_t *exponent; /* [steps] */
};

struct cr__compiled_work {
    const cr__compiled *c;
    double *message;      /* [messages] */
    int64_t *exponent;    /* [steps] the true numbers are message * 2^exponent */
    unsigned char *quiet; /* [steps] no evidence behind the message: it is the plan's */
    const double **at;    /* [most inputs] where the product is */
    const size_t **apart; /* [most inputs] their strides */
    cr__scaled *wide;     /* [most cells of a message] */
};

/* --- rows ------------------------------------------------------------------------------------- */

/* The variables of a step that a row does not know, except the one summed out. */
typedef struct walk {
    uint32_t free;
    uint32_t variable[SCOPE_MOST]; /* place in the step's scope */
    uint32_t size[SCOPE_MOST], digit[SCOPE_MOST];
} walk;

/* Advance to the next cell: 0 past the last. *out is where it is in the message. */
static int advance(walk *w, const cr__compiled_work *work, const step *s, size_t *out)
{
    const size_t *stride = work->c->stride + s->stride_at;

    for (uint32_t k = w->free; k-- > 0;) {
        const uint32_t v = w->variable[k];
        const int wraps = ++w->digit[k] == w->size[k];
        const ptrdiff_t steps = wraps ? 1 - (ptrdiff_t)w->size[k] : 1;

        for (uint32_t i = 0; i < s->inputs; i++)
            work->at[i] += steps * (ptrdiff_t)work->apart[i][v];
        *out += (size_t)steps * stride[v];
        if (!wraps)
            return 1;
        w->digit[k] = 0;
    }
    return 0;
}

/* Σ over the states of the last variable of the product of the inputs. */
static double sum_of_few(const cr__compiled_work *work, const step *s, uint32_t last,
                         uint32_t states)
{
    double sum = 0;

    for (uint32_t v = 0; v < states; v++) {
        double p = work->at[0][v * work->apart[0][last]];

        for (uint32_t i = 1; i < s->inputs; i++)
            p *= work->at[i][v * work->apart[i][last]];
        sum += p;
    }
    return sum;
}

/* The same for so many factors that the product might leave the range of a double. */
static cr__scaled sum_of_many(const cr__compiled_work *work, const step *s, uint32_t last,
                              uint32_t states)
{
    cr__scaled sum = {0, 0};

    for (uint32_t v = 0; v < states; v++) {
        cr__scaled p = cr__scaled_of(1, 0);

        for (uint32_t i = 0; i < s->inputs; i++)
            p = cr__scaled_times(p, cr__scaled_of(work->at[i][v * work->apart[i][last]], 0));
        sum = cr__scaled_add(sum, p);
    }
    return sum;
}

/* Where the product of a step begins, for what a row knows; loop over the rest. */
static void enter(cr__compiled_work *work, const step *s, const uint32_t *state, walk *w,
                  size_t *out)
{
    const cr__compiled *c = work->c;
    const uint32_t *node = c->node + s->variable_at;

    *out = s->message_at;
    w->free = 0;
    for (uint32_t i = 0; i < s->inputs; i++) {
        const input *in = &c->input[s->input_at + i];

        work->apart[i] = c->stride + in->stride_at;
        work->at[i] = (in->from == UINT32_MAX       ? c->table
                       : work->quiet[in->from] != 0 ? c->message
                                                    : work->message) +
                      in->at;
    }
    for (uint32_t v = 0; v < s->variables; v++) {
        const uint32_t known = state[node[v]];

        if (known != UINT32_MAX) {
            for (uint32_t i = 0; i < s->inputs; i++)
                work->at[i] += known * work->apart[i][v];
            *out += known * c->stride[s->stride_at + v];
        } else if (v + 1 < s->variables) {
            w->variable[w->free] = v;
            w->digit[w->free] = 0;
            w->size[w->free++] = c->net->states[node[v]];
        }
    }
}

/* The sum of the exponents of a step's inputs. */
static int64_t exponents_of(const cr__compiled_work *work, const step *s)
{
    const cr__compiled *c = work->c;
    int64_t sum = 0;

    for (uint32_t i = 0; i < s->inputs; i++) {
        const uint32_t from = c->input[s->input_at + i].from;

        if (from != UINT32_MAX)
            sum += work->quiet[from] ? c->exponent[from] : work->exponent[from];
    }
    return sum;
}

/* Fill a message, its largest cell at least a half and below 1. 0: all of it is 0. */
static int run_step(cr__compiled_work *work, uint32_t index, const uint32_t *state)
{
    const cr__compiled *c = work->c;
    const step *s = &c->step[index];
    const uint32_t last = s->variables - 1, own = c->node[s->variable_at + last];
    const uint32_t states = state[own] == UINT32_MAX ? c->net->states[own] : 1;
    cr__scaled top = {0, 0};
    size_t out, first, cells = 0;
    walk w, again;

    enter(work, s, state, &w, &out);
    first = out;
    again = w;
    do {
        const cr__scaled p = s->inputs <= FEW_INPUTS
                                 ? cr__scaled_of(sum_of_few(work, s, last, states), 0)
                                 : sum_of_many(work, s, last, states);

        work->wide[cells++] = p;
        if (p.value != 0 && (top.value == 0 || p.exponent > top.exponent))
            top = p;
    } while (advance(&w, work, s, &out));
    out = first;
    cells = 0;
    do {
        const cr__scaled p = work->wide[cells++];

        work->message[out] =
            p.value == 0 ? 0 : cr__scaled_shift(p.value, p.exponent - top.exponent);
    } while (advance(&again, work, s, &out));
    work->exponent[index] = exponents_of(work, s) + top.exponent;
    return top.value != 0;
}

/* The messages before the result. 0: the evidence is impossible. */
static int run(cr__compiled_work *work, const uint32_t *state)
{
    const cr__compiled *c = work->c;

    for (uint32_t k = 0; k + 1 < c->steps; k++) {
        const step *s = &c->step[k];

        work->quiet[k] = state[c->node[s->variable_at + s->variables - 1]] == UINT32_MAX;
        for (uint32_t i = 0; i < s->inputs; i++)
            work->quiet[k] &= c->input[s->input_at + i].from == UINT32_MAX ||
                              work->quiet[c->input[s->input_at + i].from];
        if (!work->quiet[k] && !run_step(work, k, state))
            return 0;
    }
    return 1;
}

void cr__compiled_score(cr__compiled_work *work, const uint32_t *state, double *score)
{
    const cr__compiled *c = work->c;
    const step *s = &c->step[c->steps - 1];
    const uint32_t states = c->target == CR__NO_NODE ? 1 : c->net->states[c->target];
    const int possible = run(work, state);
    const int64_t exponent = possible ? exponents_of(work, s) : 0;

    for (uint32_t v = 0; v < states; v++) {
        cr__scaled p = cr__scaled_of(possible, exponent);

        for (uint32_t i = 0; possible && i < s->inputs; i++) {
            const input *in = &c->input[s->input_at + i];
            const double *cell = in->from == UINT32_MAX  ? c->table
                                 : work->quiet[in->from] ? c->message
                                                         : work->message;

            p = cr__scaled_times(p, cr__scaled_of(cell[in->at + v * c->stride[in->stride_at]], 0));
        }
        score[v] = cr__scaled_log(p);
    }
}

/* --- work ------------------------------------------------------------------------------------- */

void cr__compiled_end(cr__compiled_work *work)
{
    if (work == NULL)
        return;
    cr__free(work->message);
    cr__free(work->exponent);
    cr__free(work->quiet);
    cr__free(work->at);
    cr__free(work->apart);
    cr__free(work->wide);
    cr__free(work);
}

cr__compiled_work *cr__compiled_begin(const cr__compiled *c)
{
    cr__compiled_work *work = cr__alloc_zero(1, sizeof *work);
    size_t most = 1;

    if (work == NULL)
        return NULL;
    for (uint32_t k = 0; k < c->steps; k++)
        most = c->step[k].inputs > most ? c->step[k].inputs : most;
    work->c = c;
    work->message = cr__alloc(c->messages, sizeof *work->message);
    work->exponent = cr__alloc_zero(c->steps, sizeof *work->exponent);
    work->quiet = cr__alloc_zero(c->steps, 1);
    work->at = cr__alloc(most, sizeof *work->at);
    work->apart = cr__alloc(most, sizeof *work->apart);
    work->wide = cr__alloc(c->most, sizeof *work->wide);
    if (work->message != NULL && work->exponent != NULL && work->quiet != NULL &&
        work->at != NULL && work->apart != NULL && work->wide != NULL)
        return work;
    cr__compiled_end(work);
    return NULL;
}

/* --- the plan --------------------------------------------------------------------------------- */

/* The data from which the plan is built, step by step. */
typedef struct planner {
    cr__compiled *c;
    cr__order order;
    uint32_t *goes_to;       /* [steps] the step of each message */
    uint32_t *table, *after; /* [steps], [nodes] the tables of each step as a list of nodes */
    uint32_t *sent, *next;   /* [steps] each: the messages to it likewise */
    unsigned char *scope;    /* [nodes] of the tables of a step */
    uint32_t *state;         /* [nodes] */
} planner;

static uint32_t least_rank(const planner *p, uint32_t node)
{
    const cr__network *net = p->c->net;
    uint32_t least = p->order.rank[node];

    for (size_t k = net->parent_at[node]; k < net->parent_at[node + 1]; k++)
        least = p->order.rank[net->parent[k]] < least ? p->order.rank[net->parent[k]] : least;
    return least;
}

/* The step in which a rank is eliminated: the last one for the target, and for what has no rank
 * left. */
static uint32_t step_of(const planner *p, uint32_t rank)
{
    return rank < p->order.eliminated ? rank : p->c->steps - 1;
}

/* Assign tables and messages to steps. */
static void link_inputs(planner *p)
{
    const cr__compiled *c = p->c;
    const cr__order *o = &p->order;

    for (uint32_t k = 0; k < c->steps; k++)
        p->table[k] = p->sent[k] = UINT32_MAX;
    for (uint32_t i = c->net->nodes; i-- > 0;) {
        const uint32_t least = c->net->gaussian[i] ? UINT32_MAX : least_rank(p, i);

        if (least != UINT32_MAX) {
            p->after[i] = p->table[step_of(p, least)];
            p->table[step_of(p, least)] = i;
        }
    }
    for (uint32_t k = o->eliminated; k-- > 0;) {
        const int alone = o->clique_at[k] == o->clique_at[k + 1];
        const uint32_t to = alone ? c->steps - 1 : step_of(p, o->clique[o->clique_at[k]]);

        p->goes_to[k] = to;
        p->next[k] = p->sent[to];
        p->sent[to] = k;
    }
}

/* Count everything, so that arrays can be allocated. 0: it is more than a plan may have. */
static int measure(planner *p, double limit)
{
    cr__compiled *c = p->c;
    const cr__order *o = &p->order;
    double bytes = 0;

    for (uint32_t k = 0; k < c->steps; k++) {
        const size_t shared = k < o->eliminated ? o->clique_at[k + 1] - o->clique_at[k] : 0;
        const size_t own = k < o->eliminated || c->target != CR__NO_NODE;
        double cells = 1;

        if (shared + own > SCOPE_MOST)
            return 0;
        for (size_t i = 0; i < shared; i++)
            cells *= o->size[o->clique[o->clique_at[k] + i]];
        bytes += cells * (2 * sizeof(double) + sizeof(cr__scaled));
        bytes += cells * (own ? o->size[k] : 1) * sizeof(double);
        if (bytes > limit)
            return 0;
        c->messages += (size_t)cells;
        c->most = (size_t)cells > c->most ? (size_t)cells : c->most;
        c->cells += (size_t)cells * (own ? o->size[k] : 1);
        c->nodes += shared + own;
        c->strides += (shared + own) * 3; /* of the message as an output and an input, the table */
    }
    /* A message is an input of a step that may have more variables than its own. */
    for (uint32_t k = 0; k < o->eliminated; k++) {
        const uint32_t to = p->goes_to[k];

        c->strides += to < o->eliminated ? o->clique_at[to + 1] - o->clique_at[to] + 1 : 1;
    }
    c->inputs = (size_t)c->steps * 2;
    return 1;
}

static int make_room(planner *p)
{
    cr__compiled *c = p->c;

    return (c->step = cr__alloc_zero(c->steps, sizeof *c->step)) != NULL &&
           (c->input = cr__alloc(c->inputs, sizeof *c->input)) != NULL &&
           (c->node = cr__alloc(c->nodes, sizeof *c->node)) != NULL &&
           (c->stride = cr__alloc_zero(c->strides, sizeof *c->stride)) != NULL &&
           (c->table = cr__alloc(c->cells, sizeof *c->table)) != NULL &&
           (c->message = cr__alloc(c->messages, sizeof *c->message)) != NULL &&
           (c->exponent = cr__alloc_zero(c->steps, sizeof *c->exponent)) != NULL;
}

/* Scopes, messages and the strides of the messages. */
static void lay_steps(planner *p)
{
    cr__compiled *c = p->c;
    const cr__order *o = &p->order;
    size_t messages = 0;

    c->nodes = c->strides = 0;
    for (uint32_t k = 0; k < c->steps; k++) {
        step *s = &c->step[k];
        size_t cells = 1;

        s->variable_at = c->nodes;
        s->stride_at = c->strides;
        s->message_at = messages;
        for (size_t i = 0; k < o->eliminated && i < o->clique_at[k + 1] - o->clique_at[k]; i++)
            c->node[c->nodes++] = o->node[o->clique[o->clique_at[k] + i]];
        for (size_t i = c->nodes - s->variable_at; i-- > 0;) {
            c->stride[s->stride_at + i] = cells;
            cells *= c->net->states[c->node[s->variable_at + i]];
        }
        if (k < o->eliminated)
            c->node[c->nodes++] = o->node[k];
        else if (c->target != CR__NO_NODE)
            c->node[c->nodes++] = c->target;
        s->variables = (uint32_t)(c->nodes - s->variable_at);
        c->strides += s->variables;
        messages += cells;
    }
}

/* The product of all tables of a step, over the variables that are in one of them. */
static size_t multiply_tables(planner *p, uint32_t k, const size_t *stride, size_t at)
{
    const cr__compiled *c = p->c;
    const step *s = &c->step[k];
    const uint32_t *node = c->node + s->variable_at;
    size_t cells = 1;

    for (uint32_t v = 0; v < s->variables; v++)
        cells *= p->scope[node[v]] ? c->net->states[node[v]] : 1;
    for (size_t cell = 0; cell < cells; cell++) {
        for (uint32_t v = 0; v < s->variables; v++)
            if (p->scope[node[v]])
                p->state[node[v]] = (uint32_t)(cell / stride[v] % c->net->states[node[v]]);
        c->table[at + cell] = 1;
        for (uint32_t i = p->table[k]; i != UINT32_MAX; i = p->after[i])
            c->table[at + cell] *= c->net->table[cr__row_at(c->net, i, p->state) + p->state[i]];
    }
    return cells;
}

/* The tables of a step as one input. */
static void add_tables(planner *p, uint32_t k, size_t *cells)
{
    cr__compiled *c = p->c;
    step *s = &c->step[k];
    size_t *stride = c->stride + c->strides, size = 1;

    if (p->table[k] == UINT32_MAX)
        return;
    for (uint32_t i = p->table[k]; i != UINT32_MAX; i = p->after[i]) {
        p->scope[i] = 1;
        for (size_t j = c->net->parent_at[i]; j < c->net->parent_at[i + 1]; j++)
            p->scope[c->net->parent[j]] = 1;
    }
    for (uint32_t v = s->variables; v-- > 0;)
        if (p->scope[c->node[s->variable_at + v]]) {
            stride[v] = size;
            size *= c->net->states[c->node[s->variable_at + v]];
        }
    c->input[c->inputs++] = (input){UINT32_MAX, *cells, c->strides};
    s->inputs++;
    *cells += multiply_tables(p, k, stride, *cells);
    c->strides += s->variables;
    for (uint32_t v = 0; v < s->variables; v++)
        p->scope[c->node[s->variable_at + v]] = 0;
}

/* A message as an input of the step that receives it. */
static void add_message(planner *p, uint32_t k, uint32_t from)
{
    cr__compiled *c = p->c;
    const step *s = &c->step[k], *m = &c->step[from];

    for (uint32_t v = 0; v < s->variables; v++)
        for (uint32_t i = 0; i + 1 < m->variables; i++)
            if (c->node[m->variable_at + i] == c->node[s->variable_at + v])
                c->stride[c->strides + v] = c->stride[m->stride_at + i];
    c->input[c->inputs++] = (input){from, m->message_at, c->strides};
    c->step[k].inputs++;
    c->strides += s->variables;
}

static void lay_inputs(planner *p)
{
    cr__compiled *c = p->c;
    size_t cells = 0;

    c->inputs = 0;
    for (uint32_t k = 0; k < c->steps; k++) {
        c->step[k].input_at = c->inputs;
        add_tables(p, k, &cells);
        for (uint32_t from = p->sent[k]; from != UINT32_MAX; from = p->next[from])
            add_message(p, k, from);
    }
}

/* The messages of a row without evidence. */
static cr_status rest(cr__compiled *c, uint32_t *state, cr_error *err)
{
    cr__compiled_work *work = cr__compiled_begin(c);

    if (work == NULL)
        return cr__fail_memory(err);
    for (uint32_t i = 0; i < c->net->nodes; i++)
        state[i] = UINT32_MAX;
    for (uint32_t k = 0; k + 1 < c->steps; k++)
        run_step(work, k, state);
    memcpy(c->message, work->message, c->messages * sizeof *c->message);
    memcpy(c->exponent, work->exponent, c->steps * sizeof *c->exponent);
    cr__compiled_end(work);
    return CR_OK;
}

static cr_status make_order(planner *p, cr_error *err)
{
    const cr__network *net = p->c->net;
    unsigned char *part = cr__alloc(net->nodes, 1);
    cr_status st;

    if (part == NULL)
        return cr__fail_memory(err);
    for (uint32_t i = 0; i < net->nodes; i++)
        part[i] = net->gaussian[i]      ? CR__PART_NONE
                  : i == p->c->target   ? CR__PART_KEPT
                  : net->states[i] == 1 ? CR__PART_OBSERVED
                                        : CR__PART_ELIMINATED;
    st = cr__order_make(&p->order, net, part, err);
    p->c->steps = p->order.eliminated + 1;
    cr__free(part);
    return st;
}

static cr_status plan(planner *p, uint64_t bytes, int *fits, cr_error *err)
{
    const uint32_t nodes = p->c->net->nodes;
    cr_status st = make_order(p, err);

    *fits = 0;
    if (st != CR_OK)
        return st;
    p->goes_to = cr__alloc(p->c->steps, sizeof *p->goes_to);
    p->table = cr__alloc(p->c->steps, sizeof *p->table);
    p->after = cr__alloc(nodes, sizeof *p->after);
    p->sent = cr__alloc(p->c->steps, sizeof *p->sent);
    p->next = cr__alloc(p->c->steps, sizeof *p->next);
    p->scope = cr__alloc_zero(nodes, 1);
    p->state = cr__alloc_zero(nodes, sizeof *p->state);
    if (p->goes_to == NULL || p->table == NULL || p->after == NULL || p->sent == NULL ||
        p->next == NULL || p->scope == NULL || p->state == NULL)
        return cr__fail_memory(err);
    link_inputs(p);
    if (!measure(p, (double)bytes))
        return CR_OK;
    if (!make_room(p))
        return cr__fail_memory(err);
    lay_steps(p);
    lay_inputs(p);
    *fits = 1;
    return rest(p->c, p->state, err);
}

void cr__compiled_free(cr__compiled *c)
{
    if (c == NULL)
        return;
    cr__free(c->step);
    cr__free(c->input);
    cr__free(c->node);
    cr__free(c->stride);
    cr__free(c->table);
    cr__free(c->message);
    cr__free(c->exponent);
    cr__free(c);
}

cr_status cr__compiled_new(cr__compiled **out, const cr__network *net, uint32_t target,
                           uint64_t bytes, cr_error *err)
{
    planner p = {.c = cr__alloc_zero(1, sizeof *p.c)};
    int fits = 0;
    cr_status st;

    *out = NULL;
    if (p.c == NULL)
        return cr__fail_memory(err);
    p.c->net = net;
    p.c->target = target;
    st = plan(&p, bytes, &fits, err);
    cr__order_free(&p.order);
    cr__free(p.goes_to);
    cr__free(p.table);
    cr__free(p.after);
    cr__free(p.sent);
    cr__free(p.next);
    cr__free(p.scope);
    cr__free(p.state);
    if (st == CR_OK && fits)
        *out = p.c;
    else
        cr__compiled_free(p.c);
    return st;
}

uint64_t cr__compiled_bytes(const cr__compiled *c)
{
    return (c->cells + 2 * c->messages) * sizeof(double) + c->most * sizeof(cr__scaled);
}
