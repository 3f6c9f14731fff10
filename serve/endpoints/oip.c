/* serve/endpoints/oip.c - the Open Inference Protocol, version 2, over REST: health and metadata.
 *
 * github.com/kserve/open-inference-protocol: specification/protocol/inference_rest.md
 */
#include <string.h>

#include "endpoints/endpoints.h"

cr_status oip_server(call *k)
{
    cr_json j;

    cr_json_start(&j, k->answer->out);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    cr_json_text(&j, "name", "credence");
    cr_json_text(&j, "version", cr_version());
    cr_json_array(&j, "extensions", CR_JSON_LINE);
    cr_json_end(&j);
    cr_json_end(&j);
    return CR_OK;
}

static cr_status put_flag(call *k, const char *key, bool value)
{
    cr_json j;

    cr_json_start(&j, k->answer->out);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    cr_json_bool(&j, key, value);
    cr_json_end(&j);
    k->answer->status = value ? 200 : 503;
    return CR_OK;
}

cr_status oip_live(call *k)
{
    return put_flag(k, "live", true);
}

/* Ready: every model can be queried. */
cr_status oip_ready(call *k)
{
    bool ready = true;
    slot *s;

    for (size_t i = 0; (s = catalog_at(&k->service->models, i)) != NULL; i++) {
        snapshot *held = slot_hold(s);

        ready = ready && held != NULL;
        snapshot_release(held);
    }
    return put_flag(k, "ready", ready);
}

/* The version in the path must be the served one. */
cr_status oip_version(call *k)
{
    if (k->rest == NULL || strcmp(k->rest, k->view->held->version) == 0)
        return CR_OK;
    k->answer->status = 404;
    return fail(k->err, CR_EARG, NULL, "model '%s' has no version '%.64s': it is at %s",
                k->view->slot->name, k->rest, k->view->held->version);
}

cr_status oip_model_ready(call *k)
{
    const cr_status status = oip_version(k);
    cr_json j;

    if (status != CR_OK)
        return status;
    cr_json_start(&j, k->answer->out);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    cr_json_text(&j, "name", k->view->slot->name);
    cr_json_bool(&j, "ready", true);
    cr_json_end(&j);
    return CR_OK;
}

static void put_tensor(cr_json *j, const char *name, const char *type, double second)
{
    cr_json_object(j, NULL, CR_JSON_LINE);
    cr_json_text(j, "name", name);
    cr_json_text(j, "datatype", type);
    cr_json_array(j, "shape", CR_JSON_LINE);
    cr_json_number(j, NULL, -1);
    if (second > 0)
        cr_json_number(j, NULL, second);
    cr_json_end(j);
    cr_json_end(j);
}

cr_status oip_model(call *k)
{
    const cr_status status = oip_version(k);
    const view *v = k->view;
    cr_json j;

    if (status != CR_OK)
        return status;
    cr_json_start(&j, k->answer->out);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    cr_json_text(&j, "name", v->slot->name);
    cr_json_array(&j, "versions", CR_JSON_LINE);
    cr_json_text(&j, NULL, v->held->version);
    cr_json_end(&j);
    cr_json_text(&j, "platform", "credence");
    cr_json_array(&j, "inputs", CR_JSON_LINE);
    for (size_t c = 0; c < v->columns; c++)
        if (v->column[c].feature)
            put_tensor(&j, v->column[c].name, v->column[c].kind == CR_REAL ? "FP64" : "BYTES", 0);
    cr_json_end(&j);
    cr_json_array(&j, "outputs", CR_JSON_LINE);
    put_tensor(&j, "prediction", v->numbers ? "FP64" : "BYTES", 0);
    if (!v->numbers) {
        put_tensor(&j, "posterior", "FP64", (double)v->classes);
        put_tensor(&j, "expected_cost", "FP64", 0);
    }
    cr_json_end(&j);
    cr_json_end(&j);
    return CR_OK;
}
