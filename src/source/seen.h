/* source/seen.h - what the values of a field look like, as far as they have been examined. */
#ifndef CR_SOURCE_SEEN_H
#define CR_SOURCE_SEEN_H

#include <stddef.h>
#include <stdint.h>

#include "credence/status.h"

enum {
    CR__SEEN_BINARY = 1, /* 0 or 1 */
    CR__SEEN_NUMBER = 2, /* other numbers */
    CR__SEEN_WORD = 4,   /* anything else, */
    CR__SEEN_COMMA = 8,  /* some are numbers with a decimal comma */
    CR__SEEN_PLAIN = 16  /* some are not */
};

typedef struct cr__seen {
    unsigned kinds;     /* CR__SEEN_... */
    uint32_t values;    /* counted, up to a limit */
    uint32_t sentences; /* those of several words */
    uint64_t blanks;    /* all blanks between words */
    uint64_t *mark;     /* for sentences: a bit for each hash; NULL until there is one */
    uint64_t *hash;     /* of the values, in open addressing, as long as all are different */
    uint32_t hash_bits; /* it has 2^hash_bits places, 0 of them none */
    int again;          /* some value occurred twice, or is a number with a fraction */
    int gaps;           /* some value is not the one before plus 1 */
    double last;        /* the value before, when it is a number */
} cr__seen;             /* {0} has seen nothing */

/* Whether it is a number; infinities and numbers too large count as numbers here: a column of
 * numbers that has one is a column with a faulty number, not a column of words. */
int cr__is_number(const char *text, size_t length);
int cr__is_binary(const char *text, size_t length);

/* Examine a value. A quoted one is a word. CR_ENOMEM. */
cr_status cr__seen_value(cr__seen *seen, const char *text, size_t length, int quoted);

/* Whether the values are sentences: three blanks in each on average, and few occur twice. */
int cr__seen_is_text(const cr__seen *seen);

/* Whether the values name the rows: words that are all different; or whole numbers that are all
 * different and count up, unless `order` may matter, or are called an id. */
int cr__seen_is_names(const cr__seen *seen, const char *column, int order);

/* Restart the count of values; the kinds seen are kept. Frees what the counts need. */
void cr__seen_restart(cr__seen *seen);

#endif
