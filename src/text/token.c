/* text/token.c - the hash of a token, the plain way. */
#include "text/token.h"

#define ALL UINT64_MAX
#define LOW(n) (ALL >> (64 - 8 * (n)))

const uint64_t cr__token_keep[17][2] = {
    {0, 0},        {LOW(1), 0},   {LOW(2), 0},   {LOW(3), 0},   {LOW(4), 0},   {LOW(5), 0},
    {LOW(6), 0},   {LOW(7), 0},   {ALL, 0},      {ALL, LOW(1)}, {ALL, LOW(2)}, {ALL, LOW(3)},
    {ALL, LOW(4)}, {ALL, LOW(5)}, {ALL, LOW(6)}, {ALL, LOW(7)}, {ALL, ALL},
};

/* Up to eight bytes, the first one lowest, with zeros for those that are not there. */
static uint64_t load_part(const char *bytes, size_t length)
{
    uint64_t word = 0;

    for (size_t i = 0; i < length && i < 8; i++)
        word |= (uint64_t)(unsigned char)bytes[i] << 8 * i;
    return word;
}

uint64_t cr__token_hash(const char *bytes, size_t length)
{
    uint64_t h = length * CR__TOKEN_K2;

    while (length > 16) {
        h = cr__token_step(h, cr__scan_load(bytes), cr__scan_load(bytes + 8));
        bytes += 16;
        length -= 16;
    }
    return cr__token_finish(cr__token_step(h, load_part(bytes, length),
                                           length > 8 ? load_part(bytes + 8, length - 8) : 0));
}
