/* learners/naive_bayes/naive_bayes.h - naive Bayes over any mix of symbol and real features.
 *
 *     P(c | x1 … xn)  ∝  P(c) · P(x1 | c) · … · P(xn | c)
 *
 * in logs. A missing value leaves its factor out, which is exact: summing the product over all
 * values of one feature leaves the product of the others.
 */
#ifndef CR_LEARNERS_NAIVE_BAYES_NAIVE_BAYES_H
#define CR_LEARNERS_NAIVE_BAYES_NAIVE_BAYES_H

#include "model/learner.h"
#include "learners/naive_bayes/bins.h"
#include "learners/naive_bayes/text.h"

/* The knobs of priors and symbols, and those of values never seen and of texts, for any learner
 * that treats these like naive Bayes. */
/* clang-format off */
#define CR__NB_SYMBOL_KNOBS                                                                        \
    {"smoothing", "laplace", CR__KNOB_CHOICE, 0,                                          \
     "none|laplace|laplace-classes|m-estimate|dirichlet",                                          \
     "how P(value | class) is estimated from counts"},                                             \
    {"alpha", "1", CR__KNOB_LISTED, 0, NULL,                                                       \
     "laplace: added to every count; also per column, value, or value and class: "                 \
     "1,COLUMN:0.5,COLUMN:VALUE:2 or COLUMN:VALUE:CLASS:3"},                                       \
    {"m", "1", CR__KNOB_LISTED, 0, NULL, "m-estimate: rows the prior guess is worth"},             \
    {"p", "uniform", CR__KNOB_EITHER, 0, "uniform|marginal|class",                                 \
     "m-estimate: the prior guess: 1/values, the value's share in all classes, the class's share " \
     "of the rows, or a number"},                                                                  \
    {"beta", "2", CR__KNOB_LISTED, 0, NULL,                                                        \
     "dirichlet: parameters of the prior, at least 1; also per column, value, or value and "       \
     "class: COLUMN:VALUE:3 or COLUMN:VALUE:CLASS:4"},                                             \
    {"prior", "empirical", CR__KNOB_LISTED, 0, NULL,                                               \
     "P(class): empirical, uniform, map (with prior-beta), or CLASS:P,CLASS:P,…"},                 \
    {"prior-beta", "2", CR__KNOB_LISTED, 0, NULL,                                                  \
     "prior=map: parameters of the Dirichlet prior, also per class: 2,CLASS:3"}
/* clang-format on */

/* clang-format off */
#define CR__NB_EVENT_KNOBS                                                                         \
    {"unseen", "skip", CR__KNOB_CHOICE, 0, "skip|smooth",                                          \
     "a value never seen: left out, or smoothed as one more value"},                               \
    {"event", "multinomial", CR__KNOB_CHOICE, 0,                                                   \
     "multinomial|boolean|bernoulli|complement|weighted-complement", "texts: the event model"},    \
    {"text-smoothing", "additive", CR__KNOB_CHOICE, 0, "additive|jelinek-mercer|dirichlet",        \
     "texts: how P(word | class) is smoothed"},                                                    \
    {"text-alpha", "same", CR__KNOB_EITHER, 0, "same|auto",                                        \
     "texts: added to every count; auto: by leaving one out; same: as alpha"},                     \
    {"lambda", "0.5", CR__KNOB_NUMBER, 0, NULL, "jelinek-mercer: share of the whole vocabulary"},  \
    {"mu", "2000", CR__KNOB_NUMBER, 1e-9, NULL, "dirichlet: words the prior is worth"},            \
    {"text-length", "none", CR__KNOB_EITHER, 1, "none",                                            \
     "texts: longer ones count as if they had this many words; headers and body of mail apart"},   \
    {"text-alike", "1", CR__KNOB_NUMBER, 0, NULL,                                                  \
     "texts: n words with about the same odds count like n^P; headers and body of mail apart"}
/* clang-format on */

/* Parameters of one real column, arrays by class. With x the value and d = x - mean:
 *   Gaussian   log p = base - power * d^2          power = 1 / (2 variance), freedom = 0
 *   Student-t  log p = base - power * log1p(d^2 * inverse)   power = (freedom + 1) / 2 */
typedef struct cr__nb_real {
    const double *base, *mean, *power, *inverse, *freedom;
} cr__nb_real;

enum { CR__NB_REAL_ARRAYS = 5 };

typedef struct cr__nb_column {
    cr_kind kind;        /* CR_IGNORE for columns that are not features */
    size_t values;       /* of a symbol column */
    const double *log_p; /* symbol: [(values + 2) * classes] by value code: row 0 for missing, all
                            0; then the values; the last for a value never seen */
    cr__nb_real real;
    int cut;           /* real: cut into intervals, which have log_p like values */
    cr__nb_kde *kde;   /* real: a kernel density; NULL: none */
    cr__nb_text *text; /* of a bag column */
    double *own;       /* the memory behind log_p or real, or NULL when it is borrowed */
} cr__nb_column;

