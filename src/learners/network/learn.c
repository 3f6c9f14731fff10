/* learners/network/learn.c - structure learning as set by the knobs. */
#include "learners/network/learn.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/spec.h"
#include "base/sized.h"
#include "network/graph/cpdag.h"
#include "network/files/files.h"
#include "network/learn/independence.h"
#include "network/learn/parameters.h"
#include "network/learn/search.h"

#define TABLE_CELLS_MAX ((size_t)1 << 27) /* of all tables of a network that is learned */

/* --- a structure ------------------------------------------------------------------------------ */

/* What the methods of structure learning need. */
typedef struct task {
    const cr__cases *cases;
    const cr__knobs *knobs;
    const char *const *name;
    uint32_t target;
    uint64_t seed;
    int threads;
    cr__arcs *must, *never;
    double *score;
} task;

uint32_t cr__knobs_whole(const cr__knobs *knobs, const char *name)
{
    const double x = cr__knobs_number(knobs, name);

    return x >= 0 && x < 1e9 ? (uint32_t)x : 0; /* a word is NaN: no limit */
}

static int has_class_arcs(const cr__knobs *knobs, uint32_t target)
{
    const char *way = cr__knobs_text(knobs, "structure");

    return target != UINT32_MAX && cr__knobs_is(knobs, "class-arcs", "explained") &&
           (strcmp(way, "hc") == 0 || strcmp(way, "tabu") == 0 || strcmp(way, "mmhc") == 0);
}

const char *cr__network_score_name(const cr__knobs *knobs, uint32_t target)
{
    if (!cr__knobs_is(knobs, "score", "auto"))
        return cr__knobs_text(knobs, "score");
    return has_class_arcs(knobs, target) ? "aic" : "bic";
}

/* Arcs from the target to every variable that is better with it than alone, unless lists say
 * otherwise: a network with a target is used to predict it, and a search for the likeliest joint
 * distribution may leave it with few arcs (N. Friedman, D. Geiger & M. Goldszmidt, "Bayesian
 * network classifiers", 1997). */
static cr_status add_class_arcs(const task *t, cr__families *families, cr_error *err)
{
    uint32_t *parent;
    size_t parents;
    cr_status st = CR_OK;

    if (!has_class_arcs(t->knobs, t->target))
        return CR_OK;
    if ((parent = cr__alloc(t->must->nodes, sizeof *parent)) == NULL)
        return cr__fail_memory(err);
    parents = cr__arcs_parents(t->must, t->target, parent);
    cr__free(parent);
    for (uint32_t i = 0; st == CR_OK && parents == 0 && i < t->must->nodes; i++) {
        double with, alone;

        if (i == t->target || cr__arcs_has(t->never, t->target, i))
            continue;
        st = cr__families_score(families, i, &t->target, 1, &with, err);
        if (st == CR_OK && (st = cr__families_score(families, i, NULL, 0, &alone, err)) == CR_OK &&
            with > alone)
            cr__arcs_put(t->must, t->target, i);
    }
    return st;
}

static cr_status climb(cr__arcs *arcs, const task *t, cr__arcs *only, int tabu, cr_error *err)
{
    const uint32_t memory = cr__knobs_whole(t->knobs, "tabu");
    const cr__climb_plan plan = {.max_parents = cr__knobs_whole(t->knobs, "max-parents"),
                                 .must = t->must,
                                 .never = t->never,
                                 .only = only,
                                 .tabu = tabu ? memory : 0,
                                 .patience = memory,
                                 .restarts = cr__knobs_whole(t->knobs, "restarts"),
                                 .seed = t->seed};
    cr__climb_report report = {.score = NAN};
    cr__families *families;
    cr__score score;
    cr_status st = cr__score_read(&score, cr__network_score_name(t->knobs, t->target), err);

    if (st == CR_OK)
        st = cr__families_new(&families, t->cases, score, t->threads, err);
    if (st != CR_OK)
        return st;
    st = add_class_arcs(t, families, err);
    if (st == CR_OK)
        st = cr__climb(arcs, families, &plan, &report, err);
    *t->score = report.score;
    cr__families_free(families);
    return st;
}

static cr_status by_hc(cr__arcs *arcs, const task *t, cr_error *err)
{
    return climb(arcs, t, NULL, 0, err);
}

static cr_status by_tabu(cr__arcs *arcs, const task *t, cr_error *err)
{
    return climb(arcs, t, NULL, 1, err);
}

