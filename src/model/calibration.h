/* model/calibration.h - a model's calibration: the transformation of its posteriors.
 *
 * With p the model's posterior of a class:
 *
 *   temperature   p_c^(1/T), normalised                    (C. Guo et al., 2017); one number T
 *   confidence    the same with the T at which the mean confidence is the accuracy
 *   platt         σ(a logit p + b)                         (J. Platt, 1999); a, b for each class
 *   beta          σ(a ln p - b ln(1 - p) + c)              (M. Kull et al., 2017); a, b, c
 *   isotonic      a rising function of logit p: straight lines between points (x, y)
 *
 * Platt, beta and isotonic are for one class against the rest, and are normalised over the classes;
 * for two classes there is one function, of the second (B. Zadrozny & C. Elkan, 2002). A class that
 * is impossible for the model stays impossible.
 */
#ifndef CR_MODEL_CALIBRATION_H
#define CR_MODEL_CALIBRATION_H

#include <stdatomic.h>

#include "credence/explain.h"
#include "data/container.h"

enum {
    CR__TEMPERATURES = 64, /* at which losses are summed */
    CR__ODDS_HALF = 116,   /* bins of log-odds on either side of 0 */
    CR__ODDS_BINS = 2 * CR__ODDS_HALF + 1
};

typedef enum cr__calibration_kind {
    CR__CALIBRATION_TEMPERATURE = 1,
    CR__CALIBRATION_PLATT,
    CR__CALIBRATION_BETA,
    CR__CALIBRATION_ISOTONIC,
    CR__CALIBRATION_CONFIDENCE
} cr__calibration_kind;

typedef struct cr__calibration {
    cr__calibration_kind kind;
    size_t classes;
    size_t functions; /* 1 for a temperature or two classes, else one for each class */
    uint64_t *start;  /* [functions + 1] where each function's numbers begin */
    double *number;   /* [start[functions]]; isotonic: all x, then all y */
    int64_t *tally;   /* [tallies] sums over the answers it was fitted on, when it is updated as
                       * rows are learned and unlearned (train/calibration_tally.c); or NULL */
    size_t tallies;
    atomic_size_t others; /* owners besides the first one */
} cr__calibration;

/* Room for the numbers of each function: count[f] of them. NULL when out of memory. */
cr__calibration *cr__calibration_new(cr__calibration_kind kind, size_t classes,
                                     const size_t *count);

/* Drop one reference; the last one frees it. NULL is allowed. */
void cr__calibration_free(cr__calibration *calibration);

/* Add an owner. Returns the calibration, NULL for NULL. Any thread. */
cr__calibration *cr__calibration_share(cr__calibration *calibration);

/* How many tallies a kind has for this many classes; 0: it is not updated. */
size_t cr__calibration_tallies(cr__calibration_kind kind, size_t classes);

/* One temperature for all classes, however it was found. */
int cr__calibration_is_temperature(cr__calibration_kind kind);

/* How many functions a kind has for this many classes. */
size_t cr__calibration_functions(cr__calibration_kind kind, size_t classes);

/* The section of a model file, and back: *out is NULL where there is none. */
void cr__calibration_save(const cr__calibration *calibration, cr__draft *draft);
cr_status cr__calibration_open(cr__calibration **out, const cr__container *container,
                               size_t classes, cr_error *err);

const char *cr__calibration_name(cr__calibration_kind kind);

/* Convert scores log P(class, row) so that their posterior is the calibrated one; their sum is
 * unchanged. NULL changes nothing; scores without a posterior are left as they are. */
void cr__calibrate(const cr__calibration *calibration, double *score);

/* The effect of a calibration on each class, for explanations. 0 where it changes nothing: a row
 * without a posterior, or with one possible class. */
int cr__calibrate_shares(const cr__calibration *calibration, const double *score,
                         cr_calibration_share *out);

/* ln p and ln(1 - p) of one class of a row, within ±700. 0 where there is no posterior or the class
 * is impossible. */
int cr__log_odds_parts(const double *score, size_t classes, size_t class_index, double *log_p,
                       double *log_rest);

#endif
