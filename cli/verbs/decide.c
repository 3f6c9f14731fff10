/* cli/verbs/decide.c - credence decide: the best strategy of an influence diagram. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "credence/diagram.h"
#include "credence/render.h"
#include "out/json.h"
#include "out/out.h"
#include "out/table.h"
#include "out/text.h"
#include "session/session.h"
#include "verbs/verbs.h"

/* Situations that can occur, the best option in each, and the value of each option. */
static table *policy_table(const cr_diagram *d, const cr_policy *p)
{
    table *t = table_new();

    for (size_t k = 0; k < p->knowns; k++)
        table_column(t, cr_diagram_name(d, p->known[k]), TABLE_LEFT);
    table_column(t, cr_diagram_name(d, p->decision), TABLE_WHOLE);
    table_column(t, "P", TABLE_RIGHT);
    for (size_t o = 0; o < p->options; o++)
        table_column(t, cr_diagram_state(d, p->decision, o), TABLE_RIGHT);
    for (size_t row = 0; row < p->rows; row++) {
        const double *utility = p->utility + row * p->options;
        size_t stride = p->rows;

        if (isnan(utility[p->best[row]]))
            continue;
        for (size_t k = 0; k < p->knowns; k++) {
            const size_t states = cr_diagram_states(d, p->known[k]);

            stride /= states;
            table_text(t, cr_diagram_state(d, p->known[k], row / stride % states));
        }
        table_text(t, cr_diagram_state(d, p->decision, p->best[row]));
        table_number(t, number_probability, p->probability[row]);
        for (size_t o = 0; o < p->options; o++)
            table_number(t, number_plain, utility[o]);
    }
    return t;
}

static void print_policy(const cr_diagram *d, const cr_policy *p, size_t number)
{
    char *shown = text_shown(cr_diagram_name(d, p->decision), 0);
    table *t = policy_table(d, p);

    printf("\n%zu. %s%s%s%s\n", number, out_style(STYLE_BOLD), shown, out_style(STYLE_NONE),
           p->knowns == 0 ? ", whatever is known" : "");
    table_print(t, 2, true);
    table_free(t);
    free(shown);
}

static void print_information(const cr_diagram *d, const cr_information *list, size_t count)
{
    table *t = table_new();

    table_column(t, "known", TABLE_WHOLE);
    table_column(t, "before", TABLE_WHOLE);
    table_column(t, "is worth", TABLE_RIGHT);
    table_column(t, "", TABLE_BAR);
    for (size_t i = 0; i < count; i++) {
        table_text(t, cr_diagram_name(d, list[i].variable));
        table_text(t, cr_diagram_name(d, list[i].decision));
        table_number(t, number_plain, list[i].value);
        table_bar(t, list[0].value > 0 ? list[i].value / list[0].value : 0);
    }
    puts(count > 0 ? "" : "\nNothing more can be known before a decision.");
    if (count > 0)
        table_print(t, 2, true);
    table_free(t);
}

static void print_csv(const cr_diagram *d, const cr_strategy *s)
{
    for (size_t i = 0; i < s->policies; i++) {
        table *t = policy_table(d, &s->policy[i]);

        table_csv(t);
        table_free(t);
    }
}

static int solve(const request *r, const cr_diagram *d, const char *condition)
{
    const bool informed = option_given(r, "information");
    cr_information *list = NULL;
    cr_strategy *s = NULL;
    size_t count = 0;
    cr_error err = {0};
    cr_status status = cr_diagram_solve(&s, d, condition, &r->run, &err);

    if (status == CR_OK && informed)
        status = cr_diagram_information(&list, &count, d, condition, &r->run, &err);
    if (status == CR_OK && r->json) {
        cr_output *out = output_to(stdout);

        cr_strategy_json(s, d, condition, list, count, out);
        output_end(out);
    } else if (status == CR_OK && r->csv) {
        print_csv(d, s);
    } else if (status == CR_OK) {
        char number[NUMBER_ROOM];

        printf("%s%sexpected utility %s%s%s\n", condition == NULL ? "" : condition,
               condition == NULL ? "" : ": ", out_style(STYLE_BOLD),
               number_plain(number, s->utility), out_style(STYLE_NONE));
        for (size_t i = 0; i < s->policies; i++)
            print_policy(d, &s->policy[i], i + 1);
        if (informed)
            print_information(d, list, count);
    }
    cr_information_free(list);
    cr_strategy_free(s);
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

static int run(request *r)
{
    cr_diagram *d = NULL;
    cr_error err = {0};
    const cr_status status = cr_diagram_read(&d, r->operands[0], &err);
    int code = EXIT_DONE;

    if (status != CR_OK)
        return complain(status, &err);
    if (r->csv && r->operand_count > 2)
        code = misuse("--json has room for several", "--csv is for one condition");
    else if (r->operand_count == 1)
        code = solve(r, d, NULL);
    for (size_t i = 1; code == EXIT_DONE && i < r->operand_count; i++) {
        if (i > 1 && !r->json && !r->csv)
            puts("");
        code = solve(r, d, r->operands[i]);
    }
    cr_diagram_free(d);
    return code;
}

static const char *const about[] = {
    "Solves an influence diagram: a Bayesian network with decisions and utilities, in Hugin's "
    "language (.net) or Netica's (.dne). The parents of a decision are what is known when it is "
    "taken; nothing that was known or decided before is forgotten. Utilities add up.",
    "It prints the maximum expected utility and, for each decision in its order, what to do in "
    "each situation: P is how probable the situation is when the strategy is followed, and each "
    "option has its expected utility when all that follows is decided as well as can be. What "
    "makes no difference to a decision is not listed.",
    "CONDITION is what is known or decided at the start: 'test=yes, seismic=open'.",
    "--json gives one object a line: condition, utility, policies[] (decision, rows[] (known{}, "
    "best, utility{}, probability)), information[] (variable, decision, value).",
    NULL,
};

static const option own[] = {
    {"information", 0, OPTION_FLAG, NULL,
     "What it would be worth to know each variable of chance before each decision."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, NULL};

static const example examples[] = {
    {"credence decide oil.net", "To test, or not to test; to drill, or not to drill."},
    {"credence decide oil.net 'test=yes, seismic=open'", "What to do now that the test is known."},
    {"credence decide umbrella.dne --information", "What a better forecast would be worth."},
    {0},
};

const verb verb_decide = {
    .name = "decide",
    .operands = "DIAGRAM [CONDITION...]",
    .least = 1,
    .most = SIZE_MAX,
    .summary = "find the best decisions of an influence diagram",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "query convert",
    .run = run,
};
