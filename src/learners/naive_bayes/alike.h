/* learners/naive_bayes/alike.h - words of a text that repeat each other.
 *
 * Naive Bayes adds up the log-odds of words as if each had been drawn for itself. But words of a
 * text that have occurred equally often with each class have often occurred in the same few texts:
 * the name of a mailing list in ten headers, the footer of its messages. Ten such words say little
 * more than one. So words of a text count as alike when they speak for the same class with the same
 * log-odds, to within 1/2, and n of them weigh n^alike instead of n: every one n^(alike - 1). With
 * alike = 1/2 that is √n, as if any two of them had much in common and no group could be sure of
 * itself; with 1 every word counts.
 */
#ifndef CR_LEARNERS_NAIVE_BAYES_ALIKE_H
#define CR_LEARNERS_NAIVE_BAYES_ALIKE_H

#include <stddef.h>

enum {
    CR__ALIKE_BINS = 64,  /* of log-odds, each 1/2 wide; larger ones are in the last */
    CR__ALIKE_CLASSES = 8 /* of more, some share their bins */
};

/* The words of one text, counted and then weighed by bin: those of the body, then of the head. */
typedef struct cr__nb_groups {
    double of[2][CR__ALIKE_CLASSES][CR__ALIKE_BINS];
} cr__nb_groups;

/* The bin of a word whose log-odds between its best and its worst class are spread. */
double *cr__nb_group(cr__nb_groups *groups, int is_head, size_t best, double spread);

/* n in every bin becomes n^(alike - 1). */
void cr__nb_groups_weigh(cr__nb_groups *groups, double alike);

#endif
