/* text/unicode.h - properties of code points for the tokenizer, by utf8proc. */
#ifndef CR_TEXT_UNICODE_H
#define CR_TEXT_UNICODE_H

#include <stddef.h>
#include <stdint.h>

typedef enum cr__point_class {
    CR__POINT_OTHER,
    CR__POINT_LETTER,
    CR__POINT_MARK,
    CR__POINT_NUMBER,
    CR__POINT_UNSEGMENTED, /* a letter of a script that puts no spaces between words */
    CR__POINT_SYMBOL       /* currency, arrows, dingbats, emoji ... */
} cr__point_class;

cr__point_class cr__point_classify(uint32_t point);

int cr__point_is_word(uint32_t point);  /* Python's \w: a letter, a number or '_' */
int cr__point_is_mark(uint32_t point);  /* punctuation or a symbol: categories P and S */
int cr__point_is_upper(uint32_t point); /* category Lu */
int cr__point_is_space(uint32_t point); /* Python's str.isspace() */

/* The lower case of the code point at p inside text[0, size), as Python's str.lower() has it: one
 * or two code points in out, and how many. Only a capital sigma depends on its neighbours. */
int cr__point_lower(const char *text, size_t size, const char *p, uint32_t point, uint32_t out[2]);

/* How cr__points_fold treats text. */
enum {
    CR__FOLD_CASE = 1,  /* fold case (Unicode's full case folding) */
    CR__FOLD_COMPAT = 2 /* NFKC: styled, circled and full-width letters are letters */
};

/* At most this many bytes are folded at once; what they can become fits into CR__FOLD_POINTS. */
#define CR__FOLD_BYTES 1024
#define CR__FOLD_POINTS 8192

/* Normalise (NFC, or NFKC) and fold the beginning of valid UTF-8 text, without invisible characters
 * (soft hyphens, joiners). Writes the code points and their number, and returns where it stopped:
 * at the end, or after about CR__FOLD_BYTES bytes between two characters. */
const char *cr__points_fold(const char *p, const char *end, unsigned how,
                            int32_t points[CR__FOLD_POINTS], size_t *count);

#endif
