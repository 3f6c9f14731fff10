/* store/parts.h - lessons by origin and period. */
#ifndef CR_STORE_PARTS_H
#define CR_STORE_PARTS_H

#include "store/store.h"

/* Records by origin and number: heads by period, judgements by day. */
enum { CR__PART_KEY = 9 };
#define CR__PART_LEARNED 'P'
#define CR__PART_TAKEN_BACK 'N'
void cr__part_key(char key[CR__PART_KEY], char kind, uint64_t origin, uint64_t number);
/* The origin and the number of such a key. */
void cr__part_key_read(cr__bytes key, uint32_t *origin, uint64_t *number);

/* Whether this store keeps parts at all: it has periods, or shares its lessons with others. */
int cr__store_has_parts(const cr_store *store);

/* Write a part of this store's own, with the current version. like has columns and knobs; the
 * statistics are taken over. */
cr_status cr__store_part_save(cr_store *store, char kind, uint64_t period, const cr_model *like,
                              cr__stats *stats, cr_error *err);

/* Add the head of a lesson to what this store learned in a period (sign 1), or subtract it (-1):
 * CR_ECONFLICT where all origins together have not learned it in that period. */
cr_status cr__store_part_add(cr_store *store, uint64_t period, const cr_model *like,
                             const cr__stats *lesson, int sign, cr_error *err);

/* The sum of all parts, or of those of one period; *out is NULL where there is none. CR_ECONFLICT:
 * more was unlearned than learned. */
#define CR__ALL_PERIODS UINT64_MAX
cr_status cr__store_part_total(cr_store *store, uint64_t period, cr__stats **out, cr_error *err);

/* Forget what is older than a period, in a transaction that writes. The head is read again
 * afterwards. */
cr_status cr__store_forget_before(cr_store *store, uint64_t floor, cr_error *err);
cr_status cr__store_forget(cr_store *store, cr_error *err);

#endif
