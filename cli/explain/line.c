/* cli/explain/line.c - lines of the blackboard: a left side, and what it equals. */
#include "explain/line.h"

#include <stdlib.h>
#include <string.h>

#include "out/out.h"
#include "out/text.h"
#include "session/reserve.h"

/* --- lines -------------------------------------------------------------------------------- */

size_t line_name_width(void)
{
    size_t width = out_width() > 38 ? (out_width() - 20) / 3 : 6;

    return out_width() == 0 || width > BOARD_NAME_WIDTH ? BOARD_NAME_WIDTH : width;
}

void line_begin(blackboard *w)
{
    if ((w->line = open_memstream(&w->text, &w->size)) == NULL)
        reserve_failed();
}

/* Both sides on a line, or as many as it takes. */
void line_end(blackboard *w, const char *left)
{
    size_t indent = 2 + w->width + 1;

    fclose(w->line);
    printf("  %s%*s ", left, (int)(w->width - text_width(left)), "");
    text_wrap(stdout, w->text, indent, indent, out_width());
    free(w->text);
}

/* ", fur=yes" for each value that the factor is given besides the class; ", …" for others. To be
 * freed. */
static char *given_values(const blackboard *w, const cr_factor *f)
{
    char *list = reserve(8, 1);
    size_t used = 0;

    list[0] = '\0';
    for (size_t k = 0; f->chained && k < f->givens && k < CR_FACTOR_GIVEN; k++)
        for (size_t i = 0; i < w->e->factors; i++) {
            const cr_factor *g = &w->e->factor[i];
            char *name, *value;

            if (g->column != f->given[k])
                continue;
            name = text_shown(g->name, line_name_width());
            value = text_shown(g->value != NULL ? g->value : "?", line_name_width());
            list = reserve_more(list, used + strlen(name) + strlen(value) + 12, 1);
            used += (size_t)sprintf(list + used, ", %s=%s", name, value);
            free(name);
            free(value);
        }
    if (f->chained && (f->givens == 0 || f->givens > CR_FACTOR_GIVEN))
        strcpy(list + used, ", …");
    return list;
}

/* "P(legs=no | mammals)"; a small p for densities. To be freed. */
char *line_factor_side(const blackboard *w, const cr_factor *f)
{
    char *name = text_shown(f->name, line_name_width()), *side;
    char *value = text_shown(f->value != NULL ? f->value : "", line_name_width());
    char *given = given_values(w, f);
    size_t size = strlen(w->name) + strlen(name) + strlen(value) + strlen(given) + 24;
    const cr_schema *schema = cr_model_schema(w->q->model);

    side = reserve(size, 1);
    if (f->column == SIZE_MAX)
        snprintf(side, size, "P(%s)", w->name);
    else if (explain_is_text(w->q, f))
        snprintf(side, size, "P(%s | %s)", name, w->name);
    else
        snprintf(side, size, "%s(%s=%s | %s%s)",
                 cr_schema_kind(schema, f->column) == CR_REAL && !f->fraction &&
                         cr_model_values(w->q->model, f->column) <= 1
                     ? "p"
                     : "P",
                 name, value, w->name, given);
    free(given);
    free(name);
    free(value);
    return side;
}

/* Counts behind the fraction; those of a prior are in the model. */
static void counts_of(const blackboard *w, const cr_factor *f, double *n, double *of)
{
    cr_model_facts facts;

    if (f->count != NULL) {
        *n = f->count[w->c];
        *of = f->total[w->c];
        return;
    }
    cr_model_get_facts(w->q->model, &facts);
    *n = cr_model_class_count(w->q->model, w->c);
    *of = facts.weight;
}

/* 6/7, or (6 + 1)/(7 + 2) = 7/9 where something was added; to the power of an exponent. */
static void write_fraction(blackboard *w, double n, double of, double top, double bottom,
                           const char *exponent)
{
    char a[NUMBER_ROOM], b[NUMBER_ROOM], d[NUMBER_ROOM], g[NUMBER_ROOM];
    const char *open = *exponent != '\0' ? "(" : "", *close = *exponent != '\0' ? ")" : "";

    if ((top > n || bottom > of) && top >= n && bottom >= of)
        fprintf(w->line, "= %s(%s + %s)/(%s + %s)%s%s ", open, number_plain(a, n),
                number_plain(b, top - n), number_plain(d, of), number_plain(g, bottom - of), close,
                exponent);
    fprintf(w->line, "= %s%s/%s%s%s ", open, number_plain(a, top), number_plain(b, bottom), close,
            exponent);
}

