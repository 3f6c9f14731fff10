/* model/text_plan.c - a text's words by the numbers they have in a model. */
#include "model/text_plan.h"

#include <stdlib.h>

#include "base/fail.h"

/* Words that the model does not know are skipped. */
static cr_status put_text(cr__plan *plan, cr__batch *batch, size_t row, size_t column,
                          const char *prefix, const char *bytes, size_t size, cr_error *err)
{
    cr__text_plan *text = plan->text;
    const cr_model *model = text->model;
    cr__tokenizer *t = text->tokenizer;
    cr__batch_column *data = &batch->column[column];
    cr_status st = cr__tokenizer_begin(t, prefix, bytes, size, err);

    data->code[row] = 1;
    while (st == CR_OK && (st = cr__tokenizer_next(t, err)) == CR_OK) {
        uint32_t *word = cr__batch_words(batch, row, column, t->count);
        uint32_t n = 0;

        if (word == NULL)
            return cr__fail_memory(err);
        for (size_t i = 0; i < t->count; i++) {
            word[n] = model->learner->find_word(model->fitted, column, t->tokens[i].hash,
                                                t->text + t->tokens[i].start,
                                                t->tokens[i].length);
            n += word[n] != UINT32_MAX;
        }
        data->start[row + 1] += n;
    }
    return st == CR_END ? CR_OK : st;
}

cr_status cr__text_plan_open(cr__text_plan *text, cr__plan *plan, const cr_model *model,
                             cr_error *err)
{
    *text = (cr__text_plan){.model = model};
    *plan = (cr__plan){.schema = model->schema, .dict = model->dict, .put_text = put_text,
                       .text = text};
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

        for (size_t r = 0; data->kind == CR_BAG && r < batch->rows; r++)
            sort_words(data->word + data->start[r], data->start[r + 1] - data->start[r]);
    }
}
