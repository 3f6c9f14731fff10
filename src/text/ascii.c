/* text/ascii.c - find and lower-case the words of ASCII text, 64 bytes at a time. */
#include "text/ascii.h"

#include <string.h>

#include "base/cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define HAVE_SSE2 1
#else
#define HAVE_SSE2 0
#endif

int cr__ascii_level_limit = CR__ASCII_AVX2;

/* The instruction sets of this processor. */
static cr__ascii_level best_level(void)
{
    int best = CR__ASCII_PLAIN;

#if HAVE_SSE2
    best = cr__cpu_has_avx2() ? CR__ASCII_AVX2 : CR__ASCII_SSE2;
#endif
    return (cr__ascii_level)(best < cr__ascii_level_limit ? best : cr__ascii_level_limit);
}

/* --- plain C: the definition ----------------------------------------------------------------- */

static void block_plain(const cr__ascii_rule *rule, const char *bytes, char *text,
                        cr__ascii_masks *masks)
{
    *masks = (cr__ascii_masks){0, 0, 0};
    for (int i = 0; i < 64; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        const int small = (unsigned char)((c | 0x20) - 'a') < 26;
        const int letter = small || c >= 0x80;
        const int word = letter || (unsigned char)(c - '0') < 10 || bytes[i] == rule->extra;
        const int joiner = bytes[i] == rule->joiner && !letter;

        masks->word |= (uint64_t)word << i;
        masks->letter |= (uint64_t)letter << i;
        masks->joiner |= (uint64_t)joiner << i;
        text[i] = (char)(word || joiner ? (small && rule->lower ? c | 0x20 : c) : ' ');
    }
}

/* --- SSE2 and AVX2 --------------------------------------------------------------------------- */

/* Both work the same way. Bytes above 0x7f are negative, so that a signed comparison with a bound
 * from below leaves them out; letters are compared with the bit of lower case set. */
#if HAVE_SSE2
static inline __m128i between_sse2(__m128i x, char low, char high)
{
    return _mm_and_si128(_mm_cmpgt_epi8(x, _mm_set1_epi8((char)(low - 1))),
                         _mm_cmplt_epi8(x, _mm_set1_epi8((char)(high + 1))));
}

static void block_sse2(const cr__ascii_rule *rule, const char *bytes, char *text,
                       cr__ascii_masks *masks)
{
    const __m128i bit = _mm_set1_epi8(0x20), space = _mm_set1_epi8(' ');
    const __m128i lower = rule->lower ? bit : _mm_setzero_si128();

    *masks = (cr__ascii_masks){0, 0, 0};
    for (int i = 0; i < 64; i += 16) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(bytes + i));
        const __m128i small = between_sse2(_mm_or_si128(x, bit), 'a', 'z');
        const __m128i letter = _mm_or_si128(small, _mm_cmplt_epi8(x, _mm_setzero_si128()));
        const __m128i extra =
            _mm_or_si128(between_sse2(x, '0', '9'), _mm_cmpeq_epi8(x, _mm_set1_epi8(rule->extra)));
        const __m128i word = _mm_or_si128(letter, extra);
        const __m128i joiner =
            _mm_andnot_si128(letter, _mm_cmpeq_epi8(x, _mm_set1_epi8(rule->joiner)));
        const __m128i kept = _mm_or_si128(word, joiner);
        const __m128i written = _mm_or_si128(x, _mm_and_si128(small, lower));

        masks->word |= (uint64_t)(unsigned)_mm_movemask_epi8(word) << i;
        masks->letter |= (uint64_t)(unsigned)_mm_movemask_epi8(letter) << i;
        masks->joiner |= (uint64_t)(unsigned)_mm_movemask_epi8(joiner) << i;
        _mm_storeu_si128((__m128i *)(void *)(text + i),
                         _mm_or_si128(_mm_and_si128(kept, written), _mm_andnot_si128(kept, space)));
    }
}

__attribute__((target("avx2"), always_inline)) static inline __m256i
between_avx2(__m256i x, char low, char high)
{
    return _mm256_and_si256(_mm256_cmpgt_epi8(x, _mm256_set1_epi8((char)(low - 1))),
                            _mm256_cmpgt_epi8(_mm256_set1_epi8((char)(high + 1)), x));
}

__attribute__((target("avx2"), always_inline)) static inline void
block_avx2(const cr__ascii_rule *rule, const char *bytes, char *text, cr__ascii_masks *masks)
{
    const __m256i bit = _mm256_set1_epi8(0x20), space = _mm256_set1_epi8(' ');
    const __m256i lower = rule->lower ? bit : _mm256_setzero_si256();

    *masks = (cr__ascii_masks){0, 0, 0};
    for (int i = 0; i < 64; i += 32) {
        const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + i));
        const __m256i small = between_avx2(_mm256_or_si256(x, bit), 'a', 'z');
        const __m256i letter = _mm256_or_si256(small, _mm256_cmpgt_epi8(_mm256_setzero_si256(), x));
        const __m256i extra = _mm256_or_si256(between_avx2(x, '0', '9'),
                                              _mm256_cmpeq_epi8(x, _mm256_set1_epi8(rule->extra)));
        const __m256i word = _mm256_or_si256(letter, extra);
        const __m256i joiner =
            _mm256_andnot_si256(letter, _mm256_cmpeq_epi8(x, _mm256_set1_epi8(rule->joiner)));
        const __m256i written = _mm256_or_si256(x, _mm256_and_si256(small, lower));

        masks->word |= (uint64_t)(unsigned)_mm256_movemask_epi8(word) << i;
        masks->letter |= (uint64_t)(unsigned)_mm256_movemask_epi8(letter) << i;
        masks->joiner |= (uint64_t)(unsigned)_mm256_movemask_epi8(joiner) << i;
        _mm256_storeu_si256((__m256i *)(void *)(text + i),
                            _mm256_blendv_epi8(space, written, _mm256_or_si256(word, joiner)));
    }
}

__attribute__((target("avx2"))) static void scan_avx2(const cr__ascii_rule *rule, const char *bytes,
                                                      size_t blocks, char *text,
                                                      cr__ascii_masks *masks)
{
    for (size_t i = 0; i < blocks; i++)
        block_avx2(rule, bytes + 64 * i, text + 64 * i, &masks[i]);
}
#endif

/* --- any size -------------------------------------------------------------------------------- */

static void scan_blocks(const cr__ascii_rule *rule, const char *bytes, size_t blocks, char *text,
                        cr__ascii_masks *masks)
{
    const cr__ascii_level level = best_level();

#if HAVE_SSE2
    if (level == CR__ASCII_AVX2) {
        scan_avx2(rule, bytes, blocks, text, masks);
        return;
    }
    if (level == CR__ASCII_SSE2) {
        for (size_t i = 0; i < blocks; i++)
            block_sse2(rule, bytes + 64 * i, text + 64 * i, &masks[i]);
        return;
    }
#endif
    (void)level;
    for (size_t i = 0; i < blocks; i++)
        block_plain(rule, bytes + 64 * i, text + 64 * i, &masks[i]);
}

void cr__ascii_scan(const cr__ascii_rule *rule, const char *bytes, size_t size, char *text,
                    cr__ascii_masks *masks)
{
    const size_t blocks = size / 64, rest = size % 64;
    char last[64];

    scan_blocks(rule, bytes, blocks, text, masks);
    if (rest == 0)
        return;
    memset(last, 0, sizeof last);
    memcpy(last, bytes + 64 * blocks, rest);
    scan_blocks(rule, last, 1, text + 64 * blocks, masks + blocks);
}
