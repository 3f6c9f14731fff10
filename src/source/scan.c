/* source/scan.c - scan many bytes at once. */
#include "source/scan.h"

#include <string.h>

#include "base/cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define HAVE_SSE2 1
#else
#define HAVE_SSE2 0
#endif

int cr__scan_level_limit = CR__SCAN_AVX2;

cr__scan_level cr__scan_best(void)
{
    int best = CR__SCAN_PLAIN;

#if HAVE_SSE2
    best = cr__cpu_has_avx2() && cr__cpu_has_bmi2() ? CR__SCAN_AVX2 : CR__SCAN_SSE2;
#endif
    return (cr__scan_level)(best < cr__scan_level_limit ? best : cr__scan_level_limit);
}

/* --- the masks of 64 bytes ----------------------------------------------------------------- */

static inline cr__masks masks_plain(const char *bytes, char delimiter, char quote)
{
    cr__masks masks = {0, 0, 0};

    for (int i = 0; i < 64; i++) {
        masks.delimiter |= (uint64_t)(bytes[i] == delimiter) << i;
        masks.newline |= (uint64_t)(bytes[i] == '\n') << i;
        masks.quote |= (uint64_t)(bytes[i] == quote) << i;
    }
    return masks;
}

#if HAVE_SSE2
static inline uint64_t equal_sse2(const char *bytes, char wanted)
{
    const __m128i all = _mm_set1_epi8(wanted);
    uint64_t mask = 0;

    for (int i = 0; i < 4; i++) {
        const __m128i part = _mm_loadu_si128((const __m128i *)(const void *)(bytes + 16 * i));
        mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(part, all)) << (16 * i);
    }
    return mask;
}

static inline cr__masks masks_sse2(const char *bytes, char delimiter, char quote)
{
    return (cr__masks){equal_sse2(bytes, delimiter), equal_sse2(bytes, '\n'),
                       equal_sse2(bytes, quote)};
}

__attribute__((target("avx2,bmi,bmi2,popcnt"), always_inline)) static inline uint64_t
equal_avx2(__m256i low, __m256i high, char wanted)
{
    const __m256i all = _mm256_set1_epi8(wanted);

    return (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, all)) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, all)) << 32;
}

__attribute__((target("avx2,bmi,bmi2,popcnt"))) static inline cr__masks
masks_avx2(const char *bytes, char delimiter, char quote)
{
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)bytes);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + 32));

    return (cr__masks){equal_avx2(low, high, delimiter), equal_avx2(low, high, '\n'),
                       equal_avx2(low, high, quote)};
}
#endif

cr__masks cr__scan_masks(const char *bytes, char delimiter, char quote)
{
#if HAVE_SSE2
    switch (cr__scan_best()) {
    case CR__SCAN_AVX2: return masks_avx2(bytes, delimiter, quote);
    case CR__SCAN_SSE2: return masks_sse2(bytes, delimiter, quote);
    default: break;
    }
#endif
    return masks_plain(bytes, delimiter, quote);
}

/* --- census -------------------------------------------------------------------------------- */

static cr__census census_plain(const char *bytes, size_t size, char quote)
{
    cr__census census = {0, 0, 0};

    for (size_t i = 0; i < size; i++) {
        census.newlines += bytes[i] == '\n';
        census.quote |= bytes[i] == quote;
        census.nul |= bytes[i] == 0;
    }
    return census;
}

#if HAVE_SSE2
static void census_add(cr__census *census, const cr__census *rest)
{
    census->newlines += rest->newlines;
    census->quote |= rest->quote;
    census->nul |= rest->nul;
}

/* Newlines are counted in bytes (each lane at most 255 before it is summed up); quotes and NULs are
 * only detected. */
