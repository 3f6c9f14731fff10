/* render/model_json.c - what a model has learned, as JSON. */
#include <string.h>

#include "base/output.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"
#include "data/schema.h"
#include "render/model_json.h"

#define FIELDS(list) list, CR__COUNT_OF(list)
#define LEVEL 0.95 /* default level of intervals */

/* --- facts ------------------------------------------------------------------------------------ */

#define FACT(member, type, meaning) CR__HIDDEN(cr_model_facts, member, type, #member, meaning)

static const cr__field size_fields[] = {
    FACT(rows, CR__COUNT, "rows learned and not unlearned"),
    FACT(weight, CR__DOUBLE, "their weight"),
    FACT(parameters, CR__DOUBLE, "free parameters"),
};
static const cr__field joint_fields[] = {
    FACT(joint_parameters, CR__DOUBLE, "those of a table of every combination of symbols"),
    FACT(joint_log10, CR__DOUBLE, "log10 of that"),
    FACT(conditional_parameters, CR__DOUBLE, "those of a table P(class | symbols)"),
};
static const cr__field cell_fields[] = {
    FACT(cells, CR__DOUBLE, "of a joint table, those seen"),
    FACT(incomplete, CR__DOUBLE, "weight of the rows that lack a value"),
};
static const cr__field file_fields[] = {
    FACT(format, CR__COUNT, "version of the file format"),
    FACT(version, CR__CHARS, "of the library that wrote it"),
    FACT(fingerprint, CR__CHARS, "of the statistics"),
};
static const cr__field short_fields[] = {
    FACT(rows, CR__COUNT, "rows learned and not unlearned"),
    FACT(parameters, CR__DOUBLE, "free parameters"),
    FACT(fingerprint, CR__CHARS, "of the statistics"),
};

/* The first members, which every model has. */
static void head_json(cr__model_view *v)
{
    const cr_model *model = v->model;

    cr_json_object(&v->json, NULL, CR_JSON_BLOCK);
    cr_json_text(&v->json, "model", v->how.name);
    cr_json_text(&v->json, "learner", cr_model_learner(model));
    cr_json_text(&v->json, "target",
                 cr_schema_name(cr_model_schema(model), cr_model_target(model)));
}

/* --- kinds of models -------------------------------------------------------------------------- */

static void ensemble_json(cr__model_view *v)
{
    cr_json *j = &v->json;

    head_json(v);
    cr_json_text(j, "missing", cr_model_missing(v->model));
    cr__fields_json(j, FIELDS(size_fields), &v->facts);
    cr__fields_json(j, FIELDS(file_fields), &v->facts);
    cr__knobs_json(j, v->model);
    cr__members_json(j, v->model);
    cr__tried_json(j, v->model);
    cr_json_array(j, "classes", CR_JSON_BLOCK);
    for (size_t c = 0; c < cr_model_classes(v->model); c++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "name", cr_model_class(v->model, c));
        cr_json_number(j, "prior", cr_model_prior(v->model, c));
        cr_json_end(j);
    }
    cr_json_end(j);
    cr_json_end(j);
}

#define COEFFICIENT(member, meaning)                                                               \
    CR__HIDDEN(cr_coefficient, member, CR__DOUBLE, #member, meaning)

static const cr__field coefficient_fields[] = {
    COEFFICIENT(weight, "what a unit adds to the target"),
    COEFFICIENT(error, "its standard error"),
    COEFFICIENT(low, "lower end of its interval"),
    COEFFICIENT(high, "upper end of its interval"),
};

static void regression_json(cr__model_view *v)
{
    const double level = v->how.level > 0 ? v->how.level : LEVEL;
    cr_json *j = &v->json;
    cr_coefficient c;

    head_json(v);
    cr__fields_json(j, FIELDS(short_fields), &v->facts);
    cr__knobs_json(j, v->model);
    cr__linear_json(j, v->model);
    cr_json_number(j, "level", level);
    cr_json_array(j, "weights", CR_JSON_BLOCK);
    for (size_t i = 0; cr_model_coefficient(v->model, i, level, &c) == CR_OK; i++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "column",
                     c.column == SIZE_MAX ? NULL
                                          : cr_schema_name(cr_model_schema(v->model), c.column));
        if (c.value != SIZE_MAX)
            cr_json_text(j, "value", cr_model_value(v->model, c.column, c.value));
        cr__fields_json(j, FIELDS(coefficient_fields), &c);
        cr_json_end(j);
    }
    cr_json_end(j);
    cr_json_end(j);
}

