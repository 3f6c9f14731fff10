/* render/states_json.c - the most probable states of a network as JSON, one object on a line. */
#include <math.h>

#include "render/results.h"

cr_status cr_states_json(const cr_states *s, const cr_model *model, const char *condition,
                         cr_output *out)
{
    cr_json j;

    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    cr_json_text(&j, "condition", condition);
    cr_json_number(&j, "probability", exp(s->log_probability));
    cr_json_number(&j, "log_probability", s->log_probability);
    cr_json_number(&j, "log_condition", s->log_condition);
    cr_json_object(&j, "states", CR_JSON_LINE);
    for (size_t i = 0; i < s->count; i++)
        cr_json_text(&j, cr_structure_node(model, i), cr_structure_state(model, i, s->value[i]));
    cr_json_end(&j);
    cr_json_end(&j);
    return cr_output_flush(out);
}
