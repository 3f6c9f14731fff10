/* cli/out/progress.h - the progress of a pass over data, on standard error. */
#ifndef CLI_OUT_PROGRESS_H
#define CLI_OUT_PROGRESS_H

#include <stdbool.h>

#include "credence/model.h"

typedef struct progress {
    const char *doing;
    double began, shown; /* seconds */
    bool on_screen;
    bool bar;           /* whether to draw the bar */
    const char *advice; /* for many parts that take long, or NULL */
    double first;       /* when the first of them was done, 0 before */
    double rows;        /* read so far */
    bool heeds;         /* an interrupt stops the pass, not the command; */
    bool stopped;       /* it has done so */
} progress;

/* Watch the pass that run is about to start. Nothing is drawn unless standard error is a terminal,
 * the pass takes a while, and the user wants to see it. */
void progress_begin(progress *p, const char *doing, cr_run *run);

/* If a model is made for each row, note early and once how long that will take and what would be
 * quicker, even if standard error is not a terminal. Call it after progress_begin(). */
void progress_advise(progress *p, const char *advice, cr_run *run);

/* Let the first interrupt (Ctrl-C) stop the pass, and the command continue with the results so far;
 * p->stopped is then set. Call it after progress_begin(). */
void progress_heed(progress *p, cr_run *run);

/* Erase the bar. Returns the seconds since progress_begin(). */
double progress_end(progress *p);

#endif
