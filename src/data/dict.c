/* data/dict.c - words to codes and back. */
#include "data/dict.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"

uint64_t cr__dict_hash(const char *word, size_t length, uint64_t seed)
{
    return XXH3_64bits_withSeed(word, length, seed);
}

cr_status cr__dict_new(cr__dict **out, uint64_t seed, cr_error *err)
{
    cr__dict *dict = cr__alloc_zero(1, sizeof *dict);

    *out = NULL;
    if (dict == NULL)
        return cr__fail_memory(err);
    dict->seed = seed;
    *out = dict;
    return CR_OK;
}

void cr__dict_clear(cr__dict *dict)
{
    dict->words = 0;
    dict->bytes_size = 0;
    if (dict->slot_bits > 0)
        memset((void *)dict->slot, 0, sizeof *dict->slot << dict->slot_bits);
}

void cr__dict_free(cr__dict *dict)
{
    if (dict == NULL)
        return;
    if (!dict->frozen) {
        cr__free((void *)dict->end);
        cr__free((void *)dict->bytes);
        cr__free((void *)dict->hash);
        cr__free((void *)dict->slot);
    }
    cr__free(dict);
}

const char *cr__dict_word(const cr__dict *dict, uint32_t code, size_t *length)
{
    const uint32_t start = code > 1 ? dict->end[code - 2] : 0, end = dict->end[code - 1];
    const int sound = start < end && end <= dict->bytes_size && dict->bytes[end - 1] == '\0';

    if (length != NULL)
        *length = sound ? end - start - 1 : 0;
    return sound ? dict->bytes + start : "";
}

/* The slot that holds the word, or the empty one where it would go. A frozen table may come from
 * a damaged file, so codes are checked and the walk is bounded. */
static size_t find_slot(const cr__dict *dict, const char *word, size_t length, uint64_t hash)
{
    const size_t mask = ((size_t)1 << dict->slot_bits) - 1;
    size_t at = (size_t)(hash >> (64 - dict->slot_bits));

    for (size_t steps = 0; steps <= mask; steps++, at = (at + 1) & mask) {
        uint32_t code = dict->slot[at];
        size_t size;

        if (code == 0 || code > dict->words)
            return at;
        if (dict->hash[code - 1] == hash) {
            const char *bytes = cr__dict_word(dict, code, &size);
            if (size == length && memcmp(bytes, word, length) == 0)
                return at;
        }
    }
    return SIZE_MAX;
}

uint32_t cr__dict_find(const cr__dict *dict, const char *word, size_t length)
{
    size_t at;

    if (dict->slot_bits == 0)
        return CR__MISSING;
    at = find_slot(dict, word, length, cr__dict_hash(word, length, dict->seed));
    return at == SIZE_MAX || dict->slot[at] > dict->words ? CR__MISSING : dict->slot[at];
}

int cr__dict_is_sound(const cr__dict *dict)
{
    for (uint32_t code = 1; code <= dict->words; code++) {
        size_t length;
        const char *word = cr__dict_word(dict, code, &length);

        if (cr__dict_find(dict, word, length) != code)
            return 0;
    }
    return 1;
}

/* Double the slots (at least 16) and refill them in the order of the codes. */
static int grow_slots(cr__dict *dict)
{
    const uint32_t bits = dict->slot_bits == 0 ? 4 : dict->slot_bits + 1;
    const size_t mask = ((size_t)1 << bits) - 1;
    uint32_t *slot = cr__alloc_zero(mask + 1, sizeof *slot);

    if (slot == NULL)
        return 0;
    for (uint32_t i = 0; i < dict->words; i++) {
        size_t at = (size_t)(dict->hash[i] >> (64 - bits));
        while (slot[at] != 0)
            at = (at + 1) & mask;
        slot[at] = i + 1;
    }
    cr__free((void *)dict->slot);
    dict->slot = slot;
    dict->slot_bits = bits;
    return 1;
}

static cr_status append(cr__dict *dict, const char *word, size_t length, uint64_t hash)
{
    const uint32_t start = dict->words > 0 ? dict->end[dict->words - 1] : 0;

    if (dict->words >= CR__DICT_WORDS_MAX || length > CR__WORD_MAX ||
        length >= UINT32_MAX - (size_t)start)
        return CR_ELIMIT;
    if (!cr__grow(&dict->end, &dict->end_capacity, (size_t)dict->words + 1, sizeof *dict->end) ||
        !cr__grow(&dict->hash, &dict->hash_capacity, (size_t)dict->words + 1, sizeof *dict->hash) ||
        !cr__grow(&dict->bytes, &dict->bytes_capacity, (size_t)start + length + 1 + CR__DICT_PAD,
                  1))
        return CR_ENOMEM;
    if (dict->slot_bits == 0 || (uint64_t)(dict->words + 1) * 2 > (uint64_t)1 << dict->slot_bits)
        if (!grow_slots(dict))
            return CR_ENOMEM;
    if (length > 0)
        memcpy((char *)dict->bytes + start, word, length);
    ((char *)dict->bytes)[start + length] = '\0';
    dict->bytes_size = start + length + 1;
    ((uint32_t *)dict->end)[dict->words] = start + (uint32_t)length + 1;
    ((uint64_t *)dict->hash)[dict->words] = hash;
    dict->words++;
    return CR_OK;
}

cr_status cr__dict_intern(cr__dict *dict, const char *word, size_t length, uint32_t *code)
{
    const uint64_t hash = cr__dict_hash(word, length, dict->seed);
    size_t at = dict->slot_bits == 0 ? SIZE_MAX : find_slot(dict, word, length, hash);
    cr_status st;

    if (at == SIZE_MAX || dict->slot[at] == 0) {
        if ((st = append(dict, word, length, hash)) != CR_OK)
            return st;
        at = find_slot(dict, word, length, hash);
        ((uint32_t *)dict->slot)[at] = dict->words;
    }
    *code = dict->slot[at];
    return CR_OK;
}

/* --- canonical order ---------------------------------------------------------------------- */

typedef struct sort_item {
    const char *word;
    size_t length;
    double number; /* 0 for all when some word is not a number */
    uint32_t code;
} sort_item;

static int compare_items(const void *pa, const void *pb)
{
    const sort_item *a = pa, *b = pb;
    size_t shorter = a->length < b->length ? a->length : b->length;
    int c;

    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    if ((c = memcmp(a->word, b->word, shorter)) != 0)
        return c;
    return a->length < b->length ? -1 : a->length > b->length;
}

cr_status cr__dict_order_some(const cr__dict *dict, uint32_t *code, uint32_t count)
{
    sort_item *item = cr__alloc(count, sizeof *item);
    int all_numbers = 1;

    if (item == NULL)
        return CR_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        item[i].code = code[i];
        item[i].word = cr__dict_word(dict, code[i], &item[i].length);
        if (cr__parse_double(item[i].word, item[i].length, &item[i].number) != CR__NUMBER_OK)
            all_numbers = 0;
    }
    for (uint32_t i = 0; i < count && !all_numbers; i++)
        item[i].number = 0;
    qsort(item, count, sizeof *item, compare_items);
    for (uint32_t i = 0; i < count; i++)
        code[i] = item[i].code;
    cr__free(item);
    return CR_OK;
}

cr_status cr__dict_order(const cr__dict *dict, uint32_t *order)
{
    for (uint32_t i = 0; i < dict->words; i++)
        order[i] = i + 1;
    return cr__dict_order_some(dict, order, dict->words);
}
