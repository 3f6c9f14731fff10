/* render/answer.c - answers to queries as JSON, one object on a line, and as rows of a table. */
#include <math.h>
#include <string.h>

#include "credence/render.h"
#include "base/buffer.h"
#include "base/csv_field.h"

static const char *const kinds[] = {"",           "probability", "distribution", "argmax",
                                    "number",     "table",       "beliefs",      "states",
                                    "separation", "information"};

/* --- parts ------------------------------------------------------------------------------------ */

static void by_value(cr_json *j, const char *key, const char *const *value, size_t values,
                     const double *number)
{
    cr_json_object(j, key, CR_JSON_LINE);
    for (size_t v = 0; v < values; v++)
        cr_json_number(j, value[v], number[v]);
    cr_json_end(j);
}

static void number_members(cr_json *j, double mean, double deviation, double low, double high)
{
    cr_json_number(j, "mean", mean);
    cr_json_number(j, "deviation", deviation);
    cr_json_number(j, "low", low);
    cr_json_number(j, "high", high);
}

/* How an approximate answer came about. */
static void method_members(cr_json *j, const cr_answer *a)
{
    if (a->method == NULL)
        return;
    cr_json_text(j, "method", a->method);
    cr_json_number(j, "samples", (double)a->samples);
    cr_json_number(j, "effective", a->effective);
    if (a->kind == CR_QUERY_PROBABILITY || a->kind == CR_QUERY_ARGMAX)
        cr_json_number(j, "error", a->error);
}

static void names(cr_json *j, const char *key, const cr_answer *a, int given)
{
    cr_json_array(j, key, CR_JSON_LINE);
    for (size_t i = 0; i < a->variables; i++)
        if (a->about[i].given == given)
            cr_json_text(j, NULL, a->about[i].name);
    cr_json_end(j);
}

/* --- kinds ------------------------------------------------------------------------------------ */

/* The value of variable i in a cell of a table. */
static const char *value_in(const cr_answer *a, size_t i, size_t cell)
{
    for (size_t k = a->variables; --k > i;)
        cell /= a->about[k].values;
    return a->about[i].value[cell % a->about[i].values];
}

static void table_members(cr_json *j, const cr_answer *a)
{
    names(j, "given", a, 1);
    names(j, "variables", a, 0);
    cr_json_array(j, "cells", CR_JSON_LINE);
    for (size_t cell = 0; cell < a->values; cell++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_array(j, "values", CR_JSON_LINE);
        for (size_t i = 0; i < a->variables; i++)
            cr_json_text(j, NULL, value_in(a, i, cell));
        cr_json_end(j);
        cr_json_number(j, "probability", a->p[cell]);
        if (a->errors != NULL)
            cr_json_number(j, "error", a->errors[cell]);
        cr_json_end(j);
    }
    cr_json_end(j);
}

static void belief_json(cr_json *j, const cr_query_variable *v)
{
    cr_json_object(j, NULL, CR_JSON_LINE);
    cr_json_text(j, "variable", v->name);
    cr_json_bool(j, "observed", v->given);
    if (v->values == 0)
        number_members(j, v->mean, v->deviation, v->low, v->high);
    else
        by_value(j, "distribution", v->value, v->values, v->p);
    if (v->errors != NULL)
        by_value(j, "errors", v->value, v->values, v->errors);
    cr_json_end(j);
}

static void state_members(cr_json *j, const cr_answer *a)
{
    cr_json_number(j, "probability", a->probability);
    cr_json_number(j, "log_probability", a->log_probability);
    cr_json_object(j, "states", CR_JSON_LINE);
    for (size_t i = 0; i < a->variables; i++)
        cr_json_text(j, a->about[i].name, a->about[i].value[a->about[i].state]);
    cr_json_end(j);
}

static void information_members(cr_json *j, const cr_answer *a)
{
    cr_json_text(j, "variable", a->variable);
    cr_json_number(j, "entropy", a->entropy);
    cr_json_array(j, "observations", CR_JSON_LINE);
    for (size_t i = 0; i < a->variables; i++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "variable", a->about[i].name);
        cr_json_number(j, "bits", a->about[i].information);
        cr_json_end(j);
    }
    cr_json_end(j);
}

static void distribution_members(cr_json *j, const cr_answer *a)
{
    cr_json_text(j, "variable", a->variable);
    by_value(j, "distribution", a->value, a->values, a->p);
    if (a->errors != NULL)
        by_value(j, "errors", a->value, a->values, a->errors);
}

/* The members before the condition, and those after it. */
static void first_members(cr_json *j, const cr_answer *a)
{
    if (a->kind == CR_QUERY_ARGMAX)
        cr_json_text(j, "value", a->value[a->best]);
    if (a->kind == CR_QUERY_NUMBER) {
        cr_json_text(j, "variable", a->variable);
        number_members(j, a->mean, a->deviation, a->low, a->high);
    } else if (a->kind == CR_QUERY_PROBABILITY || a->kind == CR_QUERY_ARGMAX) {
        cr_json_number(j, "probability", a->probability);
        cr_json_number(j, "log_probability", a->log_probability);
    } else if (a->kind == CR_QUERY_STATES) {
        state_members(j, a);
    } else if (a->kind == CR_QUERY_SEPARATION) {
        cr_json_bool(j, "separated", a->separated);
        names(j, "path", a, 0);
    }
    if (a->kind != CR_QUERY_SEPARATION)
        cr_json_number(j, a->density ? "log_density" : "log_condition", a->log_condition);
}

