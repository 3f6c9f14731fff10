/* store/pack.h - the pairs of some neighbouring keys as one value, in the order of their keys:
 *
 *     {bytes that the key shares with the one before, bytes of the rest, bytes of the value,
 *     the rest of the key, the value}…
 *
 * The numbers are those of store/varint.h. Nobody finds a key but by passing those before it, so a
 * pack is small. What is read may be damaged; it never leads outside the bytes.
 */
#ifndef CR_STORE_PACK_H
#define CR_STORE_PACK_H

#include "base/buffer.h"
#include "store/kv.h"

/* 1: the pack has the key, whose value is borrowed; 0: it does not; -1: it is damaged. */
int cr__pack_find(cr__bytes pack, cr__bytes key, cr__bytes *value);

typedef struct cr__pack_pair {
    size_t shared;
    cr__bytes rest, value; /* borrowed */
} cr__pack_pair;

/* The pair at a place, the first at 0, which moves to the next. 1; 0: there is none; -1: it is
 * damaged. */
int cr__pack_next(cr__bytes pack, size_t *at, cr__pack_pair *pair);

/* Put the key of a pair over the one before it, in room for CR__KV_KEY_MOST bytes; *size is that of
 * both. 0: there is no such key, or it is not above the one before. */
int cr__pack_key(const cr__pack_pair *pair, char *key, size_t *size);

/* Append a pair, whose key shares so many bytes with the one before, 0 in the first. */
void cr__pack_add(cr__buffer *out, size_t shared, cr__bytes key, cr__bytes value);

#endif