static cr__test_plan test_plan(const task *t)
{
    return (cr__test_plan){.alpha = cr__knobs_number(t->knobs, "alpha"),
                           .must = t->must,
                           .never = t->never,
                           .threads = t->threads};
}

static cr_status by_mmhc(cr__arcs *arcs, const task *t, cr_error *err)
{
    const cr__test_plan plan = test_plan(t);
    cr__arcs *lines;
    cr_status st = cr__arcs_new(&lines, arcs->nodes, err);

    if (st == CR_OK)
        st = cr__mmpc(lines, t->cases, &plan, NULL, err);
    if (st == CR_OK)
        st = climb(arcs, t, lines, 0, err);
    cr__arcs_free(lines);
    return st;
}

static cr_status by_pc(cr__arcs *arcs, const task *t, cr_error *err)
{
    const cr__test_plan plan = test_plan(t);
    int consistent;
    cr_status st = cr__pc(arcs, t->cases, &plan, NULL, err);

    return st == CR_OK ? cr__extend(arcs, &consistent, err) : st;
}

static cr_status by_chow_liu(cr__arcs *arcs, const task *t, cr_error *err)
{
    return cr__chow_liu(arcs, t->cases, t->target == UINT32_MAX ? 0 : t->target, t->threads,
                        t->never, err);
}

static cr_status by_naive(cr__arcs *arcs, const task *t, cr_error *err)
{
    if (t->target == UINT32_MAX) {
        cr__fail(err, CR_EARG, "structure=naive needs a target, the parent of all others");
        return cr__fail_hint(err, CR_EARG, CR__SET("target COLUMN") " names it");
    }
    for (uint32_t i = 0; i < arcs->nodes; i++)
        if (i != t->target && (t->never == NULL || !cr__arcs_has(t->never, t->target, i)))
            cr__arcs_put(arcs, t->target, i);
    return CR_OK;
}

static cr_status by_nothing(cr__arcs *arcs, const task *t, cr_error *err)
{
    (void)err;
    cr__arcs_copy(arcs, t->must);
    return CR_OK;
}

/* Variables named first, then the others in their order. */
static cr_status read_order(uint32_t *order, const cr__arcs *arcs, const task *t, cr_error *err)
{
    const char *list = cr__knobs_text(t->knobs, "order");
    unsigned char *listed = cr__alloc_zero(arcs->nodes, 1);
    uint32_t count = 0, node;
    cr_status st = listed == NULL ? cr__fail_memory(err) : CR_OK;

    if (strcmp(list, "none") == 0)
        list = "";
    while (st == CR_OK && *list != '\0') {
        const size_t length = strcspn(list, ",");

        if ((st = cr__arcs_node(arcs, t->name, list, length, &node, err)) == CR_OK && listed[node])
            st = cr__fail(err, CR_EARG, "order names '%s' twice", t->name[node]);
        if (st == CR_OK) {
            listed[node] = 1;
            order[count++] = node;
        }
        list += length + (list[length] != '\0');
    }
    for (uint32_t i = 0; st == CR_OK && i < arcs->nodes; i++)
        if (!listed[i])
            order[count++] = i;
    cr__free(listed);
    return st;
}

/* A whitelist must not contradict the order. */
static cr_status check_order(const uint32_t *order, const cr__arcs *arcs, const task *t,
                             cr_error *err)
{
    for (uint32_t i = 0; i < arcs->nodes; i++)
        for (uint32_t k = i + 1; k < arcs->nodes; k++)
            if (cr__arcs_has(t->must, order[k], order[i]))
                return cr__fail(err, CR_EARG,
                                "whitelist has %s>%s, but '%s' comes first in the order",
                                t->name[order[k]], t->name[order[i]], t->name[order[i]]);
    return CR_OK;
}

static cr_status by_k2(cr__arcs *arcs, const task *t, cr_error *err)
{
    const cr__climb_plan plan = {.max_parents = cr__knobs_whole(t->knobs, "max-parents"),
                                 .must = t->must,
                                 .never = t->never};
    uint32_t *order = cr__alloc(arcs->nodes, sizeof *order);
    cr__families *families = NULL;
    cr__score score;
    cr_status st = order == NULL
                       ? cr__fail_memory(err)
                       : cr__score_read(&score, cr__network_score_name(t->knobs, t->target), err);

    if (st == CR_OK && (st = read_order(order, arcs, t, err)) == CR_OK)
        st = check_order(order, arcs, t, err);
    if (st == CR_OK)
        st = cr__families_new(&families, t->cases, score, t->threads, err);
    if (st == CR_OK)
        st = cr__k2(arcs, families, order, &plan, err);
    if (st == CR_OK)
        st = cr__arcs_score(arcs, families, t->score, err);
    cr__families_free(families);
    cr__free(order);
    return st;
}

