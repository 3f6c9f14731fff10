/* network/learn/parameters.h - the tables of a network whose arcs are known.
 *
 * N(k, j) rows have state k of a node and combination j of its parents. With a pseudo-count a for
 * each cell of a table,
 *
 *     P(k | j) = (N(k, j) + a) / (N(j) + r a)
 *
 *     mle          a = 0: maximum likelihood; a combination that no row has gets equal parts
 *     bdeu:S       a = S / (q r): a prior worth S rows, spread evenly over the q r cells
 *     dirichlet:A  a = A: the mean under Dirichlet(A, ..., A)
 *
 * Where values are missing the counts are expected ones. EM (A. Dempster, N. Laird and D. Rubin,
 * 1977; S. Lauritzen, 1995) takes them from the tables of the round before:
 *
 *     N(k, j) = Σ over rows d of P(k, j | what d has)
 *
 * and never makes the rows less probable: Σ ln P(d) + Σ a ln P(k | j) does not fall. Gradient
 * ascent (S. Russell, J. Binder, D. Koller and K. Kanazawa, 1995; T. Mitchell, "Machine Learning",
 * 6.11.5) has the same counts in its gradient, N(k, j) / P(k | j), and takes a step along it
 * instead.
 */
#ifndef CR_NETWORK_LEARN_PARAMETERS_H
#define CR_NETWORK_LEARN_PARAMETERS_H

#include "network/graph/arcs.h"
#include "stats/cells.h"

typedef enum cr__prior_kind { CR__PRIOR_NONE, CR__PRIOR_BDEU, CR__PRIOR_DIRICHLET } cr__prior_kind;

typedef struct cr__prior {
    cr__prior_kind kind;
    double size;
} cr__prior;

/* "mle", "bdeu:1", "dirichlet:0.5"; the number is 1 when it is left out. CR_EARG. */
cr_status cr__prior_read(cr__prior *out, const char *text, cr_error *err);

/* Rows for the nodes of a network. */
typedef struct cr__records {
    const cr__cells *cells;
    const uint32_t *variable; /* [nodes] of the cells; UINT32_MAX: hidden, no row has it */
} cr__records;

/* Counts of the families that a row has completely, [cells of all tables], laid out like the
 * tables. */
cr_status cr__count_tables(double *counts, const cr__network *network, const cr__records *records,
                           cr_error *err);

/* Tables from counts. */
void cr__set_tables(cr__network *network, const double *counts, const cr__prior *prior);

typedef struct cr__em_plan {
    cr__prior prior;
    uint32_t rounds; /* at most */
    int gradient;    /* ascend along the gradient instead */
    int warm;        /* begin with the tables that the network has */
    uint64_t seed;   /* where hidden variables begin */
    int threads;
} cr__em_plan;

typedef struct cr__em_report {
    uint32_t rounds;
    double log_likelihood; /* Σ ln P(d) */
    double objective;      /* with the prior's part: never decreases */
    double *trace;         /* [rounds + 1] of plan, the objective of each round; may be NULL */
} cr__em_report;

/* Tables from rows some of whose values are missing, beginning with the complete families. The
 * result does not depend on the number of threads. */
cr_status cr__em(cr__network *network, const cr__records *records, const cr__em_plan *plan,
                 cr__em_report *report, cr_error *err);

/* Whether some row lacks a value of some node. */
int cr__records_have_gaps(const cr__network *network, const cr__records *records);

#endif
