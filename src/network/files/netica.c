/* network/files/netica.c - the DNET language of Netica, .dne.
 *
 *     // ~->[DNET-1]->~
 *     bnet NAME {
 *     node A {
 *         kind = NATURE; discrete = TRUE;
 *         states = (yes, no);
 *         parents = (B, C);
 *         probs = (((0.2, 0.8), (0.5, 0.5)), …);
 *         };
 *     };
 *
 * A decision has kind = DECISION and no probs; a utility kind = UTILITY and functable = (…) with
 * any numbers. Nodes may come before their parents, so the text is read twice: for names and
 * states, then for parents and tables. Continuous nodes of chance are refused.
 */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "network/files/blocks.h"

typedef struct parser {
    cr__lexer c;
    cr__builder *builder;
    int second;    /* the second time */
    uint32_t node; /* the next, by its place in the file */
} parser;

/* (yes, no); into the states of a node, or replacing placeholders made for lack of names. */
static cr_status read_states(parser *p, uint32_t node)
{
    cr__lexer *c = &p->c;
    cr_status st = cr__lexer_expect(c, '(');

    while (st == CR_OK && c->type != ')') {
        if (!cr__lexer_word(c))
            return cr__lexer_unexpected(c, "the name of a state");
        if ((st = cr__builder_add_state(p->builder, node, c->text, c->length, c->err)) != CR_OK)
            return cr__lexer_blame(c, st);
        if ((st = cr__lexer_next(c)) == CR_OK && c->type == ',')
            st = cr__lexer_next(c);
    }
    if (st == CR_OK)
        st = cr__lexer_next(c);
    return st == CR_OK ? cr__lexer_expect(c, ';') : st;
}

/* statetitles = ("a b", "c d"); the names that identifiers of our own stand for. */
static cr_status read_titles(parser *p, uint32_t node)
{
    cr__builder_node *n = &p->builder->node[node];
    cr__lexer *c = &p->c;
    cr_status st = cr__lexer_expect(c, '(');

    for (uint32_t k = 0; st == CR_OK && c->type != ')'; k++) {
        if (k < n->states && cr__lexer_word(c) &&
            strncmp(n->label[k], CR__BLOCK_PREFIX, strlen(CR__BLOCK_PREFIX)) == 0 &&
            (n->label[k] = cr__arena_copy(&p->builder->arena, c->text, c->length)) == NULL)
            return cr__fail_memory(c->err);
        if ((st = cr__lexer_next(c)) == CR_OK && c->type == ',')
            st = cr__lexer_next(c);
    }
    if (st == CR_OK)
        st = cr__lexer_next(c);
    return st == CR_OK ? cr__lexer_expect(c, ';') : st;
}

static cr_status read_parents(parser *p, uint32_t node)
{
    cr__lexer *c = &p->c;
    uint32_t parent[CR__PARENTS_MAX];
    size_t parents = 0;
    cr_status st = cr__lexer_expect(c, '(');

    while (st == CR_OK && c->type != ')') {
        if (parents == CR__PARENTS_MAX)
            return cr__lexer_unexpected(c, "no more parents");
        if ((st = cr__lexer_node(c, p->builder, &parent[parents++])) == CR_OK && c->type == ',')
            st = cr__lexer_next(c);
    }
    if (st == CR_OK &&
        (st = cr__builder_set_parents(p->builder, node, parent, parents, c->err)) != CR_OK)
        return cr__lexer_blame(c, st);
    if (st == CR_OK)
        st = cr__lexer_next(c);
    return st == CR_OK ? cr__lexer_expect(c, ';') : st;
}

/* A name that stands for our identifier. */
static cr_status read_title(parser *p, uint32_t node)
{
    cr__lexer *c = &p->c;
    cr__builder_node *n = &p->builder->node[node];

    if (cr__lexer_word(c) && strncmp(n->name, CR__BLOCK_PREFIX, strlen(CR__BLOCK_PREFIX)) == 0 &&
        (n->name = cr__arena_copy(&p->builder->arena, c->text, c->length)) == NULL)
        return cr__fail_memory(c->err);
    return cr__block_skip(c);
}

static cr_status read_kind(parser *p, uint32_t node)
{
    cr__lexer *c = &p->c;
    cr_status st = CR_OK;

    if (p->second)
        return cr__block_skip(c);
    if (cr__lexer_is(c, "DECISION"))
        p->builder->node[node].kind = CR__KIND_DECISION;
    else if (cr__lexer_is(c, "UTILITY"))
        st = cr__builder_make_utility(p->builder, node, c->err);
    return st == CR_OK ? cr__block_skip(c) : cr__lexer_blame(c, st);
}

