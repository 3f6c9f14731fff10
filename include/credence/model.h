/* credence/model.h - learn, change, merge, save and load a model.
 *
 * The statistics are the model. A cr_model keeps the exact counts and sums of what it has learned,
 * so learning is addition and unlearning is subtraction. Two models merge into the model that one
 * pass over both data sets would have given, and every knob can be turned later without the data.
 *
 * A cr_model comes from cr_model_train() or cr_model_load() and is freed with cr_model_free().
 * Functions that take a const model may be called by many threads at once; those that change it
 * require exclusive access. A failed change leaves the model as it was. Returned pointers are
 * borrowed until the model is changed or freed.
 */
#ifndef CREDENCE_MODEL_H
#define CREDENCE_MODEL_H

#include <stdint.h>

#include "credence/run.h"
#include "credence/source.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_model cr_model;

/* Learn from a source. learner is "nb" (NULL) or another of cr_learner_name(); each of params is
 * "KEY=VALUE". CR_EARG: a name is unknown (err has the nearest one). tally may be NULL. */
cr_status cr_model_train(cr_model **out, cr_source *source, const char *learner,
                         const char *const *params, size_t param_count, const cr_run *run,
                         cr_tally *tally, cr_error *err);

/* The same for a learner that searches for its weights (logistic): the search begins at those of
 * start, which may be NULL, and gives the same in fewer steps if start is near. CR_EARG: the
 * learner does not search. CR_ECONFLICT: start is of another learner, or its columns, classes or
 * coding differ. start is borrowed during the call. */
cr_status cr_model_train_from(cr_model **out, cr_source *source, const char *learner,
                              const char *const *params, size_t param_count, const cr_model *start,
                              const cr_run *run, cr_tally *tally, cr_error *err);

/* Learn more, or take back what was learned. Columns are matched by name. CR_ECONFLICT from
 * cr_model_unlearn(): a row was never learned; err names it if the counts can tell. */
cr_status cr_model_learn(cr_model *model, cr_source *source, const cr_run *run, cr_tally *tally,
                         cr_error *err);
cr_status cr_model_unlearn(cr_model *model, cr_source *source, const cr_run *run, cr_tally *tally,
                           cr_error *err);

/* Whether all rows of a source are among those that the model has learned, so that its answers to
 * them say little about other rows. *learned is 1 when they could be taken back and so many
 * different values, words and numbers would go with them that chance does not explain it, or
 * nothing would be left; 0 also where the model's sums cannot tell. The source is read once. */
cr_status cr_model_has_learned(const cr_model *model, cr_source *source, const cr_run *run,
                               int *learned, cr_error *err);

/* About how large a part of the rows the model has learned, by those that can tell: rows with
 * several values, words or numbers that a model of other rows would most likely not know. *share is
 * 0 where too few tell, also where the model has no counts. The source is read into memory. */
cr_status cr_model_share_learned(const cr_model *model, cr_source *source, const cr_run *run,
                                 double *share, cr_error *err);

/* Add all that other has learned. CR_ECONFLICT: the learners differ, or columns differ in kind. */
cr_status cr_model_merge(cr_model *model, const cr_model *other, cr_error *err);

/* Take back all that other has learned; the model of the remaining rows is left. CR_ECONFLICT: as
 * above, or other has learned what this model has not. */
cr_status cr_model_unmerge(cr_model *model, const cr_model *other, cr_error *err);

/* Turn knobs; the data are not needed. */
cr_status cr_model_refit(cr_model *model, const char *const *params, size_t param_count,
                         cr_error *err);

/* Write to path, all or nothing: a failure leaves an existing file as it was. */
cr_status cr_model_save(const cr_model *model, const char *path, cr_error *err);

/* Open a model file. It is mapped, not read. Opening takes the same time for any number of values
 * and classes, apart from one pass over the bytes for the checksums, which CR_LOAD_TRUST skips.
 * CR_EFORMAT: the file is not a sound model. CR_EVERSION: its format is newer than this library. */
