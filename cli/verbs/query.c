/* cli/verbs/query.c - credence query: probabilities of expressions, from a model. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "credence/credence.h"
#include "network/network.h"
#include "out/out.h"
#include "out/hints.h"
#include "out/json.h"
#include "out/table.h"
#include "out/text.h"
#include "session/reserve.h"
#include "session/session.h"
#include "verbs/verbs.h"

/* --- answers for people ------------------------------------------------------------------- */

/* Four decimals, or four digits if the number is smaller. */
static const char *probability(char *buffer, double p, double log_p)
{
    return p < 5e-5 ? number_power(buffer, log_p) : number_probability(buffer, p);
}

/* Whether an approximate answer states its error. */
static bool states_error(const cr_answer *a)
{
    const double *errors =
        a->kind == CR_QUERY_BELIEFS && a->variables > 0 ? a->about[0].errors : a->errors;

    return !isnan(errors != NULL ? errors[0] : a->error);
}

/* How an approximate answer was computed. */
static void print_method(const cr_answer *a)
{
    char samples[NUMBER_ROOM], effective[NUMBER_ROOM];

    if (a->method == NULL)
        return;
    number_plain(samples, (double)a->samples);
    if (isnan(a->effective))
        printf("  (%s, %s rounds; there is no bound of its error)\n", a->method, samples);
    else
        printf("  (%s, %s samples, worth %s independent ones%s)\n", a->method, samples,
               number_plain(effective, rint(a->effective)),
               states_error(a) ? "" : "; they may have missed what matters: the error is unknown");
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
            table_text(t, answer_error(error, a->errors[v]));
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
    if (a->kind >= CR_QUERY_TABLE) {
        printf("%s", shown);
        answer_print(a);
    } else if (a->kind == CR_QUERY_NUMBER) {
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
            answer_error(error, a->error);
        printf("%s = %s%s%s%s%s\n", shown, out_style(STYLE_BOLD), number, out_style(STYLE_NONE),
               error[0] != '\0' ? " " : "", error);
    }
    print_method(a);
    free(shown);
}

/* --- the verb ----------------------------------------------------------------------------- */

/* The message, the query with a mark under the wrong character, and the hint. */
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

static int answer_query(const request *r, cr_query_session *session, const char *query)
{
    cr_answer *answer;
    cr_error err = {0};
    const cr_status status = cr_query_session_run(session, query, &answer, &err);
    cr_output *out;

    if (status != CR_OK)
        return complain_about(query, status, &err);
    if (!r->json && !r->csv) {
        print_answer(query, answer);
    } else {
        out = output_to(stdout);
        if (r->json)
            cr_answer_json(query, answer, out);
        else
            cr_answer_csv(query, answer, out);
        output_end(out);
    }
    cr_answer_free(answer);
    return EXIT_DONE;
}

/* A model, and the session of its queries. */
typedef struct asked {
    cr_model *model;
    cr_query_session *session;
} asked;

/* A query; or with --all or --mpe a condition, which may be NULL. */
static int ask(const request *r, const asked *m, const char *query)
{
    char *whole;
    int code;

    if (option_given(r, "mpe"))
        return network_best(r, m->model, query);
    if (!option_given(r, "all"))
        return answer_query(r, m->session, query);
    whole = reserve(strlen(query == NULL ? "" : query) + 16, 1);
    sprintf(whole, query == NULL ? "P(*%s)" : "P(* | %s)", query == NULL ? "" : query);
    code = answer_query(r, m->session, whole);
    free(whole);
    return code;
}

/* One query per line; empty lines and lines that begin with # are skipped. */
static int ask_lines(const request *r, const asked *m)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    size_t queries = 0;
    int code = EXIT_DONE;

    if (isatty(STDIN_FILENO))
        note("one query a line, such as P(variable = value); Ctrl-D ends");
    while ((length = getline(&line, &room, stdin)) > 0) {
        int one;

        while (length > 0 && strchr(" \t\r\n", line[length - 1]) != NULL)
            line[--length] = '\0';
        if (length == 0 || line[0] == '#')
            continue;
        one = ask(r, m, line);
        code = code == EXIT_DONE ? one : code;
        fflush(stdout);
        queries++;
    }
    free(line);
    if (queries == 0)
        note("no question was asked: credence query %s 'P(variable = value)', or one a line",
             r->operands[0]);
    return code;
}

