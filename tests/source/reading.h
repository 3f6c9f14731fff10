/* tests/source/reading.h - for tests: read a whole source and write it down as text.
 *
 * A reading is what a pass gives: the kinds of the columns in one line, then the rows, one per
 * line as "LINE: VALUE|VALUE|…", with ~ for missing, "word" for symbols and [text] for every text
 * that was put.
 */
#ifndef TESTS_SOURCE_READING_H
#define TESTS_SOURCE_READING_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/number.h"
#include "source/format.h"

typedef struct reading {
    cr_status status;
    cr_error err;
    cr__buffer text;
    int passes;
    cr__target_use use;
} reading;

/* Instead of a tokenizer: the whole text is one word of the column's dictionary. */
static inline cr_status reading_put(cr__plan *plan, cr__batch *batch, size_t row, size_t column,
                                    const cr__section *section, cr_error *err)
{
    cr__buffer text = {0};
    uint32_t *word = cr__batch_words(batch, row, column, 1);
    cr_status st = CR_ENOMEM;

    (void)err;
    cr__buffer_adds(&text, section->prefix);
    cr__buffer_add(&text, section->text, section->size);
    cr__buffer_addc(&text, 0);
    if (word != NULL && !text.failed)
        st = cr__dict_intern(plan->dict[column], text.data, text.size - 1, word);
    batch->column[column].code[row] = 1;
    batch->column[column].start[row + 1]++;
    cr__buffer_free(&text);
    return st;
}

static inline cr_status reading_plan(cr__plan *plan, const cr_schema *schema, cr_error *err)
{
    cr_status st = CR_OK;

    *plan = (cr__plan){.schema = schema, .grow = 1, .put_text = reading_put};
    plan->dict = cr__alloc_zero(schema->columns, sizeof *plan->dict);
    if (plan->dict == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++)
        if (schema->column[i].kind == CR_SYMBOL || schema->column[i].kind == CR_BAG)
            st = cr__dict_new(&plan->dict[i], 7, err);
    return st;
}

static inline void reading_plan_free(cr__plan *plan)
{
    for (size_t i = 0; plan->dict != NULL && i < plan->schema->columns; i++)
        cr__dict_free(plan->dict[i]);
    cr__free(plan->dict);
    cr__plan_forget(plan);
}

static inline void reading_texts(cr__buffer *text, const cr__batch_column *column,
                                 const cr__dict *dict, size_t r)
{
    for (uint32_t i = column->start[r]; i < column->start[r + 1]; i++) {
        size_t length;
        const char *word = cr__dict_word(dict, column->word[i], &length);

        cr__buffer_addc(text, '[');
        cr__buffer_add(text, word, length);
        cr__buffer_addc(text, ']');
    }
}

static inline void reading_row(cr__buffer *text, const cr__batch *batch, const cr__plan *plan,
                               size_t r)
{
    cr__buffer_printf(text, "%zu:", batch->record[r].line);
    for (size_t c = 0; c < batch->columns; c++) {
        const cr__batch_column *column = &batch->column[c];
        char number[CR__NUMBER_SIZE];
        size_t length;

        cr__buffer_addc(text, c == 0 ? ' ' : '|');
        if (column->real != NULL && isnan(column->real[r])) {
            cr__buffer_addc(text, '~');
        } else if (column->real != NULL) {
            length = cr__format_double(number, column->real[r]);
            cr__buffer_add(text, number, length);
        } else if (column->code != NULL && column->code[r] == CR__MISSING) {
            cr__buffer_addc(text, '~');
        } else if (column->kind == CR_BAG) {
            reading_texts(text, column, plan->dict[c], r);
        } else if (column->code != NULL && column->code[r] > plan->dict[c]->words) {
            cr__buffer_addc(text, '!');
        } else if (column->code != NULL) {
            const char *word = cr__dict_word(plan->dict[c], column->code[r], &length);
            cr__buffer_addc(text, '"');
            cr__buffer_add(text, word, length);
            cr__buffer_addc(text, '"');
        }
    }
    if (batch->weight != NULL) {
        char number[CR__NUMBER_SIZE];
        cr__buffer_adds(text, " *");
        cr__buffer_add(text, number, cr__format_double(number, batch->weight[r]));
    }
    cr__buffer_addc(text, '\n');
}

static inline void reading_kinds(cr__buffer *text, const cr_schema *schema)
{
    static const char *const whys[] = {"given", "declared", "numbers", "binary",
                                       "words", "target",   "empty",   "text"};

    for (size_t i = 0; i < schema->columns; i++)
        cr__buffer_printf(text, "%s%s=%s/%s", i == 0 ? "" : " ", schema->column[i].name,
                          cr_kind_name(schema->column[i].kind), whys[schema->column[i].why]);
    cr__buffer_addc(text, '\n');
}

