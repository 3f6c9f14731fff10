/* stats/bag.c - find words in bags. */
#include "stats/bag.h"

#include <string.h>

#include "base/memory.h"

enum { GROUP = 32 }; /* tokens looked up together */

/* NULL is allowed. */
static void free_totals(cr__bag_totals *totals)
{
    if (totals == NULL)
        return;
    cr__free(totals->terms);
    cr__free(totals->documents);
    cr__free(totals);
}

void cr__bag_free(cr__bag *bag)
{
    cr__free(bag->hash);
    cr__free(bag->end);
    cr__free(bag->bytes);
    cr__free(bag->row);
    cr__free(bag->cell);
    cr__free(bag->documents);
    cr__free(bag->weight);
    cr__free(bag->frozen);
    free_totals(bag->totals);
    *bag = (cr__bag){0};
}

cr__bag_totals *cr__bag_totals_new(size_t classes)
{
    cr__bag_totals *totals = cr__alloc_zero(1, sizeof *totals);

    if (totals == NULL)
        return NULL;
    totals->terms = cr__alloc_zero(classes, sizeof *totals->terms);
    totals->documents = cr__alloc_zero(classes, sizeof *totals->documents);
    if (totals->terms != NULL && totals->documents != NULL)
        return totals;
    free_totals(totals);
    return NULL;
}

/* --- finding --------------------------------------------------------------------------------- */

uint32_t cr__words_index_bits(size_t words)
{
    uint32_t bits = 1;

    while (bits < 30 && (size_t)2 << bits < words)
        bits++;
    return bits;
}

void cr__words_make_index(const cr__words *words, uint32_t *index)
{
    const size_t prefixes = (size_t)1 << words->index_bits;
    size_t w = 0;

    for (size_t prefix = 0; prefix < prefixes; prefix++) {
        while (w < words->words && words->hash[w] >> (64 - words->index_bits) < prefix)
            w++;
        index[prefix] = (uint32_t)w;
    }
    index[prefixes] = (uint32_t)words->words;
}

/* The view may be of a file that somebody has tampered with, so it is not trusted. */
static inline int word_is(const cr__words *words, uint32_t w, uint64_t hash, const char *word,
                          size_t length)
{
    const uint32_t start = w == 0 ? 0 : words->end[w - 1], end = words->end[w];

    return words->hash[w] == hash && end >= start && end - start == length &&
           end <= words->end[words->words - 1] && memcmp(words->bytes + start, word, length) == 0;
}

uint32_t cr__words_find(const cr__words *words, uint64_t hash, const char *word, size_t length)
{
    const size_t prefix = (size_t)(hash >> (64 - words->index_bits));
    const uint32_t last = words->index[prefix + 1];

    for (uint32_t w = words->index[prefix]; w < last && w < words->words; w++)
        if (word_is(words, w, hash, word, length))
            return w;
    return UINT32_MAX;
}

/* A group of tokens: prefetch their index entries, then the hashes and ends these point at, then
 * the bytes. */
static void find_group(const cr__words *words, const char *text, const cr__token *token, size_t n,
                       uint32_t *word)
{
    const unsigned shift = 64 - words->index_bits;

    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(&words->index[token[i].hash >> shift]);
    for (size_t i = 0; i < n; i++) {
        word[i] = words->index[token[i].hash >> shift];
        if (word[i] < words->words) {
            __builtin_prefetch(&words->hash[word[i]]);
            __builtin_prefetch(&words->end[word[i]]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        while (word[i] < words->words && words->hash[word[i]] < token[i].hash)
            word[i]++;
        if (word[i] < words->words && words->hash[word[i]] == token[i].hash)
            __builtin_prefetch(words->bytes + words->end[word[i]] - token[i].length);
        else
            word[i] = UINT32_MAX;
    }
    for (size_t i = 0; i < n; i++) {
        const char *bytes = text + token[i].start;

        if (word[i] != UINT32_MAX &&
            !word_is(words, word[i], token[i].hash, bytes, token[i].length))
            word[i] = cr__words_find(words, token[i].hash, bytes, token[i].length);
    }
}

void cr__words_find_each(const cr__words *words, const char *text, const cr__token *token, size_t n,
                         uint32_t *word)
{
    for (size_t i = 0; i < n; i += GROUP)
        find_group(words, text, token + i, n - i < GROUP ? n - i : GROUP, word + i);
}

size_t cr__words_find_all(const cr__words *words, const char *text, const cr__token *token,
                          size_t n, uint32_t *word)
{
    size_t kept = 0;

    cr__words_find_each(words, text, token, n, word);
    for (size_t i = 0; i < n; i++) {
        word[kept] = word[i];
        kept += word[i] != UINT32_MAX;
    }
    return kept;
}

int cr__word_compare(const char *a, size_t length_a, const char *b, size_t length_b)
{
    const size_t shorter = length_a < length_b ? length_a : length_b;
    const int c = shorter == 0 ? 0 : memcmp(a, b, shorter);

    return c != 0 ? c : length_a < length_b ? -1 : length_a > length_b;
}
