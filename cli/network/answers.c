/* cli/network/answers.c - answers about several variables, for people. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "network/network.h"
#include "out/out.h"
#include "out/table.h"
#include "out/text.h"

const char *answer_error(char *buffer, double error)
{
    if (isnan(error))
        return "";
    snprintf(buffer, NUMBER_ROOM, "±%.2g", error);
    return buffer;
}

static const char *probability(char *buffer, double p, double log_p)
{
    if (isnan(p))
        return "-";
    return p < 5e-5 ? number_power(buffer, log_p) : number_probability(buffer, p);
}

/* A row for each combination: its values, P, a bar. Given variables come first. */
static void print_table(const cr_answer *a)
{
    char number[NUMBER_ROOM], error[NUMBER_ROOM];
    table *t = table_new();

    for (size_t i = 0; i < a->variables; i++)
        table_column(t, a->about[i].name, TABLE_LEFT);
    table_column(t, "P", TABLE_RIGHT);
    if (a->errors != NULL)
        table_column(t, "error", TABLE_LEFT);
    table_column(t, "", TABLE_BAR);
    for (size_t cell = 0; cell < a->values; cell++) {
        size_t stride = a->values;

        for (size_t i = 0; i < a->variables; i++) {
            stride /= a->about[i].values;
            table_text(t, a->about[i].value[cell / stride % a->about[i].values]);
        }
        table_text(t, probability(number, a->p[cell], a->log_p[cell]));
        if (a->errors != NULL)
            table_text(t, answer_error(error, a->errors[cell]));
        table_bar(t, isnan(a->p[cell]) ? 0 : a->p[cell]);
    }
    puts("");
    table_print(t, 2, true);
    table_free(t);
}

static void number_cells(table *t, const cr_query_variable *v, bool errors)
{
    char mean[NUMBER_ROOM], spread[NUMBER_ROOM], text[2 * NUMBER_ROOM + 8];

    number_plain(mean, v->mean);
    number_plain(spread, v->deviation);
    snprintf(text, sizeof text, isnan(v->mean) ? "a number" : "%s ± %s", mean, spread);
    table_text(t, text);
    table_text(t, "");
    if (errors)
        table_text(t, "");
    table_bar(t, 0);
}

/* All variables, a row for each value. */
static void print_beliefs(const cr_answer *a)
{
    char number[NUMBER_ROOM], error[NUMBER_ROOM];
    table *t = table_new();

    table_column(t, "variable", TABLE_WHOLE);
    table_column(t, "value", TABLE_LEFT);
    table_column(t, "P", TABLE_RIGHT);
    if (a->method != NULL)
        table_column(t, "error", TABLE_LEFT);
    table_column(t, "", TABLE_BAR);
    for (size_t i = 0; i < a->variables; i++) {
        const cr_query_variable *v = &a->about[i];

        if (v->values == 0) {
            table_text(t, v->name);
            number_cells(t, v, a->method != NULL);
        }
        for (size_t k = 0; k < v->values; k++) {
            table_text(t, k == 0 ? v->name : "");
            table_text(t, v->value[k]);
            table_text(t, probability(number, v->p[k], log(v->p[k])));
            if (a->method != NULL)
                table_text(t, answer_error(error, v->errors[k]));
            table_bar(t, v->p[k]);
        }
    }
    puts("");
    table_print(t, 2, false);
    table_free(t);
}

static void print_states(const cr_answer *a)
{
    char number[NUMBER_ROOM];

    printf(" = ");
    for (size_t i = 0; i < a->variables; i++) {
        char *value = text_shown(a->about[i].value[a->about[i].state], 0);
        char *name = text_shown(a->about[i].name, 0);

        printf("%s%s=%s%s%s", i > 0 ? ", " : "", name, out_style(STYLE_BOLD), value,
               out_style(STYLE_NONE));
        free(value);
        free(name);
    }
    printf("  (%s)\n", probability(number, a->probability, a->log_probability));
}

static void print_information(const cr_answer *a)
{
    char bits[NUMBER_ROOM];
    table *t = table_new();

    printf(": the entropy of %s is %s bits\n", a->variable, number_plain(bits, a->entropy));
    table_column(t, "variable", TABLE_WHOLE);
    table_column(t, "bits", TABLE_RIGHT);
    table_column(t, "", TABLE_BAR);
    for (size_t i = 0; i < a->variables; i++) {
        table_text(t, a->about[i].name);
        table_text(t, number_probability(bits, a->about[i].information));
        table_bar(t, a->entropy > 0 ? fmin(a->about[i].information / a->entropy, 1) : 0);
    }
    table_print(t, 2, true);
    table_free(t);
}

static void print_separation(const cr_answer *a)
{
    printf(": %s%s%s", out_style(STYLE_BOLD), a->separated ? "separated" : "connected",
           out_style(STYLE_NONE));
    for (size_t i = 0; i < a->variables; i++)
        printf("%s%s", i == 0 ? ", by way of " : " - ", a->about[i].name);
    puts("");
}

void answer_print(const cr_answer *a)
{
    switch (a->kind) {
    case CR_QUERY_TABLE: print_table(a); break;
    case CR_QUERY_BELIEFS: print_beliefs(a); break;
    case CR_QUERY_STATES: print_states(a); break;
    case CR_QUERY_INFORMATION: print_information(a); break;
    case CR_QUERY_SEPARATION: print_separation(a); break;
    default: break;
    }
}
