/* sql/recent.c - recent rows, stored by column until the last has come. */
#include "recent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct recent_column {
    double *real;  /* [room] of a real column, */
    cr_span *text; /* or this, which owns its bytes */
} recent_column;

struct recent {
    cr_model *model;
    recent_column *column;
    size_t columns, rows, room;
};

void recent_free(recent *r)
{
    if (r == NULL)
        return;
    for (size_t c = 0; r->column != NULL && c < r->columns; c++) {
        for (size_t i = 0; r->column[c].text != NULL && i < r->rows; i++)
            free((char *)r->column[c].text[i].bytes);
        free(r->column[c].text);
        free(r->column[c].real);
    }
    free(r->column);
    cr_model_free(r->model);
    free(r);
}

static cr_status no_memory(cr_error *err)
{
    *err = (cr_error){.code = CR_ENOMEM};
    strcpy(err->message, cr_status_text(CR_ENOMEM));
    return CR_ENOMEM;
}

cr_status recent_new(recent **out, const cr_model *model, cr_error *err)
{
    recent *r = *out = calloc(1, sizeof *r);
    cr_status status;

    if (r == NULL)
        return no_memory(err);
    r->columns = cr_schema_columns(cr_model_schema(model));
    r->column = calloc(r->columns + 1, sizeof *r->column);
    status = r->column == NULL ? no_memory(err) : cr_model_copy(&r->model, model, err);
    if (status != CR_OK) {
        recent_free(r);
        *out = NULL;
    }
    return status;
}

static int is_real(const recent *r, size_t column)
{
    return cr_schema_kind(cr_model_schema(r->model), column) == CR_REAL;
}

/* Room for more rows in every column. */
static cr_status grow(recent *r)
{
    const size_t room = r->room * 2 + 256;

    for (size_t c = 0; c < r->columns; c++) {
        recent_column *column = &r->column[c];
        void *more = is_real(r, c) ? realloc(column->real, room * sizeof *column->real)
                                   : realloc(column->text, room * sizeof *column->text);

        if (more == NULL)
            return CR_ENOMEM;
        if (is_real(r, c))
            column->real = more;
        else
            column->text = more;
    }
    r->room = room;
    return CR_OK;
}

cr_status recent_begin_row(recent *r)
{
    if (r->rows == r->room && grow(r) != CR_OK)
        return CR_ENOMEM;
    for (size_t c = 0; c < r->columns; c++) {
        if (is_real(r, c))
            r->column[c].real[r->rows] = NAN;
        else
            r->column[c].text[r->rows] = (cr_span){0};
    }
    r->rows++;
    return CR_OK;
}

void recent_set_real(recent *r, size_t column, double x)
{
    if (is_real(r, column))
        r->column[column].real[r->rows - 1] = x;
}

cr_status recent_set_text(recent *r, size_t column, const char *bytes, size_t size)
{
    char *copy;

    if (is_real(r, column))
        return CR_OK;
    if ((copy = malloc(size + 1)) == NULL)
        return CR_ENOMEM;
    memcpy(copy, bytes, size);
    r->column[column].text[r->rows - 1] = (cr_span){copy, size};
    return CR_OK;
}

cr_status recent_drift(const recent *r, cr_output *out, cr_error *err)
{
    const cr_schema *schema = cr_model_schema(r->model);
    cr_array *array = calloc(r->columns + 1, sizeof *array);
    cr_source *source = NULL;
    cr_drift *drift = NULL;
    size_t count = 0;
    cr_status status;

    if (array == NULL)
        return no_memory(err);
    for (size_t c = 0; c < r->columns; c++) {
        if (cr_schema_kind(schema, c) == CR_IGNORE)
            continue;
        array[count++] = (cr_array){.size = sizeof *array,
                                    .name = cr_schema_name(schema, c),
                                    .kind = cr_schema_kind(schema, c),
                                    .role = cr_schema_role(schema, c),
                                    .data = is_real(r, c) ? (const void *)r->column[c].real
                                                          : (const void *)r->column[c].text,
                                    .element = is_real(r, c) ? CR_ELEMENT_DOUBLE : CR_ELEMENT_SPAN};
    }
    status = cr_source_open_arrays(&source, array, count, r->rows, err);
    if (status == CR_OK)
        status = cr_model_drift(r->model, source, NULL,
                                &(cr_run){.size = sizeof(cr_run), .threads = 1}, &drift, NULL, err);
    if (status == CR_OK)
        status = cr_drift_json(drift, out);
    cr_drift_free(drift);
    cr_source_close(source);
    free(array);
    return status;
}
