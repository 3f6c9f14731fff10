/* cli/explain_data.c - explanations for programs, as JSON or CSV. */
#include <math.h>
#include <stdio.h>

#include "explain.h"
#include "out_csv.h"
#include "out_json.h"
#include "out_text.h"

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

static void factor_json(json *j, const inquiry *q, const cr_explanation *e, const cr_factor *f)
{
    int32_t rival = explain_rival(q, e);

    json_object(j, NULL, JSON_LINE);
    json_text(j, "name", f->name);
    json_text(j, "value", f->value);
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

void explain_csv_header(void)
{
    puts("line,factor,value,class,log_p,top,bottom,mean,variance");
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

void explain_csv(const inquiry *q, const cr_explanation *e)
{
    for (size_t i = 0; i < e->factors; i++)
        for (size_t c = 0; c < e->classes; c++) {
            const cr_factor *f = &e->factor[i];

            printf("%zu,", e->line);
            csv_field(stdout, f->name);
            putchar(',');
            csv_field(stdout, f->value != NULL ? f->value : "");
            putchar(',');
            csv_field(stdout, cr_model_class(q->model, c));
            csv_number(f->log_p, c);
            csv_number(f->fraction ? f->top : NULL, c);
            csv_number(f->fraction ? f->bottom : NULL, c);
            csv_number(f->mean, c);
            csv_number(f->variance, c);
            putchar('\n');
        }
}
