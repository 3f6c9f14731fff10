/* network/learn/normals_learn.h - Gaussian nodes from cross products: lines, scores, tests.
 *
 * All that a line x = b0 + Σ b parent + N(0, s²) needs is the scatter matrix of the numbers around
 * their means, Σ (x_i - mean_i)(x_j - mean_j): b solves S_pp b = S_px, and the residual, rss = S_xx
 * - b' S_px, is the noise. Rows that lack a number are left out. The class may choose the line:
 * then there is a scatter matrix for each.
 *
 *     loglik  -n/2 ln(2π s²) - rss / (2 s²)   with s² = rss / (n - parents - 1), over the classes
 *     bic     loglik - k ln(N) / 2            k = (parents + 2) for each class, N rows in all
 *     aic     loglik - k
 *
 * These are loglik-g, bic-g and aic-g of the R package bnlearn (M. Scutari, 2010), and with the
 * class among the parents its loglik-cg and so on, except for the divisor of s².
 */
#ifndef CR_NETWORK_LEARN_NORMALS_LEARN_H
#define CR_NETWORK_LEARN_NORMALS_LEARN_H

#include "base/knobs.h"
#include "network/learn/independence.h"
#include "network/learn/score.h"
#include "stats/stats.h"

/* Numbers around their means. */
typedef struct cr__scatter {
    double n;
    double *mean;    /* [numbers] */
    double *product; /* [numbers * numbers] */
} cr__scatter;

typedef struct cr__numbers {
    uint32_t count;     /* numbers */
    uint32_t *column;   /* [count] of the schema */
    uint32_t classes;   /* 0: classes are not distinguished */
    cr__scatter all;    /* around the mean of all rows */
    cr__scatter within; /* the sum over the classes, each around its means; n minus (classes - 1) */
    cr__scatter *of;    /* [classes] */
} cr__numbers;

/* CR_EFORMAT: no row has all numbers. */
cr_status cr__numbers_new(cr__numbers **out, const cr__stats *stats, cr_error *err);
void cr__numbers_free(cr__numbers *numbers); /* NULL is allowed */

/* How to find the structure of numbers. */
typedef struct cr__numbers_wish {
    const char *way; /* tabu, hc, k2, chow-liu, pc, mmhc, naive or none */
    const cr__knobs *knobs;
    const char *const *name;  /* of all variables of the network */
    const uint32_t *variable; /* [numbers] which of them the numbers are */
    uint32_t target;          /* variable, or UINT32_MAX */
    const cr__arcs *must, *never;
    const uint32_t *order; /* k2: all variables */
    uint64_t seed;
} cr__numbers_wish;

/* Add the arcs between numbers, and from the class to numbers, to arcs over all variables. With hc,
 * tabu and k2 the class is one more parent to choose; with pc, mmhc, chow-liu and naive it is a
 * parent of all numbers, which are joined by what they have in common within classes. *score
 * becomes NaN where the method has none. normals_search.c. */
cr_status cr__numbers_structure(cr__arcs *arcs, const cr__numbers *numbers,
                                const cr__numbers_wish *wish, double *score, cr_error *err);

/* Intercept, slopes and deviation of a number given others, [parents + 2]; with classes, when
 * by_class, a row for each. A class with too few rows for a line of its own has the slopes and the
 * deviation that all classes together have. CR_EARG: parents determine one another. */
cr_status cr__numbers_fit(const cr__numbers *numbers, uint32_t child, const uint32_t *parent,
                          size_t parents, int by_class, const char *const *name, double *weight,
                          cr_error *err);

/* The score of a family, whose variables are the numbers and then, if there are classes, the class:
 * it is 0 as a child, which it never is. -INFINITY: the parents determine one another or the child,
 * or the rows are too few. A cr__family_scorer; context is a cr__numbers_score. */
typedef struct cr__numbers_score {
    const cr__numbers *numbers;
    cr__score_kind kind;
} cr__numbers_score;
double cr__numbers_family(const void *context, uint32_t child, const uint32_t *parent,
                          size_t parents);

/* p of Fisher's test that the partial correlation r of two numbers given k others is 0: with n rows
 * z = √(n - k - 3) atanh r is nearly normal (R. Fisher, 1924). Correlations are those within
 * classes. A function of cr__test_by; context is a cr__numbers, work has (k + 2)² numbers. */
double cr__numbers_test(const void *context, uint32_t x, uint32_t y, const uint32_t *given,
                        size_t givens, double *work);

#endif
