/* source/strip.c - the hot loops: one column of a strip into one column of a batch. */
#include "source/strip.h"

#include "source/scan.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define HAVE_AVX2 1
#else
#define HAVE_AVX2 0
#endif

static cr_status put_any(cr__strip *strip, size_t field, const cr__cell *cell, cr__plan *plan)
{
    for (size_t row = 0; row < strip->rows; row++) {
        size_t length;
        const char *text = cr__strip_field(strip, row, field, &length);
        cr_status st;

        cr__trim(&text, &length);
        if ((st = cr__plan_put(plan, cell, strip->first + row, text, length)) != CR_OK) {
            strip->rows = row;
            return st;
        }
    }
    return CR_OK;
}

/* The fast loops step from mark to mark. They come in two versions each: the last field of a row
 * may have the carriage return of the line end behind it. */
static inline __attribute__((always_inline)) cr_status
put_words(cr__strip *strip, size_t field, const cr__cell *cell, cr__plan *plan, int last)
{
    const uint32_t *mark = strip->mark + field;
    uint32_t *code = cell->code + strip->first;

    for (size_t row = 0; row < strip->rows; row++, mark += strip->fields) {
        const char *text = strip->bytes + (uint32_t)(mark[-1] + 1);
        size_t length = mark[0] - mark[-1] - 1;
        cr_status st;

        if (last)
            length -= length > 0 && text[length - 1] == '\r';
        if (*text == ' ' && length > 0) {
            text++;
            length--;
        }
        if (length <= 8) {
            const uint64_t key = cr__word_key(text, length);
            const cr__recent *entry = cr__recent_entry(cell, key);

            if (entry->key == key) {
                code[row] = entry->code;
                continue;
            }
        }
        cr__trim(&text, &length);
        if ((st = cr__plan_put(plan, cell, strip->first + row, text, length)) != CR_OK) {
            strip->rows = row;
            return st;
        }
    }
    return CR_OK;
}

#if HAVE_AVX2
#define FAST __attribute__((target("avx2,bmi,bmi2,popcnt")))

static const unsigned char keep_last[33] = {/* from n on: a mask for the last n of 16 bytes */
                                            0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
                                            0,   0,   0,   0,   0,   255, 255, 255, 255, 255, 255,
                                            255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

/* Row p closes the gap of a point at byte p by moving the bytes before it up by one; row 16 is for
 * numbers without a point. 0x80 makes a zero. */
#define GAP(p, j) ((p) == 16 ? (j) : (j) == 0 ? 0x80 : (j) <= (p) ? (j)-1 : (j))
#define GAP_ROW(p)                                                                                 \
    {                                                                                              \
        GAP(p, 0), GAP(p, 1), GAP(p, 2), GAP(p, 3), GAP(p, 4), GAP(p, 5), GAP(p, 6), GAP(p, 7),    \
            GAP(p, 8), GAP(p, 9), GAP(p, 10), GAP(p, 11), GAP(p, 12), GAP(p, 13), GAP(p, 14),      \
            GAP(p, 15)                                                                             \
    }
static const _Alignas(16) unsigned char close_gap[17][16] = {
    GAP_ROW(0),  GAP_ROW(1),  GAP_ROW(2),  GAP_ROW(3),  GAP_ROW(4),  GAP_ROW(5),
    GAP_ROW(6),  GAP_ROW(7),  GAP_ROW(8),  GAP_ROW(9),  GAP_ROW(10), GAP_ROW(11),
    GAP_ROW(12), GAP_ROW(13), GAP_ROW(14), GAP_ROW(15), GAP_ROW(16)};

/* What to divide the digits by: with or without a minus, when the point is at byte p of 16. */
static const double divisor[2][17] = {
    {1e15, 1e14, 1e13, 1e12, 1e11, 1e10, 1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1e0, 1e0},
    {-1e15, -1e14, -1e13, -1e12, -1e11, -1e10, -1e9, -1e8, -1e7, -1e6, -1e5, -1e4, -1e3, -1e2, -1e1,
     -1e0, -1e0}};

/* A number of at most 15 digits and no exponent, all digits at once; of 17 characters at most. As
 * in cr__scan_double, the digits and the power of ten are exact doubles, so that one division
 * rounds once (Clinger 1990). 0: it is something else. Reads the 16 bytes before its end. */
FAST static inline __attribute__((always_inline)) int short_number(const char *text, size_t length,
                                                                   double *value)
{
    const size_t minus = *text == '-';
    const size_t rest = length - minus; /* the digits, and the point if there is one */
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text + length - 16));
    const __m128i keep = _mm_loadu_si128((const __m128i *)(const void *)(keep_last + rest));
    const __m128i number = _mm_and_si128(_mm_sub_epi8(bytes, _mm_set1_epi8('0')), keep);
    const __m128i points = _mm_cmpeq_epi8(number, _mm_set1_epi8('.' - '0'));
    const uint32_t place = _tzcnt_u32((uint32_t)_mm_movemask_epi8(points) | 0x10000);
    const __m128i gap = _mm_load_si128((const __m128i *)(const void *)close_gap[place]);
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
             divisor[minus][place];
    return 1;
}

FAST static inline __attribute__((always_inline)) cr_status
put_reals(cr__strip *strip, size_t field, const cr__cell *cell, cr__plan *plan, int last)
{
    const uint32_t *mark = strip->mark + field;
    const size_t step = strip->fields, rows = strip->rows;
    const char *bytes = strip->bytes;
    double *real = cell->real + strip->first;

    for (size_t row = 0; row < rows; row++, mark += step) {
        const char *text = bytes + (uint32_t)(mark[-1] + 1);
        size_t length = mark[0] - mark[-1] - 1;
        cr_status st;

        if (last)
            length -= length > 0 && text[length - 1] == '\r';
        if (*text == ' ' && length > 0) {
            text++;
            length--;
        }
        if (length < 18 && short_number(text, length, &real[row]))
            continue;
        cr__trim(&text, &length);
        if ((st = cr__plan_put(plan, cell, strip->first + row, text, length)) != CR_OK) {
            strip->rows = row;
            return st;
        }
    }
    return CR_OK;
}

FAST static cr_status put_reals_avx2(cr__strip *strip, size_t field, const cr__cell *cell,
                                     cr__plan *plan)
{
    return field + 1 < strip->fields ? put_reals(strip, field, cell, plan, 0)
                                     : put_reals(strip, field, cell, plan, 1);
}
#endif

cr_status cr__strip_put(cr__strip *strip, size_t field, const cr__cell *cell, cr__plan *plan)
{
    if (strip->regular && cell->use == CR__CELL_SYMBOL && cell->recent != NULL)
        return field + 1 < strip->fields ? put_words(strip, field, cell, plan, 0)
                                         : put_words(strip, field, cell, plan, 1);
#if HAVE_AVX2
    if (strip->regular && cell->use == CR__CELL_REAL && !cell->careful &&
        cr__scan_best() == CR__SCAN_AVX2)
        return put_reals_avx2(strip, field, cell, plan);
#endif
    return cell->use == CR__CELL_SKIP ? CR_OK : put_any(strip, field, cell, plan);
}
