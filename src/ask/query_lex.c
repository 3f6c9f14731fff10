/* ask/query_lex.c - split a query's text into tokens. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "ask/query.h"

#define TEXT_MAX ((size_t)65536)

/* Bytes that end a bare word. */
static int is_special(char c)
{
    return c == '\0' || strchr(" \t\r\n(){},|=!<>'\"&", c) != NULL;
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

int cr__lexeme_is(const cr__lexeme *token, const char *keyword)
{
    if (token->type != CR__LEXEME_WORD || token->length != strlen(keyword))
        return 0;
    for (size_t i = 0; i < token->length; i++)
        if ((token->text[i] | 0x20) != keyword[i])
            return 0;
    return 1;
}

cr_status cr__fail_lexeme(cr_error *err, const cr__lexeme *token)
{
    if (err != NULL)
        err->column = token->column;
    return CR_EARG;
}

typedef struct lexer {
    cr__arena *arena;
    const char *at;
    size_t column; /* of the character at `at` */
} lexer;

static void step(lexer *l, size_t bytes)
{
    for (; bytes > 0; bytes--, l->at++)
        l->column += ((unsigned char)l->at[0] & 0xC0) != 0x80;
}

/* A quoted name; a doubled quote stands for itself. */
static cr_status take_quoted(lexer *l, cr__lexeme *token, cr_error *err)
{
    const char quote = *l->at;
    const size_t size = strlen(l->at);
    char *text = cr__arena_alloc(l->arena, size + 1, 1);

    if (text == NULL)
        return cr__fail_memory(err);
    token->type = CR__LEXEME_QUOTED;
    token->text = text;
    for (step(l, 1); *l->at != '\0'; step(l, 1)) {
        if (*l->at == quote && l->at[1] != quote)
            break;
        if (*l->at == quote)
            step(l, 1);
        text[token->length++] = *l->at;
    }
    text[token->length] = '\0';
    if (*l->at == '\0') {
        cr__fail(err, CR_EARG, "the quote that begins here is not closed");
        return cr__fail_lexeme(err, token);
    }
    step(l, 1);
    return CR_OK;
}

static cr_status take_word(lexer *l, cr__lexeme *token, cr_error *err)
{
    const char *start = l->at;

    while (!is_special(l->at[token->length]))
        token->length++;
    token->type = CR__LEXEME_WORD;
    step(l, token->length);
    token->text = cr__arena_copy(l->arena, start, token->length);
    return token->text == NULL ? cr__fail_memory(err) : CR_OK;
}

/* Signs of other languages. */
static cr_status fail_sign(const cr__lexeme *token, char c, char next, cr_error *err)
{
    cr__fail(err, CR_EARG, "'%c' is not a sign of this language", c);
    cr__fail_hint(err, CR_EARG, "write %s", c == '&' ? "and" : next == '=' ? "=" : "not, or !=");
    return cr__fail_lexeme(err, token);
}

static cr_status take_sign(lexer *l, cr__lexeme *token, cr_error *err)
{
    static const char *const signs[] = {"(", ")",  "{", "}",  ",", "|",
                                        "=", "!=", "<", "<=", ">", ">="};
    static const cr__lexeme_type types[] = {CR__LEXEME_OPEN,    CR__LEXEME_CLOSE, CR__LEXEME_SET,
                                            CR__LEXEME_SET_END, CR__LEXEME_COMMA, CR__LEXEME_GIVEN,
                                            CR__LEXEME_EQ,      CR__LEXEME_NE,    CR__LEXEME_LT,
                                            CR__LEXEME_LE,      CR__LEXEME_GT,    CR__LEXEME_GE};

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const size_t n = strlen(signs[i]);

        if (strncmp(l->at, signs[i], n) == 0 && n > token->length) {
            token->type = types[i];
            token->length = n;
            token->text = signs[i];
        }
    }
    if (token->length == 0)
        return fail_sign(token, l->at[0], l->at[1], err);
    step(l, token->length);
    if (token->type == CR__LEXEME_EQ && *l->at == '=')
        return fail_sign(token, '=', '=', err);
    return CR_OK;
}

static cr_status take_token(lexer *l, cr__lexeme *token, cr_error *err)
{
    while (is_blank(*l->at))
        step(l, 1);
    *token = (cr__lexeme){.type = CR__LEXEME_END, .text = "", .column = l->column};
    if (*l->at == '\0')
        return CR_OK;
    if (*l->at == '\'' || *l->at == '"')
        return take_quoted(l, token, err);
    return is_special(*l->at) ? take_sign(l, token, err) : take_word(l, token, err);
}

cr_status cr__lexemes_make(cr__arena *arena, const char *text, cr__lexeme **tokens, cr_error *err)
{
    lexer l = {.arena = arena, .at = text, .column = 1};
    size_t count = 0, capacity = 0;
    cr__lexeme *list = NULL;
    cr_status st = CR_OK;

    if (strnlen(text, TEXT_MAX + 1) > TEXT_MAX)
        return cr__fail(err, CR_ELIMIT, "a query has at most %zu characters", TEXT_MAX);
    do {
        if (!cr__grow(&list, &capacity, count + 1, sizeof *list))
            st = cr__fail_memory(err);
        else
            st = take_token(&l, &list[count++], err);
    } while (st == CR_OK && list[count - 1].type != CR__LEXEME_END);
    if (st == CR_OK && (*tokens = cr__arena_alloc(arena, count, sizeof **tokens)) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        memcpy(*tokens, list, count * sizeof *list);
    cr__free(list);
    return st;
}