typedef struct way {
    const char *name;
    cr_status (*find)(cr__arcs *arcs, const task *t, cr_error *err);
    int needs_rows;
} way;

static const way ways[] = {
    {"hc", by_hc, 1}, {"tabu", by_tabu, 1}, {"k2", by_k2, 1},       {"chow-liu", by_chow_liu, 1},
    {"pc", by_pc, 1}, {"mmhc", by_mmhc, 1}, {"naive", by_naive, 0}, {"none", by_nothing, 0}};

static const way *find_way(const char *name, cr_error *err)
{
    cr_nearest near = (cr_nearest){.wanted = name};

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (strcmp(ways[i].name, name) == 0)
            return &ways[i];
        cr_nearest_offer(&near, ways[i].name);
    }
    cr__fail(err, CR_EARG, "there is no structure '%s'", name);
    if (near.best != NULL)
        cr__fail_hint(err, CR_EARG, "did you mean '%s'?", near.best);
    else
        cr__fail_hint(err, CR_EARG,
                      "hc, tabu, k2, chow-liu, pc, mmhc, naive, none, or file:NETWORK");
    return NULL;
}

/* --- lists ------------------------------------------------------------------------------------ */

/* No arc may be on both lists, nor a family larger than the rows can fill. */
static cr_status check_lists(const task *t, cr_error *err)
{
    const uint32_t n = t->must->nodes;
    uint32_t *list = cr__alloc(n, sizeof *list);
    cr_status st = list == NULL ? cr__fail_memory(err) : CR_OK;

    for (uint32_t i = 0; st == CR_OK && i < n; i++) {
        const size_t parents = cr__arcs_parents(t->must, i, list);

        for (size_t k = 0; st == CR_OK && k < parents; k++)
            if (cr__arcs_has(t->never, list[k], i))
                st = cr__fail(err, CR_EARG, "%s>%s is in whitelist and in blacklist",
                              t->name[list[k]], t->name[i]);
        if (st == CR_OK && t->cases != NULL &&
            cr__cases_cells(t->cases, list, parents,
                            ((size_t)t->cases->total + 4) * CR__CELLS_PER_ROW) == SIZE_MAX)
            st = cr__fail(
                err, CR_EARG,
                "whitelist gives '%s' %zu parents: more combinations than %.0f rows can fill",
                t->name[i], parents, t->cases->total);
    }
    cr__free(list);
    return st;
}

static cr_status read_lists(task *t, uint32_t nodes, cr_error *err)
{
    cr_status st = cr__arcs_new(&t->must, nodes, err);

    if (st == CR_OK)
        st = cr__arcs_new(&t->never, nodes, err);
    if (st == CR_OK)
        st = cr__arcs_read(t->must, cr__knobs_text(t->knobs, "whitelist"), t->name, "whitelist",
                           err);
    if (st == CR_OK)
        st = cr__arcs_check(t->must, t->name, "whitelist", err);
    if (st == CR_OK)
        st = cr__arcs_read(t->never, cr__knobs_text(t->knobs, "blacklist"), t->name, "blacklist",
                           err);
    return st == CR_OK ? check_lists(t, err) : st;
}

/* Methods that ignore the whitelist get its arcs afterwards, where they close no cycle. */
static cr_status add_must(cr__arcs *arcs, const task *t, cr_error *err)
{
    for (uint32_t i = 0; i < arcs->nodes; i++)
        for (uint32_t k = 0; k < arcs->nodes; k++)
            if (cr__arcs_has(t->must, k, i)) {
                cr__arcs_drop(arcs, i, k);
                cr__arcs_put(arcs, k, i);
            }
    return cr__arcs_check(arcs, t->name, "whitelist and structure together", err);
}

/* --- numbers among the variables -------------------------------------------------------------- */

static int is_number(const cr__numbers *numbers, const uint32_t *variable, uint32_t v)
{
    for (uint32_t i = 0; numbers != NULL && i < numbers->count; i++)
        if (variable[i] == v)
            return 1;
    return 0;
}

