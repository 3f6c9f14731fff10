/* store/patch.h - the newest values of some keys, as one block of bytes that is searched in place.
 *
 *     checksum (8 bytes), slots (4), keys (4), {hash, place} for each slot (4 + 4),
 *     {key, value} as bytes with their number in front (store/varint.h)
 *
 * The slots are a hash table with open addressing: a power of two of them, at least a third of
 * which are empty; a place is the offset of an entry, plus one, and 0 in an empty slot. Numbers
 * have the byte order of the machine, as in LMDB. An empty value means that the key was removed.
 */
#ifndef CR_STORE_PATCH_H
#define CR_STORE_PATCH_H

#include <string.h>

#include "base/buffer.h"
#include "store/kv.h"

typedef struct cr__patch {
    const unsigned char *slot, *entry; /* borrowed */
    size_t size;                       /* of the entries */
    uint32_t slots, keys;
} cr__patch; /* {0} is empty */

uint32_t cr__patch_hash(cr__bytes key);

/* CR_EFORMAT where bytes are not such a block. Its entries are checked when they are read. */
cr_status cr__patch_open(cr__patch *p, cr__bytes bytes);

/* Finding a key reads a slot and then, where the slot has its hash, the entry. Begin to fetch from
 * memory what is read first. */
static inline void cr__patch_expect(const cr__patch *p, uint32_t hash)
{
    if (p->slots > 0)
        __builtin_prefetch(p->slot + (size_t)8 * (hash & (p->slots - 1)));
}

/* The place of the next entry with a hash, or 0: there is none. *step is 0 at first. */
static inline uint32_t cr__patch_place(const cr__patch *p, uint32_t hash, uint32_t *step)
{
    while (*step < p->slots) {
        uint32_t slot[2];

        memcpy(slot, p->slot + (size_t)8 * ((hash + (*step)++) & (p->slots - 1)), sizeof slot);
        if (slot[1] == 0)
            break;
        if (slot[0] == hash)
            return slot[1];
    }
    return 0;
}

/* Whether there is an entry with a hash, which begins to be fetched. */
static inline int cr__patch_expect_entry(const cr__patch *p, uint32_t hash)
{
    uint32_t step = 0;
    const uint32_t place = cr__patch_place(p, hash, &step);

    if (place != 0)
        __builtin_prefetch(p->entry + place - 1);
    return place != 0;
}

/* 1: the patch has the key, whose value is borrowed; 0: it does not; -1: it is damaged. */
int cr__patch_find(const cr__patch *p, uint32_t hash, cr__bytes key, cr__bytes *value);

/* The entry of a slot: 1, or 0 where it is empty, or -1 where it is damaged. */
int cr__patch_entry(const cr__patch *p, uint32_t slot, uint32_t *hash, cr__bytes *key,
                    cr__bytes *value);

/* One entry after another: the one at a place, the first at 0, which moves to the next. 1; 0: there
 * is none; -1: it is damaged. */
int cr__patch_next(const cr__patch *p, size_t *at, cr__bytes *key, cr__bytes *value);

/* Read all of it: CR_EFORMAT where any byte has changed. */
cr_status cr__patch_check(cr__bytes bytes);

/* --- making one ------------------------------------------------------------------------------- */

typedef struct cr__patch_builder {
    uint32_t (*slot)[2]; /* hash and place */
    uint32_t slots, keys;
    cr__buffer entries;
} cr__patch_builder; /* {0} is empty */

void cr__patch_builder_free(cr__patch_builder *b);
/* Add a key, or give it another value. 0: out of memory, or more than 4 GB. */
int cr__patch_put(cr__patch_builder *b, uint32_t hash, cr__bytes key, cr__bytes value);
/* Add the entries of a patch whose keys are not there. 1; 0: out of memory, or more than 4 GB; -1:
 * it is damaged. */
int cr__patch_add_missing(cr__patch_builder *b, const cr__patch *p);
/* Put the entries in the order of their keys, each key once. 0: out of memory. */
int cr__patch_sort(cr__patch_builder *b);
/* What has been added so far; valid until the next addition. */
cr__patch cr__patch_of(const cr__patch_builder *b);
/* The bytes of the block, and the block, appended. */
size_t cr__patch_size(const cr__patch_builder *b);
void cr__patch_write(const cr__patch_builder *b, cr__buffer *out);

#endif
