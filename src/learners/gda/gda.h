/* learners/gda/gda.h - Gaussian discriminants: in every class the real features are jointly normal.
 *
 *     P(c | x, s)  ∝  P(c) · N(x; μ_c, Σ_c) · Π P(s_i | c)
 *
 * with x the real features and s the symbols and texts, which are independent given the class as
 * in naive Bayes. A Σ for each class gives boundaries of the second degree, one Σ for all gives
 * linear ones (Fisher 1936; Hastie, Tibshirani & Friedman, The Elements of Statistical Learning,
 * 4.3). Missing values are integrated out, which is exact: the marginal of a normal distribution
 * is normal.
 */
#ifndef CR_LEARNERS_GDA_GDA_H
#define CR_LEARNERS_GDA_GDA_H

#include <pthread.h>

#include "learners/naive_bayes/naive_bayes.h"

/* The densities of some real features in all classes. With z = L⁻¹ (x - μ), Σ = L L', q = z'z:
 *   Gaussian   log p = base - q / 2                                     freedom = 0
 *   Student-t  log p = base - (freedom + n) / 2 · log1p(q / freedom)    */
typedef struct cr__gda_density {
    size_t classes, n;
    size_t factors;        /* 1 when all classes share Σ, else one for each class */
    int diagonal;          /* L is diagonal and only its diagonal kept */
    const double *mean;    /* [classes * n] */
    const double *factor;  /* [factors * n * n] L, lower, by rows; or [factors * n] */
    const double *base;    /* [classes] */
    const double *freedom; /* [classes] 0: Gaussian */
    const double *white; /* [classes * n] L⁻¹ (μ_c - μ_0) when Σ is shared; otherwise NULL */
    double *own;         /* the memory behind them, or NULL when it is borrowed */
    double *own_white;
} cr__gda_density;

/* What was done to a covariance, for notes. */
typedef struct cr__gda_repair {
    double ridge;     /* share of each feature's variance added to repair it; 0: none */
    double shrinkage; /* in use */
} cr__gda_repair;

/* covariance=auto: what was chosen for all classes. */
typedef struct cr__gda_choice {
    double pool, shrinkage, level;
} cr__gda_choice;

/* Means and covariances from rows that lack numbers, before any adjustment. */
typedef struct cr__gda_em {
    uint64_t steps, settled;
    double log_likelihood; /* of the present numbers, before the last step */
    double *rows;          /* [classes] weight of the rows that have some number */
    double *mean;          /* [classes * n] */
    double *covariance;    /* [classes * n * n] divided by rows; of the requested form only once
                            * combined: shared ones are the mean of these by their rows */
    double *own;           /* the memory behind them, or NULL when it is borrowed */
} cr__gda_em;

/* Densities of subsets of the features, keyed by the subset. */
typedef struct cr__gda_pattern {
    unsigned char *has; /* [n] */
    size_t count;
    cr__gda_density density;
    struct cr__gda_pattern *next;
} cr__gda_pattern;

typedef struct cr__gda {
    cr__nb *marginal;       /* prior, symbols, texts; and of each real feature its marginal */
    cr__nb others;          /* the same without real features; borrows */
    const uint32_t *column; /* [n] real features that take part: those that vary */
    cr__gda_density density;
    const cr__gda_repair *repair; /* [classes]; a shared covariance is that of the first */
    cr__gda_em em;                /* rows is NULL when it was not needed */
    cr__gda_choice choice;        /* pool is NaN when nothing was chosen */
    uint32_t *own_column;
    cr__gda_repair *own_repair;
    pthread_mutex_t lock; /* guards the patterns */
    cr__gda_pattern *pattern;
    size_t patterns;
} cr__gda;

/* --- density.c ------------------------------------------------------------------------------ */

/* Room for a density; its arrays are own. */
cr_status cr__gda_density_new(cr__gda_density *d, size_t classes, size_t n, size_t factors,
                              int diagonal);
void cr__gda_density_free(cr__gda_density *d);
size_t cr__gda_factor_size(const cr__gda_density *d);

/* base and white, once mean, factor and freedom are there. */
cr_status cr__gda_density_finish(cr__gda_density *d);

/* The marginal of the features has[i] != 0, count of them. CR_ENOMEM. */
cr_status cr__gda_density_marginal(cr__gda_density *out, const cr__gda_density *d,
                                   const unsigned char *has, size_t count);

/* z = L⁻¹ (x - μ_c) for one row. */
void cr__gda_whiten(const cr__gda_density *d, size_t c, const double *x, double *z);

/* Add log densities of rows x [rows * n], which is changed, to score[at[r] * classes + c]. work has
 * room for rows * n. */
void cr__gda_add_scores(const cr__gda_density *d, double *x, const uint32_t *at, size_t rows,
                        double *work, double *score);

/* --- covariance.c --------------------------------------------------------------------------- */

