/* render/mistake.c - p(mistake), its parts and the regions, for programs. */
#include <math.h>

#include "credence/mistake.h"
#include "render/results.h"

static const char *decision_name(const cr_model *model, int32_t d)
{
    return d < 0 ? NULL : cr_model_class(model, (size_t)d);
}

void cr_mistake_json(cr_json *j, const cr_mistake *m, const cr_model *model)
{
    const size_t K = m->classes;

    cr_json_number(j, "mistake", m->mistake);
    cr_json_number(j, "correct", m->correct);
    cr_json_number(j, "rejected", m->rejected);
    cr_json_number(j, "cost", m->cost);
    cr_json_array(j, "regions", CR_JSON_BLOCK);
    for (size_t i = 0; i < m->regions; i++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_number(j, "low", m->region[i].low); /* null: unbounded */
        cr_json_number(j, "high", m->region[i].high);
        cr_json_text(j, "decision", decision_name(model, m->region[i].decision));
        cr_json_end(j);
    }
    cr_json_end(j);
    cr_json_array(j, "parts", CR_JSON_BLOCK);
    for (size_t i = 0; i < K * (K + 1); i++) {
        const size_t t = i / (K + 1), d = i % (K + 1);

        if (!(m->mass[i] > 0))
            continue;
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "truth", cr_model_class(model, t));
        cr_json_text(j, "decision", decision_name(model, d == K ? -1 : (int32_t)d));
        cr_json_number(j, "probability", m->mass[i]);
        cr_json_end(j);
    }
    cr_json_end(j);
}
