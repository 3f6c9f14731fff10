/* base/pool.h - the same work by several threads at once.
 *
 * A pool of n workers runs a function n times at once, as workers 0 … n-1, and waits for all. The
 * calling thread is worker 0, so a pool of one starts no thread. The threads sleep between runs.
 */
#ifndef CR_BASE_POOL_H
#define CR_BASE_POOL_H

#include "credence/status.h"

typedef struct cr__pool cr__pool;

/* workers <= 0: one per core this process may use. When threads cannot be had, the pool is smaller.
 */
cr_status cr__pool_new(cr__pool **out, int workers, cr_error *err);
void cr__pool_free(cr__pool *pool);
int cr__pool_workers(const cr__pool *pool);
void cr__pool_run(cr__pool *pool, void (*work)(void *context, int worker), void *context);

int cr__cores(void); /* at least 1 */

#endif
