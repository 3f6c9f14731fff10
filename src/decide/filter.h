/* decide/filter.h - a message: where its head ends, and which part is classified. */
#ifndef CR_DECIDE_FILTER_H
#define CR_DECIDE_FILTER_H

#include <stddef.h>

#include "base/buffer.h"
#include "credence/model.h"

/* Append a message without the fields that a filter has added. */
void cr__filter_text(const char *bytes, size_t size, cr__buffer *out);

/* What is classified and learned of a message: without these fields, with NUL bytes blanked and a
 * NUL at the end. */
cr_status cr__filter_bytes(const void *message, size_t size, cr__buffer *out, cr_error *err);

/* A message, or all those of a mailbox, as rows for a model with one text; of the given class, or
 * NULL: without one. The source borrows from the messages. */
typedef struct cr__messages cr__messages;
cr_status cr__messages_open(cr__messages **out, const cr_model *model, const void *bytes,
                            size_t size, cr_error *err);
cr_status cr__messages_source(cr__messages *m, const cr_model *model, const char *class_name,
                              cr_source **out, cr_error *err);
size_t cr__messages_count(const cr__messages *m);
/* One of them, as cr__filter_bytes() gives it. */
const cr__buffer *cr__messages_text(const cr__messages *m, size_t i);
void cr__messages_close(cr__messages *m); /* NULL is allowed */

/* CR_EARG: the model has two or more classes and none of that name. */
cr_status cr__filter_check_class(const cr_model *model, const char *name, int new_class,
                                 cr_error *err);

#endif