typedef struct cr__nb {
    size_t classes, columns;
    const double *log_prior; /* [classes] */
    double *own_prior;
    cr__nb_column *column;    /* [columns] */
    cr__nb_bins *bins;        /* [columns] of cut columns, or NULL: nothing is cut */
    struct cr__nb_pace *pace; /* state for updates row by row, or NULL: follow.c */
} cr__nb;

void cr__nb_free(void *fitted);

/* One factor of the product for a symbol: (count + plus) / (total + plus_total). */
typedef struct cr__nb_rule {
    double plus, plus_total;
} cr__nb_rule;

/* What the smoothing knobs add for a value of a column in a class; value SIZE_MAX is one never
 * seen. */
cr__nb_rule cr__nb_smoothing(const cr__stats *stats, const cr__knobs *knobs, size_t column,
                             size_t value, size_t class_index);

/* Whether what is added depends on the column alone: not on the value, the class, or counts. */
int cr__nb_smooths_alike(const cr__knobs *knobs);

/* What prior=map adds to the rows of a class. */
double cr__nb_prior_plus(const cr__stats *stats, const cr__knobs *knobs, size_t class_index);
int cr__nb_is_left_out(const cr__stats *stats, const cr__knobs *knobs, size_t column, size_t value);
double cr__nb_ratio(double top, double bottom, double uniform);
cr_status cr__nb_check_smoothing(const cr__stats *stats, const cr__knobs *knobs, cr_error *err);

/* Total of a column's counts with a class: the rows of that class that have a value. */
double cr__nb_total(const cr__stats *stats, size_t column, size_t class_index);

/* log_p of a symbol column, [(values + 2) * classes]. */
void cr__nb_fit_symbol(const cr__stats *stats, const cr__knobs *knobs, size_t column,
                       double *log_p);

/* P(class) by the knob `prior`; top and bottom are the fraction behind it. */
cr_status cr__nb_fit_prior(const cr__stats *stats, const cr__knobs *knobs, double *log_prior,
                           double *top, double *bottom, cr_error *err);

/* The five arrays of every real column, each [5 * classes], NULL for the others. form may be
 * NULL. */
cr_status cr__nb_fit_reals(const cr__stats *stats, const cr__knobs *knobs, const cr__nb_form *form,
                           double **arrays, cr_error *err);
cr__nb_real cr__nb_real_arrays(const double *own, size_t classes);

extern const cr__follows cr__nb_follows;
cr_status cr__nb_score_changes(const cr__stats *stats, const cr__knobs *knobs,
                               cr__bag_changes *const *changes, const cr__batch *row, double *score,
                               cr_error *err);
extern const cr__is_uncertain cr__nb_uncertain;

/* The parameter of the Dirichlet prior for a value in a class; SIZE_MAX is one never seen. */
double cr__nb_parameter(const cr__stats *stats, const cr__knobs *knobs, size_t column, size_t value,
                        size_t class_index);
void cr__nb_pace_free(struct cr__nb_pace *pace);

cr_status cr__nb_score(const void *fitted, void *state, const cr__batch *batch, double *score,
                       cr_error *err);
double cr__nb_log_density(const cr__nb_real *real, size_t c, double x);

cr_status cr__nb_factors(const void *fitted, void *state, const cr__stats *stats,
                         const cr__knobs *knobs, const cr__batch *batch, size_t row,
                         cr_factor *factor, size_t *count, double *work, cr_error *err);
enum { CR__NB_FACTOR_WORK = 5 };
extern const cr__detail cr__nb_detail;

double cr__nb_information(const void *fitted, size_t column);

cr_status cr__nb_network(struct cr__network **out, const void *fitted, const cr_schema *schema,
                         cr__dict *const *dict, cr_error *err);
cr_status cr__nb_measure(const void *fitted, const cr__knobs *knobs, const cr_schema *schema,
                         const cr__question *question, cr__scaled *mass, cr_error *err);

/* ln P(data), and the part of the real features, which is added to sum. */
cr_status cr__nb_evidence(const cr__stats *stats, const cr__knobs *knobs, double *log_evidence,
                          cr_error *err);
cr_status cr__nb_real_evidence(const cr__stats *stats, const cr__knobs *knobs, double *sum,
                               cr_error *err);

cr_status cr__nb_linear(const void *fitted, const cr__stats *stats, const cr__knobs *knobs,
                        cr__linear *out, cr_error *err);

void cr__nb_save(const void *fitted, cr__draft *draft);
cr_status cr__nb_open(void **fitted, const cr__container *container, const cr_schema *schema,
                      const size_t *values, size_t classes, cr_error *err);

#endif
