/* serve/tokens.h - access tokens from a file, compared in constant time. */
#ifndef SERVE_TOKENS_H
#define SERVE_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#include "credence/status.h"

typedef struct token {
    char name[64];
    char text[256];
} token;

typedef struct tokens {
    token *token;
    size_t count;
} tokens;

/* Lines TOKEN or NAME TOKEN; empty lines and those that begin with # are skipped. A token has at
 * least 16 characters. */
cr_status tokens_read(tokens *t, const char *path, cr_error *err);
void tokens_free(tokens *t);

/* The name of the token in an Authorization header; NULL: it is unknown. */
const char *tokens_check(const tokens *t, const char *authorization);

#endif
