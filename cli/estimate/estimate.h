/* cli/estimate/estimate.h - the parts of credence estimate: data, estimates, and the ways to
 * show them.
 */
#ifndef CLI_ESTIMATE_ESTIMATE_H
#define CLI_ESTIMATE_ESTIMATE_H

#include <stdbool.h>

#include "credence/credence.h"
#include "options/options.h"

/* --- data.c: observations and prior -------------------------------------------------------- */

typedef struct sample {
    char *name;       /* "A"; "" for the only one */
    double *value;    /* counts by outcome, numbers, or counts of events */
    double *exposure; /* of each count of events */
    size_t count, room;
} sample;

typedef struct estimate_data {
    cr_prior_of kind;
    char **outcome; /* names of the outcomes, for shares */
    size_t outcomes;
    void *by_name; /* a tree of the outcomes */
    sample sample[2];
    size_t samples;
    double exposure;      /* for counts of events without their own */
    const cr_sample *sum; /* sums of numbers that are not stored, or NULL */
} estimate_data;

/* The prior. */
typedef struct estimate_prior {
    char shown[96]; /* "Beta(2, 2)" */
    cr_prior own;
} estimate_prior;

/* Read the operands, or standard input when there are none. Return EXIT_DONE, or an exit status
 * after a message. */
int estimate_take_operands(estimate_data *d, const request *r);
int estimate_take_input(estimate_data *d);
int estimate_take_exposure(estimate_data *d, const char *list);
int estimate_take_prior(estimate_prior *p, const estimate_data *d, const char *text);

/* Add one word of input as an outcome, a number or a count; false if it is none of these. */
bool estimate_take_word(estimate_data *d, sample *s, const char *word);

/* Fit the prior to the outcomes; EXIT_MISUSE if it has a different number of them. */
int estimate_fit_prior(estimate_prior *p, const estimate_data *d);

/* The only sample; it is created if needed. */
sample *estimate_only_sample(estimate_data *d);

/* The index of an outcome, which is added if it is new; and whether it exists. */
size_t estimate_outcome(estimate_data *d, const char *name);
bool estimate_has_outcome(const estimate_data *d, const char *name);

/* Rename the outcome at an index. */
void estimate_rename(estimate_data *d, size_t index, const char *name);

void estimate_free(estimate_data *d, estimate_prior *p);

/* --- solve.c: the estimates ---------------------------------------------------------------- */

typedef struct estimate {
    const estimate_data *data;
    const estimate_prior *prior;
    double level;
    cr_estimate known;
} estimate;

cr_status estimate_solve(estimate *e, cr_error *err);

/* --- output -------------------------------------------------------------------------------- */

void estimate_show(const estimate *e); /* show.c */
void estimate_json(const estimate *e);
void estimate_csv(const estimate *e);

/* Read standard input and show the estimates after each word: stream.c */
int estimate_stream(estimate *e, estimate_data *d, estimate_prior *p, const request *r);

/* picture.c: draw densities in the terminal on a common axis, with the central interval and the
 * mean marked; a single one is large, several are strips. The limits are those of the axis. */
void picture_large(const cr_distribution *d, double level);
void picture_strips(const char *const *name, const cr_distribution *d, size_t count, double level);

/* An interval as a bar of the given number of columns on an axis from 0 to 1. */
void picture_bar(cr_interval i, double mean, int columns);

#endif
