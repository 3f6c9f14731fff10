/* base/sha1.c - SHA-1 as FIPS 180-4, section 6.1 defines it. */
#include "base/sha1.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK = 64, ROUNDS = 80, LENGTH_BYTES = 8 };

static uint32_t rotate(uint32_t x, unsigned by)
{
    return x << by | x >> (32 - by);
}

/* W_t: the sixteen words of the block, and then W_t = rotate(W_t-3 ^ W_t-8 ^ W_t-14 ^ W_t-16, 1).
 */
static void make_schedule(const unsigned char *block, uint32_t W[ROUNDS])
{
    for (int t = 0; t < 16; t++, block += 4)
        W[t] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 |
               block[3];
    for (int t = 16; t < ROUNDS; t++)
        W[t] = rotate(W[t - 3] ^ W[t - 8] ^ W[t - 14] ^ W[t - 16], 1);
}

static void add_block(uint32_t H[5], const unsigned char *block)
{
    uint32_t W[ROUNDS], a = H[0], b = H[1], c = H[2], d = H[3], e = H[4];

    make_schedule(block, W);
    for (int t = 0; t < ROUNDS; t++) {
        const uint32_t mixed = t < 20   ? ((b & c) ^ (~b & d)) + 0x5a827999
                               : t < 40 ? (b ^ c ^ d) + 0x6ed9eba1
                               : t < 60 ? ((b & c) ^ (b & d) ^ (c & d)) + 0x8f1bbcdc
                                        : (b ^ c ^ d) + 0xca62c1d6;
        const uint32_t next = rotate(a, 5) + mixed + e + W[t];

        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    H[0] += a;
    H[1] += b;
    H[2] += c;
    H[3] += d;
    H[4] += e;
}

void cr__sha1(const void *bytes, size_t size, unsigned char out[CR__SHA1_BYTES])
{
    uint32_t H[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    unsigned char last[2 * BLOCK] = {0};
    const unsigned char *p = bytes;
    size_t rest = size, padded;

    for (; rest >= BLOCK; rest -= BLOCK, p += BLOCK)
        add_block(H, p);
    if (rest > 0)
        memcpy(last, p, rest);
    last[rest] = 0x80; /* then zeros, and the number of bits at the end of a block */
    padded = rest + 1 + LENGTH_BYTES <= BLOCK ? BLOCK : 2 * BLOCK;
    for (int i = 0; i < LENGTH_BYTES; i++)
        last[padded - 1 - (size_t)i] = (unsigned char)((uint64_t)size * 8 >> 8 * i);
    for (size_t at = 0; at < padded; at += BLOCK)
        add_block(H, last + at);
    for (int i = 0; i < CR__SHA1_BYTES; i++)
        out[i] = (unsigned char)(H[i / 4] >> (24 - 8 * (i % 4)));
}
