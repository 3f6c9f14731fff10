/* stats/text_plan.c - a text's words by the numbers they have in a vocabulary. */
#include "stats/text_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "text/text_to_batch.h"

static cr_status find_words(void *context, size_t column, const char *text, const cr__token *token,
                            size_t n, uint32_t *word, size_t *kept)
{
    const cr__text_plan *own = context;

    *kept = cr__words_find_all(own->words(own->context, column), text, token, n, word);
    return CR_OK;
}

static cr_status find_known(cr__plan *plan, size_t column, const char *text, const cr__token *token,
                            size_t n, uint32_t *number)
{
    const cr__text_plan *own = plan->text;

    cr__words_find_each(own->words(own->context, column), text, token, n, number);
    return CR_OK;
}

static cr_status put_text(cr__plan *plan, cr__batch *batch, size_t row, size_t column,
                          const cr__section *section, cr_error *err)
{
    cr__text_plan *text = plan->text;

    return cr__text_to_batch(text->tokenizer, batch, row, column, section, find_words, text, err);
}

cr_status cr__text_plan_begin(cr__text_plan *text, cr__plan *plan, const cr_schema *schema,
                              cr__dict **dict, const cr__recipe *recipe, cr__words_of *words,
                              const void *context, cr_error *err)
{
    *text = (cr__text_plan){.words = words, .context = context};
    *plan = (cr__plan){.schema = schema,
                       .dict = dict,
                       .put_text = put_text,
                       .find_words = find_known,
                       .text = text};
    for (size_t i = 0; i < schema->columns; i++)
        if (schema->column[i].kind == CR_BAG)
            return cr__tokenizer_new(&text->tokenizer, recipe, err);
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

/* A few words, by insertion. */
static void sort_few(uint32_t *word, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const uint32_t w = word[i];
        size_t at = i;

        for (; at > 0 && word[at - 1] > w; at--)
            word[at] = word[at - 1];
        word[at] = w;
    }
}

/* How many bits a digit has: as few as the minimal number of digits allows, and more when there are
 * many words to share the cost of a digit. */
static unsigned digit_bits(uint32_t largest, size_t n)
{
    const unsigned most = n < 512 ? 8 : 11;
    unsigned bits = 1, digits;

    while (bits < 32 && largest >> bits != 0)
        bits++;
    digits = (bits + most - 1) / most;
    return (bits + digits - 1) / digits;
}

/* Many words, by their digits from the last to the first (radix sort). */
static void sort_many(uint32_t *word, size_t n, uint32_t *work)
{
    uint32_t all = 0, mask, *from = word, *to = work;
    unsigned bits;

    for (size_t i = 0; i < n; i++)
        all |= word[i];
    bits = digit_bits(all, n);
    mask = ((uint32_t)1 << bits) - 1;
    for (unsigned shift = 0; shift < 32 && all >> shift != 0; shift += bits) {
        uint32_t count[1 << 11], sum = 0, *swap = from;

        memset(count, 0, (mask + (size_t)1) * sizeof *count);
        for (size_t i = 0; i < n; i++)
            count[from[i] >> shift & mask]++;
        for (size_t d = 0; d <= mask; d++) {
            const uint32_t here = count[d];
            count[d] = sum;
            sum += here;
        }
        for (size_t i = 0; i < n; i++)
            to[count[from[i] >> shift & mask]++] = from[i];
        from = to;
        to = swap;
    }
    if (from != word)
        memcpy(word, from, n * sizeof *word);
}

/* Without scratch memory the sort still works, but slowly. */
static void sort_texts(const cr__batch_column *data, size_t rows)
{
    enum { FEW = 32 };
    size_t longest = 0;
    uint32_t *work = NULL;

    for (size_t r = 0; r < rows; r++)
        if (data->start[r + 1] - data->start[r] > longest)
            longest = data->start[r + 1] - data->start[r];
    if (longest > FEW)
        work = cr__alloc(longest, sizeof *work);
    for (size_t r = 0; r < rows; r++) {
        uint32_t *word = data->word + data->start[r];
        const size_t n = data->start[r + 1] - data->start[r];

        if (n <= FEW)
            sort_few(word, n);
        else if (work != NULL)
            sort_many(word, n, work);
        else
            qsort(word, n, sizeof *word, compare_words);
    }
    cr__free(work);
}

void cr__text_plan_sort(cr__batch *batch)
{
    for (size_t i = 0; i < batch->columns; i++)
        if (batch->column[i].kind == CR_BAG && batch->column[i].word != NULL)
            sort_texts(&batch->column[i], batch->rows);
}
