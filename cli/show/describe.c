/* cli/show/describe.c - a model's classes, columns and knobs, described in words. */
#include "show/describe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/table.h"
#include "out/text.h"
#include "session/reserve.h"
#include "session/session.h"

/* --- classes ------------------------------------------------------------------------------ */

typedef struct sized {
    double size;
    size_t index;
} sized;

static int larger_first(const void *a, const void *b)
{
    const sized *x = a, *y = b;

    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

size_t *classes_by_size(const cr_model *model)
{
    size_t count = cr_model_classes(model), *order = reserve(count, sizeof *order);
    sized *all = reserve(count, sizeof *all);

    for (size_t c = 0; c < count; c++)
        all[c] = (sized){cr_model_class_count(model, c), c};
    qsort(all, count, sizeof *all, larger_first);
    for (size_t c = 0; c < count; c++)
        order[c] = all[c].index;
    free(all);
    return order;
}

void describe_classes(const cr_model *model, size_t limit)
{
    size_t count = cr_model_classes(model), shown = count, *order = NULL;
    table *t = table_new();

    if (limit != 0 && count > limit) {
        shown = limit;
        order = classes_by_size(model);
    }
    table_column(t, "class", TABLE_LEFT);
    table_column(t, describe_weighted(model) ? "weight" : "rows", TABLE_RIGHT);
    table_column(t, "P(class)", TABLE_RIGHT);
    table_column(t, "", TABLE_BAR);
    for (size_t i = 0; i < shown; i++) {
        size_t c = order != NULL ? order[i] : i;

        table_text(t, cr_model_class(model, c));
        table_number(t, number_plain, cr_model_class_count(model, c));
        table_number(t, number_probability, cr_model_prior(model, c));
        table_bar(t, cr_model_prior(model, c));
    }
    table_print(t, 0, true);
    if (shown < count)
        out_line("... and %zu smaller class%s", count - shown, count - shown == 1 ? "" : "es");
    table_free(t);
    free(order);
}

/* --- columns ------------------------------------------------------------------------------ */

double describe_missing(const cr_model *model, size_t column)
{
    double rows = 0;

    for (size_t c = 0; c < cr_model_classes(model); c++)
        rows += cr_model_class_count(model, c);
    return rows - cr_model_present(model, column);
}

const char *describe_kind(const cr_model *model, size_t column)
{
    cr_kind kind = cr_schema_kind(cr_model_schema(model), column);

    return kind == CR_BAG ? "text" : cr_kind_name(kind);
}

size_t describe_count(const cr_model *model, size_t column)
{
    if (column == cr_model_target(model))
        return cr_model_classes(model);
    return cr_schema_kind(cr_model_schema(model), column) == CR_BAG
               ? cr_model_words(model, column)
               : cr_model_values(model, column);
}

/* The first few of them. */
static void list_values(const cr_model *model, size_t column, char *buffer, size_t size)
{
    enum { WIDEST = 60, MARK = 4 }; /* the mark is " …" */
    size_t count = cr_model_values(model, column);
    size_t used = (size_t)snprintf(buffer, size, "%zu:", count);

    for (size_t v = 0; v < count; v++) {
        const char *value = cr_model_value(model, column, v);
        bool fits = used + 1 + strlen(value) + MARK < size &&
                    text_width(buffer) + 1 + text_width(value) <= WIDEST;

        used += (size_t)snprintf(buffer + used, size - used, " %s", fits ? value : "…");
        if (!fits)
            break;
    }
}

const char *describe_values(const cr_model *model, size_t column, char *buffer, size_t size)
{
    size_t count = describe_count(model, column);

    buffer[0] = '\0';
    if (column == cr_model_target(model) && !cr_model_has_classes(model))
        snprintf(buffer, size, "a number");
    else if (column == cr_model_target(model))
        snprintf(buffer, size, "%zu class%s", count, count == 1 ? "" : "es");
    else if (cr_schema_role(cr_model_schema(model), column) == CR_ROLE_WEIGHT)
        snprintf(buffer, size, "weights");
    else if (cr_model_has_values(model, column))
        list_values(model, column, buffer, size);
    else if (cr_schema_kind(cr_model_schema(model), column) == CR_BAG &&
             cr_model_members(model) == 0) /* members cut texts into different words */
        snprintf(buffer, size, "%zu word%s", count, plural(count));
    return buffer;
}

bool describe_weighted(const cr_model *model)
{
    const cr_schema *schema = cr_model_schema(model);
    cr_model_facts facts;

    for (size_t i = 0; i < cr_schema_columns(schema); i++)
        if (cr_schema_role(schema, i) == CR_ROLE_WEIGHT)
            return true;
    cr_model_get_facts(model, &facts);
    return facts.weight != (double)facts.rows;
}

const char *describe_cells(const cr_model_facts *facts, char *buffer, size_t size)
{
    double all = facts->parameters + 1, empty = 1 - facts->cells / all;
    char seen[NUMBER_ROOM], total[NUMBER_ROOM], share[NUMBER_ROOM];

    if (all < 1e15)
        number_plain(total, all);
    else
        snprintf(total, sizeof total, "10^%.0f", facts->joint_log10);
    snprintf(buffer, size, "%s of %s seen; %s are empty", number_plain(seen, facts->cells), total,
             number_percent(share, fmin(empty, 1 - 1e-15)));
    return buffer;
}
