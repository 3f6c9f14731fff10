/* credence/mistake.h - p(mistake): how often a decision by one number alone will be wrong.
 *
 * A rule cuts the line into regions R1, R2, …, in each of which one class is decided. With two
 * classes
 *
 *     p(mistake) = ∫_R1 p(x, C2) dx + ∫_R2 p(x, C1) dx
 *
 * and likewise with more. The joint densities p(x, Ck) = P(Ck) p(x | Ck) are the model's own, all
 * other features unknown, so this is what the model expects of itself and no measurement.
 */
#ifndef CREDENCE_MISTAKE_H
#define CREDENCE_MISTAKE_H

#include "credence/decision.h"
#include "credence/json.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Part of the line, infinite at its ends, in which one decision is the best. */
typedef struct cr_region {
    double low, high;
    int32_t decision; /* a class, or CR_UNDECIDED: it costs less to decide nothing */
} cr_region;

/* Members are to be read only. */
typedef struct cr_mistake {
    size_t classes, column;
    double mistake, correct, rejected; /* they add up to 1 */
    double cost;                       /* expected, of one decision: p(mistake) without a rule */
    const cr_region *region;           /* [regions] from left to right */
    size_t regions;
    const double *mass;  /* [classes * (classes + 1)] ∫ p(x, Ct) dx over the regions of decision d
                          * at t * (classes + 1) + d; the last of each row: nothing is decided */
    const double *prior; /* [classes] P(Ck), the rule's where it has some */
    const double *centre; /* [classes] of p(x | Ck), and its scale */
    const double *scale;
    const double *freedom; /* [classes] of a Student-t; 0: a Gaussian */
} cr_mistake;

/* Of a real feature whose densities are Gaussians, or Student-t's. Boundaries are exact to rounding
 * where two Gaussians meet, and so are the integrals; with costs of more than two classes, or
 * Student-t's, a region narrower than 1/16 of every scale may be missed. A calibration of the model
 * is not looked at. rule may be NULL: every mistake costs 1. To be freed. CR_EARG: there is no such
 * feature, the rule is for other classes, or the densities are of another kind. */
cr_status cr_model_mistake(cr_mistake **out, const cr_model *model, size_t column,
                           const cr_rule *rule, cr_error *err);
void cr_mistake_free(cr_mistake *mistake); /* NULL is allowed */

/* p(x, Ck); NaN: there is no such class. */
double cr_mistake_density(const cr_mistake *mistake, size_t class_index, double x);

/* The regions, p(mistake) and its parts as members of the object that is open in j. */
void cr_mistake_json(cr_json *j, const cr_mistake *mistake, const cr_model *model);

#ifdef __cplusplus
}
#endif
#endif
