/* source/pulled.c - rows from a function of the caller, as a source.
 *
 * A chunk is some rows, copied: the function is called for them under the engine's lock, and the
 * workers put them into batches. A value is kept as its type, its number, or where its text begins
 * in the chunk's memory.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sized.h"
#include "source/format.h"

#define ROWS_AT_ONCE ((size_t)1024)
#define PULLED_NAME "(rows)" /* in place of a file's name */

typedef struct kept_value {
    size_t text, length; /* where it begins in the block's text; SIZE_MAX: there is none */
    double real;         /* NaN: it is a text, or missing */
} kept_value;

typedef struct cr__pulled {
    cr_row_reader reader;
    size_t columns;
    unsigned char *mail; /* [columns] */
    cr_value *value;     /* [columns] of the current row */
    cr__file *file;
} cr__pulled;

void cr__pulled_free(cr__pulled *pulled)
{
    if (pulled == NULL)
        return;
    cr__file_release(pulled->file);
    cr__free(pulled->mail);
    cr__free(pulled->value);
    cr__free(pulled);
}

/* --- opening ------------------------------------------------------------------------------- */

static cr_status check_column(const cr_row_column *column, size_t i, cr_error *err)
{
    if (column->name == NULL || *column->name == 0)
        return cr__fail(err, CR_EARG, "column %zu has no name", i + 1);
    if (column->kind > CR_BAG || column->role > CR_ROLE_WEIGHT || column->why > CR_WHY_NAMES)
        return cr__fail(err, CR_EARG, "column '%s' has an unknown kind, role or reason",
                        column->name);
    return CR_OK;
}

static cr_status add_columns(cr_source *source, const cr_row_column *columns, size_t count,
                             cr_error *err)
{
    int targets = 0, weights = 0;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < count; i++) {
        const cr_row_column *column = &columns[i];

        if ((st = check_column(column, i, err)) != CR_OK)
            return st;
        source->pulled->mail[i] = column->mail != 0;
        source->mail |= column->mail != 0;
        targets += column->role == CR_ROLE_TARGET;
        weights += column->role == CR_ROLE_WEIGHT;
        st = cr__schema_add(source->fields, column->name, strlen(column->name), column->kind,
                            column->role, column->why, err);
    }
    if (st == CR_OK && (targets > 1 || weights > 1))
        return cr__fail(err, CR_EARG, "more than one column is the %s",
                        targets > 1 ? "target" : "weight");
    if (st == CR_OK && !cr__source_take_more_fields(source))
        return cr__fail_memory(err);
    return st;
}

static cr_status make_pulled(cr_source *source, size_t columns, const cr_row_reader *reader,
                             cr_error *err)
{
    cr__pulled *made = cr__alloc_zero(1, sizeof *made);
    cr_status st;

    if (made == NULL)
        return cr__fail_memory(err);
    source->pulled = made;
    made->columns = columns;
    made->mail = cr__alloc_zero(columns, 1);
    made->value = cr__alloc_zero(columns, sizeof *made->value);
    made->file = cr__alloc_zero(1, sizeof *made->file);
    if (made->mail == NULL || made->value == NULL || made->file == NULL)
        return cr__fail_memory(err);
    made->file->source = source;
    atomic_init(&made->file->users, 1);
    if ((made->file->name = cr__strndup(PULLED_NAME, strlen(PULLED_NAME))) == NULL)
        return cr__fail_memory(err);
    st = cr__sized_take(&made->reader, sizeof made->reader, reader, "cr_row_reader", err);
    if (st == CR_OK && made->reader.next == NULL)
        return cr__fail(err, CR_EARG, "there is no function that gives the rows");
    if (made->reader.at_once == 0)
        made->reader.at_once = ROWS_AT_ONCE;
    return st;
}

cr_status cr_source_open_rows(cr_source **out, const cr_row_column *columns, size_t count,
                              const cr_row_reader *reader, cr_error *err)
{
    cr_status st;

    *out = NULL;
    if (count == 0)
        return cr__fail(err, CR_EARG, "there are no columns");
    if ((st = cr__source_make_arrays(out, err)) == CR_OK &&
        (st = make_pulled(*out, count, reader, err)) == CR_OK)
        st = add_columns(*out, columns, count, err);
    if (st != CR_OK) {
        cr_source_close(*out);
        *out = NULL;
        return st;
    }
    (*out)->missing.count = 1; /* what is said to be missing, and the first, the empty text */
    (*out)->fixed = 1;
    (*out)->visible = count;
    return CR_OK;
}

