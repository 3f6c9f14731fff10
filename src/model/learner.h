/* model/learner.h - what the rest of the system needs of a learner: one const table of functions.
 *
 * A learner turns statistics and knobs into fitted parameters, and scores rows with them: the
 * score of a class is log P(class, row). A new learner is a folder, a table like this and a line in
 * the registry; training, merging, saving, predicting and testing are the same for all.
 */
#ifndef CR_MODEL_LEARNER_H
#define CR_MODEL_LEARNER_H

#include "credence/explain.h"
#include "data/table.h"
#include "model/question.h"
#include "data/container.h"
#include "base/knobs.h"
#include "source/source.h"
#include "stats/stats.h"

/* What a learner is fitted on. */
typedef struct cr__fit_input {
    const cr__stats *stats; /* fitted parameters may borrow from them */
    const cr__knobs *knobs;
    const cr__table *rows; /* for a learner that asks for them, with the codes of the statistics;
                              NULL when none are at hand: a knob is turned later on */
    const void *before;    /* what was fitted before, when there is something: where to begin, */
    const cr__stats *before_stats; /* and the statistics that it has its codes from */
    const cr__knobs *before_knobs; /* and, when knobs are turned, what they were; else NULL */
    const void *start; /* what another model of this learner and these columns has fitted, for */
    const cr__stats *start_stats; /* a search to begin at; it leaves no other trace. Else NULL */
    const cr_run *run;            /* threads and seed; may be NULL */
    cr_source *source; /* for a learner that streams: to be rewound and read; else NULL */
    const struct cr__recipe *recipe; /* and what the words of its texts are */
} cr__fit_input;

/* A line of a picture, so far from the left. */
typedef void cr__line_visit(void *context, size_t depth, const char *text);

/* A model as the weights of a logistic regression: what each value adds to the log-odds of class
 * s + 1 against the first, s < sets. All arrays are there, full of zeros, to be filled. */
typedef struct cr__linear {
    size_t sets;
    double *intercept; /* [sets] */
    double **column;   /* [columns] real: [2 * sets], the weight of the value and what a missing one
                          adds; symbol: [(values + 2) * sets]: missing, the values, one never seen;
                          text: [(words + 1) * sets]: once for every text, then the words */
} cr__linear;

/* Scores of rows as if each had not been learned. Learners that have this can leave one out without
 * a model for each row. */
typedef struct cr__without {
    /* CR_EARG: with these knobs it cannot be done. The state is of one thread. */
    cr_status (*open)(void **state, const void *fitted, const cr__stats *stats,
                      const cr__knobs *knobs, cr_error *err);
    /* done[row] = 0 where a model without the row is needed after all. */
    void (*score)(void *state, const cr__batch *batch, double *score, unsigned char *done);
    void (*close)(void *state);
} cr__without;

/* What stands behind the factors of a row besides their logarithms: the counts of fractions, the
 * path in a tree, the models of a mean. The state is made once and serves many rows, in one thread;
 * what row() adds to the factors and the explanation belongs to it until the next row. */
typedef struct cr__detail {
    cr_status (*open)(void **state, const void *fitted, const cr__stats *stats,
                      const cr__knobs *knobs, cr_error *err);
    cr_status (*row)(void *state, const cr__batch *batch, size_t row, cr_factor *factor,
                     cr_explanation *e, cr_error *err);
    void (*close)(void *state); /* NULL is allowed */
} cr__detail;

struct cr__network; /* network/network.h */

