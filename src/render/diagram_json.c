/* render/diagram_json.c - the best strategy of an influence diagram as JSON, on one line. */
#include <math.h>

#include "render/results.h"

/* The states that a row of a policy stands for. */
static void write_known(cr_json *j, const cr_diagram *d, const cr_policy *p, size_t row)
{
    size_t stride = p->rows;

    cr_json_object(j, "known", CR_JSON_LINE);
    for (size_t k = 0; k < p->knowns; k++) {
        const size_t states = cr_diagram_states(d, p->known[k]);

        stride /= states;
        cr_json_text(j, cr_diagram_name(d, p->known[k]),
                     cr_diagram_state(d, p->known[k], row / stride % states));
    }
    cr_json_end(j);
}

static void write_policy(cr_json *j, const cr_diagram *d, const cr_policy *p)
{
    cr_json_object(j, NULL, CR_JSON_LINE);
    cr_json_text(j, "decision", cr_diagram_name(d, p->decision));
    cr_json_array(j, "rows", CR_JSON_LINE);
    for (size_t row = 0; row < p->rows; row++) {
        const double *utility = p->utility + row * p->options;

        if (isnan(utility[p->best[row]]))
            continue; /* impossible */
        cr_json_object(j, NULL, CR_JSON_LINE);
        write_known(j, d, p, row);
        cr_json_text(j, "best", cr_diagram_state(d, p->decision, p->best[row]));
        cr_json_object(j, "utility", CR_JSON_LINE);
        for (size_t o = 0; o < p->options; o++)
            cr_json_number(j, cr_diagram_state(d, p->decision, o), utility[o]);
        cr_json_end(j);
        cr_json_number(j, "probability", p->probability[row]);
        cr_json_end(j);
    }
    cr_json_end(j);
    cr_json_end(j);
}

cr_status cr_strategy_json(const cr_strategy *s, const cr_diagram *diagram, const char *condition,
                           const cr_information *information, size_t count, cr_output *out)
{
    cr_json j;

    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    cr_json_text(&j, "condition", condition);
    cr_json_number(&j, "utility", s->utility);
    cr_json_array(&j, "policies", CR_JSON_LINE);
    for (size_t i = 0; i < s->policies; i++)
        write_policy(&j, diagram, &s->policy[i]);
    cr_json_end(&j);
    if (information != NULL) {
        cr_json_array(&j, "information", CR_JSON_LINE);
        for (size_t i = 0; i < count; i++) {
            cr_json_object(&j, NULL, CR_JSON_LINE);
            cr_json_text(&j, "variable", cr_diagram_name(diagram, information[i].variable));
            cr_json_text(&j, "decision", cr_diagram_name(diagram, information[i].decision));
            cr_json_number(&j, "value", information[i].value);
            cr_json_end(&j);
        }
        cr_json_end(&j);
    }
    cr_json_end(&j);
    return cr_output_flush(out);
}
