/* network/files/blocks.c - blocks of NAME = VALUE; lines. */
#include "network/files/blocks.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

cr_status cr__block_skip(cr__lexer *c)
{
    size_t depth = 0;
    cr_status st = CR_OK;

    for (; st == CR_OK; st = cr__lexer_next(c)) {
        if (c->type == CR__TOKEN_END)
            return cr__lexer_unexpected(c, "; or }");
        if (c->type == '(' || c->type == '{')
            depth++;
        if ((c->type == ')' || c->type == '}') && depth == 0)
            return cr__lexer_unexpected(c, ";");
        if (c->type == ')' || c->type == '}')
            depth--;
        if (depth == 0 && (c->type == ';' || c->type == '}'))
            return cr__lexer_next(c);
    }
    return st;
}

cr_status cr__block_refuse(cr__lexer *c, const char *what)
{
    char shown[64];

    cr__fail(c->err, CR_EFORMAT,
             "'%s' is %s; only nodes with named states and utilities can be read",
             cr__printable(shown, sizeof shown, c->text, c->length), what);
    return cr__lexer_blame(c, CR_EFORMAT);
}

cr_status cr__block_table(cr__lexer *c, cr__builder *builder, uint32_t node)
{
    cr__builder_node *n = &builder->node[node];
    const int utility = n->kind == CR__KIND_UTILITY;
    double *table = NULL;
    size_t cells = 0, depth = 0, room;
    cr_status st;

    if (n->kind == CR__KIND_DECISION) /* a policy that was found elsewhere */
        return cr__block_skip(c);
    st = utility ? cr__builder_weights(builder, node, &table, c->err)
                 : cr__builder_table(builder, node, &table, c->err);
    room = utility ? n->weights : n->cells;
    if (st != CR_OK)
        return cr__lexer_blame(c, st);
    while (st == CR_OK && c->type != ';') {
        if (c->type == '(' || c->type == ')' || c->type == ',') {
            depth += c->type == '(';
            if (c->type == ')' && depth-- == 0)
                return cr__lexer_unexpected(c, "a number or ;");
            st = cr__lexer_next(c);
        } else if (cells == room) {
            cr__fail(c->err, CR_EFORMAT,
                     "'%s' has more than the %zu numbers that its states and "
                     "parents make",
                     n->name, cells);
            return cr__lexer_blame(c, CR_EFORMAT);
        } else {
            st = utility ? cr__lexer_real(c, &table[cells]) : cr__lexer_number(c, &table[cells]);
            cells += st == CR_OK;
        }
    }
    if (st == CR_OK && cells != room) {
        cr__fail(c->err, CR_EFORMAT, "'%s' has %zu numbers; its states and parents make %zu",
                 n->name, cells, room);
        return cr__lexer_blame(c, CR_EFORMAT);
    }
    return st == CR_OK ? cr__lexer_next(c) : st;
}

static cr_status check_distinct(const char *const *name, size_t count, const cr__builder_node *node,
                                cr_error *err)
{
    cr__dict *seen = NULL;
    cr_status st = cr__dict_new(&seen, 0, err);

    for (size_t i = 0; st == CR_OK && i < count; i++) {
        uint32_t code;

        st = cr__dict_intern(seen, name[i], strlen(name[i]), &code);
        if (st == CR_OK && code <= i)
            st = cr__fail(err, CR_EFORMAT, "two %s are called '%s'",
                          node == NULL ? "nodes" : "states of a node", name[i]);
        else if (st == CR_ENOMEM)
            cr__fail_memory(err);
    }
    cr__dict_free(seen);
    return st;
}

cr_status cr__block_check_names(const cr__builder *b, cr_error *err)
{
    const char **name = cr__alloc(b->nodes, sizeof *name);
    cr_status st = name == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t i = 0; st == CR_OK && i < b->nodes; i++) {
        name[i] = b->node[i].name;
        st = check_distinct(b->node[i].label, b->node[i].states, &b->node[i], err);
    }
    if (st == CR_OK)
        st = check_distinct(name, b->nodes, NULL, err);
    cr__free(name);
    return st;
}

int cr__block_is_identifier(const char *name, size_t length)
{
    if (length == 0 || length > 30 || isdigit((unsigned char)name[0]) ||
        strncmp(name, CR__BLOCK_PREFIX, strlen(CR__BLOCK_PREFIX)) == 0)
        return 0;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] >= 0x80 || !(isalnum((unsigned char)name[i]) || name[i] == '_'))
            return 0;
    return 1;
}

void cr__block_print_name(cr__buffer *out, const char *name, char letter, size_t number)
{
    if (cr__block_is_identifier(name, strlen(name)))
        cr__buffer_adds(out, name);
    else
        cr__buffer_printf(out, CR__BLOCK_PREFIX "%c%zu", letter, number);
}

void cr__block_print_text(cr__buffer *out, const char *text)
{
    cr__buffer_addc(out, '"');
    for (; *text != '\0'; text++) {
        const char *escape = *text == '\n'   ? "\\n"
                             : *text == '\t' ? "\\t"
                             : *text == '\r' ? "\\r"
                             : *text == '"'  ? "\\\""
                             : *text == '\\' ? "\\\\"
                                             : NULL;

        if (escape != NULL)
            cr__buffer_adds(out, escape);
        else
            cr__buffer_addc(out, *text);
    }
    cr__buffer_addc(out, '"');
}

void cr__block_print_table(cr__buffer *out, const cr__network *net, uint32_t node, const char *part)
{
    const double *cell = net->kind[node] == CR__KIND_UTILITY ? net->weight + net->weight_at[node]
                                                             : net->table + net->table_at[node];
    const size_t cells = net->table_at[node + 1] - net->table_at[node];
    const size_t first = net->parent_at[node], parents = net->parent_at[node + 1] - first;

    for (size_t i = 0; i < cells; i++) {
        size_t block = net->states[node];

        if (i > 0)
            cr__buffer_adds(out, i % block == 0 ? (part[0] == ' ' ? "\n    " : ",\n    ") : part);
        if (i % block == 0) /* one for the row, one for each parent whose block begins here */
            cr__buffer_addc(out, '(');
        for (size_t k = parents; k-- > 0 && i % block == 0;) {
            block *= net->states[net->parent[first + k]];
            if (i % block == 0)
                cr__buffer_addc(out, '(');
        }
        cr__print_number(out, cell[i]);
        block = net->states[node];
        if ((i + 1) % block == 0)
            cr__buffer_addc(out, ')');
        for (size_t k = parents; k-- > 0 && (i + 1) % block == 0;) {
            block *= net->states[net->parent[first + k]];
            if ((i + 1) % block == 0)
                cr__buffer_addc(out, ')');
        }
    }
}
