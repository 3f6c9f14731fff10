/* store/mail_words.c - a message as codes of a dictionary: to view, to classify and to learn it. */
#include "store/mail_words.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/filter.h"
#include "decide/filter.h"
#include "decide/row.h"
#include "text/text_to_batch.h"

#define MAIL_SEED UINT64_C(0x6d61696c)

void cr__mail_words_free(cr__mail_words *w)
{
    cr__dict_free(w->dict);
    cr__free(w->word);
    *w = (cr__mail_words){0};
}

static cr_status intern(void *context, size_t column, const char *text, const cr__token *token,
                        size_t n, uint32_t *word, size_t *kept)
{
    cr__mail_words *w = context;
    cr_status st = CR_OK;

    (void)column;
    (void)word;
    if (!cr__grow(&w->word, &w->capacity, w->words + n, sizeof *w->word))
        return CR_ENOMEM;
    for (size_t i = 0; st == CR_OK && i < n; i++)
        st = cr__dict_intern(w->dict, text + token[i].start, token[i].length,
                             &w->word[w->words + i]);
    w->words += n;
    *kept = 0;
    return st;
}

cr_status cr__mail_words_read(cr__mail_words *w, const cr_model *model, const char *message,
                              size_t size, cr_error *err)
{
    const cr__section section = {
        .prefix = "", .text = message, .size = size, .whole = 1, .mail = 1};
    cr__tokenizer *tokenizer = NULL;
    cr__batch *batch = NULL;
    cr_status st;

    *w = (cr__mail_words){0};
    if ((st = cr_filter_column(model, &w->column, err)) == CR_OK &&
        (st = cr__dict_new(&w->dict, MAIL_SEED, err)) == CR_OK &&
        (st = cr__tokenizer_new(&tokenizer, &model->recipe, err)) == CR_OK &&
        (st = cr__batch_new_for(&batch, model->schema, 1, err)) == CR_OK) {
        cr__batch_no_text(batch, 0, w->column);
        st = cr__text_to_batch(tokenizer, batch, 0, w->column, &section, intern, w, err);
    }
    cr__batch_free(batch);
    cr__tokenizer_free(tokenizer);
    if (st != CR_OK)
        cr__mail_words_free(w);
    return st;
}

/* --- as a table ------------------------------------------------------------------------------- */

int cr__mail_words_are_all(const cr_model *model)
{
    const cr_schema *schema = model->schema;

    for (size_t i = 0; i < schema->columns; i++)
        if (schema->column[i].kind != (i == schema->target ? CR_SYMBOL : CR_BAG))
            return 0;
    return schema->columns == 2 && schema->target != SIZE_MAX && schema->weight == SIZE_MAX;
}

static cr_status put_class(cr__table_column *column, const char *name, cr_error *err)
{
    cr_status st = cr__dict_new(&column->dict, MAIL_SEED, err);

    if (st != CR_OK)
        return st;
    if ((column->code = cr__alloc(1, sizeof *column->code)) == NULL)
        return cr__fail_memory(err);
    st = cr__dict_intern(column->dict, name, strlen(name), column->code);
    return st == CR_OK ? CR_OK : cr__fail(err, st, "the class has too long a name");
}

static cr_status put_words(cr__table_column *column, cr__mail_words *w, cr_error *err)
{
    column->code = cr__alloc(1, sizeof *column->code);
    column->start = cr__alloc(2, sizeof *column->start);
    if (column->code == NULL || column->start == NULL)
        return cr__fail_memory(err);
    column->code[0] = 1;
    column->start[0] = 0;
    column->start[1] = w->words;
    column->word = w->word;
    column->word_capacity = w->capacity;
    column->dict = w->dict;
    w->word = NULL;
    w->dict = NULL;
    return CR_OK;
}

cr_status cr__mail_words_table(cr__mail_words *w, const cr_model *model, const char *class_name,
                               cr__table **out, cr_error *err)
{
    cr_status st = cr__table_new(out, model->schema, err);

    if (st != CR_OK)
        return st;
    (*out)->rows = (*out)->capacity = 1;
    if (((*out)->line = cr__alloc_zero(1, sizeof *(*out)->line)) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        st = put_class(&(*out)->column[model->schema->target], class_name, err);
    if (st == CR_OK)
        st = put_words(&(*out)->column[w->column], w, err);
    if (st != CR_OK) {
        cr__table_free(*out);
        *out = NULL;
    }
    return st;
}

/* --- views ------------------------------------------------------------------------------------ */

typedef struct viewing {
    const cr__mail_words *words;
    cr_model **out;
} viewing;

static cr_status view(cr_store *store, void *context, cr_error *err)
{
    const viewing *v = context;
    cr_model *head;
    cr__dict **words = NULL;
    cr_status st = cr__store_head(store, &head, err);

    if (st == CR_OK && (words = cr__alloc_zero(head->schema->columns, sizeof *words)) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK) {
        words[v->words->column] = v->words->dict;
        st = cr__store_view(store, words, v->out, err);
    }
    cr__free(words);
    return st;
}

cr_status cr_store_view_message(cr_store *store, const void *message, size_t size, cr_model **out,
                                cr_row **row, cr_error *err)
{
    cr__mail_words w = {0};
    const viewing v = {&w, out};
    cr__buffer text = {0};
    cr_model *head;
    cr_status st = cr_store_head(store, &head, err);

    *out = NULL;
    if (row != NULL)
        *row = NULL;
    if (st != CR_OK)
        return st;
    if ((st = cr__filter_bytes(message, size, &text, err)) == CR_OK &&
        (st = cr__mail_words_read(&w, head, text.data, text.size - 1, err)) == CR_OK)
        st = cr__store_read(store, view, (void *)&v, err);
    if (st == CR_OK && row != NULL && (st = cr_row_new(row, *out, err)) == CR_OK)
        st = cr__row_from_words(*row, text.data, text.size - 1, w.dict, w.word, w.words, err);
    if (st != CR_OK && row != NULL) {
        cr_row_free(*row);
        *row = NULL;
    }
    if (st != CR_OK) {
        cr_model_free(*out);
        *out = NULL;
    }
    cr__mail_words_free(&w);
    cr__buffer_free(&text);
    cr_model_free(head);
    return st;
}

cr_status cr_store_view_mail(cr_store *store, const void *message, size_t size, cr_model **out,
                             cr_error *err)
{
    return cr_store_view_message(store, message, size, out, NULL, err);
}
