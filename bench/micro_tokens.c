/* bench/micro_tokens.c - megabytes and tokens per second of the tokenizer, hash included.
 *
 *     micro_tokens [FILE]...
 *
 * Without files: words drawn after Zipf's law from a vocabulary of 500,000, in documents of about
 * 900 bytes, in ASCII and with every eighth word accented. Each file is one document.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "text/tokenizer.h"

enum { WORDS = 500000, SAMPLE = 8 << 20, REPEAT = 7 };

typedef struct corpus {
    const char *name;
    char *bytes;
    size_t *end; /* of each document */
    size_t count;
} corpus;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The rank of a word by inversion of the continuous Zipf law with exponent 1. */
static unsigned draw_rank(void)
{
    return (unsigned)exp(drand48() * log((double)WORDS));
}

/* Common words are short: the rank in base 26, at least two letters, every twelfth with a capital.
 */
static size_t write_word(char *to, unsigned rank, int accents)
{
    unsigned rest = rank * 2654435761u % (rank < 26 ? 600u : rank < 1000 ? 20000u : 300000000u);
    size_t n = 0;

    do {
        to[n++] = (char)('a' + rest % 26);
        rest /= 26;
    } while (rest > 0 || n < 2);
    if (rank % 12 == 0)
        to[0] = (char)(to[0] - 32);
    if (accents && rank % 8 == 0) {
        to[n++] = (char)0xc3;
        to[n++] = (char)0xa9;
    }
    return n;
}

static corpus zipf(const char *name, int accents)
{
    corpus c = {name, malloc(SAMPLE + 64), malloc((SAMPLE / 500) * sizeof(size_t)), 0};
    size_t n = 0;

    if (c.bytes == NULL || c.end == NULL)
        exit(1);
    srand48(1);
    while (n < SAMPLE) {
        n += write_word(c.bytes + n, draw_rank(), accents);
        if (lrand48() % 10 == 0)
            c.bytes[n++] = '.';
        c.bytes[n++] = ' ';
        if (lrand48() % 160 == 0)
            c.end[c.count++] = n;
    }
    c.end[c.count++] = n;
    return c;
}

static corpus files(int count, char **paths)
{
    corpus c = {"files", NULL, malloc((size_t)count * sizeof(size_t)), 0};
    size_t n = 0;

    for (int i = 0; i < count; i++) {
        FILE *file = fopen(paths[i], "rb");
        char *larger;
        size_t got;

        if (file == NULL || c.end == NULL) {
            perror(paths[i]);
            exit(1);
        }
        do {
            larger = realloc(c.bytes, n + 65536);
            if (larger == NULL)
                exit(1);
            c.bytes = larger;
            got = fread(c.bytes + n, 1, 65536, file);
            n += got;
        } while (got > 0);
        fclose(file);
        c.end[c.count++] = n;
    }
    return c;
}

/* All documents once; returns the tokens. */
static size_t pass(cr__tokenizer *t, const corpus *c, uint64_t *sum)
{
    size_t start = 0, tokens = 0;

    for (size_t i = 0; i < c->count; start = c->end[i++]) {
        cr_status status = cr__tokenizer_begin(t, "", c->bytes + start, c->end[i] - start, NULL);

        while (status == CR_OK && (status = cr__tokenizer_next(t, NULL)) == CR_OK) {
            tokens += t->count;
            if (t->count > 0)
                *sum += t->tokens[t->count - 1].hash;
        }
    }
    return tokens;
}

static void measure(const corpus *c, const char *const *knobs)
{
    cr__recipe recipe = cr__recipe_usual();
    double best = 1e9;
    cr__tokenizer *t;
    size_t tokens = 0;
    uint64_t sum = 0;
    char text[128] = "";

    for (; *knobs != NULL; knobs += 2) {
        if (cr__recipe_set(&recipe, knobs[0], knobs[1], NULL) != CR_OK)
            exit(1);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s=%s ", knobs[0], knobs[1]);
    }
    if (cr__recipe_check(&recipe, NULL) != CR_OK || cr__tokenizer_new(&t, &recipe, NULL) != CR_OK)
        exit(1);
    for (int i = 0; i < REPEAT; i++) {
        const double start = now();
        double took;

        tokens = pass(t, c, &sum);
        took = now() - start;
        best = took < best ? took : best;
    }
    printf("%-8s %-40s %9.1f MB/s %8.2f ns/token %10zu tokens %016llx\n", c->name, text,
           (double)c->end[c->count - 1] / best / 1e6, best / (double)tokens * 1e9, tokens,
           (unsigned long long)sum);
    cr__tokenizer_free(t);
    cr__recipe_free(&recipe);
}

int main(int argc, char **argv)
{
    static const char *const recipes[][5] = {
        {"tokens", "words2", NULL},
        {"tokens", "words", NULL},
        {"tokens", "rich", NULL},
        {"tokens", "words", "stop", "en", NULL},
        {"tokens", "words", "stem", "en", NULL},
        {"tokens", "words", "ngrams", "1..2", NULL},
        {"tokens", "words", "skip-bigrams", "yes", NULL},
        {"tokens", "chars", NULL},
    };
    corpus samples[2];
    int count = 0;

    if (argc > 1) {
        samples[count++] = files(argc - 1, argv + 1);
    } else {
        samples[count++] = zipf("ascii", 0);
        samples[count++] = zipf("accents", 1);
    }
    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof recipes / sizeof *recipes; k++)
            measure(&samples[i], recipes[k]);
    for (int i = 0; i < count; i++) {
        free(samples[i].bytes);
        free(samples[i].end);
    }
    return 0;
}