/* --- fetching rows ---------------------------------------------------------------------------- */

static cr_status keep_text(cr__buffer *texts, const cr_value *value, kept_value *kept)
{
    kept->text = texts->size;
    kept->length = value->length;
    cr__buffer_add(texts, value->bytes == NULL ? "" : value->bytes, value->length);
    return texts->failed ? CR_ENOMEM : CR_OK;
}

/* Values go into the block's names, texts into its scratch: both grow as needed. */
static cr_status keep_row(const cr__pulled *pulled, cr__block *block)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < pulled->columns; i++) {
        const cr_value *value = &pulled->value[i];
        kept_value kept = {.text = SIZE_MAX, .real = NAN};

        if (value->type == CR_VALUE_REAL)
            kept.real = value->real;
        else if (value->type == CR_VALUE_TEXT && value->bytes != NULL)
            st = keep_text(&block->scratch, value, &kept);
        cr__buffer_add(&block->names, (const char *)&kept, sizeof kept);
    }
    return block->names.failed ? CR_ENOMEM : st;
}

/* The error message of the caller's function, if any. */
static cr_status pass_on(const cr_error *own, cr_status st, cr_error *err)
{
    if (own->message[0] == 0)
        return cr__fail(err, st, "%s", cr_status_text(st));
    if (err != NULL) {
        *err = *own;
        err->code = st;
    }
    return st;
}

static cr_status ask(cr__pulled *pulled, cr__block *block, cr_error *err)
{
    cr_error own = {0};
    cr_status st;

    for (size_t i = 0; i < pulled->columns; i++)
        pulled->value[i] = (cr_value){.type = CR_VALUE_MISSING, .real = NAN};
    if ((st = pulled->reader.next(pulled->reader.context, pulled->value, &own)) == CR_END)
        return st;
    if (st == CR_OK)
        return keep_row(pulled, block) == CR_OK ? CR_OK : cr__fail_memory(err);
    return pass_on(&own, st, err);
}

cr_status cr__pulled_next(cr_source *source, cr__chunk *chunk, cr_error *err)
{
    cr__pulled *pulled = source->pulled;
    cr__block *block = cr__block_get(&source->pool);
    cr_status st = CR_OK;
    size_t rows = 0;

    if (block == NULL)
        return cr__fail_memory(err);
    cr__buffer_clear(&block->scratch);
    cr__buffer_clear(&block->names);
    source->started = 1;
    while (rows < pulled->reader.at_once && (st = ask(pulled, block, err)) == CR_OK)
        rows++;
    if ((st != CR_OK && st != CR_END) || rows == 0) {
        cr__block_put(block);
        if (st == CR_END && source->sequence == 0 && !source->live)
            return cr__source_fail_rows(source, err);
        return st == CR_END ? st : cr__fail_at(err, st, PULLED_NAME, source->row + rows + 1, 0);
    }
    *chunk = (cr__chunk){.size = rows,
                         .first_line = source->row + 1,
                         .line = source->row + 1,
                         .sequence = source->sequence++,
                         .file = pulled->file,
                         .block = block};
    source->row += rows;
    atomic_fetch_add(&pulled->file->users, 1);
    return CR_OK;
}

cr_status cr__pulled_rewind(cr__pulled *pulled, int started, cr_error *err)
{
    cr_error own = {0};
    cr_status st;

    if (!started)
        return CR_OK;
    if (pulled->reader.rewind == NULL) {
        cr__fail(err, CR_EIO, "the rows are needed a second time, but they come only once");
        return cr__fail_hint(err, CR_EIO, "give a function that goes back to the first row");
    }
    st = pulled->reader.rewind(pulled->reader.context, &own);
    return st == CR_OK ? CR_OK : pass_on(&own, st, err);
}

/* --- rows into batches ---------------------------------------------------------------------- */

