/* cli/show/describe.h - a model's classes, columns and knobs, put into words. */
#ifndef CLI_SHOW_DESCRIBE_H
#define CLI_SHOW_DESCRIBE_H

#include <stdbool.h>

#include "credence/credence.h"

/* The classes with their rows and priors; the largest `limit` of them (0: all) where there are
 * more, and how many were left out. */
void describe_classes(const cr_model *model, size_t limit);

/* "real", "symbol", "text", "ignore". */
const char *describe_kind(const cr_model *model, size_t column);

/* How many values, words or classes there are. */
size_t describe_count(const cr_model *model, size_t column);

/* "3: no sometimes yes", "14 words", "2 classes", cut to size; empty for numbers. */
const char *describe_values(const cr_model *model, size_t column, char *buffer, size_t size);

/* Weight of the rows in which the column has no value. */
double describe_missing(const cr_model *model, size_t column);

/* Do rows weigh anything but 1? */
bool describe_weighted(const cr_model *model);

/* "8 of 36 seen; 77.78 % are empty", of a joint table. Returns buffer. */
const char *describe_cells(const cr_model_facts *facts, char *buffer, size_t size);

/* Class indices, the largest class first; to be freed. */
size_t *classes_by_size(const cr_model *model);

#endif
