/* base/exact_group.c - exact sums over rows that are grouped by class, four values at a time.
 *
 * A value in the window of its lane is v = m * 2^t, 0 <= t < 28, below 2^81: three limbs of 27
 * bits, so that the products of limbs stay below 2^55 and a block of 256 values can be added up in
 * 64 bits without a carry. Values outside the window are set aside and added one by one afterwards.
 */
#include <string.h>

#include "base/cpu.h"
#include "base/exact_impl.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define HAVE_AVX2 1
#else
#define HAVE_AVX2 0
#endif

__extension__ typedef unsigned __int128 cr__u128;
__extension__ typedef __int128 cr__i128;

#define BLOCK 256 /* as many as the accumulators can hold; see above */
#define LIMB 27   /* bits */
#define FEW 12    /* fewer rows than this are added one by one */

void cr__rows_group(const uint32_t *class_code, uint32_t rows, size_t classes, uint32_t *order,
                    uint32_t *start)
{
    memset(start, 0, (classes + 1) * sizeof *start);
    for (uint32_t r = 0; r < rows; r++)
        start[class_code[r] + 1]++;
    for (size_t c = 0; c < classes; c++)
        start[c + 1] += start[c];
    for (uint32_t r = 0; r < rows; r++)
        order[start[class_code[r]]++] = r;
    memmove(start + 1, start, classes * sizeof *start); /* each start is now the next one */
    start[0] = 0;
}

static cr_status add_rows(cr__lane *lane, const double *x, const uint32_t *row, size_t rows)
{
    cr_status status = CR_OK;

    for (size_t i = 0; i < rows && status == CR_OK; i++) {
        uint64_t bits;

        memcpy(&bits, &x[row[i]], sizeof bits);
        status = cr__lane_add(lane, bits);
    }
    return status;
}

#if HAVE_AVX2

/* The totals of a block: square[k] counts 2^(27k), high 2^27 and low 1, in units of (the square of)
 * 2^(base - 1074). */
typedef struct block {
    uint64_t square[5];
    int64_t high, low;
    int64_t count;
    int others;
    uint64_t other[BLOCK]; /* the bits of the values outside the window */
} block;

__attribute__((target("avx2"))) static uint64_t total_of(__m256i x)
{
    const __m128i pair = _mm_add_epi64(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));

    return (uint64_t)_mm_cvtsi128_si64(pair) + (uint64_t)_mm_extract_epi64(pair, 1);
}

/* Add up to 256 values, a multiple of four. */
__attribute__((target("avx2"))) static void sum_block(block *b, const double *x,
                                                      const uint32_t *row, size_t rows, int base)
{
    const __m256i hidden = _mm256_set1_epi64x((int64_t)1 << 52);
    const __m256i fraction = _mm256_set1_epi64x(((int64_t)1 << 52) - 1);
    const __m256i exponents = _mm256_set1_epi64x(0x7ff);
    const __m256i limb = _mm256_set1_epi64x((1 << LIMB) - 1);
    const __m256i one = _mm256_set1_epi64x(LIMB), two = _mm256_set1_epi64x(2 * LIMB);
    const __m256i first = _mm256_set1_epi64x(base + 1);
    const __m256i last = _mm256_set1_epi64x(CR__LANE_WINDOW - 1);
    const __m256i none = _mm256_setzero_si256();
    __m256i s0 = none, s1 = none, s2 = none, s3 = none, s4 = none;
    __m256i high = none, low = none, count = none;

    b->others = 0;
    for (size_t i = 0; i < rows; i += 4) {
        const __m256d value = _mm256_set_pd(x[row[i + 3]], x[row[i + 2]], x[row[i + 1]], x[row[i]]);
        const __m256i bits = _mm256_castpd_si256(value);
        const __m256i biased = _mm256_and_si256(_mm256_srli_epi64(bits, 52), exponents);
        const __m256i t = _mm256_sub_epi64(biased, first);
        const __m256i inside = _mm256_cmpeq_epi64(_mm256_min_epu32(t, last), t);
        const __m256i zero =
            _mm256_castpd_si256(_mm256_cmp_pd(value, _mm256_setzero_pd(), _CMP_EQ_OQ));
        const __m256i missing = _mm256_castpd_si256(_mm256_cmp_pd(value, value, _CMP_UNORD_Q));
        const __m256i done = _mm256_or_si256(inside, zero);
        const int others =
            ~_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_or_si256(done, missing))) & 15;
        const __m256i m =
            _mm256_and_si256(_mm256_or_si256(_mm256_and_si256(bits, fraction), hidden), inside);
        const __m256i above = _mm256_srlv_epi64(m, _mm256_sub_epi64(one, t)); /* v >> 27 */
        const __m256i v0 = _mm256_and_si256(_mm256_sllv_epi64(m, t), limb);
        const __m256i v1 = _mm256_and_si256(above, limb);
        const __m256i v2 = _mm256_srlv_epi64(m, _mm256_sub_epi64(two, t));
        const __m256i twice0 = _mm256_add_epi64(v0, v0), twice1 = _mm256_add_epi64(v1, v1);
        const __m256i minus = _mm256_cmpgt_epi64(none, bits);

        s0 = _mm256_add_epi64(s0, _mm256_mul_epu32(v0, v0));
        s1 = _mm256_add_epi64(s1, _mm256_mul_epu32(twice0, v1));
        s2 = _mm256_add_epi64(s2, _mm256_mul_epu32(twice0, v2));
        s2 = _mm256_add_epi64(s2, _mm256_mul_epu32(v1, v1));
        s3 = _mm256_add_epi64(s3, _mm256_mul_epu32(twice1, v2));
        s4 = _mm256_add_epi64(s4, _mm256_mul_epu32(v2, v2));
        high = _mm256_add_epi64(high, _mm256_sub_epi64(_mm256_xor_si256(above, minus), minus));
        low = _mm256_add_epi64(low, _mm256_sub_epi64(_mm256_xor_si256(v0, minus), minus));
        count = _mm256_sub_epi64(count, done);
        for (int rest = others; rest != 0; rest &= rest - 1)
            memcpy(&b->other[b->others++], &x[row[i + (size_t)__builtin_ctz((unsigned)rest)]],
                   sizeof *b->other);
    }
    b->square[0] = total_of(s0);
    b->square[1] = total_of(s1);
    b->square[2] = total_of(s2);
    b->square[3] = total_of(s3);
    b->square[4] = total_of(s4);
    b->high = (int64_t)total_of(high);
    b->low = (int64_t)total_of(low);
    b->count = (int64_t)total_of(count);
}

