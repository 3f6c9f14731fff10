/* learners/joint/joint.h - the full joint distribution of discrete variables, as a sparse table.
 *
 * Of N rows that have a value for every variable, n have the values of a cell. There are M cells,
 * the product of the numbers of values; most of them are never seen and not stored. With a pseudo-
 * count a for each of them, the probability of a cell is
 *
 *     P(cell) = (n + a) / (N + a M)
 *
 *   smoothing=none       a = 0           maximum likelihood
 *   smoothing=laplace    a = alpha       mean of the posterior under Dirichlet(alpha, …, alpha)
 *   smoothing=dirichlet  a = beta - 1    its mode under Dirichlet(beta, …, beta)
 *
 * Everything else is a sum of cells. The unseen cells of a sum need not be visited: they contribute
 * a times their number.
 */
#ifndef CR_LEARNERS_JOINT_JOINT_H
#define CR_LEARNERS_JOINT_JOINT_H

#include "data/bins.h"
#include "model/learner.h"
#include "base/scaled.h"

typedef struct cr__joint {
    cr__cells cells; /* the statistics' own, or */
    int opened;      /* a view of the container */
    size_t classes;  /* values of the target; 1 without a target */
    size_t features; /* variables that are not the target; the first ones */
    size_t columns;
    size_t *values;      /* [variables] */
    cr__cuts *cuts;      /* [variables] of cut columns */
    size_t *variable_of; /* [columns] or SIZE_MAX */
    cr__count total;     /* N */
    int gaps;            /* some cell lacks a value */
    double pseudo;       /* a */
    const double **seen; /* [features] complete rows by value and class: [values * classes] */
    double *own;         /* the memory behind seen, or NULL when it is the container's */
    double *class_seen;  /* [classes] complete rows */
} cr__joint;

/* a times the number of cells that the given number of values of every variable has: the product
 * over all variables for which skip[variable] is 0 (NULL: all). */
cr__scaled cr__joint_pseudo(const cr__joint *joint, const unsigned char *skip);

cr_status cr__joint_score(const void *fitted, void *state, const cr__batch *batch, double *score,
                          cr_error *err);
cr_status cr__joint_factors(const void *fitted, void *state, const cr__stats *stats,
                            const cr__knobs *knobs, const cr__batch *batch, size_t row,
                            cr_factor *factor, size_t *count, double *work, cr_error *err);
enum { CR__JOINT_FACTOR_WORK = 5 };

cr_status cr__joint_measure(const void *fitted, const cr__knobs *knobs, const cr_schema *schema,
                            const cr__question *question, cr__scaled *mass, cr_error *err);
cr_status cr__joint_evidence(const cr__stats *stats, const cr__knobs *knobs, double *log_evidence,
                             cr_error *err);

#endif
