/* cli/out_progress.h - how far a pass over data is, on standard error. */
#ifndef CLI_OUT_PROGRESS_H
#define CLI_OUT_PROGRESS_H

#include <stdbool.h>

#include "credence/model.h"

typedef struct progress {
    const char *doing;
    double began, shown; /* seconds */
    bool on_screen;
} progress;

/* Watch a pass that is about to run with run. Nothing is drawn unless standard error is a
 * terminal, the pass takes a while, and the user wants to see it. */
void progress_begin(progress *p, const char *doing, cr_run *run);

/* Wipe the bar off; the seconds since progress_begin(). */
double progress_end(progress *p);

#endif
