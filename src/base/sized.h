/* base/sized.h - options structs that begin with their size: the rule of credence/run.h. */
#ifndef CR_BASE_SIZED_H
#define CR_BASE_SIZED_H

#include <stddef.h>

#include "credence/run.h"

/* Copy what the caller gave into own, a struct of `size` bytes; members that the caller's version
 * lacks become zero, and so does everything when given is NULL. CR_EARG: a member that this version
 * does not know is set; `what` names the struct in the message. */
cr_status cr__sized_take(void *own, size_t size, const void *given, const char *what,
                         cr_error *err);

/* The same for a run, whose unknown members are rejected where the work begins. */
cr_run cr__run_of(const cr_run *run);
cr_status cr__run_check(const cr_run *run, cr_error *err);

/* Bytes a run may use: its limit, or three quarters of the machine's memory; 0 where neither is
 * known. */
uint64_t cr__run_memory(const cr_run *run);

/* CR_ELIMIT when `what` would need more than that: "WHAT need 80 GB of memory; the limit ...". */
cr_status cr__run_afford(const cr_run *run, double bytes, const char *what, cr_error *err);

/* How many threads a run may use: at least 1. */
int cr__run_threads(const cr_run *run);

#endif
