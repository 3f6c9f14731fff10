/* cli/options/decide.c - the decision options --cost, --reject, --priors, and their result. */
#include "options/decide.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"
#include "out/table.h"
#include "out/text.h"
#include "session/session.h"

static const option own[] = {
    {"cost", 'c', OPTION_TEXT, "COSTS",
     "What mistakes cost: 'TRUE->DECIDED=COST, ...' (* stands for every other class), or a CSV "
     "file with a row for each true class and a column for each decision. Default: 1 for every "
     "mistake."},
    {"reject", 0, OPTION_TEXT, "COST",
     "Leave a row undecided (?) where that costs less than the best decision is expected to. "
     "Default: always decide."},
    {"priors", 0, OPTION_TEXT, "CLASS:P,...",
     "Frequencies of the classes among these rows, in place of the model's priors."},
    {0},
};

const option_group decide_options = {"How to decide", own};

/* --- the rule ----------------------------------------------------------------------------- */

static int read_reject(const char *text, cr_rule_options *o)
{
    char *end;

    if (text == NULL)
        return EXIT_DONE;
    o->may_reject = 1;
    errno = 0;
    o->reject_cost = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(o->reject_cost) || o->reject_cost < 0)
        return misuse(NULL, "--reject takes a cost, a number of at least 0, not '%s'", text);
    return EXIT_DONE;
}

/* Mark the position of the error in the costs. */
static int fail_rule(const char *costs, cr_status status, const cr_error *err)
{
    int code = complain(status, err);

    if (costs != NULL && err->column != 0 && err->line == 0 && !out_is_quiet() &&
        strpbrk(costs, "\n\t") == NULL)
        fprintf(stderr, "  %s\n  %*s^\n", costs, (int)err->column - 1, "");
    return code;
}

int read_rule_options(cr_rule_options *out, bool *any, const request *r)
{
    const char *cost = option_text(r, "cost");
    const bool by_text = cost != NULL && strstr(cost, "->") != NULL;
    int code;

    *out = (cr_rule_options){.costs = by_text ? cost : NULL,
                             .cost_file = by_text ? NULL : cost,
                             .priors = option_text(r, "priors")};
    code = read_reject(option_text(r, "reject"), out);
    *any = cost != NULL || out->may_reject || out->priors != NULL;
    return code;
}

int read_rule(cr_rule **out, const request *r, const cr_model *model)
{
    cr_rule_options o;
    cr_error err = {0};
    cr_status status;
    bool any;
    int code = read_rule_options(&o, &any, r);

    *out = NULL;
    if (code != EXIT_DONE || !any)
        return code;
    status = cr_rule_new(out, model, &o, &err);
    return status == CR_OK ? EXIT_DONE : fail_rule(o.costs, status, &err);
}

/* --- for people --------------------------------------------------------------------------- */

static void measure(table *t, const char *name, char *(*picture)(char *, double), double x,
                    const char *meaning)
{
    table_text(t, name);
    table_number(t, picture, x);
    table_text(t, meaning);
}

static void add_expected(table *t, const char *name, char *(*picture)(char *, double), double x,
                         double expected, const char *before)
{
    char number[NUMBER_ROOM], meaning[160];

    snprintf(meaning, sizeof meaning, "%sthe posteriors expect %s", before,
             picture(number, expected));
    measure(t, name, picture, x, meaning);
}

/* "0.95", or with rejection "0.5 and 0.975". */
static const char *limits(char *buffer, size_t size, const cr_threshold *t)
{
    char low[NUMBER_ROOM], high[NUMBER_ROOM];

    if (t->low < t->high)
        snprintf(buffer, size, "%s and %s", number_plain(low, t->low), number_plain(high, t->high));
    else
        snprintf(buffer, size, "%s", number_plain(low, t->decide));
    return buffer;
}

/* The threshold between two classes by the costs, and the best one on these rows. */
static void print_threshold(const cr_rule *rule, const cr_model *model, const cr_evaluation *e)
{
    char by_costs[2 * NUMBER_ROOM + 8], by_rows[2 * NUMBER_ROOM + 8], number[NUMBER_ROOM];
    cr_threshold asked, best;
    char *name;
    double cost;

    if (cr_rule_threshold(rule, &asked) != CR_OK ||
        cr_evaluation_threshold(e, &best, &cost, NULL) != CR_OK)
        return;
    name = text_shown(cr_model_class(model, 1), 0);
    limits(by_costs, sizeof by_costs, &asked);
    if (asked.low < asked.high)
        out_line("By the costs nothing is decided where P(%s) is between %s.", name, by_costs);
    else
        out_line("By the costs %s is decided where P(%s) is above %s.", name, name, by_costs);
    out_line("On these rows %s would have cost least: %s a row.",
             limits(by_rows, sizeof by_rows, &best), number_plain(number, cost));
    free(name);
}

void rule_report(const cr_rule *rule, const cr_model *model, const cr_evaluation *e)
{
    const double reject = cr_rule_cost(rule, 0, CR_UNDECIDED);
    char number[NUMBER_ROOM], other[NUMBER_ROOM], third[NUMBER_ROOM], meaning[200];
    table *t = table_new();
    cr_metrics m;

    cr_evaluation_metrics(e, &m);
    printf("\n%sDecisions%s\n", out_style(STYLE_BOLD), out_style(STYLE_NONE));
    table_column(t, "measure", TABLE_LEFT);
    table_column(t, "value", TABLE_RIGHT);
    table_column(t, "meaning", TABLE_LEFT);
    add_expected(t, "cost", number_plain, m.cost, m.expected_cost, "of a row on average; ");
    add_expected(t, "p(correct)", number_percent, m.accuracy, m.expected_correct, "");
    add_expected(t, "p(mistake)", number_percent, m.mistakes, m.expected_mistakes, "");
    if (isfinite(reject)) {
        snprintf(meaning, sizeof meaning, "%s of %s rows, for %s each",
                 number_plain(number, m.rejected), number_plain(other, m.rows),
                 number_plain(third, reject));
        measure(t, "rejected", number_percent, m.rejected / m.rows, meaning);
        snprintf(meaning, sizeof meaning, "accuracy on the %s that are decided",
                 number_percent(number, m.coverage));
        measure(t, "decided", number_percent, m.decided_accuracy, meaning);
    }
    table_print(t, 0, false);
    table_free(t);
    print_threshold(rule, model, e);
}
