/* cli/show/data.c - a model laid open for programs: complete, as CSV. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/describe.h"
#include "out/csv.h"
#include "out/text.h"
#include "session/reserve.h"
#include "show/show.h"
#include "show/weights.h"

static void csv_number(double x)
{
    char number[NUMBER_ROOM];

    putchar(',');
    if (isfinite(x))
        fputs(number_exact(number, x), stdout);
}

static void csv_head(const cr_model *model, const cr_feature_rank *feature, const char *value,
                     size_t c)
{
    csv_field(stdout, cr_schema_name(cr_model_schema(model), feature->column));
    csv_number(feature->bits);
    putchar(',');
    csv_field(stdout, value);
    putchar(',');
    csv_field(stdout, cr_model_class(model, c));
}

static void csv_words(const cr_model *model, const cr_feature_rank *f)
{
    cr_word w;

    for (size_t word = 0; word < cr_model_words(model, f->column); word++)
        for (size_t c = 0; c < cr_model_classes(model); c++) {
            char *text;

            if (cr_model_word(model, f->column, word, c, &w) != CR_OK)
                continue;
            text = memcpy(reserve(w.length + 1, 1), w.bytes, w.length);
            csv_head(model, f, text, c);
            free(text);
            csv_number(w.terms);
            csv_number(exp(w.log_share));
            fputs(",,", stdout);
            csv_number(w.documents);
            putchar('\n');
        }
}

/* One line for each feature, value or word, and class; a real feature has no value but a mean. */
void show_csv(const exhibit *x)
{
    const cr_model *model = x->model;
    size_t classes = cr_model_classes(model);
    cr_gaussian g;

    if (has_weights(model)) {
        weights_csv(x);
        return;
    }
    puts("feature,bits,value,class,count,probability,mean,variance,documents");
    for (size_t i = 0; i < x->feature_count; i++) {
        const cr_feature_rank *f = &x->features[i];

        for (size_t v = 0; v < cr_model_values(model, f->column); v++)
            for (size_t c = 0; c < classes; c++) {
                csv_head(model, f, cr_model_value(model, f->column, v), c);
                csv_number(cr_model_count(model, f->column, v, c));
                csv_number(cr_model_probability(model, f->column, v, c));
                puts(",,,");
            }
        csv_words(model, f);
        for (size_t c = 0; c < classes; c++) {
            if (cr_schema_kind(cr_model_schema(model), f->column) != CR_REAL ||
                cr_model_gaussian(model, f->column, c, &g) != CR_OK)
                continue;
            csv_head(model, f, "", c);
            csv_number(g.count);
            putchar(',');
            csv_number(g.fitted_mean);
            csv_number(g.fitted_variance);
            puts(",");
        }
    }
}
