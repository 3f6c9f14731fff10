/* render/model_csv.c - what a classifier has learned, as CSV: a line for each feature, value or
 * word, and class. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "render/csv.h"
#include "render/model_json.h"

void cr__csv_text(cr_output *out, const char *text)
{
    cr_csv_field(out, text, strlen(text));
}

void cr__csv_number(cr_output *out, double x)
{
    cr_output_text(out, ",");
    if (isfinite(x))
        cr_output_number(out, x);
}

/* --- values, densities, words ----------------------------------------------------------------- */

static void line_begins(const cr__model_view *v, const cr_feature_rank *f, const char *value,
                        size_t size, size_t c, cr_output *out)
{
    cr__csv_text(out, cr_schema_name(cr_model_schema(v->model), f->column));
    cr__csv_number(out, f->bits);
    cr_output_text(out, ",");
    cr_csv_field(out, value, size);
    cr_output_text(out, ",");
    cr__csv_text(out, cr_model_class(v->model, c));
}

static void value_lines(const cr__model_view *v, const cr_feature_rank *f, size_t value,
                        cr_output *out)
{
    const char *name = cr_model_value(v->model, f->column, value);

    for (size_t c = 0; c < cr_model_classes(v->model); c++) {
        line_begins(v, f, name, strlen(name), c, out);
        cr__csv_number(out, cr_model_count(v->model, f->column, value, c));
        cr__csv_number(out, cr_model_probability(v->model, f->column, value, c));
        cr_output_text(out, ",,,\n");
    }
}

static void word_lines(const cr__model_view *v, const cr_feature_rank *f, size_t word,
                       cr_output *out)
{
    cr_word w;

    for (size_t c = 0; c < cr_model_classes(v->model); c++) {
        if (cr_model_word(v->model, f->column, word, c, &w) != CR_OK)
            continue;
        line_begins(v, f, w.bytes, w.length, c, out);
        cr__csv_number(out, w.terms);
        cr__csv_number(out, exp(w.log_share));
        cr_output_text(out, ",,");
        cr__csv_number(out, w.documents);
        cr_output_text(out, "\n");
    }
}

static void gaussian_lines(const cr__model_view *v, const cr_feature_rank *f, cr_output *out)
{
    cr_gaussian g;

    for (size_t c = 0; c < cr_model_classes(v->model); c++) {
        if (cr_model_gaussian(v->model, f->column, c, &g) != CR_OK)
            continue;
        line_begins(v, f, "", 0, c, out);
        cr__csv_number(out, g.count);
        cr_output_text(out, ",");
        cr__csv_number(out, g.fitted_mean);
        cr__csv_number(out, g.fitted_variance);
        cr_output_text(out, ",\n");
    }
}

static void features_csv(const cr__model_view *v, cr_output *out)
{
    const cr_schema *schema = cr_model_schema(v->model);

    cr_output_text(out, "feature,bits,value,class,count,probability,mean,variance,documents\n");
    for (size_t i = 0; i < v->features; i++) {
        const cr_feature_rank *f = &v->feature[i];

        for (size_t value = 0; value < cr_model_values(v->model, f->column); value++)
            value_lines(v, f, value, out);
        for (size_t word = 0; word < cr_model_words(v->model, f->column); word++)
            word_lines(v, f, word, out);
        if (cr_schema_kind(schema, f->column) == CR_REAL)
            gaussian_lines(v, f, out);
    }
}

/* --- weights of a logistic regression --------------------------------------------------------- */

/* The weights of a value or a word; value is 0 for a real column, column is SIZE_MAX for the
 * intercept. */
static void weight_lines(const cr__model_view *v, size_t column, size_t value, cr_output *out)
{
    const cr_schema *schema = cr_model_schema(v->model);
    const cr_kind kind = column == SIZE_MAX ? CR_REAL : cr_schema_kind(schema, column);
    cr_word word = {0};
    cr_weight w;

    for (size_t c = 0; c < cr_model_classes(v->model); c++) {
        cr_model_weight(v->model, column, value, c, &w);
        cr__csv_text(out, column == SIZE_MAX ? "(intercept)" : cr_schema_name(schema, column));
        cr_output_text(out, ",");
        if (kind == CR_SYMBOL)
            cr__csv_text(out, cr_model_value(v->model, column, value));
        else if (kind == CR_BAG && cr_model_word(v->model, column, value, 0, &word) == CR_OK)
            cr_csv_field(out, word.bytes, word.length);
        cr_output_text(out, ",");
        cr__csv_text(out, cr_model_class(v->model, c));
        cr__csv_number(out, w.weight);
        cr__csv_number(out, w.error);
        cr_output_text(out, "\n");
    }
}

static cr_status product_lines(const cr__model_view *v, size_t i, cr_output *out)
{
    char *name = cr__interaction_name(v->model, i, 0), *values;
    cr_interaction p;
    cr_status st;

    values = cr__interaction_name(v->model, i, 1);
    for (size_t c = 0; name != NULL && values != NULL && c < cr_model_classes(v->model); c++) {
        cr_model_interaction(v->model, i, c, &p);
        cr__csv_text(out, name);
        cr_output_text(out, ",");
        cr__csv_text(out, values);
        cr_output_text(out, ",");
        cr__csv_text(out, cr_model_class(v->model, c));
        cr__csv_number(out, p.weight.weight);
        cr__csv_number(out, p.weight.error);
        cr_output_text(out, "\n");
    }
    st = name == NULL || values == NULL ? CR_ENOMEM : CR_OK;
    cr__free(name);
    cr__free(values);
    return st;
}

static cr_status weights_csv(const cr__model_view *v, cr_output *out)
{
    cr_status st = CR_OK;

    cr_output_text(out, "feature,value,class,weight,error\n");
    weight_lines(v, SIZE_MAX, 0, out);
    for (size_t i = 0; i < v->features; i++) {
        const size_t column = v->feature[i].column;

        for (size_t value = 0; value < cr__weights_of(v->model, column); value++)
            weight_lines(v, column, value, out);
    }
    for (size_t i = 0; st == CR_OK && v->how.feature == NULL && i < cr_model_interactions(v->model);
         i++)
        st = product_lines(v, i, out);
    return st;
}

cr_status cr_model_csv(const cr_model *model, const char *feature, cr_output *out, cr_error *err)
{
    cr__model_view v = {.model = model, .how = {.feature = feature}};
    cr_feature_rank *own = NULL;
    cr_fit fit;
    cr_status st;

    if (cr_model_is_regression(model) || cr_model_members(model) > 0 || cr_network_nodes(model) > 0)
        return cr__fail(err, CR_EARG, "this model has no table of features and classes");
    if ((st = cr_model_get_facts(model, &v.facts)) != CR_OK)
        return cr__fail(err, st, "%s", cr_status_text(st));
    if ((st = cr__pick_features(&v, &own, err)) == CR_OK) {
        if (cr_model_fit(model, &fit) == CR_OK)
            st = weights_csv(&v, out);
        else
            features_csv(&v, out);
        if (st != CR_OK || (st = cr_output_flush(out)) != CR_OK)
            cr__fail(err, st, "%s", cr_status_text(st));
    }
    cr__free(own);
    return st;
}
