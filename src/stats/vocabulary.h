/* stats/vocabulary.h - the words of a text column while they are counted.
 *
 * One per worker: a table from words to rows, and in each row how often the word occurs (terms) and
 * in how many documents, by class. While classes are few, rows are dense: see stats/dense.h. When
 * they are many, a row has room for what a rare word needs: the counts of up to four classes,
 * packed. A word of more classes, or with larger counts, gets an array of counts for all classes.
 *
 * Many words are looked up at once so that the memory accesses overlap. A slot of the table holds
 * the first eight bytes of its word, which is enough for most words; only longer ones are compared
 * with bytes kept elsewhere.
 */
#ifndef CR_STATS_VOCABULARY_H
#define CR_STATS_VOCABULARY_H

#include <stddef.h>
#include <stdint.h>

#include "base/pages.h"
#include "credence/status.h"
#include "stats/dense.h"
#include "text/token.h"

enum { CR__ROW_CELLS = 4 };

#define CR__PACK_CLASS_SHIFT 44
#define CR__PACK_TERMS_SHIFT 22
#define CR__PACK_MASK ((UINT64_C(1) << 22) - 1)

typedef struct cr__word_row {
    uint32_t seen;    /* the last document that had it, counted from 1 */
    uint32_t classes; /* of `wide`; 0 while the counts are packed */
    union {
        uint64_t packed[CR__ROW_CELLS]; /* 20 bits of class code, 22 each of terms and documents;
                                           0 is an empty cell */
        uint32_t *wide;                 /* [classes] terms by class code, then [classes] how many
                                           of them were not the first in their document: those are
                                           few, so that mostly one line of memory is touched */
    } count;
} cr__word_row;

typedef struct cr__word_key {
    uint64_t hash;
    uint32_t start; /* of its bytes in the vocabulary's text */
    uint32_t length;
} cr__word_key;

typedef struct cr__word_slot {
    uint64_t head; /* the word's first eight bytes, zeros after its end */
    uint32_t mark; /* bits of its hash and its length, or that it is longer than eight bytes */
    uint32_t row;  /* + 1; 0 = empty */
} cr__word_slot;

typedef struct cr__vocabulary {
    uint32_t words;
    uint32_t slot_bits;
    cr__word_slot *slot; /* [2^slot_bits] */
    uint64_t room;       /* bytes that the slots may take so that words find theirs at once */
    cr__dense dense;     /* the rows while classes are few */
    int sparse;          /* classes are many */
    cr__word_row *row;   /* [row_capacity] if they are many */
    cr__word_key *key;   /* [key_capacity], in the order of the rows */
    size_t row_capacity, key_capacity;
    cr__pages slot_room, row_room, key_room; /* the memory of these */
    char *text;                              /* the words' bytes */
    size_t text_size, text_capacity;
    uint32_t last_class;         /* the largest class code met */
    uint32_t documents;          /* taken in so far, for `seen` */
    struct cr__wide_block *wide; /* memory of all wide counts, */
    size_t wide_bytes;           /* and its size */
    uint64_t pruned;             /* words that were dropped, as often as they were, */
    uint64_t pruned_terms;       /* and how often they had occurred; the most that one had */
    uint64_t pruned_most;
} cr__vocabulary; /* {0} is empty */

/* The rows of n words, added when they are new; eight bytes beyond each can be read. CR_ENOMEM, or
 * CR_ELIMIT beyond 2^31 words or 4 GB of their bytes. */
cr_status cr__vocabulary_find(cr__vocabulary *v, const char *text, const cr__token *term, size_t n,
                              uint32_t *row);

/* Count one document of a class (code below 2^20): each of the n rows occurs once more. With
 * `times` the document counts that often. CR_ELIMIT when a word would occur 2^32 times in a
 * class. */
cr_status cr__vocabulary_count(cr__vocabulary *v, const uint32_t *row, size_t n,
                               uint32_t class_code);
cr_status cr__vocabulary_count_times(cr__vocabulary *v, const uint32_t *row, size_t n,
                                     uint32_t class_code, uint32_t times);

/* Where a row's counts may be, and their values: no terms when there are none. */
static inline size_t cr__word_places(const cr__word_row *row)
{
    return row->classes == 0 ? CR__ROW_CELLS : row->classes;
}

static inline cr__word_count cr__word_count_at(const cr__word_row *row, size_t place,
                                               uint32_t *class_code)
{
    uint64_t cell;

    *class_code = (uint32_t)place;
    if (row->classes > 0)
        return (cr__word_count){row->count.wide[place],
                                row->count.wide[place] - row->count.wide[row->classes + place]};
    cell = row->count.packed[place];
    *class_code = (uint32_t)(cell >> CR__PACK_CLASS_SHIFT);
    return (cr__word_count){(uint32_t)(cell >> CR__PACK_TERMS_SHIFT & CR__PACK_MASK),
                            (uint32_t)(cell & CR__PACK_MASK)};
}

/* The same for a vocabulary's row of either kind. */
static inline size_t cr__vocabulary_places(const cr__vocabulary *v, uint32_t row)
{
    return v->sparse ? cr__word_places(&v->row[row]) : v->dense.codes;
}

static inline cr__word_count cr__vocabulary_count_at(const cr__vocabulary *v, uint32_t row,
                                                     size_t place, uint32_t *class_code)
{
    if (v->sparse)
        return cr__word_count_at(&v->row[row], place, class_code);
    *class_code = (uint32_t)place;
    return cr__dense_at(&v->dense, row, (uint32_t)place);
}

/* Prefetch the counts that a row points to, when they are elsewhere. */
static inline void cr__vocabulary_fetch_wide(const cr__vocabulary *v, uint32_t row)
{
    for (uint32_t c = 0; v->sparse && c < v->row[row].classes && c < 64; c += 16) {
        __builtin_prefetch(&v->row[row].count.wide[c]);
        __builtin_prefetch(&v->row[row].count.wide[v->row[row].classes + c]);
    }
}

/* Drop rare words until no more than `bytes` are in use: those that occurred once, then those that
 * occurred twice, and so on; what was dropped is added to the tally. Rows get other numbers. A word
 * that comes again is counted from then on. CR_ENOMEM: nothing has changed. */
cr_status cr__vocabulary_prune(cr__vocabulary *v, size_t bytes);

/* Free what only finding needs: words can no longer be found or added. */
void cr__vocabulary_close(cr__vocabulary *v);
void cr__vocabulary_free(cr__vocabulary *v);
size_t cr__vocabulary_bytes(const cr__vocabulary *v); /* memory in use */

#endif
