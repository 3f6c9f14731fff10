/* learners/pairs/pairs.h - classifiers that let features depend on each other: tan, kdb, pairs.
 *
 * Naive Bayes with a few parents for each feature, besides the class:
 *
 *     P(c, x1 … xn) = P(c) Π P(xi | π1(i) … πd(i), c)
 *
 *   tan    at most one parent each, which make a forest: the one of largest Σ I(Xi; Xparent | C)
 *          minus the cost of its parameters, see structure.c (Friedman, Geiger & Goldszmidt 1997,
 *          "Bayesian network classifiers"; Chow & Liu 1968)
 *   kdb    up to k parents each: those of larger I(X; C) most informative about the feature
 *          (Sahami 1996, "Learning limited dependence Bayesian classifiers")
 *   pairs  naive Bayes in which the features that depend most are joined by twos or threes
 *
 * All are learners of counts: of pairs, of triples where features may have two parents (up to 24
 * features), or else of the cells of the sparse joint table. Whatever structure they lead to, its
 * tables follow from them, so learning,
 * unlearning and merging are exact.
 *
 * Each feature has a table for no parent, for the first one, for the first two, and so on. With n
 * rows of class c that have the value and the parents' values, N that have the parents' values:
 *
 *   smoothing=backoff   (n + a + m P(x | one parent less, c)) / (N + a V + m)
 *   smoothing=laplace   (n + a) / (N + a V)
 *
 * and with no parent always the latter. A missing value is summed out exactly where every
 * feature has at most one parent; otherwise a feature falls back on the parents before the first
 * one that is missing, and a missing feature is left out.
 */
#ifndef CR_LEARNERS_PAIRS_PAIRS_H
#define CR_LEARNERS_PAIRS_PAIRS_H

#include <math.h>

#include "data/bins.h"
#include "data/cut_finder.h"
#include "model/learner.h"
#include "learners/pairs/codes.h"

enum { CR__PARENTS_MOST = 4 };

/* Who depends on whom. */
typedef struct cr__structure {
    size_t features;
    uint32_t *order;  /* [features] parents before children */
    uint32_t *depth;  /* [features] how many parents */
    uint32_t *parent; /* [features * CR__PARENTS_MOST] features, the most informative first */
} cr__structure;

cr_status cr__structure_new(cr__structure *out, size_t features); /* all are independent */
void cr__structure_free(cr__structure *structure);

/* Which dependences count: those that are worth their parameters, by Akaike's measure or Schwarz's;
 * or all, as the rules were published. */
typedef enum cr__worth { CR__WORTH_AIC, CR__WORTH_BIC, CR__WORTH_ALL } cr__worth;

/* Structure rules; pair and information as codes.h measures them. */
cr_status cr__structure_tan(cr__structure *out, const cr__codes *codes, const cr__pair *pair,
                            const double *information, cr__worth rule);
cr_status cr__structure_kdb(cr__structure *out, const cr__codes *codes, const cr__pair *pair,
                            const double *information, size_t parents, cr__worth rule);
cr_status cr__structure_joins(cr__structure *out, const cr__codes *codes, const cr__pair *pair,
                              size_t joins, size_t together, double least_rows, cr__worth rule);

/* A table may not have more numbers than this; a parent that would make it larger is left out. */
#define CR__TABLE_MOST ((size_t)1 << 24)

typedef struct cr__dependent {
    size_t features, classes, columns;
    size_t *column;     /* [features] of the schema */
    size_t *values;     /* [features] */
    cr__cuts *cuts;     /* [features] of cut columns */
    size_t *feature_of; /* [columns] or SIZE_MAX */
    cr__structure structure;
    int exact;               /* missing values are summed out: no feature has two parents */
    size_t *table_at;        /* [features * (CR__PARENTS_MOST + 1)] where each table begins */
    size_t size;             /* of all tables */
    const double *log_p;     /* [size] P(x | first t parents, class): by the parents' values, the
                                last one innermost, then x, then the class */
    const double *log_prior; /* [classes] */
    double *own;             /* the memory behind both, or NULL when it is the container's */
    double alpha, m;         /* smoothing; m is NaN for laplace */
} cr__dependent;

