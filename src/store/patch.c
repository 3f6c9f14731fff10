/* store/patch.c - search and make blocks of newest values. */
#include "store/patch.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/memory.h"
#include "store/varint.h"

enum { SUM = 8, HEAD = 16, SLOT = 8, FEWEST = 64 };

uint32_t cr__patch_hash(cr__bytes key)
{
    return (uint32_t)XXH3_64bits(key.at, key.size);
}

static int is_power(uint32_t x)
{
    return x != 0 && (x & (x - 1)) == 0;
}

cr_status cr__patch_open(cr__patch *p, cr__bytes bytes)
{
    const unsigned char *at = bytes.at;
    uint32_t number[2];

    *p = (cr__patch){0};
    if (bytes.size < HEAD)
        return CR_EFORMAT;
    memcpy(number, at + SUM, sizeof number);
    if (!is_power(number[0]) || number[1] >= number[0] || (bytes.size - HEAD) / SLOT < number[0])
        return CR_EFORMAT;
    p->slots = number[0];
    p->keys = number[1];
    p->slot = at + HEAD;
    p->entry = p->slot + (size_t)SLOT * p->slots;
    p->size = bytes.size - HEAD - (size_t)SLOT * p->slots;
    return CR_OK;
}

static void read_slot(const cr__patch *p, uint32_t i, uint32_t slot[2])
{
    memcpy(slot, p->slot + (size_t)SLOT * i, SLOT);
}

/* The entry at a place that is not 0: 1, or -1 where there is none. */
static int read_entry(const cr__patch *p, uint32_t place, cr__bytes *key, cr__bytes *value)
{
    cr__reader in;

    if (place > p->size)
        return -1;
    in = cr__reader_of(p->entry + place - 1, p->size - place + 1);
    key->at = cr__read_bytes(&in, &key->size);
    value->at = cr__read_bytes(&in, &value->size);
    return in.failed ? -1 : 1;
}

int cr__patch_entry(const cr__patch *p, uint32_t i, uint32_t *hash, cr__bytes *key,
                    cr__bytes *value)
{
    uint32_t slot[2];

    read_slot(p, i, slot);
    *hash = slot[0];
    return slot[1] == 0 ? 0 : read_entry(p, slot[1], key, value);
}

int cr__patch_find(const cr__patch *p, uint32_t hash, cr__bytes key, cr__bytes *value)
{
    uint32_t step = 0, place;
    cr__bytes own;

    while ((place = cr__patch_place(p, hash, &step)) != 0) {
        if (read_entry(p, place, &own, value) < 0)
            return -1;
        if (own.size == key.size && memcmp(own.at, key.at, key.size) == 0)
            return 1;
    }
    return 0;
}

int cr__patch_next(const cr__patch *p, size_t *at, cr__bytes *key, cr__bytes *value)
{
    if (*at >= p->size)
        return 0;
    if (read_entry(p, (uint32_t)*at + 1, key, value) < 0)
        return -1;
    *at = (size_t)((const unsigned char *)value->at + value->size - p->entry);
    return 1;
}

cr_status cr__patch_check(cr__bytes bytes)
{
    cr__patch p;
    uint64_t sum;
    uint32_t keys = 0;
    cr_status st = cr__patch_open(&p, bytes);

    if (st != CR_OK)
        return st;
    memcpy(&sum, bytes.at, SUM);
    if (sum != XXH3_64bits((const char *)bytes.at + SUM, bytes.size - SUM))
        return CR_EFORMAT;
    for (uint32_t i = 0; i < p.slots; i++) {
        cr__bytes key, value;
        uint32_t hash;
        const int found = cr__patch_entry(&p, i, &hash, &key, &value);

        if (found < 0 ||
            (found && (hash != cr__patch_hash(key) || cr__patch_find(&p, hash, key, &value) != 1)))
            return CR_EFORMAT;
        keys += (uint32_t)found;
    }
    return keys == p.keys ? CR_OK : CR_EFORMAT;
}

/* --- making one ------------------------------------------------------------------------------- */

void cr__patch_builder_free(cr__patch_builder *b)
{
    cr__free(b->slot);
    cr__buffer_free(&b->entries);
    *b = (cr__patch_builder){0};
}

static uint32_t (*free_slot(const cr__patch_builder *b, uint32_t hash))[2]
{
    uint32_t i = hash & (b->slots - 1);

    while (b->slot[i][1] != 0)
        i = (i + 1) & (b->slots - 1);
    return &b->slot[i];
}

/* Slots for so many keys. 0: out of memory, or more than 4 GB. */
static int make_room(cr__patch_builder *b, uint64_t keys)
{
    uint32_t slots = b->slots;
    cr__patch_builder more = {.slot = NULL};

    if (3 * keys <= 2 * (uint64_t)slots)
        return 1;
    while (3 * keys > 2 * (uint64_t)slots)
        if ((slots = slots == 0 ? FEWEST : 2 * slots) == 0)
            return 0;
    more.slots = slots;
    if ((more.slot = cr__alloc_zero(slots, sizeof *more.slot)) == NULL)
        return 0;
    for (uint32_t i = 0; i < b->slots; i++)
        if (b->slot[i][1] != 0)
            memcpy(free_slot(&more, b->slot[i][0]), b->slot[i], sizeof b->slot[i]);
    cr__free(b->slot);
    b->slot = more.slot;
    b->slots = slots;
    return 1;
}

