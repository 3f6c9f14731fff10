/* cli/estimate/estimate.h - the parts of credence estimate: data in, estimates, and the ways to
 * show them.
 */
#ifndef CLI_ESTIMATE_ESTIMATE_H
#define CLI_ESTIMATE_ESTIMATE_H

#include <stdbool.h>

#include "credence/credence.h"
#include "options/options.h"

typedef enum estimate_kind { ESTIMATE_SHARES, ESTIMATE_GAUSSIAN, ESTIMATE_POISSON } estimate_kind;

/* --- estimate_data.c: what the user counted or measured, and believes ---------------------- */

typedef struct sample {
    char *name;       /* "A"; "" for the only one */
    double *value;    /* counts by outcome, numbers, or counts of events */
    double *exposure; /* of each count of events */
    size_t count, room;
} sample;

typedef struct estimate_data {
    estimate_kind kind;
    char **outcome; /* of shares */
    size_t outcomes;
    void *by_name; /* a tree of the outcomes */
    sample sample[2];
    size_t samples;
    double exposure; /* of counts of events that name none */
} estimate_data;

/* What was believed before. */
typedef struct estimate_prior {
    char shown[96]; /* "Beta(2, 2)" */
    double *value;  /* a parameter for each outcome; shape, rate */
    size_t count;   /* how many were given; 0: whatever the outcomes need, all `each` */
    double each;
    cr_normal_prior normal;
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

/* Something unknown, and what is known of it now. */
typedef struct quantity {
    char *name;      /* "P(heads)", "mean", "rate" */
    double count;    /* of a share; NaN otherwise */
    double mle, map; /* NaN where there is none */
    cr_mode mode;
    cr_distribution posterior;
    bool future; /* an observation to come, not a parameter */
} quantity;

typedef struct estimate_result {
    const sample *of;
    quantity *quantity;
    size_t count;
    cr_shares shares;
    cr_normal normal;
    cr_rate rate;
    cr_forecast forecast; /* for an exposure of 1 */
    double log_evidence;
} estimate_result;

typedef struct estimate {
    const estimate_data *data;
    const estimate_prior *prior;
    double level;
    estimate_result result[2];
    size_t results;
    cr_versus *versus; /* [compared] of the first quantities of two samples */
    size_t compared;
} estimate;

int estimate_solve(estimate *e);
void estimate_release(estimate *e);

/* Put what follows from one sample into r, whose room is used again. */
cr_status estimate_solve_sample(const estimate *e, const sample *s, estimate_result *r,
                                cr_error *err);

/* --- and how it looks ---------------------------------------------------------------------- */

void estimate_show(const estimate *e); /* estimate_show.c */
void estimate_json(const estimate *e); /* estimate_json.c */
void estimate_csv(const estimate *e);

/* Read standard input and show what is known after each word: estimate_stream.c */
int estimate_stream(estimate *e, estimate_data *d, estimate_prior *p, const request *r);

/* "[0.41, 0.6]" of JSON under a key. */
void estimate_json_interval(cr_json *j, const char *key, cr_interval i);

/* estimate_picture.c: densities in the terminal, over a common axis, with the central interval and
 * the mean marked; one of them large, several as strips. The limits are those of the axis. */
void picture_large(const cr_distribution *d, double level);
void picture_strips(const char *const *name, const cr_distribution *d, size_t count, double level);

/* An interval as a bar of so many columns on an axis from 0 to 1. */
void picture_bar(cr_interval i, double mean, int columns);

#endif
