/* cli/verbs/query.c - credence query: probabilities of expressions, from a model. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "credence/credence.h"
#include "network/network.h"
#include "out/out.h"
#include "out/csv.h"
#include "out/hints.h"
#include "out/json.h"
#include "out/table.h"
#include "out/text.h"
#include "session/session.h"
#include "verbs/verbs.h"

/* --- answers for people ------------------------------------------------------------------- */

/* Four decimals, or four digits of what is smaller, however small. */
static const char *probability(char *buffer, double p, double log_p)
{
    return p < 5e-5 ? number_power(buffer, log_p) : number_probability(buffer, p);
}

/* "+- 0.0012"; nothing where it is not known. */
static const char *error_text(char *buffer, double error)
{
    if (isnan(error))
        return "";
    snprintf(buffer, NUMBER_ROOM, "±%.2g", error);
    return buffer;
}

/* How an approximate answer came about. */
static void print_method(const cr_answer *a)
{
    char samples[NUMBER_ROOM], effective[NUMBER_ROOM];

    if (a->method == NULL)
        return;
    number_plain(samples, (double)a->samples);
    if (isnan(a->effective))
        printf("  (%s, %s rounds)\n", a->method, samples);
    else
        printf("  (%s, %s samples, worth %s independent ones)\n", a->method, samples,
               number_plain(effective, rint(a->effective)));
}

static void print_distribution(const cr_answer *a)
{
    table *t = table_new();
    char number[NUMBER_ROOM], error[NUMBER_ROOM];

    table_column(t, a->variable, TABLE_LEFT);
    table_column(t, "P", TABLE_RIGHT);
    if (a->errors != NULL)
        table_column(t, "error", TABLE_LEFT);
    table_column(t, "", TABLE_BAR);
    for (size_t v = 0; v < a->values; v++) {
        table_text(t, a->value[v]);
        table_text(t, probability(number, a->p[v], a->log_p[v]));
        if (a->errors != NULL)
            table_text(t, error_text(error, a->errors[v]));
        table_bar(t, a->p[v]);
    }
    table_print(t, 2, false);
    table_free(t);
}

/* "= 3.2 ± 0.5, 95 % in 2.2 .. 4.2" */
static void print_number(const char *shown, const cr_answer *a)
{
    char mean[NUMBER_ROOM], deviation[NUMBER_ROOM], low[NUMBER_ROOM], high[NUMBER_ROOM];

    printf("%s = %s%s%s ± %s  (95 %% in %s .. %s)\n", shown, out_style(STYLE_BOLD),
           number_plain(mean, a->mean), out_style(STYLE_NONE),
           number_plain(deviation, a->deviation), number_plain(low, a->low),
           number_plain(high, a->high));
}

static void print_answer(const char *query, const cr_answer *a)
{
    char *shown = text_shown(query, 0), number[NUMBER_ROOM];

    probability(number, a->probability, a->log_probability);
    if (a->kind == CR_QUERY_NUMBER) {
        print_number(shown, a);
    } else if (a->kind == CR_QUERY_DISTRIBUTION) {
        printf("%s\n", shown);
        print_distribution(a);
    } else if (a->kind == CR_QUERY_ARGMAX) {
        char *value = text_shown(a->value[a->best], 0);

        printf("%s = %s%s%s  (%s)\n", shown, out_style(STYLE_BOLD), value, out_style(STYLE_NONE),
               number);
        free(value);
    } else {
        char error[NUMBER_ROOM] = "";

        if (a->method != NULL)
            error_text(error, a->error);
        printf("%s = %s%s%s%s%s\n", shown, out_style(STYLE_BOLD), number, out_style(STYLE_NONE),
               error[0] != '\0' ? " " : "", error);
    }
    print_method(a);
    free(shown);
}

/* --- answers for programs ----------------------------------------------------------------- */

