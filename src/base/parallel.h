/* base/parallel.h - many independent tasks on several workers. */
#ifndef CR_BASE_PARALLEL_H
#define CR_BASE_PARALLEL_H

#include "credence/run.h"

/* Call work for 0 … count - 1, some at once, with the run's threads and progress (in tasks). The
 * failure of the lowest-numbered task is reported; tasks that have not begun by then are skipped.
 */
cr_status cr__parallel_for(const cr_run *run, size_t count,
                           cr_status (*work)(void *context, size_t i, cr_error *err), void *context,
                           cr_error *err);

/* The same, with the tasks distributed over the members of the run's team, if it has one. Each task
 * writes its results to places of its own among `words` 64-bit words, which are then the same for
 * all members. */
cr_status cr__parallel_deal(const cr_run *run, size_t count,
                            cr_status (*work)(void *context, size_t i, cr_error *err),
                            void *context, void *results, size_t words, cr_error *err);

#endif
