/* base/pool.h - the same work by several threads at once.
 *
 * A pool of n workers runs a function n times at once, as workers 0 … n-1, and waits for all. The
 * calling thread is worker 0, so a pool of one starts no thread. The threads start with the first
 * run and sleep between runs; the caller also does the work of workers for which the system
 * provided no thread. A pool that is busy with another caller's work, or with work that asks for
 * more of it, does not make the caller wait: the caller then acts as workers 0 … n-1 one after
 * another. So work must not wait for another worker.
 */
#ifndef CR_BASE_POOL_H
#define CR_BASE_POOL_H

#include "credence/run.h"

void cr__pool_run(cr_pool *pool, void (*work)(void *context, int worker), void *context);

/* The pool of a run, or one made for it, of no more than `most` workers. When the run has a pool it
 * may have more workers than wanted; the surplus workers must do nothing. */
cr_status cr__pool_enter(cr_pool **pool, int *workers, const cr_run *run, size_t most,
                         cr_error *err);
void cr__pool_leave(cr_pool *pool, const cr_run *run);

int cr__cores(void); /* at least 1 */

#endif
