/* base/parallel.h - many independent tasks by several workers. */
#ifndef CR_BASE_PARALLEL_H
#define CR_BASE_PARALLEL_H

#include "credence/run.h"

/* Call work for 0 … count - 1, some at once, with the run's threads and progress (in tasks). The
 * failure of the lowest number is the one reported; tasks that have not begun by then are left out.
 */
cr_status cr__parallel_for(const cr_run *run, size_t count,
                           cr_status (*work)(void *context, size_t i, cr_error *err), void *context,
                           cr_error *err);

/* The same, with the tasks dealt out to the members of the run's team, if it has one. The tasks
 * write their results to places of their own among `words` 64-bit words, which then are
 * the same for all members. */
cr_status cr__parallel_deal(const cr_run *run, size_t count,
                            cr_status (*work)(void *context, size_t i, cr_error *err),
                            void *context, void *results, size_t words, cr_error *err);

#endif
