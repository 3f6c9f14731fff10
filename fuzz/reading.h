/* fuzz/reading.h - read bytes as a table in every way a caller could.
 *
 * The first byte of the input chooses options and the size of the chunks. What comes out must not
 * depend on that size: the same rows, or an error at the same line. An error must have a message.
 */
#ifndef FUZZ_READING_H
#define FUZZ_READING_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "source/format.h"

typedef struct outcome {
    cr_status status;
    size_t line, rows;
    uint64_t sum;   /* of all cells, in order */
    uint64_t texts; /* the same of all texts */
} outcome;

static inline void demand(int condition)
{
    if (!condition)
        abort();
}

static inline void add(outcome *o, const void *bytes, size_t size)
{
    o->sum = (o->sum * 31) ^ cr__dict_hash(bytes, size, o->sum);
}

/* Instead of a tokenizer: add up the bytes. */
static inline cr_status put_text(cr__plan *plan, cr__batch *batch, size_t row, size_t column,
                                 const cr__section *text, cr_error *err)
{
    outcome *o = plan->text;

    (void)err;
    batch->column[column].code[row] = 1;
    o->texts = (o->texts * 31) ^ cr__dict_hash(text->text, text->size, o->texts);
    return CR_OK;
}

static inline void look_at(outcome *o, const cr__batch *batch, const cr__plan *plan)
{
    for (size_t r = 0; r < batch->rows; r++) {
        add(o, &batch->record[r].line, sizeof batch->record[r].line);
        for (size_t c = 0; c < batch->columns; c++) {
            const cr__batch_column *column = &batch->column[c];

            if (column->real != NULL)
                add(o, &column->real[r], sizeof(double));
            if (column->kind == CR_SYMBOL && column->code[r] != CR__MISSING) {
                size_t length;
                const char *word;

                demand(column->code[r] <= plan->dict[c]->words);
                word = cr__dict_word(plan->dict[c], column->code[r], &length);
                add(o, word, length);
            }
        }
    }
    o->rows += batch->rows;
}

static inline cr_status read_chunk(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, outcome *o,
                                   cr_error *err)
{
    cr__fields fields = {0};
    cr_status st;

    while ((st = cr__source_parse(chunk, plan, batch, err)) == CR_OK) {
        look_at(o, batch, plan);
        for (size_t r = 0; r < batch->rows; r++)
            demand(cr__source_split(chunk, &batch->record[r], &fields, NULL) == CR_OK);
    }
    cr__fields_free(&fields);
    return st == CR_END ? CR_OK : st;
}

static inline cr_status read_once(cr_source *source, const cr_schema *schema, cr__plan *plan,
                                  outcome *o, cr_error *err)
{
    cr__batch *batch = NULL;
    cr__chunk chunk;
    cr_status st;

    *plan = (cr__plan){.schema = schema, .grow = 1, .put_text = put_text, .text = o};
    plan->dict = cr__alloc_zero(schema->columns, sizeof *plan->dict);
    for (size_t i = 0; i < schema->columns; i++)
        if (schema->column[i].kind == CR_SYMBOL)
            cr__dict_new(&plan->dict[i], 1, err);
    st = cr__batch_new(&batch, schema, err);
    while (st == CR_OK && (st = cr__source_next(source, &chunk, err)) == CR_OK) {
        st = read_chunk(&chunk, plan, batch, o, err);
        cr__source_release(&chunk);
    }
    cr__batch_free(batch);
    for (size_t i = 0; i < schema->columns; i++)
        cr__dict_free(plan->dict[i]);
    cr__free(plan->dict);
    return st == CR_END ? CR_OK : st;
}

static inline outcome read_bytes(const char *bytes, size_t size, const cr_source_options *options,
                                 size_t chunk_size)
{
    const size_t usual = cr__source_chunk_size;
    const cr_schema *schema;
    cr_source *source = NULL;
    cr__plan plan = {0};
    outcome o = {0};
    cr_error err = {0};

    cr__source_chunk_size = chunk_size;
    o.status = cr_source_open_memory(&source, bytes, size, NULL, options, &err);
    if (o.status == CR_OK)
        o.status = cr__source_infer(source, CR__TARGET_CLASS, &schema, &err);
    for (int passes = 0; o.status == CR_OK; passes++) {
        demand(passes < 10);
        o.rows = o.sum = o.texts = 0;
        o.status = read_once(source, schema, &plan, &o, &err);
        if (o.status != CR__EWIDEN)
            break;
        o.status = cr__source_widen(source, plan.broken_column, plan.broken_to, &err);
    }
    cr_source_close(source);
    cr__source_chunk_size = usual;
    demand(o.status == CR_OK || err.message[0] != 0);
    o.line = o.status == CR_OK ? 0 : err.line;
    return o;
}

static inline int read_fuzzed(const char *format, const uint8_t *data, size_t size)
{
    cr_source_options options;
    outcome small, large;
    uint8_t choice;

    if (size == 0)
        return 0;
    choice = *data;
    cr_source_options_default(&options);
    options.format = format;
    options.no_header = choice & 1;
    options.zero_based = !(choice & 1);
    options.comment = choice & 2 ? '#' : 0;
    options.missing = choice & 4 ? "0,x," : NULL;
    small = read_bytes((const char *)data + 1, size - 1, &options, (size_t)(choice >> 3) + 1);
    large = read_bytes((const char *)data + 1, size - 1, &options, (size_t)1 << 16);
    if (small.status == CR_OK || large.status == CR_OK) {
        demand(small.status == large.status);
        demand(small.rows == large.rows);
        demand(small.sum == large.sum);
        demand(small.texts == large.texts);
    }
    return 0;
}

#endif
