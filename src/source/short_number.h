/* source/short_number.h - a short decimal number, all its digits at once: for AVX2.
 *
 * For the hot loops of formats, which know where a number ends before they read it.
 */
#ifndef CR_SOURCE_SHORT_NUMBER_H
#define CR_SOURCE_SHORT_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define CR__FAST_NUMBERS 1
#define CR__FAST __attribute__((target("avx2,bmi,bmi2,popcnt"))) /* cr__scan_best allows it */

static const unsigned char cr__keep_last[33] = {/* from n on: a mask for the last n of 16 bytes */
                                                0,   0,   0,   0,   0,   0,   0,   0,   0,
                                                0,   0,   0,   0,   0,   0,   0,   255, 255,
                                                255, 255, 255, 255, 255, 255, 255, 255, 255,
                                                255, 255, 255, 255, 255, 255};

/* Row p closes the gap of a point at byte p by moving the bytes before it up by one; row 16 is for
 * numbers without a point. 0x80 makes a zero. */
#define CR__GAP(p, j) ((p) == 16 ? (j) : (j) == 0 ? 0x80 : (j) <= (p) ? (j)-1 : (j))
#define CR__GAP_ROW(p)                                                                             \
    {                                                                                              \
        CR__GAP(p, 0), CR__GAP(p, 1), CR__GAP(p, 2), CR__GAP(p, 3), CR__GAP(p, 4), CR__GAP(p, 5),  \
            CR__GAP(p, 6), CR__GAP(p, 7), CR__GAP(p, 8), CR__GAP(p, 9), CR__GAP(p, 10),            \
            CR__GAP(p, 11), CR__GAP(p, 12), CR__GAP(p, 13), CR__GAP(p, 14), CR__GAP(p, 15)         \
    }
static const _Alignas(16) unsigned char cr__close_gap[17][16] = {
    CR__GAP_ROW(0),  CR__GAP_ROW(1),  CR__GAP_ROW(2),  CR__GAP_ROW(3),  CR__GAP_ROW(4),
    CR__GAP_ROW(5),  CR__GAP_ROW(6),  CR__GAP_ROW(7),  CR__GAP_ROW(8),  CR__GAP_ROW(9),
    CR__GAP_ROW(10), CR__GAP_ROW(11), CR__GAP_ROW(12), CR__GAP_ROW(13), CR__GAP_ROW(14),
    CR__GAP_ROW(15), CR__GAP_ROW(16)};

/* What to divide the digits by: with or without a minus, when the point is at byte p of 16. */
static const double cr__divisor[2][17] = {
    {1e15, 1e14, 1e13, 1e12, 1e11, 1e10, 1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1e0, 1e0},
    {-1e15, -1e14, -1e13, -1e12, -1e11, -1e10, -1e9, -1e8, -1e7, -1e6, -1e5, -1e4, -1e3, -1e2, -1e1,
     -1e0, -1e0}};

/* A number of at most 15 digits and no exponent, all digits at once; of 17 characters at most. As
 * in cr__scan_double, the digits and the power of ten are exact doubles, so that one division
 * rounds once (Clinger 1990). 0: it is something else. Reads the 16 bytes before its end. */
CR__FAST static inline __attribute__((always_inline)) int
cr__short_number(const char *text, size_t length, double *value)
{
    const size_t minus = *text == '-';
    const size_t rest = length - minus; /* the digits, and the point if there is one */
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text + length - 16));
    const __m128i keep = _mm_loadu_si128((const __m128i *)(const void *)(cr__keep_last + rest));
    const __m128i number = _mm_and_si128(_mm_sub_epi8(bytes, _mm_set1_epi8('0')), keep);
    const __m128i points = _mm_cmpeq_epi8(number, _mm_set1_epi8('.' - '0'));
    const uint32_t place = _tzcnt_u32((uint32_t)_mm_movemask_epi8(points) | 0x10000);
    const __m128i gap = _mm_load_si128((const __m128i *)(const void *)cr__close_gap[place]);
    const __m128i digits = _mm_shuffle_epi8(number, gap);
    __m128i sums;
    uint64_t halves;

    /* Adding 0x76 brings every byte above 9 to 0x80 and beyond. */
    if (_mm_movemask_epi8(_mm_adds_epu8(digits, _mm_set1_epi8(0x76))) != 0 ||
        rest - (place < 16) - 1 >= 15)
        return 0;
    sums = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x010a)); /* 10 a + b */
    sums = _mm_madd_epi16(sums, _mm_set1_epi32(0x00010064));  /* 100 a + b */
    sums = _mm_packus_epi32(sums, sums);
    sums = _mm_madd_epi16(sums, _mm_set1_epi32(0x00012710)); /* 10000 a + b */
    halves = (uint64_t)_mm_cvtsi128_si64(sums);
    *value = (double)(int64_t)((halves & 0xffffffff) * 100000000 + (halves >> 32)) /
             cr__divisor[minus][place];
    return 1;
}

#else
#define CR__FAST_NUMBERS 0
#endif

#endif
