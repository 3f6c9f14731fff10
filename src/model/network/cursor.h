/* model/network/cursor.h - words, numbers and marks of a text, with their places.
 *
 * Both the BIF format and our plain one are read with it. A quoted word may hold any character;
 * backslash-quote, backslash-backslash, \n, \t and \r stand for those that could not be written.
 */
#ifndef CR_MODEL_NETWORK_CURSOR_H
#define CR_MODEL_NETWORK_CURSOR_H

#include "base/buffer.h"
#include "model/network/network.h"

enum { CR__TOKEN_END = 0, CR__TOKEN_WORD = 'w', CR__TOKEN_QUOTED = 'q', CR__TOKEN_LINE = '\n' };

typedef struct cr__cursor {
    const char *at, *end;
    size_t line, column;    /* of the byte up to which characters were counted: */
    const char *counted;
    const char *marks;      /* characters that are tokens of their own */
    int lines;              /* the end of a line is a token, and # begins a comment; otherwise
                               comments are those of C */
    /* The token at hand. */
    int type;               /* one of the above, or a mark */
    const char *text;       /* borrowed until the next quoted word */
    size_t length;
    size_t token_line, token_column;
    int indented;           /* spaces come before it on its line */
    cr__buffer unquoted;
    cr_error *err;
} cr__cursor;

void cr__cursor_begin(cr__cursor *c, const char *bytes, size_t size, const char *marks, int lines,
                      cr_error *err);
void cr__cursor_end(cr__cursor *c);

/* Step to the next token. CR_EFORMAT: an open quote or comment, or a control byte. */
cr_status cr__cursor_next(cr__cursor *c);

/* Whether the token is a word, quoted or not, and whether it is this one, unquoted. */
int cr__cursor_word(const cr__cursor *c);
int cr__cursor_is(const cr__cursor *c, const char *keyword);

/* Step over a mark that must be here. */
cr_status cr__cursor_expect(cr__cursor *c, int mark);

/* Read a probability, or any number, that must be here and step over it. */
cr_status cr__cursor_number(cr__cursor *c, double *value);
cr_status cr__cursor_real(cr__cursor *c, double *value);

/* "found X, where Y should be", with the place. CR_EFORMAT. */
cr_status cr__cursor_unexpected(const cr__cursor *c, const char *wanted);

/* Add the token's place to an error that something else has filled. */
cr_status cr__cursor_blame(const cr__cursor *c, cr_status st);

/* The node that the token names, and a state of a node; both step on. CR_EFORMAT, with the nearest
 * name, when there is none. */
cr_status cr__cursor_node(cr__cursor *c, const cr__sketch *sketch, uint32_t *node);
cr_status cr__cursor_state(cr__cursor *c, const cr__sketch *sketch, uint32_t node,
                           uint32_t *state);

/* Write a name so that it is read back: quoted when it would not be one bare word. */
void cr__print_name(cr__buffer *out, const char *name, const char *marks);
void cr__print_number(cr__buffer *out, double value);

#endif