static int ask_all(const request *r, const asked *m)
{
    int code = EXIT_DONE;

    if (r->csv && !r->json && !option_given(r, "mpe"))
        puts("query,value,probability");
    if (r->operand_count == 1 && (option_given(r, "mpe") || option_given(r, "all")))
        code = ask(r, m, NULL);
    else if (r->operand_count == 1)
        code = ask_lines(r, m);
    for (size_t i = 1; i < r->operand_count; i++) {
        int one = ask(r, m, r->operands[i]);

        code = code == EXIT_DONE ? one : code;
    }
    return code;
}

static int run(request *r)
{
    asked m = {0};
    cr_error err = {0};
    cr_status st;
    int code = open_model(&m.model, r, 0);

    if (code != EXIT_DONE)
        return code;
    code = network_settings(r, m.model);
    if (code == EXIT_DONE && (st = cr_query_session_new(&m.session, m.model, &err)) != CR_OK)
        code = complain(st, &err);
    if (code == EXIT_DONE)
        code = ask_all(r, &m);
    cr_query_session_free(m.session);
    cr_model_free(m.model);
    return code;
}

static const char *const about[] = {
    "Asks a joint table, a naive Bayes model, a discriminant analysis or a Bayesian network for "
    "probabilities. Columns that a query does not mention are summed out, exactly. Without a query "
    "on the command line they are read from standard input, one a line.",
    "P(EXPRESSION) and P(EXPRESSION | CONDITION) give a number, P(VARIABLE | CONDITION) the "
    "distribution of a column, P(A, B | C) a table: of A and B jointly, for each value of C. P(* | "
    "CONDITION) gives the beliefs about all variables. argmax(VARIABLE | CONDITION) is the most "
    "probable value, argmax(A, B | CONDITION) the values that are most probable together. "
    "Expressions are comparisons (= != < <= > >=, in {A, B}) joined by not, and, or, parentheses, "
    "and commas, which mean and. A value may stand alone where only one column has it; names and "
    "values with blanks or signs in them stand in quotes.",
    "E(VARIABLE | CONDITION) and P(VARIABLE | CONDITION) of a number in a network give its mean, "
    "its standard deviation and where it lies with probability 0.95.",
    "inform(VARIABLE | CONDITION) lists what each other variable is expected to tell about one, in "
    "bits: what to observe next. In a network, do(VARIABLE=VALUE) in a condition is an "
    "intervention, and dsep(A, B | C) says whether C separates A from B, or shows a path.",
    "In naive Bayes and networks numbers are compared by the Gaussian's distribution function. A "
    "condition VARIABLE=NUMBER on a column of numbers is an observation, and counts with its "
    "density.",
    "MODEL may also be a file of a Bayesian network. It is asked exactly unless --method says "
    "otherwise; a question that would take more than --memory is refused with the numbers. "
    "Approximate answers come with their standard error; loopy has none.",
    "--json gives one object a line: query, kind, probability and log_probability (natural), "
    "log_condition (log_density when a number was observed), variable, value, distribution{}; of a "
    "number mean, deviation, low and high; of a table given[], variables[] and cells[] (values[], "
    "probability); beliefs[] (variable, observed, distribution{}); states{}; entropy and "
    "observations[] "
    "(variable, bits); separated and path[]. --csv gives query,value,probability, one a line, with "
    "VARIABLE=VALUE where there are several variables.",
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
    {"credence query alarm.net 'P(B, E | J=j)' 'inform(B | J=j)'",
     "Two variables jointly, and what else would tell about one of them."},
    {"credence query --all alarm.net 'J=j'", "All beliefs given a finding."},
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
