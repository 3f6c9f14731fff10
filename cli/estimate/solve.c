/* cli/estimate/solve.c - compute the estimates. */
#include <stdlib.h>

#include "estimate/estimate.h"
#include "out/json.h"
#include "out/sheet.h"

cr_status estimate_solve(estimate *e, cr_error *err)
{
    const estimate_data *d = e->data;
    const cr_estimate_of question = {.of = d->kind,
                                     .prior = &e->prior->own,
                                     .outcome = (const char *const *)d->outcome,
                                     .outcomes = d->outcomes,
                                     .level = e->level};
    cr_measured measured[2] = {0};

    for (size_t i = 0; i < d->samples; i++)
        measured[i] = (cr_measured){.name = d->sample[i].name,
                                    .value = d->sample[i].value,
                                    .exposure = d->sample[i].exposure,
                                    .count = d->sample[i].count,
                                    .sum = d->sum};
    return cr_estimate_make(&e->known, &question, measured, d->samples, err);
}

void estimate_json(const estimate *e)
{
    cr_output *out = output_to(stdout);

    cr_estimate_json(&e->known, out);
    output_end(out);
}

void estimate_csv(const estimate *e)
{
    cr_sheet *sheet = NULL;
    const cr_status status = cr_estimate_sheet(&sheet, &e->known, NULL);

    sheet_csv(sheet_made(status, sheet));
}
