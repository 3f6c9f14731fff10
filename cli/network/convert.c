/* cli/network/convert.c - convert networks between their formats and the model file. */
#include <string.h>

#include "network/network.h"
#include "out/out.h"
#include "out/json.h"
#include "out/text.h"
#include "session/session.h"

static bool is_format(const char *to)
{
    static const char *const formats[] = {"bif", "xmlbif", "net", "hugin", "netica", "dot"};

    for (size_t i = 0; to != NULL && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(to, formats[i]) == 0)
            return true;
    return false;
}

static void report(const request *r, const char *path, const cr_model *model)
{
    cr_model_facts facts;
    size_t arcs = 0;
    char parameters[NUMBER_ROOM];
    cr_json j;

    cr_model_get_facts(model, &facts);
    for (size_t i = 0; i < cr_network_nodes(model); i++)
        for (size_t k = 0; cr_network_parent(model, i, k) != SIZE_MAX; k++)
            arcs++;
    if (path != NULL && strcmp(path, "-") == 0)
        return; /* the result goes to standard output */
    if (r->json) {
        json_start(&j, stdout);
        cr_json_object(&j, NULL, CR_JSON_BLOCK);
        cr_json_text(&j, "file", path);
        cr_json_text(&j, "learner", cr_model_learner(model));
        cr_json_number(&j, "nodes", (double)cr_network_nodes(model));
        cr_json_number(&j, "arcs", (double)arcs);
        cr_json_number(&j, "parameters", facts.parameters);
        json_end(&j);
    } else if (!out_is_quiet()) {
        printf("%s: a Bayesian network of %zu variable%s, %zu arc%s and %s parameters\n",
               path == NULL ? r->operands[0] : path, cr_network_nodes(model),
               plural(cr_network_nodes(model)), arcs, plural(arcs),
               number_plain(parameters, facts.parameters));
    }
    if (path == NULL)
        note("the model is not kept; name a file with -o MODEL");
}

/* The network of the first operand: a network file, or a model, possibly of another kind that can
 * be written as a network. Its target is replaced if another is asked for. */
static int open_network(cr_model **out, const request *r)
{
    const char *target = option_text(r, "target");
    cr_model *other = NULL;
    cr_error err = {0};
    cr_status status;
    int code;

    if (cr_network_recognise(r->operands[0]) || cr_network_format(r->operands[0]) != NULL) {
        status = cr_network_read(out, r->operands[0], target, &err);
        return status == CR_OK ? EXIT_DONE : complain(status, &err);
    }
    if ((code = open_model(out, r, 0)) != EXIT_DONE ||
        (target == NULL && cr_network_nodes(*out) > 0))
        return code;
    if (target == NULL)
        target = cr_schema_name(cr_model_schema(*out), cr_model_target(*out));
    status = cr_network_copy(&other, *out, target, &err);
    cr_model_free(*out);
    *out = other;
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

/* Convert an influence diagram from one format to another. */
static int convert_diagram(const request *r, const char *to, const char *path)
{
    cr_diagram *diagram = NULL;
    cr_error err = {0};
    cr_status status = cr_diagram_read(&diagram, r->operands[0], &err);
    int code = path == NULL ? EXIT_DONE : check_output(path, r, 0);

    if (status == CR_OK && code == EXIT_DONE)
        status = cr_diagram_write(diagram, path == NULL ? "-" : path, to, &err);
    if (status != CR_OK)
        code = complain(status, &err);
    else if (code == EXIT_DONE && path != NULL && strcmp(path, "-") != 0 && !out_is_quiet())
        printf("%s: an influence diagram of %zu nodes\n", path, cr_diagram_nodes(diagram));
    cr_diagram_free(diagram);
    return code;
}

int network_convert(const request *r, const char *to, const char *path, bool *done)
{
    const bool writes =
        is_format(to) || (to == NULL && path != NULL && cr_network_format(path) != NULL);
    cr_model *model = NULL;
    cr_error err = {0};
    cr_status status = CR_OK;
    int code;

    *done = writes || (to != NULL && strcmp(to, "network") == 0) ||
            (to == NULL &&
             (cr_network_recognise(r->operands[0]) || cr_network_format(r->operands[0]) != NULL));
    if (to == NULL && !*done && option_given(r, "target") &&
        cr_model_load(&model, r->operands[0], CR_LOAD_TRUST, NULL) == CR_OK)
        *done = cr_network_nodes(model) > 0;
    cr_model_free(model);
    model = NULL;
    if (!*done)
        return EXIT_DONE;
    if (cr_diagram_recognise(r->operands[0]))
        return convert_diagram(r, to, path);
    if (path != NULL && (code = check_output(path, r, 0)) != EXIT_DONE)
        return code;
    if ((code = open_network(&model, r)) != EXIT_DONE)
        return code;
    if (writes)
        status = cr_network_write(model, path == NULL ? "-" : path, to, &err);
    else if (path != NULL)
        code = save_model(model, path);
    if (status != CR_OK)
        code = complain(status, &err);
    else if (code == EXIT_DONE && (path != NULL || !writes))
        report(r, path, model);
    cr_model_free(model);
    return code;
}
