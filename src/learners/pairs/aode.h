/* learners/pairs/aode.h - averaged one-dependence estimators.
 *
 *     P(c, x) = 1/q Σ_i P(c) P(xi | c) Π_{j≠i} P(xj | xi, c)
 *
 * the mean over the q features i whose value is known and was seen in at least `limit` rows: in
 * each of these models all features depend on one of them (Webb, Boughton & Wang 2005, "Not so
 * naive Bayes: aggregating one-dependence estimators"). A feature of one value has no model: it
 * would be naive Bayes again. Where there is no such feature it is naive Bayes.
 *
 * P(xj | xi, c) = (n + a + m P(xj | c)) / (N + a V + m), with n rows of the class that have both
 * values, N that have xi and any xj; P(xj | c) = (n + a) / (N + a V). A missing feature is left
 * out, which is exact in every model except its own, and that one is not used.
 */
#ifndef CR_LEARNERS_PAIRS_AODE_H
#define CR_LEARNERS_PAIRS_AODE_H

#include "learners/pairs/pairs.h"

typedef struct cr__aode {
    cr__dependent places; /* only features, their values and cuts; no tables */
    size_t *first;        /* [features + 1] values of the features before it */
    double limit;
    const double *rows;      /* [all values] how often each was seen */
    const double *log_value; /* [all values * classes] P(x | c) */
    const double *log_p;     /* [all * all * classes] P(xj | xi, c): by xi, then xj, then c */
    const double *log_prior; /* [classes] */
    double *own;             /* the memory behind them, or NULL when it is the container's */
} cr__aode;

/* Whether others depend on feature i in one of the models. */
int cr__aode_votes(const cr__aode *aode, size_t i);

extern const cr__scores cr__aode_scores; /* aode_score.c */
cr_status cr__aode_factors(const void *fitted, void *state, const cr__stats *stats,
                           const cr__knobs *knobs, const cr__batch *batch, size_t row,
                           cr_factor *factor, size_t *count, double *work, cr_error *err);
extern const cr__detail cr__aode_detail;

/* P is the mean of all features' models, whatever the limit: network.c. */
cr_status cr__aode_measure(const void *fitted, const cr__knobs *knobs, const cr_schema *schema,
                           const cr__question *question, cr__scaled *mass, cr_error *err);

#endif
