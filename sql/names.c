/* sql/names.c - map texts to numbers: a hash table that stores short texts itself. */
#include "names.h"

#include <stdlib.h>

#define MANY ((size_t)1024)
#define MIX UINT64_C(0x9E3779B97F4A7C15) /* 2^64 over the golden ratio */

void names_clear(names *n)
{
    for (size_t i = 0; i < n->count; i++)
        free((char *)n->name[i].bytes);
    free(n->name);
    free(n->slot);
    memset(n, 0, sizeof *n);
}

/* A hash of all bytes of a text longer than eight bytes. */
static uint64_t hash_of(const char *bytes, size_t size)
{
    uint64_t h = size * MIX;

    for (; size > NAMES_WORD; bytes += NAMES_WORD, size -= NAMES_WORD) {
        h = (h ^ names_word(bytes)) * MIX;
        h ^= h >> 29;
    }
    return (h ^ names_word(bytes + size - NAMES_WORD)) * MIX;
}

static name_key key_of(const char *bytes, size_t size)
{
    return size <= NAMES_SHORT
               ? names_short_key(bytes, size)
               : (name_key){names_word(bytes), hash_of(bytes, size), (uint32_t)size};
}

/* The slot of a text, or the free slot for it. */
static name_slot *find_slot(const names *n, const name_key *k, const char *bytes)
{
    size_t at = names_place(n, k);

    for (;; at = (at + 1) & (n->slots - 1)) {
        name_slot *s = &n->slot[at];

        if (s->number == 0 ||
            (names_has_key(s, k) &&
             (k->size <= NAMES_SHORT || memcmp(n->name[s->number - 1].bytes, bytes, k->size) == 0)))
            return s;
    }
}

/* Room for more names. Small tables have eight slots per name, so that nearly all searches end at
 * the first slot, which the processor predicts; large ones have two, to stay in the cache. */
static int grow(names *n)
{
    const size_t room = n->room == 0 ? 4 : 4 * n->room;
    const size_t slots = room < MANY ? 8 * room : 2 * room;
    names more = {.count = n->count, .room = room, .slots = 1, .shift = 64};
    cr_span *name = realloc(n->name, room * sizeof *name);

    if (name == NULL)
        return 0;
    n->name = more.name = name;
    for (; more.slots < slots; more.shift--)
        more.slots *= 2;
    if ((more.slot = calloc(more.slots, sizeof *more.slot)) == NULL)
        return 0;
    for (size_t i = 0; i < n->slots; i++) {
        const name_slot *s = &n->slot[i];

        if (s->number != 0)
            *find_slot(&more, &(name_key){s->first, s->last, s->size}, name[s->number - 1].bytes) =
                *s;
    }
    free(n->slot);
    *n = more;
    return 1;
}

int32_t names_number(names *n, const char *bytes, size_t size)
{
    const name_key key = key_of(bytes, size);
    name_slot *slot = n->slots == 0 ? NULL : find_slot(n, &key, bytes);
    char *copy;

    if (slot != NULL && slot->number != 0)
        return (int32_t)(slot->number - 1);
    if (n->count == n->room) {
        if (n->count >= INT32_MAX / 2 || !grow(n))
            return -1;
        slot = find_slot(n, &key, bytes);
    }
    if ((copy = malloc(size + 1)) == NULL)
        return -1;
    if (size > 0)
        memcpy(copy, bytes, size);
    n->name[n->count] = (cr_span){copy, size};
    *slot = (name_slot){key.first, key.last, key.size, (uint32_t)++n->count};
    return (int32_t)n->count - 1;
}
