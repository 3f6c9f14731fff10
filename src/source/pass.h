/* source/pass.h - the pass engine: one run over a source, by any number of workers.
 *
 * Workers take turns cutting the next chunk off the source, parse chunks in parallel, and pass each
 * batch to `absorb` with their own state. A pass with ordered output (predictions) also has
 * `deliver`, called once per chunk in the order of the chunks, one worker at a time. Neither needs
 * to know about threads. When something fails, the failure nearest the start of the input is the
 * one reported, whatever the number of workers.
 */
#ifndef CR_SOURCE_PASS_H
#define CR_SOURCE_PASS_H

#include "base/pool.h"
#include "source/source.h"

typedef struct cr__pass {
    cr_source *source;
    const cr_schema *schema; /* batches are of this schema */
    const cr_run *run;       /* may be NULL */
    void *job;               /* handed to begin */
    /* A worker starts: make its state, and the plan its batches are filled through. */
    cr_status (*begin)(void *job, void **state, cr__plan **plan, cr_error *err);
    /* Whether a chunk is to be parsed at all; NULL: every one is. */
    int (*wants)(const void *job, const cr__chunk *chunk);
    /* The batch is the worker's own: it may be rearranged. */
    cr_status (*absorb)(void *state, const cr__chunk *chunk, cr__batch *batch, cr_error *err);
    /* A chunk is absorbed: in parallel, and then in turn. Both may be NULL. */
    cr_status (*complete)(void *state, const cr__chunk *chunk, cr_error *err);
    cr_status (*deliver)(void *state, const cr__chunk *chunk, cr_error *err);
    /* Where a record cannot be read, the chunk's records before it are completed and delivered too,
     * in turn, as answers that were asked for; otherwise a chunk with a failure is dropped. */
    int delivers_before_failure;
    void (*end)(void *state); /* after a failure; NULL states do not occur */
} cr__pass;

/* Run it. On CR_OK *states holds one state per worker that did something (the caller ends them and
 * frees the array with cr__free) and *count their number. On failure all states are ended; with
 * CR__EWIDEN *broken is the column and *to its kind. */
cr_status cr__pass_run(const cr__pass *pass, void ***states, size_t *count, size_t *broken,
                       cr_kind *to, cr_error *err);

#endif
