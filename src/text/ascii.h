/* text/ascii.h - find and lower-case the words of ASCII text, 64 bytes at a time.
 *
 * Three versions (AVX2, SSE2, plain C) give the same answers; the processor determines which is
 * used.
 */
#ifndef CR_TEXT_ASCII_H
#define CR_TEXT_ASCII_H

#include <stddef.h>
#include <stdint.h>

typedef enum cr__ascii_level { CR__ASCII_PLAIN, CR__ASCII_SSE2, CR__ASCII_AVX2 } cr__ascii_level;

extern int cr__ascii_level_limit; /* tests lower it to compare the versions */

/* What is part of a word besides letters, digits and bytes above 0x7f. */
typedef struct cr__ascii_rule {
    char extra;  /* also a word character; 'a' when there is none */
    char joiner; /* a word character between two letters; 'a' when there is none */
    int lower;   /* write A-Z as a-z */
} cr__ascii_rule;

/* Bit i describes byte i of a block of 64; bytes after the end have no bit. */
typedef struct cr__ascii_masks {
    uint64_t word;   /* a word character, or a byte above 0x7f */
    uint64_t letter; /* A-Z, a-z, or a byte above 0x7f */
    uint64_t joiner; /* the joiner, whatever its neighbours are */
} cr__ascii_masks;

/* Write the masks of every block of bytes[0, size), and the bytes themselves into text: word
 * characters (lower-cased as the rule says), bytes above 0x7f and joiners as they are, all else as
 * spaces. The last block is filled up with spaces: text needs room for a multiple of 64 bytes. */
void cr__ascii_scan(const cr__ascii_rule *rule, const char *bytes, size_t size, char *text,
                    cr__ascii_masks *masks);

#endif