static void print_json(const char *query, const cr_answer *a)
{
    static const char *const kinds[] = {"", "probability", "distribution", "argmax", "number"};
    json j;

    json_start(&j, stdout);
    json_object(&j, NULL, JSON_LINE);
    json_text(&j, "query", query);
    json_text(&j, "kind", kinds[a->kind]);
    if (a->kind == CR_QUERY_ARGMAX)
        json_text(&j, "value", a->value[a->best]);
    if (a->kind == CR_QUERY_NUMBER) {
        json_text(&j, "variable", a->variable);
        json_number(&j, "mean", a->mean);
        json_number(&j, "deviation", a->deviation);
        json_number(&j, "low", a->low);
        json_number(&j, "high", a->high);
    } else if (a->kind != CR_QUERY_DISTRIBUTION) {
        json_number(&j, "probability", a->probability);
        json_number(&j, "log_probability", a->log_probability);
    }
    json_number(&j, a->density ? "log_density" : "log_condition", a->log_condition);
    if (a->method != NULL) {
        json_text(&j, "method", a->method);
        json_number(&j, "samples", (double)a->samples);
        json_number(&j, "effective", a->effective);
        if (a->kind != CR_QUERY_DISTRIBUTION)
            json_number(&j, "error", a->error);
    }
    if (a->variable != NULL && a->kind != CR_QUERY_NUMBER) {
        json_text(&j, "variable", a->variable);
        json_object(&j, "distribution", JSON_LINE);
        for (size_t v = 0; v < a->values; v++)
            json_number(&j, a->value[v], a->p[v]);
        json_end(&j);
    }
    if (a->variable != NULL && a->errors != NULL) {
        json_object(&j, "errors", JSON_LINE);
        for (size_t v = 0; v < a->values; v++)
            json_number(&j, a->value[v], a->errors[v]);
        json_end(&j);
    }
    json_end(&j);
}

static void print_csv(const char *query, const cr_answer *a)
{
    const char *const names[] = {"mean", "deviation", "low", "high"};
    const double numbers[] = {a->mean, a->deviation, a->low, a->high};
    const bool one = a->kind != CR_QUERY_DISTRIBUTION;
    char number[NUMBER_ROOM];

    for (size_t i = 0; a->kind == CR_QUERY_NUMBER && i < sizeof names / sizeof *names; i++) {
        csv_field(stdout, query);
        printf(",%s,%s\n", names[i], number_exact(number, numbers[i]));
    }
    if (a->kind == CR_QUERY_NUMBER)
        return;

    for (size_t v = one ? a->best : 0; v < (one ? a->best + 1 : a->values); v++) {
        csv_field(stdout, query);
        putchar(',');
        if (a->variable != NULL)
            csv_field(stdout, a->value[v]);
        printf(",%s\n", number_exact(number, one ? a->probability : a->p[v]));
    }
}

/* --- the verb ----------------------------------------------------------------------------- */

/* The message, the query with a mark under the character, the hint. */
static int complain_about(const char *query, cr_status status, const cr_error *err)
{
    cr_error message = *err;
    char *shown = text_shown(query, 0);
    const char *at = shown;
    int code;

    message.hint[0] = '\0';
    code = complain(status, &message);
    if (err->column != 0) {
        char *before;

        for (size_t i = 1; i < err->column && *at != '\0'; i++)
            text_next(&at);
        before = strndup(shown, (size_t)(at - shown));
        fprintf(stderr, "  %s\n  %*s^\n", shown, before == NULL ? 0 : (int)text_width(before), "");
        free(before);
    }
    if (err->hint[0] != '\0') {
        char text[1024], *hint;

        hint = text_shown(cr_error_hint(err, hint_option, NULL, text, sizeof text), 0);

        fprintf(stderr, "  hint: %s\n", hint);
        free(hint);
    }
    free(shown);
    return code;
}

static int ask(const request *r, const cr_model *model, const char *query)
{
    cr_answer *answer;
    cr_error err = {0};
    cr_status status;

    if (option_given(r, "mpe"))
        return network_best(r, model, query);
    status = cr_query_run(model, query, &answer, &err);

    if (status != CR_OK)
        return complain_about(query, status, &err);
    if (r->json)
        print_json(query, answer);
    else if (r->csv)
        print_csv(query, answer);
    else
        print_answer(query, answer);
    cr_answer_free(answer);
    return EXIT_DONE;
}