/* The value of a column in row `row` of a chunk. */
static kept_value value_at(const cr__chunk *chunk, size_t row, size_t column)
{
    const cr__block *block = chunk->block;
    const size_t columns = chunk->file->source->pulled->columns;
    kept_value kept;

    memcpy(&kept, block->names.data + (row * columns + column) * sizeof kept, sizeof kept);
    return kept;
}

/* As text, written to scratch if it is a number; NULL: missing. */
static const char *text_of(const cr__chunk *chunk, const kept_value *kept,
                           char scratch[CR__NUMBER_SIZE], size_t *length)
{
    const cr__block *block = chunk->block;

    *length = kept->length;
    if (kept->text != SIZE_MAX)
        return kept->length == 0 ? "" : block->scratch.data + kept->text;
    if (isnan(kept->real))
        return NULL;
    *length = cr__format_double(scratch, kept->real);
    return scratch;
}

static cr_status put(const cr__chunk *chunk, cr__plan *plan, const cr__cell *cell, size_t into,
                     const kept_value *kept, int mail)
{
    char scratch[CR__NUMBER_SIZE];
    cr__section message = {.prefix = "", .whole = 1, .mail = 1};

    if (kept->text == SIZE_MAX && cell->use == CR__CELL_REAL && !isinf(kept->real)) {
        cell->real[into] = kept->real;
        return CR_OK;
    }
    message.text = text_of(chunk, kept, scratch, &message.size);
    if (message.text == NULL) {
        cr__cell_put_missing(cell, into);
        return CR_OK;
    }
    if (!mail || cell->use != CR__CELL_TEXT)
        return cr__cell_put(plan, cell, into, message.text, message.size, 0);
    cr__batch_no_text(cell->batch, into, cell->column); /* blanks around a message belong to it */
    return plan->put_text(plan, cell->batch, into, cell->column, &message, plan->err);
}

static cr_status put_column(const cr__chunk *chunk, cr__plan *plan, size_t rows, size_t column,
                            cr_error *err)
{
    const cr__cell *cell = &cr__chunk_cells(chunk)[column];
    const int mail = chunk->file->source->pulled->mail[column];

    for (size_t r = 0; cell->use != CR__CELL_SKIP && r < rows; r++) {
        const kept_value kept = value_at(chunk, chunk->position + r, column);
        const cr_status st = put(chunk, plan, cell, r, &kept, mail);

        if (st != CR_OK) {
            char scratch[CR__NUMBER_SIZE];
            size_t length;
            const char *text = text_of(chunk, &kept, scratch, &length);

            return cr__cell_fail(err, st, cell, text == NULL ? "" : text, length, PULLED_NAME,
                                 chunk->line + r, column + 1);
        }
    }
    return CR_OK;
}

cr_status cr__pulled_parse(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err)
{
    const size_t left = chunk->size - chunk->position;
    const size_t rows = left < batch->capacity ? left : batch->capacity;
    cr_status st = CR_OK;

    for (size_t r = 0; r < rows; r++)
        batch->record[r] = (cr__record){.line = chunk->line + r};
    for (size_t c = 0; st == CR_OK && c < chunk->file->source->pulled->columns; c++)
        st = put_column(chunk, plan, rows, c, err);
    if (st != CR_OK)
        return st;
    chunk->position += rows;
    chunk->line += rows;
    batch->rows = rows;
    return CR_OK;
}

cr_status cr__pulled_split(const cr__chunk *chunk, const cr__record *record, cr__fields *fields,
                           cr_error *err)
{
    const size_t columns = chunk->file->source->pulled->columns;
    const size_t row = record->line - chunk->first_line;
    cr__buffer *scratch = fields->scratch;

    if (cr__buffer_reserve(scratch, columns * CR__NUMBER_SIZE) == NULL)
        return cr__fail_memory(err);
    for (size_t c = 0; c < columns; c++) {
        const kept_value kept = value_at(chunk, row, c);
        char *room = scratch->data + scratch->size;

        fields->bytes[c] = text_of(chunk, &kept, room, &fields->size[c]);
        if (fields->bytes[c] == room)
            scratch->size += CR__NUMBER_SIZE;
    }
    return CR_OK;
}
