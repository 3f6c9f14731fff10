/* network/files/net_format.c - networks as plain text that can be written by hand.
 *
 *     # Two causes of wet grass.
 *     rain: yes no                      a variable and its states
 *     sprinkler: on off
 *     grass: wet dry
 *
 *     rain = 0.2 0.8                    its probabilities; the last may be left out
 *     sprinkler | rain                  a table: one indented row for each state of the parents
 *       yes = 0.01 0.99
 *       no = 0.4
 *     grass | sprinkler rain
 *       * * = 0.9                       a star is any state; later rows win over earlier ones
 *       off no = 0 1
 *
 *     growth: *                         a number, normal around a line
 *     light: *
 *     light = 40 8                      its mean and standard deviation
 *     growth | light grass              intercept, a slope for each parent that is a number, and
 *       wet = 1 0.3 2                   the standard deviation: a row for the states of the others
 *       dry = 0 0.1 1
 *
 * Commas may stand between words and numbers. A name with spaces or marks is quoted.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "network/files/lexer.h"
#include "network/files/files.h"

static const char marks[] = ":=|,*";

typedef struct parser {
    cr__lexer c;
    cr__builder *builder;
    uint32_t open; /* the node whose rows may follow, or CR__NO_NODE */
    double *row;   /* room for one row */
    size_t row_capacity;
    size_t line, column; /* where its numbers begin */
} parser;

static int at_line_end(const cr__lexer *c)
{
    return c->type == CR__TOKEN_LINE || c->type == CR__TOKEN_END;
}

static cr_status next_item(cr__lexer *c)
{
    return c->type == ',' ? cr__lexer_next(c) : CR_OK;
}

/* NAME: STATE STATE ..., or NAME: * for a number. */
static cr_status read_states(parser *p, const char *name, size_t length, size_t line, size_t column)
{
    cr__lexer *c = &p->c;
    uint32_t node = 0;
    cr_status st = cr__builder_add(p->builder, name, length, &node, c->err);

    if (st != CR_OK)
        return cr__fail_at(c->err, st, NULL, line, column);
    p->builder->node[node].line = line;
    p->builder->node[node].column = column;
    if ((st = cr__lexer_next(c)) == CR_OK && c->type == '*') {
        if ((st = cr__builder_make_gaussian(p->builder, node, c->err)) == CR_OK)
            st = cr__lexer_next(c);
        return st;
    }
    while (st == CR_OK && !at_line_end(c)) {
        if (!cr__lexer_word(c))
            return cr__lexer_unexpected(c, "the name of a state");
        if ((st = cr__builder_add_state(p->builder, node, c->text, c->length, c->err)) != CR_OK)
            return cr__lexer_blame(c, st);
        if ((st = cr__lexer_next(c)) == CR_OK)
            st = next_item(c);
    }
    if (st == CR_OK && p->builder->node[node].states == 0)
        return cr__lexer_unexpected(c, "the name of a state");
    return st;
}

/* The numbers after '=', the current token; *found is how many, and the first `room` are kept. */
static cr_status take_numbers(parser *p, size_t room, cr_status (*take)(cr__lexer *, double *),
                              size_t *found, double *sum)
{
    cr__lexer *c = &p->c;
    cr_status st = cr__lexer_expect(c, '=');

    p->line = c->token_line;
    p->column = c->token_column;
    *found = 0;
    *sum = 0;
    if (!cr__grow(&p->row, &p->row_capacity, room, sizeof *p->row))
        return cr__fail_memory(c->err);
    while (st == CR_OK && !at_line_end(c)) {
        double value = 0;

        if ((st = take(c, &value)) == CR_OK)
            st = next_item(c);
        if (*found < room)
            p->row[*found] = value;
        *sum += value;
        ++*found;
    }
    return st;
}

