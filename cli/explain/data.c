/* cli/explain/data.c - explanations for programs, as JSON or CSV. */
#include <stdio.h>

#include "explain/explain.h"
#include "out/json.h"
#include "session/reserve.h"

/* The library's object, in the order of the rows. */
void explain_json(const inquiry *q, const cr_explanation *e)
{
    cr_changes *changes = explain_find_changes(q, e);
    const cr_explanation_json_options options = {
        .against = q->against, .work = q->work, .changes = changes};
    cr_output *out = output_to(stdout);

    if (cr_explanation_json(q->model, e, &options, out, NULL) != CR_OK)
        reserve_failed();
    output_end(out);
    cr_changes_free(changes);
}

void explain_csv(const inquiry *q, const cr_explanation *e)
{
    cr_output *out = output_to(stdout);

    cr_explanation_csv(q->model, e, out);
    output_end(out);
}

void explain_csv_header(const cr_model *model)
{
    cr_output *out = output_to(stdout);

    cr_explanation_csv_header(model, out);
    output_end(out);
}
