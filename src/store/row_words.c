/* store/row_words.c - views for one row, or the rows of a source. */
#include "base/fail.h"
#include "base/memory.h"
#include "decide/row.h"
#include "source/source.h"
#include "stats/table_read.h"
#include "store/store.h"
#include "text/text_to_batch.h"

#define ROW_SEED UINT64_C(0x726f7773)

/* The words of a row's texts. */
typedef struct row_words {
    cr__dict **dict; /* [columns], NULL where there is no text */
    size_t columns;
    cr__tokenizer *tokenizer;
    cr__batch *batch;
} row_words;

static void close_words(row_words *w)
{
    for (size_t i = 0; w->dict != NULL && i < w->columns; i++)
        cr__dict_free(w->dict[i]);
    cr__free(w->dict);
    cr__tokenizer_free(w->tokenizer);
    cr__batch_free(w->batch);
}

static cr_status intern(void *context, size_t column, const char *text, const cr__token *token,
                        size_t n, uint32_t *word, size_t *kept)
{
    const row_words *w = context;
    cr_status st = CR_OK;

    (void)word;
    for (size_t i = 0; st == CR_OK && i < n; i++) {
        uint32_t code;
        st = cr__dict_intern(w->dict[column], text + token[i].start, token[i].length, &code);
    }
    *kept = 0;
    return st;
}

static cr_status take_text(row_words *w, const cr__row_text *text, size_t column, cr_error *err)
{
    const cr__section section = {
        .prefix = "", .text = text->bytes, .size = text->size, .whole = 1, .mail = text->mail};
    cr_status st = cr__dict_new(&w->dict[column], ROW_SEED, err);

    if (st != CR_OK)
        return st;
    cr__batch_no_text(w->batch, 0, column);
    return cr__text_to_batch(w->tokenizer, w->batch, 0, column, &section, intern, w, err);
}

static cr_status open_words(row_words *w, const cr_row *row, cr_error *err)
{
    const cr_schema *schema = row->model->schema;
    cr_status st = cr__batch_new_for(&w->batch, schema, 1, err);

    w->columns = schema->columns;
    if ((w->dict = cr__alloc_zero(schema->columns, sizeof *w->dict)) == NULL)
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++) {
        if (schema->column[i].kind != CR_BAG || row->code[i] == CR__MISSING || !row->text[i].is_set)
            continue;
        if (w->tokenizer == NULL)
            st = cr__tokenizer_new(&w->tokenizer, &row->model->recipe, err);
        if (st == CR_OK)
            st = take_text(w, &row->text[i], i, err);
    }
    return st;
}

typedef struct viewing {
    row_words words;
    cr_model **out;
} viewing;

static cr_status view(cr_store *store, void *context, cr_error *err)
{
    const viewing *v = context;

    return cr__store_view(store, v->words.dict, v->out, err);
}

cr_status cr_store_view_row(cr_store *store, const cr_row *row, cr_model **out, cr_error *err)
{
    viewing v = {.out = out};
    cr_status st = open_words(&v.words, row, err);

    *out = NULL;
    if (st == CR_OK)
        st = cr__store_read(store, view, &v, err);
    close_words(&v.words);
    return st;
}

/* --- the rows of a source --------------------------------------------------------------------- */

/* Only its texts, as words, in a dictionary for each column. */
static cr_status read_words(const cr_model *head, cr_source *source, const cr_run *run,
                            row_words *w, cr__table **table, cr_error *err)
{
    cr_status st = cr__source_bind(source, head->schema, 0, 1, err);

    if (st == CR_OK)
        st = cr__table_read(table, source, head->schema, &head->recipe, run, err);
    w->columns = head->schema->columns;
    if (st == CR_OK && (w->dict = cr__alloc_zero(w->columns, sizeof *w->dict)) == NULL)
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < w->columns; i++)
        if ((*table)->column[i].kind == CR_BAG)
            w->dict[i] = (*table)->column[i].dict;
    return st;
}

cr_status cr_store_view_source(cr_store *store, cr_source *source, const cr_run *run,
                               cr_model **out, cr_error *err)
{
    viewing v = {.out = out};
    cr__table *table = NULL;
    cr_model *head;
    cr_status st = cr_store_head(store, &head, err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    if ((st = read_words(head, source, run, &v.words, &table, err)) == CR_OK)
        st = cr__store_read(store, view, &v, err);
    cr__free(v.words.dict); /* the dictionaries are the table's */
    cr__table_free(table);
    cr_model_free(head);
    return st;
}
