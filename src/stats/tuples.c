/* stats/tuples.c - the canonical form of counts of tuples. */
#include "stats/tuples.h"

#include <string.h>

#include "base/memory.h"
#include "stats/stats.h"

void cr__tuples_free(cr__tuples *tuples)
{
    if (tuples == NULL)
        return;
    for (size_t t = 0; tuples->counts != NULL && t < tuples->count; t++) {
        cr__free(tuples->counts[t].key);
        cr__free(tuples->counts[t].whole);
        cr__free(tuples->counts[t].fraction);
    }
    cr__free(tuples->counts);
    cr__free(tuples->tuple);
    cr__free(tuples->column);
    cr__free(tuples->values);
    cr__free(tuples);
}

cr__tuples *cr__tuples_new(const cr_schema *schema, const cr__tuple *more, size_t more_count)
{
    cr__tuples *out = cr__alloc_zero(1, sizeof *out);
    size_t n = 0, t = 0;

    if (out == NULL || (out->column = cr__alloc(schema->columns, sizeof *out->column)) == NULL ||
        (out->values = cr__alloc_zero(schema->columns, sizeof *out->values)) == NULL) {
        cr__tuples_free(out);
        return NULL;
    }
    for (size_t i = 0; i < schema->columns; i++)
        if (cr__stats_is_feature(schema, i))
            out->column[n++] = (uint32_t)i;
    out->features = n;
    out->count = cr__tuples_pairs(n) + more_count;
    out->tuple = cr__alloc(out->count, sizeof *out->tuple);
    out->counts = cr__alloc_zero(out->count, sizeof *out->counts);
    if (out->tuple == NULL || out->counts == NULL) {
        cr__tuples_free(out);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            out->tuple[t++] = (cr__tuple){2, {i, j}};
    if (more_count > 0)
        memcpy(out->tuple + t, more, more_count * sizeof *more);
    return out;
}

size_t cr__tuples_order(const cr__tuples *tuples)
{
    if (tuples == NULL)
        return 0;
    return tuples->count > cr__tuples_pairs(tuples->features) ? 3 : 2;
}

cr__tuple *cr__tuples_triples(size_t features, size_t *count)
{
    const size_t n = features < 3 ? 0 : features * (features - 1) * (features - 2) / 6;
    cr__tuple *list = cr__alloc(n, sizeof *list);
    size_t t = 0;

    *count = n;
    for (uint32_t i = 0; list != NULL && i < features; i++)
        for (uint32_t j = i + 1; j < features; j++)
            for (uint32_t k = j + 1; k < features; k++)
                list[t++] = (cr__tuple){3, {i, j, k}};
    return list;
}

size_t cr__tuples_find(const cr__tuples *tuples, const uint32_t *feature, size_t size)
{
    for (size_t t = 0; t < tuples->count; t++)
        if (tuples->tuple[t].size == size &&
            memcmp(tuples->tuple[t].feature, feature, size * sizeof *feature) == 0)
            return t;
    return SIZE_MAX;
}

size_t cr__tuples_size(const cr__tuples *tuples, size_t t)
{
    size_t size = tuples->classes;

    for (size_t k = 0; k < tuples->tuple[t].size; k++) {
        const size_t values = tuples->values[tuples->tuple[t].feature[k]];

        if (values != 0 && size > (SIZE_MAX >> 1) / values)
            return SIZE_MAX;
        size *= values;
    }
    return size;
}
