/* stats/bag.c - find words in bags, merge and subtract bags. */
#include "stats/bag.h"

#include <string.h>

#include "base/memory.h"

enum { GROUP = 32 }; /* tokens that are looked up together */

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
    *bag = (cr__bag){0};
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
           end <= words->end[words->words - 1] &&
           memcmp(words->bytes + start, word, length) == 0;
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

/* A group of tokens: fetch their places in the index, then the hashes and ends these point at, then
 * the bytes. */
static size_t find_group(const cr__words *words, const char *text, const cr__token *token,
                         size_t n, uint32_t *word)
{
    const unsigned shift = 64 - words->index_bits;
    uint32_t guess[GROUP];
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(&words->index[token[i].hash >> shift]);
    for (size_t i = 0; i < n; i++) {
        guess[i] = words->index[token[i].hash >> shift];
        if (guess[i] < words->words) {
            __builtin_prefetch(&words->hash[guess[i]]);
            __builtin_prefetch(&words->end[guess[i]]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        while (guess[i] < words->words && words->hash[guess[i]] < token[i].hash)
            guess[i]++;
        if (guess[i] < words->words && words->hash[guess[i]] == token[i].hash)
            __builtin_prefetch(words->bytes + words->end[guess[i]] - token[i].length);
        else
            guess[i] = UINT32_MAX;
    }
    for (size_t i = 0; i < n; i++) {
        const char *bytes = text + token[i].start;

        if (guess[i] == UINT32_MAX)
            continue;
        if (!word_is(words, guess[i], token[i].hash, bytes, token[i].length))
            guess[i] = cr__words_find(words, token[i].hash, bytes, token[i].length);
        word[kept] = guess[i];
        kept += guess[i] != UINT32_MAX;
    }
    return kept;
}

size_t cr__words_find_all(const cr__words *words, const char *text, const cr__token *token,
                          size_t n, uint32_t *word)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i += GROUP)
        kept += find_group(words, text, token + i, n - i < GROUP ? n - i : GROUP, word + kept);
    return kept;
}

/* --- building -------------------------------------------------------------------------------- */

/* A bag that is being written word by word in canonical order. */
typedef struct builder {
    cr__bag *bag;
    size_t word_capacity, end_capacity, row_capacity, bytes_capacity, cell_capacity;
    size_t weight_capacity, frozen_capacity;
    size_t bytes_size;
    cr_status status;
} builder;

static int begin_bag(builder *b, cr__bag *bag, size_t classes)
{
    *bag = (cr__bag){.classes = classes};
    *b = (builder){.bag = bag};
    bag->documents = cr__alloc_zero(classes, sizeof *bag->documents);
    if (bag->documents == NULL || !cr__grow(&bag->row, &b->row_capacity, 1, sizeof *bag->row))
        return 0;
    bag->row[0] = 0;
    return 1;
}

/* Finish the word whose cells have been added. A word without cells is dropped, unless it has a
 * frozen frequency. */
static void end_word(builder *b, uint64_t hash, const char *bytes, size_t length, int weighted,
                     uint32_t frozen)
{
    cr__bag *bag = b->bag;

    if (b->status != CR_OK || (bag->cells == bag->row[bag->words] && frozen == 0))
        return;
    if (b->bytes_size + length > UINT32_MAX) {
        b->status = CR_ELIMIT;
        return;
    }
    if (!cr__grow(&bag->hash, &b->word_capacity, bag->words + 1, sizeof *bag->hash) ||
        !cr__grow(&bag->end, &b->end_capacity, bag->words + 1, sizeof *bag->end) ||
        !cr__grow(&bag->row, &b->row_capacity, bag->words + 2, sizeof *bag->row) ||
        !cr__grow(&bag->bytes, &b->bytes_capacity, b->bytes_size + length + 1, 1) ||
        (weighted && !cr__grow(&bag->frozen, &b->frozen_capacity, bag->words + 1,
                           sizeof *bag->frozen))) {
        b->status = CR_ENOMEM;
        return;
    }
    if (weighted)
        bag->frozen[bag->words] = frozen;
    memcpy(bag->bytes + b->bytes_size, bytes, length);
    b->bytes_size += length;
    bag->hash[bag->words] = hash;
    bag->end[bag->words] = (uint32_t)b->bytes_size;
    bag->row[++bag->words] = bag->cells;
}

