/* decide/in_order.h - rows of a source, batch by batch, in their order in the source. */
#ifndef CR_DECIDE_IN_ORDER_H
#define CR_DECIDE_IN_ORDER_H

#include "source/pass.h"

/* Pass all batches of a source that is bound to the schema to absorb, with state, from one worker.
 * The batches are filled through the plan. */
cr_status cr__pass_in_order(cr_source *source, const cr_schema *schema, cr__plan *plan,
                            cr_status (*absorb)(void *state, const cr__chunk *chunk,
                                                cr__batch *batch, cr_error *err),
                            void *state, cr_error *err);

#endif
