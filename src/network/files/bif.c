/* network/files/bif.c - the Interchange Format for Bayesian networks (Cozman, 1998; BIF 0.15).
 *
 *     network NAME { property ...; }
 *     variable NAME { type discrete [ 2 ] { yes, no }; property ...; }
 *     probability ( NAME | PARENT, PARENT ) {
 *         (yes, no) 0.2, 0.8;          one row for each combination of the parents' states
 *         default 0.5, 0.5;            all other rows
 *         table 0.2, 0.5, 0.8, 0.5;    all at once, the node's own state the slowest
 *     }
 *
 * Commas are optional, as some programs leave them out.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "network/files/lexer.h"
#include "network/files/files.h"

static const char marks[] = "{}()[],;|";

typedef struct parser {
    cr__lexer c;
    cr__builder *builder;
    double *row; /* room for one row */
    size_t row_capacity;
} parser;

static cr_status skip_comma(cr__lexer *c)
{
    return c->type == ',' ? cr__lexer_next(c) : CR_OK;
}

/* Skip to the end of a property, whatever it contains. */
static cr_status skip_statement(cr__lexer *c)
{
    cr_status st = CR_OK;

    while (st == CR_OK && c->type != ';' && c->type != CR__TOKEN_END)
        st = cr__lexer_next(c);
    return st == CR_OK ? cr__lexer_expect(c, ';') : st;
}

/* --- network, variable ------------------------------------------------------------------------ */

static cr_status read_network(parser *p)
{
    cr__lexer *c = &p->c;
    cr_status st = cr__lexer_next(c);

    if (st == CR_OK && cr__lexer_word(c)) {
        if (!cr__lexer_is(c, "unknown") && /* which means that it has none */
            (p->builder->title = cr__arena_copy(&p->builder->arena, c->text, c->length)) == NULL)
            return cr__fail_memory(c->err);
        st = cr__lexer_next(c);
    }
    if (st == CR_OK)
        st = cr__lexer_expect(c, '{');
    while (st == CR_OK && c->type != '}')
        st = skip_statement(c);
    return st == CR_OK ? cr__lexer_next(c) : st;
}

/* type discrete [ 2 ] { yes, no }; */
static cr_status read_type(parser *p, uint32_t node)
{
    cr__lexer *c = &p->c;
    uint64_t wanted = 0;
    cr_status st = cr__lexer_next(c);

    if (st == CR_OK && !cr__lexer_is(c, "discrete"))
        return cr__lexer_unexpected(c, "discrete");
    if (st == CR_OK && (st = cr__lexer_next(c)) == CR_OK)
        st = cr__lexer_expect(c, '[');
    if (st == CR_OK && (c->type != CR__TOKEN_WORD ||
                        cr__parse_uint64(c->text, c->length, &wanted) != CR__NUMBER_OK))
        return cr__lexer_unexpected(c, "the number of states");
    if (st == CR_OK && (st = cr__lexer_next(c)) == CR_OK &&
        (st = cr__lexer_expect(c, ']')) == CR_OK)
        st = cr__lexer_expect(c, '{');
    while (st == CR_OK && c->type != '}') {
        if (!cr__lexer_word(c))
            return cr__lexer_unexpected(c, "the name of a state");
        if ((st = cr__builder_add_state(p->builder, node, c->text, c->length, c->err)) != CR_OK)
            return cr__lexer_blame(c, st);
        if ((st = cr__lexer_next(c)) == CR_OK)
            st = skip_comma(c);
    }
    if (st == CR_OK && p->builder->node[node].states != wanted) {
        cr__fail(c->err, CR_EFORMAT, "'%s' is said to have %llu states, but %u are named",
                 p->builder->node[node].name, (unsigned long long)wanted,
                 p->builder->node[node].states);
        return cr__lexer_blame(c, CR_EFORMAT);
    }
    if (st == CR_OK)
        st = cr__lexer_next(c);
    return st == CR_OK ? cr__lexer_expect(c, ';') : st;
}

static cr_status read_variable(parser *p)
{
    cr__lexer *c = &p->c;
    uint32_t node = 0;
    cr_status st = cr__lexer_next(c);

    if (st == CR_OK && !cr__lexer_word(c))
        return cr__lexer_unexpected(c, "the name of a variable");
    if (st == CR_OK &&
        (st = cr__builder_add(p->builder, c->text, c->length, &node, c->err)) != CR_OK)
        return cr__lexer_blame(c, st);
    if (st == CR_OK) {
        p->builder->node[node].line = c->token_line;
        p->builder->node[node].column = c->token_column;
        st = cr__lexer_next(c);
    }
    if (st == CR_OK)
        st = cr__lexer_expect(c, '{');
    while (st == CR_OK && c->type != '}')
        st = cr__lexer_is(c, "type") ? read_type(p, node) : skip_statement(c);
    return st == CR_OK ? cr__lexer_next(c) : st;
}

/* --- probability ------------------------------------------------------------------------------ */

