/* learners/network/learn_model.c - the learner "network": fitted to data, and used like one from a
 * file.
 *
 * The network inside is a cr__network_model, whose nodes are the columns that take part, in their
 * order, and then hidden variables. Queries about columns are translated to nodes.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "data/bins.h"
#include "learners/network/network_model.h"
#include "learners/network/learn.h"
#include "learners/network/row_scorer.h"
#include "learners/registry.h"

static const cr__knob_spec knobs[] = {CR__NETWORK_LEARN_KNOBS, CR__NETWORK_KNOBS};

typedef struct learned {
    cr__network_model *model;
    uint32_t variables; /* nodes that have a column; the others are hidden */
    size_t columns;
    size_t *column_of; /* [variables] */
    uint32_t *node_of; /* [columns], or CR__NO_NODE */
    cr__bins bins;     /* cuts of real columns */
} learned;

/* Real columns become Gaussian nodes: they are not cut, and their products are collected. */
static void needs_with(const cr__knobs *values, cr__needs *needs)
{
    if (cr__knobs_is(values, "real", "gaussian"))
        *needs = (cr__needs){.cells = 1, .whole = 1, .cross = CR__CROSS_REALS};
}

/* --- life ------------------------------------------------------------------------------------- */

static void free_learned(void *fitted)
{
    learned *l = fitted;

    if (l == NULL)
        return;
    cr__network_model_free(l->model);
    cr__bins_free(&l->bins);
    cr__free(l->column_of);
    cr__free(l->node_of);
    cr__free(l);
}

/* Which columns are nodes. */
static cr_status lay_columns(learned *l, const cr_schema *schema, cr_error *err)
{
    l->columns = schema->columns;
    l->column_of = cr__alloc(schema->columns, sizeof *l->column_of);
    l->node_of = cr__alloc(schema->columns, sizeof *l->node_of);
    if (l->column_of == NULL || l->node_of == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < schema->columns; i++) {
        l->node_of[i] = CR__NO_NODE;
        if (i != schema->target && !cr__stats_is_feature(schema, i))
            continue;
        l->node_of[i] = l->variables;
        l->column_of[l->variables++] = i;
    }
    return cr__bins_declared(&l->bins, schema, err);
}

/* A learned network around the given one, which is taken over. */
static cr_status wrap(learned *l, cr__network *net, const cr_schema *schema, cr_error *err)
{
    const size_t t = schema->target;

    return cr__network_model_new(&l->model, net, t == SIZE_MAX ? CR__NO_NODE : l->node_of[t], err);
}

static cr_status fit(void **fitted, const cr__fit_input *input, cr_error *err)
{
    const learned *before = input->before;
    learned *l = cr__alloc_zero(1, sizeof *l);
    cr__network *net;
    cr_status st = l == NULL ? cr__fail_memory(err) : lay_columns(l, input->stats->schema, err);

    *fitted = NULL;
    if (st == CR_OK)
        st = cr__network_learn(&net, input, before == NULL ? NULL : before->model->network, NULL,
                               err);
    if (st == CR_OK)
        st = wrap(l, net, input->stats->schema, err);
    if (st == CR_OK)
        st = cr__network_model_refit(l->model, input->knobs, err);
    if (st != CR_OK) {
        free_learned(l);
        return st;
    }
    *fitted = l;
    return CR_OK;
}

int cr__is_learned_network(const cr_model *model)
{
    return model->learner == &cr__network_learner || model->learner == &cr__network_number;
}

const cr__network_model *cr__learned_network(const void *fitted)
{
    return ((const learned *)fitted)->model;
}

/* --- the model file --------------------------------------------------------------------------- */

/* After the sections of a given network:
 *   NETH      names of hidden nodes and of their states, each ended by NUL; a node is ended by an
 *             empty name */
#define TAG_HIDDEN CR__TAG('N', 'E', 'T', 'H')

static void save(const void *fitted, cr__draft *draft)
{
    const learned *l = fitted;
    const cr__network *net = l->model->network;

    cr__network_model_save(l->model, draft);
    cr__draft_section_begin(draft, TAG_HIDDEN, 0);
    for (uint32_t i = l->variables; i < net->nodes; i++) {
        cr__draft_copy(draft, net->name[i], strlen(net->name[i]) + 1);
        for (size_t k = net->label_at[i]; k < net->label_at[i + 1]; k++)
            cr__draft_copy(draft, net->label[k], strlen(net->label[k]) + 1);
        cr__draft_copy(draft, "", 1);
    }
}

