/* source/parse.c - set up a chunk's fields for a plan and a batch, and let its format fill the
 * batch. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "data/product.h"
#include "source/format.h"
#include "source/selection.h"

/* Entries for recent words: in total, and at most for one cell. They should stay in the cache. */
#define RECENT_ALL ((size_t)4096)
#define RECENT_CELL ((size_t)256)

static size_t count_fields(const cr__file *file)
{
    return file->field != NULL ? file->fields : file->source->fields->columns;
}

static void lay_survey(const cr_source *source, size_t field, cr__cell *cell)
{
    int given;
    const cr_kind kind = cr__source_given_kind(source, field, &given);

    cell->use = given && kind == CR_IGNORE ? CR__CELL_SKIP : CR__CELL_SURVEY;
    cell->seen = &source->seen[field];
    cell->about = &source->fields->column[field];
    cell->declared = cell->about->declared;
}

int cr__source_is_guess(const cr_source *source, const cr__column *column)
{
    if (!source->inferred || cr__source_is_described(source) ||
        (column->role == CR_ROLE_TARGET && source->use == CR__TARGET_REAL))
        return 0;
    return column->why == CR_WHY_NUMBERS || column->why == CR_WHY_BINARY ||
           column->why == CR_WHY_EMPTY;
}

static void lay_cell(const cr__file *file, size_t index, const cr__plan *plan,
                     const cr__batch *batch, cr__cell *cell)
{
    const cr_source *source = file->source;
    const size_t field = file->field != NULL ? file->field[index] : index;
    const uint32_t column = source->column[field];

    *cell = (cr__cell){.use = CR__CELL_SKIP, .missing = &source->missing, .absent = CR__NO_CODE};
    if (source->surveying) {
        lay_survey(source, field, cell);
        return;
    }
    if (column == CR__NO_COLUMN || batch->column[column].kind == CR_IGNORE)
        return;
    cell->column = column;
    cell->about = &plan->schema->column[column];
    cell->guessed = cr__source_is_guess(source, cell->about);
    cell->careful = source->missing.numbers || (cell->guessed && cell->about->why == CR_WHY_EMPTY);
    cell->real = batch->column[column].real;
    cell->code = batch->column[column].code;
    cell->dict = cell->code != NULL ? plan->dict[column] : NULL;
    cell->declared = source->fields->column[field].declared;
    if (cell->about->role == CR_ROLE_TARGET && source->classes.from != NULL)
        cell->classes = &source->classes;
    cell->batch = (cr__batch *)batch;
    cell->use = batch->column[column].kind == CR_BAG ? CR__CELL_TEXT
                : cell->code != NULL                 ? CR__CELL_SYMBOL
                                                     : CR__CELL_REAL;
}

/* Divide the entries for recent words among the symbol cells, when there are enough. */
static cr_status lay_recent(cr__block *block, size_t fields, cr_error *err)
{
    size_t symbols = 0, entries = RECENT_CELL, used = 0;
    unsigned bits = 8;

    for (size_t i = 0; i < fields; i++)
        symbols += block->cell[i].use == CR__CELL_SYMBOL;
    while (entries >= 8 && entries * symbols > RECENT_ALL) {
        entries /= 2;
        bits--;
    }
    if (symbols == 0 || entries < 8)
        return CR_OK;
    if (!cr__grow(&block->recent, &block->recent_capacity, RECENT_ALL, sizeof *block->recent))
        return cr__fail_memory(err);
    for (size_t i = 0; i < fields; i++) {
        if (block->cell[i].use != CR__CELL_SYMBOL)
            continue;
        block->cell[i].recent = block->recent + used;
        block->cell[i].recent_shift = 64 - bits;
        cr__recent_clear(block->recent + used, entries);
        used += entries;
    }
    return CR_OK;
}

/* Once for a chunk, as long as the batch is the same. */
static cr_status lay_cells(const cr__chunk *chunk, const cr__plan *plan, const cr__batch *batch,
                           cr_error *err)
{
    cr__block *block = chunk->block;
    const size_t fields = count_fields(chunk->file);
    cr_status st;

    if (block->laid == batch)
        return CR_OK;
    if (!cr__grow(&block->cell, &block->cell_capacity, fields, sizeof *block->cell))
        return cr__fail_memory(err);
    for (size_t i = 0; i < fields; i++)
        lay_cell(chunk->file, i, plan, batch, &block->cell[i]);
    if (!cr__source_is_described(chunk->file->source) &&
        (st = lay_recent(block, fields, err)) != CR_OK)
        return st;
    block->laid = batch;
    return CR_OK;
}

/* A field has been added in a survey: set up its cell, and all cells when memory has moved. */
cr_status cr__cells_add(const cr__chunk *chunk, cr_error *err)
{
    const cr_source *source = chunk->file->source;
    cr__block *block = chunk->block;
    const size_t fields = source->fields->columns;

    if (!cr__grow(&block->cell, &block->cell_capacity, fields, sizeof *block->cell))
        return cr__fail_memory(err);
    lay_cell(chunk->file, fields - 1, NULL, NULL, &block->cell[fields - 1]);
    if (block->cell[0].seen != &source->seen[0] ||
        block->cell[0].about != &source->fields->column[0])
        for (size_t i = 0; i < fields; i++)
            lay_survey(source, i, &block->cell[i]);
    return CR_OK;
}

