/* sql/names.c - texts and their numbers: a hash table with short texts at hand. */
#include "names.h"

#include <stdlib.h>
#include <string.h>

#define MIX UINT64_C(0x9E3779B97F4A7C15) /* 2^64 over the golden ratio */
#define SHORT sizeof(uint64_t)

void names_clear(names *n)
{
    for (size_t i = 0; i < n->count; i++)
        free((char *)n->name[i].bytes);
    free(n->name);
    free(n->hash);
    free(n->slot);
    memset(n, 0, sizeof *n);
}

static uint64_t hash_of(const char *bytes, size_t size)
{
    uint64_t h = size * MIX, word;

    for (; size >= SHORT; bytes += SHORT, size -= SHORT) {
        memcpy(&word, bytes, SHORT);
        h = (h ^ word) * MIX;
        h ^= h >> 29;
    }
    word = 0;
    memcpy(&word, bytes, size);
    h = (h ^ word) * MIX;
    return h ^ h >> 32;
}

/* Room for one more name, and slots for twice as many. */
static int grow(names *n)
{
    const size_t room = n->room * 2 + 16;
    cr_span *name = realloc(n->name, room * sizeof *name);
    uint64_t *hash;
    uint32_t *slot;

    if (name == NULL)
        return 0;
    n->name = name;
    if ((hash = realloc(n->hash, room * sizeof *hash)) == NULL)
        return 0;
    n->hash = hash;
    n->slots = 64;
    while (n->slots < 2 * room)
        n->slots *= 2;
    if ((slot = calloc(n->slots, sizeof *slot)) == NULL)
        return 0;
    free(n->slot);
    n->slot = slot;
    n->room = room;
    for (size_t i = 0; i < n->count; i++) {
        size_t at = n->hash[i] & (n->slots - 1);

        while (slot[at] != 0)
            at = (at + 1) & (n->slots - 1);
        slot[at] = (uint32_t)i + 1;
    }
    return 1;
}

static int32_t find_or_add(names *n, const char *bytes, size_t size)
{
    const uint64_t hash = hash_of(bytes, size);
    size_t at;
    char *copy;

    if (n->count == n->room && (n->count >= INT32_MAX || !grow(n)))
        return -1;
    for (at = hash & (n->slots - 1); n->slot[at] != 0; at = (at + 1) & (n->slots - 1)) {
        const size_t i = n->slot[at] - 1;

        if (n->hash[i] == hash && n->name[i].length == size &&
            memcmp(n->name[i].bytes, bytes, size) == 0)
            return (int32_t)i;
    }
    if ((copy = malloc(size + 1)) == NULL)
        return -1;
    memcpy(copy, bytes, size);
    n->name[n->count] = (cr_span){copy, size};
    n->hash[n->count] = hash;
    n->slot[at] = (uint32_t)++n->count;
    return (int32_t)n->count - 1;
}

/* Up to eight bytes as a number that, with their size, tells them from all others: the first half
 * and the last, which may overlap. */
static uint64_t short_word(const char *bytes, size_t size)
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

int32_t names_number(names *n, const char *bytes, size_t size)
{
    uint64_t word;
    size_t place;

    if (size > SHORT)
        return find_or_add(n, bytes, size);
    word = short_word(bytes, size);
    place = (word * MIX + size) >> 56;
    if (n->at_hand[place].size != size + 1 || n->at_hand[place].word != word) {
        const int32_t number = find_or_add(n, bytes, size);

        if (number < 0)
            return -1;
        n->at_hand[place].word = word;
        n->at_hand[place].size = (uint32_t)size + 1;
        n->at_hand[place].number = number;
    }
    return n->at_hand[place].number;
}