/* Nodes of hidden variables: names until an empty one. */
static cr_status add_hidden(cr__builder *s, const cr__container *container, cr_error *err)
{
    const void *bytes;
    const char *at, *end;
    size_t size;
    cr_status st = cr__container_need(container, TAG_HIDDEN, 0, 0, 0, &bytes, &size, err);

    if (st != CR_OK || size == 0)
        return st;
    at = bytes;
    end = at + size;
    if (end[-1] != '\0')
        return cr__container_damaged(container, err, "names of hidden variables have no end");
    while (st == CR_OK && at < end) {
        uint32_t node;

        st = cr__builder_add(s, at, strlen(at), &node, err);
        at += strlen(at) + 1;
        for (; st == CR_OK && at < end && *at != '\0'; at += strlen(at) + 1)
            st = cr__builder_add_state(s, node, at, strlen(at), err);
        at += at < end;
    }
    return st;
}

static cr_status add_columns(const learned *l, cr__builder *s, const cr__container *container,
                             const cr_schema *schema, cr_error *err)
{
    cr_status st = CR_OK;

    for (uint32_t i = 0; st == CR_OK && i < l->variables; i++) {
        const size_t column = l->column_of[i];
        cr__dict *dict = NULL;

        st = cr__container_dict(container, CR__TAG_DICT, (uint32_t)column, &dict, err);
        if (st == CR_OK)
            st = cr__builder_add_column(s, schema->column[column].name, dict, err);
        cr__dict_free(dict);
    }
    return st;
}

/* Only real columns are numbers of the network, and a real target always is. */
static cr_status check_numbers(const learned *l, const cr__builder *s,
                               const cr__container *container, const cr_schema *schema,
                               cr_error *err)
{
    for (uint32_t i = 0; i < l->variables; i++) {
        const int real = schema->column[l->column_of[i]].kind == CR_REAL;

        if (s->node[i].gaussian ? !real : real && l->column_of[i] == schema->target)
            return cr__container_damaged(container, err, "a node is both a number and discrete");
    }
    return CR_OK;
}

static cr_status open_learned(void **fitted, const cr__container *container,
                              const cr_schema *schema, const size_t *values, size_t classes,
                              cr_error *err)
{
    learned *l = cr__alloc_zero(1, sizeof *l);
    cr__builder *s = NULL;
    cr__network *net;
    cr_status st = l == NULL ? cr__fail_memory(err) : lay_columns(l, schema, err);

    (void)values;
    *fitted = NULL;
    if (st == CR_OK)
        st = cr__builder_new(&s, err);
    if (st == CR_OK)
        st = add_columns(l, s, container, schema, err);
    if (st == CR_OK)
        st = add_hidden(s, container, err);
    if (st == CR_OK)
        st = cr__network_model_read(s, container, err);
    if (st == CR_OK)
        st = check_numbers(l, s, container, schema, err);
    if (st == CR_OK && (st = cr__builder_finish(s, &net, err)) == CR_OK)
        st = wrap(l, net, schema, err);
    if (st == CR_OK && l->model->target != CR__NO_NODE &&
        l->model->network->states[l->model->target] != (classes > 0 ? classes : 1))
        st = cr__container_damaged(container, err, "the target has another number of states");
    cr__builder_free(s);
    if (st != CR_OK) {
        free_learned(l);
        return st;
    }
    *fitted = l;
    return CR_OK;
}

static cr_status settle(void *fitted, const cr__knobs *values, cr_error *err)
{
    return cr__network_model_refit(((learned *)fitted)->model, values, err);
}

/* --- rows ------------------------------------------------------------------------------------- */

/* A worker's state: the batch as its columns are the nodes. Real columns are coded unless their
 * nodes are Gaussian; hidden ones are always missing. */
typedef struct worker {
    cr__row_scorer *scorer;
    cr__batch batch;
    uint32_t *own; /* codes, [nodes * rows] for those that need them */
    size_t room;
} worker;

static void close_worker(void *state)
{
    worker *w = state;

    cr__row_scorer_close(w->scorer);
    cr__free(w->batch.column);
    cr__free(w->own);
    cr__free(w);
}

static cr_status open_worker(void **state, const void *fitted, cr_error *err)
{
    const learned *l = fitted;
    worker *w = cr__alloc_zero(1, sizeof *w);
    cr_status st =
        w == NULL ? cr__fail_memory(err) : cr__row_scorer_open(&w->scorer, l->model, err);

    *state = NULL;
    if (st == CR_OK &&
        (w->batch.column = cr__alloc(l->model->network->nodes, sizeof *w->batch.column)) == NULL)
        st = cr__fail_memory(err);
    if (st != CR_OK) {
        if (w != NULL)
            close_worker(w);
        return st;
    }
    *state = w;
    return CR_OK;
}

