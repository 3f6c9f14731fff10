/* cli/show/describe.h - a model's classes, columns and knobs, described in words. */
#ifndef CLI_SHOW_DESCRIBE_H
#define CLI_SHOW_DESCRIBE_H

#include <stdbool.h>

#include "credence/credence.h"

/* The classes with their rows and priors; if there are more than `limit` (0: all), the largest of
 * them and how many were left out. */
void describe_classes(const cr_model *model, size_t limit);

/* "real", "symbol", "text", "ignore". */
const char *describe_kind(const cr_model *model, size_t column);

/* The number of values, words or classes. */
size_t describe_count(const cr_model *model, size_t column);

/* "3: no sometimes yes", "14 words", "2 classes", cut to size; empty for numbers. */
const char *describe_values(const cr_model *model, size_t column, char *buffer, size_t size);

/* Weight of the rows in which the column has no value. */
double describe_missing(const cr_model *model, size_t column);

/* Whether any row has a weight other than 1. */
bool describe_weighted(const cr_model *model);

/* "8 of 36 seen; 77.78 % are empty", for a joint table. Returns buffer. */
const char *describe_cells(const cr_model_facts *facts, char *buffer, size_t size);

/* Class indices, the largest class first. Free them. */
size_t *classes_by_size(const cr_model *model);

#endif
