/* serve/compute/compute.c - shared by the endpoints below /compute. */
#include "compute/compute.h"
#include "json_list.h"

#include <stdlib.h>
#include <string.h>

cr_status compute_with(call *k, cr_status (*f)(call *k, const cr_json_value *body))
{
    const cr_json_value *body;
    cr_status status = cr_json_parse(&body, k->request->body, k->request->size, k->err);

    if (status != CR_OK)
        return status;
    if (body->kind != CR_JSON_OBJECT)
        status = fail(k->err, CR_EFORMAT, NULL, "the body must be a JSON object");
    else
        status = f(k, body);
    cr_json_free(body);
    return status;
}

cr_status compute_source(call *k, const cr_json_value *body, cr_source **out)
{
    const char *table = cr_json_get_text(body, "table", NULL);
    cr_source_options o;
    const char **types;
    cr_status status;

    *out = NULL;
    if (table == NULL)
        return fail(k->err, CR_EARG, "\"table\": \"a,b,class\\n1,2,yes\\n\"",
                    "the body has no \"table\"");
    cr_source_options_default(&o);
    o.format = cr_json_get_text(body, "format", "csv");
    o.target = cr_json_get_text(body, "target", NULL);
    o.weight = cr_json_get_text(body, "weight", NULL);
    o.basis = cr_json_get_text(body, "basis", NULL);
    types = json_texts(cr_json_get(body, "types"), &o.type_count);
    o.types = types;
    status = cr_source_open_memory(out, table, strlen(table), "table", &o, k->err);
    free(types);
    return status;
}

cr_status compute_model(call *k, const cr_json_value *body, const char *learner, cr_model **out)
{
    const char *network = cr_json_get_text(body, "network", NULL);
    const char *wanted = cr_json_get_text(body, "learner", learner);
    cr_source *source = NULL;
    cr_spec spec = {0};
    cr_status status;

    *out = NULL;
    if (network != NULL)
        return cr_network_read_bytes(out, network, strlen(network), "network.net",
                                     cr_json_get_text(body, "target", NULL), k->err);
    status = cr_spec_parse(&spec, wanted, k->err);
    if (status == CR_OK && (status = compute_source(k, body, &source)) == CR_OK) {
        const char *const *params = (const char *const *)spec.params;

        status = strcmp(spec.learner, "probabilities") == 0
                     ? cr_joint_read(out, source, k->err)
                     : cr_model_train(out, source, spec.learner, params, spec.param_count, NULL,
                                      NULL, k->err);
    }
    cr_source_close(source);
    cr_spec_free(&spec);
    return status;
}
