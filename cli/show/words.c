/* cli/show/words.c - the most informative words of a text, class by class. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/describe.h"
#include "out/out.h"
#include "out/table.h"
#include "out/text.h"
#include "session/reserve.h"
#include "show/show.h"

enum { WORDS = 10, WORD_WIDTH = 18, BLOCK_WIDTH = WORD_WIDTH + 8 + 7 + 3 * 2 };

/* How often a word occurs in all classes, and in how many documents. */
static void count_everywhere(const cr_model *model, size_t column, size_t word, double *terms,
                             double *documents)
{
    cr_word w;

    *terms = *documents = 0;
    for (size_t c = 0; c < cr_model_classes(model); c++)
        if (cr_model_word(model, column, word, c, &w) == CR_OK) {
            *terms += w.terms;
            *documents += w.documents;
        }
}

/* "12/15": of 15 occurrences 12 are in the class. */
static void share_of(char *buffer, double part, double whole)
{
    char of[NUMBER_ROOM];

    number_plain(buffer, part);
    strcat(buffer, "/");
    strcat(buffer, number_plain(of, whole));
}

/* Names end in NUL, words do not. */
static char *word_text(const cr_word *w)
{
    return memcpy(reserve(w->length + 1, 1), w->bytes, w->length);
}

/* --- one class: everything about its words ------------------------------------------------ */

static void print_class(const exhibit *x, size_t column, size_t limit)
{
    size_t c = x->classes[0], *words = reserve(limit, sizeof *words);
    size_t count = cr_model_informative_words(x->model, column, c, words, limit);
    char text[2 * NUMBER_ROOM + 2];
    double terms, documents, scale = 0;
    table *t = table_new();
    cr_word w;

    table_column(t, "word", TABLE_LEFT);
    table_column(t, "occurs", TABLE_RIGHT);
    table_column(t, "in texts", TABLE_RIGHT);
    table_column(t, "log-odds", TABLE_RIGHT);
    table_column(t, "", TABLE_BAR);
    for (size_t i = 0; i < count; i++)
        scale = fmax(scale, fabs(cr_model_word_odds(x->model, column, words[i], c)));
    for (size_t i = 0; i < count; i++) {
        double odds = cr_model_word_odds(x->model, column, words[i], c);
        char *word;

        cr_model_word(x->model, column, words[i], c, &w);
        count_everywhere(x->model, column, words[i], &terms, &documents);
        word = word_text(&w);
        table_text(t, word);
        free(word);
        share_of(text, w.terms, terms);
        table_text(t, text);
        share_of(text, w.documents, documents);
        table_text(t, text);
        table_number(t, number_signed, odds);
        table_bar(t, isfinite(scale) && scale > 0 ? odds / scale : odds > 0);
    }
    table_print(t, 2, true);
    table_free(t);
    free(words);
}

/* --- many classes side by side ------------------------------------------------------------ */

static void add_cells(table *t, const exhibit *x, size_t column, size_t c, size_t word)
{
    char text[2 * NUMBER_ROOM + 2], *whole, *shown;
    double terms, documents;
    cr_word w;

    if (word == SIZE_MAX || cr_model_word(x->model, column, word, c, &w) != CR_OK) {
        for (int i = 0; i < 3; i++)
            table_text(t, "");
        return;
    }
    whole = word_text(&w);
    shown = text_shown(whole, WORD_WIDTH);
    count_everywhere(x->model, column, word, &terms, &documents);
    share_of(text, w.terms, terms);
    table_text(t, shown);
    table_number(t, number_signed, cr_model_word_odds(x->model, column, word, c));
    table_text(t, text);
    free(whole);
    free(shown);
}

static size_t print_classes(const exhibit *x, size_t column, size_t limit)
{
    size_t columns = show_at_most(x->class_count, show_width() / BLOCK_WIDTH), longest = 0;
    size_t *words = reserve(columns * limit, sizeof *words);
    table *t = table_new();

    for (size_t i = 0; i < columns; i++) {
        size_t *own = &words[i * limit];
        size_t count = cr_model_informative_words(x->model, column, x->classes[i], own, limit);
        char *name = text_shown(cr_model_class(x->model, x->classes[i]), WORD_WIDTH);

        for (size_t k = count; k < limit; k++)
            own[k] = SIZE_MAX;
        longest = count > longest ? count : longest;
        table_column(t, name, TABLE_LEFT);
        table_column(t, "log-odds", TABLE_RIGHT);
        table_column(t, "occurs", TABLE_RIGHT);
        free(name);
    }
    for (size_t k = 0; k < longest; k++)
        for (size_t i = 0; i < columns; i++)
            add_cells(t, x, column, x->classes[i], words[i * limit + k]);
    table_print(t, 2, true);
    table_free(t);
    free(words);
    return columns;
}

void show_words(const exhibit *x, size_t column)
{
    size_t vocabulary = cr_model_words(x->model, column), shown = 1;
    size_t limit = show_at_most(vocabulary, x->top != 0 || !x->one ? x->top : WORDS);

    if (limit == 0)
        return;
    if (x->class_count == 1)
        print_class(x, column, limit);
    else
        shown = print_classes(x, column, limit);
    if (shown < x->class_count)
        out_line("  ... and %zu more class%s (--class NAME shows one, --json all)",
                 x->class_count - shown, x->class_count - shown == 1 ? "" : "es");
}