enum { CR_LOAD_TRUST = 1, CR_LOAD_BORROW = 2 };
cr_status cr_model_load(cr_model **out, const char *path, unsigned flags, cr_error *err);

/* Write the bytes of the model file to memory. Free *bytes with cr_bytes_free(). */
cr_status cr_model_save_bytes(const cr_model *model, void **bytes, size_t *size, cr_error *err);
void cr_bytes_free(void *bytes); /* NULL is allowed */

/* Open a model from the bytes of its file. Statuses are as for a file. The bytes are copied, unless
 * CR_LOAD_BORROW is among the flags and they are aligned to 64 bytes. Then they are used in place
 * and must stay unchanged as long as the model or a copy of it lives. */
cr_status cr_model_load_bytes(cr_model **out, const void *bytes, size_t size, unsigned flags,
                              cr_error *err);

/* Make a copy of a model. This takes the same short time for any model: both share what they have
 * learned until one of them is changed, which does not affect the other. Each copy must be freed,
 * and different threads may use and change different copies at once. A program that answers while
 * it learns can teach a copy and replace the old model with it when done. */
cr_status cr_model_copy(cr_model **out, const cr_model *model, cr_error *err);

void cr_model_free(cr_model *model); /* NULL is allowed */

/* --- a file that several programs change -------------------------------------------------- */

/* A lock on a model file. A program that changes the file holds the lock while it loads, changes
 * and saves the model, so that no change is lost. Readers need no lock; they see the old file or
 * the new one. The lock is advisory, is held by one cr_lock at a time, and ends with the
 * process. */
typedef struct cr_lock cr_lock;

/* Wait for the lock on the file at path. waiting (may be NULL) is called once if the lock is
 * already held. If there is no such file, or the file system has no locks, there is nothing to
 * hold; this is not a failure. CR_ENOMEM. */
cr_status cr_model_lock(cr_lock **out, const char *path, void (*waiting)(void *context),
                        void *context, cr_error *err);
void cr_model_unlock(cr_lock *lock); /* NULL is allowed */

/* Lock the file at path, load the model, call change, and save the model, all or nothing. If any
 * step fails, the file is unchanged and the status is returned; change may return a status of its
 * own. The model belongs to the call. */
cr_status cr_model_update(const char *path,
                          cr_status (*change)(void *context, cr_model *model, cr_error *err),
                          void *context, cr_error *err);

/* --- what is in it ----------------------------------------------------------------------- */

/* Columns, classes and values are numbered from 0. If there is no such number, or the model is
 * NULL, names are NULL, numbers are NaN, counts are 0, and a status is CR_EARG or CR_END. */

/* The name of its learner. */
const char *cr_model_learner(const cr_model *model);
const char *cr_model_title(const cr_model *model);       /* the learner's title, for display */
const cr_schema *cr_model_schema(const cr_model *model); /* features, target, weight */
size_t cr_model_target(const cr_model *model);           /* column of the schema; SIZE_MAX: none */
const char *cr_model_missing(const cr_model *model);     /* texts that mean missing, as trained */

/* What is done about missing values in addition to what the learner does: "none", "mean", "median",
 * "mode", "model" or "drop". It was set by the parameter impute=HOW of cr_model_train(), which
 * every learner has. */
const char *cr_model_impute(const cr_model *model);

/* Remarks on how the model was fitted, one sentence for each index: a covariance that had to be
 * repaired, a feature that is left out. CR_END past the last. */
cr_status cr_model_remark(const cr_model *model, size_t index, char *buffer, size_t size);

