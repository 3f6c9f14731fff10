/* serve/json_list.c - the members of a JSON array as a C array. */
#include "json_list.h"

#include <stdlib.h>

static void *room_for(const cr_json_value *array, size_t size, size_t *count)
{
    *count = 0;
    if (array == NULL || array->kind != CR_JSON_ARRAY)
        return NULL;
    return calloc(array->count + 1, size);
}

double *json_numbers(const cr_json_value *array, size_t *count)
{
    double *x = room_for(array, sizeof *x, count);

    for (const cr_json_value *v = x != NULL ? array->child : NULL; v != NULL; v = v->next)
        x[(*count)++] = v->number;
    return x;
}

const char **json_texts(const cr_json_value *array, size_t *count)
{
    const char **x = room_for(array, sizeof *x, count);

    for (const cr_json_value *v = x != NULL ? array->child : NULL; v != NULL; v = v->next)
        x[(*count)++] = v->text != NULL ? v->text : "";
    return x;
}
