/* train/calibration.h - fit a calibration on answers. */
#ifndef CR_TRAIN_CALIBRATION_H
#define CR_TRAIN_CALIBRATION_H

#include "model/calibration.h"

/* An answer to fit a function of one class against the rest on. */
typedef struct cr__ranked {
    double log_p, log_rest, weight;
    int hit;
} cr__ranked;

/* The numbers of a function of a kind (not a temperature); the list is put in order. To be freed.
 */
cr_status cr__calibration_fit_list(cr__calibration_kind kind, cr__ranked *list, size_t n,
                                   double **numbers, size_t *count, cr_error *err);

/* Answers to fit on. Rows are those listed. */
typedef struct cr__answers_seen {
    size_t classes;
    const double *score;  /* [rows * classes] log P(class, row) by a model without the row */
    const int32_t *truth; /* [rows] negative: left out */
    const double *weight; /* [rows], or NULL */
    const uint32_t *row;  /* [rows] which ones */
    size_t rows;
    double prior; /* temperature: 1 / T has a Gaussian prior around 1 of this precision; 0: none.
                     Few rows that are all answered rightly would make T vanish otherwise */
} cr__answers_seen;

/* The calibration of a kind that makes the classes of these rows most likely. */
cr_status cr__calibration_fit(cr__calibration **out, cr__calibration_kind kind,
                              const cr__answers_seen *seen, cr_error *err);

/* Σ w -ln P(truth) of the rows with a calibration (NULL: as they are), clipped as log_loss is;
 * their weight is added to *weight. */
double cr__calibration_loss(const cr__calibration *calibration, const cr__answers_seen *seen,
                            double *scratch, double *weight);

/* --- calibrations that are kept up ------------------------------------------------------------ */

/* Tallies are integers that the answers to rows add up to: adding a row and taking it away with the
 * same scores leaves them as they were. A temperature tallies the log loss at some temperatures;
 * other kinds count the rows of a class, and of the others, by their log-odds in bins. */

/* Add an answer (sign 1) or take it away (-1): scores log P(class, row) before calibration. */
void cr__calibration_count(cr__calibration *c, const double *score, size_t truth, double weight,
                           int sign);

/* A calibration of a kind, kept up, on these answers. Kinds that cannot be are fitted as
 * cr__calibration_fit() does. */
cr_status cr__calibration_keep(cr__calibration **out, cr__calibration_kind kind,
                               const cr__answers_seen *seen, cr_error *err);

/* One with the same tallies and no numbers yet, to be changed; and its numbers from the tallies. */
cr_status cr__calibration_begin(cr__calibration **out, cr__calibration_kind kind, size_t classes,
                                const int64_t *tally, cr_error *err);
cr_status cr__calibration_settle(cr__calibration *c, cr_error *err);

/* What the log-odds of all classes of a row have in common, and ln p and ln(1 - p) of one of them
 * by it, in a few operations: as cr__log_odds_parts(), which sums anew. 0: the class is impossible.
 */
typedef struct cr__odds_total {
    double all, rest; /* log sums of all scores, and of all but the largest, less all */
    size_t best;
} cr__odds_total;

cr__odds_total cr__odds_total_of(const double *score, size_t classes);
int cr__odds_parts(const cr__odds_total *t, const double *score, size_t c, double *log_p,
                   double *log_rest);

#endif