static cr__census census_sse2(const char *bytes, size_t size, char quote)
{
    const __m128i newline = _mm_set1_epi8('\n'), quotes = _mm_set1_epi8(quote);
    const __m128i zero = _mm_setzero_si128();
    __m128i seen = zero, nul = zero;
    cr__census census, rest;
    size_t newlines = 0, i = 0;

    while (size - i >= 16) {
        const size_t steps = (size - i) / 16 < 255 ? (size - i) / 16 : 255;
        __m128i count = zero;

        for (size_t k = 0; k < steps; k++, i += 16) {
            const __m128i part = _mm_loadu_si128((const __m128i *)(const void *)(bytes + i));
            count = _mm_sub_epi8(count, _mm_cmpeq_epi8(part, newline));
            seen = _mm_or_si128(seen, _mm_cmpeq_epi8(part, quotes));
            nul = _mm_or_si128(nul, _mm_cmpeq_epi8(part, zero));
        }
        count = _mm_sad_epu8(count, zero);
        newlines += (size_t)(_mm_cvtsi128_si64(count) +
                             _mm_cvtsi128_si64(_mm_unpackhi_epi64(count, count)));
    }
    census = (cr__census){newlines, _mm_movemask_epi8(seen) != 0, _mm_movemask_epi8(nul) != 0};
    rest = census_plain(bytes + i, size - i, quote);
    census_add(&census, &rest);
    return census;
}

__attribute__((target("avx2"))) static cr__census census_avx2(const char *bytes, size_t size,
                                                              char quote)
{
    const __m256i newline = _mm256_set1_epi8('\n'), quotes = _mm256_set1_epi8(quote);
    const __m256i zero = _mm256_setzero_si256();
    __m256i seen = zero, nul = zero, total = zero;
    cr__census census, rest;
    size_t i = 0;

    while (size - i >= 32) {
        const size_t steps = (size - i) / 32 < 255 ? (size - i) / 32 : 255;
        __m256i count = zero;

        for (size_t k = 0; k < steps; k++, i += 32) {
            const __m256i part = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + i));
            count = _mm256_sub_epi8(count, _mm256_cmpeq_epi8(part, newline));
            seen = _mm256_or_si256(seen, _mm256_cmpeq_epi8(part, quotes));
            nul = _mm256_or_si256(nul, _mm256_cmpeq_epi8(part, zero));
        }
        total = _mm256_add_epi64(total, _mm256_sad_epu8(count, zero));
    }
    census = (cr__census){(size_t)(_mm256_extract_epi64(total, 0) + _mm256_extract_epi64(total, 1) +
                                   _mm256_extract_epi64(total, 2) + _mm256_extract_epi64(total, 3)),
                          _mm256_movemask_epi8(seen) != 0, _mm256_movemask_epi8(nul) != 0};
    rest = census_plain(bytes + i, size - i, quote);
    census_add(&census, &rest);
    return census;
}
#endif

cr__census cr__scan_census(const char *bytes, size_t size, char quote)
{
#if HAVE_SSE2
    switch (cr__scan_best()) {
    case CR__SCAN_AVX2: return census_avx2(bytes, size, quote);
    case CR__SCAN_SSE2: return census_sse2(bytes, size, quote);
    default: break;
    }
#endif
    return census_plain(bytes, size, quote);
}

/* --- marks --------------------------------------------------------------------------------- */

static size_t marks_plain(const char *bytes, size_t from, size_t to, char delimiter, uint32_t *mark,
                          size_t *newlines)
{
    size_t count = 0;

    *newlines = 0;
    for (size_t i = from; i < to; i++) {
        mark[count] = (uint32_t)i;
        count += bytes[i] == delimiter || bytes[i] == '\n';
        *newlines += bytes[i] == '\n';
    }
    return count;
}

#if HAVE_SSE2
static inline uint64_t first_bits(size_t count)
{
    return count >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
}

static size_t marks_sse2(const char *bytes, size_t from, size_t to, char delimiter, uint32_t *mark,
                         size_t *newlines)
{
    size_t count = 0;

    *newlines = 0;
    for (size_t i = from; i < to; i += 64) {
        const uint64_t keep = first_bits(to - i);
        const uint64_t newline = equal_sse2(bytes + i, '\n') & keep;
        const uint64_t other = equal_sse2(bytes + i, delimiter) & keep;

        *newlines += (size_t)__builtin_popcountll(newline);
        count += cr__scan_spread(newline | other, i, mark + count);
    }
    return count;
}

