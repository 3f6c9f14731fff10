/* serve/endpoints/models.c - GET /models: what is served; GET /models/NAME: one model laid open. */
#include "endpoints/endpoints.h"

static void put_columns(cr_json *j, const cr_model *model)
{
    const cr_schema *schema = cr_model_schema(model);

    cr_json_array(j, "columns", CR_JSON_BLOCK);
    for (size_t c = 0; c < cr_schema_columns(schema); c++) {
        static const char *const role[] = {"feature", "target", "weight"};

        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "name", cr_schema_name(schema, c));
        cr_json_text(j, "kind", cr_kind_name(cr_schema_kind(schema, c)));
        cr_json_text(j, "role", role[cr_schema_role(schema, c)]);
        cr_json_end(j);
    }
    cr_json_end(j);
}

static void put_classes(cr_json *j, const cr_model *model)
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

cr_status show_model(call *k)
{
    const cr_model *model = view_model(k->view);
    cr_json j;

    cr_json_start(&j, k->answer->out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    put_head(&j, k->view);
    put_classes(&j, model);
    put_columns(&j, model);
    cr_json_end(&j);
    return CR_OK;
}
