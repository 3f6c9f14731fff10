/* store/parts.h - lessons by periods. */
#ifndef CR_STORE_PARTS_H
#define CR_STORE_PARTS_H

#include "store/store.h"

/* Add the head of a lesson to that of a period (sign 1), or take it away (-1): CR_ECONFLICT where
 * the period does not hold it. like has columns and knobs. */
cr_status cr__store_part_add(cr_store *store, uint64_t period, const cr_model *like,
                             const cr__stats *lesson, int sign, cr_error *err);

/* The first period that is kept now. */
uint64_t cr__store_floor(const cr_store *store);

/* Forget what is older, in a transaction that writes. The head is read anew afterwards. */
cr_status cr__store_forget(cr_store *store, cr_error *err);

#endif