/* --- after the format has done its part ---------------------------------------------------- */

static void fill_absent(const cr_source *source, cr__batch *batch)
{
    for (size_t i = 0; i < source->absents; i++) {
        cr__batch_column *column = &batch->column[source->absent[i]];

        for (size_t r = 0; column->real != NULL && r < batch->rows; r++)
            column->real[r] = NAN;
        if (column->code != NULL)
            memset(column->code, 0, batch->rows * sizeof *column->code);
        if (column->start != NULL)
            memset(column->start, 0, (batch->rows + 1) * sizeof *column->start);
    }
}

/* The weights of rows by their column; a model's may be absent from the data, and then is 1. */
static cr_status fill_weights(const cr__chunk *chunk, const cr_schema *schema, cr__batch *batch,
                              cr_error *err)
{
    const cr_source *source = chunk->file->source;
    const double *real = batch->column[schema->weight].real;
    int absent = real == NULL;

    for (size_t i = 0; i < source->absents; i++)
        absent |= source->absent[i] == schema->weight;
    for (size_t r = 0; r < batch->rows; r++) {
        batch->weight[r] = absent ? 1 : real[r];
        if (!(batch->weight[r] >= 0)) {
            cr__chunk_fail(chunk, batch->record[r].line, 0, err,
                           "the weight in column '%s' is %s; it must be 0 or more",
                           schema->column[schema->weight].name,
                           isnan(batch->weight[r]) ? "missing" : "negative");
            return CR_EFORMAT;
        }
    }
    return CR_OK;
}

static cr_status parse_batch(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err)
{
    const cr_source *source = chunk->file->source;
    cr_status st;

    batch->rows = 0;
    plan->err = err;
    if (chunk->position == chunk->size)
        return CR_END;
    if (source->rows != NULL) {
        st = cr__rows_parse(chunk, plan, batch, err);
        fill_absent(source, batch);
        return st;
    }
    if ((st = lay_cells(chunk, plan, batch, err)) != CR_OK)
        return st;
    if (batch->weight != NULL && plan->schema->weight == SIZE_MAX)
        for (size_t r = 0; r < batch->capacity; r++)
            batch->weight[r] = 1;
    st = source->arrays != NULL   ? cr__arrays_parse(chunk, plan, batch, err)
         : source->pulled != NULL ? cr__pulled_parse(chunk, plan, batch, err)
                                  : chunk->file->format->parse(chunk, plan, batch, err);
    if (st != CR_OK)
        return st;
    if (!source->surveying) {
        fill_absent(source, batch);
        cr__products_fill(plan->schema, batch);
        if (plan->schema->weight != SIZE_MAX)
            st = fill_weights(chunk, plan->schema, batch, err);
    }
    return st != CR_OK ? st : batch->rows > 0 ? CR_OK : CR_END;
}

void cr__source_select(cr_source *source, const cr__selection *selection, int in)
{
    source->selection = selection;
    source->selection_in = in;
}

/* --- records that cannot be read ----------------------------------------------------------- */

void cr__source_on_error(cr_source *source, cr_on_error what)
{
    source->on_error = what;
}

static int is_forgiven(const cr__chunk *chunk, cr_status st, const cr_error *err)
{
    const cr__file *file = chunk->file;
    const cr_source *source = file->source;

    return (st == CR_EFORMAT || st == CR_ELIMIT) && err != NULL && err->line >= chunk->line &&
           source->arrays == NULL && source->rows == NULL && source->pulled == NULL &&
           !file->format->documents && file->record == 0;
}

/* Skip to the record that begins on a line, and past it, to a line end outside quotes. */
static cr__record pass_over(cr__chunk *chunk, size_t line)
{
    const char quote = chunk->file->format->quote, *bytes = chunk->bytes;
    size_t at = chunk->position, begin;
    int inside = 0;

    for (; chunk->line < line && at < chunk->size; at++)
        chunk->line += bytes[at] == '\n';
    for (begin = at; at < chunk->size && (inside || bytes[at] != '\n'); at++) {
        inside ^= quote != 0 && bytes[at] == quote;
        chunk->line += bytes[at] == '\n';
    }
    chunk->line += at < chunk->size;
    chunk->position = at < chunk->size ? at + 1 : at;
    return (cr__record){bytes + begin, at - begin, line};
}

/* A row of which nothing is known. */
static void put_nothing(const cr__record *record, cr__batch *batch)
{
    batch->record[0] = *record;
    batch->rows = 1;
    for (size_t i = 0; i < batch->columns; i++) {
        cr__batch_column *column = &batch->column[i];

        if (column->kind == CR_BAG)
            cr__batch_no_text(batch, 0, i);
        else if (column->real != NULL)
            column->real[0] = NAN;
        else if (column->code != NULL)
            column->code[0] = CR__MISSING;
    }
    if (batch->weight != NULL)
        batch->weight[0] = 1;
}

