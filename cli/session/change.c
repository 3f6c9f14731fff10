/* cli/session/change.c - report what a change did to a model: learn, unlearn, merge and
 * refit. */
#include "session/change.h"

#include <stdio.h>
#include <string.h>

#include "show/describe.h"
#include "show/linear.h"
#include "out/out.h"
#include "out/json.h"
#include "out/table.h"
#include "out/text.h"
#include "session/session.h"

void change_begin(change *c, const cr_model *model, const char *done)
{
    cr_model_facts facts;

    cr_model_get_facts(model, &facts);
    *c = (change){.rows_before = facts.rows,
                  .classes_before = cr_model_classes(model),
                  .was_calibrated = cr_model_calibration(model) != NULL,
                  .done = done};
}

static void change_json(const change *c, const cr_model *model)
{
    cr_change_report report = {.name = c->path,
                               .rows_before = c->rows_before,
                               .classes_before = c->classes_before,
                               .done = c->tally != NULL ? c->done : NULL,
                               .seconds = c->seconds};
    cr_output *out = output_kept();

    if (c->tally != NULL)
        report.tally = *c->tally;
    output_print(out, cr_change_json(model, &report, out), NULL);
}

static void change_csv(const change *c, const cr_model *model, const cr_model_facts *facts)
{
    table *t = table_new();

    table_column(t, "model", TABLE_LEFT);
    table_column(t, "rows_before", TABLE_RIGHT);
    table_column(t, "rows", TABLE_RIGHT);
    table_column(t, "classes_before", TABLE_RIGHT);
    table_column(t, "classes", TABLE_RIGHT);
    table_column(t, "fingerprint", TABLE_LEFT);
    table_text(t, c->path);
    table_number(t, number_plain, (double)c->rows_before);
    table_number(t, number_plain, (double)facts->rows);
    table_number(t, number_plain, (double)c->classes_before);
    table_number(t, number_plain, (double)cr_model_classes(model));
    table_text(t, facts->fingerprint);
    table_csv(t);
    table_free(t);
}

static void change_words(const change *c, const cr_model *model, const cr_model_facts *facts)
{
    char number[NUMBER_ROOM], knobs[512];
    size_t classes = cr_model_classes(model);

    if (c->tally != NULL)
        printf("%s: %s %llu row%s in %s\n", c->path, c->done, (unsigned long long)c->tally->rows,
               plural(c->tally->rows), number_seconds(number, c->seconds));
    else
        printf("%s: %s\n", c->path, c->done);
    if (facts->rows != c->rows_before)
        printf("  rows     %llu, before %llu\n", (unsigned long long)facts->rows,
               (unsigned long long)c->rows_before);
    else
        printf("  rows     %llu\n", (unsigned long long)facts->rows);
    if (classes != c->classes_before)
        printf("  classes  %zu, before %zu\n", classes, c->classes_before);
    else if (cr_model_has_classes(model))
        printf("  classes  %zu\n", classes);
    out_line("  knobs    %s", cr_show_knobs(knobs, sizeof knobs, model));
}

void change_report(const change *c, const request *r, const cr_model *model)
{
    cr_model_facts facts;

    if (strcmp(c->path, "-") == 0)
        return; /* the model goes to standard output */
    cr_model_get_facts(model, &facts);
    if (r->json)
        change_json(c, model);
    else if (r->csv)
        change_csv(c, model, &facts);
    else if (!out_is_quiet())
        change_words(c, model, &facts);
    if (c->tally != NULL && c->tally->unlabelled != 0)
        note("%llu row%s without %s left out", (unsigned long long)c->tally->unlabelled,
             plural(c->tally->unlabelled),
             cr_model_is_regression(model) ? "the target" : "a class");
    if (c->was_calibrated && cr_model_calibration(model) == NULL)
        warn("the calibration is dropped: it was fitted to the model before this change");
}
