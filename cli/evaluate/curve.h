/* cli/evaluate/curve.h - learning curves of several learners on the same rows. */
#ifndef CLI_EVALUATE_CURVE_H
#define CLI_EVALUATE_CURVE_H

#include "out/json.h"
#include "evaluate/study.h"

extern const option_group curve_options; /* --sizes --withheld */

typedef struct curves {
    cr_spec *specs;            /* [count] */
    cr_learning_curve **curve; /* [count] */
    size_t count;
    double seconds;
} curves;

/* Curves of all learners that -m names. EXIT_DONE, or an exit status after a message; free them
 * either way. */
int draw_curves(curves *out, const request *r, cr_source **source, cr_run *run);
void free_curves(curves *c);

const char **names_of(const curves *c); /* of the learners; to be freed */

#endif