/* The invalid record is left out, or becomes a row without values. */
static void forgive(cr__chunk *chunk, cr__batch *batch, cr_error *err)
{
    cr_source *source = chunk->file->source;
    cr__block *block = chunk->block;
    const cr__record record = pass_over(chunk, err->line);

    if (source->on_error == CR_ON_ERROR_ROW && !source->surveying) {
        block->failure = *err;
        batch->failure = block->failure.message;
        put_nothing(&record, batch);
    } else if (!source->surveying) {
        cr__source_note(source, "line %zu is left out: %s", err->line, err->message);
    }
    *err = (cr_error){0};
}

/* Parse a batch; when a record cannot be read, parse its records one by one, so that those before
 * it are handed out: then the failure, unless errors are tolerated. */
static cr_status parse_forgiving(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err)
{
    const cr_source *source = chunk->file->source;
    const size_t capacity = batch->capacity;

    batch->failure = NULL;
    for (;;) {
        const size_t position = chunk->position, line = chunk->line;
        const int alone = chunk->careful >= chunk->line;
        cr_status st;

        if (alone)
            batch->capacity = 1;
        st = parse_batch(chunk, plan, batch, err);
        batch->capacity = capacity;
        if (st == CR_OK || st == CR_END)
            return st;
        chunk->position = position;
        chunk->line = line;
        if (!is_forgiven(chunk, st, err))
            return st;
        if (!alone) {
            chunk->careful = err->line;
            *err = (cr_error){0};
            continue;
        }
        if (source->on_error == CR_ON_ERROR_STOP && !source->surveying)
            return st;
        batch->rows = 0;
        forgive(chunk, batch, err);
        if (batch->rows > 0)
            return CR_OK;
    }
}

cr_status cr__source_parse(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err)
{
    const cr_source *source = chunk->file->source;
    cr_status st;

    do {
        st = source->surveying && !source->lenient ? parse_batch(chunk, plan, batch, err)
                                                   : parse_forgiving(chunk, plan, batch, err);
        if (st == CR_OK && source->selection != NULL && !source->surveying)
            cr__selection_filter(source->selection, source->selection_in, chunk->file->name, batch);
    } while (st == CR_OK && batch->rows == 0);
    return st;
}

/* --- fields as texts ----------------------------------------------------------------------- */

/* Formats use the fields of the file; here they are put into the order of the source. */
static cr_status reorder(const cr__file *file, cr__fields *fields, cr_error *err)
{
    const char **bytes;
    size_t *size;
    size_t i;

    for (i = 0; i < file->fields && file->field[i] == i; i++)
        ;
    if (i == file->fields)
        return CR_OK;
    bytes = cr__alloc(file->fields, sizeof *bytes);
    size = cr__alloc(file->fields, sizeof *size);
    for (i = 0; bytes != NULL && size != NULL && i < file->fields; i++) {
        bytes[file->field[i]] = fields->bytes[i];
        size[file->field[i]] = fields->size[i];
    }
    if (bytes != NULL && size != NULL) {
        memcpy(fields->bytes, bytes, file->fields * sizeof *bytes);
        memcpy(fields->size, size, file->fields * sizeof *size);
    }
    cr__free(bytes);
    cr__free(size);
    return bytes != NULL && size != NULL ? CR_OK : cr__fail_memory(err);
}

static int make_room(cr__fields *fields, size_t count)
{
    size_t capacity = fields->capacity;

    if (!cr__grow(&fields->bytes, &capacity, count, sizeof *fields->bytes))
        return 0;
    capacity = fields->capacity;
    if (!cr__grow(&fields->size, &fields->capacity, count, sizeof *fields->size))
        return 0;
    if (fields->scratch == NULL &&
        (fields->scratch = cr__alloc_zero(1, sizeof *fields->scratch)) == NULL)
        return 0;
    return 1;
}

cr_status cr__source_split(const cr__chunk *chunk, const cr__record *record, cr__fields *fields,
                           cr_error *err)
{
    const cr__file *file = chunk->file;
    const size_t count = file->source->visible;
    cr_status st;

    if (!make_room(fields, count))
        return cr__fail_memory(err);
    fields->count = count;
    for (size_t i = 0; i < count; i++) {
        fields->bytes[i] = NULL;
        fields->size[i] = 0;
    }
    cr__buffer_clear(fields->scratch);
    if (file->source->rows != NULL)
        return cr__rows_split(fields);
    if (file->source->arrays != NULL)
        return cr__arrays_split(chunk, record, fields, err);
    if (file->source->pulled != NULL)
        return cr__pulled_split(chunk, record, fields, err);
    if (cr__buffer_reserve(fields->scratch, record->size + 1) == NULL)
        return cr__fail_memory(err);
    st = file->format->split(chunk, record, fields, err);
    return st != CR_OK || file->field == NULL ? st : reorder(file, fields, err);
}

void cr__fields_free(cr__fields *fields)
{
    cr__free(fields->bytes);
    cr__free(fields->size);
    if (fields->scratch != NULL)
        cr__buffer_free(fields->scratch);
    cr__free(fields->scratch);
    *fields = (cr__fields){0};
}
