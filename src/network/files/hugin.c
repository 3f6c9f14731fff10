/* network/files/hugin.c - the NET language of Hugin.
 *
 *     net { node_size = (80 40); }
 *     node NAME { label = "…"; states = ("yes" "no"); position = (10 20); }
 *     potential (NAME | PARENT PARENT) { data = ((0.2 0.8) (0.5 0.5)); }
 *     decision NAME { states = ("go" "stay"); }    its potential has parents and no data
 *     utility NAME { }                             its data are any numbers
 *     % a comment
 *
 * Continuous nodes are refused.
 */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "network/files/blocks.h"

typedef struct parser {
    cr__lexer c;
    cr__builder *builder;
} parser;

/* --- reading ---------------------------------------------------------------------------------- */

/* states = ("yes" "no"); */
static cr_status read_states(parser *p, uint32_t node)
{
    cr__lexer *c = &p->c;
    cr_status st = cr__lexer_expect(c, '(');

    while (st == CR_OK && c->type != ')') {
        if (!cr__lexer_word(c))
            return cr__lexer_unexpected(c, "the name of a state");
        if ((st = cr__builder_add_state(p->builder, node, c->text, c->length, c->err)) != CR_OK)
            return cr__lexer_blame(c, st);
        st = cr__lexer_next(c);
    }
    if (st == CR_OK)
        st = cr__lexer_next(c);
    return st == CR_OK ? cr__lexer_expect(c, ';') : st;
}

/* Whether the token is one of our own identifiers, made for a name that is not one. */
static int is_made(const cr__lexer *c)
{
    return c->length > strlen(CR__BLOCK_PREFIX) &&
           strncmp(c->text, CR__BLOCK_PREFIX, strlen(CR__BLOCK_PREFIX)) == 0;
}

/* node NAME { … }; p->c is at NAME. A made-up name is replaced by the label, in a new entry. */
static cr_status read_node(parser *p, int kind)
{
    cr__lexer *c = &p->c;
    const int made = is_made(c);
    uint32_t node = 0;
    cr_status st;

    if (!cr__lexer_word(c))
        return cr__lexer_unexpected(c, "the name of a node");
    if ((st = cr__builder_add(p->builder, c->text, c->length, &node, c->err)) != CR_OK)
        return cr__lexer_blame(c, st);
    p->builder->node[node].line = c->token_line;
    p->builder->node[node].column = c->token_column;
    p->builder->node[node].kind = kind;
    if (kind == CR__KIND_UTILITY &&
        (st = cr__builder_make_utility(p->builder, node, c->err)) != CR_OK)
        return cr__lexer_blame(c, st);
    if ((st = cr__lexer_next(c)) == CR_OK)
        st = cr__lexer_expect(c, '{');
    while (st == CR_OK && c->type != '}') {
        const int states = cr__lexer_is(c, "states"), label = cr__lexer_is(c, "label");

        if (!cr__lexer_word(c))
            return cr__lexer_unexpected(c, "the name of a property or }");
        if ((st = cr__lexer_next(c)) == CR_OK)
            st = cr__lexer_expect(c, '=');
        if (st == CR_OK && label && made && cr__lexer_word(c) &&
            (p->builder->node[node].name =
                 cr__arena_copy(&p->builder->arena, c->text, c->length)) == NULL)
            return cr__fail_memory(c->err);
        if (st == CR_OK)
            st = states ? read_states(p, node) : cr__block_skip(c);
    }
    return st == CR_OK ? cr__lexer_next(c) : st;
}

/* potential (NAME | PARENT PARENT) { data = …; }; p->c is after the word. */
static cr_status read_potential(parser *p)
{
    cr__lexer *c = &p->c;
    uint32_t node = 0, parent[CR__PARENTS_MAX];
    size_t parents = 0;
    cr_status st = cr__lexer_expect(c, '(');

    if (st == CR_OK)
        st = cr__lexer_node(c, p->builder, &node);
    if (st == CR_OK && c->type == '|')
        st = cr__lexer_next(c);
    while (st == CR_OK && c->type != ')') {
        if (parents == CR__PARENTS_MAX)
            return cr__lexer_unexpected(c, "no more parents");
        st = cr__lexer_node(c, p->builder, &parent[parents++]);
    }
    if (st == CR_OK && (st = cr__lexer_next(c)) == CR_OK)
        st = cr__lexer_expect(c, '{');
    if (st == CR_OK &&
        (st = cr__builder_set_parents(p->builder, node, parent, parents, c->err)) != CR_OK)
        return cr__lexer_blame(c, st);
    while (st == CR_OK && c->type != '}') {
        const int data = cr__lexer_is(c, "data");

        if (!cr__lexer_word(c))
            return cr__lexer_unexpected(c, "data or }");
        if (cr__lexer_is(c, "model_nodes") || cr__lexer_is(c, "model_data"))
            return cr__block_refuse(c, "a model of the table by expressions");
        if ((st = cr__lexer_next(c)) == CR_OK)
            st = cr__lexer_expect(c, '=');
        if (st == CR_OK)
            st = data ? cr__block_table(c, p->builder, node) : cr__block_skip(c);
    }
    return st == CR_OK ? cr__lexer_next(c) : st;
}

/* net { … }, of which the name is used. */
static cr_status read_net(parser *p)
{
    cr__lexer *c = &p->c;
    cr_status st = cr__lexer_expect(c, '{');

    while (st == CR_OK && c->type != '}') {
        const int name = cr__lexer_is(c, "name");

        if (!cr__lexer_word(c))
            return cr__lexer_unexpected(c, "the name of a property or }");
        if ((st = cr__lexer_next(c)) == CR_OK)
            st = cr__lexer_expect(c, '=');
        if (st == CR_OK && name && cr__lexer_word(c) &&
            (p->builder->title = cr__arena_copy(&p->builder->arena, c->text, c->length)) == NULL)
            return cr__fail_memory(c->err);
        if (st == CR_OK)
            st = cr__block_skip(c);
    }
    return st == CR_OK ? cr__lexer_next(c) : st;
}

