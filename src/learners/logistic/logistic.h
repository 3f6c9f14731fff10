/* learners/logistic/logistic.h - logistic regression over any mix of real, symbol and text
 * features.
 *
 *     P(c | x)  =  exp(b_c + w_c · x) / Σ_k exp(b_k + w_k · x)
 *
 * fitted to the classes given the features, by maximum conditional likelihood or, with a prior over
 * the weights, by maximum a posteriori. Two classes need one set of weights, the first class having
 * none (the "reference" form); more have a set each (the "softmax" form) unless the knobs say
 * otherwise.
 *
 * Internally, weights are one vector θ: the intercepts of all sets, then for each feature its
 * weight in every set. Features are numbered: reals first, then symbols and texts in the order of
 * columns. A real feature is represented as (x - centre) / spread. Externally, in the model file
 * and for users, weights are those of the unscaled values.
 *
 * With interactions=yes the products of the features of each two columns of reals and symbols, and
 * the squares of reals, are features as well: products.c.
 */
#ifndef CR_LEARNERS_LOGISTIC_LOGISTIC_H
#define CR_LEARNERS_LOGISTIC_LOGISTIC_H

#include "model/learner.h"
#include "learners/naive_bayes/text.h"

/* --- how features are numbered ------------------------------------------------------------- */

typedef enum cr__lr_coding {
    CR__LR_ONE_HOT,   /* an indicator for every value */
    CR__LR_INDICATOR, /* a column of 0 and 1: an indicator for 1 */
    CR__LR_REFERENCE, /* an indicator for every value but the first */
    CR__LR_EFFECT     /* the same but the last, which is -1 in all of them */
} cr__lr_coding;

typedef struct cr__lr_slot {
    cr_kind kind; /* CR_IGNORE for columns that are not features */
    cr__lr_coding coding;
    size_t values;       /* of a symbol column; words of a text */
    size_t first, count; /* its features */
} cr__lr_slot;

/* Two columns whose features are multiplied, a <= b; the same real twice is its square. The product
 * of feature i of a and feature j of b is feature first + i * [features of b] + j. */
typedef struct cr__lr_pair {
    size_t a, b;
    size_t first, count; /* its features */
    size_t weight;       /* where they begin among the weights of all products */
} cr__lr_pair;

typedef struct cr__lr_shape {
    size_t columns, classes;
    size_t sets, first_class; /* set s is of class first_class + s */
    size_t reals;             /* real columns, and */
    size_t dense, features;   /* with the products of these; and all features */
    cr__lr_slot *slot;        /* [columns] */
    size_t pairs, products;   /* products: the features of all pairs */
    cr__lr_pair *pair;        /* [pairs] by a, then b */
    int interactions;         /* products are wanted */
} cr__lr_shape;

cr_status cr__lr_shape_new(cr__lr_shape *out, const cr__stats *stats, const cr__knobs *knobs,
                           cr_error *err);
void cr__lr_shape_free(cr__lr_shape *shape);

/* Number the features of the slots, whose kinds, values and codings are set: reals first and the
 * products of two, then the others in the order of columns, and their products. */
cr_status cr__lr_shape_number(cr__lr_shape *shape, cr_error *err);

static inline size_t cr__lr_parameters(const cr__lr_shape *shape)
{
    return shape->sets * (1 + shape->features);
}

/* How value v (from 0) of a symbol column is coded: calls for features from slot->first on. Entry i
 * of n is feature *feature with *x. */
static inline size_t cr__lr_code_size(const cr__lr_slot *slot, size_t value)
{
    if (slot->coding == CR__LR_ONE_HOT)
        return 1;
    if (slot->coding == CR__LR_EFFECT)
        return value + 1 == slot->values ? slot->count : 1;
    return value > 0;
}

static inline void cr__lr_code(const cr__lr_slot *slot, size_t value, size_t i, size_t *feature,
                               double *x)
{
    const int last = slot->coding == CR__LR_EFFECT && value + 1 == slot->values;
    const int skip = slot->coding == CR__LR_INDICATOR || slot->coding == CR__LR_REFERENCE;

    *feature = slot->first + (last ? i : value - (size_t)skip);
    *x = last ? -1 : 1;
}

/* --- products ------------------------------------------------------------------------------- */

enum { CR__LR_MOST_PRODUCTS = 65536 };

