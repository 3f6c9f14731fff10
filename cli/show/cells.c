/* cli/show/cells.c - the cells of a joint table. */
#include <stdio.h>

#include "credence/joint.h"
#include "out/out.h"
#include "out/table.h"
#include "out/text.h"
#include "show/describe.h"
#include "show/show.h"

enum { CELLS_SHOWN = 64 }; /* longer tables are not shown */

typedef struct cells {
    const cr_model *model;
    table *table;
} cells;

static cr_status add_cell(void *context, const size_t *value, double count, double probability)
{
    const cells *c = context;
    const cr_schema *schema = cr_model_schema(c->model);

    for (size_t i = 0; i < cr_schema_columns(schema); i++)
        if (value[i] != SIZE_MAX)
            table_text(c->table, cr_model_value(c->model, i, value[i]));
    table_number(c->table, number_plain, count);
    table_number(c->table, number_probability, probability);
    table_bar(c->table, probability);
    return CR_OK;
}

static void add_heads(table *t, const exhibit *x)
{
    const cr_schema *schema = cr_model_schema(x->model);

    for (size_t i = 0; i < cr_schema_columns(schema); i++)
        if (cr_model_has_values(x->model, i))
            table_column(t, cr_schema_name(schema, i), TABLE_LEFT);
    table_column(t, describe_weighted(x->model) ? "weight" : "rows", TABLE_RIGHT);
    table_column(t, "P", TABLE_RIGHT);
    table_column(t, "", TABLE_BAR);
}

void show_cells(const exhibit *x)
{
    cells c = {x->model, table_new()};
    cr_status status;

    add_heads(c.table, x);
    status = cr_joint_cells(x->model, CELLS_SHOWN, add_cell, &c, NULL);
    if (status == CR_OK) {
        printf("\n%sThe table%s\n", out_style(STYLE_BOLD), out_style(STYLE_NONE));
        table_print(c.table, 2, true);
    } else if (status == CR_ELIMIT) {
        putchar('\n');
        out_line("The table has more than %d cells: credence convert --to csv writes them.",
                 CELLS_SHOWN);
    }
    table_free(c.table);
}
