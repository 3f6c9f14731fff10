/* cli/evaluate/metrics.h - the quality of answers, for people and for programs. */
#ifndef CLI_EVALUATE_METRICS_H
#define CLI_EVALUATE_METRICS_H

#include "credence/credence.h"
#include "out/json.h"
#include "out/table.h"

typedef struct verdict {
    const cr_model *model; /* its classes */
    const cr_evaluation *evaluation;
    const cr_rule *rule; /* NULL: the most probable class */
    cr_metrics metrics;
    uint64_t unlabelled;
    double seconds;
    size_t classes;
} verdict;

/* Fill all but unlabelled and seconds. */
void verdict_take(verdict *x, const cr_model *model, const cr_evaluation *evaluation,
                  const cr_rule *rule);

/* Write everything as JSON, or the classes as CSV, to standard output. */
void verdict_json(const verdict *x);
void verdict_csv(const verdict *x);

/* Measures, classes and confusion. */
void verdict_print(const verdict *x);

/* Other remarks. */
void verdict_notes(const verdict *x);

#endif
