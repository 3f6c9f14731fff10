/* text/token.h - a token, and the hash that names it.
 *
 * The hash fixes the order of the vocabulary in a model file, so it is the same on every machine
 * and in every version. Its definition: the bytes are filled up with zeros to a multiple of 16 (at
 * least 16) and taken as pairs (a, b) of 64-bit little-endian words. With h = length * K2, each
 * pair gives h = fold((a ^ K0 ^ h) * (b ^ K1 ^ rotl(h, 32))), where fold XORs the halves of the
 * 128-bit product; finally h ^= h >> 29, h *= K3, h ^= h >> 32. The constants are the fractions of
 * the square roots of 2, 3, 5 and 7, made odd.
 */
#ifndef CR_TEXT_TOKEN_H
#define CR_TEXT_TOKEN_H

#include <stddef.h>
#include <stdint.h>

#include "base/number.h"

__extension__ typedef unsigned __int128 cr__token_u128;

typedef struct cr__token {
    uint64_t hash;   /* cr__token_hash of its bytes */
    uint32_t start;  /* its first byte in the tokenizer's text */
    uint32_t length; /* bytes */
} cr__token;

#define CR__TOKEN_K0 UINT64_C(0x6a09e667f3bcc909)
#define CR__TOKEN_K1 UINT64_C(0xbb67ae8584caa73b)
#define CR__TOKEN_K2 UINT64_C(0x3c6ef372fe94f82b)
#define CR__TOKEN_K3 UINT64_C(0xa54ff53a5f1d36f1)

/* How many bytes beyond a token cr__token_hash_padded may read. */
#define CR__TOKEN_PAD 16

extern const uint64_t cr__token_keep[17][2]; /* masks that keep the first n of 16 bytes */

static inline uint64_t cr__token_step(uint64_t h, uint64_t a, uint64_t b)
{
    const cr__token_u128 product =
        (cr__token_u128)(a ^ CR__TOKEN_K0 ^ h) * (b ^ CR__TOKEN_K1 ^ (h << 32 | h >> 32));

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t cr__token_finish(uint64_t h)
{
    h ^= h >> 29;
    h *= CR__TOKEN_K3;
    return h ^ h >> 32;
}

/* The hash of a token that has CR__TOKEN_PAD readable bytes after it. *high collects the bits of
 * all bytes: its bits 0x80 show whether the token is pure ASCII. */
static inline uint64_t cr__token_hash_padded(const char *bytes, size_t length, uint64_t *high)
{
    uint64_t h = length * CR__TOKEN_K2;
    uint64_t seen = 0, a, b;

    while (length > 16) {
        a = cr__scan_load(bytes);
        b = cr__scan_load(bytes + 8);
        seen |= a | b;
        h = cr__token_step(h, a, b);
        bytes += 16;
        length -= 16;
    }
    a = cr__scan_load(bytes) & cr__token_keep[length][0];
    b = cr__scan_load(bytes + 8) & cr__token_keep[length][1];
    *high = (seen | a | b) & UINT64_C(0x8080808080808080);
    return cr__token_finish(cr__token_step(h, a, b));
}

/* The same for any bytes; nothing beyond them is read. */
uint64_t cr__token_hash(const char *bytes, size_t length);

#endif
