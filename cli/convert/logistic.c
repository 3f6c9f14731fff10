/* cli/convert/logistic.c - a model as the weights of a logistic regression. */
#include "convert/logistic.h"

#include <stdio.h>
#include <string.h>

#include "credence/credence.h"
#include "out/json.h"
#include "out/text.h"
#include "session/session.h"

static void report(const request *r, const char *path, const char *from, const cr_model *model)
{
    char number[NUMBER_ROOM];
    cr_model_facts facts;
    cr_json j;

    cr_model_get_facts(model, &facts);
    if (!r->json) {
        printf("%s: a logistic regression of %s weights with the posteriors of %s\n",
               path == NULL ? r->operands[0] : path, number_plain(number, facts.parameters), from);
        return;
    }
    json_start(&j, stdout);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_text(&j, "model", path);
    cr_json_text(&j, "learner", cr_model_learner(model));
    cr_json_text(&j, "from", from);
    cr_json_number(&j, "parameters", facts.parameters);
    cr_json_text(&j, "fingerprint", facts.fingerprint);
    json_end(&j);
}

int convert_to_logistic(const request *r, const char *path)
{
    cr_model *model = NULL;
    cr_error err = {0};
    cr_status status;
    char from[64];
    int code = open_model(&model, r, 0);

    if (code != EXIT_DONE)
        return code;
    snprintf(from, sizeof from, "%s", cr_model_learner(model));
    if ((status = cr_model_to_logistic(model, &err)) != CR_OK) {
        snprintf(err.file, sizeof err.file, "%s", r->operands[0]);
        code = complain(status, &err);
    } else if (path == NULL || (code = save_model(model, path)) == EXIT_DONE) {
        if (path == NULL || strcmp(path, "-") != 0)
            report(r, path, from, model);
        if (path == NULL)
            note("the model is not kept; name a file with -o MODEL");
    }
    cr_model_free(model);
    return code;
}
