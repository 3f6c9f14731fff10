/* credence/observations.h - observations as people write them, for cr_estimate_make().
 *
 * Counts of named outcomes (heads=51, 51/100, HHTHT), numbers, or counts of events (12, or 12/24
 * for 12 in an exposure of 24), in one sample or in two that are compared. One thread at a time
 * uses an object.
 */
#ifndef CREDENCE_OBSERVATIONS_H
#define CREDENCE_OBSERVATIONS_H

#include "credence/estimate.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_observations cr_observations;

/* No observations yet, of outcomes (CR_PRIOR_SHARES), numbers (CR_PRIOR_NORMAL) or counts of events
 * (CR_PRIOR_RATE). Free *out with cr_observations_free(). */
cr_status cr_observations_new(cr_observations **out, cr_prior_of of, cr_error *err);
void cr_observations_free(cr_observations *o); /* NULL is allowed */

/* Add an item. Of outcomes it is NAME=COUNT, K/N for K times "yes" in N trials, or a sequence of
 * capital letters such as HHTHT, each an outcome (a coin has H and T even if only one came up).
 * Otherwise it is a number, or K or K/T as above. "A:" before an item, or alone, names the sample
 * of this item and of those that follow. CR_EFORMAT: it is none of these. CR_EARG: a count or a
 * sample is not possible. */
cr_status cr_observations_item(cr_observations *o, const char *item, cr_error *err);

/* Add one observation: the name of an outcome, a number, or K or K/T. CR_EFORMAT. */
cr_status cr_observations_add(cr_observations *o, const char *word, cr_error *err);

/* Add a line of text: one outcome, or any number of numbers or counts between blanks, commas and
 * semicolons. An empty line adds nothing. CR_EFORMAT. */
cr_status cr_observations_line(cr_observations *o, const char *line, cr_error *err);

/* The exposures of all counts of events so far, "24" for each or "24,12,24" one by one; NULL is
 * "1". Counts written as K/T keep their own. A single exposure also holds for later counts.
 * CR_EARG: the list has another length, or an exposure is not above 0. */
cr_status cr_observations_expose(cr_observations *o, const char *list, cr_error *err);

/* From now on keep only sums, so that an estimate may follow every observation. Outcomes not seen
 * yet, of which there are as many as the prior needs and two at least, are called "(other)". */
void cr_observations_follow(cr_observations *o);

size_t cr_observations_count(const cr_observations *o);    /* numbers or counts; sums count as 1 */
size_t cr_observations_samples(const cr_observations *o);  /* 0, 1 or 2 */
size_t cr_observations_outcomes(const cr_observations *o); /* different outcomes */

/* Estimate from all of it with a prior; level is that of the intervals (0: 0.95). The estimate
 * borrows the names and the prior, and is valid until more is added. CR_EARG: there is only one
 * outcome, or the prior has another number of them. Otherwise as cr_estimate_make(). */
cr_status cr_observations_estimate(cr_estimate *out, cr_observations *o, const cr_prior *prior,
                                   double level, cr_error *err);

#ifdef __cplusplus
}
#endif
#endif