static cr_status take_batch(worker *w, const learned *l, const cr__batch *from, cr_error *err)
{
    const uint32_t nodes = l->model->network->nodes;
    cr__batch_column *column = w->batch.column;

    if (!cr__grow(&w->own, &w->room, nodes * from->rows, sizeof *w->own))
        return cr__fail_memory(err);
    w->batch = *from;
    w->batch.columns = nodes;
    w->batch.column = column;
    for (uint32_t i = 0; i < nodes; i++) {
        cr__batch_column *to = &column[i];
        const cr__batch_column *data = i < l->variables ? &from->column[l->column_of[i]] : NULL;

        if (data != NULL && l->model->network->gaussian[i]) {
            *to = *data;
            continue;
        }
        *to = (cr__batch_column){.kind = CR_SYMBOL, .code = w->own + i * from->rows};
        if (data != NULL && data->kind == CR_SYMBOL)
            to->code = data->code;
        else if (data != NULL && data->kind == CR_REAL)
            for (size_t r = 0; r < from->rows; r++)
                to->code[r] = cr__cuts_code(&l->bins.column[l->column_of[i]], data->real[r]);
        else
            memset(to->code, 0, from->rows * sizeof *to->code);
    }
    return CR_OK;
}

static cr_status score(const void *fitted, void *state, const cr__batch *batch, double *out,
                       cr_error *err)
{
    const learned *l = fitted;
    worker *w = state;
    const cr_status st = take_batch(w, l, batch, err);

    return st != CR_OK ? st : cr__network_model_score(l->model, w->scorer, &w->batch, out, err);
}

static cr_status regress(const void *fitted, void *state, const cr__batch *batch,
                         cr_regression *out, cr_error *err)
{
    const learned *l = fitted;
    worker *w = state;
    const cr_status st = take_batch(w, l, batch, err);

    return st != CR_OK ? st : cr__network_model_regress(l->model, w->scorer, &w->batch, out, err);
}

/* Hidden variables are not factors of a row. */
static cr_status factors(const void *fitted, void *state, const cr__stats *stats,
                         const cr__knobs *values, const cr__batch *batch, size_t row,
                         cr_factor *factor, size_t *count, double *work, cr_error *err)
{
    const learned *l = fitted;
    const uint32_t nodes = l->model->network->nodes;
    const size_t classes =
        l->model->target == CR__NO_NODE ? 1 : l->model->network->states[l->model->target];
    cr_factor *all = cr__alloc(nodes + (size_t)1, sizeof *all);
    double *room = cr__alloc((nodes + (size_t)1) * classes, sizeof *room);
    size_t n = 0;
    worker *w = state;
    cr_status st =
        all == NULL || room == NULL ? cr__fail_memory(err) : take_batch(w, l, batch, err);

    if (st == CR_OK)
        st = cr__network_model_factors(l->model, w->scorer, stats, values, &w->batch, row, all, &n,
                                       room, err);
    *count = 0;
    for (size_t i = 0; st == CR_OK && i < n; i++) {
        if (all[i].column != SIZE_MAX && all[i].column >= l->variables)
            continue;
        factor[*count] = all[i];
        factor[*count].log_p =
            memcpy(work + *count * classes, all[i].log_p, classes * sizeof *work);
        if (all[i].column != SIZE_MAX)
            factor[*count].column = l->column_of[all[i].column];
        for (size_t k = 0; k < all[i].givens && k < CR_FACTOR_GIVEN; k++)
            factor[*count].given[k] = l->column_of[all[i].given[k]];
        ++*count;
    }
    cr__free(all);
    cr__free(room);
    return st;
}

/* --- getters ---------------------------------------------------------------------------------- */

static double prior(const void *fitted, size_t c)
{
    return cr__network_model_prior(((const learned *)fitted)->model, c);
}

static double probability(const void *fitted, size_t column, size_t value, size_t c)
{
    const learned *l = fitted;

    return cr__network_model_probability(l->model, l->node_of[column], value, c);
}

static double information(const void *fitted, size_t column)
{
    const learned *l = fitted;

    return l->node_of[column] == CR__NO_NODE
               ? NAN
               : cr__network_model_information(l->model, l->node_of[column]);
}

static void gaussian(const void *fitted, size_t column, size_t c, cr_gaussian *out)
{
    const learned *l = fitted;

    if (l->node_of[column] != CR__NO_NODE)
        cr__network_model_gaussian(l->model, l->node_of[column], c, out);
}