static void picture_line(void *context, size_t depth, const char *text)
{
    cr_json *j = context;

    cr_json_object(j, NULL, CR_JSON_LINE);
    cr_json_number(j, "depth", (double)depth);
    cr_json_text(j, "text", text);
    cr_json_end(j);
}

static void no_line(void *context, size_t depth, const char *text)
{
    (void)context;
    (void)depth;
    (void)text;
}

static void picture_json(cr_json *j, const cr_model *model)
{
    cr_status st = cr_model_draw(model, no_line, NULL, NULL);

    if (st == CR_OK) {
        cr_json_array(j, "picture", CR_JSON_BLOCK);
        st = cr_model_draw(model, picture_line, j, NULL);
        cr_json_end(j);
    }
    if (st == CR_ENOMEM)
        cr__output_fail(j->out);
}

static void classifier_json(cr__model_view *v, double log_evidence)
{
    cr_json *j = &v->json;

    head_json(v);
    cr_json_text(j, "missing", cr_model_missing(v->model));
    cr__fields_json(j, FIELDS(size_fields), &v->facts);
    cr__fields_json(j, FIELDS(joint_fields), &v->facts);
    if (v->facts.cells > 0)
        cr__fields_json(j, FIELDS(cell_fields), &v->facts);
    cr__fields_json(j, FIELDS(file_fields), &v->facts);
    if (v->how.evidence)
        cr_json_number(j, "log_evidence", log_evidence);
    cr__knobs_json(j, v->model);
    if (cr_model_calibration(v->model) != NULL)
        cr_json_text(j, "calibration", cr_model_calibration(v->model));
    cr__classes_json(j, v->model);
    cr__tried_json(j, v->model);
    cr__fit_json(j, v->model);
    cr__weights_json(v);
    picture_json(j, v->model);
    cr_json_array(j, "features", CR_JSON_BLOCK);
    for (size_t i = 0; i < v->features; i++)
        cr__feature_json(v, &v->feature[i]);
    cr_json_end(j);
    cr_json_end(j);
}

/* --- what is requested ------------------------------------------------------------------------ */

cr_status cr__pick_features(cr__model_view *v, cr_feature_rank **own, cr_error *err)
{
    const cr_schema *schema = cr_model_schema(v->model);
    const char *nearest;
    size_t kept = 0;

    if ((*own = cr__alloc(cr_schema_columns(schema) + 1, sizeof **own)) == NULL)
        return cr__fail_memory(err);
    v->features = cr_model_rank_features(v->model, *own);
    v->feature = *own;
    if (v->how.feature == NULL)
        return CR_OK;
    for (size_t i = 0; i < v->features; i++)
        if (strcmp(cr_schema_name(schema, (*own)[i].column), v->how.feature) == 0)
            (*own)[kept++] = (*own)[i];
    v->features = kept;
    if (kept > 0)
        return CR_OK;
    cr__fail(err, CR_EARG, "the model has no feature '%s'", v->how.feature);
    if ((nearest = cr__schema_nearest(schema, v->how.feature)) != NULL)
        cr__fail_hint(err, CR_EARG, "did you mean '%s'?", nearest);
    return CR_EARG;
}

static cr_status show_classifier(cr__model_view *v, cr_error *err)
{
    cr_feature_rank *own = NULL;
    double log_evidence = 0;
    cr_status st = v->how.evidence ? cr_model_evidence(v->model, &log_evidence, err) : CR_OK;

    if (st == CR_OK)
        st = cr__pick_features(v, &own, err);
    if (st == CR_OK)
        classifier_json(v, log_evidence);
    cr__free(own);
    return st;
}

cr_status cr_model_json(const cr_model *model, const cr_model_json_options *options,
                        const cr_run *run, cr_output *out, cr_error *err)
{
    cr__model_view v = {.model = model};
    cr_linear_facts linear;
    cr_status st = cr__sized_take(&v.how, sizeof v.how, options, "cr_model_json_options", err);

    if (st != CR_OK)
        return st;
    if ((st = cr_model_get_facts(model, &v.facts)) != CR_OK)
        return cr__fail(err, st, "%s", cr_status_text(st));
    cr_json_start(&v.json, out);
    if (cr_model_members(model) > 0)
        ensemble_json(&v);
    else if (cr_network_nodes(model) > 0)
        st = cr__network_json(&v, run, err);
    else if (cr_model_linear_facts(model, &linear) == CR_OK)
        regression_json(&v);
    else
        st = show_classifier(&v, err);
    if (st == CR_OK && v.status != CR_OK)
        st = cr__fail_memory(err);
    if (st == CR_OK && (st = cr_output_flush(out)) != CR_OK)
        cr__fail(err, st, "%s", cr_status_text(st));
    return st;
}
