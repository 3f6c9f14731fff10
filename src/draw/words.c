/* draw/words.c - the contribution of one occurrence of a word to the log-odds of a class. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "draw/draw.h"

typedef struct weighted {
    char *word;
    double odds;
} weighted;

static int heaviest_first(const void *a, const void *b)
{
    const weighted *x = a, *y = b;

    return x->odds > y->odds ? -1 : x->odds < y->odds;
}

static void free_words(weighted *all, size_t count)
{
    for (size_t i = 0; all != NULL && i < count; i++)
        cr__free(all[i].word);
    cr__free(all);
}

/* The words that support a class most and, for two classes, as many against it. Free them with
 * free_words(); NULL: out of memory. */
static weighted *speaking(const cr_model *model, size_t column, size_t class_index, size_t top,
                          size_t *count)
{
    const int both = cr_model_classes(model) == 2;
    const size_t each = both ? (top + 1) / 2 : top;
    weighted *all = cr__alloc_zero(2 * each + 1, sizeof *all);
    size_t *word = cr__alloc(each + 1, sizeof *word);
    int failed = all == NULL || word == NULL || cr__draw_ready(model, NULL) != CR_OK;

    *count = 0;
    for (size_t side = 0; !failed && side <= (size_t)both; side++) {
        const size_t of = side == 0 ? class_index : 1 - class_index;
        const size_t found = cr_model_informative_words(model, column, of, word, each);

        for (size_t i = 0; !failed && i < found; i++) {
            const double odds = cr_model_word_odds(model, column, word[i], class_index);
            cr_word w;

            if (isnan(odds) || cr_model_word(model, column, word[i], of, &w) != CR_OK)
                continue;
            if ((all[*count].word = cr__strndup(w.bytes, w.length)) == NULL)
                failed = 1;
            else
                all[(*count)++].odds = odds;
        }
    }
    cr__free(word);
    if (failed) {
        free_words(all, *count);
        return NULL;
    }
    qsort(all, *count, sizeof *all, heaviest_first);
    return all;
}

cr_status cr_draw_words(cr_figure *f, const char *title, const cr_model *model, size_t column,
                        size_t class_index, size_t top, cr_error *err)
{
    const cr_axes axes = {title, {.label = "log-odds that one occurrence adds"}, {0}};
    const int both = cr_model_classes(model) == 2;
    size_t count;
    weighted *all = speaking(model, column, class_index, top, &count);
    const char **name = cr__alloc(count + 1, sizeof *name);
    double *odds = cr__alloc(count + 1, sizeof *odds);
    char positive[200], negative[200];
    cr_status st = CR_OK;

    if (all == NULL || name == NULL || odds == NULL) {
        st = cr__fail_memory(err);
        goto done;
    }
    for (size_t i = 0; i < count; i++) {
        name[i] = all[i].word;
        odds[i] = all[i].odds;
    }
    snprintf(positive, sizeof positive, "for %.180s", cr_model_class(model, class_index));
    snprintf(negative, sizeof negative, "for %.180s",
             both ? cr_model_class(model, 1 - class_index) : "the others");
    st = cr_figure_add_weights(f, &axes, count > 0 && odds[count - 1] < 0 ? negative : NULL,
                               positive, name, odds, count, err);
done:
    cr__free(name);
    cr__free(odds);
    free_words(all, count);
    return st;
}

cr_status cr__words_numbers(cr_json *j, const cr_model *model, size_t column, size_t class_index,
                            size_t top, cr_error *err)
{
    size_t count;
    weighted *all = speaking(model, column, class_index, top, &count);

    if (all == NULL)
        return cr__fail_memory(err);
    cr_json_object(j, NULL, CR_JSON_BLOCK);
    cr_json_text(j, "class", cr_model_class(model, class_index));
    cr_json_array(j, "words", CR_JSON_BLOCK);
    for (size_t i = 0; i < count; i++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "word", all[i].word);
        cr_json_number(j, "log_odds", all[i].odds);
        cr_json_end(j);
    }
    cr_json_end(j);
    cr_json_end(j);
    free_words(all, count);
    return CR_OK;
}
