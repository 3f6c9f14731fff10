/* cli/describe.c - a model's classes, columns and knobs, put into words and JSON. */
#include "describe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out_table.h"
#include "out_text.h"
#include "reserve.h"

#define MOST_COUNTS 1e7 /* that are looked up to add up a column */

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
    table_column(t, "rows", TABLE_RIGHT);
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
        printf("... and %zu smaller classes\n", count - shown);
    table_free(t);
    free(order);
}

void describe_classes_json(json *j, const cr_model *model)
{
    json_array(j, "classes", JSON_BLOCK);
    for (size_t c = 0; c < cr_model_classes(model); c++) {
        json_object(j, NULL, JSON_LINE);
        json_text(j, "name", cr_model_class(model, c));
        json_number(j, "count", cr_model_class_count(model, c));
        json_number(j, "prior", cr_model_prior(model, c));
        json_end(j);
    }
    json_end(j);
}

/* --- columns ------------------------------------------------------------------------------ */

/* Mean and variance of the union of groups: the variance within plus that between them. */
void describe_whole(const cr_model *model, size_t column, double *mean, double *deviation)
{
    double count = 0, sum = 0, squares = 0;
    cr_gaussian g;

    for (size_t c = 0; c < cr_model_classes(model); c++)
        if (cr_model_gaussian(model, column, c, &g) == CR_OK && g.count > 0) {
            count += g.count;
            sum += g.count * g.mean;
        }
    *mean = count > 0 ? sum / count : NAN;
    for (size_t c = 0; c < cr_model_classes(model); c++)
        if (cr_model_gaussian(model, column, c, &g) == CR_OK && g.count > 0)
            squares += g.count * (g.variance_mle + (g.mean - *mean) * (g.mean - *mean));
    *deviation = count > 0 ? sqrt(squares / count) : NAN;
}

double describe_missing(const cr_model *model, size_t column)
{
    bool real = cr_schema_kind(cr_model_schema(model), column) == CR_REAL;
    size_t classes = cr_model_classes(model), values = cr_model_values(model, column);
    cr_model_facts facts;
    cr_gaussian g;

    if (!real && (double)values * (double)classes > MOST_COUNTS)
        return NAN;
    cr_model_get_facts(model, &facts);
    for (size_t c = 0; c < classes; c++) {
        if (real && cr_model_gaussian(model, column, c, &g) == CR_OK)
            facts.weight -= g.count;
        for (size_t v = 0; !real && v < values; v++)
            facts.weight -= cr_model_count(model, column, v, c);
    }
    return facts.weight;
}

static void list_values(const cr_model *model, size_t column, char *buffer, size_t size)
{
    size_t count = cr_model_values(model, column);
    int used = snprintf(buffer, size, "%zu:", count);

    for (size_t v = 0; v < count && used > 0 && (size_t)used < size; v++)
        used += snprintf(buffer + used, size - (size_t)used, " %s",
                         cr_model_value(model, column, v));
}

const char *describe_values(const cr_model *model, size_t column, char *buffer, size_t size)
{
    char number[NUMBER_ROOM], other[NUMBER_ROOM];
    double mean, deviation;

    buffer[0] = '\0';
    if (column == cr_model_target(model)) {
        snprintf(buffer, size, "%zu classes", cr_model_classes(model));
    } else if (cr_schema_role(cr_model_schema(model), column) == CR_ROLE_WEIGHT) {
        snprintf(buffer, size, "weight of the row");
    } else if (cr_schema_kind(cr_model_schema(model), column) == CR_REAL) {
        describe_whole(model, column, &mean, &deviation);
        snprintf(buffer, size, "mean %s, sd %s", number_plain(number, mean),
                 number_plain(other, deviation));
    } else if (cr_schema_kind(cr_model_schema(model), column) != CR_IGNORE) {
        list_values(model, column, buffer, size);
    }
    return buffer;
}

const char *describe_role(const cr_model *model, size_t column)
{
    return cr_why_text(cr_schema_why(cr_model_schema(model), column));
}

/* --- knobs -------------------------------------------------------------------------------- */

const char *describe_knobs(const cr_model *model, char *buffer, size_t size)
{
    cr_knob knob;
    size_t used = 0;

    for (size_t i = 0; cr_model_knob(model, i, &knob) == CR_OK; i++) {
        int more;

        if (strcmp(knob.value, knob.fallback) == 0)
            continue;
        more = snprintf(buffer + used, size - used, "%s%s=%s", used != 0 ? " " : "", knob.name,
                        knob.value);
        if (more < 0 || (size_t)more >= size - used)
            return buffer;
        used += (size_t)more;
    }
    if (used == 0)
        snprintf(buffer, size, "all at their defaults");
    return buffer;
}

void describe_knobs_json(json *j, const cr_model *model)
{
    cr_knob knob;

    json_object(j, "knobs", JSON_BLOCK);
    for (size_t i = 0; cr_model_knob(model, i, &knob) == CR_OK; i++)
        json_text(j, knob.name, knob.value);
    json_end(j);
}
