/* model/learner.h - the learner contract: what the rest of the system needs of a learner.
 *
 * A learner turns statistics and knobs into fitted parameters and scores rows with them: the score
 * of a class is log P(class, row). It is one const table. What every learner has is in the table
 * itself; what only some can do is in small tables of their own, where NULL means that the learner
 * cannot do it. Other code asks what a learner can do, never which learner it is.
 *
 * A new learner is a file or a folder in learners/, such a table and a line in
 * learners/registry.c. Training, merging, saving, predicting and testing are the same for all.
 */
#ifndef CR_MODEL_LEARNER_H
#define CR_MODEL_LEARNER_H

#include "base/random.h"
#include "base/knobs.h"
#include "credence/explain.h"
#include "credence/linear.h"
#include "data/container.h"
#include "data/table.h"
#include "model/question.h"
#include "source/source.h"
#include "stats/bag_changes.h"
#include "stats/stats.h"

/* --- what it is fitted on --------------------------------------------------------------------- */

typedef enum cr__rows_use {
    CR__ROWS_NONE,
    CR__ROWS_ONCE,  /* in training, to choose something that is kept when rows are learned later */
    CR__ROWS_ALWAYS /* it is fitted on the rows themselves: it may learn from new rows later, but
                     * cannot unlearn or merge */
} cr__rows_use;

/* What is collected for a learner in one pass. Every learner has the counts of the classes, the
 * counts of the values of each symbol by class, the exact moments of each real column by class and
 * the words of each text by class. */
typedef struct cr__needs {
    int values;          /* the numbers of real columns one by one */
    cr__cross_use cross; /* products of pairs of columns */
    int tuples;          /* how often values of each two features occur together, by class (3: also
                            of each three, unless the features are too many: then cells), */
    int cells;           /* or the cells of a joint table; real columns are cut into intervals, */
    int whole;           /* unless this is set: then the cells leave them whole */
    cr__rows_use rows;   /* the rows themselves, */
    size_t rows_most;    /* a sample of so many of them suffices; 0: all */
    int stream;          /* instead of rows: the source, which the learner reads again itself */
} cr__needs;

/* Whether real columns are counted by intervals. */
static inline int cr__needs_cuts(const cr__needs *needs)
{
    return needs->tuples || needs->cells;
}

/* Answers to rows by models that have not seen them, from a learner that makes such models while it
 * is fitted. Other learners leave it empty. */
typedef struct cr__unseen {
    size_t rows_least; /* of fewer rows answers are not wanted */
    size_t rows;
    double *score;  /* [rows * classes] log P(class | row) */
    int32_t *truth; /* [rows] classes */
    double *weight; /* [rows] */
} cr__unseen;

void cr__unseen_free(cr__unseen *unseen);

/* What a learner is fitted on. */
typedef struct cr__fit_input {
    const cr__stats *stats; /* fitted parameters may borrow from them */
    const cr__knobs *knobs;
    const cr__table *rows; /* for a learner that needs them, with the codes of the statistics;
                              NULL when none are at hand: a knob is changed later on */
    const void *before;    /* what was fitted before, or NULL: where to begin, */
    const cr__stats *before_stats; /* the statistics that it has its codes from */
    const cr__knobs *before_knobs; /* and, when knobs are changed, what they were; else NULL */
    const void *start; /* what another model of this learner and these columns has fitted: */
    const cr__stats *start_stats; /* the start of a search, without other influence; or NULL */
    const cr_run *run;            /* threads and seed; may be NULL */
    cr_source *source; /* for a learner that streams: to be rewound and read; else NULL */
    const struct cr__recipe *recipe; /* and what the words of its texts are */
    cr__unseen *unseen;              /* to be filled, or NULL: not wanted */
} cr__fit_input;

/* --- what only some learners can do ------------------------------------------------------------
 */

/* Scores of rows. Each worker opens a state of its own, so that scoring needs no locks and
 * expensive preparation is done once. */
typedef struct cr__scores {
    /* NULL when no state is needed; then it is NULL too, and close is not called. */
    cr_status (*open)(void **state, const void *fitted, cr_error *err);
    void (*close)(void *state);

    /* For a learner that reads texts itself: complete a plan that has the schema and the
     * dictionaries. NULL: the words are looked up in has_words->words. */
    void (*plan)(void *state, cr__plan *plan);

    /* score[row * classes + class] = log P(class, row), the factors added in their order: the
     * prior, then the columns. Nothing is NaN. A row's scores do not depend on other rows. */
    cr_status (*score)(const void *fitted, void *state, const cr__batch *batch, double *score,
                       cr_error *err);
} cr__scores;

/* Real targets, for a learner that has these instead of classes and scores. The state is as in
 * cr__scores. */