/* Discrete variables do not depend on numbers, and numbers depend on no discrete variable but the
 * class. */
static cr_status fail_number_arc(const char *from, const char *to, int from_number, cr_error *err)
{
    if (from_number) {
        cr__fail(err, CR_EARG, "the arc %s>%s leads from a number to a discrete variable", from,
                 to);
        return cr__fail_hint(
            err, CR_EARG,
            "turn it around, or cut '%s' into intervals with " CR__SET("knob real=bins"), from);
    }
    cr__fail(err, CR_EARG,
             "the arc %s>%s leads to a number from a discrete variable that is not "
             "the target",
             from, to);
    return cr__fail_hint(err, CR_EARG,
                         CR__SET("target %s") " makes it the target, which numbers may depend on",
                         from);
}

/* Keep the discrete search away from numbers. */
static cr_status fence(const task *t, const cr__numbers *numbers, const uint32_t *variable,
                       cr_error *err)
{
    const uint32_t n = t->must->nodes;
    unsigned char *number = cr__alloc_zero(n, 1);
    cr_status st = number == NULL ? cr__fail_memory(err) : CR_OK;

    for (uint32_t i = 0; st == CR_OK && i < numbers->count; i++)
        number[variable[i]] = 1;
    for (uint32_t a = 0; st == CR_OK && a < n; a++)
        for (uint32_t b = 0; st == CR_OK && b < n; b++) {
            if (cr__arcs_has(t->must, a, b) && number[a] != number[b] &&
                (number[a] || a != t->target))
                st = fail_number_arc(t->name[a], t->name[b], number[a], err);
            if (number[a] || number[b])
                cr__arcs_put(t->never, a, b);
        }
    cr__free(number);
    return st;
}

/* The numbers' own structure; never: the blacklist. */
static cr_status find_numbers(cr__arcs *arcs, const task *t, const cr__numbers *numbers,
                              const uint32_t *variable, const cr__arcs *never, cr_error *err)
{
    uint32_t *order = cr__alloc(arcs->nodes, sizeof *order);
    const cr__numbers_wish wish = {.way = cr__knobs_text(t->knobs, "structure"),
                                   .knobs = t->knobs,
                                   .name = t->name,
                                   .variable = variable,
                                   .target = t->target,
                                   .must = t->must,
                                   .never = never,
                                   .order = order,
                                   .seed = t->seed};
    double score = NAN;
    cr_status st = order == NULL ? cr__fail_memory(err) : read_order(order, arcs, t, err);

    if (st == CR_OK)
        st = cr__numbers_structure(arcs, numbers, &wish, &score, err);
    if (!isnan(*t->score))
        *t->score += score;
    cr__free(order);
    return st;
}

/* The structure where some variables are numbers: `variable` says which, [numbers]. They have one
 * state in the cases. CR_EARG: a list asks for an impossible arc. */
static cr_status find_mixed_structure(cr__arcs *arcs, const cr__cases *cases,
                                      const cr__numbers *numbers, const uint32_t *variable,
                                      const cr__knobs *knobs, const char *const *name,
                                      uint32_t target, const cr_run *run, double *score,
                                      cr_error *err)
{
    const way *w = find_way(cr__knobs_text(knobs, "structure"), err);
    task t = {.cases = cases,
              .knobs = knobs,
              .name = name,
              .target = target,
              .seed = cr__run_of(run).seed,
              .threads = cr__run_threads(run),
              .score = score};
    cr__arcs *never = NULL;
    cr_status st;

    *score = NAN;
    if (w == NULL)
        return CR_EARG;
    st = read_lists(&t, arcs->nodes, err);
    if (st == CR_OK && numbers != NULL && (st = cr__arcs_new(&never, arcs->nodes, err)) == CR_OK) {
        cr__arcs_copy(never, t.never);
        st = fence(&t, numbers, variable, err);
    }
    if (st == CR_OK)
        st = w->find(arcs, &t, err);
    if (st == CR_OK && numbers != NULL)
        st = find_numbers(arcs, &t, numbers, variable, never, err);
    if (st == CR_OK)
        st = add_must(arcs, &t, err);
    cr__arcs_free(never);
    cr__arcs_free(t.must);
    cr__arcs_free(t.never);
    return st;
}

