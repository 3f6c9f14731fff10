/* sql/opened.c - models that stay open. */
#include "opened.h"

#include <stdlib.h>
#include <string.h>

void opened_close(opened *o)
{
    cr_row_free(o->row);
    cr_model_free(o->model);
    free(o->posterior);
    free(o->bytes);
    *o = (opened){0};
}

cr_status opened_open(opened *o, const void *bytes, size_t size, cr_error *err)
{
    cr_status status;

    if ((o->bytes = malloc(size + 1)) == NULL)
        return CR_ENOMEM;
    if (size > 0)
        memcpy(o->bytes, bytes, size);
    o->size = size;
    status = cr_model_load_bytes(&o->model, o->bytes, size, 0, err);
    if (status == CR_OK)
        status = cr_row_new(&o->row, o->model, err);
    if (status == CR_OK &&
        (o->posterior = calloc(cr_model_classes(o->model) + 1, sizeof *o->posterior)) == NULL)
        status = CR_ENOMEM;
    if (status != CR_OK)
        opened_close(o);
    return status;
}

void opened_touch(opened_cache *cache, opened *o)
{
    o->used = ++cache->clock;
}

cr_status opened_get(opened_cache *cache, const void *bytes, size_t size, opened **out,
                     cr_error *err)
{
    opened *oldest = &cache->model[0];
    cr_status status;

    for (size_t i = 0; i < OPENED_MODELS; i++) {
        opened *o = &cache->model[i];

        if (o->model != NULL && o->size == size && memcmp(o->bytes, bytes, size) == 0) {
            opened_touch(cache, o);
            *out = o;
            return CR_OK;
        }
        if (o->used < oldest->used)
            oldest = o;
    }
    opened_close(oldest);
    if ((status = opened_open(oldest, bytes, size, err)) != CR_OK)
        return status;
    opened_touch(cache, oldest);
    oldest->opening = oldest->used;
    *out = oldest;
    return CR_OK;
}

void opened_cache_close(opened_cache *cache)
{
    for (size_t i = 0; i < OPENED_MODELS; i++)
        opened_close(&cache->model[i]);
}