typedef struct cr__regresses {
    cr_status (*open)(void **state, const void *fitted, cr_error *err);
    void (*close)(void *state);
    cr_status (*regress)(const void *fitted, void *state, const cr__batch *batch,
                         cr_regression *out, cr_error *err);

    /* For a mean that is a sum over the columns: the contribution of each to the answer in e for a
     * row, into share, [columns]; and their number, the base, the noise, the rows and the leverage
     * into e. NULL: the mean is not a sum. */
    void (*shares)(const void *fitted, const cr__batch *batch, size_t row,
                   cr_regression_share *share, cr_regression_explanation *e);
} cr__regresses;

/* Details behind the factors of a row besides their logarithms: the counts of fractions, the path
 * in a tree, the models of a mean. The state is made once and serves many rows, in one thread; what
 * row() adds to the factors and the explanation belongs to it until the next row. */
typedef struct cr__detail {
    cr_status (*open)(void **state, const void *fitted, const cr__stats *stats,
                      const cr__knobs *knobs, cr_error *err);
    cr_status (*row)(void *state, const cr__batch *batch, size_t row, cr_factor *factor,
                     cr_explanation *e, cr_error *err);
    void (*close)(void *state); /* NULL is allowed */
} cr__detail;

/* Explanations: the factors whose logarithms score adds up for one row, [1 + columns] with their
 * arrays, which are owned by work. Columns that are not features are left out. */
typedef struct cr__explains {
    cr_status (*factors)(const void *fitted, void *state, const cr__stats *stats,
                         const cr__knobs *knobs, const cr__batch *batch, size_t row,
                         cr_factor *factor, size_t *count, double *work, cr_error *err);
    size_t work;                        /* doubles per factor and class */
    size_t (*more)(const void *fitted); /* factors besides one for each column and one for the
                                           prior; NULL: none */
    const cr__detail *detail;           /* NULL: the factors are all there is */
    cr_explanation_form form;           /* how the score follows from them */
} cr__explains;

/* Texts. */
typedef struct cr__has_words {
    /* The vocabulary of a bag column. */
    const cr__words *(*words)(const void *fitted, size_t column);

    /* What one word adds to the score of a class when it occurs once; NaN when it is left out. */
    double (*share)(const void *fitted, size_t column, size_t word, size_t class_index);

    /* The shares of a text's words (sorted, repeats together), for explanations: one per different
     * word into share, whose log_p are in work, [words * classes]. Returns how many. */
    size_t (*shares)(const void *fitted, size_t column, const uint32_t *word, size_t n,
                     cr_word_share *share, double *work);
} cr__has_words;

/* Distributions of the values of a column given the class. */
typedef struct cr__has_values {
    double (*probability)(const void *fitted, size_t column, size_t value, size_t class_index);

    /* The intervals of a real column chosen by fitting, counted by class; NULL: it has none. May be
     * NULL itself. */
    const cr__column_stats *(*binned)(const void *fitted, size_t column);
} cr__has_values;

/* Normal distributions of real columns given the class. */
typedef struct cr__has_normals {
    /* The fitted part of *out; the rest is the data's and filled already. */
    void (*gaussian)(const void *fitted, size_t column, size_t class_index, cr_gaussian *out);

    /* The covariance of two real columns given a class; NULL: they are not jointly normal. */
    double (*covariance)(const void *fitted, size_t a, size_t b, size_t class_index);
} cr__has_normals;

struct cr__network; /* network/graph/network.h */

/* A joint distribution that can be queried. */
typedef struct cr__has_joint {
    /* P(outcome and condition) of each outcome of a question. */
    cr_status (*measure)(const void *fitted, const cr__knobs *knobs, const cr_schema *schema,
                         const cr__question *question, cr__scaled *p, cr_error *err);

    /* Whether a real column is a number to the distribution although it has a dictionary, and
     * measure can give its mean and its spread. NULL: never. */
    int (*is_number)(const void *fitted, size_t column);

    /* The same distribution as a Bayesian network whose nodes are the columns that take part, in
     * their order; the words of their values are in dict, [columns]. NULL when there never is one;
     * CR_ECONFLICT, with the reason, when there is none for these parameters. */
    cr_status (*network)(struct cr__network **out, const void *fitted, const cr_schema *schema,
                         cr__dict *const *dict, cr_error *err);
} cr__has_joint;

/* Scores of rows as if each had not been learned: leave-one-out without a model for each row. */
typedef struct cr__leaves_one_out {
    /* CR_EARG: with these knobs it cannot be done. The state is of one thread. */
    cr_status (*open)(void **state, const void *fitted, const cr__stats *stats,
                      const cr__knobs *knobs, cr_error *err);
    /* done[row] = 0 where a model without the row is needed after all. */
    void (*score)(void *state, const cr__batch *batch, double *score, unsigned char *done);
    void (*close)(void *state);
} cr__leaves_one_out;

