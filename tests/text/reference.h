/* tests/text/reference.h - reading the reference files of text, and the digests in them. */
#ifndef CR_TESTS_TEXT_REFERENCE_H
#define CR_TESTS_TEXT_REFERENCE_H

#include "text/tokens.h"

#include <stdio.h>

/* A file of tests/reference; the test is skipped where the source tree is not known. */
static inline FILE *open_reference(const char *name)
{
    const char *source = getenv("CREDENCE_SOURCE");
    char path[4096];
    FILE *file;

    if (source == NULL)
        skip();
    snprintf(path, sizeof path, "%s/tests/reference/%s", source, name);
    file = fopen(path, "r");
    assert_non_null(file);
    return file;
}

static inline uint64_t fnv(const char *bytes, size_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* The sum of the tokens' hashes, each times its position (after `before` others) or times 1. */
static inline uint64_t digest_tokens(const cr__tokenizer *t, size_t before, int ordered)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < t->count; i++)
        sum +=
            fnv(t->text + t->tokens[i].start, t->tokens[i].length) * (ordered ? before + i + 1 : 1);
    return sum;
}

#endif