/* List the pairs of columns that the shape is to have. CR_ELIMIT: too many products. */
cr_status cr__lr_pairs_new(cr__lr_shape *shape, cr_error *err);

/* What a row has in the two columns of a pair: numbers less their means, divided by their spreads
 * if `scaled`, or codes. */
typedef struct cr__lr_cells {
    double x[2];      /* of a real; NaN: missing */
    uint32_t code[2]; /* of a symbol */
} cr__lr_cells;

void cr__lr_see_cell(cr__lr_cells *cells, int which, const cr__lr_slot *slot, const double *frame,
                     double real, uint32_t code, int scaled);

/* How many products of the pair are not 0, and the k-th of them: its number within the pair. */
size_t cr__lr_product_count(const cr__lr_shape *shape, const cr__lr_pair *pair,
                            const cr__lr_cells *cells);
size_t cr__lr_product(const cr__lr_shape *shape, const cr__lr_pair *pair, const cr__lr_cells *cells,
                      size_t k, double *x);

/* --- fitted weights ------------------------------------------------------------------------ */

typedef struct cr__lr_text {
    cr__nb_text form;    /* only the vocabulary and the weighting of words are used */
    const double *ratio; /* [words] see cr__lr_text_features, or NULL */
    uint32_t apart;
    const double *once;   /* [sets] added where there is a text: 0 unless converted */
    const double *weight; /* [words * sets] */
    uint32_t *own_index;
    double *own_idf, *own_ratio;
} cr__lr_text;

typedef struct cr__lr_column {
    cr_kind kind;
    size_t values;
    const double *weight; /* real: [2 * sets], the weights and what a missing value adds; symbol:
                             [(values + 2) * sets] by code: missing, the values, one never seen */
    cr__lr_text *text;
    double *own; /* the memory behind the weights, or NULL when it is borrowed */
} cr__lr_column;

/* The outcome of fitting. */
typedef struct cr__lr_outcome {
    double iterations, gradient; /* steps, and the largest partial derivative per row at the end */
    double log_likelihood;       /* ln P(classes | rows) of the training rows, by their weights */
    double objective;            /* that and the log prior, up to a constant */
    double lambda;               /* in use */
    double rows;                 /* the weight of the rows */
    uint32_t solver, prior;
    uint32_t converged, separated; /* separated: 1 by a hyperplane, 2 almost */
    uint32_t origin;               /* CR__LR_... below */
    uint32_t posterior;            /* 0: none, 1: the diagonal, 2: full */
} cr__lr_outcome;

enum { CR__LR_TRAINED, CR__LR_CONVERTED };
enum { CR__LR_NO_POSTERIOR, CR__LR_DIAGONAL, CR__LR_FULL };
enum { CR__LR_LBFGS, CR__LR_GRADIENT, CR__LR_NEWTON, CR__LR_SGD };
enum { CR__LR_GAUSSIAN, CR__LR_LAPLACE, CR__LR_FLAT };

typedef struct cr__lr {
    cr__lr_shape shape;
    cr__lr_outcome outcome;
    const double *share;      /* [classes] of each class in training */
    const double *intercept;  /* [sets] */
    const double *frame;      /* [2 * columns] centre and spread of real columns */
    const double *covariance; /* of θ: [P * P], [P], or NULL */
    const double *trace;      /* [steps] the log likelihood at each step, or NULL */
    size_t steps;
    int moderate;          /* predictions average over the uncertainty of the weights */
    cr__lr_column *column; /* [columns] */
    const double *product; /* [products * sets] weights of products of numbers less their means */
    void *own[6];          /* the memory behind the arrays above, or NULL */
} cr__lr;

enum { CR__LR_OWN_PRODUCT = 5 };

/* Another model whose posteriors are linear, with knobs for it: bridge.c. */
cr_status cr__lr_convert_knobs(cr__knobs *out, const cr_model *model, cr_error *err);
cr_status cr__lr_convert(cr__lr **out, const cr_model *model, const cr__stats *stats,
                         const cr__knobs *knobs, cr_error *err);

/* An empty one of that shape, which it takes over (even on failure). */
cr_status cr__lr_new(cr__lr **out, cr__lr_shape *shape, cr_error *err);
void cr__lr_free(void *fitted);

/* The weights of column i in a block of their own, all 0. */
cr_status cr__lr_own_column(cr__lr *lr, size_t i, const cr__bag *bag, const cr__knobs *knobs,
                            double **weight, cr_error *err);