/* NAME = VALUE; in a node, or a block, which is skipped. */
static cr_status read_property(parser *p, uint32_t node)
{
    cr__lexer *c = &p->c;
    const int own = p->builder->node[node].kind;
    const int kind = cr__lexer_is(c, "kind"), discrete = cr__lexer_is(c, "discrete"),
              states = cr__lexer_is(c, "states"), parents = cr__lexer_is(c, "parents"),
              title = cr__lexer_is(c, "title"), titles = cr__lexer_is(c, "statetitles"),
              function = cr__lexer_is(c, "functable"), table = function || cr__lexer_is(c, "probs");
    cr_status st;

    if (!cr__lexer_word(c))
        return cr__lexer_unexpected(c, "the name of a property or }");
    if (function && own == CR__KIND_CHANCE)
        return cr__block_refuse(c, "a table of functions");
    if ((st = cr__lexer_next(c)) == CR_OK && c->type != '=')
        return cr__block_skip(c);
    if (st == CR_OK)
        st = cr__lexer_next(c);
    if (st != CR_OK)
        return st;
    if (discrete && own != CR__KIND_UTILITY && cr__lexer_is(c, "FALSE"))
        return cr__block_refuse(c, "continuous");
    if (kind)
        return read_kind(p, node);
    if (states && !p->second)
        return read_states(p, node);
    if (parents && p->second)
        return read_parents(p, node);
    if (table && p->second)
        return cr__block_table(c, p->builder, node);
    if (title && p->second)
        return read_title(p, node);
    return titles && p->second ? read_titles(p, node) : cr__block_skip(c);
}

/* node NAME { … }; p->c is at NAME. */
static cr_status read_node(parser *p)
{
    cr__lexer *c = &p->c;
    uint32_t node = p->node++;
    cr_status st = CR_OK;

    if (!cr__lexer_word(c))
        return cr__lexer_unexpected(c, "the name of a node");
    if (p->second && node >= p->builder->nodes) /* what was skipped before is read now */
        return cr__lexer_unexpected(c, "the end of the network");
    if (!p->second &&
        (st = cr__builder_add(p->builder, c->text, c->length, &node, c->err)) != CR_OK)
        return cr__lexer_blame(c, st);
    p->builder->node[node].line = c->token_line;
    p->builder->node[node].column = c->token_column;
    if ((st = cr__lexer_next(c)) == CR_OK)
        st = cr__lexer_expect(c, '{');
    while (st == CR_OK && c->type != '}') /* a semicolon may follow a block */
        st = c->type == ';' ? cr__lexer_next(c) : read_property(p, node);
    if (st == CR_OK)
        st = cr__lexer_next(c);
    return st == CR_OK && c->type == ';' ? cr__lexer_next(c) : st;
}

/* The title of the network, when its name is an identifier of our own. */
static cr_status read_net_title(parser *p)
{
    cr__lexer *c = &p->c;
    const char *made = p->builder->title;
    cr_status st = cr__lexer_expect(c, '=');

    if (st == CR_OK && made != NULL && cr__lexer_word(c) &&
        strncmp(made, CR__BLOCK_PREFIX, strlen(CR__BLOCK_PREFIX)) == 0 &&
        (p->builder->title = cr__arena_copy(&p->builder->arena, c->text, c->length)) == NULL)
        return cr__fail_memory(c->err);
    return st == CR_OK ? cr__block_skip(c) : st;
}

/* The content of the braces of bnet. */
static cr_status read_items(parser *p)
{
    cr__lexer *c = &p->c;
    cr_status st = CR_OK;

    while (st == CR_OK && c->type != '}') {
        const int node = cr__lexer_is(c, "node"), title = cr__lexer_is(c, "title");

        if (c->type == ';') {
            st = cr__lexer_next(c);
            continue;
        }
        if (!cr__lexer_word(c))
            return cr__lexer_unexpected(c, "node or }");
        if ((st = cr__lexer_next(c)) == CR_OK)
            st = node ? read_node(p) : title ? read_net_title(p) : cr__block_skip(c);
    }
    return st;
}

