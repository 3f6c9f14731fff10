/* render/independence.c - pairs of features that depend on each other, as JSON. */
#include <math.h>

#include "credence/render.h"

/* The classes of a model, or NULL where it has none: then the features are compared without
 * classes. */
static const char *target_of(const cr_model *model)
{
    const cr_schema *schema = cr_model_schema(model);
    const size_t target = cr_model_target(model);

    return target == SIZE_MAX || cr_schema_kind(schema, target) == CR_REAL
               ? NULL
               : cr_schema_name(schema, target);
}

static void pair(cr_json *j, const cr_model *model, const cr_pair *p)
{
    const cr_schema *schema = cr_model_schema(model);

    cr_json_object(j, NULL, CR_JSON_LINE);
    cr_json_text(j, "a", cr_schema_name(schema, p->a));
    cr_json_text(j, "b", cr_schema_name(schema, p->b));
    cr_json_number(j, "rows", p->rows);
    cr_json_number(j, "information", p->information);
    cr_json_number(j, "g2", p->g2);
    cr_json_number(j, "freedom", p->freedom);
    cr_json_number(j, "p", p->p);
    cr_json_number(j, "deviation", p->deviation);
    cr_json_number(j, "mean_deviation", p->mean_deviation);
    if (!isnan(p->correlation))
        cr_json_number(j, "correlation", p->correlation);
    if (p->deviation > 0) {
        cr_json_text(j, "value_a", cr_model_value(model, p->a, p->value_a));
        cr_json_text(j, "value_b", cr_model_value(model, p->b, p->value_b));
        if (target_of(model) != NULL)
            cr_json_text(j, "class", cr_model_class(model, p->class_index));
    }
    cr_json_end(j);
}

cr_status cr_independence_json(const cr_independence *result, const cr_model *model, size_t pairs,
                               cr_output *out)
{
    cr_independence_facts f;
    cr_json j;

    cr_independence_get_facts(result, &f);
    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_text(&j, "target", target_of(model));
    cr_json_number(&j, "features", (double)f.features);
    cr_json_number(&j, "pairs", (double)f.pairs);
    cr_json_number(&j, "dependent", (double)f.dependent);
    cr_json_number(&j, "mean_information", f.mean_information);
    cr_json_number(&j, "mean_deviation", f.mean_deviation);
    cr_json_array(&j, "pair", CR_JSON_BLOCK);
    for (size_t i = 0; i < pairs && i < f.pairs; i++)
        pair(&j, model, cr_independence_pair(result, i));
    cr_json_end(&j);
    cr_json_end(&j);
    return cr_output_flush(out);
}
