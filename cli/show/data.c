/* cli/show/data.c - a model laid open for programs: complete, as JSON or CSV. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/describe.h"
#include "out/csv.h"
#include "out/json.h"
#include "out/text.h"
#include "session/reserve.h"
#include "show/show.h"
#include "show/tried.h"
#include "show/weights.h"

/* --- JSON --------------------------------------------------------------------------------- */

static void facts_json(json *j, const cr_model *model)
{
    cr_model_facts facts;

    cr_model_get_facts(model, &facts);
    json_number(j, "rows", (double)facts.rows);
    json_number(j, "weight", facts.weight);
    json_number(j, "parameters", facts.parameters);
    json_number(j, "joint_parameters", facts.joint_parameters);
    json_number(j, "joint_log10", facts.joint_log10);
    if (facts.cells > 0) {
        json_number(j, "cells", facts.cells);
        json_number(j, "incomplete", facts.incomplete);
    }
    json_number(j, "format", (double)facts.format);
    json_text(j, "version", facts.version);
    json_text(j, "fingerprint", facts.fingerprint);
}

static void value_json(json *j, const cr_model *model, size_t column, size_t value)
{
    json_object(j, NULL, JSON_LINE);
    json_text(j, "value", cr_model_value(model, column, value));
    json_array(j, "count", JSON_LINE);
    for (size_t c = 0; c < cr_model_classes(model); c++)
        json_number(j, NULL, cr_model_count(model, column, value, c));
    json_end(j);
    json_array(j, "probability", JSON_LINE);
    for (size_t c = 0; c < cr_model_classes(model); c++)
        json_number(j, NULL, cr_model_probability(model, column, value, c));
    json_end(j);
    json_end(j);
}

static void gaussian_json(json *j, const cr_model *model, size_t column, size_t class_index)
{
    cr_gaussian g;

    if (cr_model_gaussian(model, column, class_index, &g) != CR_OK)
        return;
    json_object(j, NULL, JSON_LINE);
    json_text(j, "class", cr_model_class(model, class_index));
    json_number(j, "count", g.count);
    json_number(j, "mean", g.mean);
    json_number(j, "variance_mle", g.variance_mle);
    json_number(j, "variance_unbiased", g.variance_unbiased);
    json_number(j, "fitted_mean", g.fitted_mean);
    json_number(j, "fitted_variance", g.fitted_variance);
    json_number(j, "freedom", g.freedom);
    json_end(j);
}

static void word_name(json *j, const cr_word *w)
{
    char *text = memcpy(reserve(w->length + 1, 1), w->bytes, w->length);

    json_text(j, "word", text);
    free(text);
}

/* The words that speak most for a class. */
static void telling_json(json *j, const cr_model *model, size_t column, size_t c, size_t top)
{
    size_t room = top != 0 ? top : cr_model_words(model, column);
    size_t *words = reserve(room, sizeof *words);
    size_t count = cr_model_informative_words(model, column, c, words, room);
    cr_word w;

    json_array(j, cr_model_class(model, c), JSON_BLOCK);
    for (size_t i = 0; i < count; i++)
        if (cr_model_word(model, column, words[i], c, &w) == CR_OK) {
            json_object(j, NULL, JSON_LINE);
            word_name(j, &w);
            json_number(j, "log_odds", show_word_odds(model, column, words[i], c));
            json_number(j, "terms", w.terms);
            json_number(j, "documents", w.documents);
            json_end(j);
        }
    json_end(j);
    free(words);
}

/* A word that selection leaves out has no log_share. */
static void word_json(json *j, const cr_model *model, size_t column, size_t word)
{
    static const char *const key[] = {"terms", "documents", "log_share"};
    cr_word w;

    json_object(j, NULL, JSON_LINE);
    for (int k = 0; k < 3; k++) {
        for (size_t c = 0; c < cr_model_classes(model); c++) {
            if (cr_model_word(model, column, word, c, &w) != CR_OK)
                continue;
            if (k == 0 && c == 0)
                word_name(j, &w);
            if (c == 0)
                json_array(j, key[k], JSON_LINE);
            json_number(j, NULL, k == 0 ? w.terms : k == 1 ? w.documents : w.log_share);
        }
        json_end(j);
    }
    json_end(j);
}

/* The numbers of a value stand in the order of classes[]. */
static void feature_json(json *j, const cr_model *model, const telling *feature, size_t top)
{
    const cr_schema *schema = cr_model_schema(model);
    size_t column = feature->column;

    json_object(j, NULL, JSON_BLOCK);
    json_text(j, "name", cr_schema_name(schema, column));
    json_text(j, "kind", describe_kind(model, column));
    json_text(j, "why", cr_why_text(cr_schema_why(schema, column)));
    json_number(j, "bits", feature->bits);
    if (cr_schema_kind(schema, column) == CR_REAL && !describe_is_symbol(model, column)) {
        json_array(j, "gaussian", JSON_BLOCK);
        for (size_t c = 0; c < cr_model_classes(model); c++)
            gaussian_json(j, model, column, c);
    } else if (cr_schema_kind(schema, column) == CR_BAG) {
        json_object(j, "telling", JSON_BLOCK);
        for (size_t c = 0; c < cr_model_classes(model); c++)
            telling_json(j, model, column, c, top);
        json_end(j);
        json_array(j, "words", JSON_BLOCK);
        for (size_t w = 0; w < cr_model_words(model, column); w++)
            word_json(j, model, column, w);
    } else {
        json_array(j, "values", JSON_BLOCK);
        for (size_t v = 0; v < cr_model_values(model, column); v++)
            value_json(j, model, column, v);
    }
    json_end(j);
    json_end(j);
}

void show_json(const exhibit *x)
{
    const cr_model *model = x->model;
    json j;

    json_start(&j, stdout);
    json_object(&j, NULL, JSON_BLOCK);
    json_text(&j, "model", x->path);
    json_text(&j, "learner", cr_model_learner(model));
    json_text(&j, "target", cr_schema_name(cr_model_schema(model), cr_model_target(model)));
    json_text(&j, "missing", cr_model_missing(model));
    facts_json(&j, model);
    if (x->evidence)
        json_number(&j, "log_evidence", x->log_evidence);
    describe_knobs_json(&j, model);
    describe_classes_json(&j, model);
    tried_json(&j, model);
    fit_json(&j, model);
    weights_json(&j, x);
    show_picture_json(&j, model);
    json_array(&j, "features", JSON_BLOCK);
    for (size_t i = 0; i < x->feature_count; i++)
        feature_json(&j, model, &x->features[i], x->top);
    json_end(&j);
    json_end(&j);
}

/* --- CSV ---------------------------------------------------------------------------------- */

static void csv_number(double x)
{
    char number[NUMBER_ROOM];

    putchar(',');
    if (isfinite(x))
        fputs(number_exact(number, x), stdout);
}

static void csv_head(const cr_model *model, const telling *feature, const char *value, size_t c)
{
    csv_field(stdout, cr_schema_name(cr_model_schema(model), feature->column));
    csv_number(feature->bits);
    putchar(',');
    csv_field(stdout, value);
    putchar(',');
    csv_field(stdout, cr_model_class(model, c));
}

static void csv_words(const cr_model *model, const telling *f)
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
        const telling *f = &x->features[i];

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
