/* credence/run.h - how to run a pass over data (threads, memory, progress), and what a pass has
 * read.
 *
 * Sized structs. An options struct of this library begins with `size_t size`, which may be 0. The
 * struct is then taken to be as this version of the library defines it, which is right for a
 * program compiled against the library it runs with. A program that should also run with later
 * versions of the shared library sets it to sizeof the struct, for example with a macro:
 *
 *     cr_run run = CR_RUN_INIT;
 *     run.threads = 4;
 *
 * Members that a smaller, older struct lacks count as zero, and zero is always the default. Members
 * of a larger, newer struct that this version does not know must be zero: CR_EARG otherwise.
 */
#ifndef CREDENCE_RUN_H
#define CREDENCE_RUN_H

#include <stdint.h>

#include "credence/status.h"
#include "credence/team.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Threads that sleep between passes, for programs that make many short ones. A pool may be shared
 * by any number of threads: while one of them uses it, the others do their work alone, without
 * waiting. It must outlive every pass that uses it. */
typedef struct cr_pool cr_pool;

/* threads is how many work at once, including the calling thread; 0: one per core that the process
 * may use. Threads start with the first work; if the system provides fewer, they share it.
 * CR_ENOMEM. */
cr_status cr_pool_new(cr_pool **out, int threads, cr_error *err);
void cr_pool_free(cr_pool *pool); /* NULL is allowed; no pass may be using it */
int cr_pool_threads(const cr_pool *pool);

/* How to run a pass over data. NULL, or all zero, is a good choice. The answer never depends on
 * the number of threads. A cr_run is only read, and may be shared by threads as far as its progress
 * function allows. */
typedef struct cr_run {
    size_t size;     /* sizeof(cr_run), or 0 */
    int threads;     /* 0: one per core, or as many as the pool has */
    uint64_t seed;   /* for what is random */
    uint64_t memory; /* bytes the statistics may take; 0: three quarters of the machine's */
    int (*progress)(void *context, uint64_t done, uint64_t total, uint64_t rows);
    /* called now and then from one thread at a time; total is 0 when unknown;
     * non-zero stops the pass with CR_ESTOPPED */
    void *context;
    cr_pool *pool;       /* whose threads do the work; NULL: threads are made for the pass */
    const cr_team *team; /* other processes that do the same; NULL: none. See team.h */
} cr_run;

#define CR_RUN_INIT                                                                                \
    {                                                                                              \
        sizeof(cr_run), 0, 0, 0, NULL, NULL, NULL, NULL                                            \
    }

/* What a pass read. Filled by the library; a plain value. */
typedef struct cr_tally {
    uint64_t rows;         /* absorbed */
    uint64_t unlabelled;   /* left out because the target is missing */
    uint64_t passes;       /* 1, or more when a column broke its guessed kind */
    uint64_t pruned_words; /* of texts, dropped to respect the memory limit; a word that is dropped
                              twice counts twice */
    uint64_t pruned_occurrences; /* how often the dropped words had occurred in all */
    uint64_t pruned_most;        /* how often the most frequent of them had occurred */
    uint64_t sent;               /* bytes that the members of a team sent to add up their
                                  * statistics */
    double adding;               /* seconds that this took */
} cr_tally;

#ifdef __cplusplus
}
#endif
#endif
