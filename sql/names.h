/* sql/names.h - the values of a symbol column by number, so that waiting rows hold numbers. */
#ifndef CREDENCE_SQL_NAMES_H
#define CREDENCE_SQL_NAMES_H

#include <stdint.h>
#include <string.h>

#include "credence/credence.h"

enum { NAMES_WORD = sizeof(uint64_t), NAMES_SHORT = 2 * NAMES_WORD };

/* The key of a text. Up to NAMES_SHORT bytes, the words and the size are the text; for a longer one
 * the last word is a hash of all its bytes. */
typedef struct name_key {
    uint64_t first, last;
    uint32_t size;
} name_key;

typedef struct name_slot {
    uint64_t first, last; /* of the key */
    uint32_t size;
    uint32_t number; /* number + 1; 0: free */
} name_slot;

typedef struct names {
    cr_span *name;   /* [count], which own their bytes */
    name_slot *slot; /* [slots] an open hash table; a power of 2 */
    size_t count, room, slots;
    int shift; /* 64 - log2 slots */
} names;

/* The number of a text, a new one if the text is new; -1 if memory runs out. */
int32_t names_number(names *n, const char *bytes, size_t size);

/* The same for a text that is usually known and short; -1 only means that it was not found. */
static inline int32_t names_find(const names *n, const char *bytes, size_t size);

/* Forget all of them. */
void names_clear(names *n);

/* --- what is done for every value of every row -------------------------------------------------
 */

static inline uint64_t names_word(const char *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, NAMES_WORD);
    return word;
}

/* Up to eight bytes as a number that, with their size, is unique: the first half and the last,
 * which may overlap. */
static inline uint64_t names_short_word(const char *bytes, size_t size)
{
    uint32_t first = 0, last = 0;

    if (size >= 4) {
        memcpy(&first, bytes, 4);
        memcpy(&last, bytes + size - 4, 4);
    } else if (size >= 2) {
        memcpy(&first, bytes, 2);
        memcpy(&last, bytes + size - 2, 2);
    } else if (size == 1) {
        first = (unsigned char)*bytes;
    }
    return (uint64_t)last << 32 | first;
}

/* The key of up to NAMES_SHORT bytes. */
static inline name_key names_short_key(const char *bytes, size_t size)
{
    if (size <= NAMES_WORD)
        return (name_key){names_short_word(bytes, size), 0, (uint32_t)size};
    return (name_key){names_word(bytes), names_word(bytes + size - NAMES_WORD), (uint32_t)size};
}

/* Where the search for a key begins: multiplicative hashing (Knuth, volume 3, 6.4). */
static inline size_t names_place(const names *n, const name_key *k)
{
    return ((k->first ^ (k->last << 23 | k->last >> 41)) * UINT64_C(0x9E3779B97F4A7C15)) >>
           n->shift;
}

static inline int names_has_key(const name_slot *s, const name_key *k)
{
    return ((s->first ^ k->first) | (s->last ^ k->last) | (s->size ^ k->size)) == 0;
}

static inline int32_t names_find(const names *n, const char *bytes, size_t size)
{
    if (n->slots > 0 && size <= NAMES_SHORT) {
        const name_key key = names_short_key(bytes, size);
        const name_slot *s = &n->slot[names_place(n, &key)];

        if (names_has_key(s, &key))
            return (int32_t)s->number - 1;
    }
    return -1;
}

#endif