static void last_members(cr_json *j, const cr_answer *a)
{
    if (a->kind == CR_QUERY_DISTRIBUTION || a->kind == CR_QUERY_ARGMAX)
        distribution_members(j, a);
    if (a->kind == CR_QUERY_TABLE)
        table_members(j, a);
    if (a->kind == CR_QUERY_INFORMATION)
        information_members(j, a);
    if (a->kind != CR_QUERY_BELIEFS)
        return;
    cr_json_array(j, "beliefs", CR_JSON_LINE);
    for (size_t i = 0; i < a->variables; i++)
        belief_json(j, &a->about[i]);
    cr_json_end(j);
}

cr_status cr_answer_json(const char *query, const cr_answer *a, cr_output *out)
{
    cr_json j;

    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    cr_json_text(&j, "query", query);
    cr_json_text(&j, "kind", kinds[a->kind]);
    first_members(&j, a);
    method_members(&j, a);
    last_members(&j, a);
    cr_json_end(&j);
    return cr_output_flush(out);
}

/* --- CSV -------------------------------------------------------------------------------------- */

/* A line: query, subject of the number, the number. */
static void line(cr_output *out, const char *query, const char *what, double number)
{
    const char *const text[2] = {query, what};

    for (int i = 0; i < 2; i++) {
        cr__buffer field = {0};

        cr__csv_field(&field, text[i], strlen(text[i]));
        cr__buffer_addc(&field, ',');
        cr_output_bytes(out, field.data, field.size);
        cr__buffer_free(&field);
    }
    if (!isnan(number))
        cr_output_number(out, number);
    cr_output_text(out, "\n");
}

/* "NAME=VALUE", joined to what is there by a comma. */
static void add_pair(cr__buffer *b, const char *name, const char *value)
{
    cr__buffer_printf(b, "%s%s=%s", b->size > 0 ? ", " : "", name, value);
}

static void pairs_line(cr_output *out, const char *query, cr__buffer *b, double number)
{
    cr__buffer_addc(b, '\0');
    line(out, query, b->failed ? "" : b->data, number);
    b->size = 0;
}

static void table_lines(const char *query, const cr_answer *a, cr__buffer *b, cr_output *out)
{
    for (size_t cell = 0; cell < a->values; cell++) {
        for (size_t i = 0; i < a->variables; i++)
            add_pair(b, a->about[i].name, value_in(a, i, cell));
        pairs_line(out, query, b, a->p[cell]);
    }
}

static void number_lines(const char *query, const char *prefix, const double *number, cr__buffer *b,
                         cr_output *out)
{
    static const char *const names[] = {"mean", "deviation", "low", "high"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cr__buffer_printf(b, "%s%s%s", prefix, prefix[0] == '\0' ? "" : " ", names[i]);
        pairs_line(out, query, b, number[i]);
    }
}

static void belief_lines(const char *query, const cr_query_variable *v, cr__buffer *b,
                         cr_output *out)
{
    const double number[] = {v->mean, v->deviation, v->low, v->high};

    if (v->values == 0)
        number_lines(query, v->name, number, b, out);
    for (size_t i = 0; i < v->values; i++) {
        add_pair(b, v->name, v->value[i]);
        pairs_line(out, query, b, v->p[i]);
    }
}

static void about_lines(const char *query, const cr_answer *a, cr__buffer *b, cr_output *out)
{
    if (a->kind == CR_QUERY_SEPARATION)
        line(out, query, a->separated ? "separated" : "connected", a->separated);
    for (size_t i = 0; i < a->variables; i++) {
        const cr_query_variable *v = &a->about[i];

        if (a->kind == CR_QUERY_BELIEFS)
            belief_lines(query, v, b, out);
        else if (a->kind == CR_QUERY_INFORMATION)
            line(out, query, v->name, v->information);
        else if (a->kind == CR_QUERY_STATES)
            add_pair(b, v->name, v->value[v->state]);
    }
    if (a->kind == CR_QUERY_STATES)
        pairs_line(out, query, b, a->probability);
}

cr_status cr_answer_csv(const char *query, const cr_answer *a, cr_output *out)
{
    const double number[] = {a->mean, a->deviation, a->low, a->high};
    cr__buffer b = {0};
    int failed;

    if (a->kind == CR_QUERY_PROBABILITY)
        line(out, query, "", a->probability);
    else if (a->kind == CR_QUERY_ARGMAX)
        line(out, query, a->value[a->best], a->probability);
    else if (a->kind == CR_QUERY_NUMBER)
        number_lines(query, "", number, &b, out);
    else if (a->kind == CR_QUERY_TABLE)
        table_lines(query, a, &b, out);
    else
        about_lines(query, a, &b, out);
    for (size_t v = 0; a->kind == CR_QUERY_DISTRIBUTION && v < a->values; v++)
        line(out, query, a->value[v], a->p[v]);
    failed = b.failed;
    cr__buffer_free(&b);
    return failed ? CR_ENOMEM : cr_output_flush(out);
}