/* Add a block's totals to the window: the sum, shifted by 1, and the squares, by 2, because the
 * unit of the window is 2^(base - 1075). */
static void add_totals(cr__lane *lane, const block *b)
{
    const cr__i128 sum = (cr__i128)b->high * (1 << LIMB) + b->low;
    const cr__u128 magnitude = (cr__u128)(sum < 0 ? -sum : sum) << 1;
    const cr__u128 below = ((cr__u128)b->square[0] << 2) + ((cr__u128)b->square[1] << (LIMB + 2)) +
                           ((cr__u128)b->square[2] << (2 * LIMB + 2));
    const cr__u128 above = ((cr__u128)b->square[3] << (3 * LIMB + 2 - 64)) +
                           ((cr__u128)b->square[4] << (4 * LIMB + 2 - 64));
    uint64_t *total = lane->sum[sum < 0], *squares = lane->squares;
    cr__u128 part;

    part = ((cr__u128)total[1] << 64 | total[0]) + magnitude;
    total[0] = (uint64_t)part;
    total[1] = (uint64_t)(part >> 64);
    part = (cr__u128)squares[0] + (uint64_t)below;
    squares[0] = (uint64_t)part;
    part = ((cr__u128)squares[2] << 64 | squares[1]) + (part >> 64) + (below >> 64) + above;
    squares[1] = (uint64_t)part;
    squares[2] = (uint64_t)(part >> 64);
    lane->count += b->count;
}

static cr_status absorb_class(cr__lane *lane, const double *x, const uint32_t *row, size_t rows)
{
    block b;
    cr_status status = CR_OK;

    while (rows >= FEW && status == CR_OK) {
        const size_t size = rows < BLOCK ? rows / 4 * 4 : BLOCK;

        sum_block(&b, x, row, size, lane->base);
        add_totals(lane, &b);
        if (lane->squares[2] >> 63 != 0)
            status = cr__lane_spill(lane);
        for (int i = 0; i < b.others && status == CR_OK; i++)
            status = cr__lane_add(lane, b.other[i]);
        row += size;
        rows -= size;
    }
    return status == CR_OK ? add_rows(lane, x, row, rows) : status;
}

#endif

cr_status cr__lanes_absorb_grouped(cr__lane *lanes, const double *x, const uint32_t *order,
                                   const uint32_t *start, size_t classes)
{
    cr_status (*absorb)(cr__lane *, const double *, const uint32_t *, size_t) = add_rows;
    cr_status status = CR_OK;

#if HAVE_AVX2
    if (cr__cpu_has_avx2())
        absorb = absorb_class;
#endif
    for (size_t c = 0; c < classes && status == CR_OK; c++)
        status = absorb(&lanes[c], x, order + start[c], start[c + 1] - start[c]);
    return status;
}