/* node, decision NAME, …: what a block begins with. */
static cr_status read_block(parser *p)
{
    cr__lexer *c = &p->c;
    const int net = cr__lexer_is(c, "net"), potential = cr__lexer_is(c, "potential"),
              continuous = cr__lexer_is(c, "continuous"), node = cr__lexer_is(c, "node");
    const int kind = cr__lexer_is(c, "decision")  ? CR__KIND_DECISION
                     : cr__lexer_is(c, "utility") ? CR__KIND_UTILITY
                                                  : CR__KIND_CHANCE;
    cr_status st;

    if (!net && !potential && kind == CR__KIND_CHANCE && !continuous && !node &&
        !cr__lexer_is(c, "discrete"))
        return cr__lexer_unexpected(c, "net, node, decision, utility or potential");
    if ((st = cr__lexer_next(c)) != CR_OK)
        return st;
    if (cr__lexer_is(c, "node") && !node && !net && !potential && (st = cr__lexer_next(c)) != CR_OK)
        return st;
    if (continuous)
        return cr__block_refuse(c, "a continuous node");
    if (potential)
        return read_potential(p);
    return net ? read_net(p) : read_node(p, kind);
}

/* The text without comments, which become blanks; quotes may hold a %. The caller frees it. */
static char *without_comments(const char *bytes, size_t size)
{
    char *copy = cr__alloc(size + 1, 1);
    int quoted = 0, comment = 0;

    for (size_t i = 0; copy != NULL && i < size; i++) {
        if (bytes[i] == '\n')
            comment = 0;
        else if (!quoted && bytes[i] == '%')
            comment = 1;
        if (!comment && bytes[i] == '"' && (i == 0 || bytes[i - 1] != '\\' || !quoted))
            quoted = !quoted;
        copy[i] = comment ? ' ' : bytes[i];
    }
    return copy;
}

cr_status cr__hugin_parse(cr__builder *builder, const char *bytes, size_t size, cr_error *err)
{
    parser p = {.builder = builder};
    char *text = without_comments(bytes, size);
    int inside = 0; /* a class, which is a net with a name */
    cr_status st;

    if (text == NULL)
        return cr__fail_memory(err);
    cr__lexer_begin(&p.c, text, size, CR__BLOCK_MARKS, 0, err);
    if ((st = cr__lexer_next(&p.c)) == CR_OK && cr__lexer_is(&p.c, "class")) {
        inside = 1;
        if ((st = cr__lexer_next(&p.c)) == CR_OK && cr__lexer_word(&p.c))
            st = cr__lexer_next(&p.c);
        if (st == CR_OK)
            st = cr__lexer_expect(&p.c, '{');
    }
    while (st == CR_OK && p.c.type != CR__TOKEN_END && !(inside && p.c.type == '}'))
        st = read_block(&p);
    cr__lexer_end(&p.c);
    cr__free(text);
    if (st == CR_OK)
        st = cr__builder_complete_decisions(builder, err);
    return st == CR_OK ? cr__block_check_names(builder, err) : st;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* node NAME { label; states; } */
static void print_node(const cr__network *net, uint32_t i, cr__buffer *out)
{
    static const char *const words[] = {"node ", "decision ", "utility "};

    cr__buffer_adds(out, words[net->kind[i]]);
    cr__block_print_name(out, net->name[i], 'n', i);
    cr__buffer_adds(out, "\n{\n  label = ");
    cr__block_print_text(out, net->name[i]);
    if (net->kind[i] != CR__KIND_UTILITY) {
        cr__buffer_adds(out, ";\n  states = (");
        for (size_t k = net->label_at[i]; k < net->label_at[i + 1]; k++) {
            cr__buffer_adds(out, k > net->label_at[i] ? " " : "");
            cr__block_print_text(out, net->label[k]);
        }
        cr__buffer_adds(out, ")");
    }
    cr__buffer_adds(out, ";\n}\n");
}

/* potential (NAME | PARENTS) { data; }, without data for a decision. */
static void print_potential(const cr__network *net, uint32_t i, cr__buffer *out)
{
    cr__buffer_adds(out, "potential (");
    cr__block_print_name(out, net->name[i], 'n', i);
    for (size_t k = net->parent_at[i]; k < net->parent_at[i + 1]; k++) {
        cr__buffer_adds(out, k == net->parent_at[i] ? " | " : " ");
        cr__block_print_name(out, net->name[net->parent[k]], 'n', net->parent[k]);
    }
    cr__buffer_adds(out, ")\n{\n");
    if (net->kind[i] != CR__KIND_DECISION) {
        cr__buffer_adds(out, "  data = ");
        cr__block_print_table(out, net, i, " ");
        cr__buffer_adds(out, ";\n");
    }
    cr__buffer_adds(out, "}\n");
}

void cr__hugin_print(const cr__network *net, cr__buffer *out)
{
    cr__buffer_adds(out, "net\n{\n");
    if (net->title[0] != '\0') {
        cr__buffer_adds(out, "  name = ");
        cr__block_print_text(out, net->title);
        cr__buffer_adds(out, ";\n");
    }
    cr__buffer_adds(out, "}\n");
    for (uint32_t i = 0; i < net->nodes; i++)
        print_node(net, i, out);
    for (uint32_t i = 0; i < net->nodes; i++)
        print_potential(net, i, out);
}
