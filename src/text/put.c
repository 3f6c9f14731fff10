/* text/put.c - tokenize, find, append. */
#include "text/put.h"

#include "base/fail.h"

cr_status cr__text_put(cr__tokenizer *tokenizer, cr__batch *batch, size_t row, size_t column,
                       const cr__section *text, cr__text_find *find, void *context, cr_error *err)
{
    cr__batch_column *data = &batch->column[column];
    cr_status st = CR_OK;

    if (text->whole)
        st = cr__tokenizer_begin(tokenizer, text->prefix, text->text, text->size, err);
    else
        cr__tokenizer_section(tokenizer, text);
    data->code[row] = 1;
    while (st == CR_OK && (st = cr__tokenizer_next(tokenizer, err)) == CR_OK) {
        uint32_t *word = cr__batch_words(batch, row, column, tokenizer->count);
        size_t kept = tokenizer->count;

        if (word == NULL)
            return cr__fail_memory(err);
        st = find(context, column, tokenizer->text, tokenizer->tokens, tokenizer->count, word,
                  &kept);
        if (st == CR_ELIMIT)
            return cr__fail(err, st, "the texts have too many different words to be kept");
        if (st != CR_OK)
            return cr__fail_memory(err);
        data->start[row + 1] += (uint32_t)kept;
    }
    return st == CR_END ? CR_OK : st;
}
