/* source/arrays.c - a table in memory as a source. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "source/format.h"

#define CHUNK_ROWS ((size_t)1024)

typedef struct cr__arrays {
    cr_array *array; /* [columns]; names are those of the source's fields */
    size_t columns, rows;
    cr__file *file;
} cr__arrays;

void cr__arrays_free(const cr__arrays *arrays)
{
    if (arrays == NULL)
        return;
    cr__file_release(arrays->file);
    cr__free(arrays->array);
    cr__free((void *)arrays);
}

static cr_status add_fields(cr_source *source, const cr__arrays *arrays, cr_error *err)
{
    int targets = 0, weights = 0;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < arrays->columns; i++) {
        const cr_array *array = &arrays->array[i];

        if (array->name == NULL || *array->name == 0)
            return cr__fail(err, CR_EARG, "array %zu has no name", i + 1);
        if ((array->real == NULL) == (array->text == NULL))
            return cr__fail(err, CR_EARG, "array '%s' must have either numbers or texts",
                            array->name);
        source->mail |= array->mail;
        targets += array->role == CR_ROLE_TARGET;
        weights += array->role == CR_ROLE_WEIGHT;
        st = cr__schema_add(source->fields, array->name, strlen(array->name),
                            array->real != NULL     ? CR_REAL
                            : array->kind == CR_BAG ? CR_BAG
                                                    : CR_SYMBOL,
                            array->role, CR_WHY_GIVEN, err);
    }
    if (st == CR_OK && (targets > 1 || weights > 1))
        return cr__fail(err, CR_EARG, "more than one array is the %s",
                        targets > 1 ? "target" : "weight");
    if (st == CR_OK && !cr__source_take_more_fields(source))
        return cr__fail_memory(err);
    return st;
}

static cr_status make_arrays(cr_source *source, const cr_array *arrays, size_t columns, size_t rows,
                             cr_error *err)
{
    cr__arrays *made = cr__alloc_zero(1, sizeof *made);

    if (made == NULL)
        return cr__fail_memory(err);
    source->arrays = made;
    made->columns = columns;
    made->rows = rows;
    made->array = cr__alloc(columns, sizeof *made->array);
    made->file = cr__alloc_zero(1, sizeof *made->file);
    if (made->array == NULL || made->file == NULL)
        return cr__fail_memory(err);
    memcpy(made->array, arrays, columns * sizeof *arrays);
    made->file->source = source;
    atomic_init(&made->file->users, 1);
    if ((made->file->name = cr__strndup("(arrays)", 8)) == NULL)
        return cr__fail_memory(err);
    return add_fields(source, made, err);
}

cr_status cr_source_open_arrays(cr_source **out, const cr_array *arrays, size_t columns,
                                size_t rows, cr_error *err)
{
    cr_status st;

    *out = NULL;
    if (columns == 0)
        return cr__fail(err, CR_EARG, "there are no arrays");
    if ((st = cr__source_make_arrays(out, err)) == CR_OK)
        st = make_arrays(*out, arrays, columns, rows, err);
    if (st != CR_OK) {
        cr_source_close(*out);
        *out = NULL;
        return st;
    }
    (*out)->missing.count = 0; /* NaN and NULL say it all */
    (*out)->fixed = 1;
    (*out)->visible = columns;
    return CR_OK;
}

cr_status cr__source_take_rows(cr_source *source, cr__file *file, size_t rows, size_t most,
                               cr__chunk *chunk, cr_error *err)
{
    const size_t left = rows - source->row;
    cr__block *block;

    if (left == 0)
        return CR_END;
    if ((block = cr__block_get(&source->pool)) == NULL)
        return cr__fail_memory(err);
    *chunk = (cr__chunk){.size = left < most ? left : most,
                         .first_line = source->row + 1,
                         .line = source->row + 1,
                         .sequence = source->sequence++,
                         .file = file,
                         .block = block};
    source->row += chunk->size;
    source->started = 1;
    atomic_fetch_add(&file->users, 1);
    return CR_OK;
}

size_t cr__arrays_chunks(const cr__arrays *arrays)
{
    return arrays->rows / CHUNK_ROWS + 1;
}

