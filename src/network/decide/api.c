/* network/decide/api.c - credence/diagram.h: influence diagrams for programs. */
#include "credence/diagram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/sized.h"
#include "credence/spec.h"
#include "network/decide/solve.h"
#include "network/files/files.h"
#include "network/files/lexer.h"

struct cr_diagram {
    cr__network *net;
};

/* --- files and nodes -------------------------------------------------------------------------- */

cr_status cr_diagram_read(cr_diagram **out, const char *path, cr_error *err)
{
    cr__network *net;
    cr_status st = cr__diagram_read(&net, path, err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++)
        if (net->gaussian[i])
            st = cr__fail(err, CR_EFORMAT, "'%s' is a number; a diagram has named states",
                          net->name[i]);
    if (st == CR_OK && (*out = cr__alloc(1, sizeof **out)) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        (*out)->net = net;
    else
        cr__network_free(net);
    return st;
}

void cr_diagram_free(cr_diagram *diagram)
{
    if (diagram == NULL)
        return;
    cr__network_free(diagram->net);
    cr__free(diagram);
}

int cr_diagram_recognise(const char *path)
{
    cr_diagram *diagram = NULL;
    int found = 0;
    cr__map map;

    if (cr__map_open(&map, path, NULL) == CR_OK) {
        const cr__network_format format = cr__network_recognise(path, map.data, map.size);

        found = format == CR__NETWORK_HUGIN || format == CR__NETWORK_NETICA;
        cr__map_close(&map);
    }
    if (!found || cr_diagram_read(&diagram, path, NULL) != CR_OK)
        return 0;
    found = cr__diagram_first(diagram->net) != CR__NO_NODE;
    cr_diagram_free(diagram);
    return found;
}

cr_status cr_diagram_write(const cr_diagram *diagram, const char *path, const char *format,
                           cr_error *err)
{
    cr__network_format to = cr__network_format_of(path);

    if (format != NULL)
        to = strcmp(format, "hugin") == 0    ? CR__NETWORK_HUGIN
             : strcmp(format, "netica") == 0 ? CR__NETWORK_NETICA
             : strcmp(format, "dot") == 0    ? CR__NETWORK_DOT
                                             : CR__NETWORK_UNKNOWN;
    else if (to == CR__NETWORK_PLAIN)
        to = CR__NETWORK_HUGIN;
    if (to != CR__NETWORK_HUGIN && to != CR__NETWORK_NETICA && to != CR__NETWORK_DOT) {
        cr__fail(err, CR_EARG, "the format '%s' has no decisions", format != NULL ? format : path);
        return cr__fail_hint(err, CR_EARG, "hugin (.net), netica (.dne) and dot do");
    }
    return cr__network_write(diagram->net, to, path, err);
}

size_t cr_diagram_nodes(const cr_diagram *diagram)
{
    return diagram->net->nodes;
}

const char *cr_diagram_name(const cr_diagram *diagram, size_t node)
{
    return node < diagram->net->nodes ? diagram->net->name[node] : NULL;
}

cr_diagram_kind cr_diagram_kind_of(const cr_diagram *diagram, size_t node)
{
    return node < diagram->net->nodes ? (cr_diagram_kind)(diagram->net->kind[node] + 1)
                                      : (cr_diagram_kind)0;
}

size_t cr_diagram_states(const cr_diagram *diagram, size_t node)
{
    const cr__network *net = diagram->net;

    return node < net->nodes && net->kind[node] != CR__KIND_UTILITY ? net->states[node] : 0;
}

const char *cr_diagram_state(const cr_diagram *diagram, size_t node, size_t state)
{
    return state < cr_diagram_states(diagram, node)
               ? diagram->net->label[diagram->net->label_at[node] + state]
               : NULL;
}

size_t cr_diagram_parent(const cr_diagram *diagram, size_t node, size_t index)
{
    const cr__network *net = diagram->net;

    return node < net->nodes && index < net->parent_at[node + 1] - net->parent_at[node]
               ? net->parent[net->parent_at[node] + index]
               : SIZE_MAX;
}

/* --- what is known at the start --------------------------------------------------------------- */

static cr_status fail_unknown(const cr__lexer *c, const char *const *name, size_t count,
                              const char *what)
{
    char typed[100];
    cr_nearest near = {.wanted = cr__printable(typed, sizeof typed, c->text, c->length)};

    for (size_t i = 0; i < count; i++)
        cr_nearest_offer(&near, name[i]);
    cr__fail(c->err, CR_EARG, "there is no %s '%s'", what, typed);
    if (near.best != NULL)
        cr__fail_hint(c->err, CR_EARG, "did you mean '%s'?", near.best);
    return cr__lexer_blame(c, CR_EARG);
}

/* VARIABLE = VALUE */
static cr_status read_fact(cr__lexer *c, const cr__network *net, uint32_t *state)
{
    uint32_t node, value = 0;
    cr_status st;

    if (!cr__lexer_word(c))
        return cr__lexer_unexpected(c, "the name of a variable");
    if ((node = cr__network_find(net, c->text, c->length)) == CR__NO_NODE)
        return fail_unknown(c, net->name, net->nodes, "variable");
    if (net->kind[node] == CR__KIND_UTILITY)
        return cr__lexer_unexpected(c, "no utility");
    if ((st = cr__lexer_next(c)) == CR_OK)
        st = cr__lexer_expect(c, '=');
    if (st != CR_OK)
        return st;
    if (!cr__lexer_word(c))
        return cr__lexer_unexpected(c, "a value");
    while (value < net->states[node] &&
           (strlen(net->label[net->label_at[node] + value]) != c->length ||
            memcmp(net->label[net->label_at[node] + value], c->text, c->length) != 0))
        value++;
    if (value == net->states[node])
        return fail_unknown(c, net->label + net->label_at[node], net->states[node], "value");
    if (state[node] != UINT32_MAX && state[node] != value)
        return cr__lexer_unexpected(c, "the value it has already");
    state[node] = value;
    return cr__lexer_next(c);
}

/* "A=a, B=b and C=c" into state, [nodes]. */
static cr_status read_condition(const cr__network *net, const char *text, uint32_t *state,
                                cr_error *err)
{
    cr_error why = {0};
    cr__lexer c;
    cr_status st;

    for (uint32_t i = 0; i < net->nodes; i++)
        state[i] = UINT32_MAX;
    if (text == NULL || text[strspn(text, " \t\r\n")] == '\0')
        return CR_OK;
    cr__lexer_begin(&c, text, strlen(text), "=,", 0, &why);
    st = cr__lexer_next(&c);
    while (st == CR_OK && (st = read_fact(&c, net, state)) == CR_OK && c.type != CR__TOKEN_END)
        st = c.type == ',' || cr__lexer_is(&c, "and") ? cr__lexer_next(&c)
                                                      : cr__lexer_unexpected(&c, "a comma or and");
    cr__lexer_end(&c);
    if (st == CR_EFORMAT)
        st = CR_EARG;
    if (st != CR_OK && err != NULL) {
        *err = why;
        err->code = st;
        err->line = 0;
    }
    return st;
}

/* A problem, whose states are to be freed. */
/* A plain network has nothing to decide, and nothing that it could be worth. */
static cr_status has_choice(const cr_diagram *diagram, cr_error *err)
{
    for (size_t i = 0; i < cr_diagram_nodes(diagram); i++)
        if (cr_diagram_kind_of(diagram, i) != CR_CHANCE)
            return CR_OK;
    cr__fail(err, CR_EARG, "the network has no decision and no utility");
    return cr__fail_hint(err, CR_EARG, "its probabilities can be asked for by a query");
}

static cr_status problem_open(cr__problem *p, const cr_diagram *diagram, const char *condition,
                              const cr_run *given, cr_error *err)
{
    const cr__network *net = diagram->net;
    uint32_t *state = cr__alloc(net->nodes, sizeof *state);
    const cr_run run = cr__run_of(given);
    cr_status st = cr__run_check(given, err);

    if (st == CR_OK)
        st = has_choice(diagram, err);
    *p = (cr__problem){.net = net,
                       .state = state,
                       .decision = CR__NO_NODE,
                       .variable = CR__NO_NODE,
                       .memory = cr__run_memory(&run),
                       .pool = run.pool};
    if (st == CR_OK && state == NULL)
        st = cr__fail_memory(err);
    return st == CR_OK ? read_condition(net, condition, state, err) : st;
}

/* --- strategies ------------------------------------------------------------------------------- */

void cr_strategy_free(cr_strategy *strategy)
{
    if (strategy == NULL)
        return;
    for (size_t i = 0; strategy->policy != NULL && i < strategy->policies; i++) {
        cr__free((void *)strategy->policy[i].known);
        cr__free((void *)strategy->policy[i].best);
        cr__free((void *)strategy->policy[i].utility);
        cr__free((void *)strategy->policy[i].probability);
    }
    cr__free((void *)strategy->policy);
    cr__free(strategy);
}

static size_t *widen(const uint32_t *from, size_t count)
{
    size_t *to = cr__alloc(count, sizeof *to);

    for (size_t i = 0; to != NULL && i < count; i++)
        to[i] = from[i];
    return to;
}

/* The policy with what it points to; takes ownership. */
static int export_policy(cr_policy *to, cr__policy *from, const cr__network *net)
{
    *to = (cr_policy){.decision = from->decision,
                      .options = net->states[from->decision],
                      .knowns = from->knowns,
                      .known = widen(from->known, from->knowns),
                      .rows = from->rows,
                      .best = widen(from->best, from->rows),
                      .utility = from->utility,
                      .probability = from->probability};
    from->utility = from->probability = NULL;
    return to->known != NULL && to->best != NULL;
}

cr_status cr_diagram_solve(cr_strategy **out, const cr_diagram *diagram, const char *condition,
                           const cr_run *run, cr_error *err)
{
    cr__problem problem;
    cr__strategy *found = NULL;
    cr_strategy *made = NULL;
    cr_policy *policy = NULL;
    cr_status st = problem_open(&problem, diagram, condition, run, err);

    *out = NULL;
    if (st == CR_OK)
        st = cr__strategy_find(&found, &problem, 1, err);
    if (st == CR_OK && ((made = cr__alloc_zero(1, sizeof *made)) == NULL ||
                        (policy = cr__alloc_zero(found->count, sizeof *policy)) == NULL))
        st = cr__fail_memory(err);
    if (policy != NULL)
        *made =
            (cr_strategy){.utility = found->utility, .policies = found->count, .policy = policy};
    for (uint32_t i = 0; st == CR_OK && i < found->count; i++)
        if (!export_policy(&policy[i], &found->policy[i], diagram->net))
            st = cr__fail_memory(err);
    if (st == CR_OK)
        *out = made;
    else
        cr_strategy_free(made);
    cr__strategy_free(found);
    cr__free((void *)problem.state);
    return st;
}

/* --- the value of information ----------------------------------------------------------------- */

void cr_information_free(cr_information *information)
{
    cr__free(information);
}

static int by_value(const void *a, const void *b)
{
    const cr_information *x = a, *y = b;

    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    if (x->decision != y->decision)
        return x->decision < y->decision ? -1 : 1;
    return x->variable < y->variable ? -1 : x->variable > y->variable;
}

/* What knowing a variable at a decision adds; a difference no larger than rounding error counts as
 * 0. */
static cr_status value_of(cr__problem *problem, uint32_t decision, uint32_t variable,
                          double without, double *value, cr_error *err)
{
    cr__strategy *with = NULL;
    cr_status st;

    problem->decision = decision;
    problem->variable = variable;
    st = cr__strategy_find(&with, problem, 0, err);
    if (st == CR_OK) {
        *value = with->utility - without;
        if (*value < 1e-10 * (fabs(without) + fabs(with->utility)))
            *value = 0;
    }
    cr__strategy_free(with);
    return st;
}

/* All variables that may be known at one decision. */
static cr_status information_at(cr__problem *problem, const uint32_t *decision, uint32_t index,
                                double without, cr_information *list, size_t *count, cr_error *err)
{
    const cr__network *net = problem->net;
    unsigned char *below = cr__alloc(net->nodes, 1), *known = cr__alloc(net->nodes, 1);
    cr_status st = below == NULL || known == NULL ? cr__fail_memory(err) : CR_OK;

    if (st == CR_OK) {
        problem->decision = CR__NO_NODE;
        cr__mark_descendants(net, decision[index], below);
        cr__mark_known(problem, decision, index, known);
    }
    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++)
        if (net->kind[i] == CR__KIND_CHANCE && !below[i] && !known[i] &&
            problem->state[i] == UINT32_MAX && net->states[i] > 1) {
            list[*count] = (cr_information){.decision = decision[index], .variable = i};
            st = value_of(problem, decision[index], i, without, &list[*count].value, err);
            ++*count;
        }
    cr__free(below);
    cr__free(known);
    return st;
}

cr_status cr_diagram_information(cr_information **out, size_t *count, const cr_diagram *diagram,
                                 const char *condition, const cr_run *run, cr_error *err)
{
    uint32_t *decision = NULL, decisions = 0;
    cr__problem problem;
    cr__strategy *base = NULL;
    cr_information *list = NULL;
    cr_status st = problem_open(&problem, diagram, condition, run, err);

    *out = NULL;
    *count = 0;
    if (st == CR_OK)
        st = cr__decision_order(&problem, &decision, &decisions, err);
    if (st == CR_OK)
        st = cr__strategy_find(&base, &problem, 0, err);
    if (st == CR_OK &&
        (list = cr__alloc((size_t)decisions * diagram->net->nodes, sizeof *list)) == NULL)
        st = cr__fail_memory(err);
    for (uint32_t i = 0; st == CR_OK && i < decisions; i++)
        st = information_at(&problem, decision, i, base->utility, list, count, err);
    if (st == CR_OK) {
        qsort(list, *count, sizeof *list, by_value);
        *out = list;
    } else {
        cr__free(list);
    }
    cr__free(decision);
    cr__strategy_free(base);
    cr__free((void *)problem.state);
    return st;
}
