/* base/sort_keys.h - many 64-bit keys in falling order. */
#ifndef CR_BASE_SORT_KEYS_H
#define CR_BASE_SORT_KEYS_H

#include <stddef.h>
#include <stdint.h>

/* Keys, and what belongs to each, or NULL. */
typedef struct cr__keys {
    uint64_t *key;
    uint32_t *item;
} cr__keys;

/* Sort n keys, the largest first; equal ones stay in their order. Returns where they are then: in
 * list, or in room, which has as many places and items if list has. */
cr__keys cr__keys_sort_down(cr__keys list, cr__keys room, size_t n);

#endif
