/* credence/impute.h - fill the missing values of a table, and write it.
 *
 * Models can do this themselves: pass impute=HOW to cr_model_train(). This is for tables that are
 * used elsewhere.
 */
#ifndef CREDENCE_IMPUTE_H
#define CREDENCE_IMPUTE_H

#include "credence/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_impute_options {
    size_t size;           /* sizeof(cr_impute_options), or 0: see run.h */
    const char *how;       /* "mean", "median", "mode", "model" (NULL) or "drop", learned from the
                            * source itself */
    const cr_model *model; /* if not NULL, fill in what this model learned about its features; `how`
                            * is then not used. A Bayesian network completes all its columns: `how`
                            * is "mpe" (NULL) for the values that are most probable together, or
                            * "marginal" for each by itself. Rows that the network makes impossible
                            * are left as they are */
    cr_status (*write)(void *context, const char *bytes, size_t size); /* receives the table as
                                                                        * CSV */
    void *context;
} cr_impute_options;

typedef struct cr_impute_tally {
    uint64_t rows;    /* written */
    uint64_t filled;  /* values that were filled in */
    uint64_t left;    /* values that are still missing: nothing is known about them */
    uint64_t dropped; /* incomplete rows that "drop" left out */
} cr_impute_tally;

/* The target, if the source names one, is not filled in. Ignored columns are not written. CR_EARG:
 * a column is a text, or the model does not fill in missing values. tally may be NULL. */
cr_status cr_impute(cr_source *source, const cr_impute_options *options, const cr_run *run,
                    cr_impute_tally *tally, cr_error *err);

#ifdef __cplusplus
}
#endif
#endif
