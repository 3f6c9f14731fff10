/* text/token.c - the hash of a token, the plain way. */
#include "text/token.h"

#define ALL UINT64_MAX
#define LOW(n) (ALL >> (64 - 8 * (n)))

const uint64_t cr__token_keep[17][2] = {
    {0, 0},        {LOW(1), 0},   {LOW(2), 0},   {LOW(3), 0},   {LOW(4), 0},   {LOW(5), 0},
    {LOW(6), 0},   {LOW(7), 0},   {ALL, 0},      {ALL, LOW(1)}, {ALL, LOW(2)}, {ALL, LOW(3)},
    {ALL, LOW(4)}, {ALL, LOW(5)}, {ALL, LOW(6)}, {ALL, LOW(7)}, {ALL, ALL},
};

static uint64_t load_four(const char *bytes)
{
    uint64_t word = 0;

    for (size_t i = 0; i < 4; i++)
        word |= (uint64_t)(unsigned char)bytes[i] << 8 * i;
    return word;
}

/* Up to eight bytes, the first one lowest, with zeros for those that are not there. The parts of
 * four to seven bytes overlap. */
static uint64_t load_part(const char *bytes, size_t length)
{
    if (length >= 8)
        return cr__scan_load(bytes);
    if (length >= 4)
        return load_four(bytes) | load_four(bytes + length - 4) << 8 * (length - 4);
    if (length == 0)
        return 0;
    return (uint64_t)(unsigned char)bytes[0] |
           (uint64_t)(unsigned char)bytes[length / 2] << 8 * (length / 2) |
           (uint64_t)(unsigned char)bytes[length - 1] << 8 * (length - 1);
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
