/* network/files/lexer.c - words, numbers and marks of a text, with their places. */
#include "network/files/lexer.h"

#include <string.h>

#include "base/fail.h"
#include "credence/spec.h"
#include "base/number.h"

void cr__lexer_begin(cr__lexer *c, const char *bytes, size_t size, const char *marks, int lines,
                     cr_error *err)
{
    *c = (cr__lexer){.at = bytes,
                     .end = bytes + size,
                     .line = 1,
                     .column = 1,
                     .marks = marks,
                     .lines = lines,
                     .err = err};
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        c->at += 3;
    c->counted = c->at;
}

void cr__lexer_end(cr__lexer *c)
{
    cr__buffer_free(&c->unquoted);
}

/* Characters from the line's beginning: continuation bytes do not count. */
static void mark_place(cr__lexer *c)
{
    for (; c->counted < c->at; c->counted++)
        c->column += ((unsigned char)*c->counted & 0xc0) != 0x80;
    c->token_line = c->line;
    c->token_column = c->column;
}

cr_status cr__lexer_blame(const cr__lexer *c, cr_status st)
{
    return cr__fail_at(c->err, st, NULL, c->token_line, c->token_column);
}

static void newline(cr__lexer *c)
{
    c->line++;
    c->column = 1;
    c->counted = ++c->at;
}

/* Skip a comment that begins here. */
static cr_status skip_comment(cr__lexer *c)
{
    if (*c->at == '#' || c->at[1] == '/') {
        while (c->at < c->end && *c->at != '\n')
            c->at++;
        return CR_OK;
    }
    mark_place(c);
    for (c->at += 2; c->end - c->at >= 2 && (c->at[0] != '*' || c->at[1] != '/');) {
        if (*c->at == '\n')
            newline(c);
        else
            c->at++;
    }
    if (c->end - c->at < 2) {
        cr__fail(c->err, CR_EFORMAT, "a comment is not closed");
        return cr__lexer_blame(c, CR_EFORMAT);
    }
    c->at += 2;
    return CR_OK;
}

static int comment_here(const cr__lexer *c)
{
    if (c->lines)
        return *c->at == '#';
    return c->end - c->at >= 2 && c->at[0] == '/' && (c->at[1] == '/' || c->at[1] == '*');
}

/* Skip to the next token, or to the end of the line where that is a token. */
static cr_status skip_space(cr__lexer *c)
{
    cr_status st = CR_OK;

    while (st == CR_OK && c->at < c->end) {
        if (*c->at == '\n') {
            if (c->lines)
                break;
            newline(c);
        } else if (*c->at == ' ' || *c->at == '\t' || *c->at == '\r' || *c->at == '\f') {
            c->at++;
        } else if (comment_here(c)) {
            st = skip_comment(c);
        } else {
            break;
        }
    }
    return st;
}

static cr_status read_quoted(cr__lexer *c)
{
    static const char escapes[] = "n\nt\tr\r";

    cr__buffer_clear(&c->unquoted);
    for (c->at++; c->at < c->end && *c->at != '"' && *c->at != '\n' && *c->at != '\0'; c->at++) {
        const char *escape = NULL;

        if (*c->at == '\\' && c->end - c->at >= 2) {
            c->at++;
            for (escape = escapes; *escape != '\0' && *escape != *c->at;)
                escape += 2;
        }
        cr__buffer_addc(&c->unquoted, escape != NULL && *escape != '\0' ? escape[1] : *c->at);
    }
    if (c->at == c->end || *c->at != '"') {
        cr__fail(c->err, CR_EFORMAT, "a quoted name is not closed on its line");
        return cr__lexer_blame(c, CR_EFORMAT);
    }
    c->at++;
    if (c->unquoted.failed)
        return cr__fail_memory(c->err);
    c->type = CR__TOKEN_QUOTED;
    c->text = c->unquoted.data == NULL ? "" : c->unquoted.data;
    c->length = c->unquoted.size;
    if (memchr(c->text, '\0', c->length) != NULL) {
        cr__fail(c->err, CR_EFORMAT, "there is a zero byte in a name");
        return cr__lexer_blame(c, CR_EFORMAT);
    }
    return CR_OK;
}

static int is_mark(const cr__lexer *c, char byte)
{
    return byte != '\0' && strchr(c->marks, byte) != NULL;
}

static cr_status read_word(cr__lexer *c)
{
    c->type = CR__TOKEN_WORD;
    c->text = c->at;
    while (c->at < c->end && (unsigned char)*c->at > ' ' && *c->at != '"' && *c->at != '\x7f' &&
           !is_mark(c, *c->at))
        c->at++;
    c->length = (size_t)(c->at - c->text);
    if (c->length > 0)
        return CR_OK;
    cr__fail(c->err, CR_EFORMAT, "there is a control byte \\x%02x", (unsigned char)*c->at);
    return cr__lexer_blame(c, CR_EFORMAT);
}

cr_status cr__lexer_next(cr__lexer *c)
{
    cr_status st = skip_space(c);

    if (st != CR_OK)
        return st;
    mark_place(c);
    c->indented = c->token_column > 1;
    c->text = c->at;
    c->length = c->at < c->end;
    if (c->at == c->end) {
        c->type = CR__TOKEN_END;
        return CR_OK;
    }
    if (*c->at == '"')
        return read_quoted(c);
    if (*c->at == '\n') {
        c->type = CR__TOKEN_LINE;
        newline(c);
        return CR_OK;
    }
    if (is_mark(c, *c->at)) {
        c->type = *c->at++;
        return CR_OK;
    }
    return read_word(c);
}