static cr_status read_all(parser *p, const char *bytes, size_t size, cr_error *err)
{
    cr__lexer *c = &p->c;
    cr_status st;

    p->node = 0;
    cr__lexer_begin(c, bytes, size, CR__BLOCK_MARKS, 0, err);
    if ((st = cr__lexer_next(c)) == CR_OK && !cr__lexer_is(c, "bnet"))
        st = cr__lexer_unexpected(c, "bnet");
    if (st == CR_OK && (st = cr__lexer_next(c)) == CR_OK && cr__lexer_word(c)) {
        if (!cr__lexer_is(c, "unknown") &&
            (p->builder->title = cr__arena_copy(&p->builder->arena, c->text, c->length)) == NULL)
            st = cr__fail_memory(err);
        else
            st = cr__lexer_next(c);
    }
    if (st == CR_OK)
        st = cr__lexer_expect(c, '{');
    if (st == CR_OK)
        st = read_items(p);
    cr__lexer_end(c);
    return st;
}

cr_status cr__netica_parse(cr__builder *builder, const char *bytes, size_t size, cr_error *err)
{
    parser p = {.builder = builder};
    cr_status st = read_all(&p, bytes, size, err);

    p.second = 1;
    if (st == CR_OK)
        st = read_all(&p, bytes, size, err);
    if (st == CR_OK)
        st = cr__builder_complete_decisions(builder, err);
    return st == CR_OK ? cr__block_check_names(builder, err) : st;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Titles of the states where a name is not an identifier. */
static void print_titles(const cr__network *net, uint32_t node, cr__buffer *out)
{
    int needed = 0;

    for (size_t k = net->label_at[node]; k < net->label_at[node + 1]; k++)
        needed |= !cr__block_is_identifier(net->label[k], strlen(net->label[k]));
    if (!needed)
        return;
    cr__buffer_adds(out, "  statetitles = (");
    for (size_t k = net->label_at[node]; k < net->label_at[node + 1]; k++) {
        cr__buffer_adds(out, k > net->label_at[node] ? ", " : "");
        cr__block_print_text(out, net->label[k]);
    }
    cr__buffer_adds(out, ");\n");
}

static void print_states(const cr__network *net, uint32_t i, cr__buffer *out)
{
    cr__buffer_adds(out, "  states = (");
    for (size_t k = net->label_at[i]; k < net->label_at[i + 1]; k++) {
        cr__buffer_adds(out, k > net->label_at[i] ? ", " : "");
        cr__block_print_name(out, net->label[k], 's', k - net->label_at[i]);
    }
    cr__buffer_adds(out, ");\n");
    print_titles(net, i, out);
}

static void print_node(const cr__network *net, uint32_t i, cr__buffer *out)
{
    static const char *const kinds[] = {"NATURE", "DECISION", "UTILITY"};
    const int utility = net->kind[i] == CR__KIND_UTILITY;

    cr__buffer_adds(out, "node ");
    cr__block_print_name(out, net->name[i], 'n', i);
    cr__buffer_printf(out, " {\n  kind = %s;\n  discrete = %s;\n", kinds[net->kind[i]],
                      utility ? "FALSE" : "TRUE");
    if (!utility)
        print_states(net, i, out);
    if (!cr__block_is_identifier(net->name[i], strlen(net->name[i]))) {
        cr__buffer_adds(out, "  title = ");
        cr__block_print_text(out, net->name[i]);
        cr__buffer_adds(out, ";\n");
    }
    cr__buffer_adds(out, "  parents = (");
    for (size_t k = net->parent_at[i]; k < net->parent_at[i + 1]; k++) {
        cr__buffer_adds(out, k > net->parent_at[i] ? ", " : "");
        cr__block_print_name(out, net->name[net->parent[k]], 'n', net->parent[k]);
    }
    cr__buffer_adds(out, ");\n");
    if (net->kind[i] != CR__KIND_DECISION) {
        cr__buffer_adds(out, utility ? "  functable = " : "  probs = ");
        cr__block_print_table(out, net, i, ", ");
        cr__buffer_adds(out, ";\n");
    }
    cr__buffer_adds(out, "  };\n");
}

void cr__netica_print(const cr__network *net, cr__buffer *out)
{
    const int plain = cr__block_is_identifier(net->title, strlen(net->title)) &&
                      strcmp(net->title, "unknown") != 0;

    cr__buffer_adds(out, "// ~->[DNET-1]->~\n\nbnet ");
    cr__buffer_adds(out, net->title[0] == '\0' ? "unknown"
                         : plain               ? net->title
                                               : CR__BLOCK_PREFIX "net");
    cr__buffer_adds(out, " {\n");
    if (net->title[0] != '\0' && !plain) {
        cr__buffer_adds(out, "  title = ");
        cr__block_print_text(out, net->title);
        cr__buffer_adds(out, ";\n");
    }
    for (uint32_t i = 0; i < net->nodes; i++)
        print_node(net, i, out);
    cr__buffer_adds(out, "};\n");
}