cr_status cr__arrays_next(cr_source *source, cr__chunk *chunk, cr_error *err)
{
    const cr__arrays *arrays = source->arrays;

    if (arrays->rows == 0)
        return cr__source_fail_rows(source, err);
    return cr__source_take_rows(source, arrays->file, arrays->rows, CHUNK_ROWS, chunk, err);
}

/* One number into a cell: as it is, or as the word that spells it. */
static cr_status put_number(cr__plan *plan, const cr__cell *cell, size_t row, double number)
{
    char text[CR__NUMBER_SIZE];

    if (isnan(number)) {
        cr__cell_put_missing(cell, row);
        return CR_OK;
    }
    if (cell->use == CR__CELL_REAL && isfinite(number)) {
        cell->real[row] = number;
        return CR_OK;
    }
    return cr__cell_put(plan, cell, row, text, cr__format_double(text, number), 0);
}

/* A message goes as it is: blanks around it are its own. */
static cr_status put_text(cr__plan *plan, const cr__cell *cell, size_t row, const char *text,
                          int mail)
{
    const cr__section message = {
        .prefix = "", .text = text, .size = strlen(text), .whole = 1, .mail = 1};

    if (!mail || cell->use != CR__CELL_TEXT)
        return cr__cell_put(plan, cell, row, text, message.size, 0);
    cr__batch_no_text(cell->batch, row, cell->column);
    return plan->put_text(plan, cell->batch, row, cell->column, &message, plan->err);
}

static cr_status fail_at(const cr__chunk *chunk, const cr__cell *cell, const cr_array *array,
                         size_t column, size_t at, cr_status st, cr_error *err)
{
    char number[CR__NUMBER_SIZE];
    const char *text = array->text != NULL ? array->text[at] : number;
    const size_t length =
        array->text != NULL ? strlen(text) : cr__format_double(number, array->real[at]);

    return cr__cell_fail(err, st, cell, text, length, chunk->file->name, at + 1, column + 1);
}

cr_status cr__arrays_parse(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err)
{
    const cr__arrays *arrays = chunk->file->source->arrays;
    const size_t left = chunk->size - chunk->position;
    const size_t rows = left < batch->capacity ? left : batch->capacity;
    const size_t first = chunk->first_line - 1 + chunk->position;

    for (size_t r = 0; r < rows; r++)
        batch->record[r] = (cr__record){.line = first + r + 1};
    for (size_t c = 0; c < arrays->columns; c++) {
        const cr__cell *cell = &cr__chunk_cells(chunk)[c];
        const cr_array *array = &arrays->array[c];

        if (cell->use == CR__CELL_SKIP)
            continue;
        for (size_t r = 0; r < rows; r++) {
            const char *text = array->text != NULL ? array->text[first + r] : NULL;
            cr_status st = CR_OK;

            if (array->real != NULL)
                st = put_number(plan, cell, r, array->real[first + r]);
            else if (text == NULL)
                cr__cell_put_missing(cell, r);
            else
                st = put_text(plan, cell, r, text, array->mail);
            if (st != CR_OK)
                return fail_at(chunk, cell, array, c, first + r, st, err);
        }
    }
    chunk->position += rows;
    chunk->line += rows;
    batch->rows = rows;
    return CR_OK;
}

cr_status cr__arrays_split(const cr__chunk *chunk, const cr__record *record, cr__fields *fields,
                           cr_error *err)
{
    const cr__arrays *arrays = chunk->file->source->arrays;
    const size_t at = record->line - 1;
    cr__buffer *scratch = fields->scratch;

    if (cr__buffer_reserve(scratch, arrays->columns * CR__NUMBER_SIZE) == NULL)
        return cr__fail_memory(err);
    for (size_t c = 0; c < arrays->columns; c++) {
        const cr_array *array = &arrays->array[c];
        char *number = scratch->data + scratch->size;

        if (array->text != NULL) {
            fields->bytes[c] = array->text[at];
            fields->size[c] = array->text[at] != NULL ? strlen(array->text[at]) : 0;
        } else if (!isnan(array->real[at])) {
            fields->bytes[c] = number;
            fields->size[c] = cr__format_double(number, array->real[at]);
            scratch->size += fields->size[c];
        }
    }
    return CR_OK;
}
