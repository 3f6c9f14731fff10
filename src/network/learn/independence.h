/* network/learn/independence.h - is x independent of y given others? The G² test.
 *
 *     G² = 2 Σ N(x, y, s) ln ( N(x, y, s) N(s) / (N(x, s) N(y, s)) )
 *
 * If x and y are independent given s, G² is about chi-square distributed; p is the probability of a
 * value at least as large. Small p: they depend. Each combination s adds (|x| - 1)(|y| - 1) degrees
 * of freedom, |x| and |y| being the states that occur with it: others can add nothing to G² (P.
 * Spirtes, C. Glymour and R. Scheines, "Causation, Prediction, and Search", 5.5).
 */
#ifndef CR_NETWORK_LEARN_INDEPENDENCE_H
#define CR_NETWORK_LEARN_INDEPENDENCE_H

#include "base/pool.h"
#include "network/graph/arcs.h"
#include "network/learn/family.h"

/* Tests that do not use counts: p of x and y given others. */
typedef struct cr__test_by {
    double (*p)(const void *context, uint32_t x, uint32_t y, const uint32_t *given, size_t givens,
                double *work);
    const void *context;
    uint32_t variables;
    size_t work; /* numbers of scratch that p needs */
} cr__test_by;

/* G² of counts[(s * x_states + x) * y_states + y]; *freedom is its degrees of freedom. work has
 * room for y_states numbers. */
double cr__g_square(const double *counts, size_t given, size_t x_states, size_t y_states,
                    double *work, double *freedom);

/* What one thread needs to test. */
typedef struct cr__tester {
    cr__counter counter;
    uint32_t *base;        /* [variables + 1] scratch */
    double *work;          /* [states of the largest variable] */
    double *p, *g;         /* [variables] the results: p, and G² beyond its degrees of freedom */
    const cr__test_by *by; /* instead of counting, or NULL */
    size_t tests;          /* so far */
    cr_status status;
} cr__tester;

/* Test x against each of the y given the same others, all counted together; results in tester->p
 * and ->g, in the order of y. A table that the rows cannot fill is not tested: p is 0, as there is
 * no evidence for independence. CR_ENOMEM. */
cr_status cr__test(cr__tester *tester, uint32_t x, const uint32_t *y, size_t ys,
                   const uint32_t *given, size_t givens);

/* The first subset of k out of n: 0, 1, ..., k - 1; and the next, in lexical order, or 0. */
void cr__subset_first(uint32_t *subset, size_t k);
int cr__subset_next(uint32_t *subset, size_t k, size_t n);

/* A tester for each worker. */
typedef struct cr__testers {
    cr_pool *pool;
    int workers;
    cr__tester *tester; /* [workers] */
} cr__testers;

/* by: instead of cases, or NULL. */
cr_status cr__testers_new(cr__testers *out, const cr__cases *cases, const cr__test_by *by,
                          int threads, cr_error *err);
void cr__testers_free(cr__testers *testers);
/* Run on all; CR_ENOMEM when one of them ran out of memory. */
cr_status cr__testers_run(cr__testers *testers, void (*work)(void *, int), void *context,
                          cr_error *err);
size_t cr__testers_tests(const cr__testers *testers);

/* --- what is learned by tests ----------------------------------------------------------------- */

typedef struct cr__test_plan {
    double alpha;          /* p above it is independence */
    uint32_t depth;        /* most conditioning variables; 0: any number */
    const cr__arcs *must;  /* arcs that stay, or NULL */
    const cr__arcs *never; /* arcs that are not made, or NULL */
    int threads;
    const cr__test_by *by; /* instead of counting cases, or NULL */
} cr__test_plan;

/* PC-stable (D. Colombo and M. Maathuis, 2014): pairs that some subset of their neighbours makes
 * independent are separated, colliders are found from the separating sets, and Meek's rules direct
 * what follows. A pair is separated only after a round, so the lines do not depend on the order of
 * the variables. arcs becomes a partially directed graph. *tests may be NULL. */
cr_status cr__pc(cr__arcs *arcs, const cr__cases *cases, const cr__test_plan *plan, size_t *tests,
                 cr_error *err);

/* MMPC (I. Tsamardinos, L. Brown and C. Aliferis, 2006): the neighbours of each node that no subset
 * of the others makes independent, found from both ends. lines gets an arc both ways for each. With
 * hill climbing along these lines it is MMHC. */
cr_status cr__mmpc(cr__arcs *lines, const cr__cases *cases, const cr__test_plan *plan,
                   size_t *tests, cr_error *err);

#endif
