/* cli/session/change.h - report what a change did to a model: learn, unlearn, merge and
 * refit. */
#ifndef CLI_SESSION_CHANGE_H
#define CLI_SESSION_CHANGE_H

#include "credence/credence.h"
#include "options/options.h"

typedef struct change {
    uint64_t rows_before;
    size_t classes_before;
    bool was_calibrated;
    const char *done;      /* "learned", "merged" ... */
    const char *path;      /* where the model is now; NULL: not saved */
    const cr_tally *tally; /* what was read; NULL: no data */
    double seconds;        /* that took */
} change;

/* Store the state of the model before the change. */
void change_begin(change *c, const cr_model *model, const char *done);

void change_report(const change *c, const request *r, const cr_model *model);

#endif
