/* learners/naive_bayes/bins.h - real features as intervals, or as kernel densities.
 *
 * Both come from the numbers that the statistics keep (stats/values.h): cuts and counts are
 * computed when the model is fitted, so the rule can be changed later without the data, and after
 * learning, unlearning or merging the cuts are where one pass would have put them.
 */
#ifndef CR_LEARNERS_NAIVE_BAYES_BINS_H
#define CR_LEARNERS_NAIVE_BAYES_BINS_H

#include "data/discretise.h"
#include "data/container.h"
#include "base/knobs.h"
#include "stats/stats.h"

/* --- what the knob `real` asks for ---------------------------------------------------------- */

typedef enum cr__nb_real_kind {
    CR__NB_GAUSSIAN,
    CR__NB_BINS,
    CR__NB_KDE,
    CR__NB_AUTO /* only as a knob; a column has one of the others */
} cr__nb_real_kind;

typedef enum cr__nb_width { CR__NB_BY_KNOB, CR__NB_SILVERMAN, CR__NB_RANGE } cr__nb_width;

/* The density of one real column. */
typedef struct cr__nb_form {
    cr__nb_real_kind kind;
    int own;            /* Gaussian: each class has a variance of its own, whatever the knob says */
    cr__nb_width width; /* kernels: the rule of the bandwidth, */
    double scale;       /* times this */
} cr__nb_form;

/* The form of every real feature, [columns], to be freed: set by the knobs, or chosen, with the
 * threads of a run (NULL: one). */
cr_status cr__nb_forms(cr__nb_form **out, const cr__stats *stats, const cr__knobs *knobs,
                       const cr_run *run, cr_error *err);

/* choose_real.c: the leave-one-out sum Σ ln P(class | number) for each candidate form of a column,
 * and the form with the largest one. CR_ENOMEM. */
cr_status cr__nb_judge_forms(double *sum, const cr__nb_form *form, size_t count,
                             const cr__values *values, size_t classes, const cr__knobs *knobs);
cr_status cr__nb_choose_form(cr__nb_form *best, const cr__values *values, size_t classes,
                             const cr__knobs *knobs, int kernels_only);

/* --- intervals: bins.c ---------------------------------------------------------------------- */

/* One column. It is not cut when counted.dict is NULL. */
typedef struct cr__nb_bins {
    cr__cuts cuts;
    cr__column_stats counted; /* intervals by class, like a symbol's values */
    int borrowed;             /* the counts are the container's */
} cr__nb_bins;

void cr__nb_bins_free(cr__nb_bins *bins, size_t columns); /* NULL is allowed */

/* Cut the real features of statistics whose form says so; *out is NULL when there are none. */
cr_status cr__nb_cut(cr__nb_bins **out, const cr__stats *stats, const cr__knobs *knobs,
                     const cr__nb_form *form, cr_error *err);

/* The statistics with intervals in place of numbers. room has an entry for each column; bins may be
 * NULL. */
cr__stats cr__nb_view(const cr__stats *stats, const cr__nb_bins *bins, cr__column_stats *room);

void cr__nb_bins_save(const cr__nb_bins *bins, size_t classes, uint32_t column, cr__draft *draft);
cr_status cr__nb_bins_open(cr__nb_bins *bins, const cr__container *container, uint32_t column,
                           size_t classes, int *found, cr_error *err);

/* --- kernels: kde.c ------------------------------------------------------------------------- */

/* The kernel density of one class: numbers with their weights, a Gaussian at each. */
typedef struct cr__nb_kernels {
    double n, bandwidth;
    uint64_t first, count; /* its numbers in the arrays */
    double low, step;      /* of the grid, when it has one */
    uint64_t node, nodes;  /* its nodes; 0: always summed directly */
} cr__nb_kernels;

typedef struct cr__nb_kde {
    size_t classes;
    double prior_rows, prior_mean, prior_variance;
    const cr__nb_kernels *of;     /* [classes] */
    const double *value, *weight; /* [entries] ascending within a class */
    const double *grid;           /* log density and its slope at each node */
    size_t entries, nodes;
    double lookups; /* how many numbers will be looked up while it is being fitted: grids pay, or do
                     * not */
    double *own;    /* the memory behind all arrays, or NULL when it is the container's */
} cr__nb_kde;

void cr__nb_kde_free(cr__nb_kde *kde); /* NULL is allowed */

cr_status cr__nb_fit_kde(cr__nb_kde **out, const cr__stats *stats, const cr__knobs *knobs,
                         const cr__nb_form *form, size_t column, cr_error *err);

/* The same for a spread: few_rows says that hardly more than its own numbers will be looked up, so
 * that large grids do not pay. CR_ENOMEM. */
cr_status cr__nb_kde_of(cr__nb_kde **out, const cr__spread *spread, size_t classes,
                        const cr__knobs *knobs, const cr__nb_form *form, int few_rows);

/* ln p(x | class). cr__nb_kde_sum adds up all kernels; the other uses the grid where there is
 * one. */
double cr__nb_kde_sum(const cr__nb_kde *kde, size_t c, double x);
double cr__nb_kde_log(const cr__nb_kde *kde, size_t c, double x);

/* The same of one class at many places, for a comparison of densities: up to the last bits. */
typedef struct cr__nb_places {
    const cr__nb_kde *kde;
    size_t class_index;
    double constant, log_total, log_h; /* what does not depend on the place */
    int guesses;
} cr__nb_places;
void cr__nb_places_of(cr__nb_places *out, const cr__nb_kde *kde, size_t c);
double cr__nb_places_log(const cr__nb_places *p, double x);

/* P(X < x | class). */
double cr__nb_kde_lower(const cr__nb_kde *kde, size_t c, double x);

/* I(class; column) in bits, by Simpson's rule. */
double cr__nb_kde_information(const cr__nb_kde *kde, const double *log_prior);

void cr__nb_kde_save(const cr__nb_kde *kde, uint32_t column, cr__draft *draft);
cr_status cr__nb_kde_open(cr__nb_kde **out, const cr__container *container, uint32_t column,
                          size_t classes, cr_error *err); /* NULL: the column has none */

#endif
