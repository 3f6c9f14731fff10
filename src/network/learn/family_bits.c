/* network/learn/family_bits.c - population counts of bitmaps.
 *
 * With AVX2 sixteen-entry tables in a register count the bits of 64 half-bytes at a time: W. Mula,
 * N. Kurz and D. Lemire, "Faster population counts using AVX2 instructions" (2018).
 */
#include "base/cpu.h"
#include "network/learn/family.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

size_t cr__bits_common_plain(const uint64_t *a, const uint64_t *b, size_t words)
{
    size_t n = 0;

    for (size_t i = 0; i < words; i++)
        n += (size_t)__builtin_popcountll(a[i] & b[i]);
    return n;
}

#if defined(__x86_64__)

/* Bits of each byte of x, added to sum. */
__attribute__((target("avx2"), always_inline)) static inline __m256i add_bytes(__m256i sum,
                                                                               __m256i x)
{
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                           2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15);
    const __m256i here = _mm256_shuffle_epi8(table, _mm256_and_si256(x, low));
    const __m256i there =
        _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(x, 4), low));

    return _mm256_add_epi8(sum, _mm256_add_epi8(here, there));
}

__attribute__((target("avx2"), always_inline)) static inline __m256i load(const uint64_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

/* A byte holds the bits of at most 31 bytes, so the sums of bytes are added up before they
 * overflow. */
enum { RUN = 31 * 4 };

__attribute__((target("avx2"))) static size_t sum_lanes(__m256i total)
{
    return (size_t)_mm256_extract_epi64(total, 0) + (size_t)_mm256_extract_epi64(total, 1) +
           (size_t)_mm256_extract_epi64(total, 2) + (size_t)_mm256_extract_epi64(total, 3);
}

__attribute__((target("avx2"))) static size_t common_avx2(const uint64_t *a, const uint64_t *b,
                                                          size_t words)
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i total = zero;

    for (size_t i = 0; i < words;) {
        const size_t end = words - i > RUN ? i + RUN : words;
        __m256i sum = zero;

        for (; i < end; i += 4)
            sum = add_bytes(sum, _mm256_and_si256(load(a + i), load(b + i)));
        total = _mm256_add_epi64(total, _mm256_sad_epu8(sum, zero));
    }
    return sum_lanes(total);
}

__attribute__((target("avx2"))) static size_t meet_avx2(uint64_t *out, const uint64_t *a,
                                                        const uint64_t *b, size_t words)
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i total = zero;

    for (size_t i = 0; i < words;) {
        const size_t end = words - i > RUN ? i + RUN : words;
        __m256i sum = zero;

        for (; i < end; i += 4) {
            const __m256i x = _mm256_and_si256(load(a + i), load(b + i));

            _mm256_storeu_si256((__m256i *)(void *)(out + i), x);
            sum = add_bytes(sum, x);
        }
        total = _mm256_add_epi64(total, _mm256_sad_epu8(sum, zero));
    }
    return sum_lanes(total);
}

#endif

static size_t meet_plain(uint64_t *out, const uint64_t *a, const uint64_t *b, size_t words)
{
    for (size_t i = 0; i < words; i++)
        out[i] = a[i] & b[i];
    return cr__bits_common_plain(out, out, words);
}

size_t cr__bits_common(const uint64_t *a, const uint64_t *b, size_t words)
{
#if defined(__x86_64__)
    if (cr__cpu_has_avx2())
        return common_avx2(a, b, words);
#endif
    return cr__bits_common_plain(a, b, words);
}

size_t cr__bits_meet(uint64_t *out, const uint64_t *a, const uint64_t *b, size_t words)
{
#if defined(__x86_64__)
    if (cr__cpu_has_avx2())
        return meet_avx2(out, a, b, words);
#endif
    return meet_plain(out, a, b, words);
}