/* One query a line; empty lines and lines that begin with # are passed over. */
static int ask_lines(const request *r, const cr_model *model)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    int code = EXIT_DONE;

    if (isatty(STDIN_FILENO))
        note("one query a line, such as P(variable = value); Ctrl-D ends");
    while ((length = getline(&line, &room, stdin)) > 0) {
        int one;

        while (length > 0 && strchr(" \t\r\n", line[length - 1]) != NULL)
            line[--length] = '\0';
        if (length == 0 || line[0] == '#')
            continue;
        one = ask(r, model, line);
        code = code == EXIT_DONE ? one : code;
        fflush(stdout);
    }
    free(line);
    return code;
}

static int run(request *r)
{
    cr_model *model = NULL;
    int code = open_model(&model, r, 0);

    if (code == EXIT_DONE && (code = network_settings(r, model)) != EXIT_DONE)
        cr_model_free(model);
    if (code != EXIT_DONE)
        return code;
    if (r->csv && !r->json && !option_given(r, "mpe"))
        puts("query,value,probability");
    if (r->operand_count == 1 && option_given(r, "mpe"))
        code = network_best(r, model, NULL);
    else if (r->operand_count == 1)
        code = ask_lines(r, model);
    for (size_t i = 1; i < r->operand_count; i++) {
        int one = ask(r, model, r->operands[i]);

        code = code == EXIT_DONE ? one : code;
    }
    cr_model_free(model);
    return code;
}

static const char *const about[] = {
    "Asks a joint table, a naive Bayes model or a Bayesian network for probabilities. Columns that "
    "a query does not mention are summed out, exactly. Without a query on the command line they "
    "are read from standard input, one a line.",
    "P(EXPRESSION) and P(EXPRESSION | CONDITION) give a number, P(VARIABLE | CONDITION) the whole "
    "distribution of a column, argmax(VARIABLE | CONDITION) its most probable value. Expressions "
    "are comparisons (= != < <= > >=, in {A, B}) joined by not, and, or, parentheses, and commas, "
    "which mean and. A value may stand alone where only one column has it; names and values with "
    "blanks or signs in them stand in quotes.",
    "E(VARIABLE | CONDITION) and P(VARIABLE | CONDITION) of a number in a network give its mean, "
    "its standard deviation and where it lies with probability 0.95.",
    "In naive Bayes and networks numbers are compared by the Gaussian's distribution function. A "
    "condition VARIABLE=NUMBER on a column of numbers is an observation, and counts with its "
    "density.",
    "MODEL may also be a file of a Bayesian network. It is asked exactly unless --method says "
    "otherwise; a question that would take more than --memory is refused with the numbers. "
    "Approximate answers come with their standard error.",
    "--json gives one object a line: query, kind, probability and log_probability (natural), "
    "log_condition (log_density when a number was observed), variable, value, distribution{}; of a "
    "number mean, deviation, low and high. --csv gives query,value,probability, of a number these "
    "four, one a line.",
    NULL,
};

static const option_group *const groups[] = {&network_options, NULL};

static const example examples[] = {
    {"credence query census.model 'P(rich | female, hours<=40.5)'", "A conditional probability."},
    {"credence query census.model 'P(wealth | male)' 'argmax(wealth | male)'",
     "A distribution, and its most probable value."},
    {"credence query iris.model 'P(species | petal_length=4.9, petal_width>1.6)'",
     "A posterior from part of the measurements, one of them only a bound."},
    {"credence query alarm.net 'P(B=b | J=j, M=m)' --method weighting",
     "A Bayesian network, asked approximately."},
    {"credence query garden.net 'E(growth | light=42, rain=much)'",
     "A number of a network, given another one."},
    {"credence query --json iris.model < questions.txt", "Many questions, for a program."},
    {0},
};

const verb verb_query = {
    .name = "query",
    .operands = "MODEL [QUERY...]",
    .least = 1,
    .most = SIZE_MAX,
    .summary = "ask a model for probabilities of expressions",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "convert show explain",
    .run = run,
};