/* Intercept, slopes and deviation of a Gaussian node. */
static cr_status read_line(parser *p, uint32_t node)
{
    const size_t stride = cr__builder_stride(p->builder, node);
    size_t found;
    double sum;
    cr_status st = take_numbers(p, stride, cr__lexer_real, &found, &sum);

    if (st != CR_OK || found == stride)
        return st;
    cr__fail(p->c.err, CR_EFORMAT, "there are %zu numbers, but '%s' needs %zu", found,
             p->builder->node[node].name, stride);
    cr__fail_hint(p->c.err, CR_EFORMAT,
                  "the intercept, a slope for each parent that is a number, "
                  "the standard deviation");
    return cr__fail_at(p->c.err, CR_EFORMAT, NULL, p->line, p->column);
}

/* All probabilities of a row, or all but the last. */
static cr_status read_row(parser *p, uint32_t node)
{
    cr__lexer *c = &p->c;
    const uint32_t states = p->builder->node[node].states;
    double sum;
    size_t found;
    cr_status st;

    if (p->builder->node[node].gaussian)
        return read_line(p, node);
    if ((st = take_numbers(p, states, cr__lexer_number, &found, &sum)) != CR_OK)
        return st;
    if (found + 1 == states && sum <= 1) {
        /* Rounded to fifteen decimals, so that 1 - 0.95 is exactly 0.05. */
        p->row[found++] = nearbyint((1 - sum) * 1e15) / 1e15;
    } else if (found != states) {
        cr__fail(c->err, CR_EFORMAT, "there are %zu probabilities, but '%s' has %u states", found,
                 p->builder->node[node].name, states);
        return cr__fail_at(c->err, CR_EFORMAT, NULL, p->line, p->column);
    }
    if ((st = cr__row_normalise(p->row, states, c->err)) != CR_OK)
        return cr__fail_at(c->err, st, NULL, p->line, p->column);
    return CR_OK;
}

/* --- tables ----------------------------------------------------------------------------------- */

static cr_status define(parser *p, uint32_t node, const uint32_t *parent, size_t parents,
                        size_t line, size_t column)
{
    cr__builder_node *n = &p->builder->node[node];
    double *table;
    cr_status st = CR_OK;

    if (n->defined)
        st = cr__fail(p->c.err, CR_EFORMAT, "the probabilities of '%s' are given twice", n->name);
    if (st == CR_OK)
        st = cr__builder_set_parents(p->builder, node, parent, parents, p->c.err);
    if (st == CR_OK)
        st = (n->gaussian ? cr__builder_weights : cr__builder_table)(p->builder, node, &table,
                                                                     p->c.err);
    if (st != CR_OK)
        return cr__fail_at(p->c.err, st, NULL, line, column);
    n->line = line;
    n->column = column;
    return CR_OK;
}

/* Copy the current row into a row of the node's table, or of its weights. */
static void put_row(parser *p, uint32_t node, size_t row)
{
    const cr__builder_node *n = &p->builder->node[node];
    const size_t numbers = n->gaussian ? n->weights / n->cells : n->states;

    memcpy((n->gaussian ? n->weight : n->table) + row * numbers, p->row, numbers * sizeof *p->row);
}

/* NAME = numbers */
static cr_status read_root(parser *p, uint32_t node, size_t line, size_t column)
{
    cr_status st = define(p, node, NULL, 0, line, column);

    if (st == CR_OK && (st = read_row(p, node)) == CR_OK)
        put_row(p, node, 0);
    return st;
}

/* NAME | PARENT PARENT ... */
static cr_status read_family(parser *p, uint32_t node, size_t line, size_t column)
{
    cr__lexer *c = &p->c;
    uint32_t parent[CR__PARENTS_MAX], parents = 0;
    cr_status st = cr__lexer_next(c);

    while (st == CR_OK && !at_line_end(c)) {
        if (parents == CR__PARENTS_MAX) {
            cr__fail(c->err, CR_ELIMIT, "a variable has more than %d parents", CR__PARENTS_MAX);
            return cr__lexer_blame(c, CR_ELIMIT);
        }
        if ((st = cr__lexer_node(c, p->builder, &parent[parents++])) == CR_OK)
            st = next_item(c);
    }
    if (st == CR_OK && parents == 0)
        return cr__lexer_unexpected(c, "the name of a parent");
    p->open = node;
    return st == CR_OK ? define(p, node, parent, parents, line, column) : st;
}

