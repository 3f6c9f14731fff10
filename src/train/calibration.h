/* train/calibration.h - fit a calibration to answers. */
#ifndef CR_TRAIN_CALIBRATION_H
#define CR_TRAIN_CALIBRATION_H

#include "model/calibration.h"

/* An answer for fitting a function of one class against the rest. */
typedef struct cr__ranked {
    double log_p, log_rest, weight;
    int hit;
} cr__ranked;

/* The numbers of a function of a kind (not a temperature); sorts the list. The caller frees them.
 */
cr_status cr__calibration_fit_list(cr__calibration_kind kind, cr__ranked *list, size_t n,
                                   double **numbers, size_t *count, cr_error *err);

/* Answers to fit to. Rows are those listed. */
typedef struct cr__answers_seen {
    size_t classes;
    const double *score;  /* [rows * classes] log P(class, row) by a model without the row */
    const int32_t *truth; /* [rows] negative: left out */
    const double *weight; /* [rows], or NULL */
    const uint32_t *row;  /* [rows] which ones */
    size_t rows;
    double prior; /* temperature: 1 / T has a Gaussian prior around 1 of this precision; 0: none.
                   * Otherwise T would vanish for a few rows that are all answered correctly */
} cr__answers_seen;

/* The calibration of a kind that makes the classes of these rows most likely. */
cr_status cr__calibration_fit(cr__calibration **out, cr__calibration_kind kind,
                              const cr__answers_seen *seen, cr_error *err);

/* Σ w -ln P(truth) of the rows with a calibration (NULL: none), clipped like log_loss; their weight
 * is added to *weight. */
double cr__calibration_loss(const cr__calibration *calibration, const cr__answers_seen *seen,
                            double *scratch, double *weight);

/* --- calibrations that are updated ------------------------------------------------------------ */

/* Tallies are integer sums over the answers to rows: adding a row and removing it with the same
 * scores restores them. A temperature tallies the log loss at some temperatures; other kinds count
 * the rows of a class, and of the others, by their log-odds in bins. */

/* Add an answer (sign 1) or remove it (-1): scores log P(class, row) before calibration. */
void cr__calibration_count(cr__calibration *c, const double *score, size_t truth, double weight,
                           int sign);

/* An updatable calibration of a kind on these answers. Kinds that cannot be updated are fitted as
 * by cr__calibration_fit(). */
cr_status cr__calibration_keep(cr__calibration **out, cr__calibration_kind kind,
                               const cr__answers_seen *seen, cr_error *err);

/* A copy with the same tallies and no numbers yet, to be changed; and the numbers from its
 * tallies. */
cr_status cr__calibration_begin(cr__calibration **out, cr__calibration_kind kind, size_t classes,
                                const int64_t *tally, cr_error *err);
cr_status cr__calibration_settle(cr__calibration *c, cr_error *err);

/* Let a temperature without rows begin near another one than 1: as if some had been answered that
 * leave ln T a standard deviation of 1/2 around it. Nothing for other kinds. */
void cr__calibration_expect(cr__calibration *c, double temperature);

/* The common part of the log-odds of all classes of a row, and ln p and ln(1 - p) of one of them
 * from it in a few operations: as cr__log_odds_parts(), which sums again each time. 0: the class is
 * impossible.
 */
typedef struct cr__odds_total {
    double all, rest; /* log sums of all scores, and of all but the largest, minus that of all */
    size_t best;
} cr__odds_total;

cr__odds_total cr__odds_total_of(const double *score, size_t classes);
int cr__odds_parts(const cr__odds_total *t, const double *score, size_t c, double *log_p,
                   double *log_rest);

#endif
