/* store/tallies.h - sums of calibrations by origin. */
#ifndef CR_STORE_TALLIES_H
#define CR_STORE_TALLIES_H

#include "store/store.h"

/* Store what a lesson added to the calibration as this store's own; when the classes have changed,
 * give the model the calibration from the sum over all origins with these classes. before may be
 * NULL. In a transaction that writes, of a store that shares its lessons. */
cr_status cr__tallies_keep(cr_store *store, const cr_model *before, cr_model *after, cr_error *err);

/* Give a model the calibration from the summed tallies of all origins with its classes. */
cr_status cr__tallies_total(cr_store *store, cr_model *model, cr_error *err);

/* Whether bytes are a record of tallies. CR_EFORMAT, CR_ENOMEM. */
cr_status cr__tallies_check(const void *bytes, size_t size);

void cr__tallies_key(char key[5], uint64_t origin);

#endif