cr_status cr__find_structure(cr__arcs *arcs, const cr__cases *cases, const cr__knobs *knobs,
                             const char *const *name, uint32_t target, const cr_run *run,
                             double *score, cr_error *err)
{
    return find_mixed_structure(arcs, cases, NULL, NULL, knobs, name, target, run, score, err);
}

/* --- the variables of statistics -------------------------------------------------------------- */

static uint32_t states_of(const cr__stats *stats, size_t variable)
{
    const size_t values = cr__stats_values(stats, stats->cells->column[variable]);

    return values == 0 ? 1 : (uint32_t)values; /* a column that is always empty has one state */
}

static cr_status list_variables(const cr__stats *stats, const char ***name, uint32_t **states,
                                cr_error *err)
{
    const size_t n = stats->cells->packing.variables;

    *name = cr__alloc(n, sizeof **name);
    *states = cr__alloc(n, sizeof **states);
    if (*name == NULL || *states == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        (*name)[i] = stats->schema->column[stats->cells->column[i]].name;
        (*states)[i] = states_of(stats, i);
        if ((*states)[i] > CR__CASE_STATES_MAX) {
            cr__fail(err, CR_ELIMIT, "'%s' has %u values; a network allows at most %d", (*name)[i],
                     (*states)[i], (int)CR__CASE_STATES_MAX);
            return cr__fail_hint(err, CR_ELIMIT, CR__SET("type %s=ignore") " leaves it out",
                                 (*name)[i]);
        }
    }
    return CR_OK;
}

cr_status cr__cases_of_stats(cr__cases **out, const cr__stats *stats, const char ***name,
                             cr_error *err)
{
    uint32_t *states = NULL;
    cr_status st;

    *out = NULL;
    *name = NULL;
    st = list_variables(stats, name, &states, err);
    if (st == CR_OK)
        st = cr__cases_of_cells(out, stats->cells, states, err);
    if (st != CR_OK) {
        cr__free(*name);
        *name = NULL;
    }
    cr__free(states);
    return st;
}

/* --- the network ------------------------------------------------------------------------------ */

/* A network that is being learned. */
typedef struct job {
    const cr__fit_input *input;
    const cr__stats *stats;
    const char **name; /* [variables] */
    uint32_t *states;  /* [variables] */
    uint32_t variables;
    uint32_t *node_of;    /* [variables] nodes stand as the columns do */
    cr__numbers *numbers; /* real columns that are Gaussian nodes, or NULL */
    uint32_t *number;     /* [numbers] which variables they are */
    cr__builder *builder;
    cr__network *file; /* structure=file:NETWORK */
    cr__learned *report;
} job;

static const char *structure_file(const cr__knobs *knobs)
{
    const char *text = cr__knobs_text(knobs, "structure");

    return strncmp(text, "file:", 5) == 0 ? text + 5 : NULL;
}

/* The variables of cells are the features and then the target, which has its place among them. */
static cr_status order_nodes(job *c, cr_error *err)
{
    const uint32_t *column = c->stats->cells->column;

    if ((c->node_of = cr__alloc(c->variables, sizeof *c->node_of)) == NULL)
        return cr__fail_memory(err);
    for (uint32_t i = 0; i < c->variables; i++) {
        c->node_of[i] = 0;
        for (uint32_t k = 0; k < c->variables; k++)
            c->node_of[i] += column[k] < column[i];
    }
    return CR_OK;
}

cr_status cr__builder_add_column(cr__builder *builder, const char *name, const cr__dict *dict,
                                 cr_error *err)
{
    uint32_t node;
    cr_status st = cr__builder_add(builder, name, strlen(name), &node, err);

    for (uint32_t v = 1; st == CR_OK && dict != NULL && v <= dict->words; v++) {
        size_t length;
        const char *word = cr__dict_word(dict, v, &length);

        if (length > 0 || dict->words > 1) /* the single class of a regression has no name */
            st = cr__builder_add_state(builder, node, word, length, err);
    }
    if (st == CR_OK && builder->node[node].states == 0)
        st = cr__builder_add_state(builder, node, "?", 1, err);
    return st;
}