int cr__lexer_word(const cr__lexer *c)
{
    return c->type == CR__TOKEN_WORD || c->type == CR__TOKEN_QUOTED;
}

int cr__lexer_is(const cr__lexer *c, const char *keyword)
{
    return c->type == CR__TOKEN_WORD && c->length == strlen(keyword) &&
           memcmp(c->text, keyword, c->length) == 0;
}

cr_status cr__lexer_unexpected(const cr__lexer *c, const char *wanted)
{
    char shown[100];

    if (c->type == CR__TOKEN_END)
        cr__fail(c->err, CR_EFORMAT, "the text ends where %s should be", wanted);
    else if (c->type == CR__TOKEN_LINE)
        cr__fail(c->err, CR_EFORMAT, "the line ends where %s should be", wanted);
    else
        cr__fail(c->err, CR_EFORMAT, "found '%s' where %s should be",
                 cr__printable(shown, sizeof shown, c->text, c->length), wanted);
    return cr__lexer_blame(c, CR_EFORMAT);
}

cr_status cr__lexer_expect(cr__lexer *c, int mark)
{
    const char wanted[4] = {'\'', (char)mark, '\'', '\0'};

    return c->type == mark ? cr__lexer_next(c) : cr__lexer_unexpected(c, wanted);
}

cr_status cr__lexer_number(cr__lexer *c, double *value)
{
    if (c->type != CR__TOKEN_WORD || cr__parse_double(c->text, c->length, value) != CR__NUMBER_OK)
        return cr__lexer_unexpected(c, "a probability");
    if (!(*value >= 0 && *value <= 1 + CR__ROW_TOLERANCE)) {
        cr__fail(c->err, CR_EFORMAT, "%.9g is not a probability", *value);
        cr__fail_hint(c->err, CR_EFORMAT, "a probability is between 0 and 1");
        return cr__lexer_blame(c, CR_EFORMAT);
    }
    return cr__lexer_next(c);
}

cr_status cr__lexer_real(cr__lexer *c, double *value)
{
    if (c->type != CR__TOKEN_WORD || cr__parse_double(c->text, c->length, value) != CR__NUMBER_OK)
        return cr__lexer_unexpected(c, "a number");
    return cr__lexer_next(c);
}

/* "did you mean": complete is what was written, NUL-terminated as far as it fits. */
static cr_status blame_unknown(cr__lexer *c, cr_nearest *near)
{
    if (near->best != NULL)
        cr__fail_hint(c->err, CR_EFORMAT, "did you mean '%s'?", near->best);
    return cr__lexer_blame(c, CR_EFORMAT);
}

cr_status cr__lexer_node(cr__lexer *c, const cr__builder *builder, uint32_t *node)
{
    char name[100];
    cr_nearest near;

    if (!cr__lexer_word(c))
        return cr__lexer_unexpected(c, "the name of a variable");
    *node = cr__builder_find(builder, c->text, c->length);
    if (*node != CR__NO_NODE)
        return cr__lexer_next(c);
    near = (cr_nearest){.wanted = cr__printable(name, sizeof name, c->text, c->length)};
    for (size_t i = 0; i < builder->nodes; i++)
        cr_nearest_offer(&near, builder->node[i].name);
    cr__fail(c->err, CR_EFORMAT, "there is no variable '%s' before this", name);
    return blame_unknown(c, &near);
}

cr_status cr__lexer_state(cr__lexer *c, const cr__builder *builder, uint32_t node, uint32_t *state)
{
    char name[100];
    cr_nearest near;

    if (!cr__lexer_word(c))
        return cr__lexer_unexpected(c, "the name of a state");
    *state = cr__builder_state(builder, node, c->text, c->length);
    if (*state != UINT32_MAX)
        return cr__lexer_next(c);
    near = (cr_nearest){.wanted = cr__printable(name, sizeof name, c->text, c->length)};
    for (uint32_t k = 0; k < builder->node[node].states; k++)
        cr_nearest_offer(&near, builder->node[node].label[k]);
    cr__fail(c->err, CR_EFORMAT, "'%s' has no state '%s'", builder->node[node].name, name);
    return blame_unknown(c, &near);
}

/* --- writing ---------------------------------------------------------------------------------- */

void cr__print_name(cr__buffer *out, const char *name, const char *marks)
{
    const size_t length = strlen(name);
    int bare = length > 0 && strpbrk(name, "\"\\#*/") == NULL && strpbrk(name, marks) == NULL;

    for (size_t i = 0; bare && i < length; i++)
        bare = (unsigned char)name[i] > ' ' && name[i] != '\x7f';
    if (bare) {
        cr__buffer_add(out, name, length);
        return;
    }
    cr__buffer_addc(out, '"');
    for (const char *p = name; *p != '\0'; p++) {
        static const char escapes[] = "\"\"\\\\\nn\tt\rr";
        const char *escape = escapes;

        while (*escape != '\0' && *escape != *p)
            escape += 2;
        if (*escape != '\0')
            cr__buffer_addc(out, '\\');
        cr__buffer_addc(out, *escape != '\0' ? escape[1] : *p);
    }
    cr__buffer_addc(out, '"');
}

void cr__print_number(cr__buffer *out, double value)
{
    char text[CR__NUMBER_SIZE];

    cr__buffer_add(out, text, cr__format_double(text, value));
}
