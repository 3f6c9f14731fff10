/* learners/logistic/solve.h - solvers that maximise the log posterior, with one objective. */
#ifndef CR_LEARNERS_LOGISTIC_SOLVE_H
#define CR_LEARNERS_LOGISTIC_SOLVE_H

#include "learners/logistic/objective.h"

enum { CR__LR_LAST = 3 }; /* steps whose gain is checked */

typedef struct cr__lr_search {
    cr__lr_objective *objective;
    double *theta;  /* [P] where to begin, and then the answer */
    double laplace; /* λ of a Laplace prior; 0: none */
    double epsilon; /* when to stop: see docs/logistic.md */
    size_t most;    /* steps at most */
    double eta;     /* of plain gradient ascent; NaN: one that cannot overshoot */
    const cr_run *run;
    int keep_trace;
    /* The outcome. */
    size_t iterations;
    double gradient, value; /* largest derivative per row; f(θ) with the Laplace prior */
    int converged;
    double past[CR__LR_LAST]; /* the value after step k at k % LAST; at first that of the start */
    double *trace;            /* [steps] log likelihoods, to be freed */
    size_t steps, trace_capacity;
} cr__lr_search;

enum { CR__LR_SAMPLE = 256 }; /* rows for each weight from which Newton takes second derivatives */

/* CR_EARG: the solver cannot do this; CR_ESTOPPED; CR_ENOMEM. */
cr_status cr__lr_solve(cr__lr_search *search, unsigned solver, cr_error *err);

cr_status cr__lr_solve_lbfgs(cr__lr_search *search, cr_error *err);  /* for a Laplace prior */
cr_status cr__lr_solve_memory(cr__lr_search *search, cr_error *err); /* lbfgs for all others */
cr_status cr__lr_solve_newton(cr__lr_search *search, cr_error *err);

/* Record a step: its likelihood into the trace, progress to the caller. CR_ESTOPPED, CR_ENOMEM. */
cr_status cr__lr_step(cr__lr_search *search, cr_error *err);

/* Record the start of a search, and check whether it has converged: no slope is above ε, and the
 * last steps together gained less than √ε of the value, or than ε per row where that is more (a
 * likelihood that has no maximum always gains). Slopes along rare features are small from the
 * start, so they alone are no criterion. */
void cr__lr_begin(cr__lr_search *search, double value);
int cr__lr_is_there(cr__lr_search *search);

/* A search that finds no better point because of rounding has converged if the slope agrees:
 * evaluate the weights again and check. CR_ENOMEM. */
cr_status cr__lr_settle(cr__lr_search *search, cr_error *err);

/* The largest derivative per row at θ, with the Laplace prior's where it has one. */
double cr__lr_steepest(const cr__lr_search *search, const double *theta, const double *gradient);

#endif
