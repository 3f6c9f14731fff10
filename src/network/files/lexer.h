/* network/files/lexer.h - words, numbers and marks of a text, with their places.
 *
 * Both the BIF format and our plain one are read with it. A quoted word may hold any character;
 * backslash-quote, backslash-backslash, \n, \t and \r are escapes for characters that could not be
 * written.
 */
#ifndef CR_NETWORK_FILES_LEXER_H
#define CR_NETWORK_FILES_LEXER_H

#include "base/buffer.h"
#include "network/graph/network.h"

enum { CR__TOKEN_END = 0, CR__TOKEN_WORD = 'w', CR__TOKEN_QUOTED = 'q', CR__TOKEN_LINE = '\n' };

typedef struct cr__lexer {
    const char *at, *end;
    size_t line, column; /* of the byte up to which characters were counted: */
    const char *counted;
    const char *marks; /* characters that are tokens of their own */
    int lines;         /* the end of a line is a token, and # begins a comment; otherwise
                          comments are those of C */
    /* The current token. */
    int type;         /* one of the above, or a mark */
    const char *text; /* borrowed until the next quoted word */
    size_t length;
    size_t token_line, token_column;
    int indented; /* spaces come before it on its line */
    cr__buffer unquoted;
    cr_error *err;
} cr__lexer;

void cr__lexer_begin(cr__lexer *c, const char *bytes, size_t size, const char *marks, int lines,
                     cr_error *err);
void cr__lexer_end(cr__lexer *c);

/* Step to the next token. CR_EFORMAT: an open quote or comment, or a control byte. */
cr_status cr__lexer_next(cr__lexer *c);

/* Whether the token is a word, quoted or not, and whether it is this one, unquoted. */
int cr__lexer_word(const cr__lexer *c);
int cr__lexer_is(const cr__lexer *c, const char *keyword);

/* Consume a mark that must be here. */
cr_status cr__lexer_expect(cr__lexer *c, int mark);

/* Read a probability, or any number, that must be here, and consume it. */
cr_status cr__lexer_number(cr__lexer *c, double *value);
cr_status cr__lexer_real(cr__lexer *c, double *value);

/* "found X, where Y should be", with the place. CR_EFORMAT. */
cr_status cr__lexer_unexpected(const cr__lexer *c, const char *wanted);

/* Add the token's place to an error that something else has filled. */
cr_status cr__lexer_blame(const cr__lexer *c, cr_status st);

/* The node that the token names, and a state of a node; both consume the token. CR_EFORMAT, with
 * the nearest name, when there is none. */
cr_status cr__lexer_node(cr__lexer *c, const cr__builder *builder, uint32_t *node);
cr_status cr__lexer_state(cr__lexer *c, const cr__builder *builder, uint32_t node, uint32_t *state);

/* Write a name so that it can be read back: quoted when it would not be one bare word. */
void cr__print_name(cr__buffer *out, const char *name, const char *marks);
void cr__print_number(cr__buffer *out, double value);

#endif
