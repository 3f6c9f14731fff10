/* text/text_to_batch.c - tokenize, find, append. */
#include "text/text_to_batch.h"

#include "base/fail.h"
#include "base/memory.h"
#include "text/mail.h"
#include "text/mbox.h"

typedef struct putting {
    cr__tokenizer *tokenizer;
    cr__batch *batch;
    size_t row, column;
    cr__text_find *find;
    void *context;
} putting;

/* Add the words of the text that the tokenizer has begun. */
static cr_status put_words(const putting *p, cr_error *err)
{
    cr__batch_column *data = &p->batch->column[p->column];
    cr__tokenizer *tokenizer = p->tokenizer;
    cr_status st;

    while ((st = cr__tokenizer_next(tokenizer, err)) == CR_OK) {
        uint32_t *word = cr__batch_words(p->batch, p->row, p->column, tokenizer->count);
        size_t kept = tokenizer->count;

        if (word == NULL)
            return cr__fail_memory(err);
        st = p->find(p->context, p->column, tokenizer->text, tokenizer->tokens, tokenizer->count,
                     word, &kept);
        if (st == CR_ELIMIT)
            return cr__fail(err, st, "the texts have too many different words to be kept");
        if (st != CR_OK)
            return cr__fail_memory(err);
        data->start[p->row + 1] += (uint32_t)kept;
    }
    return st == CR_END ? CR_OK : st;
}

static cr_status put_section(const putting *p, const cr__section *text, cr_error *err)
{
    cr_status st = CR_OK;

    if (text->whole)
        st = cr__tokenizer_begin(p->tokenizer, text->prefix, text->text, text->size, err);
    else
        cr__tokenizer_section(p->tokenizer, text);
    return st == CR_OK ? put_words(p, err) : st;
}

/* A message, without the "From " line of a mailbox that may precede it. */
static cr_status put_mail(const putting *p, const cr__section *text, cr_error *err)
{
    cr__tokenizer *tokenizer = p->tokenizer;
    size_t start, end;
    cr_status st;

    if (tokenizer->mail == NULL &&
        (tokenizer->mail = cr__alloc_zero(1, sizeof *tokenizer->mail)) == NULL)
        return cr__fail_memory(err);
    cr__mbox_message(text->text, 0, text->size, &start, &end);
    st = cr__mail_read(tokenizer->mail, text->text + start, end - start, err);
    for (size_t i = 0; st == CR_OK && i < tokenizer->mail->count; i++)
        st = put_section(p, &tokenizer->mail->sections[i], err);
    return st;
}

cr_status cr__text_to_batch(cr__tokenizer *tokenizer, cr__batch *batch, size_t row, size_t column,
                            const cr__section *text, cr__text_find *find, void *context,
                            cr_error *err)
{
    const putting p = {tokenizer, batch, row, column, find, context};

    batch->column[column].code[row] = 1;
    return text->whole && (text->mail || tokenizer->recipe->mail) ? put_mail(&p, text, err)
                                                                  : put_section(&p, text, err);
}