static cr_status add_variables(job *c, cr_error *err)
{
    cr_status st = order_nodes(c, err);

    if (st == CR_OK)
        st = cr__builder_new(&c->builder, err);
    if (st == CR_OK)
        c->builder->cell_limit = TABLE_CELLS_MAX;
    for (uint32_t node = 0; st == CR_OK && node < c->variables; node++) {
        uint32_t v = 0;

        while (c->node_of[v] != node)
            v++;
        st = cr__builder_add_column(c->builder, c->name[v],
                                    c->stats->column[c->stats->cells->column[v]].dict, err);
        if (st == CR_OK && is_number(c->numbers, c->number, v))
            st = cr__builder_make_gaussian(c->builder, node, err);
    }
    return st;
}

/* Which variables are numbers. */
static cr_status list_numbers(job *c, cr_error *err)
{
    cr_status st = cr__numbers_new(&c->numbers, c->stats, err);

    if (st != CR_OK)
        return st;
    if ((c->number = cr__alloc(c->numbers->count, sizeof *c->number)) == NULL)
        return cr__fail_memory(err);
    for (uint32_t i = 0; i < c->numbers->count; i++)
        for (uint32_t v = 0; v < c->variables; v++)
            if (c->stats->cells->column[v] == c->numbers->column[i])
                c->number[i] = v;
    return CR_OK;
}

/* In the model file a hidden variable's states end with an empty name, so none of them is one. */
static cr_status add_hidden_state(cr__builder *builder, uint32_t node, const char *label,
                                  cr_error *err)
{
    return *label == '\0'
               ? cr__fail(err, CR_EARG, "a state of the hidden variable '%s' has no name",
                          builder->node[node].name)
               : cr__builder_add_state(builder, node, label, strlen(label), err);
}

/* The arcs of a network whose names are those of the variables. Nodes that the data do not have are
 * hidden variables. */
static cr_status copy_structure(job *c, const cr__network *from, cr_error *err)
{
    uint32_t *node = cr__alloc(from->nodes, sizeof *node);
    uint32_t *parent = cr__alloc(CR__PARENTS_MAX, sizeof *parent);
    cr_status st = node == NULL || parent == NULL ? cr__fail_memory(err) : CR_OK;

    for (uint32_t i = 0; st == CR_OK && i < from->nodes; i++) {
        const size_t length = strlen(from->name[i]);

        node[i] = cr__builder_find(c->builder, from->name[i], length);
        if (node[i] != CR__NO_NODE)
            continue;
        if (from->gaussian[i])
            st =
                cr__fail(err, CR_EARG, "the number '%s' of the network is not a column of the data",
                         from->name[i]);
        if (st != CR_OK)
            break;
        st = cr__builder_add(c->builder, from->name[i], length, &node[i], err);
        for (size_t k = from->label_at[i]; st == CR_OK && k < from->label_at[i + 1]; k++)
            st = add_hidden_state(c->builder, node[i], from->label[k], err);
    }
    for (uint32_t i = 0; st == CR_OK && i < from->nodes; i++) {
        const size_t n = from->parent_at[i + 1] - from->parent_at[i];

        for (size_t k = 0; k < n; k++)
            parent[k] = node[from->parent[from->parent_at[i] + k]];
        st = cr__builder_set_parents(c->builder, node[i], parent, n, err);
    }
    cr__free(node);
    cr__free(parent);
    return st;
}

static cr_status read_structure(job *c, const char *path, cr_error *err)
{
    uint32_t known = 0;
    cr_status st = cr__network_read(&c->file, path, err);

    if (st != CR_OK)
        return st;
    for (uint32_t i = 0; i < c->variables; i++)
        known += cr__network_find(c->file, c->name[i], strlen(c->name[i])) != CR__NO_NODE;
    if (known == 0)
        return cr__fail(err, CR_EARG, "no column of the data is a variable of %s", path);
    return copy_structure(c, c->file, err);
}

/* Where no row is complete nothing can be searched: the target is then the parent of all others,
 * which needs only rows with two variables, unless knobs specify a structure. */
static int may_be_naive(const job *c, uint32_t target)
{
    const cr__knobs *knobs = c->input->knobs;

    return has_class_arcs(knobs, target) && c->numbers == NULL &&
           cr__knobs_is(knobs, "whitelist", "none") && cr__knobs_is(knobs, "blacklist", "none");
}

