/* serve/endpoints/models.c - GET /models: the served models; GET /models/NAME: one model. */
#include <math.h>
#include <stdio.h>

#include "endpoints/endpoints.h"

/* The range of a real feature for a slider: its mean, its standard deviation, and three of these to
 * either side. */
static void put_numbers(cr_json *j, const cr_model *model, size_t column)
{
    double mean, sd;

    if (cr_model_moments(model, column, &mean, &sd) != CR_OK || !isfinite(mean) || !isfinite(sd))
        return;
    cr_json_number(j, "mean", mean);
    cr_json_number(j, "sd", sd);
    cr_json_number(j, "low", mean - 3 * sd);
    cr_json_number(j, "high", mean + 3 * sd);
}

void put_range(cr_json *j, const cr_model *model, size_t column)
{
    const cr_kind kind = cr_schema_kind(cr_model_schema(model), column);

    if (kind == CR_REAL && column != cr_model_target(model))
        put_numbers(j, model, column);
    if (kind != CR_SYMBOL || cr_model_values(model, column) == 0)
        return;
    cr_json_array(j, "values", CR_JSON_LINE);
    for (size_t v = 0; v < cr_model_values(model, column) && v < 1000; v++)
        cr_json_text(j, NULL, cr_model_value(model, column, v));
    cr_json_end(j);
}

void put_classes(cr_json *j, const cr_model *model)
{
    cr_json_array(j, "classes", CR_JSON_BLOCK);
    for (size_t c = 0; c < cr_model_classes(model); c++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "name", cr_model_class(model, c));
        cr_json_number(j, "count", cr_model_class_count(model, c));
        cr_json_number(j, "prior", cr_model_prior(model, c));
        cr_json_end(j);
    }
    cr_json_end(j);
}

static void put_head(cr_json *j, const view *v)
{
    const cr_model *model = view_model(v);

    cr_json_text(j, "name", v->slot->name);
    cr_json_text(j, "version", v->held->version);
    cr_json_text(j, "learner", cr_model_learner(model));
    cr_json_text(j, "target", cr_schema_name(cr_model_schema(model), cr_model_target(model)));
    cr_json_number(j, "rows", (double)v->held->rows);
}

static void put_broken(cr_json *j, const slot *s, const cr_error *err)
{
    cr_json_text(j, "name", s->name);
    cr_json_text(j, "error", err->message);
}

cr_status list_models(call *k)
{
    cr_json j;
    slot *s;

    cr_json_start(&j, k->answer->out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_bool(&j, "learn", k->service->learn);
    cr_json_array(&j, "models", CR_JSON_BLOCK);
    for (size_t i = 0; (s = catalog_at(&k->service->models, i)) != NULL; i++) {
        cr_error err = {0};
        view *v;

        cr_json_object(&j, NULL, CR_JSON_LINE);
        if (worker_view(k->worker, s, &v, &err) == CR_OK)
            put_head(&j, v);
        else
            put_broken(&j, s, &err);
        cr_json_end(&j);
    }
    cr_json_end(&j);
    cr_json_end(&j);
    return CR_OK;
}

/* The head, the classes and the columns; and, unless brief, all of `credence show --json`. */
cr_status show_model(call *k)
{
    const cr_model *model = view_model(k->view);
    cr_model_json_options options = {.name = k->view->slot->name,
                                     .feature = request_text(k->request, "feature"),
                                     .node = request_text(k->request, "node"),
                                     .top = 20,
                                     .telling_only = request_text(k->request, "top") != NULL};
    cr_status status = request_count(k->request, "top", 1, 1000000, &options.top, k->err);
    cr_output *out = k->answer->out;
    cr_json j;

    if (status != CR_OK)
        return status;
    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    put_head(&j, k->view);
    put_classes(&j, model);
    put_columns(&j, model);
    if (request_flag(k->request, "brief")) {
        cr_json_end(&j);
        return CR_OK;
    }
    cr_output_text(out, ",\n  \"show\": ");
    status = cr_model_json(model, &options, NULL, out, k->err);
    cr_output_text(out, "}\n");
    return status;
}

/* The bytes of the model file. */
cr_status download_model(call *k)
{
    void *bytes = NULL;
    size_t size = 0;
    const cr_status status = cr_model_save_bytes(view_model(k->view), &bytes, &size, k->err);
    char name[300];

    if (status != CR_OK)
        return status;
    buffer_add(&k->answer->body, bytes, size);
    cr_bytes_free(bytes);
    k->answer->type = TYPE_BYTES;
    snprintf(name, sizeof name, "%s.model", k->view->slot->name);
    buffer_clear(&k->answer->name, 1 << 10);
    buffer_text(&k->answer->name, name);
    return CR_OK;
}
