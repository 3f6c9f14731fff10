/* serve/json_list.h - the members of a JSON array as a C array. */
#ifndef SERVE_JSON_LIST_H
#define SERVE_JSON_LIST_H

#include "credence/json_reader.h"

/* The numbers of an array, NaN for members that are not numbers. Free the result. NULL if value is
 * not an array or memory is out. */
double *json_numbers(const cr_json_value *array, size_t *count);

/* The strings of an array, borrowed from the tree, "" for members that are not strings. Free the
 * result. NULL as above. */
const char **json_texts(const cr_json_value *array, size_t *count);

#endif
