/* stats/bag.h - the statistics of a text column in canonical form.
 *
 * For every word and class that occur together: how often (terms) and in how many documents. Words
 * are in the order of their hash, then of their bytes, so equal data give equal bytes, two bags
 * merge in one walk, and a word is found by a short search from an index on the hash's first bits.
 *
 * With a weighting that depends on whole documents (tf-idf, logs, length normalisation) there is
 * also the sum of the weights, in units of 2^-36, and each document's weights are rounded to such
 * units, so these sums are exact too. The document frequencies behind idf are frozen: they are
 * those of the training data, and learning or unlearning later does not move them.
 */
#ifndef CR_STATS_BAG_H
#define CR_STATS_BAG_H

#include <stddef.h>
#include <stdint.h>

#include "credence/status.h"
#include "stats/vocabulary.h"

#define CR__WEIGHT_ONE 0x1p36 /* how many units a weight of 1 is */

typedef struct cr__bag_cell {
    uint32_t class_index;
    uint32_t documents;
    uint64_t terms;
} cr__bag_cell;

/* The totals of all words of a text column, for a bag that has only some of them: a view of a store
 * (store/view.c). Words that the knob min-count leaves out are not in it. */
typedef struct cr__bag_totals {
    uint64_t words;
    uint64_t *terms;     /* [classes] */
    uint64_t *documents; /* [classes] Σ over the words, of those that have them */
} cr__bag_totals;

typedef struct cr__bag {
    size_t words, cells, classes;
    uint64_t *hash; /* [words] ascending; equal ones by bytes */
    uint32_t *end;  /* [words] of each word's bytes */
    char *bytes;
    uint64_t *row;       /* [words + 1] the first cell of each word */
    cr__bag_cell *cell;  /* [cells] ascending by class within a word */
    uint64_t *documents; /* [classes] documents of each class that have a text */
    int64_t *weight;     /* [cells], or NULL: sums of weights */
    uint32_t *frozen;    /* [words], or NULL: document frequencies at training */
    uint64_t frozen_documents;
    cr__bag_totals *totals; /* totals of a bag that has only some of the words; else NULL */
} cr__bag;                  /* {0} is empty */

void cr__bag_free(cr__bag *bag);

/* Totals that are all 0; freed with their bag. NULL when out of memory. */
cr__bag_totals *cr__bag_totals_new(size_t classes);

/* A view of words in canonical order, with an index on the first bits of the hash. */
typedef struct cr__words {
    size_t words;
    const uint64_t *hash; /* [words] */
    const uint32_t *end;  /* [words] */
    const char *bytes;
    const uint32_t *index; /* [2^index_bits + 1] the first word of each prefix */
    uint32_t index_bits;
} cr__words;

/* A number of bits with about two words per prefix; and the index itself, [2^bits + 1]. */
uint32_t cr__words_index_bits(size_t words);
void cr__words_make_index(const cr__words *words, uint32_t *index);

/* The number of a word, or UINT32_MAX when it is not there. */
uint32_t cr__words_find(const cr__words *words, uint64_t hash, const char *word, size_t length);

/* The same of n tokens. Faster than one by one, as the memory accesses overlap. */
void cr__words_find_each(const cr__words *words, const char *text, const cr__token *token, size_t n,
                         uint32_t *word);

/* The numbers of those that are there, in their order. Returns how many. */
size_t cr__words_find_all(const cr__words *words, const char *text, const cr__token *token,
                          size_t n, uint32_t *word);

/* The order of words that have the same hash: below, at or above 0. */
int cr__word_compare(const char *a, size_t length_a, const char *b, size_t length_b);

/* One of the bags of a sum: its class c is map[c] there, and its counts are added or, with sign -1,
 * subtracted. */
typedef struct cr__bag_part {
    const cr__bag *bag;
    const uint32_t *map; /* [bag->classes] */
    int sign;
} cr__bag_part;

/* The sum of bags. CR_ECONFLICT when a count would be negative; CR_EARG when they are weighted by
 * different frozen frequencies; CR_ELIMIT, CR_ENOMEM. */
cr_status cr__bag_sum(cr__bag *out, const cr__bag_part *part, size_t parts, size_t classes);

static inline const char *cr__bag_word(const cr__bag *bag, size_t word, size_t *length)
{
    const uint32_t start = word == 0 ? 0 : bag->end[word - 1];

    *length = bag->end[word] - start;
    return bag->bytes + start;
}

#endif