/* The slot of a key, which is empty where the key is not there. */
static uint32_t *own_slot(const cr__patch_builder *b, uint32_t hash, cr__bytes key)
{
    const cr__patch p = cr__patch_of(b);
    uint32_t i = hash & (b->slots - 1);
    cr__bytes own, value;

    for (; b->slot[i][1] != 0; i = (i + 1) & (b->slots - 1))
        if (b->slot[i][0] == hash && read_entry(&p, b->slot[i][1], &own, &value) == 1 &&
            own.size == key.size && memcmp(own.at, key.at, key.size) == 0)
            break;
    return b->slot[i];
}

int cr__patch_put(cr__patch_builder *b, uint32_t hash, cr__bytes key, cr__bytes value)
{
    uint32_t *slot;
    size_t place;

    if (!make_room(b, (uint64_t)b->keys + 1))
        return 0;
    place = b->entries.size + 1;
    slot = own_slot(b, hash, key);
    b->keys += slot[1] == 0;
    cr__put_bytes(&b->entries, key.at, key.size);
    cr__put_bytes(&b->entries, value.at, value.size);
    slot[0] = hash;
    slot[1] = (uint32_t)place;
    return !b->entries.failed && b->entries.size < UINT32_MAX;
}

int cr__patch_add_missing(cr__patch_builder *b, const cr__patch *p)
{
    if (!make_room(b, p->keys) || cr__buffer_reserve(&b->entries, p->size) == NULL)
        return 0;
    for (uint32_t i = 0; i < p->slots; i++) {
        uint32_t in[2], *slot;
        cr__bytes key, value;

        read_slot(p, i, in);
        if (in[1] == 0)
            continue;
        if (read_entry(p, in[1], &key, &value) < 0)
            return -1;
        if (!make_room(b, (uint64_t)b->keys + 1))
            return 0;
        slot = own_slot(b, in[0], key);
        if (slot[1] == 0) {
            const unsigned char *entry = p->entry + in[1] - 1;

            slot[0] = in[0];
            slot[1] = (uint32_t)b->entries.size + 1;
            cr__buffer_add(&b->entries, entry,
                           (size_t)((const unsigned char *)value.at + value.size - entry));
            b->keys++;
        }
        if (b->entries.failed || b->entries.size >= UINT32_MAX)
            return 0;
    }
    return 1;
}

typedef struct sorted {
    uint64_t start; /* of the key, as a number: most comparisons need no more */
    cr__bytes key, value;
    uint32_t *slot;
} sorted;

static int compare_sorted(const void *pa, const void *pb)
{
    const sorted *a = pa, *b = pb;
    int order;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    order = memcmp(a->key.at, b->key.at, a->key.size < b->key.size ? a->key.size : b->key.size);
    return order != 0 ? order : (a->key.size > b->key.size) - (a->key.size < b->key.size);
}

static uint64_t start_of(cr__bytes key)
{
    const unsigned char *at = key.at;
    uint64_t start = 0;

    for (size_t i = 0; i < sizeof start; i++)
        start = start << 8 | (i < key.size ? at[i] : 0);
    return start;
}

int cr__patch_sort(cr__patch_builder *b)
{
    const cr__patch p = cr__patch_of(b);
    sorted *all = cr__alloc(b->keys, sizeof *all);
    cr__buffer entries = {0};
    size_t n = 0;

    if (all == NULL)
        return 0;
    for (uint32_t i = 0; i < b->slots; i++)
        if (b->slot[i][1] != 0 && read_entry(&p, b->slot[i][1], &all[n].key, &all[n].value) == 1) {
            all[n].start = start_of(all[n].key);
            all[n++].slot = b->slot[i];
        }
    if (n > 0)
        qsort(all, n, sizeof *all, compare_sorted);
    cr__buffer_reserve(&entries, b->entries.size);
    for (size_t i = 0; i < n; i++) {
        all[i].slot[1] = (uint32_t)entries.size + 1;
        cr__put_bytes(&entries, all[i].key.at, all[i].key.size);
        cr__put_bytes(&entries, all[i].value.at, all[i].value.size);
    }
    cr__free(all);
    cr__buffer_free(&b->entries);
    b->entries = entries;
    return !entries.failed;
}

cr__patch cr__patch_of(const cr__patch_builder *b)
{
    return (cr__patch){(const unsigned char *)b->slot, (const unsigned char *)b->entries.data,
                       b->entries.size, b->slots, b->keys};
}

size_t cr__patch_size(const cr__patch_builder *b)
{
    return HEAD + (size_t)b->slots * SLOT + b->entries.size;
}

void cr__patch_write(const cr__patch_builder *b, cr__buffer *out)
{
    const uint32_t number[2] = {b->slots, b->keys};
    const size_t start = out->size;
    uint64_t sum = 0;

    cr__buffer_reserve(out, cr__patch_size(b));
    cr__buffer_add(out, &sum, SUM);
    cr__buffer_add(out, number, sizeof number);
    cr__buffer_add(out, b->slot, (size_t)b->slots * SLOT);
    cr__buffer_add(out, b->entries.data, b->entries.size);
    if (out->failed)
        return;
    sum = XXH3_64bits(out->data + start + SUM, out->size - start - SUM);
    memcpy(out->data + start, &sum, SUM);
}