typedef struct cr__learner {
    const char *name;    /* for -m, and in model files */
    const char *summary; /* one line for help */
    const cr__knob_spec *knobs;
    size_t knob_count;
    cr__target_use target; /* what it learns: classes, a real number, or nothing in particular */
    int cells;             /* its statistics are the cells of a joint table */
    cr__cross_use cross;   /* its statistics have these products of pairs besides */
    /* Whether with these knobs the cells leave real columns whole, and their products (cross.h,
     * CR__CROSS_REALS) are gathered besides. NULL: never. */
    int (*numbers)(const cr__knobs *knobs);
    const struct cr__learner *of_numbers; /* what takes over where then the target is real */

    int rows; /* it is fitted on the rows themselves, besides statistics of the usual kind; it can
                 go on learning from new rows, but take nothing back and merge with nothing */

    /* Whether with these knobs it wants the rows once, in training, to choose something from them
     * that it keeps when only statistics are at hand later. NULL: never. */
    int (*asks_rows)(const cr__knobs *knobs);

    /* Whether with these knobs it reads the source again itself instead of having rows. NULL:
     * never. */
    int (*streams)(const cr__knobs *knobs);

    /* Fitted parameters. NULL when the learner is not trained on data: then it has no statistics,
     * and refit turns knobs in place, all or nothing. */
    cr_status (*fit)(void **fitted, const cr__fit_input *lesson, cr_error *err);
    cr_status (*refit)(void *fitted, const cr__knobs *knobs, cr_error *err);
    void (*free)(void *fitted);

    /* Into sections of a model file (borrowed until it is written), and back: opened parameters
     * borrow from the image. */
    void (*save)(const void *fitted, cr__draft *draft);
    cr_status (*open)(void **fitted, const cr__container *image, const cr_schema *schema,
                      const size_t *values, size_t classes, cr_error *err);

    /* score[row * classes + class] = log P(class, row), the factors added in their order: the
     * prior, then the columns. Nothing is NaN. */
    void (*score)(const void *fitted, const cr__batch *batch, double *score);

    /* The same for a learner that may run out of memory over it; then score is NULL. */
    cr_status (*try_score)(const void *fitted, const cr__batch *batch, double *score,
                           cr_error *err);

    /* For a learner of numbers, which has no classes and no score: the target of each row. */
    cr_status (*regress)(const void *fitted, const cr__batch *batch, cr_regression *out,
                         cr_error *err);

    /* Knobs that say how to answer, told to parameters that were opened. May be NULL. */
    cr_status (*settle)(void *fitted, const cr__knobs *knobs, cr_error *err);

    int absent; /* a column that data lack altogether is as good as a value that a row lacks */

    const cr__without *without; /* or NULL */

    /* The factors of the product that score would add up for one row, [1 + columns] with their
     * arrays, which are owned by work. Columns that are not features are left out. */
    cr_status (*factors)(const void *fitted, const cr__stats *stats, const cr__knobs *knobs,
                         const cr__batch *batch, size_t row, cr_factor *factor, size_t *count,
                         double *work, cr_error *err);
    size_t factor_work;       /* doubles of work per factor and class */
    const cr__detail *detail; /* or NULL: the factors say it all */
    cr_explanation_form form; /* how the score follows from them */

    /* The vocabulary of a bag column. */
    const cr__words *(*words)(const void *fitted, size_t column);

    /* What one word adds to the score of a class when it occurs once; NaN when it is left out. */
    double (*word_share)(const void *fitted, size_t column, size_t word, size_t class_index);

    /* The shares of a text's words (sorted, repeats together), for explanations: one per different
     * word into share, whose log_p are in work, [words * classes]. Returns how many. */
    size_t (*word_shares)(const void *fitted, size_t column, const uint32_t *word, size_t n,
                          cr_word_share *share, double *work);

    double (*prior)(const void *fitted, size_t class_index);
    double (*probability)(const void *fitted, size_t column, size_t value, size_t class_index);
    void (*gaussian)(const void *fitted, size_t column, size_t class_index, cr_gaussian *out);
    /* The covariance of two real columns given a class; NULL where these are not jointly normal. */
    double (*covariance)(const void *fitted, size_t a, size_t b, size_t class_index);
    /* The intervals of a real column that fitting has cut, counted by class; NULL: it is not. May
     * be NULL itself. */
    const cr__column_stats *(*binned)(const void *fitted, size_t column);
    double (*information)(const void *fitted, size_t column);
    double (*parameters)(const cr__stats *stats, const cr__knobs *knobs);

    double (*fitted_parameters)(const void *fitted); /* instead of the one above, where known only
                                                        after fitting */

    /* What was learned as lines of text, when it has a form: a tree, a structure. May be NULL. */
    cr_status (*draw)(const void *fitted, const cr_schema *schema, cr__dict *const *dict,
                      cr__line_visit *line, void *context, cr_error *err);

    /* What people should know about the fit, one sentence for each index from 0 on; 0 past the
     * last. May be NULL. */
    int (*remark)(const void *fitted, const cr_schema *schema, cr__dict *const *dict, size_t index,
                  char *buffer, size_t size);

    /* Whether a real column is a number to the joint distribution although it has a dictionary, and
     * measure can tell its mean and its spread. May be NULL: never. */
    int (*is_number)(const void *fitted, size_t column);

    /* The mass of each outcome of an event; NULL when the learner has no joint distribution. */
    cr_status (*measure)(const void *fitted, const cr__knobs *knobs, const cr_schema *schema,
                         const cr__question *event, cr__scaled *mass, cr_error *err);

    /* The same distribution as a Bayesian network whose nodes are the columns that take part, in
     * their order; the words of their values are in dict, [columns]. NULL when there never is one;
     * CR_ECONFLICT, with the reason, when there is none for these parameters. */
    cr_status (*network)(struct cr__network **out, const void *fitted, const cr_schema *schema,
                         cr__dict *const *dict, cr_error *err);

    /* The same posteriors as a linear form; NULL when there never is one. CR_ECONFLICT, with the
     * reason, when there is none for these parameters. */
    cr_status (*linear)(const void *fitted, const cr__stats *stats, const cr__knobs *knobs,
                        cr__linear *out, cr_error *err);

    /* log P(data), all parameters integrated out under their priors; NULL when there is none. */
    cr_status (*evidence)(const cr__stats *stats, const cr__knobs *knobs, double *log_evidence,
                          cr_error *err);
} cr__learner;

extern const cr__learner cr__naive_bayes;
extern const cr__learner cr__joint_table;
extern const cr__learner cr__tan, cr__kdb, cr__pairs, cr__aode_learner; /* model/pairs */
extern const cr__learner cr__tree_learner, cr__version_space;
extern const cr__learner cr__logistic;
extern const cr__learner cr__gaussian_discriminants;
extern const cr__learner cr__linear_regression;

/* Scores by whichever of score and try_score there is. */
cr_status cr__learner_score(const cr__learner *learner, const void *fitted, const cr__batch *batch,
                            double *score, cr_error *err);

/* The learner of that name, or NULL with the nearest in err. */
const cr__learner *cr__learner_find(const char *name, cr_error *err);

#endif
