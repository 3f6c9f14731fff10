/* stats/vocabulary.h - the words of a text column while they are counted.
 *
 * One per worker: a table from words to rows, and in each row how often the word occurs (terms) and
 * in how many documents, by class. A row is one cache line that holds all that a rare word needs:
 * the counts of up to four classes, packed. A word of more classes, or with larger counts, gets an
 * array of counts for all classes.
 *
 * Looking up is done for many words at once so that the memory accesses overlap: the slots are
 * fetched for a group of words before the first of them is read, then the rows.
 */
#ifndef CR_STATS_VOCABULARY_H
#define CR_STATS_VOCABULARY_H

#include <stddef.h>
#include <stdint.h>

#include "credence/status.h"
#include "text/token.h"

/* Counts of a word in one class. */
typedef struct cr__word_count {
    uint32_t terms, documents;
} cr__word_count;

enum { CR__ROW_CELLS = 4 };

typedef struct cr__word_row {
    uint64_t hash;
    uint64_t head;      /* its first eight bytes, zeros after the end */
    uint32_t start;     /* of its bytes in the vocabulary's text */
    uint32_t length;
    uint32_t seen;      /* the last document that had it, counted from 1 */
    uint32_t classes;   /* of `wide`; 0 while the counts are packed */
    union {
        uint64_t packed[CR__ROW_CELLS]; /* 20 bits of class code, 22 each of terms and documents;
                                           0 is an empty cell */
        cr__word_count *wide;           /* [classes] by class code */
    } count;
} cr__word_row;

typedef struct cr__vocabulary {
    uint32_t words;
    uint32_t slot_bits;
    uint64_t *slot;         /* [2^slot_bits] high half of the hash and row + 1; 0 = empty */
    cr__word_row *row;      /* [row_capacity] */
    size_t row_capacity;
    char *text;             /* the words' bytes */
    size_t text_size, text_capacity;
    uint32_t last_class;    /* the largest class code met */
    uint32_t documents;     /* taken in so far, for `seen` */
    struct cr__wide_block *wide; /* memory of all wide counts, */
    size_t wide_bytes;           /* and its size */
    uint64_t pruned;             /* words that were dropped, as often as they were, */
    uint64_t pruned_terms;       /* and how often they had occurred; the most that one of them had */
    uint64_t pruned_most;
} cr__vocabulary;           /* {0} is empty */

/* The rows of n words, added when they are new; eight bytes beyond each can be read. CR_ENOMEM, or CR_ELIMIT beyond 2^31 words or 4 GB
 * of their bytes. */
cr_status cr__vocabulary_find(cr__vocabulary *v, const char *text, const cr__token *term, size_t n,
                              uint32_t *row);

/* Count one document of a class (code below 2^20): each of the n rows occurs once more. With `times`
 * it is as if the document stood there so often. CR_ELIMIT when a word would occur 2^32 times in a
 * class. */
cr_status cr__vocabulary_count(cr__vocabulary *v, const uint32_t *row, size_t n,
                               uint32_t class_code);
cr_status cr__vocabulary_count_times(cr__vocabulary *v, const uint32_t *row, size_t n,
                                     uint32_t class_code, uint32_t times);

/* How many classes have the word. */
size_t cr__vocabulary_class_count(const cr__word_row *row);

/* Call for every class that has the word: its code and counts, in no order. */
void cr__vocabulary_classes(const cr__word_row *row,
                            void (*visit)(void *context, uint32_t class_code, cr__word_count n),
                            void *context);

/* Drop rare words until no more than `bytes` are in use: those that occurred once, then those that
 * occurred twice, and so on; what was dropped is added to the tally. Rows get other numbers. A word
 * that comes again is counted from then on. CR_ENOMEM: nothing has changed. */
cr_status cr__vocabulary_prune(cr__vocabulary *v, size_t bytes);

void cr__vocabulary_free(cr__vocabulary *v);
size_t cr__vocabulary_bytes(const cr__vocabulary *v); /* memory in use */

#endif
