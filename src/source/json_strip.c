/* source/json_strip.c - JSON Lines by columns: put the values of many records, whose places are
 * known. Each is checked here: what is not valid is left to the reader of single records.
 */
#include "source/json_strip.h"

#include <string.h>

#include "source/json_places.h"
#include "source/short_number.h"

/* A column of some lines: those from `line` on go to the rows from `row` on. */
typedef struct column {
    const char *bytes;
    const cr__json_place *at; /* of the first line */
    size_t step;              /* from line to line */
    size_t rows;
    const cr__cell *cell;
    size_t row; /* of the batch */
    cr__plan *plan;
    cr__buffer *scratch;
} column;

/* Each loop returns the first row that it cannot handle. */
static size_t run_words(const column *c, size_t row)
{
    const cr__cell here = {.recent = c->cell->recent, .recent_shift = c->cell->recent_shift};
    const cr__json_place *at = c->at + row * c->step;
    uint32_t *code = c->cell->code + c->row;

    for (; row < c->rows; row++, at += c->step) {
        const char *text = c->bytes + at->from;
        const size_t length = at->to - at->from - 2; /* without its quotes */
        const cr__recent *entry;
        cr__key key;
        int hit;

        if (length > CR__KEY_MAX || *text != '"' || text[length + 1] != '"') {
            if (at->to == 0) /* every cell is missing before */
                continue;
            break;
        }
        entry = cr__recent_find(&here, text + 1, length, &key, &hit);
        if (!hit) /* no recent word contains a quote */
            break;
        code[row] = entry->code;
    }
    return row;
}

/* Numbers as words: digits alone, as other words must have quotes. */
static size_t run_digits(const column *c, size_t row)
{
    const cr__cell here = {.recent = c->cell->recent, .recent_shift = c->cell->recent_shift};
    const cr__json_place *at = c->at + row * c->step;
    uint32_t *code = c->cell->code + c->row;

    for (; row < c->rows; row++, at += c->step) {
        const char *text = c->bytes + at->from;
        const size_t length = at->to - at->from;
        const cr__recent *entry;
        cr__key key;
        int hit;

        if (length > 8 || length == 0 || (size_t)cr__scan_count(cr__scan_load(text)) < length)
            break;
        entry = cr__recent_find(&here, text, length, &key, &hit);
        if (!hit)
            break;
        code[row] = entry->code;
    }
    return row;
}

#if CR__FAST_NUMBERS
CR__FAST static size_t run_short_reals(const column *c, size_t row)
{
    const cr__json_place *at = c->at + row * c->step;
    double *real = c->cell->real + c->row;

    for (; row < c->rows; row++, at += c->step) {
        const size_t length = at->to - at->from;

        if (length - 1 >= 17 || !cr__short_number(c->bytes + at->from, length, &real[row])) {
            if (at->to == 0)
                continue;
            break;
        }
    }
    return row;
}
#endif

static size_t run_reals(const column *c, size_t row)
{
    const cr__json_place *at = c->at + row * c->step;
    double *real = c->cell->real + c->row;

    for (; row < c->rows; row++, at += c->step) {
        const char *text = c->bytes + at->from, *end = c->bytes + at->to;

        if (text >= end || cr__scan_double(text, end + 8, &real[row]) != end)
            break;
    }
    return row;
}

/* A text with escapes. */
static int put_escaped(const column *c, size_t row, const char *text, const char *end)
{
    cr__buffer *scratch = c->scratch;

    cr__buffer_clear(scratch);
    if (cr__buffer_reserve(scratch, (size_t)(end - text)) == NULL ||
        cr__json_decode(text + 1, end, scratch) != end)
        return 0;
    return c->cell->use == CR__CELL_SKIP ||
           cr__cell_put(c->plan, c->cell, c->row + row, scratch->data, scratch->size, 1) == CR_OK;
}

/* Any simple value, put as the reader of single records puts it; 0: that one must. */
static int put_value(const column *c, size_t row)
{
    const cr__cell *cell = c->cell;
    const cr__json_place at = c->at[row * c->step];
    const char *text = c->bytes + at.from;
    size_t length = at.to - at.from;
    double number;
    int quoted = 1;

    if (at.to == 0 || (length == 4 && memcmp(text, "null", 4) == 0))
        return 1; /* every cell is missing before */
    if (at.from >= at.to)
        return 0;
    if (*text == '"') {
        if (length < 2) /* the quote that closes it is behind a comma, or nowhere */
            return 0;
        if (cr__json_quoted(text + 1, c->bytes + at.to) != length - 2)
            return put_escaped(c, row, text, c->bytes + at.to);
        text++;
        length -= 2;
    } else if (!(length == 4 && memcmp(text, "true", 4) == 0) &&
               !(length == 5 && memcmp(text, "false", 5) == 0)) {
        if (cr__scan_double(text, text + length + 8, &number) != text + length)
            return 0;
        quoted = 0;
    }
    if (cell->use == CR__CELL_SKIP)
        return 1;
    if (!quoted || (cell->use == CR__CELL_SYMBOL && !cell->guessed))
        return cr__plan_put(c->plan, cell, c->row + row, text, length) == CR_OK;
    return cr__cell_put(c->plan, cell, c->row + row, text, length, 1) == CR_OK;
}

/* Put a column; returns how many rows of it are done. */
static size_t put_column(const column *c)
{
    const cr__cell *cell = c->cell;
    size_t row = 0;

    for (; row < c->rows; row++) {
        if (cell->use == CR__CELL_SYMBOL && cell->recent != NULL) {
            if (!cell->guessed)
                row = run_words(c, row);
            row = run_digits(c, row);
        } else if (cell->use == CR__CELL_REAL && !cell->careful) {
#if CR__FAST_NUMBERS
            if (cr__scan_best() == CR__SCAN_AVX2)
                row = run_short_reals(c, row);
#endif
            row = run_reals(c, row);
        }
        if (row == c->rows || !put_value(c, row))
            break;
    }
    return row;
}

size_t cr__json_strip_put(const cr__json_strip *s, cr__chunk *chunk, cr__plan *plan,
                          cr__batch *batch, size_t first)
{
    size_t rows = 0;

    while (first + rows < s->lines && s->line[first + rows].simple)
        rows++;
    for (size_t f = 0; rows > 0 && f < s->fields; f++) {
        const column c = {.bytes = chunk->bytes,
                          .at = s->place + first * s->fields + f,
                          .step = s->fields,
                          .rows = rows,
                          .cell = &cr__chunk_cells(chunk)[f],
                          .row = batch->rows,
                          .plan = plan,
                          .scratch = &((cr__block *)chunk->block)->scratch};

        rows = put_column(&c);
    }
    for (const cr__json_line *l = s->line + first; l < s->line + first + rows; l++) {
        const size_t size = l->end - l->begin;
        const char *bytes = chunk->bytes + l->begin;

        batch->record[batch->rows++] =
            (cr__record){bytes, size - (bytes[size - 1] == '\r'), chunk->line++};
        chunk->position = (size_t)l->end + 1;
    }
    return first + rows;
}
