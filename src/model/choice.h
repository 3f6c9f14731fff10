/* model/choice.h - what was tried before a model was trained, kept in it. */
#ifndef CR_MODEL_CHOICE_H
#define CR_MODEL_CHOICE_H

#include <stdatomic.h>

#include "credence/auto.h"
#include "data/container.h"

typedef struct cr__choice_list {
    size_t count;
    cr_tried *choice;     /* [count]; strings are owned */
    atomic_size_t others; /* owners besides the first one */
} cr__choice_list;

/* Room for this many, all zero. NULL when out of memory. */
cr__choice_list *cr__choices_new(size_t count);
void cr__choices_free(cr__choice_list *list);
cr__choice_list *cr__choices_share(cr__choice_list *list); /* adds an owner; NULL is allowed */

/* The section of a model file, and back: *out is NULL where there is none. */
void cr__choices_save(const cr__choice_list *list, cr__draft *draft);
cr_status cr__choices_open(cr__choice_list **out, const cr__container *container, cr_error *err);

#endif
