/* learners/logistic/shape.c - which feature is which: codings of symbols, numbers of weights. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/logistic/logistic.h"

void cr__lr_shape_free(cr__lr_shape *shape)
{
    cr__free(shape->slot);
    cr__free(shape->pair);
    *shape = (cr__lr_shape){0};
}

/* A column of 0 and 1 is treated as a number with two values. */
static int is_bit(const cr__dict *dict)
{
    size_t length;

    if (dict->words != 2)
        return 0;
    for (uint32_t code = 1; code <= 2; code++)
        if (*cr__dict_word(dict, code, &length) != (char)('0' + code - 1) || length != 1)
            return 0;
    return 1;
}

static cr__lr_coding coding_of(const cr__dict *dict, const cr__knobs *knobs)
{
    if (cr__knobs_is(knobs, "coding", "effect"))
        return CR__LR_EFFECT;
    if (cr__knobs_is(knobs, "coding", "reference"))
        return CR__LR_REFERENCE;
    return is_bit(dict) ? CR__LR_INDICATOR : CR__LR_ONE_HOT;
}

static size_t features_of(const cr__lr_slot *slot)
{
    switch (slot->kind) {
    case CR_REAL: return 1;
    case CR_BAG: return slot->values;
    case CR_SYMBOL:
        return slot->coding == CR__LR_ONE_HOT ? slot->values
               : slot->values > 0             ? slot->values - 1
                                              : 0;
    default: return 0;
    }
}

static int is_real(const cr__lr_shape *shape, size_t column)
{
    return shape->slot[column].kind == CR_REAL;
}

cr_status cr__lr_shape_number(cr__lr_shape *shape, cr_error *err)
{
    cr_status st;

    shape->features = 0;
    for (size_t i = 0; i < shape->columns; i++)
        shape->slot[i].count = features_of(&shape->slot[i]);
    if (shape->interactions && (st = cr__lr_pairs_new(shape, err)) != CR_OK)
        return st;
    for (int reals = 1; reals >= 0; reals--) {
        for (size_t i = 0; i < shape->columns; i++) {
            cr__lr_slot *slot = &shape->slot[i];

            if (slot->kind == CR_IGNORE || (slot->kind == CR_REAL) != reals)
                continue;
            slot->first = shape->features;
            shape->features += slot->count;
        }
        if (reals)
            shape->reals = shape->features;
        for (size_t k = 0; k < shape->pairs; k++) {
            cr__lr_pair *pair = &shape->pair[k];

            if ((is_real(shape, pair->a) && is_real(shape, pair->b)) != reals)
                continue;
            pair->first = shape->features;
            shape->features += pair->count;
        }
        if (reals)
            shape->dense = shape->features;
    }
    if (shape->features > UINT32_MAX || shape->sets > SIZE_MAX / 64 / (1 + shape->features))
        return cr__fail(err, CR_ELIMIT, "%zu features for %zu classes are too many weights",
                        shape->features, shape->classes);
    return CR_OK;
}

cr_status cr__lr_shape_new(cr__lr_shape *out, const cr__stats *stats, const cr__knobs *knobs,
                           cr_error *err)
{
    const cr_schema *schema = stats->schema;
    const int reference = cr__knobs_is(knobs, "form", "reference") ||
                          (cr__knobs_is(knobs, "form", "auto") && stats->classes == 2);

    *out = (cr__lr_shape){.columns = schema->columns,
                          .classes = stats->classes,
                          .interactions = cr__knobs_is(knobs, "interactions", "yes")};
    out->first_class = (size_t)(reference && stats->classes > 1);
    out->sets = stats->classes - out->first_class;
    if ((out->slot = cr__alloc_zero(schema->columns, sizeof *out->slot)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < schema->columns; i++) {
        cr__lr_slot *slot = &out->slot[i];

        if (!cr__stats_is_feature(schema, i))
            continue;
        slot->kind = schema->column[i].kind;
        if (slot->kind == CR_SYMBOL) {
            slot->values = cr__stats_values(stats, i);
            slot->coding = coding_of(stats->column[i].dict, knobs);
        } else if (slot->kind == CR_BAG) {
            slot->values = stats->column[i].bag->words;
        }
    }
    return cr__lr_shape_number(out, err);
}
