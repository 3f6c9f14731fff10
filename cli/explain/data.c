/* cli/explain/data.c - explanations for programs, as JSON or CSV. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "explain/explain.h"
#include "out/csv.h"
#include "out/json.h"
#include "out/text.h"
#include "session/reserve.h"

/* The library's object, in the order of the rows. */
void explain_json(const inquiry *q, const cr_explanation *e)
{
    cr_changes *changes = explain_find_changes(q, e);
    const cr_explanation_json_options options = {
        .against = q->against, .work = q->work, .changes = changes};
    cr_output *out = output_to(stdout);

    if (cr_explanation_json(q->model, e, &options, out, NULL) != CR_OK)
        reserve_failed();
    output_end(out);
    cr_changes_free(changes);
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
