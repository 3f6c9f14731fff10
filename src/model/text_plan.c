/* model/text_plan.c - a text's words by the numbers they have in a model. */
#include "model/text_plan.h"

#include <stdlib.h>

#include "text/put.h"

/* Words that the model does not know are skipped. */
static cr_status find_words(void *context, size_t column, const char *text, const cr__token *token,
                            size_t n, uint32_t *word, size_t *kept)
{
    const cr_model *model = ((const cr__text_plan *)context)->model;

    *kept = 0;
    for (size_t i = 0; i < n; i++) {
        word[*kept] = model->learner->find_word(model->fitted, column, token[i].hash,
                                                text + token[i].start, token[i].length);
        *kept += word[*kept] != UINT32_MAX;
    }
    return CR_OK;
}

static cr_status find_word(cr__plan *plan, size_t column, uint64_t hash, const char *word,
                           size_t length, uint32_t *number)
{
    const cr_model *model = ((const cr__text_plan *)plan->text)->model;

    *number = model->learner->find_word(model->fitted, column, hash, word, length);
    return CR_OK;
}

static cr_status put_text(cr__plan *plan, cr__batch *batch, size_t row, size_t column,
                          const cr__section *section, cr_error *err)
{
    cr__text_plan *text = plan->text;

    return cr__text_put(text->tokenizer, batch, row, column, section, find_words, text, err);
}

cr_status cr__text_plan_open(cr__text_plan *text, cr__plan *plan, const cr_model *model,
                             cr_error *err)
{
    *text = (cr__text_plan){.model = model};
    *plan = (cr__plan){.schema = model->schema, .dict = model->dict, .put_text = put_text,
                       .find_word = find_word, .text = text};
    for (size_t i = 0; i < model->schema->columns; i++)
        if (model->schema->column[i].kind == CR_BAG)
            return cr__tokenizer_new(&text->tokenizer, &model->recipe, err);
    return CR_OK;
}

void cr__text_plan_close(cr__text_plan *text)
{
    cr__tokenizer_free(text->tokenizer);
    *text = (cr__text_plan){0};
}

static int compare_words(const void *pa, const void *pb)
{
    const uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

    return a < b ? -1 : a > b;
}

static void sort_words(uint32_t *word, size_t n)
{
    if (n > 32) {
        qsort(word, n, sizeof *word, compare_words);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const uint32_t w = word[i];
        size_t at = i;

        for (; at > 0 && word[at - 1] > w; at--)
            word[at] = word[at - 1];
        word[at] = w;
    }
}

void cr__text_plan_sort(cr__batch *batch)
{
    for (size_t i = 0; i < batch->columns; i++) {
        const cr__batch_column *data = &batch->column[i];

        for (size_t r = 0; data->kind == CR_BAG && data->word != NULL && r < batch->rows; r++)
            sort_words(data->word + data->start[r], data->start[r + 1] - data->start[r]);
    }
}