/* ( NAME | PARENT, PARENT ); the bar may be missing, as in old files. */
static cr_status read_family(parser *p, uint32_t *node)
{
    cr__lexer *c = &p->c;
    uint32_t parent[CR__PARENTS_MAX], parents = 0;
    const size_t line = c->token_line, column = c->token_column;
    cr_status st = cr__lexer_next(c);

    if (st == CR_OK && (st = cr__lexer_expect(c, '(')) == CR_OK)
        st = cr__lexer_node(c, p->builder, node);
    if (st == CR_OK && p->builder->node[*node].defined) {
        cr__fail(c->err, CR_EFORMAT, "the probabilities of '%s' are given twice",
                 p->builder->node[*node].name);
        return cr__fail_at(c->err, CR_EFORMAT, NULL, line, column);
    }
    if (st == CR_OK && c->type == '|')
        st = cr__lexer_next(c);
    while (st == CR_OK && c->type != ')') {
        if ((st = skip_comma(c)) != CR_OK)
            break;
        if (parents == CR__PARENTS_MAX) {
            cr__fail(c->err, CR_ELIMIT, "a variable has more than %d parents", CR__PARENTS_MAX);
            return cr__lexer_blame(c, CR_ELIMIT);
        }
        st = cr__lexer_node(c, p->builder, &parent[parents++]);
    }
    if (st == CR_OK &&
        (st = cr__builder_set_parents(p->builder, *node, parent, parents, c->err)) != CR_OK)
        return cr__lexer_blame(c, st);
    if (st != CR_OK)
        return st;
    p->builder->node[*node].line = line;
    p->builder->node[*node].column = column;
    return cr__lexer_next(c);
}

/* As many numbers as wanted, then a semicolon. */
static cr_status read_numbers(parser *p, double *out, size_t wanted)
{
    cr__lexer *c = &p->c;
    const size_t line = c->token_line, column = c->token_column;
    size_t found = 0;
    cr_status st = CR_OK;

    while (st == CR_OK && c->type != ';') {
        double value;

        if ((st = cr__lexer_number(c, &value)) != CR_OK)
            break;
        if (found < wanted)
            out[found] = value;
        found++;
        st = skip_comma(c);
    }
    if (st != CR_OK)
        return st;
    if (found != wanted) {
        cr__fail(c->err, CR_EFORMAT, "there are %zu probabilities where %zu should be", found,
                 wanted);
        return cr__fail_at(c->err, CR_EFORMAT, NULL, line, column);
    }
    return cr__lexer_next(c);
}

/* A row of numbers, checked and normalised. */
static cr_status read_row(parser *p, uint32_t node, double *row)
{
    const size_t line = p->c.token_line, column = p->c.token_column;
    const uint32_t states = p->builder->node[node].states;
    cr_status st = read_numbers(p, row, states);

    if (st == CR_OK && (st = cr__row_normalise(row, states, p->c.err)) != CR_OK)
        return cr__fail_at(p->c.err, st, NULL, line, column);
    return st;
}

/* (state, state) numbers; */
static cr_status read_entry(parser *p, uint32_t node, double *table)
{
    cr__lexer *c = &p->c;
    const cr__builder_node *n = &p->builder->node[node];
    const size_t line = c->token_line, column = c->token_column;
    size_t row = 0;
    cr_status st = cr__lexer_next(c);

    for (uint32_t k = 0; st == CR_OK && k < n->parents; k++) {
        uint32_t state = 0;

        if ((st = skip_comma(c)) == CR_OK)
            st = cr__lexer_state(c, p->builder, n->parent[k], &state);
        row = row * p->builder->node[n->parent[k]].states + state;
    }
    if (st == CR_OK)
        st = cr__lexer_expect(c, ')');
    if (st == CR_OK && !isnan(table[row * n->states])) {
        cr__fail(c->err, CR_EFORMAT, "this row of '%s' is given twice", n->name);
        return cr__fail_at(c->err, CR_EFORMAT, NULL, line, column);
    }
    return st == CR_OK ? read_row(p, node, table + row * n->states) : st;
}

/* The whole table, the node's own state the slowest. */
static cr_status read_table(parser *p, uint32_t node, double *table)
{
    const cr__builder_node *n = &p->builder->node[node];
    const size_t line = p->c.token_line, column = p->c.token_column;
    const size_t rows = n->cells / n->states;
    double *all = cr__alloc(n->cells, sizeof *all);
    cr_status st = all == NULL ? cr__fail_memory(p->c.err) : read_numbers(p, all, n->cells);

    for (size_t r = 0; st == CR_OK && r < rows; r++) {
        for (size_t k = 0; k < n->states; k++)
            table[r * n->states + k] = all[k * rows + r];
        if ((st = cr__row_normalise(table + r * n->states, n->states, p->c.err)) != CR_OK)
            cr__fail_at(p->c.err, st, NULL, line, column);
    }
    cr__free(all);
    return st;
}