/* Put the current row wherever the parents have the given states; a star is UINT32_MAX. */
static void fill_rows(parser *p, const uint32_t *wanted)
{
    const cr__builder_node *n = &p->builder->node[p->open];

    for (size_t r = 0; r < n->cells / n->states; r++) {
        size_t rest = r;
        int agrees = 1;

        for (uint32_t k = n->parents; agrees && k-- > 0;) {
            const uint32_t states = p->builder->node[n->parent[k]].states;

            agrees = wanted[k] == UINT32_MAX || wanted[k] == rest % states;
            rest /= states;
        }
        if (agrees)
            put_row(p, p->open, r);
    }
}

/* STATE STATE ... = numbers, indented. */
static cr_status read_entry(parser *p)
{
    cr__lexer *c = &p->c;
    const cr__builder_node *n;
    uint32_t wanted[CR__PARENTS_MAX];
    cr_status st = CR_OK;
    int stars = 0;

    if (p->open == CR__NO_NODE)
        return cr__lexer_unexpected(c, "a variable at the beginning of the line");
    n = &p->builder->node[p->open];
    for (uint32_t k = 0; st == CR_OK && k < n->parents; k++) {
        wanted[k] = UINT32_MAX;
        if (p->builder->node[n->parent[k]].gaussian) {
            wanted[k] = 0;
            continue;
        }
        if (c->type == '*')
            st = cr__lexer_next(c);
        else
            st = cr__lexer_state(c, p->builder, n->parent[k], &wanted[k]);
        stars |= wanted[k] == UINT32_MAX;
        if (st == CR_OK)
            st = next_item(c);
    }
    if (st == CR_OK && (st = read_row(p, p->open)) == CR_OK) {
        size_t row = 0;

        for (uint32_t k = 0; !stars && k < n->parents; k++)
            row = row * p->builder->node[n->parent[k]].states + wanted[k];
        if (stars)
            fill_rows(p, wanted);
        else
            put_row(p, p->open, row);
    }
    return st;
}

/* --- lines ------------------------------------------------------------------------------------ */

/* network NAME: the title. */
static cr_status read_title(parser *p)
{
    cr__lexer *c = &p->c;

    if ((p->builder->title = cr__arena_copy(&p->builder->arena, c->text, c->length)) == NULL)
        return cr__fail_memory(c->err);
    return cr__lexer_next(c);
}

/* A line that begins with a name. */
static cr_status read_statement(parser *p)
{
    cr__lexer *c = &p->c;
    const size_t line = c->token_line, column = c->token_column;
    const int may_be_title = cr__lexer_is(c, "network");
    cr__lexer at_name;
    char *name = cr__strndup(c->text, c->length);
    const size_t length = c->length;
    uint32_t node = 0;
    cr_status st = name == NULL ? cr__fail_memory(c->err) : cr__lexer_next(c);

    p->open = CR__NO_NODE;
    if (st == CR_OK && may_be_title && cr__lexer_word(c)) {
        st = read_title(p);
    } else if (st == CR_OK && c->type == ':') {
        st = read_states(p, name, length, line, column);
    } else if (st == CR_OK && (c->type == '=' || c->type == '|')) {
        /* The name is looked up as a token, so that the error is the same as elsewhere. */
        at_name = *c;
        at_name.type = CR__TOKEN_QUOTED;
        at_name.text = name;
        at_name.length = length;
        at_name.token_line = line;
        at_name.token_column = column;
        node = cr__builder_find(p->builder, name, length);
        if (node == CR__NO_NODE)
            st = cr__lexer_node(&at_name, p->builder, &node);
        else if (c->type == '=')
            st = read_root(p, node, line, column);
        else
            st = read_family(p, node, line, column);
    } else if (st == CR_OK) {
        st = cr__lexer_unexpected(c, "':', '=' or '|'");
    }
    cr__free(name);
    return st;
}