/* Add a cell to the word being written, keeping the classes in order. */
static void add_cell(builder *b, cr__bag_cell cell, int weighted, int64_t weight)
{
    cr__bag *bag = b->bag;
    size_t at = bag->cells;

    if (b->status != CR_OK)
        return;
    if (!cr__grow(&bag->cell, &b->cell_capacity, bag->cells + 1, sizeof *bag->cell) ||
        (weighted && !cr__grow(&bag->weight, &b->weight_capacity, bag->cells + 1,
                               sizeof *bag->weight))) {
        b->status = CR_ENOMEM;
        return;
    }
    while (at > bag->row[bag->words] && bag->cell[at - 1].class_index > cell.class_index) {
        bag->cell[at] = bag->cell[at - 1];
        if (weighted)
            bag->weight[at] = bag->weight[at - 1];
        at--;
    }
    bag->cell[at] = cell;
    if (weighted)
        bag->weight[at] = weight;
    bag->cells++;
}

/* --- merging --------------------------------------------------------------------------------- */

int cr__word_compare(const char *a, size_t length_a, const char *b, size_t length_b)
{
    const size_t shorter = length_a < length_b ? length_a : length_b;
    const int c = shorter == 0 ? 0 : memcmp(a, b, shorter);

    return c != 0 ? c : length_a < length_b ? -1 : length_a > length_b;
}

/* Add sign * the cells of one word of a bag to dense sums by class. */
typedef struct dense {
    int64_t terms, documents, weight;
    int used;
} dense;

static void spread(const cr__bag *bag, size_t word, const uint32_t *map, int sign, dense *sum)
{
    for (uint64_t i = bag->row[word]; i < bag->row[word + 1]; i++) {
        dense *d = &sum[map[bag->cell[i].class_index]];

        d->used = 1;
        d->terms += sign * (int64_t)bag->cell[i].terms;
        d->documents += sign * (int64_t)bag->cell[i].documents;
        d->weight += bag->weight == NULL ? 0 : sign * bag->weight[i];
    }
}

/* Write what is left of a word, and clear the sums that it used. */
static void collect(builder *b, const cr__bag *bag, size_t word, const uint32_t *map,
                    int weighted, dense *sum)
{
    for (uint64_t i = bag->row[word]; i < bag->row[word + 1]; i++) {
        const uint32_t c = map[bag->cell[i].class_index];
        dense *d = &sum[c];

        if (!d->used)
            continue;
        if (d->terms < 0 || d->documents < 0 || d->documents > UINT32_MAX ||
            d->documents > d->terms || (d->terms == 0) != (d->documents == 0) ||
            (d->terms == 0 && d->weight != 0))
            b->status = CR_ECONFLICT;
        else if (d->terms > 0)
            add_cell(b, (cr__bag_cell){c, (uint32_t)d->documents, (uint64_t)d->terms}, weighted,
                     d->weight);
        *d = (dense){0};
    }
}

static int compare_at(const cr__bag *a, size_t i, const cr__bag *b, size_t j)
{
    size_t length_a, length_b;
    const char *word_a, *word_b;

    if (i == a->words || j == b->words)
        return i == a->words ? (j == b->words ? 0 : 1) : -1;
    if (a->hash[i] != b->hash[j])
        return a->hash[i] < b->hash[j] ? -1 : 1;
    word_a = cr__bag_word(a, i, &length_a);
    word_b = cr__bag_word(b, j, &length_b);
    return cr__word_compare(word_a, length_a, word_b, length_b);
}