/* A model without a target has one class, without a name (""), that every row belongs to. */
size_t cr_model_classes(const cr_model *model);
const char *cr_model_class(const cr_model *model, size_t class_index); /* its name */
/* The class with this name. CR_EARG: there is none; the hint names the nearest. */
cr_status cr_model_find_class(size_t *out, const cr_model *model, const char *name, cr_error *err);
double cr_model_class_count(const cr_model *model, size_t class_index); /* rows, or weight */
double cr_model_prior(const cr_model *model, size_t class_index);       /* P(class) in use; NaN: a
                                                                         * network cannot compute it
                                                                         * with the memory
                                                                         * allowed */

/* Values of a symbol column: their number, their names, how often each was seen with a class, and
 * P(value | class) in use. */
size_t cr_model_values(const cr_model *model, size_t column);
const char *cr_model_value(const cr_model *model, size_t column, size_t value);
double cr_model_count(const cr_model *model, size_t column, size_t value, size_t class_index);
double cr_model_probability(const cr_model *model, size_t column, size_t value, size_t class_index);

/* A real column given a class: the count, mean and variances of the data, exact except for one
 * rounding, and the mean and variance in use after tying and flooring. */
typedef struct cr_gaussian {
    double count, mean, variance_mle, variance_unbiased;
    double fitted_mean, fitted_variance;
    double freedom;   /* of the Student-t with gaussian=predictive; 0 for a Gaussian */
    double bandwidth; /* of the kernel density that real=kde uses instead; otherwise 0 */
} cr_gaussian;
cr_status cr_model_gaussian(const cr_model *model, size_t column, size_t class_index,
                            cr_gaussian *out);

/* The joint normal distribution in use of some real columns given a class, with all other features
 * integrated out. Gaussian discriminants have one, and so does naive Bayes, whose columns are
 * independent. mean has room for count numbers, covariance for count * count. freedom (may be NULL)
 * is 0 for a Gaussian; otherwise it is a Student-t with that centre and scale. A column that does
 * not vary has variance 0. CR_EARG: a column is not a real feature, or the model has no such
 * distribution. */
cr_status cr_model_normal(const cr_model *model, size_t class_index, const size_t *column,
                          size_t count, double *mean, double *covariance, double *freedom,
                          cr_error *err);

/* Does a Gaussian fit the numbers of a class? Anderson and Darling's test, for models that keep the
 * numbers (values=keep, real=bins:… or kde). CR_EARG: the model keeps only moments. With fewer than
 * 8 rows or 3 different numbers p is 1. */
typedef struct cr_fit_test {
    double rows, a2, p; /* A², corrected for n, and the probability of an A² this large if the
                         * Gaussian fits */
    const char *better; /* what fits better: "kernels", "logarithms", or NULL for neither */
    double gain;        /* nats per row by which it beats the Gaussian, leaving one row out */
} cr_fit_test;
cr_status cr_model_fit_test(const cr_model *model, size_t column, size_t class_index,
                            cr_fit_test *out, cr_error *err);

/* Mean and standard deviation (divided by n - 1) of a real feature over all classes. CR_EARG: it is
 * not a real feature, is cut into intervals, or belongs to a network, which keeps products
 * instead. */
cr_status cr_model_moments(const cr_model *model, size_t column, double *mean, double *deviation);

/* The weight of the rows that have a value in a column. Rows without a class do not count. */
double cr_model_present(const cr_model *model, size_t column);

/* A word of a bag column (a text): its bytes, without a terminating NUL; how often it occurs in a
 * class and in how many documents of the class; and what one occurrence adds to the score of the
 * class, which is NaN for a word that selection leaves out. */
typedef struct cr_word {
    const char *bytes;
    size_t length;
    double terms, documents;
    double log_share;
} cr_word;
size_t cr_model_words(const cr_model *model, size_t column);
cr_status cr_model_word(const cr_model *model, size_t column, size_t word, size_t class_index,
                        cr_word *out);

/* Find up to n words that favour a class most over the others, by P(w | c) log(P(w | c) / P(w | not
 * c)). Writes their numbers into words and returns how many there are. */
