/* eval/auto.h - the internals of the choice among learners.
 *
 * auto_plan.c lists candidates and their costs, auto_judge.c judges them on unseen rows,
 * auto_blend.c fits the exponents of a product of them, auto.c halves and finishes, auto_fold.c
 * repeats the choice within folds.
 */
#ifndef CR_EVAL_AUTO_H
#define CR_EVAL_AUTO_H

#include "credence/auto.h"
#include "eval/cv_impl.h"
#include "eval/study.h"

enum { CR__TRIAL_PARAMS = 12 };

/* Below the first number of rows nothing is judged; below the second, errors are too large to
 * choose by, and candidates share the answer. */
enum { CR__AUTO_LEAST_ROWS = 10, CR__AUTO_FEW_ROWS = 100 };

#define CR__TEMPERATURE_PRIOR 1.0 /* in rows; train/calibration.h */

/* One candidate: a learner with knobs, what it costs, and its result where it was judged last. */
typedef struct cr__trial {
    const char *learner;
    char *param[CR__TRIAL_PARAMS]; /* KNOB=VALUE */
    size_t params;
    char *name;
    size_t place; /* in the plan, which has simple candidates first */
    int exact;
    int spare;       /* like another one: the first to be left out */
    double share;    /* of the budget that judging it may take, or it is not tried; 0: any */
    double fit_cost; /* seconds of one core to learn and answer rows, about: whatever their number,
                      * and */
    double row_cost; /* for each; */
    double search_cost, search_most;       /* to choose its own settings: per row, and at most; */
    double calibrate_cost, calibrate_most; /* to calibrate its answers */
    double work;                           /* spent on judging it */
    char *reason;                          /* why it could not be judged, or NULL */

    cr_cv *cv;          /* its answers, NULL: not judged, or released */
    size_t rows;        /* that it was judged on */
    double *log_p;      /* [rows * classes] calibrated log posteriors, each by a calibration fitted
                         * without the row; NULL for a regression */
    double *loss;       /* [rows] -ln P(truth), or minus the log density of a number */
    double mean, right; /* of the losses; share of the rows answered correctly */
    double rank;        /* the ordering key: the mean, or more where it is doubtful */
    int kind;           /* the calibration that is best on rows it was not fitted on; 0: none */
} cr__trial;

/* The request. */
typedef struct cr__auto_options {
    int exact;                           /* among=exact */
    int live;                            /* among=live, which is exact too */
    const char *among;                   /* the learners to choose from, "nb,tan"; NULL: all */
    int blend;                           /* whether a blend is allowed */
    int same_words;                      /* only candidates that use the default words of texts */
    double budget;                       /* 0: by the data */
    const char *method;                  /* of calibration */
    const char *fixed[CR__TRIAL_PARAMS]; /* knobs that every candidate that has them gets */
    size_t fixed_count;
    const char *only; /* the one learner that is to be judged, or NULL */
} cr__auto_options;

typedef struct cr__auto {
    cr_study *study; /* of all rows that may be learned; borrowed */
    cr__auto_options options;
    cr__trial *trial;
    size_t count, capacity;
    size_t rows, classes; /* classes 0: the target is a number */
    size_t members;       /* that a blend may have */
    double budget;
    double first_share; /* of the budget is for judging all candidates on a sample */
    double worth;       /* how many times the rows of the sample must fit a second round */
    uint32_t *places;   /* [rows] 0 … rows - 1 */
} cr__auto;

/* Whether a learner is in a list of names with commas between them. */
int cr__auto_is_among(const char *list, const char *learner);

/* "KNOB=VALUE" of auto itself into options, of learners into the fixed ones. CR_EARG. */
cr_status cr__auto_read(cr__auto_options *out, const char *learner, const char *const *params,
                        size_t count, cr_error *err);

/* Whether a candidate of a study is a choice, or calibrated, so that its models are trained within
 * folds: learner "auto", or the parameter calibrate=METHOD. */
int cr__auto_named(const char *learner, const char *const *params, size_t count);

/* The kind of the target: "nb" where it has classes, "linear" where it is a number. */
cr_status cr__auto_use(cr_study *study, const char **learner, cr_error *err);

/* Read the options of a choice, and find its rows. */
cr_status cr__auto_candidate(cr__candidate *out, cr__auto_options *options, cr_study *study,
                             const char *learner, const char *const *params, size_t count,
                             cr_error *err);

/* The candidates that suit the study's data. */
cr_status cr__auto_plan(cr__auto *a, cr_error *err);

/* The cost of learning and answering this many rows. */
double cr__trial_cost(const cr__trial *trial, size_t rows);

/* Judge a trial on a study; its earlier results are released. */
cr_status cr__auto_judge(const cr__auto *a, cr__trial *trial, cr_study *study, cr_error *err);
void cr__trial_forget(cr__trial *trial); /* frees its answers, keeps its figures */

/* Mean and standard error of a[r] - b[r] by the rows' weights (NULL: 1). */
void cr__paired_loss(const double *a, const double *b, const double *weight, size_t rows,
                     double *mean, double *error);

/* A product of the posteriors of trials, each raised to a power. */
typedef struct cr__blend {
    size_t count;          /* number of trials considered for it; 0: there is none */
    double *power;         /* [count] */
    size_t members;        /* with a power above 0 */
    const cr__trial *best; /* the first trial, */
    double gain, error;    /* by how much the loss is smaller than its, by powers fitted without the
                            * rows, and the standard error */
    double right;          /* as in a trial */
} cr__blend;

/* The powers of the first b->count trials whose product is likeliest, power[m] >= 0, and the
 * figures of the blend. */
cr_status cr__auto_blend(cr__blend *b, cr__trial *trials, const cr_run *run, cr_error *err);

/* Of cv.c: a candidate as it is, not calibrated; room for the answers of a candidate whose model of
 * all rows is there; and the scores of a fold (repeat * folds + fold) by a model without it. */
cr_status cr__cv_run_bare(cr_cv **out, cr_study *study, const char *learner,
                          const char *const *params, size_t count, cr_error *err);
cr_status cr__cv_begin(cr_cv *cv, const cr__candidate *c, cr_error *err);
cr_status cr__cv_score_fold(cr_cv *cv, const cr__rowset *set, size_t fold, const cr_model *model,
                            cr_error *err);

/* Choose among all rows of a study, and train. */
cr_status cr__auto_choose(cr_study *study, const cr__auto_options *options, cr_model **out,
                          cr_error *err);

/* The same of some of its labelled rows, by their places, in any order. */
cr_status cr__auto_choose_part(cr_study *study, const cr__auto_options *options,
                               const uint32_t *place, size_t places, cr_model **out, cr_error *err);

/* Cross-validation of a choice: repeated without each fold. */
cr_status cr__auto_cv(cr_cv **out, cr_study *study, const char *learner, const char *const *params,
                      size_t count, cr_error *err);

#endif
