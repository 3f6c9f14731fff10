/* cli/estimate/estimate.h - the parts of credence estimate: data in, estimates, and the ways to
 * show them.
 */
#ifndef CLI_ESTIMATE_ESTIMATE_H
#define CLI_ESTIMATE_ESTIMATE_H

#include <stdbool.h>

#include "credence/credence.h"
#include "options/options.h"

/* --- estimate_data.c: what the user counted or measured, and believes ---------------------- */

typedef struct sample {
    char *name;       /* "A"; "" for the only one */
    double *value;    /* counts by outcome, numbers, or counts of events */
    double *exposure; /* of each count of events */
    size_t count, room;
} sample;

typedef struct estimate_data {
    cr_prior_of kind;
    char **outcome; /* of shares */
    size_t outcomes;
    void *by_name; /* a tree of the outcomes */
    sample sample[2];
    size_t samples;
    double exposure;      /* of counts of events that name none */
    const cr_sample *sum; /* of numbers that are not kept, or NULL */
} estimate_data;

/* What was believed before. */
typedef struct estimate_prior {
    char shown[96]; /* "Beta(2, 2)" */
    cr_prior own;
} estimate_prior;

/* The operands, or standard input when there are none. These give EXIT_DONE, or an exit status
 * after having told the user. */
int estimate_take_operands(estimate_data *d, const request *r);
int estimate_take_input(estimate_data *d);
int estimate_take_exposure(estimate_data *d, const char *list);
int estimate_take_prior(estimate_prior *p, const estimate_data *d, const char *text);

/* One more word of input, as an outcome, a number or a count; false when it is none. */
bool estimate_take_word(estimate_data *d, sample *s, const char *word);

/* Fit the prior to the outcomes there are; EXIT_MISUSE when it has another number of them. */
int estimate_fit_prior(estimate_prior *p, const estimate_data *d);

/* The only sample, made when there is none. */
sample *estimate_only_sample(estimate_data *d);

/* Where an outcome stands in the data; added when it is new. And whether it is there. */
size_t estimate_outcome(estimate_data *d, const char *name);
bool estimate_has_outcome(const estimate_data *d, const char *name);

/* Give the outcome at a place another name. */
void estimate_rename(estimate_data *d, size_t index, const char *name);

void estimate_free(estimate_data *d, estimate_prior *p);

/* --- estimate_solve.c: what follows from them ---------------------------------------------- */

typedef struct estimate {
    const estimate_data *data;
    const estimate_prior *prior;
    double level;
    cr_estimate known;
} estimate;

cr_status estimate_solve(estimate *e, cr_error *err);

/* --- and how it looks ---------------------------------------------------------------------- */

void estimate_show(const estimate *e); /* estimate_show.c */
void estimate_json(const estimate *e);
void estimate_csv(const estimate *e);

/* Read standard input and show what is known after each word: estimate_stream.c */
int estimate_stream(estimate *e, estimate_data *d, estimate_prior *p, const request *r);

/* estimate_picture.c: densities in the terminal, over a common axis, with the central interval and
 * the mean marked; one of them large, several as strips. The limits are those of the axis. */
void picture_large(const cr_distribution *d, double level);
void picture_strips(const char *const *name, const cr_distribution *d, size_t count, double level);

/* An interval as a bar of so many columns on an axis from 0 to 1. */
void picture_bar(cr_interval i, double mean, int columns);

#endif