/* Scores under parameters that are drawn from their posterior. */
typedef struct cr__is_uncertain {
    /* CR_EARG: with these knobs or columns the posterior is not known. The state is of one thread.
     */
    cr_status (*open)(void **state, const void *fitted, const cr__stats *stats,
                      const cr__knobs *knobs, cr_error *err);
    void (*row)(void *state, const cr__batch *batch, size_t row); /* the row to score, */
    /* log P(class, row) up to a number that is the same for all classes, any number of times. */
    void (*draw)(void *state, cr__random *random, double *score);
    /* Whether the class's probability is Beta(a, b). */
    int (*exact)(const void *state, size_t class_index, double *a, double *b);
    void (*close)(void *state);
} cr__is_uncertain;

/* Parameters that are updated in place when one row is added to or removed from the statistics: bit
 * for bit the same as fitting again. */
typedef struct cr__follows {
    /* Before the statistics change, with the real values of the row, [columns]: prepare, or return
     * CR_END when a full fit is needed after all. */
    cr_status (*open)(void *fitted, const cr__stats *stats, const cr__knobs *knobs,
                      const double *real);
    /* After it: the row with these values, codes by the statistics' dictionaries, and its class has
     * been added or removed. CR_ENOMEM: the parameters are unchanged. */
    cr_status (*follow)(void *fitted, const cr__stats *stats, const cr__knobs *knobs,
                        const double *real, const uint32_t *code, size_t class_index, int sign);
    /* The scores of a row with texts alone, whose words have the numbers of the changes, [columns],
     * by the counts as they are now: bit for bit those that fitting again would give. CR_END: they
     * cannot be had without. NULL: never. */
    cr_status (*score_texts)(const cr__stats *stats, const cr__knobs *knobs,
                             cr__bag_changes *const *changes, const cr__batch *row, double *score,
                             cr_error *err);
} cr__follows;

/* A model as the weights of a logistic regression: what each value adds to the log-odds of class s
 * + 1 against the first, s < sets. All arrays are allocated and zeroed, ready to be filled. */
typedef struct cr__linear {
    size_t sets;
    double *intercept; /* [sets] */
    double **column;   /* [columns] real: [2 * sets], the weight of the value and what a missing one
                          adds; symbol: [(values + 2) * sets]: missing, the values, one never seen;
                          text: [(words + 1) * sets]: once for every text, then the words */
} cr__linear;

/* Settings that sums show to be best. */
typedef struct cr__advice {
    size_t count;
    char setting[3][60]; /* KNOB=VALUE */
} cr__advice;

/* Settings that a learner gets unasked on data of a size for them: its best ones, which the
 * textbook form of the learner lacks. */
typedef struct cr__usual {
    const char *setting[3]; /* KNOB=VALUE, up to NULL */
    const char *unless;     /* knobs, between blanks: who gives one of them has chosen */
    int numbers;            /* they are about real features, whose numbers must be kept for them, */
    int texts;              /* or about texts */
    uint64_t rows_least;    /* with fewer there is too little to choose by */
    uint64_t rows_most;     /* beyond these it would take too long, */
    uint64_t cells_most;    /* or beyond so many numbers in all rows, 0: any number, */
    double words_most;  /* or so many different words, counted once for each class where there are
                         * more than two; 0: any number */
    const char *beyond; /* what happens there, for a note, or NULL */
} cr__usual;

enum { CR__USUALS_MOST = 2, CR__USUAL_SETTINGS_MOST = 3 * CR__USUALS_MOST };

/* A line of a drawing, indented by depth. */
typedef void cr__line_visit(void *context, size_t depth, const char *text);

/* --- the table ---------------------------------------------------------------------------------
 */

