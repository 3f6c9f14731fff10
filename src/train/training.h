/* train/training.h - training step by step, for callers that train many models on the same rows. */
#ifndef CR_TRAIN_TRAINING_H
#define CR_TRAIN_TRAINING_H

#include "data/discretise.h"
#include "model/model.h"

/* The state of training. */
typedef struct cr__training {
    const cr__learner *learner;
    cr__knobs knobs;
    cr__recipe recipe;
    cr__bins bins;
    cr__cut_rule rule; /* the rule that finds the bins from the rows, or NULL */
    cr__needs needs;   /* what is collected */
    int changes;       /* an existing model: count the same tuples as it does */
    const cr_run *run;
    const cr_schema *schema; /* the source's */
    cr__stats *stats;        /* what was collected; code that takes it over sets it to NULL */
    cr__table *own;          /* the rows, when they had to be read */
    cr_source *inner;        /* and these as a source */
    cr__impute_how how;      /* treatment of missing values */
    cr__impute *impute;      /* the imputer, once learned */
    const cr__impute *kept;  /* or that of a model; borrowed */
    uint32_t *complete;      /* complete rows of the table, when the others are dropped */
    int shared_words;        /* the dictionaries of own belong to another owner */
    cr__table *coded;        /* the rows with the codes of the statistics */
    const cr__usual *usual[CR__USUALS_MOST]; /* what the learner gets unasked if there are neither
                                              * too few rows nor too many, each or NULL */
    cr__unseen *unseen;    /* answers of models that fitting makes, or NULL: not wanted */
    const cr_model *start; /* whose weights a search begins at, or NULL; borrowed */
} cr__training;

/* Find the learner (NULL: naive Bayes), set its knobs, and infer the schema. Close it even after a
 * failure. */
cr_status cr__training_open(cr__training *c, cr_source *source, const char *learner,
                            const char *const *params, size_t count, const cr_run *run,
                            cr_error *err);
void cr__training_close(cr__training *c);

/* Whether with these settings the learner uses uncut numbers, so that of_numbers learns a numeric
 * target. */
cr_status cr__training_numbers(const cr__learner *learner, const char *const *params, size_t count,
                               int *numbers, cr_error *err);

/* As cr_model_train(), with what the learner gets unasked. unseen may be NULL. */
cr_status cr__model_train_usual(cr_model **out, cr_source *source, const char *learner,
                                const char *const *params, size_t param_count, cr__unseen *unseen,
                                const cr_run *run, cr_tally *tally, cr_error *err);

/* A model of other rows, with a target, by the learner and the knobs of one that is fitted on the
 * rows themselves. What that one chose while it was fitted is not chosen again. */
cr_status cr__model_train_again(cr_model **out, const cr_model *like, cr_source *rows,
                                const cr_run *run, cr_error *err);

/* Whether training such a model again would find cuts of its numbers in the rows: taking rows back
 * leaves the cuts as they are. */
int cr__model_finds_cuts(const cr_model *model);

/* The statistics of all rows into c->stats. For a learner that needs rows, the source is replaced
 * by one over the rows in memory. */
cr_status cr__training_gather(cr__training *c, cr_source **source, cr_tally *tally, cr_error *err);

/* A model of c->stats, which it takes over, and which are those of the source. */
cr_status cr__training_finish(cr__training *c, cr_source *source, const char *missing,
                              cr_model **out, cr_error *err);

/* Make a note when a target with the values of this dictionary is a quantity learned as classes. */
void cr__training_note_target(const cr_schema *schema, const cr__dict *dict, uint64_t rows,
                              cr_source *source);

/* CR_ECONFLICT for learners whose statistics are not all there is: it "cannot WHAT". */
cr_status cr__model_needs_rows(const cr_model *model, const char *what, cr_error *err);

#endif
