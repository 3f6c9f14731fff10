/* credence/mistake.h - p(mistake): how often a decision based on one number will be wrong.
 *
 * A rule cuts the line into regions R1, R2, … and decides for one class in each. With two classes
 *
 *     p(mistake) = ∫_R1 p(x, C2) dx + ∫_R2 p(x, C1) dx
 *
 * and likewise with more. The joint densities p(x, Ck) = P(Ck) p(x | Ck) are the model's own, with
 * all other features unknown. This is what the model expects of itself, not a measurement.
 */
#ifndef CREDENCE_MISTAKE_H
#define CREDENCE_MISTAKE_H

#include "credence/decision.h"
#include "credence/json.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A part of the line in which one decision is best. The first and the last are infinite. */
typedef struct cr_region {
    double low, high;
    int32_t decision; /* a class, or CR_UNDECIDED if not deciding costs less */
} cr_region;

/* Members are read-only. */
typedef struct cr_mistake {
    size_t classes, column;
    double mistake, correct, rejected; /* they add up to 1 */
    double cost;                       /* expected cost of one decision; p(mistake) without a
                                        * rule */
    const cr_region *region;           /* [regions] from left to right */
    size_t regions;
    const double *mass;  /* [classes * (classes + 1)] ∫ p(x, Ct) dx over the regions of decision d
                          * at t * (classes + 1) + d; the last of each row is for no decision */
    const double *prior; /* [classes] P(Ck); the rule's if it has priors */
    const double *centre; /* [classes] of p(x | Ck), and its scale */
    const double *scale;
    const double *freedom; /* [classes] of a Student-t; 0: a Gaussian */
} cr_mistake;

/* Compute p(mistake) for a real feature whose densities are Gaussian or Student-t. Boundaries
 * between two Gaussians and the integrals are exact up to rounding. With costs for more than two
 * classes, or with Student-t densities, a region narrower than 1/16 of every scale may be missed.
 * The model's calibration is ignored. rule may be NULL; every mistake then costs 1. Free *out with
 * cr_mistake_free(). CR_EARG: there is no such feature, the rule is for other classes, or the
 * densities are of another kind. */
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