/* The normal density, or Student's t when the parameters were integrated out. */
static void write_density(blackboard *w, const cr_factor *f)
{
    char mean[NUMBER_ROOM], variance[NUMBER_ROOM], freedom[NUMBER_ROOM];

    if (f->mean == NULL || f->variance == NULL)
        return;
    number_plain(mean, f->mean[w->c]);
    number_plain(variance, f->variance[w->c]);
    if (f->freedom != NULL && f->freedom[w->c] > 0)
        fprintf(w->line, "= Student t with %s degrees of freedom at (%s - %s)/√%s, over √%s ",
                number_plain(freedom, f->freedom[w->c]), f->value, mean, variance, variance);
    else
        fprintf(w->line, "= exp(-(%s - %s)²/(2 × %s))/√(2π × %s) ", f->value, mean, variance,
                variance);
}

void line_factor(blackboard *w, const cr_factor *f)
{
    char *side = line_factor_side(w, f), number[NUMBER_ROOM];
    double n, of;

    line_begin(w);
    if (f->left_out) {
        fprintf(w->line, "left out: %s", f->left_out == 1 ? "missing" : "never seen");
    } else {
        if (f->fraction) {
            counts_of(w, f, &n, &of);
            if (f->bottom[w->c] != 1 || f->top[w->c] == 0 || f->top[w->c] == 1)
                write_fraction(w, n, of, f->top[w->c], f->bottom[w->c], "");
        } else {
            write_density(w, f);
        }
        fprintf(w->line, "= %s", number_power(number, f->log_p[w->c]));
    }
    line_end(w, side);
    free(side);
}

/* --- the words of a text ------------------------------------------------------------------ */

/* "^2" for a word that counts twice, else nothing. */
static const char *exponent_of(const cr_word_share *share, char *buffer, size_t size)
{
    char number[NUMBER_ROOM];

    buffer[0] = '\0';
    if (share->weight != 1)
        snprintf(buffer, size, "^%s", number_plain(number, share->weight));
    return buffer;
}

/* "P(game | Sports)^2". To be freed. */
char *line_word_side(const blackboard *w, const cr_word_share *share, const word_fraction *p)
{
    char *whole = explain_word_text(share), *word = text_shown(whole, line_name_width());
    size_t size = strlen(w->name) + strlen(word) + 64;
    char *side = reserve(size, 1), exponent[NUMBER_ROOM + 2];

    snprintf(side, size, "%s%s | %s%s%s", p->before, word, w->name, p->after,
             exponent_of(share, exponent, sizeof exponent));
    free(whole);
    free(word);
    return side;
}

static void write_word(blackboard *w, const cr_factor *f, const cr_word_share *share)
{
    char number[NUMBER_ROOM], exponent[NUMBER_ROOM + 2], *side;
    word_fraction p;

    board_fraction(w->q, f, share, w->c, &p);
    side = line_word_side(w, share, &p);
    line_begin(w);
    if (p.known)
        write_fraction(w, p.count, p.total, p.top, p.bottom,
                       exponent_of(share, exponent, sizeof exponent));
    fprintf(w->line, "= %s", number_power(number, share->log_p[w->c]));
    line_end(w, side);
    free(side);
}

/* As the model has them; the strongest first where they are many. To be freed. */
const cr_word_share **line_words(const blackboard *w, const cr_factor *f)
{
    const cr_word_share **words = explain_words(f, w->e->decision, explain_rival(w->q, w->e));

    for (size_t i = 0; f->words <= BOARD_WORDS && i < f->words; i++)
        words[i] = &f->word[i];
    return words;
}

/* The words of a text and what every text has alike. */
void line_text(blackboard *w, const cr_factor *f)
{
    const cr_word_share **words = line_words(w, f);
    double rest = 0, alike = explain_alike(f, w->c);
    char number[NUMBER_ROOM], text[64];

    for (size_t i = 0; i < f->words; i++)
        if (i < BOARD_WORDS)
            write_word(w, f, words[i]);
        else
            rest += words[i]->log_p[w->c];
    if (f->words > BOARD_WORDS) {
        snprintf(text, sizeof text, "%zu weaker words", f->words - BOARD_WORDS);
        line_begin(w);
        fprintf(w->line, "= %s", number_power(number, rest));
        line_end(w, text);
    }
    if (alike != 0) {
        line_begin(w);
        fprintf(w->line, "= %s", number_power(number, alike));
        line_end(w, BOARD_ALIKE);
    }
    free(words);
}
