/* network/infer/normals.h - the numbers of a network: exact inference over its Gaussian nodes.
 *
 * Once the discrete parents of Gaussian nodes have states, all Gaussian nodes together are normal
 * (R. Shachter and C. Kenley, "Gaussian influence diagrams", 1989): along the arcs
 *
 *     E x = intercept + Σ slope E parent,   cov(x, y) = Σ slope cov(parent, y)  for y before x,
 *     var x = deviation² + Σ slope cov(parent, x)
 *
 * The covariance after numbers have been observed is a Schur complement, and their fit is their
 * density. The discrete parents, the mixers, are summed over combination by combination, so the
 * answers of a network are mixtures of normals with as many parts.
 */
#ifndef CR_NETWORK_INFER_NORMALS_H
#define CR_NETWORK_INFER_NORMALS_H

#include "base/random.h"
#include "network/graph/network.h"

typedef struct cr__normals {
    const cr__network *net;
    uint32_t count;  /* Gaussian nodes */
    uint32_t *node;  /* [count] parents first */
    uint32_t *place; /* [nodes] where a node is among them, or CR__NO_NODE */
    uint32_t mixers;
    uint32_t *mixer; /* [mixers] discrete parents of Gaussian nodes, ascending */
} cr__normals;

/* *out is NULL when the network has no Gaussian node. */
cr_status cr__normals_new(cr__normals **out, const cr__network *net, cr_error *err);
void cr__normals_free(cr__normals *normals); /* NULL is allowed */

/* The log density of all numbers, x [count], given the states of the mixers. */
double cr__normals_log_density(const cr__normals *normals, const uint32_t *state, const double *x);

/* Draw all numbers given the states of the mixers. */
void cr__normals_draw(const cr__normals *normals, cr__random *random, const uint32_t *state,
                      double *x);

/* One combination of the mixers' states, and which numbers are observed. */
typedef struct cr__condition {
    const cr__normals *normals;
    unsigned char *known; /* [count] */
    uint32_t *list;       /* [count] places that are known */
    uint32_t knowns;
    double *mean;     /* [count] before anything is observed */
    double *cov;      /* [count * count] */
    double *factor;   /* [knowns * knowns] Cholesky factor of their covariance, lower */
    double *residual; /* [count] observed minus mean, solved by the factor */
    double *row;      /* [count] scratch */
    double log_det;   /* of the factor, twice */
} cr__condition;

cr_status cr__condition_new(cr__condition **out, const cr__normals *normals, cr_error *err);
void cr__condition_free(cr__condition *condition); /* NULL is allowed */

/* Set the states of the mixers and which numbers are known. CR_ECONFLICT: known numbers determine
 * one another, or are too large or too small to calculate with. */
cr_status cr__condition_set(cr__condition *condition, const uint32_t *state,
                            const unsigned char *known, cr_error *err);

/* Set the known numbers, x [count]. Returns their log density. */
double cr__condition_observe(cr__condition *condition, const double *x);

/* A number given the known ones; a known one has variance 0. */
void cr__condition_tell(cr__condition *condition, uint32_t place, const double *x, double *mean,
                        double *variance);

/* --- mixtures --------------------------------------------------------------------------------- */

typedef struct cr__normal_part {
    double weight, mean, deviation;
} cr__normal_part;

/* Mean and standard deviation of a mixture whose weights sum to 1. */
void cr__mixture_moments(const cr__normal_part *part, size_t parts, double *mean,
                         double *deviation);
/* The number below which it lies with probability p. */
double cr__mixture_quantile(const cr__normal_part *part, size_t parts, double p);

#endif
