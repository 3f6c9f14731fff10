/* eval/evaluation.h - the inside of cr_evaluation. */
#ifndef CR_EVAL_EVALUATION_H
#define CR_EVAL_EVALUATION_H

#include "credence/eval.h"
#include "decide/rule.h"

enum { CR__BINS = 15 };

/* A row of two classes: P(second class), weight, truth. */
typedef struct cr__seen {
    double p, weight;
    int32_t truth;
} cr__seen;

struct cr_evaluation {
    size_t classes;
    const cr_rule *rule; /* NULL: mistakes cost 1 */
    double weight, correct, log_loss, brier, unknown, undecided, rejected;
    double expected_correct, expected_mistakes, cost, expected_cost;
    double bin_correct[CR__BINS], bin_confidence[CR__BINS];
    double *support, *predicted, *hit; /* [classes] */
    double *confusion; /* [(classes + 1) * (classes + 1)]: truth by decision; last: unknown to the
                          model, undecided. NULL with very many classes */
    cr__seen *seen;    /* with a rule for two classes: all rows */
    size_t seen_count, seen_capacity;
    int seen_failed;   /* memory ran out: not all are there */
};

#endif