/* The inputs of a fit. */
typedef struct cr__gda_fit {
    const cr__stats *stats;
    const cr__cross *cross;
    const cr__knobs *knobs;
    size_t classes, n;
    const uint32_t *term;   /* [n] of the cross products */
    int unbiased, complete; /* divide by n - 1; rows that lack something are left out */
    double *rows;           /* [classes] */
    double *mean;           /* [classes * n] */
    double *center;         /* [n] of all rows, */
    double *spread;         /* [n] and their variances */
    double pool, level;
    const double *shrinkage; /* [classes] */
    const cr__gda_em *em;    /* instead of the cross products, or NULL */
    const double *own;       /* [classes * n * n] the classes' covariances before any adjustment,
                              * where they are at hand; or NULL */
    const double *root;      /* for covariance.c: [n] roots of spread */
    int by_correlation;      /* shrink towards uncorrelated features instead of equal variances */
} cr__gda_fit;

/* The factors of the covariances as the knobs specify; repair [classes]. */
cr_status cr__gda_fit_factors(const cr__gda_fit *fit, cr__gda_density *d, cr__gda_repair *repair,
                              cr_error *err);

/* The covariance of a class, [n * n] both triangles, before any adjustment. Returns its degrees of
 * freedom. */
double cr__gda_class_covariance(const cr__gda_fit *fit, size_t c, double *out);

/* --- shrink.c ------------------------------------------------------------------------------- */

/* Pooling, and the intensity for each class, as the knobs say, estimated from the rows of the input
 * where needed; the previous values where there are no rows. */
cr_status cr__gda_choose_shrinkage(cr__gda_fit *fit, const cr__fit_input *input, double *shrinkage,
                                   cr__gda_choice *choice, cr_error *err);

/* Whether covariances have variances only. */
int cr__gda_is_diagonal(const cr__knobs *knobs);

/* Whether covariance=auto has a form to choose: pooling and shrinkage are not given. */
int cr__gda_chooses(const cr__knobs *knobs);

/* The features of a row of the table; 0 when one of them or the class is missing. And the class. */
int cr__gda_take_row(const cr__gda_fit *fit, const cr__table *rows, size_t r, double *x);
size_t cr__gda_row_class(const cr__table *rows, size_t r);

/* --- choose.c ------------------------------------------------------------------------------- */

/* For shrinkage=cv and covariance=auto: what predicts rows that are held out best. CR_ENOMEM. */
cr_status cr__gda_choose_form(const cr__gda_fit *fit, const cr__fit_input *input,
                              cr__gda_choice *best, cr_error *err);

/* --- em.c ----------------------------------------------------------------------------------- */

/* At most this many steps over rows that lack numbers. Free em->own, even after a failure. */
cr_status cr__gda_em_run(cr__gda_em *em, const cr__gda_fit *fit, const cr__table *rows, size_t most,
                         cr_error *err);

/* How many numbers it has, and where they are in a block of that size. */
size_t cr__gda_em_size(size_t classes, size_t n);
void cr__gda_em_place(cr__gda_em *em, const double *numbers, size_t classes, size_t n);

/* --- score.c, explain.c, sections.c, gda.c -------------------------------------------------- */

cr_status cr__gda_score(const void *fitted, void *state, const cr__batch *batch, double *score,
                        cr_error *err);

/* The density of a row's features, from the cache or made for it. CR_ENOMEM. */
cr_status cr__gda_find_pattern(const cr__gda *gda, const unsigned char *has, size_t count,
                               const cr__gda_density **out, cr__gda_density *room);

cr_status cr__gda_factors(const void *fitted, void *state, const cr__stats *stats,
                          const cr__knobs *knobs, const cr__batch *batch, size_t row,
                          cr_factor *factor, size_t *count, double *work, cr_error *err);
extern const cr__detail cr__gda_detail;

cr_status cr__gda_linear(const void *fitted, const cr__stats *stats, const cr__knobs *knobs,
                         cr__linear *out, cr_error *err);

void cr__gda_save(const void *fitted, cr__draft *draft);
cr_status cr__gda_open(void **fitted, const cr__container *container, const cr_schema *schema,
                       const size_t *values, size_t classes, cr_error *err);
cr__gda *cr__gda_new(void);
void cr__gda_free(void *fitted);
cr_status cr__gda_part_others(cr__gda *gda);

/* Naive Bayes' knobs at these values, as far as they have the same names. The caller frees them. */
cr_status cr__gda_naive_knobs(cr__knobs *out, const cr__knobs *knobs, cr_error *err);

/* --- network.c ------------------------------------------------------------------------------ */

/* The same distribution as a Bayesian network, and queried as one. CR_ECONFLICT: there is none. */
cr_status cr__gda_network(struct cr__network **out, const void *fitted, const cr_schema *schema,
                          cr__dict *const *dict, cr_error *err);
cr_status cr__gda_measure(const void *fitted, const cr__knobs *knobs, const cr_schema *schema,
                          const cr__question *question, cr__scaled *mass, cr_error *err);
int cr__gda_is_number(const void *fitted, size_t column);

#endif