static cr_status read_block(parser *p, uint32_t node, double *table)
{
    cr__lexer *c = &p->c;
    const cr__builder_node *n = &p->builder->node[node];
    int rest = 0; /* a default was given */
    cr_status st = CR_OK;

    if (!cr__grow(&p->row, &p->row_capacity, n->states, sizeof *p->row))
        return cr__fail_memory(c->err);
    while (st == CR_OK && c->type != '}') {
        if (c->type == '(') {
            st = read_entry(p, node, table);
        } else if (cr__lexer_is(c, "table")) {
            if ((st = cr__lexer_next(c)) == CR_OK)
                st = read_table(p, node, table);
        } else if (cr__lexer_is(c, "default")) {
            rest = 1;
            if ((st = cr__lexer_next(c)) == CR_OK)
                st = read_row(p, node, p->row);
        } else if (cr__lexer_is(c, "property")) {
            st = skip_statement(c);
        } else {
            st = cr__lexer_unexpected(c, "a row, table, default or property");
        }
    }
    for (size_t r = 0; st == CR_OK && rest && r < n->cells; r += n->states)
        if (isnan(table[r]))
            memcpy(table + r, p->row, n->states * sizeof *table);
    return st == CR_OK ? cr__lexer_next(c) : st;
}

static cr_status read_probability(parser *p)
{
    cr__lexer *c = &p->c;
    uint32_t node = 0;
    double *table = NULL;
    cr_status st = read_family(p, &node);

    if (st == CR_OK && (st = cr__builder_table(p->builder, node, &table, c->err)) != CR_OK)
        return cr__lexer_blame(c, st);
    if (st == CR_OK)
        st = cr__lexer_expect(c, '{');
    return st == CR_OK ? read_block(p, node, table) : st;
}

cr_status cr__bif_parse(cr__builder *builder, const char *bytes, size_t size, cr_error *err)
{
    parser p = {.builder = builder};
    cr_status st;

    cr__lexer_begin(&p.c, bytes, size, marks, 0, err);
    st = cr__lexer_next(&p.c);
    while (st == CR_OK && p.c.type != CR__TOKEN_END) {
        if (cr__lexer_is(&p.c, "variable"))
            st = read_variable(&p);
        else if (cr__lexer_is(&p.c, "probability"))
            st = read_probability(&p);
        else if (cr__lexer_is(&p.c, "network"))
            st = read_network(&p);
        else if (cr__lexer_is(&p.c, "property"))
            st = skip_statement(&p.c);
        else
            st = cr__lexer_unexpected(&p.c, "network, variable or probability");
    }
    cr__free(p.row);
    cr__lexer_end(&p.c);
    return st;
}

/* --- writing ---------------------------------------------------------------------------------- */

static void print_variable(const cr__network *net, uint32_t i, cr__buffer *out)
{
    cr__buffer_adds(out, "variable ");
    cr__print_name(out, net->name[i], marks);
    cr__buffer_printf(out, " {\n  type discrete [ %u ] { ", net->states[i]);
    for (uint32_t k = 0; k < net->states[i]; k++) {
        cr__buffer_adds(out, k > 0 ? ", " : "");
        cr__print_name(out, net->label[net->label_at[i] + k], marks);
    }
    cr__buffer_adds(out, " };\n}\n");
}

static void print_row(const cr__network *net, uint32_t i, size_t row, cr__buffer *out)
{
    const double *p = net->table + net->table_at[i] + row * net->states[i];

    for (uint32_t k = 0; k < net->states[i]; k++) {
        cr__buffer_adds(out, k > 0 ? ", " : " ");
        cr__print_number(out, p[k]);
    }
    cr__buffer_adds(out, ";\n");
}

static void print_probability(const cr__network *net, uint32_t i, cr__buffer *out)
{
    const uint32_t *parent = net->parent + net->parent_at[i];
    const size_t parents = net->parent_at[i + 1] - net->parent_at[i];
    const size_t rows = (net->table_at[i + 1] - net->table_at[i]) / net->states[i];
    uint32_t state[CR__PARENTS_MAX] = {0};

    cr__buffer_adds(out, "probability ( ");
    cr__print_name(out, net->name[i], marks);
    for (size_t k = 0; k < parents; k++) {
        cr__buffer_adds(out, k > 0 ? ", " : " | ");
        cr__print_name(out, net->name[parent[k]], marks);
    }
    cr__buffer_adds(out, " ) {\n");
    for (size_t row = 0; row < rows; row++, cr__row_next(net, i, state)) {
        cr__buffer_adds(out, parents == 0 ? "  table" : "  (");
        for (size_t k = 0; k < parents; k++) {
            cr__buffer_adds(out, k > 0 ? ", " : "");
            cr__print_name(out, net->label[net->label_at[parent[k]] + state[k]], marks);
        }
        cr__buffer_adds(out, parents == 0 ? "" : ")");
        print_row(net, i, row, out);
    }
    cr__buffer_adds(out, "}\n");
}

void cr__bif_print(const cr__network *net, cr__buffer *out)
{
    cr__buffer_adds(out, "network ");
    cr__print_name(out, net->title[0] == '\0' ? "unknown" : net->title, marks);
    cr__buffer_adds(out, " {\n}\n");
    for (uint32_t i = 0; i < net->nodes; i++)
        print_variable(net, i, out);
    for (uint32_t i = 0; i < net->nodes; i++)
        print_probability(net, i, out);
}