static int is_number(const void *fitted, size_t column)
{
    const learned *l = fitted;

    return column < l->columns && l->node_of[column] != CR__NO_NODE &&
           cr__network_model_is_number(l->model, l->node_of[column]);
}

static double parameters(const void *fitted, const cr__stats *stats, const cr__knobs *values)
{
    return cr__network_model_parameters(((const learned *)fitted)->model, stats, values);
}

static cr_status rename_variables(const learned *l, cr__question_variable *variable, size_t count,
                                  cr_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (variable[i].column >= l->columns || l->node_of[variable[i].column] == CR__NO_NODE)
            return cr__fail(err, CR_EARG, "the question is about a column that takes no part");
        variable[i].column = l->node_of[variable[i].column];
    }
    return CR_OK;
}

uint32_t cr__network_model_node(const cr_model *model, size_t column)
{
    return cr__is_learned_network(model) ? ((const learned *)model->share->fitted)->node_of[column]
                                         : (uint32_t)column;
}

cr_status cr__question_of_nodes(cr__question *question, const cr_model *model, cr_error *err)
{
    return cr__is_learned_network(model)
               ? rename_variables(model->share->fitted, question->variable, question->variables,
                                  err)
               : CR_OK;
}

/* The question translated to nodes. */
static cr_status measure(const void *fitted, const cr__knobs *values, const cr_schema *schema,
                         const cr__question *question, cr__scaled *mass, cr_error *err)
{
    const learned *l = fitted;
    cr__question own = *question;
    cr_status st;

    if ((own.variable = cr__alloc(question->variables, sizeof *own.variable)) == NULL)
        return cr__fail_memory(err);
    if (question->variables > 0)
        memcpy(own.variable, question->variable, question->variables * sizeof *own.variable);
    if ((st = rename_variables(l, own.variable, question->variables, err)) == CR_OK)
        st = cr__network_model_measure(l->model, values, schema, &own, mass, err);
    cr__free(own.variable);
    return st;
}

/* Each node after its parents, with them: "wet <- rain, sprinkler". */
static cr_status draw(const void *fitted, const cr_schema *schema, cr__dict *const *dict,
                      cr__line_visit *line, void *context, cr_error *err)
{
    const cr__network *net = ((const learned *)fitted)->model->network;
    char text[1024];

    (void)schema;
    (void)dict;
    (void)err;
    for (uint32_t i = 0; i < net->nodes; i++) {
        const uint32_t node = net->order[i];
        size_t used = (size_t)snprintf(text, sizeof text, "%.200s", net->name[node]);

        for (size_t k = net->parent_at[node]; k < net->parent_at[node + 1]; k++)
            if (used < sizeof text)
                used += (size_t)snprintf(text + used, sizeof text - used, "%s%.200s",
                                         k == net->parent_at[node] ? " <- " : ", ",
                                         net->name[net->parent[k]]);
        line(context, 0, text);
    }
    return CR_OK;
}

static const cr__scores scores = {.open = open_worker, .close = close_worker, .score = score};
static const cr__regresses regresses = {
    .open = open_worker, .close = close_worker, .regress = regress};
static const cr__explains explains = {.factors = factors, .work = 1};
static const cr__has_values has_values = {.probability = probability};
static const cr__has_normals has_normals = {.gaussian = gaussian};
static const cr__has_joint has_joint = {.measure = measure, .is_number = is_number};

/* Common entries of both tables; the target is discrete, or none, or a number. */
#define LEARNED_NETWORK                                                                            \
    .knobs = knobs, .knob_count = sizeof knobs / sizeof *knobs, .fit = fit, .free = free_learned,  \
    .save = save, .sections = "NETW NETP NETT NETG NETH", .open = open_learned, .settle = settle,  \
    .absent = 1, .prior = prior, .parameters = parameters, .information = information,             \
    .has_values = &has_values, .has_normals = &has_normals, .has_joint = &has_joint, .draws = draw

const cr__learner cr__network_learner = {
    .name = "network",
    .summary = "Bayesian network: structure and parameters learned from data",
    .target = CR__TARGET_NONE,
    .needs = {.cells = 1},
    .needs_with = needs_with,
    .of_numbers = &cr__network_number,
    .scores = &scores,
    .explains = &explains,
    LEARNED_NETWORK,
};

const cr__learner cr__network_number = {
    .name = "network-number",
    .summary = "Bayesian network whose target is a number (network with real=gaussian)",
    .target = CR__TARGET_REAL,
    .needs = {.cells = 1, .whole = 1, .cross = CR__CROSS_REALS},
    .regresses = &regresses,
    LEARNED_NETWORK,
};