size_t cr_model_informative_words(const cr_model *model, size_t column, size_t class_index,
                                  size_t *words, size_t n);

/* What one occurrence of a word adds to the log-odds of a class against the others, each weighted
 * by its prior: +inf if no other class allows the word, NaN if the model does not use it. */
double cr_model_word_odds(const cr_model *model, size_t column, size_t word, size_t class_index);

/* How much a column says about the class: the mutual information I(class; column) in bits under the
 * fitted model. NaN for a text, whose words are measured one by one, and for a real column with
 * more than 512 classes, which would take too long. */
double cr_model_information(const cr_model *model, size_t column);

/* Rank the features by how much they say about the class, most informative first. Features for
 * which this is not known come last, with NaN; so do real columns if there are more than 300
 * classes. out has room for every column of the schema. Returns the number of features. */
typedef struct cr_feature_rank {
    size_t column;
    double bits; /* as cr_model_information() */
} cr_feature_rank;
size_t cr_model_rank_features(const cr_model *model, cr_feature_rank *out);

/* Whether the target is a class, and whether it is a number; a joint table may have no target. */
int cr_model_has_classes(const cr_model *model);
int cr_model_is_regression(const cr_model *model);

/* Whether a column has values with names: a symbol, or a number that the model cuts into intervals.
 */
int cr_model_has_values(const cr_model *model, size_t column);

typedef struct cr_model_facts {
    uint64_t rows;           /* learned and not unlearned */
    double weight;           /* their total weight */
    double parameters;       /* free parameters of the model */
    double joint_parameters; /* of a full joint table over the symbol columns; may be +inf */
    double joint_log10;      /* log10 of that, always finite */
    uint64_t format;         /* version of the model file format */
    char fingerprint[33];    /* of the statistics: equal when the same data were learned */
    char version[16];        /* of the library that wrote it */
    double cells;            /* of a joint table: how many cells were seen; otherwise 0 */
    double incomplete;       /* of a joint table: weight of the incomplete rows, which are left
                              * out */
    double conditional_parameters; /* of a table P(class | symbols); may be +inf, 0: no classes */
    double conditional_log10;      /* log10 of that, always finite */
} cr_model_facts;
/* CR_ENOMEM: out of memory; parameters, weight or cells are not known. CR_EFORMAT: the statistics
 * of a loaded model are damaged. */
cr_status cr_model_get_facts(const cr_model *model, cr_model_facts *out);

/* Draw what the model has learned as lines of text, if it has a form: a tree of dependence, a
 * decision tree, the bounds of a version space. line is called for each, with its depth of
 * indentation. CR_EARG: the model has no such form. */
cr_status cr_model_draw(const cr_model *model,
                        void (*line)(void *context, size_t depth, const char *text), void *context,
                        cr_error *err);

/* ln P(data): the log probability of the learned rows, one by one in their order, with all
 * parameters integrated out under the priors that the knobs describe. It compares models of the
 * same data. CR_EARG: the model has no such number. */
cr_status cr_model_evidence(const cr_model *model, double *log_evidence, cr_error *err);

/* A knob: its name, its value in use, the default, and what it does. CR_END past the last. */
typedef struct cr_knob {
    const char *name, *value, *fallback, *help;
    const char *choices; /* "one|two|three", or NULL */
} cr_knob;
cr_status cr_model_knob(const cr_model *model, size_t index, cr_knob *out);

/* The names and summaries of all learners, for help; NULL past the last. cr_learner_knob() gives
 * the knobs of a learner; CR_END past the last, CR_EARG for an unknown learner. */
const char *cr_learner_name(size_t index);
const char *cr_learner_summary(size_t index);
cr_status cr_learner_knob(const char *learner, size_t index, cr_knob *out);

/* The version of the library, such as "0.1.0". */
const char *cr_version(void);

#ifdef __cplusplus
}
#endif
#endif
