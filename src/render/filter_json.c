/* render/filter_json.c - the classification of a message, as JSON. */
#include "credence/filter.h"
#include "credence/json.h"

void cr_filter_json(const cr_model *model, const char *model_path,
                    const cr_filter_judgement *judgement, const cr_filter_limits *limits,
                    const double *posterior, cr_output *out)
{
    cr_json j;

    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_text(&j, "model", model_path);
    cr_json_text(&j, "verdict", cr_filter_verdict_name(judgement->verdict));
    cr_json_number(&j, "probability", judgement->spam);
    cr_json_number(&j, "low", limits->low);
    cr_json_number(&j, "high", limits->high);
    cr_json_text(&j, "prediction",
                 judgement->decision != CR_UNDECIDED
                     ? cr_model_class(model, (size_t)judgement->decision)
                     : NULL);
    cr_json_object(&j, "posterior", CR_JSON_LINE);
    for (size_t c = 0; c < cr_model_classes(model); c++)
        cr_json_number(&j, cr_model_class(model, c), posterior[c]);
    cr_json_end(&j);
    cr_json_end(&j);
}