/* One word of either or both. */
static void combine_word(builder *b, const cr__bag *x, size_t i, const uint32_t *map_x,
                         const cr__bag *y, size_t j, const uint32_t *map_y, int sign, int weighted,
                         dense *sum)
{
    const cr__bag *named = x != NULL ? x : y;
    const size_t at = x != NULL ? i : j;
    size_t length;
    const char *word = cr__bag_word(named, at, &length);
    const uint32_t frozen_x = x != NULL && x->frozen != NULL ? x->frozen[i] : 0;
    const uint32_t frozen_y = y != NULL && y->frozen != NULL ? y->frozen[j] : 0;

    if (x != NULL)
        spread(x, i, map_x, 1, sum);
    if (y != NULL)
        spread(y, j, map_y, sign, sum);
    if (x != NULL)
        collect(b, x, i, map_x, weighted, sum);
    if (y != NULL)
        collect(b, y, j, map_y, weighted, sum);
    end_word(b, named->hash[at], word, length, weighted, frozen_x > frozen_y ? frozen_x : frozen_y);
}

static cr_status combine_documents(cr__bag *out, const cr__bag *bag, const uint32_t *map, int sign)
{
    for (size_t c = 0; c < bag->classes; c++) {
        if (bag->documents[c] == 0) /* the class may be gone, and have no place in map */
            continue;
        if (sign < 0 && out->documents[map[c]] < bag->documents[c])
            return CR_ECONFLICT;
        out->documents[map[c]] += sign > 0 ? bag->documents[c] : -bag->documents[c];
    }
    return CR_OK;
}

/* No word is in more documents of a class than the class has. */
static cr_status check_documents(const cr__bag *bag)
{
    for (size_t i = 0; i < bag->cells; i++)
        if (bag->cell[i].documents > bag->documents[bag->cell[i].class_index])
            return CR_ECONFLICT;
    return CR_OK;
}

/* Whether sums of weights may be added: one of the two has none, or the frozen frequencies agree.
 * What b has beyond them must be new words, with a frequency of 0. */
static int frozen_agree(const cr__bag *a, const cr__bag *b)
{
    if (a->frozen == NULL || b->frozen == NULL)
        return a->words == 0 || b->words == 0 || a->frozen == b->frozen;
    if (a->frozen_documents != b->frozen_documents)
        return 0;
    for (size_t i = 0, j = 0; i < a->words || j < b->words;) {
        const int order = compare_at(a, i, b, j);

        if ((order == 0 && a->frozen[i] != b->frozen[j]) || (order > 0 && b->frozen[j] != 0))
            return 0;
        i += order <= 0;
        j += order >= 0;
    }
    return 1;
}

cr_status cr__bag_combine(cr__bag *out, const cr__bag *a, const uint32_t *map_a, const cr__bag *b,
                          const uint32_t *map_b, int sign, size_t classes)
{
    const int weighted = a->weight != NULL || b->weight != NULL || a->frozen != NULL ||
                         b->frozen != NULL;
    dense *sum = cr__alloc_zero(classes, sizeof *sum);
    builder build;
    cr_status st = begin_bag(&build, out, classes) && sum != NULL ? CR_OK : CR_ENOMEM;

    if (st == CR_OK && !frozen_agree(a, b))
        st = CR_EARG;
    for (size_t i = 0, j = 0; st == CR_OK && build.status == CR_OK &&
                              (i < a->words || j < b->words);) {
        const int order = compare_at(a, i, b, j);

        combine_word(&build, order <= 0 ? a : NULL, i, map_a, order >= 0 ? b : NULL, j, map_b,
                     sign, weighted, sum);
        i += order <= 0;
        j += order >= 0;
    }
    if (st == CR_OK)
        st = build.status;
    if (st == CR_OK)
        st = combine_documents(out, a, map_a, 1);
    if (st == CR_OK)
        st = combine_documents(out, b, map_b, sign);
    if (st == CR_OK)
        st = check_documents(out);
    out->frozen_documents = a->frozen_documents != 0 ? a->frozen_documents : b->frozen_documents;
    cr__free(sum);
    if (st != CR_OK)
        cr__bag_free(out);
    return st;
}
