/* source/strip.c - the hot loops: one column of a strip into one column of a batch. */
#include "source/strip.h"

#include <string.h>

#include "source/scan.h"
#include "source/short_number.h"

int cr__strip_unquote(const char **text, size_t *length, cr__buffer *scratch)
{
    const char *p, *end;

    cr__trim(text, length);
    if (*length == 0 || **text != CR__QUOTE)
        return 1;
    end = *text + *length - 1;
    p = *text + 1;
    if (*length < 2 || *end != CR__QUOTE)
        return 0;
    *text = p;
    *length = (size_t)(end - p);
    if (memchr(p, CR__QUOTE, *length) == NULL)
        return 1;
    *text = scratch->data + scratch->size;
    for (const char *quote; p < end; p = quote + 2) { /* two quotes become one */
        quote = memchr(p, CR__QUOTE, (size_t)(end - p));
        if (quote != NULL && (quote + 1 == end || quote[1] != CR__QUOTE))
            return 0;
        if (quote == NULL)
            quote = end - 1; /* the last byte is copied like the quote before another */
        memcpy(scratch->data + scratch->size, p, (size_t)(quote + 1 - p));
        scratch->size += (size_t)(quote + 1 - p);
    }
    *length = (size_t)(scratch->data + scratch->size - *text);
    return 1;
}

/* One field of one row, of any form. */
static cr_status put_one(cr__strip *strip, size_t field, const cr__cell *cell, cr__plan *plan,
                         size_t row, cr__buffer *scratch)
{
    size_t length;
    const char *text = cr__strip_field(strip, row, field, &length);
    cr_status st;

    cr__buffer_clear(scratch);
    if (strip->quotes == CR__STRIP_BARE)
        cr__trim(&text, &length);
    else if (length > scratch->capacity && cr__buffer_reserve(scratch, length) == NULL)
        return CR_ENOMEM;
    else if (!cr__strip_unquote(&text, &length, scratch))
        return CR__BAD_QUOTE;
    if (scratch->size == 0)
        st = cr__plan_put(plan, cell, strip->first + row, text, length);
    else
        st = cr__cell_put(plan, cell, strip->first + row, text, length, 0);
    return st;
}

/* --- fast loops ------------------------------------------------------------------------------- */

/* Two loops, for words and for numbers, step from mark to mark as long as fields are simple, and
 * call nothing, so that everything they need stays in registers; put_one handles the field where
 * they stop. They come in versions: the last field of a row may have the carriage return of the
 * line end behind it, and fields may be quoted. */
#define INLINE static inline __attribute__((always_inline))

/* The usual shape of a field: perhaps a blank before it, perhaps quotes around it. */
INLINE const char *usual_field(const char *bytes, const uint32_t *mark, size_t *length, int last,
                               int quoted)
{
    const char *text = bytes + (uint32_t)(mark[-1] + 1);

    *length = mark[0] - mark[-1] - 1;
    if (last)
        *length -= *length > 0 && text[*length - 1] == '\r';
    if (quoted && *length > 1 && *text == CR__QUOTE && text[*length - 1] == CR__QUOTE) {
        *length -= 2;
        return text + 1;
    }
    if (*text == ' ' && *length > 0) {
        --*length;
        return text + 1;
    }
    return text;
}

/* Each returns the first row, from `row` on, that it cannot handle. */
INLINE size_t run_words(const cr__strip *strip, size_t field, const cr__cell *cell, size_t row,
                        int last, int quoted)
{
    const size_t step = strip->fields, rows = strip->rows;
    const uint32_t *mark = strip->mark + row * step + field;
    const char *bytes = strip->bytes;
    const cr__cell here = {.recent = cell->recent, .recent_shift = cell->recent_shift};
    uint32_t *code = cell->code + strip->first;

    for (; row < rows; row++, mark += step) {
        size_t length;
        const char *text = usual_field(bytes, mark, &length, last, quoted);
        const cr__recent *entry;
        cr__key key;
        int hit;

        if (length > CR__KEY_MAX)
            break;
        entry = cr__recent_find(&here, text, length, &key, &hit);
        if (!hit)
            break;
        code[row] = entry->code;
    }
    return row;
}

static size_t run_bare_words(const cr__strip *strip, size_t field, const cr__cell *cell, size_t row)
{
    return run_words(strip, field, cell, row, 0, 0);
}

static size_t run_all_words(const cr__strip *strip, size_t field, const cr__cell *cell, size_t row)
{
    return run_words(strip, field, cell, row, 1, 1);
}

#if CR__FAST_NUMBERS
CR__FAST INLINE size_t run_reals(const cr__strip *strip, size_t field, const cr__cell *cell,
                                 size_t row, int last, int quoted)
{
    const size_t step = strip->fields, rows = strip->rows;
    const uint32_t *mark = strip->mark + row * step + field;
    const char *bytes = strip->bytes;
    double *real = cell->real + strip->first;

    for (; row < rows; row++, mark += step) {
        size_t length;
        const char *text = usual_field(bytes, mark, &length, last, quoted);

        if (length > 17 || !cr__short_number(text, length, &real[row]))
            break;
    }
    return row;
}

CR__FAST static size_t run_bare_reals(const cr__strip *strip, size_t field, const cr__cell *cell,
                                      size_t row)
{
    return run_reals(strip, field, cell, row, 0, 0);
}

CR__FAST static size_t run_all_reals(const cr__strip *strip, size_t field, const cr__cell *cell,
                                     size_t row)
{
    return run_reals(strip, field, cell, row, 1, 1);
}
#endif

/* Numbers of any length, by the general method. */
static size_t run_any_reals(const cr__strip *strip, size_t field, const cr__cell *cell, size_t row)
{
    double *real = cell->real + strip->first;

    for (; row < strip->rows; row++) {
        size_t length;
        const char *text =
            usual_field(strip->bytes, strip->mark + row * strip->fields + field, &length, 1, 1);

        if (cr__scan_double(text, text + length + 8, &real[row]) != text + length)
            break;
    }
    return row;
}

typedef size_t (*fast_run)(const cr__strip *strip, size_t field, const cr__cell *cell, size_t row);

/* The loop for a field's cells, or NULL when they need the general method. */
static fast_run choose_run(const cr__strip *strip, size_t field, const cr__cell *cell)
{
    const int bare = strip->quotes == CR__STRIP_BARE && field + 1 < strip->fields;

    if (!strip->regular || strip->quotes == CR__STRIP_ODD)
        return NULL;
    if (cell->use == CR__CELL_SYMBOL && cell->recent != NULL)
        return bare ? run_bare_words : run_all_words;
    if (cell->use != CR__CELL_REAL || cell->careful)
        return NULL;
#if CR__FAST_NUMBERS
    if (cr__scan_best() == CR__SCAN_AVX2)
        return bare ? run_bare_reals : run_all_reals;
#endif
    return run_any_reals;
}

cr_status cr__strip_put(cr__strip *strip, size_t field, const cr__cell *cell, cr__plan *plan,
                        cr__buffer *scratch)
{
    const fast_run run = choose_run(strip, field, cell);

    if (cell->use == CR__CELL_SKIP)
        return CR_OK;
    for (size_t row = 0; row < strip->rows; row++) {
        cr_status st;

        if (run != NULL && (row = run(strip, field, cell, row)) == strip->rows)
            break;
        if (run != NULL && cell->use == CR__CELL_REAL &&
            (row = run_any_reals(strip, field, cell, row)) == strip->rows)
            break;
        if ((st = put_one(strip, field, cell, plan, row, scratch)) != CR_OK) {
            strip->rows = row;
            return st;
        }
    }
    return CR_OK;
}
