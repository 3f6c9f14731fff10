/* source/lines.c - formats whose records are lines: the common part. */
#include "source/lines.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

#define UNSET CR__NO_CODE /* stands for "not in the record" until the batch is full */

static size_t cells_of(const cr__file *file)
{
    return file->field != NULL ? file->fields : file->source->fields->columns;
}

/* Before any record: every cell gets the value of an absent field. Texts must begin row by row;
 * returns whether there are any. */
static int set_absent(const cr__chunk *chunk, const cr__batch *batch, const char *absent)
{
    const size_t cells = cells_of(chunk->file);
    int texts = 0;

    for (size_t i = 0; i < cells; i++) {
        const cr__cell *cell = &cr__chunk_cells(chunk)[i];

        for (size_t r = 0; cell->use == CR__CELL_REAL && r < batch->capacity; r++)
            cell->real[r] = absent != NULL ? 0 : NAN;
        if (cell->use == CR__CELL_SYMBOL)
            memset(cell->code, absent != NULL ? 0xff : 0, batch->capacity * sizeof *cell->code);
        texts |= cell->use == CR__CELL_TEXT;
    }
    return texts;
}

static void begin_texts(const cr__chunk *chunk, size_t row)
{
    const size_t cells = cells_of(chunk->file);

    for (size_t i = 0; i < cells; i++)
        if (cr__chunk_cells(chunk)[i].use == CR__CELL_TEXT)
            cr__cell_put_missing(&cr__chunk_cells(chunk)[i], row);
}

/* After the last one: where a symbol was left out, it gets the code of the absent value. The word
 * enters the dictionary only when it is needed. */
static cr_status code_absent(const cr__chunk *chunk, cr__plan *plan, const cr__batch *batch,
                             const char *absent, cr_error *err)
{
    const size_t cells = cells_of(chunk->file);

    for (size_t i = 0; i < cells; i++) {
        cr__cell *cell = &cr__chunk_cells(chunk)[i];

        if (cell->use != CR__CELL_SYMBOL)
            continue;
        for (size_t r = 0; r < batch->rows; r++) {
            cr_status st;

            if (cell->code[r] != UNSET)
                continue;
            if (cell->absent == UNSET) {
                st = cr__cell_put(plan, cell, r, absent, strlen(absent), 0);
                if (st != CR_OK)
                    return cr__cell_fail(err, st, cell, absent, strlen(absent), chunk->file->name,
                                         batch->record[r].line, 0);
                cell->absent = cell->code[r];
            }
            cell->code[r] = cell->absent;
        }
    }
    return CR_OK;
}

static cr_status scan_one(cr__sink *sink, cr__scan scan)
{
    if (sink->scratch->capacity < sink->record->size + 1 &&
        cr__buffer_reserve(sink->scratch, sink->record->size + 1) == NULL)
        return cr__fail_memory(sink->err);
    cr__buffer_clear(sink->scratch);
    return scan(sink);
}

cr__sink cr__lines_begin(const cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err)
{
    const cr__format *format = chunk->file->format;
    cr__block *block = chunk->block;

    return (cr__sink){.chunk = chunk,
                      .plan = plan,
                      .batch = batch,
                      .cell = block->cell,
                      .scratch = &block->scratch,
                      .texts = format->open_ended && set_absent(chunk, batch, format->absent),
                      .err = err};
}

cr_status cr__lines_take(cr__sink *sink, cr__chunk *chunk, cr__scan scan, char comment)
{
    cr__batch *batch = sink->batch;
    const char *line = chunk->bytes + chunk->position;
    const char *end = memchr(line, '\n', chunk->size - chunk->position);
    const char *begin = cr__skip_blanks(line); /* the newline stops it */
    cr_status st;

    if (begin != end && (comment == 0 || *begin != comment)) {
        batch->record[batch->rows] = (cr__record){line, (size_t)(end - line), chunk->line};
        batch->record[batch->rows].size -= end[-1] == '\r';
        sink->record = &batch->record[batch->rows];
        sink->row = batch->rows;
        if (sink->texts)
            begin_texts(chunk, batch->rows);
        if ((st = scan_one(sink, scan)) != CR_OK)
            return st;
        batch->rows++;
    }
    chunk->position = (size_t)(end + 1 - chunk->bytes);
    chunk->line++;
    return CR_OK;
}

cr_status cr__lines_parse(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr__scan scan,
                          char comment, cr_error *err)
{
    const char *absent = chunk->file->format->absent;
    cr__sink sink = cr__lines_begin(chunk, plan, batch, err);
    cr_status st;

    while (batch->rows < batch->capacity && chunk->position < chunk->size)
        if ((st = cr__lines_take(&sink, chunk, scan, comment)) != CR_OK)
            return st;
    return absent != NULL ? code_absent(chunk, plan, batch, absent, err) : CR_OK;
}

cr_status cr__lines_split(const cr__chunk *chunk, const cr__record *record, cr__fields *fields,
                          cr__scan scan, cr_error *err)
{
    cr__plan plan = {0};
    cr__sink sink = {.chunk = chunk,
                     .record = record,
                     .plan = &plan,
                     .fields = fields,
                     .scratch = fields->scratch,
                     .err = err};

    for (size_t i = 0; chunk->file->format->absent != NULL && i < fields->count; i++) {
        fields->bytes[i] = chunk->file->format->absent;
        fields->size[i] = strlen(fields->bytes[i]);
    }
    return scan_one(&sink, scan);
}

cr_status cr__sink_refuse(const cr__sink *sink, size_t field, const char *text, size_t length,
                          cr_status st)
{
    return cr__cell_fail(sink->err, st, &sink->cell[field], text, length, sink->chunk->file->name,
                         sink->record->line, field + 1);
}

cr_status cr__sink_fail(const cr__sink *sink, size_t field, const char *fmt, ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return cr__chunk_fail(sink->chunk, sink->record->line, field, sink->err, "%s", text);
}

cr_status cr__sink_meet(cr__sink *sink, const char *name, size_t length, size_t *field)
{
    char shown[80];
    cr_status st;

    *field = SIZE_MAX;
    if (sink->batch == NULL)
        return CR_OK;
    st = cr__file_meet(sink->chunk, sink->plan, name, length, field, sink->err);
    sink->cell = cr__chunk_cells(sink->chunk);
    if (st == CR__EWIDEN) {
        cr__sink_fail(sink, 0, "'%s' is new here",
                      cr__printable(shown, sizeof shown, name, length));
        return st;
    }
    return st == CR_OK ? st
                       : cr__fail_at(sink->err, st, sink->chunk->file->name, sink->record->line, 0);
}
