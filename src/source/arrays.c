/* source/arrays.c - a table in memory as a source. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "source/columns.h"
#include "source/format.h"

#define CHUNK_ROWS ((size_t)8192)

typedef struct cr__arrays {
    cr__columns table;
    cr__file *file;
} cr__arrays;

void cr__arrays_free(cr__arrays *arrays)
{
    if (arrays == NULL)
        return;
    cr__file_release(arrays->file);
    cr__columns_close(&arrays->table);
    cr__free(arrays);
}

static cr_status add_fields(cr_source *source, const cr__columns *table, cr_error *err)
{
    int targets = 0, weights = 0;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < table->columns; i++) {
        const cr_array *array = &table->array[i];
        cr_why why;
        const cr_kind kind = cr__columns_kind(table, i, &why);

        source->mail |= array->mail;
        targets += array->role == CR_ROLE_TARGET;
        weights += array->role == CR_ROLE_WEIGHT;
        st = cr__schema_add(source->fields, array->name, strlen(array->name), kind, array->role,
                            why, err);
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
    cr_status st;

    if (made == NULL)
        return cr__fail_memory(err);
    source->arrays = made;
    if ((made->file = cr__alloc_zero(1, sizeof *made->file)) == NULL)
        return cr__fail_memory(err);
    made->file->source = source;
    atomic_init(&made->file->users, 1);
    if ((made->file->name = cr__strndup(CR__ARRAYS_NAME, strlen(CR__ARRAYS_NAME))) == NULL)
        return cr__fail_memory(err);
    if ((st = cr__columns_open(&made->table, arrays, columns, rows, err)) != CR_OK)
        return st;
    return add_fields(source, &made->table, err);
}

cr_status cr_source_open_arrays(cr_source **out, const cr_array *arrays, size_t columns,
                                size_t rows, cr_error *err)
{
    cr_status st;

    *out = NULL;
    if ((st = cr__source_make_arrays(out, err)) == CR_OK)
        st = make_arrays(*out, arrays, columns, rows, err);
    if (st != CR_OK) {
        cr_source_close(*out);
        *out = NULL;
        return st;
    }
    (*out)->missing.count = 1; /* NaN, NULL and the first of the list, the empty text */
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
    return arrays->table.rows / CHUNK_ROWS + 1;
}

cr_status cr__arrays_next(cr_source *source, cr__chunk *chunk, cr_error *err)
{
    const cr__arrays *arrays = source->arrays;

    if (arrays->table.rows == 0)
        return cr__source_fail_rows(source, err);
    return cr__source_take_rows(source, arrays->file, arrays->table.rows, CHUNK_ROWS, chunk, err);
}

cr_status cr__arrays_parse(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err)
{
    const cr__columns *table = &chunk->file->source->arrays->table;
    const size_t left = chunk->size - chunk->position;
    const size_t rows = left < batch->capacity ? left : batch->capacity;
    const size_t first = chunk->first_line - 1 + chunk->position;
    cr_status st = CR_OK;

    for (size_t r = 0; r < rows; r++)
        batch->record[r] = (cr__record){.line = first + r + 1};
    for (size_t c = 0; st == CR_OK && c < table->columns; c++)
        st = cr__columns_put(table, c, first, rows, plan, &cr__chunk_cells(chunk)[c], err);
    if (st != CR_OK)
        return st;
    chunk->position += rows;
    chunk->line += rows;
    batch->rows = rows;
    return CR_OK;
}

cr_status cr__arrays_split(const cr__chunk *chunk, const cr__record *record, cr__fields *fields,
                           cr_error *err)
{
    const cr__columns *table = &chunk->file->source->arrays->table;
    cr__buffer *scratch = fields->scratch;

    if (cr__buffer_reserve(scratch, table->columns * CR__NUMBER_SIZE) == NULL)
        return cr__fail_memory(err);
    for (size_t c = 0; c < table->columns; c++) {
        fields->bytes[c] = cr__columns_text(table, c, record->line - 1,
                                            scratch->data + scratch->size, &fields->size[c]);
        if (fields->bytes[c] == scratch->data + scratch->size)
            scratch->size += CR__NUMBER_SIZE;
    }
    return CR_OK;
}
