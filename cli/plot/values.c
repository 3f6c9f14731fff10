/* cli/plot/values.c - real columns of the data, next to the class of each row. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"
#include "out/progress.h"
#include "plot/plot.h"
#include "session/reserve.h"
#include "session/session.h"

typedef struct reader {
    values *out;
    const cr_model *model;
    const size_t *column;
    size_t *field; /* [columns] of the input; SIZE_MAX: it lacks the column */
    bool found;
} reader;

/* Where the columns are in the input. */
static void find_fields(reader *r, const cr_predictions *p)
{
    const cr_schema *schema = cr_model_schema(r->model);

    for (size_t i = 0; i < r->out->columns; i++) {
        r->field[i] = SIZE_MAX;
        for (size_t f = 0; f < cr_predictions_fields(p); f++)
            if (strcmp(cr_predictions_field_name(p, f), cr_schema_name(schema, r->column[i])) == 0)
                r->field[i] = f;
    }
    r->found = true;
}

/* A field as a number; NaN when it is missing or none. */
static double field_number(const cr_predictions *p, size_t row, size_t field)
{
    size_t size = 0;
    const char *text = field != SIZE_MAX ? cr_predictions_field(p, row, field, &size) : NULL;
    char copy[64], *end;
    double x;

    if (text == NULL || size == 0 || size >= sizeof copy)
        return NAN;
    memcpy(copy, text, size);
    copy[size] = '\0';
    x = strtod(copy, &end);
    while (*end == ' ')
        end++;
    return *end == '\0' && isfinite(x) ? x : NAN;
}

static cr_status keep(void *context, const cr_predictions *p)
{
    reader *r = context;
    values *v = r->out;

    if (!r->found && p->rows > 0)
        find_fields(r, p);
    for (size_t i = 0; i < p->rows; i++) {
        if (v->rows == v->room) {
            v->room = v->room != 0 ? 2 * v->room : 1024;
            v->value = reserve_more(v->value, v->room, v->columns * sizeof *v->value);
            v->class_index = reserve_more(v->class_index, v->room, sizeof *v->class_index);
        }
        for (size_t c = 0; c < v->columns; c++)
            v->value[v->rows * v->columns + c] = field_number(p, i, r->field[c]);
        v->class_index[v->rows++] = p->truth != NULL && p->truth[i] >= 0 ? p->truth[i] : -1;
    }
    return CR_OK;
}

int values_read(values *v, request *r, const cr_model *model, size_t first, const size_t *column,
                size_t columns)
{
    const cr_predict_options options = {.allow_absent_columns = 1};
    reader reading = {.out = v,
                      .model = model,
                      .column = column,
                      .field = reserve(columns, sizeof *reading.field)};
    const cr_sink sink = {.visit = keep, .context = &reading};
    cr_source *source = NULL;
    cr_error err = {0};
    cr_status status;
    int code;

    *v = (values){.columns = columns};
    if ((code = open_data(&source, r, first, model)) == EXIT_DONE) {
        status = cr_model_predict(model, source, &options, &sink, &r->run, NULL, &err);
        if (status != CR_OK)
            code = fail_data(r, &source, status, &err);
        else
            close_data(&source);
    }
    free(reading.field);
    return code;
}

void values_free(values *v)
{
    free(v->value);
    free(v->class_index);
    *v = (values){0};
}
