/* decide/in_order.c - rows of a source, batch by batch, in their order in the source. */
#include "decide/in_order.h"

#include "base/memory.h"

typedef struct order {
    cr__plan *plan;
    void *state;
} order;

static cr_status begin(void *job, void **state, cr__plan **plan, cr_error *err)
{
    const order *o = job;

    (void)err;
    *state = o->state;
    *plan = o->plan;
    return CR_OK;
}

/* The state is the caller's. */
static void end(void *state)
{
    (void)state;
}

cr_status cr__pass_in_order(cr_source *source, const cr_schema *schema, cr__plan *plan,
                            cr_status (*absorb)(void *state, const cr__chunk *chunk,
                                                cr__batch *batch, cr_error *err),
                            void *state, cr_error *err)
{
    const cr_run one = {.threads = 1};
    order o = {plan, state};
    const cr__pass pass = {.source = source,
                           .schema = schema,
                           .run = &one,
                           .job = &o,
                           .begin = begin,
                           .absorb = absorb,
                           .end = end};
    void **states = NULL;
    size_t count, broken;
    cr_kind to;
    const cr_status st = cr__pass_run(&pass, &states, &count, &broken, &to, err);

    cr__free(states);
    return st;
}
