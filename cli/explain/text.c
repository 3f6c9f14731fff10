/* cli/explain/text.c - a text on a terminal, each word in the colour of its class.
 *
 * A word of the text is a run of letters, digits and bytes beyond ASCII; it is looked up among the
 * words that the model found, capitals aside. What is not found (n-grams, tagged words of a header,
 * words that were stemmed) stays as it is: the table below the text has all of them.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "out/out.h"
#include "out/text.h"
#include "session/reserve.h"

enum { WORD_MOST = 64, TEXT_MOST = 4000 };

static const double weak = 0.1; /* log-odds too small for a colour */

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || (c & 0x80) != 0;
}

/* An apostrophe between two letters is part of the word. */
static size_t word_length(const char *text, size_t left)
{
    size_t n = 0;

    while (n < left && (is_letter(text[n]) ||
                        (text[n] == '\'' && n > 0 && n + 1 < left && is_letter(text[n + 1]))))
        n++;
    return n;
}

static const cr_word_share *find_word(const cr_factor *f, const char *text, size_t length)
{
    char small[WORD_MOST];

    if (length > sizeof small)
        return NULL;
    for (size_t i = 0; i < length; i++)
        small[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : text[i]);
    for (size_t i = 0; i < f->words; i++)
        if (f->word[i].length == length && memcmp(f->word[i].bytes, small, length) == 0)
            return &f->word[i];
    return NULL;
}

static void write_word(const cr_factor *f, const char *text, size_t length, int32_t decision,
                       int32_t rival)
{
    const cr_word_share *w = find_word(f, text, length);
    double odds = w != NULL ? explain_word_odds(w, decision, rival) : 0;
    char *copy = memcpy(reserve(length + 1, 1), text, length), *shown = text_shown(copy, 0);

    if (odds > weak)
        fputs(out_style(STYLE_FOR), stdout);
    else if (odds < -weak)
        fputs(out_style(STYLE_AGAINST), stdout);
    fputs(shown, stdout);
    if (odds > weak || odds < -weak)
        fputs(out_style(STYLE_NONE), stdout);
    free(shown);
    free(copy);
}

/* Control characters are shown as a dot. */
static void write_other(char c)
{
    putchar(c == '\n' || (c >= ' ' && c < 0x7F) ? c : c == '\t' ? ' ' : '.');
}

void explain_coloured(const cr_factor *f, int32_t decision, int32_t rival)
{
    const char *text = f->text;
    size_t size = text == NULL ? 0 : f->text_size, shown = size < TEXT_MOST ? size : TEXT_MOST;

    while (shown < size && shown > 0 && is_letter(text[shown - 1]))
        shown--; /* the text is not cut inside a word */
    if (shown == 0 || !out_is_terminal() || *out_style(STYLE_FOR) == '\0')
        return;
    putchar('\n');
    for (size_t at = 0, length; at < shown; at += length) {
        length = word_length(text + at, shown - at);
        if (length > 0)
            write_word(f, text + at, length, decision, rival);
        else
            write_other(text[at + length++]);
    }
    puts(shown < size ? "..." : "");
}
