/* cli/out/progress.h - how far a pass over data is, on standard error. */
#ifndef CLI_OUT_PROGRESS_H
#define CLI_OUT_PROGRESS_H

#include <stdbool.h>

#include "credence/model.h"

typedef struct progress {
    const char *doing;
    double began, shown; /* seconds */
    bool on_screen;
    bool bar;           /* it is to be drawn */
    const char *advice; /* when many parts will take long, or NULL */
    double first;       /* when the first of them was done, 0 before */
    double rows;        /* read so far */
    bool heeds;         /* an interrupt stops what runs, and not the command; */
    bool stopped;       /* it has */
} progress;

/* Watch a pass that is about to run with run. Nothing is drawn unless standard error is a
 * terminal, the pass takes a while, and the user wants to see it. */
void progress_begin(progress *p, const char *doing, cr_run *run);

/* Where a model is made for each row, say early, once, how long that will take, and what would be
 * quicker; also when standard error is no terminal. After progress_begin(). */
void progress_advise(progress *p, const char *advice, cr_run *run);

/* Let the first interrupt (Ctrl-C) stop the pass, once, and leave the command to go on with what it
 * has; p->stopped says so. After progress_begin(). */
void progress_heed(progress *p, cr_run *run);

/* Wipe the bar off; the seconds since progress_begin(). */
double progress_end(progress *p);

#endif
