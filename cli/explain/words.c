/* cli/explain/words.c - the words behind a decision. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "out/out.h"
#include "out/text.h"
#include "session/reserve.h"
#include "session/session.h"

bool explain_is_text(const inquiry *q, const cr_factor *f)
{
    return f->column != SIZE_MAX && cr_schema_kind(cr_model_schema(q->model), f->column) == CR_BAG;
}

double explain_word_odds(const cr_word_share *w, int32_t decision, int32_t rival)
{
    return w->log_p[decision] - w->log_p[rival];
}

char *explain_word_text(const cr_word_share *w)
{
    return memcpy(reserve(w->length + 1, 1), w->bytes, w->length);
}

static const cr_word_share **explain_words(const cr_factor *f, int32_t decision, int32_t rival)
{
    const cr_word_share **words = reserve(f->words, sizeof *words);
    size_t *order = reserve(f->words, sizeof *order);

    if (cr_factor_order_words(f, decision, rival, order) != CR_OK)
        reserve_failed();
    for (size_t i = 0; i < f->words; i++)
        words[i] = &f->word[order[i]];
    free(order);
    return words;
}

/* --- the table ---------------------------------------------------------------------------- */

static void add_word(table *t, const cr_word_share *w, double odds, double scale)
{
    char *word = explain_word_text(w), times[32];

    snprintf(times, sizeof times, "%zu", w->count);
    explain_row(t, word, times, odds, scale);
    free(word);
}

/* A sum, which has no bar. */
static void add_rest(table *t, size_t count, double odds)
{
    char text[64];

    snprintf(text, sizeof text, "%zu weaker one%s", count, plural(count));
    explain_row(t, text, "", odds, 0);
}

void explain_word_table(const inquiry *q, const cr_factor *f, int32_t decision, int32_t rival)
{
    const cr_word_share **words = explain_words(f, decision, rival);
    size_t shown = q->top != 0 && f->words > q->top ? q->top : f->words;
    double alike = cr_factor_alike(f, (size_t)decision) - cr_factor_alike(f, (size_t)rival);
    double scale = isfinite(alike) ? fabs(alike) : 0, rest = 0;
    char *name = text_shown(f->name, 0);
    table *t = explain_table("word", "times");

    for (size_t i = 0; i < f->words; i++) {
        double odds = explain_word_odds(words[i], decision, rival);

        if (isfinite(odds))
            scale = fmax(scale, fabs(odds));
        if (i >= shown)
            rest += odds;
    }
    for (size_t i = 0; i < shown; i++)
        add_word(t, words[i], explain_word_odds(words[i], decision, rival), scale);
    if (shown < f->words)
        add_rest(t, f->words - shown, rest);
    if (alike != 0)
        explain_row(t, "(any text)", "", alike, scale);
    explain_row(t, "all together", "", explain_share(f, decision, rival), 0);
    explain_coloured(f, decision, rival);
    printf("\n%s%s%s, word by word\n", out_style(STYLE_BOLD), name, out_style(STYLE_NONE));
    table_print(t, 0, true);
    table_free(t);
    free(name);
    free(words);
}
