/* eval/study.h - rows read once and assigned to folds, and models of any part of them.
 *
 * A study reads a source into a row set: a table with its labelled rows and their folds. Candidates
 * (a learner with knobs) that make the same words of texts and learn the same kind of target share
 * a row set, so comparing or tuning reads the data once. The statistics of the folds are collected
 * once for all learners that need the same; the model without a fold is fitted on the whole minus
 * the fold, which is exact.
 */
#ifndef CR_EVAL_STUDY_H
#define CR_EVAL_STUDY_H

#include "credence/cv.h"
#include "train/training.h"

/* The statistics of the folds and of all rows, for all learners that need the same. */
typedef struct cr__parts {
    cr__needs needs;
    cr__cut_rule rule; /* that finds the cuts, */
    char *bins;        /* or which they are, "" when there are none */
    cr__stats *total;
    cr__stats **fold; /* [repeats * folds] of each fold; where each has its own cuts, of the rows
                       * outside it */
    struct cr__parts *next;
} cr__parts;

typedef struct cr__rowset {
    cr__table *table;
    cr__recipe recipe;
    cr__target_use use;
    uint32_t *row; /* [rows] the labelled rows of the table */
    size_t rows;
    uint64_t unlabelled;
    uint32_t *class_code; /* [rows] by the table's dictionary, from 0; NULL for real targets */
    uint32_t *fold;       /* [repeats * rows]; NULL when one is left out at a time */
    uint32_t *place; /* [repeats * rows] which of the rows are in each fold, fold after fold, */
    size_t *start;   /* [repeats * (folds + 1)] from here on within the repeat */
    cr__parts *parts;
    const struct cr__rowset
        *whole; /* the row set whose table it borrows, of a part of a study, or NULL */
    struct cr__rowset *next;
} cr__rowset;

struct cr_study {
    cr_source *source; /* borrowed */
    size_t folds, repeats;
    int leave_one_out, unstratified;
    int calibrated;               /* candidates are, unless they say how */
    int usual;                    /* candidates get what their learner gets unasked */
    struct cr__more_params *more; /* the parameters of those that did */
    char *group;
    uint64_t seed;
    cr_run run;
    cr_pool *own_pool; /* of the run, where none was given */
    int looked;        /* at the target, and it is */
    int real_target;   /* a number by its values */
    int undecided;     /* whether its values are classes: no note of them yet */
    int noted;
    cr__rowset *sets;
    cr_study *whole; /* that this is a part of, borrowed; NULL: of none */
    uint32_t *place; /* [places] which of its labelled rows, ascending */
    size_t places;
};

/* A candidate with its row set. */
typedef struct cr__candidate {
    cr_study *study;
    cr__rowset *set;
    const char *learner; /* as given, or its replacement where the target is a number */
    const char *const *params;
    size_t param_count;
    const cr__learner *kind;
    int adds;          /* its statistics of parts add up to those of the whole, */
    int samples;       /* and something is chosen on a sample of the rows; */
    int cuts;          /* or would if the parts did not have their own cuts */
    cr__needs needs;   /* what is collected for it, */
    cr__cut_rule rule; /* the rule that finds the cuts */
} cr__candidate;

/* Find the candidate's row set, or read it. Names are borrowed. */
cr_status cr__candidate_open(cr__candidate *out, cr_study *study, const char *learner,
                             const char *const *params, size_t count, cr_error *err);

/* Append to a candidate's parameters what its learner gets unasked on so many rows (0: all); the
 * list is the study's. Nothing happens where the study does not want that. */
cr_status cr__study_usual(cr_study *study, const char *learner, size_t rows,
                          const char *const **params, size_t *count, cr_error *err);

/* Take calibrate=none, which asks for nothing to be done, out of a candidate's parameters, where
 * the learner is no choice; the list is the study's. *bare: it was there. */
cr_status cr__study_take_none(cr_study *study, const char *learner, const char *const **params,
                              size_t *count, int *bare, cr_error *err);

/* Some of a study's labelled rows, by their places in its row sets (ascending), as a separate study
 * with as many folds of these rows. Data are shared: the whole must outlive it. */
cr_status cr__study_part(cr_study **out, cr_study *whole, const uint32_t *place, size_t places,
                         size_t folds, cr_error *err);

/* Find out whether the target, named or default, has numbers: study->real_target. */
cr_status cr__study_target(cr_study *study, cr_error *err);

/* Note it, once, where the classes of a row set are numbers that look like quantities. */
void cr__study_note_target(cr_study *study, const cr__rowset *set);

/* For study.c: the row set of a part, made from the whole's. */
cr_status cr__part_rowset(cr__candidate *c, cr_error *err);
/* advice.c: notes about the rows, added to the source. */
void cr__rowset_notes(const cr__rowset *set, cr_source *source);
/* Assign the rows of a row set to the study's folds. */
cr_status cr__rowset_deal(const cr_study *study, cr__rowset *set, cr_error *err);
void cr__rowset_free(cr__rowset *set, size_t folds);

/* A model of the rows listed (of the table). When stats is not NULL it is taken over and must
 * belong to these rows; otherwise they are collected. */
cr_status cr__candidate_train(const cr__candidate *c, const uint32_t *row, size_t rows,
                              cr__stats *stats, int threads, cr_model **out, cr_error *err);

/* The statistics of the rows listed. */
cr_status cr__candidate_gather(const cr__candidate *c, const uint32_t *row, size_t rows,
                               int threads, cr__stats **out, cr_error *err);

/* The fold statistics of the candidate's learner, collected when they are first needed. */
cr_status cr__candidate_parts(const cr__candidate *c, const cr__parts **out, cr_error *err);

/* The model of all rows but those of a fold (repeat * folds + fold). */
cr_status cr__candidate_without(const cr__candidate *c, size_t fold, cr_model **out, cr_error *err);

/* Bytes of the rows that a study holds, and of their folds: it grows with the rows. */
double cr__study_bytes(const cr_study *study);

int cr__rowset_has_texts(const cr__rowset *set);

/* The rows of a fold (repeat * folds + fold) by their index in `row`, ascending. */
const uint32_t *cr__rowset_fold(const cr__rowset *set, size_t folds, size_t fold, size_t *rows);

/* log P(class, row) of the rows listed by a model, calibrated if it has a calibration; its class k
 * is place[k] of `classes`; missing ones get -infinity. Row i of the list is row to[i] of the
 * scores, or i where to is NULL. */
cr_status cr__score_rows(const cr_model *model, const cr__table *table, const uint32_t *row,
                         size_t rows, const size_t *place, size_t classes, const uint32_t *to,
                         double *score, cr_error *err);

/* The indices of a model's classes among those of another, [classes of model]. */
cr_status cr__class_places(const cr_model *model, const cr_model *among, size_t **place,
                           cr_error *err);

#endif
