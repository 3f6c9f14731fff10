/* serve/tokens.c - access tokens. */
#include "tokens.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "request.h"

enum { SHORTEST = 16, MOST = 1024 };

static cr_status add(tokens *t, char *line, const char *path, size_t number, cr_error *err)
{
    char *save, *first = strtok_r(line, " \t\r\n", &save);
    char *second = first != NULL ? strtok_r(NULL, " \t\r\n", &save) : NULL;
    const char *text = second != NULL ? second : first;
    token *more;

    if (first == NULL || *first == '#')
        return CR_OK;
    if (strlen(text) < SHORTEST || strlen(text) >= sizeof more->text || t->count == MOST)
        return fail(err, CR_EFORMAT, "head -c 24 /dev/urandom | base64 makes one",
                    "%s:%zu: a token has 16 to 255 characters", path, number);
    if ((more = realloc(t->token, (t->count + 1) * sizeof *more)) == NULL)
        return fail(err, CR_ENOMEM, NULL, "out of memory");
    t->token = more;
    more += t->count++;
    memset(more, 0, sizeof *more);
    strcpy(more->text, text);
    if (second != NULL)
        snprintf(more->name, sizeof more->name, "%s", first);
    else
        snprintf(more->name, sizeof more->name, "token %zu", t->count);
    return CR_OK;
}

cr_status tokens_read(tokens *t, const char *path, cr_error *err)
{
    FILE *file = fopen(path, "re");
    cr_status status = CR_OK;
    char line[1024];

    *t = (tokens){0};
    if (file == NULL)
        return fail(err, CR_EIO, NULL, "cannot open %s: %s", path, strerror(errno));
    for (size_t number = 1; status == CR_OK && fgets(line, sizeof line, file) != NULL; number++)
        status = add(t, line, path, number, err);
    fclose(file);
    if (status == CR_OK && t->count == 0)
        status =
            fail(err, CR_EFORMAT, "a line for each: TOKEN or NAME TOKEN", "%s has no token", path);
    if (status != CR_OK)
        tokens_free(t);
    return status;
}

void tokens_free(tokens *t)
{
    free(t->token);
    *t = (tokens){0};
}

/* All bytes of all tokens are compared, equal or not. */
const char *tokens_check(const tokens *t, const char *authorization)
{
    char sent[sizeof t->token->text] = {0};
    const char *name = NULL;

    if (authorization == NULL || strncasecmp(authorization, "Bearer ", 7) != 0)
        return NULL;
    authorization += 7 + strspn(authorization + 7, " ");
    if (strlen(authorization) >= sizeof sent)
        return NULL;
    memcpy(sent, authorization, strlen(authorization));
    for (size_t i = 0; i < t->count; i++) {
        volatile unsigned char difference = 0;

        for (size_t b = 0; b < sizeof sent; b++)
            difference = (unsigned char)(difference | (sent[b] ^ t->token[i].text[b]));
        if (difference == 0)
            name = t->token[i].name;
    }
    return name;
}
