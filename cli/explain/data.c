/* cli/explain/data.c - explanations for programs, as JSON or CSV. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "explain/explain.h"
#include "out/csv.h"
#include "out/json.h"
#include "out/text.h"

static const char *class_name(const inquiry *q, int32_t c)
{
    return c != CR_UNDECIDED ? cr_model_class(q->model, (size_t)c) : NULL;
}

/* One number per class under its name. */
static void by_class(json *j, const inquiry *q, const char *key, const double *numbers)
{
    if (numbers == NULL)
        return;
    json_object(j, key, JSON_LINE);
    for (size_t c = 0; c < cr_model_classes(q->model); c++)
        json_number(j, cr_model_class(q->model, c), numbers[c]);
    json_end(j);
}

/* The strongest word first. */
static void words_json(json *j, const inquiry *q, const cr_explanation *e, const cr_factor *f)
{
    int32_t rival = explain_rival(q, e);
    const cr_word_share **words;

    if (!explain_is_text(q, f))
        return;
    words = explain_words(f, e->decision, rival);
    json_array(j, "words", JSON_LINE);
    for (size_t i = 0; i < f->words; i++) {
        char *word = explain_word_text(words[i]);

        json_object(j, NULL, JSON_LINE);
        json_text(j, "word", word);
        json_number(j, "times", (double)words[i]->count);
        json_number(j, "weight", words[i]->weight);
        if (e->decision != CR_UNDECIDED && rival != CR_UNDECIDED)
            json_number(j, "log_odds", explain_word_odds(words[i], e->decision, rival));
        by_class(j, q, "log_p", words[i]->log_p);
        json_end(j);
        free(word);
    }
    json_end(j);
    free(words);
}

static void factor_json(json *j, const inquiry *q, const cr_explanation *e, const cr_factor *f)
{
    int32_t rival = explain_rival(q, e);

    json_object(j, NULL, JSON_LINE);
    json_text(j, "name", f->name);
    json_text(j, "value", explain_is_text(q, f) ? NULL : f->value);
    if (f->left_out)
        json_text(j, "left_out", f->left_out == 1 ? "missing" : "never seen");
    if (e->decision != CR_UNDECIDED && rival != CR_UNDECIDED)
        json_number(j, "log_odds", explain_share(f, e->decision, rival));
    by_class(j, q, "log_p", f->log_p);
    if (!f->left_out) {
        by_class(j, q, "count", f->count);
        by_class(j, q, "total", f->total);
        by_class(j, q, "top", f->fraction ? f->top : NULL);
        by_class(j, q, "bottom", f->fraction ? f->bottom : NULL);
        by_class(j, q, "mean", f->mean);
        by_class(j, q, "variance", f->variance);
        by_class(j, q, "freedom", f->mean != NULL ? f->freedom : NULL);
        words_json(j, q, e, f);
    }
    json_end(j);
}

/* The log of zero has no number in JSON; it is null. */
void explain_json(const inquiry *q, const cr_explanation *e)
{
    int32_t rival = explain_rival(q, e);
    json j;

    json_start(&j, stdout);
    json_object(&j, NULL, JSON_LINE);
    json_number(&j, "line", (double)e->line);
    json_text(&j, "prediction", class_name(q, e->decision));
    if (e->decision == CR_UNDECIDED)
        json_text(&j, "reason", "every class gives this row probability zero");
    json_text(&j, "against", class_name(q, rival));
    if (e->decision != CR_UNDECIDED && rival != CR_UNDECIDED)
        json_number(&j, "log_odds", e->score[e->decision] - e->score[rival]);
    if (e->decision == CR_UNDECIDED)
        json_text(&j, "posterior", NULL);
    else
        by_class(&j, q, "posterior", e->posterior);
    by_class(&j, q, "score", e->score);
    json_array(&j, "factors", JSON_LINE);
    for (size_t i = 0; i < e->factors; i++)
        factor_json(&j, q, e, &e->factor[i]);
    json_end(&j);
    json_end(&j);
}

/* A line with a word tells what part of its text's log_p the word is. */
void explain_csv_header(void)
{
    puts("line,factor,value,class,log_p,count,total,top,bottom,mean,variance,freedom,word,times");
}

static void csv_number(const double *numbers, size_t c)
{
    char number[NUMBER_ROOM];

    putchar(',');
    if (numbers != NULL && isfinite(numbers[c]))
        fputs(number_exact(number, numbers[c]), stdout);
    else if (numbers != NULL)
        fputs("-inf", stdout);
}

static void csv_head(const inquiry *q, const cr_explanation *e, const cr_factor *f, size_t c)
{
    printf("%zu,", e->line);
    csv_field(stdout, f->name);
    putchar(',');
    csv_field(stdout, f->value != NULL && !explain_is_text(q, f) ? f->value : "");
    putchar(',');
    csv_field(stdout, cr_model_class(q->model, c));
}

static void csv_factor(const inquiry *q, const cr_explanation *e, const cr_factor *f, size_t c)
{
    bool used = !f->left_out;

    csv_head(q, e, f, c);
    csv_number(f->log_p, c);
    csv_number(used ? f->count : NULL, c);
    csv_number(used ? f->total : NULL, c);
    csv_number(used && f->fraction ? f->top : NULL, c);
    csv_number(used && f->fraction ? f->bottom : NULL, c);
    csv_number(used ? f->mean : NULL, c);
    csv_number(used ? f->variance : NULL, c);
    csv_number(used && f->mean != NULL ? f->freedom : NULL, c);
    puts(",,");
}

static void csv_word(const inquiry *q, const cr_explanation *e, const cr_factor *f,
                     const cr_word_share *w, size_t c)
{
    char *word = explain_word_text(w);

    csv_head(q, e, f, c);
    csv_number(w->log_p, c);
    fputs(",,,,,,,,", stdout);
    csv_field(stdout, word);
    printf(",%zu\n", w->count);
    free(word);
}

void explain_csv(const inquiry *q, const cr_explanation *e)
{
    for (size_t i = 0; i < e->factors; i++) {
        const cr_factor *f = &e->factor[i];

        for (size_t c = 0; c < e->classes; c++)
            csv_factor(q, e, f, c);
        for (size_t k = 0; k < f->words; k++)
            for (size_t c = 0; c < e->classes; c++)
                csv_word(q, e, f, &f->word[k], c);
    }
}
