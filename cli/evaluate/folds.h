/* cli/evaluate/folds.h - figures of folds: of each, and their means. */
#ifndef CLI_EVALUATE_FOLDS_H
#define CLI_EVALUATE_FOLDS_H

#include <stdio.h>

#include "credence/credence.h"
#include "out/json.h"
#include "out/table.h"

/* A figure of cr_metrics or of cr_regression_metrics. */
typedef struct figure {
    const char *key, *title;
    const char *meaning; /* may be NULL */
    size_t at;           /* where the metrics have it */
    char *(*picture)(char *buffer, double x);
    double least, most; /* an interval goes no farther */
} figure;

double figure_of(const void *metrics, const figure *f);

typedef struct folds {
    const figure *figure;
    size_t figures;
    size_t count; /* in all repeats; 0 when one row is left out at a time */
    cr_cv_facts facts;
    double *rows;      /* [count] weight of each */
    double *value;     /* [count * figures]; NaN of a fold that weighs nothing */
    cr_spread *spread; /* [figures] over the folds */
} folds;

void folds_begin(folds *f, const cr_cv *cv, const figure *list, size_t figures);
void folds_take(folds *f, size_t fold, double rows, const void *metrics); /* NULL: weighs nothing */
void folds_spread(folds *f);                                              /* all are taken */
void folds_free(folds *f);

/* One row for each fold; for people then the means, without the folds where they are many. To be
 * freed. */
table *folds_table(const folds *f, bool people);

/* "mean": {...} and "fold": [...] */
void folds_json(json *j, const folds *f);

/* Have the answers of all rows written into a file, or to standard output ("-"). EXIT_DONE, or an
 * exit status after a message. */
int write_answers(const char *path, void (*write)(FILE *file, const void *context),
                  const void *context);

#endif
