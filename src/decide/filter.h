/* decide/filter.h - a message: where its head ends, and what of it is judged. */
#ifndef CR_DECIDE_FILTER_H
#define CR_DECIDE_FILTER_H

#include <stddef.h>

#include "base/buffer.h"

/* Add all of a message but the fields that a filter has added. */
void cr__filter_text(const char *bytes, size_t size, cr__buffer *out);

#endif