/* Between θ and the weights outside; lr->frame is known. */
cr_status cr__lr_set_units(cr__lr *lr, const cr__stats *stats, const cr__knobs *knobs,
                           const double *theta, cr_error *err);
void cr__lr_recover(const cr__lr *from, const double *frame, double *theta);

/* --- scoring ------------------------------------------------------------------------------- */

cr_status cr__lr_score(const void *fitted, void *state, const cr__batch *batch, double *score,
                       cr_error *err);
cr_status cr__lr_factors(const void *fitted, void *state, const cr__stats *stats,
                         const cr__knobs *knobs, const cr__batch *batch, size_t row,
                         cr_factor *factor, size_t *count, double *work, cr_error *err);
enum { CR__LR_FACTOR_WORK = 2 };
extern const cr__detail cr__lr_detail;

/* The scores of the sets for a row, [sets], not moderated. */
void cr__lr_score_row(const cr__lr *lr, const cr__batch *batch, size_t row, double *score);

/* What these are multiplied with so that the weights' uncertainty is averaged out: 1 without
 * moderation. */
double cr__lr_moderation(const cr__lr *lr, const cr__batch *batch, size_t row, const double *score);

/* The contribution of a column to the scores of those sets before that. 1 when the value is
 * missing, 2 when it was never seen. */
int cr__lr_share(const cr__lr *lr, size_t column, const cr__batch *batch, size_t row, size_t first,
                 size_t count, double *share);

/* The same of a pair. 1: it adds nothing. */
int cr__lr_pair_share(const cr__lr *lr, const cr__lr_pair *pair, const cr__batch *batch, size_t row,
                      size_t first, size_t count, double *share);
cr__lr_cells cr__lr_cells_of(const cr__lr *lr, const cr__lr_pair *pair, const cr__batch *batch,
                             size_t row, int scaled);

double cr__lr_word_share(const void *fitted, size_t column, size_t word, size_t c);
size_t cr__lr_word_shares(const void *fitted, size_t column, const uint32_t *word, size_t n,
                          cr_word_share *share, double *work);

/* --- the words of a text ------------------------------------------------------------------- */

/* How words become features. A text is scaled to length 1 after its words are weighted; in a
 * message the headers and the body each have length 1, so that a long body does not outweigh the
 * headers. */
typedef struct cr__lr_text_features {
    cr__text_weight weight;
    int unit_length;     /* texts are scaled to length 1 */
    int apart;           /* the words of a message's headers and of its body each */
    const double *idf;   /* [words], or NULL */
    const double *ratio; /* [words] further factors, the size of the log-count ratios, or NULL */
    const uint32_t *end; /* the vocabulary, as in cr__words */
    const char *bytes;
    const unsigned char *chosen; /* [words], or NULL: all */
} cr__lr_text_features;

cr__lr_text_features cr__lr_text_features_of(const cr__lr_text *text);

/* Whether the knobs ask for headers and body separately. */
int cr__lr_apart(const cr__knobs *knobs);

/* The factors that features=log-count-ratio gives to words when length-norm is on; else NULL. */
cr_status cr__lr_ratio(double **out, const cr__lr_shape *shape, const cr__bag *bag,
                       const cr__knobs *knobs, cr_error *err);

/* How often word[i] occurs in a sorted text, and its weight for that. */
size_t cr__lr_run(const uint32_t *word, size_t n, size_t i);
double cr__lr_word_weight(const cr__lr_text_features *how, uint32_t word, size_t count);

/* The factor of the weights of a text: 1, or 1 / their length. */
typedef struct cr__lr_norm {
    double body, head;
} cr__lr_norm;
cr__lr_norm cr__lr_norm_of(const cr__lr_text_features *how, const uint32_t *word, size_t n);
double cr__lr_norm_for(const cr__lr_text_features *how, const cr__lr_norm *norm, uint32_t word);

/* One text's words, sorted, as weighted features: into index and value when they are not NULL.
 * Returns how many. */
size_t cr__lr_weigh_text(const cr__lr_text_features *how, const uint32_t *word, size_t n,
                         size_t first, uint32_t *index, double *value);

/* --- the model file ------------------------------------------------------------------------ */

void cr__lr_save(const void *fitted, cr__draft *draft);
cr_status cr__lr_open(void **fitted, const cr__container *container, const cr_schema *schema,
                      const size_t *values, size_t classes, cr_error *err);

#endif
