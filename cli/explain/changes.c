/* cli/explain/changes.c - what would have to change for another decision. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "out/out.h"
#include "out/text.h"
#include "session/reserve.h"
#include "session/session.h"

cr_changes *explain_find_changes(const inquiry *q, const cr_explanation *e)
{
    cr_changes *changes = NULL;
    cr_error err = {0};

    if (q->row == NULL || e->error != NULL)
        return NULL;
    if (cr_row_take(q->row, e) != CR_OK) {
        note("what would have to change cannot be told of an ensemble with texts");
        return NULL;
    }
    if (cr_row_changes(q->row, e->rule, &changes, &err) != CR_OK)
        reserve_failed();
    return changes;
}

/* The words that would have to go: "'now', 'free'". Free the result. */
static char *words_shown(const cr_model *model, const cr_change *c)
{
    char *line = NULL;
    size_t size;
    FILE *file = open_memstream(&line, &size);

    if (file == NULL)
        reserve_failed();
    for (size_t i = 0; i < c->words; i++) {
        cr_word word;
        char *text, *shown;

        if (cr_model_word(model, c->column, c->word[i], 0, &word) != CR_OK)
            continue;
        text = reserve(word.length + 1, 1);
        memcpy(text, word.bytes, word.length);
        shown = text_shown(text, 0);
        fprintf(file, "%s%s", i == 0 ? "without " : ", ", shown);
        free(text);
        free(shown);
    }
    fclose(file);
    return line;
}

static void add_change(table *t, const cr_model *model, const cr_change *c)
{
    char number[NUMBER_ROOM];
    char *words = c->words > 0 ? words_shown(model, c) : NULL;

    table_text(t, c->name);
    table_text(t, words != NULL      ? words
                  : c->value != NULL ? c->value
                                     : number_exact(number, c->number));
    table_text(t, cr_model_class(model, (size_t)c->decision));
    table_number(t, number_percent, c->probability);
    table_number(t, number_plain, c->distance);
    free(words);
}

void explain_changes(const inquiry *q, const cr_explanation *e)
{
    cr_changes *changes = explain_find_changes(q, e);
    table *t;

    if (changes == NULL)
        return;
    if (changes->count == 0) {
        out_line("No change of one value alone leads to another decision.");
    } else {
        out_line("Another decision follows from any of these changes:");
        t = table_new();
        table_column(t, "feature", TABLE_LEFT);
        table_column(t, "becomes", TABLE_LEFT);
        table_column(t, "decision", TABLE_LEFT);
        table_column(t, "probability", TABLE_RIGHT);
        table_column(t, "distance", TABLE_RIGHT);
        for (size_t i = 0; i < changes->count; i++)
            add_change(t, q->model, &changes->change[i]);
        table_print(t, 0, true);
        table_free(t);
    }
    cr_changes_free(changes);
}