static cr_status search_structure(job *c, cr_error *err)
{
    const cr__stats *stats = c->stats;
    const way *w = find_way(cr__knobs_text(c->input->knobs, "structure"), err);
    const uint32_t target = stats->schema->target == SIZE_MAX ? UINT32_MAX : c->variables - 1;
    uint32_t *list = cr__alloc(c->variables, sizeof *list);
    cr__cases *cases = NULL;
    cr__arcs *arcs = NULL;
    cr_status st = list == NULL ? cr__fail_memory(err) : w == NULL ? CR_EARG : CR_OK;
    int naive = 0;

    if (st == CR_OK && w->needs_rows)
        st = cr__cases_of_cells(&cases, stats->cells, c->states, err);
    naive = st == CR_EFORMAT && may_be_naive(c, target);
    if (st == CR_OK || naive)
        st = cr__arcs_new(&arcs, c->variables, err);
    for (uint32_t i = 0; st == CR_OK && naive && i < c->variables; i++)
        if (i != target)
            cr__arcs_put(arcs, target, i);
    if (st == CR_OK && !naive)
        st = find_mixed_structure(arcs, cases, c->numbers, c->number, c->input->knobs, c->name,
                                  target, c->input->run, &c->report->score, err);
    for (uint32_t i = 0; st == CR_OK && i < c->variables; i++) {
        const size_t parents = cr__arcs_parents(arcs, i, list);

        for (size_t k = 0; k < parents; k++)
            list[k] = c->node_of[list[k]];
        st = cr__builder_set_parents(c->builder, c->node_of[i], list, parents, err);
    }
    c->report->searched = 1;
    c->report->complete = cases == NULL ? 0 : (size_t)cases->total;
    cr__cases_free(cases);
    cr__arcs_free(arcs);
    cr__free(list);
    return st;
}

/* The line of a Gaussian node through its parents, for each class if that is one of them. */
static cr_status fit_line(job *c, uint32_t node, cr_error *err)
{
    const cr__builder_node *n = &c->builder->node[node];
    const char **name = cr__alloc(c->numbers->count, sizeof *name);
    uint32_t *number_at = cr__alloc(c->builder->nodes, sizeof *number_at); /* or NULL */
    uint32_t parent[CR__PARENTS_MAX], parents = 0;
    const uint32_t target = c->numbers->classes > 0 ? c->node_of[c->variables - 1] : UINT32_MAX;
    double *weight;
    int by_class = 0;
    cr_status st = name == NULL || number_at == NULL ? cr__fail_memory(err) : CR_OK;

    for (uint32_t i = 0; st == CR_OK && i < c->builder->nodes; i++)
        number_at[i] = UINT32_MAX;
    for (uint32_t i = 0; st == CR_OK && i < c->numbers->count; i++) {
        name[i] = c->name[c->number[i]];
        number_at[c->node_of[c->number[i]]] = i;
    }
    for (uint32_t k = 0; st == CR_OK && k < n->parents; k++) {
        if (number_at[n->parent[k]] != UINT32_MAX)
            parent[parents++] = number_at[n->parent[k]];
        else if (n->parent[k] == target)
            by_class = 1;
        else
            st = fail_number_arc(c->builder->node[n->parent[k]].name, n->name, 0, err);
    }
    if (st == CR_OK)
        st = cr__builder_weights(c->builder, node, &weight, err);
    if (st == CR_OK)
        st = cr__numbers_fit(c->numbers, number_at[node], parent, parents, by_class, name, weight,
                             err);
    cr__free(name);
    cr__free(number_at);
    return st;
}

/* A network with these arcs, regression lines for numbers, and arbitrary tables. */
static cr_status finish_structure(job *c, cr__network **out, cr_error *err)
{
    cr_status st = CR_OK;

    for (uint32_t i = 0; st == CR_OK && i < c->builder->nodes; i++) {
        const cr__builder_node *n = &c->builder->node[i];
        double *table;

        if (!n->defined)
            st = cr__builder_set_parents(c->builder, i, NULL, 0, err);
        if (st == CR_OK && n->gaussian) {
            st = fit_line(c, i, err);
            continue;
        }
        if (st == CR_OK)
            st = cr__builder_table(c->builder, i, &table, err);
        for (size_t k = 0; st == CR_OK && k < n->cells; k++)
            table[k] = 1.0 / n->states;
    }
    return st == CR_OK ? cr__builder_finish(c->builder, out, err) : st;
}

/* --- its tables ------------------------------------------------------------------------------- */