void cr__dependent_clear(cr__dependent *d); /* frees what it holds */
void cr__dependent_free(void *fitted);

/* How many values each column has, to be freed; NULL when out of memory. */
size_t *cr__dependent_values(const cr__stats *stats);

/* Places of the features and of their tables, once the structure is known. */
cr_status cr__dependent_lay(cr__dependent *d, const cr_schema *schema, const size_t *values,
                            cr_error *err);
cr_status cr__dependent_lay_tables(cr__dependent *d);

/* Where P(· | first t parents, ·) begins for the given codes of all features, in log_p. The t
 * parents must not be missing. */
size_t cr__dependent_row(const cr__dependent *d, size_t feature, size_t t, const uint32_t *code);

/* The codes of a row's features; 0 where it is missing or was never seen, in which case never, when
 * not NULL, gets 1. */
void cr__dependent_codes(const cr__dependent *d, const cr__batch *batch, size_t row, uint32_t *code,
                         unsigned char *never);

/* How many parents, from the first, are known. */
size_t cr__dependent_known(const cr__dependent *d, size_t feature, const uint32_t *code);

/* log P(class, known codes) for all classes; work has room for cr__dependent_work() numbers. */
void cr__dependent_score_codes(const cr__dependent *d, const uint32_t *code, double *work,
                               double *score);
size_t cr__dependent_work(const cr__dependent *d);

/* The codes of a batch, column by column. */
typedef struct cr__coded {
    uint32_t *code; /* [features * rows] as cr__dependent_codes() has them */
    size_t capacity;
    size_t features;
    cr__cut_finder *finder; /* [features] of cut columns, once there are rows enough, or NULL */
} cr__coded;                /* {0} is empty */

void cr__coded_free(cr__coded *coded);

cr_status cr__dependent_code_batch(const cr__dependent *d, const cr__batch *batch,
                                   cr__coded *coded);

extern const cr__scores cr__dependent_scores; /* score.c */
cr_status cr__dependent_advise(const void *fitted, const cr__stats *stats, const cr__knobs *knobs,
                               cr__advice *out, cr_error *err); /* left_out.c */
cr_status cr__dependent_factors(const void *fitted, void *state, const cr__stats *stats,
                                const cr__knobs *knobs, const cr__batch *batch, size_t row,
                                cr_factor *factor, size_t *count, double *work, cr_error *err);
enum { CR__DEPENDENT_FACTOR_WORK = 5 };
extern const cr__detail cr__dependent_detail; /* explain.c */

/* The rows of every table, in the places of log_p: n is [size]. */
void cr__dependent_count(const cr__dependent *d, const cr__codes *codes, double *n);

/* What smoothing adds to the rows that have a value, and to those that have any of V values. guess
 * is P(value) with one parent less; NaN where that is not used. */
static inline double cr__dependent_plus(const cr__dependent *d, double guess)
{
    return d->alpha + (isnan(guess) ? 0 : d->m * guess);
}

static inline double cr__dependent_plus_all(const cr__dependent *d, size_t V, int backs_off)
{
    return d->alpha * (double)V + (backs_off ? d->m : 0);
}

void cr__dependent_save(const void *fitted, cr__draft *draft);
cr_status cr__dependent_open(void **fitted, const cr__container *container, const cr_schema *schema,
                             const size_t *values, size_t classes, cr_error *err);

/* As a Bayesian network, and its answers to questions: network.c. */
cr_status cr__dependent_network(struct cr__network **out, const void *fitted,
                                const cr_schema *schema, cr__dict *const *dict, cr_error *err);
cr_status cr__dependent_measure(const void *fitted, const cr__knobs *knobs, const cr_schema *schema,
                                const cr__question *question, cr__scaled *mass, cr_error *err);

/* I(class; feature) in bits, of a table P(x | class), [values * classes] in logs. */
double cr__dependent_information(const double *log_p, size_t values, const double *log_prior,
                                 size_t classes);

/* P(class) by the knob `prior`, in logs. */
void cr__dependent_prior(const cr__stats *stats, const cr__knobs *knobs, double *log_prior);

#endif
