/* base/number.h - decimal text to numbers and back, exactly and without the locale.
 *
 * A decimal number is an optional sign, digits with an optional point (".5" and "5." are fine) and
 * an optional exponent. It is read as the double nearest to it, ties to even, whatever the number
 * of digits; the result is that of strtod in the C locale. There are no spaces, no hexadecimal and
 * no infinities in it. Nothing is read beyond the given end, and no terminating NUL is needed.
 * Nothing here allocates or keeps state: any thread may call anything.
 */
#ifndef CR_BASE_NUMBER_H
#define CR_BASE_NUMBER_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef enum cr__number_status {
    CR__NUMBER_OK = 0,
    CR__NUMBER_INVALID,    /* not a number, or more than a number */
    CR__NUMBER_NOT_FINITE, /* some spelling of infinity or NaN */
    CR__NUMBER_OVERFLOW    /* a number, but too large for the type */
} cr__number_status;

/* The whole text as a double. Too small a number becomes a denormal or 0 (with its sign). *value
 * is written only for CR__NUMBER_OK. */
cr__number_status cr__parse_double(const char *text, size_t length, double *value);

/* The whole text as an integer: digits after an optional sign (for the unsigned one only '+'). */
cr__number_status cr__parse_int64(const char *text, size_t length, int64_t *value);
cr__number_status cr__parse_uint64(const char *text, size_t length, uint64_t *value);

#define CR__NUMBER_SIZE 32

/* Write the shortest decimal text that reads back as the same double (of those, the nearest to
 * it), in the notation of Python's repr() without the ".0": 3, 0.1, 1e+16, 1.5e-07, nan, -inf.
 * Plain notation is used for 1e-4 <= |value| < 1e16. At most 24 characters and a NUL; returns how
 * many characters. */
size_t cr__format_double(char out[CR__NUMBER_SIZE], double value);

/* The parts of cr__scan_double that are too rare or too long to be inlined: any number; one whose
 * digits (at most 19, the last `decimals` of them after the point) have been read up to p; digits *
 * 10^exponent, which may be infinite. */
const char *cr__scan_double_fully(const char *text, const char *end, double *value);
const char *cr__scan_exponent(const char *text, const char *p, const char *end, uint64_t digits,
                              int decimals, double *value);
double cr__decimal_to_double(uint64_t digits, int exponent);

extern const uint64_t cr__tens[9];      /* 10^0 .. 10^8 */
extern const double cr__exact_tens[23]; /* 10^0 .. 10^22: the powers of ten that are doubles */

/* Eight bytes, the first one lowest. */
static inline uint64_t cr__scan_load(const char *text)
{
    uint64_t word;

    memcpy(&word, text, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* The same, with zeros from end on; the bytes from start on may be read. */
static inline uint64_t cr__scan_word(const char *start, const char *text, const char *end)
{
    const ptrdiff_t left = end - text;
    uint64_t word = 0;

    if (left >= 8)
        return cr__scan_load(text);
    if (left > 0 && end - start >= 8)
        return cr__scan_load(end - 8) >> (64 - 8 * left);
    for (ptrdiff_t i = 0; i < left; i++)
        word |= (uint64_t)(unsigned char)text[i] << 8 * i;
    return word;
}

/* How many of the word's bytes are digits before the first one that is not (0 .. 8). A byte is not
 * a digit when subtracting '0' borrows into its top bit or adding 0x46 ('9' + 0x46 = 0x7f) sets it;
 * a borrow spreads only to later bytes, which do not count any more. */
static inline int cr__scan_count(uint64_t word)
{
    const uint64_t other =
        ((word - 0x3030303030303030) | (word + 0x4646464646464646) | word) & 0x8080808080808080;

    return other == 0 ? 8 : __builtin_ctzll(other) / 8;
}

/* The number that eight digits spell, the first one in the lowest byte: pairs, then fours, then
 * all eight are joined by one multiplication each. */
static inline uint64_t cr__scan_eight(uint64_t word)
{
    word &= 0x0f0f0f0f0f0f0f0f;
    word = (word * 10 + (word >> 8)) & 0x00ff00ff00ff00ff;
    word = (word * 100 + (word >> 16)) & 0x0000ffff0000ffff;
    return (word * 10000 + (word >> 32)) & 0xffffffff;
}

/* Append the digits at *text to number (modulo 2^64: the caller counts them) and step over them;
 * start is as above. Their count is computed without a branch, since decimals vary in length. */
static inline uint64_t cr__scan_digits(const char *start, const char **text, const char *end,
                                       uint64_t number)
{
    for (;;) {
        const uint64_t word = cr__scan_word(start, *text, end);
        const int count = cr__scan_count(word);

        if (count == 0)
            return number;
        number = number * cr__tens[count] + cr__scan_eight(word << (64 - 8 * count));
        *text += count;
        if (count < 8)
            return number;
    }
}

/* Read the longest number at text. Returns the place after it, or NULL (and no *value) when there
 * is no number or it is too large; cr__parse_double then says which. Made for loops over fields
 * whose end is not known yet; it is fastest when end is at least eight bytes away. Up to 19 digits
 * are handled here, and up to 2^53 by one division: W. Clinger, "How to read floating point numbers
 * accurately" (1990): both operands are exact doubles, so it rounds once. */
static inline const char *cr__scan_double(const char *text, const char *end, double *value)
{
    const char *p = text;
    const char *first, *point;
    uint64_t digits = 0, bits;
    int decimals = 0;
    double magnitude;

    if (p == end)
        return NULL;
    p += (*p == '-') | (*p == '+');
    for (first = p; p < end && (unsigned char)(*p - '0') < 10; p++)
        digits = digits * 10 + (uint64_t)(*p - '0');
    if (p < end && *p == '.') {
        point = p++;
        digits = cr__scan_digits(text, &p, end, digits);
        decimals = (int)(p - point) - 1;
        first++;
    }
    if (p - first < 1 || p - first > 19)
        return cr__scan_double_fully(text, end, value);
    if (p < end && (*p | 0x20) == 'e')
        return cr__scan_exponent(text, p, end, digits, decimals, value);
    if (FLT_EVAL_METHOD == 0 && digits <= (uint64_t)1 << 53)
        magnitude = (double)(int64_t)digits / cr__exact_tens[decimals];
    else
        magnitude = cr__decimal_to_double(digits, -decimals);
    memcpy(&bits, &magnitude, sizeof bits); /* the sign without a branch: it is hard to predict */
    bits |= (uint64_t)(*text == '-') << 63;
    memcpy(value, &bits, sizeof bits);
    return p;
}

#endif