static cr_status fit_tables(job *c, cr__network *net, cr_error *err)
{
    const cr__knobs *knobs = c->input->knobs;
    const cr_run *run = c->input->run;
    uint32_t *variable = cr__alloc(net->nodes, sizeof *variable);
    double *counts = cr__alloc(net->table_at[net->nodes], sizeof *counts);
    const cr__records records = {c->stats->cells, variable};
    cr__em_plan plan = {.rounds = cr__knobs_whole(knobs, "iterations"),
                        .gradient = cr__knobs_is(knobs, "missing", "gradient"),
                        .seed = cr__run_of(run).seed,
                        .threads = cr__run_threads(run)};
    cr__em_report report = {0};
    cr_status st = variable == NULL || counts == NULL
                       ? cr__fail_memory(err)
                       : cr__prior_read(&plan.prior, cr__knobs_text(knobs, "parameters"), err);

    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++)
        variable[i] = UINT32_MAX;
    for (uint32_t i = 0; st == CR_OK && i < c->variables; i++)
        variable[c->node_of[i]] = i;
    if (st == CR_OK &&
        (cr__knobs_is(knobs, "missing", "ignore") || !cr__records_have_gaps(net, &records))) {
        if ((st = cr__count_tables(counts, net, &records, err)) == CR_OK)
            cr__set_tables(net, counts, &plan.prior);
    } else if (st == CR_OK) {
        st = cr__em(net, &records, &plan, &report, err);
        c->report->rounds = report.rounds;
        c->report->log_likelihood = report.log_likelihood;
    }
    cr__free(variable);
    cr__free(counts);
    return st;
}

/* --- the whole -------------------------------------------------------------------------------- */

/* Whether the structure would be searched again. */
static int searches(const cr__fit_input *input, const cr__network *before)
{
    static const char *const knob[] = {"structure",  "score",     "max-parents", "whitelist",
                                       "class-arcs", "blacklist", "order",       "restarts",
                                       "tabu",       "alpha",     "relearn"};

    if (before == NULL || cr__knobs_is(input->knobs, "relearn", "always"))
        return 1;
    for (size_t i = 0; input->before_knobs != NULL && i < sizeof knob / sizeof *knob; i++)
        if (!cr__knobs_is(input->knobs, knob[i], cr__knobs_text(input->before_knobs, knob[i])))
            return 1;
    return 0;
}

/* Whether columns are numbers was decided when statistics were collected. */
static cr_status check_numbers(const cr__fit_input *input, cr_error *err)
{
    const cr_schema *schema = input->stats->schema;
    const int asked =
        cr__knobs_is(input->knobs, "real", "gaussian") ||
        (schema->target != SIZE_MAX && schema->column[schema->target].kind == CR_REAL);

    if (asked == (input->stats->cross != NULL))
        return CR_OK;
    cr__fail(err, CR_EARG, "whether real columns are numbers or intervals is fixed at training");
    return cr__fail_hint(err, CR_EARG, "train again with real=%s",
                         cr__knobs_text(input->knobs, "real"));
}

cr_status cr__network_learn(cr__network **out, const cr__fit_input *input,
                            const cr__network *before, cr__learned *report, cr_error *err)
{
    cr__learned own;
    job c = {.input = input,
             .stats = input->stats,
             .variables = (uint32_t)input->stats->cells->packing.variables,
             .report = report == NULL ? &own : report};
    const char *path = structure_file(input->knobs);
    cr_status st;

    *out = NULL;
    *c.report = (cr__learned){.score = NAN, .log_likelihood = NAN};
    if (c.variables == 0)
        return cr__fail(err, CR_EARG, "there are no variables to make a network of");
    st = check_numbers(input, err);
    if (st == CR_OK)
        st = list_variables(c.stats, &c.name, &c.states, err);
    if (st == CR_OK && c.stats->cross != NULL)
        st = list_numbers(&c, err);
    if (st == CR_OK)
        st = add_variables(&c, err);
    if (st == CR_OK && !searches(input, before))
        st = copy_structure(&c, before, err);
    else if (st == CR_OK)
        st = path != NULL ? read_structure(&c, path, err) : search_structure(&c, err);
    if (st == CR_OK)
        st = finish_structure(&c, out, err);
    if (st == CR_OK && (st = fit_tables(&c, *out, err)) != CR_OK) {
        cr__network_free(*out);
        *out = NULL;
    }
    cr__network_free(c.file);
    cr__numbers_free(c.numbers);
    cr__free(c.number);
    cr__builder_free(c.builder);
    cr__free(c.name);
    cr__free(c.states);
    cr__free(c.node_of);
    return st;
}
