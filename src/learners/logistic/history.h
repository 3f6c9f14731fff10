/* learners/logistic/history.h - the last steps of a search, and the next direction computed from
 * them.
 *
 * Limited-memory BFGS (Nocedal 1980) takes its direction from the last steps s_i and from how the
 * gradient changed over each, y_i: a sum of these vectors and of the gradient g, whose factors
 * depend on their products alone (Chen, Wang & Zhou 2014). So a step reads all vectors twice: once
 * for the products with the newest, once for the sum. Vectors are divided into slabs that do not
 * depend on the number of threads, and the slabs' products are added in their order.
 *
 * Everything is in φ = θ / scale. s and y are kept as floats: they describe the curvature of the
 * objective, not the place of its minimum.
 */
#ifndef CR_LEARNERS_LOGISTIC_HISTORY_H
#define CR_LEARNERS_LOGISTIC_HISTORY_H

#include "base/pool.h"
#include "credence/status.h"

#include <stddef.h>

enum { CR__LR_MEMORY = 6 };

typedef struct cr__lr_history {
    size_t all, slabs;
    const double *scale;                                /* [all] borrowed */
    cr_pool *pool;                                      /* borrowed; may be NULL */
    float *step[CR__LR_MEMORY], *change[CR__LR_MEMORY]; /* s and y */
    size_t known, next;                                 /* pairs, and where the next one goes */
    double *direction;                                  /* [all] in φ */
    /* Products over all slabs: s_i g, y_i g, s_i y_j, y_i y_j; and g g. */
    double sg[CR__LR_MEMORY], yg[CR__LR_MEMORY], gg;
    double sy[CR__LR_MEMORY][CR__LR_MEMORY], yy[CR__LR_MEMORY][CR__LR_MEMORY];
    double *partial; /* [slabs] rows of them */
} cr__lr_history;

/* Close it even after CR_ENOMEM. */
cr_status cr__lr_history_open(cr__lr_history *out, size_t all, const double *scale, cr_pool *pool,
                              cr_error *err);
void cr__lr_history_close(cr__lr_history *h);

/* The pair of a step along the direction, over which the gradient (that of θ) went from `before` to
 * `gradient`, [all] each, takes the place of the oldest but is not counted yet. Returns the slope
 * at its end along the direction. */
double cr__lr_history_note(cr__lr_history *h, double length, const double *before,
                           const double *gradient);

/* Count the pair; returns 0, and does not count it, if the objective has no positive curvature
 * along it. */
int cr__lr_history_keep(cr__lr_history *h);

/* The descent direction at the last gradient; returns the slope along it. */
double cr__lr_history_direct(cr__lr_history *h, const double *gradient);

/* to = from + length * direction, in θ. */
void cr__lr_history_move(cr__lr_history *h, const double *from, double length, double *to);

#endif
