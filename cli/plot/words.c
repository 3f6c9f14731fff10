/* cli/plot/words.c - credence plot words: what one occurrence of a word adds to the log-odds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"
#include "plot/plot.h"
#include "session/reserve.h"
#include "session/session.h"
#include "show/show.h"

enum { WORDS_DRAWN = 20, CLASSES_DRAWN = 6, MOST_WORDS = 200 };

typedef struct weighted {
    char *word;
    double odds;
} weighted;

static int heaviest_first(const void *a, const void *b)
{
    const weighted *x = a, *y = b;

    return x->odds > y->odds ? -1 : x->odds < y->odds;
}

/* The words that speak most for a class and, of two classes, as many against it. To be freed with
 * free_words(). */
static weighted *speaking(const cr_model *model, size_t column, size_t class_index, size_t top,
                          size_t *count)
{
    const bool both = cr_model_classes(model) == 2;
    const size_t each = both ? (top + 1) / 2 : top;
    weighted *all = reserve(2 * each + 1, sizeof *all);
    size_t *word = reserve(each + 1, sizeof *word);

    *count = 0;
    for (size_t side = 0; side <= (size_t)both; side++) {
        const size_t of = side == 0 ? class_index : 1 - class_index;
        const size_t found = cr_model_informative_words(model, column, of, word, each);

        for (size_t i = 0; i < found; i++) {
            const double odds = cr_model_word_odds(model, column, word[i], class_index);
            cr_word w;

            if (isnan(odds) || cr_model_word(model, column, word[i], of, &w) != CR_OK)
                continue;
            all[*count].word = reserve(w.length + 1, 1);
            memcpy(all[*count].word, w.bytes, w.length);
            all[(*count)++].odds = odds;
        }
    }
    free(word);
    qsort(all, *count, sizeof *all, heaviest_first);
    return all;
}

static void free_words(weighted *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(all[i].word);
    free(all);
}

int add_words(cr_figure *f, const cr_model *model, size_t column, size_t class_index, size_t top,
              const char *title)
{
    const cr_axes axes = {title, {.label = "log-odds that one occurrence adds"}, {0}};
    const bool both = cr_model_classes(model) == 2;
    size_t count;
    weighted *all = speaking(model, column, class_index, top, &count);
    const char **name = reserve(count + 1, sizeof *name);
    double *odds = reserve(count + 1, sizeof *odds);
    char positive[200], negative[200];
    cr_error err = {0};
    cr_status status;

    for (size_t i = 0; i < count; i++) {
        name[i] = all[i].word;
        odds[i] = all[i].odds;
    }
    snprintf(positive, sizeof positive, "for %.180s", cr_model_class(model, class_index));
    snprintf(negative, sizeof negative, "for %.180s",
             both ? cr_model_class(model, 1 - class_index) : "the others");
    status = cr_figure_add_weights(f, &axes, count > 0 && odds[count - 1] < 0 ? negative : NULL,
                                   positive, name, odds, count, &err);
    free(name);
    free(odds);
    free_words(all, count);
    return panel_added(status, &err);
}

static void json_words(json *j, const cr_model *model, size_t column, size_t class_index,
                       size_t top)
{
    size_t count;
    weighted *all = speaking(model, column, class_index, top, &count);

    json_object(j, NULL, JSON_BLOCK);
    json_text(j, "class", cr_model_class(model, class_index));
    json_array(j, "words", JSON_BLOCK);
    for (size_t i = 0; i < count; i++) {
        json_object(j, NULL, JSON_LINE);
        json_text(j, "word", all[i].word);
        json_number(j, "log_odds", all[i].odds);
        json_end(j);
    }
    json_end(j);
    json_end(j);
    free_words(all, count);
}

/* The text that was asked for, or the first one. */
static int find_text(const request *r, const cr_model *model, size_t *column)
{
    const char *only = option_text(r, "feature");
    const cr_schema *schema = cr_model_schema(model);

    for (*column = 0; *column < cr_schema_columns(schema); (*column)++)
        if (cr_schema_kind(schema, *column) == CR_BAG && cr_model_words(model, *column) > 0 &&
            (only == NULL || strcmp(only, cr_schema_name(schema, *column)) == 0))
            return EXIT_DONE;
    return misuse("credence plot densities draws numbers and symbols",
                  only != NULL ? "the model has no text '%s'" : "the model has no text", only);
}

int plot_words(plot *p)
{
    const size_t top = option_count(p->r, "top", WORDS_DRAWN);
    const char *only = option_text(p->r, "class");
    size_t column = 0, first = 1, last = 2;
    int32_t found;
    cr_model *model = NULL;
    int code;

    if (top == 0 || top > MOST_WORDS)
        return misuse(NULL, "--top %zu; 1 to %d words can be drawn", top, MOST_WORDS);
    if ((code = open_model(&model, p->r, 1)) != EXIT_DONE)
        return code;
    code = find_text(p->r, model, &column);
    if (code == EXIT_DONE && only != NULL) {
        code = find_class(model, only, &found);
        first = (size_t)found;
        last = first + 1;
    } else if (cr_model_classes(model) != 2) {
        first = 0;
        last = cr_model_classes(model) < CLASSES_DRAWN ? cr_model_classes(model) : CLASSES_DRAWN;
        if (last < cr_model_classes(model))
            note("the first %d of %zu classes are drawn (--class NAME draws one)", CLASSES_DRAWN,
                 cr_model_classes(model));
    }
    for (size_t c = first; code == EXIT_DONE && c < last; c++) {
        char *title = plot_title(p->r, "Words for %s", cr_model_class(model, c));

        code = add_words(p->figure, model, column, c, top, title);
        free(title);
    }
    if (code == EXIT_DONE && p->r->json) {
        json_array(&p->j, "classes", JSON_BLOCK);
        for (size_t c = first; c < last; c++)
            json_words(&p->j, model, column, c, top);
        json_end(&p->j);
    }
    cr_model_free(model);
    return code;
}
