/* stats/bag_changes.h - texts that came or went since a bag was made, noted word by word.
 *
 * A text costs as much as its words: each is found in the bag, or remembered as a new one, and what
 * it adds to the counts is noted apart. The bag itself does not change; cr__bag_changes_apply()
 * makes the one that all of it adds up to.
 */
#ifndef CR_STATS_BAG_CHANGES_H
#define CR_STATS_BAG_CHANGES_H

#include "stats/bag.h"

typedef struct cr__bag_changes cr__bag_changes;

/* Nothing has changed yet. The bag, which has counts alone, no weights, must outlive it. NULL when
 * out of memory. */
cr__bag_changes *cr__bag_changes_new(const cr__bag *bag);
void cr__bag_changes_free(cr__bag_changes *changes); /* NULL is allowed */

/* The numbers of n tokens, also of those that the bag does not have. CR_ENOMEM; CR_ELIMIT when they
 * are too many, or too long. */
cr_status cr__bag_changes_find(cr__bag_changes *changes, const char *text, const cr__token *token,
                               size_t n, uint32_t *number);

/* The numbers of those tokens that are known, in their order; returns how many. Nothing is
 * remembered: what is not known has no number. */
size_t cr__bag_changes_look(const cr__bag_changes *changes, const char *text,
                            const cr__token *token, size_t n, uint32_t *number);

/* Make ready for a text of these words (ascending, repeats together) that comes (sign 1) or goes
 * (-1). CR_END: it cannot have been there, or a count would be too large. CR_ENOMEM. */
cr_status cr__bag_changes_ready(cr__bag_changes *changes, const uint32_t *number, size_t n,
                                size_t class_index, int sign);

/* Note it. */
void cr__bag_changes_take(cr__bag_changes *changes, const uint32_t *number, size_t n,
                          size_t class_index, int sign);

/* A word: its hash, and its bytes. */
const char *cr__bag_changes_word(const cr__bag_changes *changes, uint32_t number, uint64_t *hash,
                                 size_t *length);

/* What is counted of a word. */
typedef enum cr__bag_count {
    CR__BAG_TERMS,    /* how often it occurs, */
    CR__BAG_DOCUMENTS /* or in how many documents */
} cr__bag_count;

/* The counts of a word in each class now, added to count; returns how many in all. */
int64_t cr__bag_changes_count(const cr__bag_changes *changes, cr__bag_count what, uint32_t number,
                              int64_t *count);

/* How many different words there are now, and the sums of their counts in each class, [classes].
 * The first time all of the bag is counted. NULL when out of memory. */
const int64_t *cr__bag_changes_totals(cr__bag_changes *changes, cr__bag_count what,
                                      uint64_t *words);

/* How many words and classes occur together in so many documents, [*room]; from 1 on. The first
 * time all of the bag is counted. NULL when out of memory. */
const uint64_t *cr__bag_changes_spectrum(cr__bag_changes *changes, size_t *room);

/* The bag that cr__bag_sum() would make of the bag and the texts. CR_ENOMEM, CR_ELIMIT. */
cr_status cr__bag_changes_apply(const cr__bag_changes *changes, cr__bag *out);

#endif