/* One pass with a plan that exists. */
static inline cr_status reading_pass(cr_source *source, cr__plan *plan, cr__buffer *text,
                                     cr_error *err)
{
    cr__batch *batch = NULL;
    cr__chunk chunk;
    cr_status st = cr__batch_new(&batch, plan->schema, err);

    while (st == CR_OK && (st = cr__source_next(source, &chunk, err)) == CR_OK) {
        while ((st = cr__source_parse(&chunk, plan, batch, err)) == CR_OK)
            for (size_t r = 0; r < batch->rows; r++)
                reading_row(text, batch, plan, r);
        cr__source_release(&chunk);
        if (st == CR_END)
            st = CR_OK;
    }
    cr__batch_free(batch);
    return st == CR_END ? CR_OK : st;
}

/* Infer and read, starting again whenever a guess breaks. */
static inline void reading_run(reading *r, cr_source *source)
{
    const cr_schema *schema;

    r->status = cr__source_infer(source, r->use, &schema, &r->err);
    while (r->status == CR_OK) {
        cr__plan plan, broken;

        cr__buffer_clear(&r->text);
        reading_kinds(&r->text, schema);
        r->passes++;
        r->status = reading_plan(&plan, schema, &r->err);
        if (r->status == CR_OK)
            r->status = reading_pass(source, &plan, &r->text, &r->err);
        broken = plan;
        reading_plan_free(&plan); /* the schema is about to change */
        if (r->status != CR__EWIDEN || r->passes == 20)
            break;
        r->status = cr__source_widen(source, broken.broken_column, broken.broken_to, &r->err);
    }
    cr__buffer_addc(&r->text, 0);
}

static inline reading read_memory_n(const char *bytes, size_t size,
                                    const cr_source_options *options)
{
    reading r = {0};
    cr_source *source = NULL;

    r.status = cr_source_open_memory(&source, bytes, size, NULL, options, &r.err);
    if (r.status == CR_OK)
        reading_run(&r, source);
    cr_source_close(source);
    return r;
}

static inline reading read_memory(const char *bytes, const cr_source_options *options)
{
    return read_memory_n(bytes, strlen(bytes), options);
}

/* The text must be read as `expected`, whatever the size of the chunks. */
static inline void expect_reading(const char *bytes, const cr_source_options *options,
                                  const char *expected)
{
    const size_t usual = cr__source_chunk_size;

    for (size_t size = 0; size <= 64; size++) {
        reading r;

        cr__source_chunk_size = size == 0 ? usual : size;
        r = read_memory(bytes, options);
        cr__source_chunk_size = usual;
        if (r.status != CR_OK)
            fail_msg("chunks of %zu: %s:%zu:%zu: %s (%s)", size, r.err.file, r.err.line,
                     r.err.column, r.err.message, r.err.hint);
        assert_string_equal(r.text.data, expected);
        cr__buffer_free(&r.text);
    }
}

/* It must fail at that line and field, with these words in the message or hint, whatever the size
 * of the chunks. */
static inline void expect_error_n(const char *bytes, size_t length,
                                  const cr_source_options *options, cr_status status, size_t line,
                                  size_t field, const char *words)
{
    const size_t usual = cr__source_chunk_size;
    char all[1024];

    for (size_t size = 0; size <= 64; size++) {
        reading r;

        cr__source_chunk_size = size == 0 ? usual : size;
        r = read_memory_n(bytes, length, options);
        cr__source_chunk_size = usual;
        snprintf(all, sizeof all, "%s (%s)", r.err.message, r.err.hint);
        if (r.status != status || r.err.line != line || r.err.column != field ||
            strstr(all, words) == NULL)
            fail_msg("chunks of %zu: status %d at %s:%zu:%zu: %s", size, (int)r.status, r.err.file,
                     r.err.line, r.err.column, all);
        cr__buffer_free(&r.text);
    }
}

static inline void expect_error(const char *bytes, const cr_source_options *options,
                                cr_status status, size_t line, size_t field, const char *words)
{
    expect_error_n(bytes, strlen(bytes), options, status, line, field, words);
}

/* A file of that name (in the current folder) with these bytes. */
static inline void write_file(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(name, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Whether a note contains these words. */
static inline int is_noted(const cr_source *source, const char *words)
{
    const char *note;

    for (size_t i = 0; (note = cr_source_note(source, i)) != NULL; i++)
        if (strstr(note, words) != NULL)
            return 1;
    return 0;
}

/* Reading the text must leave this note, or with NULL none at all. */
static inline void expect_note(const char *text, size_t size, const cr_source_options *options,
                               const char *note)
{
    cr_source *source = NULL;
    reading r = {0};

    r.status = cr_source_open_memory(&source, text, size, NULL, options, &r.err);
    if (r.status == CR_OK)
        reading_run(&r, source);
    assert_int_equal(r.status, CR_OK);
    if (note == NULL ? cr_source_note(source, 0) != NULL : !is_noted(source, note))
        fail_msg("'%s' is not among the notes, which begin with '%s'", note != NULL ? note : "",
                 cr_source_note(source, 0) != NULL ? cr_source_note(source, 0) : "");
    cr_source_close(source);
    cr__buffer_free(&r.text);
}

#define CSV_OPTIONS(...) (&(cr_source_options){.format = "csv", __VA_ARGS__})

#endif
