/* eval/split_write.c - both sides of a split as CSV. */
#include <string.h>

#include "base/csv_field.h"
#include "base/fail.h"
#include "base/memory.h"
#include "credence/split.h"
#include "decide/in_order.h"
#include "eval/split.h"

#define WRITE_SIZE ((size_t)64 << 10)

typedef struct writer {
    const cr_split *split;
    cr_status (*write)(void *context, cr_side side, const char *bytes, size_t size);
    void *context;
    cr__fields fields;
    cr__buffer out[2]; /* by side */
} writer;

static cr_status flush(writer *w, size_t least, cr_error *err)
{
    for (int side = 0; side < 2; side++) {
        cr__buffer *out = &w->out[side];
        cr_status st;

        if (out->failed)
            return cr__fail_memory(err);
        if (out->size < least || out->size == 0)
            continue;
        if ((st = w->write(w->context, (cr_side)side, out->data, out->size)) != CR_OK)
            return cr__fail(err, st, "%s", cr_status_text(st));
        cr__buffer_clear(out);
    }
    return CR_OK;
}

static void add_record(cr__buffer *out, const cr__fields *fields)
{
    for (size_t i = 0; i < fields->count; i++) {
        if (i > 0)
            cr__buffer_addc(out, ',');
        if (fields->bytes[i] != NULL)
            cr__csv_field(out, fields->bytes[i], fields->size[i]);
    }
    cr__buffer_addc(out, '\n');
}

static cr_status write_batch(void *state, const cr__chunk *chunk, cr__batch *batch, cr_error *err)
{
    writer *w = state;
    const char *name = cr__source_chunk_name(chunk);

    for (size_t r = 0; r < batch->rows; r++) {
        const int side = cr__selection_has(&w->split->test, name, batch->record[r].line);
        cr_status st = cr__source_split(chunk, &batch->record[r], &w->fields, err);

        if (st != CR_OK)
            return cr__source_blame(chunk, st, err);
        add_record(&w->out[side], &w->fields);
    }
    return flush(w, WRITE_SIZE, err);
}

static void add_header(writer *w, const cr_source *source)
{
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < cr__source_fields(source); i++) {
            const char *name = cr__source_field_name(source, i);

            if (i > 0)
                cr__buffer_addc(&w->out[side], ',');
            cr__csv_field(&w->out[side], name, strlen(name));
        }
        cr__buffer_addc(&w->out[side], '\n');
    }
}

cr_status cr_split_write(const cr_split *split, cr_source *source,
                         cr_status (*write)(void *context, cr_side side, const char *bytes,
                                            size_t size),
                         void *context, cr_error *err)
{
    writer w = {.split = split, .write = write, .context = context};
    cr__plan plan = {.grow = 1};
    cr_schema *none = NULL;
    const cr_schema *inferred;
    cr_status st = cr__source_infer(source, CR__TARGET_NONE, &inferred, err);

    if (st == CR_OK)
        st = cr__schema_new(&none, err);
    if (st == CR_OK)
        st = cr__source_bind(source, none, 0, 1, err);
    plan.schema = none;
    if (st == CR_OK) {
        add_header(&w, source);
        st = cr__pass_in_order(source, none, &plan, write_batch, &w, err);
    }
    if (st == CR_OK)
        st = flush(&w, 0, err);
    cr__fields_free(&w.fields);
    cr__buffer_free(&w.out[0]);
    cr__buffer_free(&w.out[1]);
    cr__schema_free(none);
    return st;
}