typedef struct cr__learner {
    const char *name;    /* in specifications of learners and in model files */
    const char *summary; /* one line for help */
    const cr__knob_spec *knobs;
    size_t knob_count;
    cr__target_use target; /* what it learns: classes, a real number, or nothing in particular */

    cr__needs needs; /* with the knobs at their defaults, */
    void (*needs_with)(const cr__knobs *knobs, cr__needs *needs); /* and what knobs change; or NULL:
                                                                     see cr__learner_needs() */

    const struct cr__learner *of_numbers; /* takes over when columns stay whole and the target is
                                             real; or NULL */
    const char *other_knob;               /* a knob that belongs to another learner, */
    const struct cr__learner *other;      /* which takes over when it is set; or NULL */

    const cr__usual *usual[CR__USUALS_MOST]; /* up to NULL */

    int absent;    /* a column absent from the data is treated like a missing value */
    int starts;    /* its search can begin at another model: cr__fit_input.start */
    int of_models; /* it is made of models, not of data, */
    /* and this is the one of them whose counts tell most, if there is one that has the classes of
     * the whole, in the same order; NULL: none. May be NULL. */
    const struct cr_model *(*spokesman)(const void *fitted);

    /* Fitted parameters. NULL when the learner is not trained on data: then it has no statistics,
     * and refit applies changed knobs in place, all or nothing. */
    cr_status (*fit)(void **fitted, const cr__fit_input *input, cr_error *err);
    cr_status (*refit)(void *fitted, const cr__knobs *knobs, cr_error *err);
    void (*free)(void *fitted);

    /* Whether with these knobs what a word adds follows from its own counts and the totals of its
     * column (cr__bag_totals), so that words may be stored separately: see store/. NULL: never. */
    int (*words_apart)(const cr__knobs *knobs);

    /* The tags of its own sections in a model file, separated by blanks. */
    const char *sections;

    /* Into sections of a model file (borrowed until it is written), and back: opened parameters
     * borrow from the file. */
    void (*save)(const void *fitted, cr__draft *draft);
    cr_status (*open)(void **fitted, const cr__container *file, const cr_schema *schema,
                      const size_t *values, size_t classes, cr_error *err);

    /* Knobs that say how to answer, given to parameters that were opened. May be NULL. */
    cr_status (*settle)(void *fitted, const cr__knobs *knobs, cr_error *err);

    /* Knobs that leave a choice to fitting, set to what was chosen. NULL: there are none. */
    cr_status (*settled)(const void *fitted, cr__knobs *knobs, cr_error *err);

    /* The settings, added to *out, that its sums alone show to be best, by leaving out one row or
     * by the evidence; none where there is nothing to choose. NULL: rows would be needed. */
    cr_status (*advise)(const void *fitted, const cr__stats *stats, const cr__knobs *knobs,
                        cr__advice *out, cr_error *err);

    /* P(class) before a row is seen. NULL: uniform. */
    double (*prior)(const void *fitted, size_t class_index);

    /* Free parameters; NaN when out of memory. stats is NULL when the learner has none. */
    double (*parameters)(const void *fitted, const cr__stats *stats, const cr__knobs *knobs);

    /* The information of a column about the class, in bits. NULL: not known. */
    double (*information)(const void *fitted, size_t column);

    /* More facts than the statistics give. May be NULL; so may stats. */
    void (*facts)(const void *fitted, const cr__stats *stats, cr_model_facts *out);

    /* Notes for users about the fit, one sentence for each index from 0 on; 0 past the last. May be
     * NULL. */
    int (*remark)(const void *fitted, const cr_schema *schema, cr__dict *const *dict, size_t index,
                  char *buffer, size_t size);

    const cr__scores *scores;       /* either this */
    const cr__regresses *regresses; /* or this */
    const cr__explains *explains;
    const cr__has_words *has_words;
    const cr__has_values *has_values;
    const cr__has_normals *has_normals;
    const cr__has_joint *has_joint;
    const cr__leaves_one_out *leaves_one_out;
    const cr__follows *follows;
    const cr__is_uncertain *is_uncertain;

    /* log P(data), all parameters integrated out under their priors. */
    cr_status (*has_evidence)(const cr__stats *stats, const cr__knobs *knobs, double *log_evidence,
                              cr_error *err);

    /* What was learned as lines of text: a tree, a structure. */
    cr_status (*draws)(const void *fitted, const cr_schema *schema, cr__dict *const *dict,
                       cr__line_visit *line, void *context, cr_error *err);

    /* The same posteriors as a linear form. CR_ECONFLICT, with the reason, when there is none for
     * these parameters. */
    cr_status (*is_linear)(const void *fitted, const cr__stats *stats, const cr__knobs *knobs,
                           cr__linear *out, cr_error *err);
} cr__learner;

/* What to collect for a learner with these knobs. */
cr__needs cr__learner_needs(const cr__learner *learner, const cr__knobs *knobs);

/* What a learner gets unasked beside these parameters on columns like these: found[0 ..
 * CR__USUALS_MOST
 * - 1], each NULL where it does not get it. */
void cr__learner_usual(const cr__usual **found, const cr__learner *learner,
                       const char *const *params, size_t count, const cr_schema *schema);

/* How many rows there may be for it, and whether there are neither too few nor too many, nor too
 * many different words of texts. */
uint64_t cr__usual_rows_most(const cr__usual *usual, const cr_schema *schema);
int cr__usual_suits(const cr__usual *usual, const cr_schema *schema, uint64_t rows, size_t words,
                    size_t classes);

#endif
