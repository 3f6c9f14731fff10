/* render/explain_csv.c - explanations as CSV: a line for each factor, word or member, and class. */
#include <math.h>
#include <stdint.h>

#include "credence/combine.h"
#include "credence/explain.h"
#include "render/csv.h"

void cr_explanation_csv_header(const cr_model *model, cr_output *out)
{
    cr_output_text(out, cr_model_is_regression(model)
                            ? "line,prediction,base,column,value,weight,mean,share\n"
                        : cr_model_members(model) > 0
                            ? "line,member,weight,drawn,class,probability\n"
                            : "line,factor,value,class,log_p,count,total,top,bottom,mean,variance,"
                              "freedom,word,times\n");
}

/* One of [classes] numbers, or nothing where there are none. */
static void add_number(cr_output *out, const double *numbers, size_t c)
{
    if (numbers == NULL || isfinite(numbers[c]))
        cr__csv_number(out, numbers == NULL ? NAN : numbers[c]);
    else
        cr_output_text(out, ",-inf");
}

static void line_begins(const cr_model *model, const cr_explanation *e, const cr_factor *f,
                        size_t c, cr_output *out)
{
    const int text =
        f->column != SIZE_MAX && cr_schema_kind(cr_model_schema(model), f->column) == CR_BAG;

    cr_output_number(out, (double)e->line);
    cr_output_text(out, ",");
    cr__csv_text(out, f->name);
    cr_output_text(out, ",");
    cr__csv_text(out, f->value != NULL && !text ? f->value : "");
    cr_output_text(out, ",");
    cr__csv_text(out, cr_model_class(model, c));
}

static void factor_line(const cr_model *model, const cr_explanation *e, const cr_factor *f,
                        size_t c, cr_output *out)
{
    const int used = !f->left_out;

    line_begins(model, e, f, c, out);
    add_number(out, f->log_p, c);
    add_number(out, used ? f->count : NULL, c);
    add_number(out, used ? f->total : NULL, c);
    add_number(out, used && f->fraction ? f->top : NULL, c);
    add_number(out, used && f->fraction ? f->bottom : NULL, c);
    add_number(out, used ? f->mean : NULL, c);
    add_number(out, used ? f->variance : NULL, c);
    add_number(out, used && f->mean != NULL ? f->freedom : NULL, c);
    cr_output_text(out, ",,\n");
}

static void word_line(const cr_model *model, const cr_explanation *e, const cr_factor *f,
                      const cr_word_share *w, size_t c, cr_output *out)
{
    line_begins(model, e, f, c, out);
    add_number(out, w->log_p, c);
    cr_output_text(out, ",,,,,,,,");
    cr_csv_field(out, w->bytes, w->length);
    cr__csv_number(out, (double)w->count);
    cr_output_text(out, "\n");
}

static void member_line(const cr_model *model, const cr_explanation *e, const cr_member_share *m,
                        size_t c, cr_output *out)
{
    cr_output_number(out, (double)e->line);
    cr_output_text(out, ",");
    cr__csv_text(out, m->name);
    cr__csv_number(out, m->weight);
    cr_output_text(out, m->drawn ? ",1," : ",0,");
    cr__csv_text(out, cr_model_class(model, c));
    cr__csv_number(out, m->posterior[c]);
    cr_output_text(out, "\n");
}

void cr_explanation_csv(const cr_model *model, const cr_explanation *e, cr_output *out)
{
    for (size_t i = 0; i < e->members; i++)
        for (size_t c = 0; c < e->classes; c++)
            member_line(model, e, &e->member[i], c, out);
    for (size_t i = 0; e->members == 0 && i < e->factors; i++) {
        const cr_factor *f = &e->factor[i];

        for (size_t c = 0; c < e->classes; c++)
            factor_line(model, e, f, c, out);
        for (size_t k = 0; k < f->words; k++)
            for (size_t c = 0; c < e->classes; c++)
                word_line(model, e, f, &f->word[k], c, out);
    }
}

void cr_regression_explanation_csv(const cr_model *model, const cr_regression_explanation *e,
                                   cr_output *out)
{
    for (size_t i = 0; i < e->shares; i++) {
        const cr_regression_share *s = &e->share[i];

        cr_output_number(out, (double)e->line);
        cr__csv_number(out, e->answer.mean);
        cr__csv_number(out, e->base);
        cr_output_text(out, ",");
        cr__csv_text(out, cr_schema_name(cr_model_schema(model), s->column));
        cr_output_text(out, ",");
        if (s->known && s->text != NULL)
            cr__csv_text(out, s->text);
        else if (s->known && isnan(s->value))
            cr_output_text(out, "?");
        else if (s->known)
            cr_output_number(out, s->value);
        cr__csv_number(out, e->chained ? NAN : s->weight);
        cr__csv_number(out, e->chained ? NAN : s->mean);
        cr__csv_number(out, s->share);
        cr_output_text(out, "\n");
    }
}