cr_status cr__net_format_parse(cr__builder *builder, const char *bytes, size_t size, cr_error *err)
{
    parser p = {.builder = builder, .open = CR__NO_NODE};
    cr_status st;

    cr__lexer_begin(&p.c, bytes, size, marks, 1, err);
    st = cr__lexer_next(&p.c);
    while (st == CR_OK && p.c.type != CR__TOKEN_END) {
        if (p.c.type != CR__TOKEN_LINE) {
            if (p.c.indented)
                st = read_entry(&p);
            else if (cr__lexer_word(&p.c))
                st = read_statement(&p);
            else
                st = cr__lexer_unexpected(&p.c, "the name of a variable");
            if (st == CR_OK && !at_line_end(&p.c))
                st = cr__lexer_unexpected(&p.c, "the end of the line");
        }
        if (st == CR_OK && p.c.type == CR__TOKEN_LINE)
            st = cr__lexer_next(&p.c);
    }
    cr__free(p.row);
    cr__lexer_end(&p.c);
    return st;
}

/* --- writing ---------------------------------------------------------------------------------- */

static void print_table(const cr__network *net, uint32_t i, cr__buffer *out)
{
    const uint32_t *parent = net->parent + net->parent_at[i];
    const size_t parents = net->parent_at[i + 1] - net->parent_at[i];
    const size_t numbers = net->gaussian[i] ? cr__network_stride(net, i) : net->states[i];
    const double *number =
        net->gaussian[i] ? net->weight + net->weight_at[i] : net->table + net->table_at[i];
    uint32_t state[CR__PARENTS_MAX] = {0};

    cr__print_name(out, net->name[i], marks);
    cr__buffer_adds(out, parents > 0 ? " |" : "");
    for (size_t k = 0; k < parents; k++) {
        cr__buffer_addc(out, ' ');
        cr__print_name(out, net->name[parent[k]], marks);
    }
    cr__buffer_adds(out, parents > 0 ? "\n" : "");
    for (size_t at = net->table_at[i]; at < net->table_at[i + 1]; at += net->states[i]) {
        cr__buffer_adds(out, parents > 0 ? " " : "");
        for (size_t k = 0; k < parents; k++) {
            if (net->gaussian[parent[k]])
                continue;
            cr__buffer_addc(out, ' ');
            cr__print_name(out, net->label[net->label_at[parent[k]] + state[k]], marks);
        }
        cr__buffer_adds(out, " =");
        for (size_t k = 0; k < numbers; k++) {
            cr__buffer_addc(out, ' ');
            cr__print_number(out, *number++);
        }
        cr__buffer_addc(out, '\n');
        cr__row_next(net, i, state);
    }
}

void cr__net_format_print(const cr__network *net, cr__buffer *out)
{
    if (net->title[0] != '\0') {
        cr__buffer_adds(out, "network ");
        cr__print_name(out, net->title, marks);
        cr__buffer_adds(out, "\n\n");
    }
    for (uint32_t i = 0; i < net->nodes; i++) {
        cr__print_name(out, net->name[i], marks);
        cr__buffer_addc(out, ':');
        cr__buffer_adds(out, net->gaussian[i] ? " *" : "");
        for (uint32_t k = 0; !net->gaussian[i] && k < net->states[i]; k++) {
            cr__buffer_addc(out, ' ');
            cr__print_name(out, net->label[net->label_at[i] + k], marks);
        }
        cr__buffer_addc(out, '\n');
    }
    cr__buffer_addc(out, '\n');
    for (uint32_t i = 0; i < net->nodes; i++)
        print_table(net, i, out);
}
