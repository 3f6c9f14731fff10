/* learners/logistic/objective.h - minus the log posterior of the weights, with its derivatives.
 *
 *     f(θ) = -Σ_r weight_r log P(class_r | x_r, θ)  +  the prior's part
 *
 * Sums over rows are taken over slabs of whole blocks that do not depend on the number of threads,
 * and the slabs are added in their order: the same bits for any number of them. The members of a
 * team each sum some of the slabs; all of them have all rows.
 */
#ifndef CR_LEARNERS_LOGISTIC_OBJECTIVE_H
#define CR_LEARNERS_LOGISTIC_OBJECTIVE_H

#include "base/pool.h"
#include "learners/logistic/design.h"
#include "learners/logistic/kernel.h"

typedef struct cr__lr_objective {
    const cr__lr_design *design;
    const double *scale; /* [P] factors of the features, or NULL: 1 */
    /* The prior: Gaussian of this precision around centre. */
    const double *precision; /* [P]; 0 leaves a weight free */
    const double *matrix;    /* [P * P] instead, or NULL */
    const double *centre;    /* [P], or NULL: 0 */
    const double *weight;    /* of the rows, [blocks * 64] */
    double total;            /* their sum */
    int unit;                /* they are all 1 */
    double log_likelihood;   /* of the last evaluation */
    /* Inside. */
    const cr__lr_kernel *kernel;
    cr_pool *pool;
    const cr_team *team; /* NULL: none */
    cr_status lost;      /* why the sums of the team's members did not arrive; CR_OK: they did */
    struct cr__lr_room *room;
} cr__lr_objective;

/* The rows' weights are the design's; the prior is flat. Everything is borrowed. team may be NULL.
 */
cr_status cr__lr_objective_open(cr__lr_objective *out, const cr__lr_design *design, cr_pool *pool,
                                const cr_team *team, cr_error *err);
void cr__lr_objective_close(cr__lr_objective *o);

/* Multiply features with scale, [P] (1 for intercepts). */
cr_status cr__lr_objective_scale(cr__lr_objective *o, const double *scale, cr_error *err);

/* f(θ) and its gradient, [P] each. */
double cr__lr_evaluate(cr__lr_objective *o, const double *theta, double *gradient);

/* ln P(class | row, θ) of the listed rows, in rising order: [rows * classes]. */
void cr__lr_answer(cr__lr_objective *o, const double *theta, const uint32_t *row, size_t rows,
                   double *log_p);

/* The diagonal of the second derivatives, [P]. */
void cr__lr_curvature(cr__lr_objective *o, const double *theta, double *diagonal);

/* f around θ up to the second order. */
typedef struct cr__lr_expansion {
    double value;
    double *gradient; /* [P], or NULL: it is not wanted */
    double *hessian;  /* [P * P], symmetric */
} cr__lr_expansion;

/* Over every stride-th block of rows, which represent all: their sums are scaled up. CR_ENOMEM. */
cr_status cr__lr_expand(cr__lr_objective *o, const double *theta, size_t stride,
                        cr__lr_expansion *out, cr_error *err);

/* Whether part i of a sum belongs to another member; and the combination of all members' parts,
 * each 0 where it belongs to another. */
int cr__lr_is_others(const cr__lr_objective *o, size_t i);
void cr__lr_bring_together(cr__lr_objective *o, double *sums, size_t count);

/* The part of one block under θ, which includes scale: its dense features after a 1 for the
 * intercept, [1 + dense][64], residuals weight (P - [it is the row's class]), [sets][64], and the
 * loss as result. */
double cr__lr_block(const cr__lr_objective *o, const double *theta, size_t block, double *x,
                    double *residual, double *work);
size_t cr__lr_block_work(const cr__lr_shape *shape); /* doubles of work */

/* ½ (θ - centre)' Λ (θ - centre), whose gradient is added. */
double cr__lr_add_prior(const cr__lr_objective *o, const double *theta, double *gradient);

/* Whether every row of weight has its class as the only most probable one: then there is a
 * hyperplane between the classes, and the likelihood has no maximum. */
int cr__lr_separates(cr__lr_objective *o, const double *theta);

/* The largest number of weights for which the Hessian is computed: it has the square of that many
 * entries. */
enum { CR__LR_MOST_FULL = 512 };

#endif
