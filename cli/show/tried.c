/* cli/show/tried.c - the candidates that a model was chosen from, as a table and as JSON. */
#include "show/tried.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "out/out.h"
#include "out/table.h"
#include "out/text.h"

bool was_chosen(const cr_model *model)
{
    cr_tried t;

    return cr_model_tried(model, 0, &t) == CR_OK;
}

/* A number that may be absent. */
static void cell(table *t, char *(*picture)(char *buffer, double x), double x)
{
    if (isnan(x))
        table_text(t, "");
    else
        table_number(t, picture, x);
}

static void add_row(table *t, const cr_tried *c, bool numbers)
{
    char rows[NUMBER_ROOM];

    table_text(t, c->chosen ? "*" : c->weight > 0 ? "+" : "");
    table_text(t, c->name);
    cell(t, number_plain, c->log_loss);
    cell(t, number_plain, c->chosen ? NAN : c->error);
    if (!numbers)
        cell(t, number_percent, c->accuracy);
    table_text(t, c->rows == 0 ? "" : number_plain(rows, (double)c->rows));
    cell(t, number_seconds, c->work > 0 ? c->work : NAN);
    table_text(t, c->exact ? "exact" : "");
    table_text(t, c->chosen ? "" : c->reason);
}

static table *tried_table(const cr_model *model)
{
    table *t = table_new();
    const bool numbers = cr_model_classes(model) < 2;
    cr_tried c;

    table_column(t, "", TABLE_WHOLE);
    table_column(t, "tried", TABLE_LEFT);
    table_column(t, numbers ? "-log density" : "log loss", TABLE_RIGHT);
    table_column(t, "±", TABLE_RIGHT);
    if (!numbers)
        table_column(t, "accuracy", TABLE_RIGHT);
    table_column(t, "rows", TABLE_RIGHT);
    table_column(t, "work", TABLE_RIGHT);
    table_column(t, "", TABLE_WHOLE);
    table_column(t, "", TABLE_LEFT);
    for (size_t i = 0; cr_model_tried(model, i, &c) == CR_OK; i++)
        add_row(t, &c, numbers);
    return t;
}

void tried_print(const cr_model *model)
{
    table *t;
    cr_tried first;

    if (cr_model_tried(model, 0, &first) != CR_OK)
        return;
    t = tried_table(model);
    table_print(t, 0, true);
    table_free(t);
    if (first.chosen && first.reason[0] != '\0')
        out_line("* %s", first.reason);
}