__attribute__((target("avx2,bmi,bmi2,popcnt"))) static size_t
marks_avx2(const char *bytes, size_t from, size_t to, char delimiter, uint32_t *mark,
           size_t *newlines)
{
    size_t count = 0, lines = 0;

    for (size_t i = from; i < to; i += 64) {
        const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + i));
        const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + i + 32));
        const uint64_t keep = first_bits(to - i);
        const uint64_t newline = equal_avx2(low, high, '\n') & keep;
        uint64_t bits = newline | (equal_avx2(low, high, delimiter) & keep);
        const size_t found = (size_t)__builtin_popcountll(bits);

        lines += (size_t)__builtin_popcountll(newline);
        for (size_t done = 0; done < found; done += 8)
            for (size_t k = 0; k < 8; k++) {
                mark[count + done + k] = (uint32_t)(i + _tzcnt_u64(bits));
                bits = _blsr_u64(bits);
            }
        count += found;
    }
    *newlines = lines;
    return count;
}
#endif

size_t cr__scan_marks(const char *bytes, size_t from, size_t to, char delimiter, uint32_t *mark,
                      size_t *newlines)
{
#if HAVE_SSE2
    switch (cr__scan_best()) {
    case CR__SCAN_AVX2: return marks_avx2(bytes, from, to, delimiter, mark, newlines);
    case CR__SCAN_SSE2: return marks_sse2(bytes, from, to, delimiter, mark, newlines);
    default: break;
    }
#endif
    return marks_plain(bytes, from, to, delimiter, mark, newlines);
}

/* --- brackets ------------------------------------------------------------------------------ */

/* [ and ] differ from { and } in one bit, which no other bytes get to be these by. */
#define BRACKET_BIT 0x20

typedef struct brackets {
    uint64_t open, close, quote, slash;
} brackets;

static inline brackets brackets_plain(const char *bytes)
{
    brackets b = {0, 0, 0, 0};

    for (int i = 0; i < 64; i++) {
        b.open |= (uint64_t)((bytes[i] | BRACKET_BIT) == '{') << i;
        b.close |= (uint64_t)((bytes[i] | BRACKET_BIT) == '}') << i;
        b.quote |= (uint64_t)(bytes[i] == '"') << i;
        b.slash |= (uint64_t)(bytes[i] == '\\') << i;
    }
    return b;
}

#if HAVE_SSE2
static inline brackets brackets_sse2(const char *bytes)
{
    const __m128i bit = _mm_set1_epi8(BRACKET_BIT);
    brackets b = {0, 0, 0, 0};

    for (int i = 0; i < 64; i += 16) {
        const __m128i part = _mm_loadu_si128((const __m128i *)(const void *)(bytes + i));
        const __m128i with = _mm_or_si128(part, bit);

#define EQUAL(x, c)                                                                                \
    ((uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8(c))) << i)
        b.open |= EQUAL(with, '{');
        b.close |= EQUAL(with, '}');
        b.quote |= EQUAL(part, '"');
        b.slash |= EQUAL(part, '\\');
#undef EQUAL
    }
    return b;
}
#endif

static inline uint64_t first_of(size_t count)
{
    return count >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
}

const char *cr__scan_close(const char *open, const char *end)
{
    uint64_t inside = 0; /* all ones while in a string */
    size_t depth = 0;

    for (const char *p = open; p < end; p += 64) {
#if HAVE_SSE2
        const brackets b = cr__scan_best() == CR__SCAN_PLAIN ? brackets_plain(p) : brackets_sse2(p);
#else
        const brackets b = brackets_plain(p);
#endif
        const uint64_t keep = first_of((size_t)(end - p));
        uint64_t strings = b.quote, opens, closes;

        for (int shift = 1; shift < 64; shift *= 2) /* bit i: the parity of those up to i */
            strings ^= strings << shift;
        strings ^= inside;
        opens = b.open & ~strings & keep;
        closes = b.close & ~strings & keep;
        if (depth <= (size_t)__builtin_popcountll(closes)) {
            for (uint64_t both = opens | closes; both != 0; both &= both - 1) {
                const uint64_t bit = both & -both;

                depth += (opens & bit) != 0 ? 1 : (size_t)-1;
                if (depth == 0) /* only what comes before matters */
                    return (b.slash & (bit - 1)) != 0 ? NULL : p + __builtin_ctzll(bit) + 1;
            }
        } else {
            depth += (size_t)__builtin_popcountll(opens);
            depth -= (size_t)__builtin_popcountll(closes);
        }
        if ((b.slash & keep) != 0)
            return NULL;
        inside = (uint64_t)0 - (strings >> 63);
    }
    return NULL;
}
