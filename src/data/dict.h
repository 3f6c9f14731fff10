/* data/dict.h - words to codes and back: the dictionary of a symbol column or a vocabulary.
 *
 * Codes are 1, 2, 3 … in order of arrival; 0 (CR__MISSING) is never a word. The layout is flat
 * arrays, so the same dictionary may own its memory and grow, or be a frozen view into a mapped
 * model file. Lookup is open addressing on a 64-bit hash with the dictionary's own seed; the
 * hash of each word is kept, so a mismatch rarely touches the bytes.
 */
#ifndef CR_DATA_DICT_H
#define CR_DATA_DICT_H

#include <stddef.h>
#include <stdint.h>

#include "credence/status.h"

#define CR__MISSING 0u                 /* the code of a missing value */
#define CR__DICT_WORDS_MAX 0x7ffffff0u /* so that codes and slots fit 32 bits */
#define CR__WORD_MAX ((size_t)1 << 20) /* longest word, in bytes */
#define CR__DICT_PAD ((size_t)16)      /* readable bytes after the words of a growing one */

typedef struct cr__dict {
    uint32_t words;     /* how many; codes are 1..words */
    uint32_t slot_bits; /* the table has 2^slot_bits slots; 0 when there is none */
    uint64_t seed;
    const uint32_t *end; /* [words] where the next word begins in bytes */
    const char *bytes;   /* the words, one after another, a NUL after each */
    size_t bytes_size;
    const uint64_t *hash;                               /* [words] */
    const uint32_t *slot;                               /* [2^slot_bits] codes, 0 = empty */
    size_t end_capacity, bytes_capacity, hash_capacity; /* all 0 in a frozen dictionary */
    int frozen;
} cr__dict;

/* A growing, empty dictionary. The seed may be anything; equal seeds give equal tables. */
cr_status cr__dict_new(cr__dict **out, uint64_t seed, cr_error *err);
void cr__dict_clear(cr__dict *dict); /* a growing one: no words; the memory is kept */
void cr__dict_free(cr__dict *dict);  /* NULL is allowed; a frozen view frees only itself */

/* The code of a word, or CR__MISSING when it is not there. Any number of threads at once. */
uint32_t cr__dict_find(const cr__dict *dict, const char *word, size_t length);

/* The code of a word, added when it is new. CR_ELIMIT: too many words, or too long a word. */
cr_status cr__dict_intern(cr__dict *dict, const char *word, size_t length, uint32_t *code);

/* A word, NUL-terminated, for a code in 1..words; length may be NULL. A frozen dictionary from a
 * damaged file gives "" where its offsets are invalid. */
const char *cr__dict_word(const cr__dict *dict, uint32_t code, size_t *length);

/* Whether every word is found under its own code, which may fail for a damaged file. */
int cr__dict_is_sound(const cr__dict *dict);

/* The codes in canonical order: numbers by value when every word is a number, else by bytes.
 * order has room for `words` codes. */
cr_status cr__dict_order(const cr__dict *dict, uint32_t *order);

/* The same for some of the codes, in place: all other words are disregarded. */
cr_status cr__dict_order_some(const cr__dict *dict, uint32_t *code, uint32_t count);

uint64_t cr__dict_hash(const char *word, size_t length, uint64_t seed);

#endif
