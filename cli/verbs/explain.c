/* cli/verbs/explain.c - credence explain: why each row was decided as it was. */
#include <string.h>

#include "explain/explain.h"
#include "show/linear.h"
#include "options/decide.h"
#include "show/members.h"
#include "session/live.h"
#include "session/session.h"
#include "verbs/verbs.h"

enum { ROWS = 10, TOP = 20 };

/* --- which rows --------------------------------------------------------------------------- */

int walk_begin(walk *w, const request *r)
{
    const bool for_programs = r->json || r->csv;

    *w = (walk){
        .first = option_count(r, "row", 1), .paragraphs = !for_programs, .live = comes_live(r, 1)};
    w->last = option_given(r, "row") ? w->first
                                     : option_count(r, "rows", for_programs ? UINT64_MAX : ROWS);
    return w->first == 0 || w->last == 0 ? misuse(NULL, "rows are counted from 1") : EXIT_DONE;
}

cr_status walk_step(walk *w, bool *show)
{
    *show = false;
    w->seen++;
    if (w->seen > w->last) {
        w->more = true;
        return CR_END;
    }
    if (w->seen < w->first)
        return CR_OK;
    if (w->paragraphs && w->seen > w->first)
        putchar('\n');
    *show = true;
    return CR_OK;
}

int walk_end(const walk *w, const request *r, cr_source **source, cr_status status, cr_error *err)
{
    if (status != CR_OK && status != CR_END)
        return fail_data(r, source, status, err);
    if (w->seen == 0 && !option_given(r, "row"))
        note("there are no rows to explain");
    else if (w->seen < w->first)
        return misuse(NULL, "there is no row %llu: DATA have %llu", (unsigned long long)w->first,
                      (unsigned long long)w->seen);
    if (w->more && !option_given(r, "row") && !option_given(r, "rows"))
        note("only the first %d rows are explained; --rows N explains more", ROWS);
    return EXIT_DONE;
}

/* --- the verb ----------------------------------------------------------------------------- */

typedef struct tour {
    walk walk;
    inquiry inquiry;
    void (*present)(const inquiry *q, const cr_explanation *e);
    bool json, csv;
} tour;

static cr_status visit(void *context, const cr_explanation *e)
{
    tour *t = context;
    bool show;
    cr_status status = walk_step(&t->walk, &show);

    if (show && e->error != NULL && !t->json && !t->csv)
        out_line("Line %zu cannot be read: %s", e->line, e->error);
    else if (show && (e->error == NULL || t->json))
        t->present(&t->inquiry, e);
    if (show && e->error == NULL && !t->json)
        explain_changes(&t->inquiry, e);
    if (show && t->walk.live)
        fflush(stdout);
    return status;
}

/* A row to be changed. */
static int prepare_changes(tour *t, const request *r, const cr_model *model)
{
    cr_error err = {0};
    cr_status status;

    if (r->csv)
        return misuse("--json has one", "--changes has no form in CSV");
    status = cr_row_new(&t->inquiry.row, model, &err);
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

static int prepare(tour *t, const request *r, const cr_model *model)
{
    const char *against = option_text(r, "against");
    const bool members = cr_model_members(model) > 0;
    int code = walk_begin(&t->walk, r);
    size_t found;

    t->inquiry = (inquiry){.model = model,
                           .path = r->operands[0],
                           .against = against,
                           .work = option_given(r, "work"),
                           .top = option_count(r, "top", TOP)};
    t->json = r->json;
    t->csv = r->csv;
    t->present = r->json           ? explain_json
                 : r->csv          ? explain_csv
                 : t->inquiry.work ? explain_work
                 : members         ? members_explain
                                   : explain_shares;
    if (code == EXIT_DONE && against != NULL)
        code = find_class(model, against, &found);
    if (code == EXIT_DONE && option_given(r, "changes"))
        code = prepare_changes(t, r, model);
    return code;
}

static int run(request *r)
{
    cr_predict_options options = {.allow_absent_columns = option_given(r, "allow-absent")};
    cr_source *source = NULL;
    cr_model *model = NULL;
    cr_rule *rule = NULL;
    cr_error err = {0};
    cr_status status;
    tour t = {0};
    int code;

    if ((code = open_model_for_data(&model, r, 0, 1)) != EXIT_DONE)
        goto done;
    if (cr_model_is_regression(model) && option_given(r, "changes")) {
        code =
            misuse(NULL, "--changes is about decisions; %s answers with numbers", r->operands[0]);
        goto done;
    }
    options.on_error = read_on_error(r);
    if (cr_model_is_regression(model)) {
        if ((code = open_data(&source, r, 1, model)) == EXIT_DONE)
            code = explain_numbers(r, model, &source, &options);
        goto done;
    }
    if ((code = prepare(&t, r, model)) != EXIT_DONE ||
        (code = read_rule(&rule, r, model)) != EXIT_DONE ||
        (code = open_data(&source, r, 1, model)) != EXIT_DONE)
        goto done;
    if (r->csv)
        explain_csv_header(model);
    options.rule = rule;
    if ((code = read_interval(r, &options.interval)) != EXIT_DONE)
        goto done;
    status = cr_model_explain(model, source, &options, visit, &t, &err);
    code = walk_end(&t.walk, r, &source, status, &err);
done:
    cr_row_free(t.inquiry.row);
    cr_rule_free(rule);
    close_data(&source);
    cr_model_free(model);
    return code;
}

static const char *const about[] = {
    "Shows for each row what every value contributes to the decision: the odds, and their "
    "logarithm, that it adds for the class decided against the runner-up. The log-odds add up to "
    "the difference of the two classes' scores; nothing is approximated. A text is followed by "
    "its words, the strongest first.",
    "--work writes the derivation as on a blackboard, for each learner its own: the counts, every "
    "factor as a fraction or a density, the products P(row | class) P(class), their sum and the "
    "posteriors; of a text every P(word | class), for the 40 strongest words; of logistic "
    "regression z = w0 + w1 x1 + ... and its sigmoid or softmax; of a tree the path and what is "
    "counted at its leaf; of an ensemble its members' votes. A calibration and the costs of --cost "
    "have lines of their own. For a row that no class can explain it says which factors are zero.",
    "--cost, --reject and --priors decide as in credence predict; the decision is then the class "
    "of least expected cost.",
    "--changes shows what would have to change for another decision, one feature at a time: the "
    "nearest number at which the decision changes, to a hundredth of the column's standard "
    "deviation and within four of the mean; of other values the one with the surest decision; the "
    "words that would have to be left out of a text. The distance is in standard deviations, 1 for "
    "another value, the number of words.",
    "--json writes one object a line: line, prediction, against, log_odds, posterior{}, score{} "
    "(log P(class, row)) and factors[] with name, value, log_odds, log_p{}, and the fraction "
    "(count{}, total{}, top{}, bottom{}), the density (mean{}, variance{}, freedom{}), the "
    "weight{} "
    "(logistic) or the words[] behind it, each by class; of an ensemble members[] with name, "
    "weight, drawn (by Gibbs), prediction and posterior{}; with --cost also expected_cost and, of "
    "two classes, "
    "threshold{}; with --changes changes[] with name, to (or without[]), prediction, probability "
    "and distance. The log of zero is null. With --work an object work follows: heading, note, "
    "sections[] with title and lines[] of left, right, rule, value, log_value, x and the terms[] "
    "that they are computed from, closing. --csv writes a line for each factor and class, and for "
    "each "
    "word and class.",
    "A number (linear) is the mean of the target and what each column adds to it: its weight times "
    "how far its value is from the mean of the column. The interval holds the truth with the "
    "probability of --interval, and --work derives both. --json then has line, prediction, low, "
    "high, level, scale, freedom, truth, base (the target's mean), noise, rows, leverage and "
    "shares[] with column, value, weight, mean, share and, where they apply, missing and filled "
    "(by --impute); --csv has a line for each share.",
    "A Gaussian network has no weights: there a column adds what the mean changes by when it "
    "becomes known after the columns before it, in the order of the columns. --json then leaves "
    "out what is about weights.",
    NULL,
};

static const option own[] = {
    {"work", 'W', OPTION_FLAG, NULL, "Write the derivation out."},
    {"changes", 'C', OPTION_FLAG, NULL, "Show what would have to change for another decision."},
    {"rows", 0, OPTION_COUNT, "N",
     "Explain the first N rows. Default: 10; all with --json or --csv."},
    {"row", 0, OPTION_COUNT, "N", "Explain only row N, counted from 1."},
    {"against", 0, OPTION_TEXT, "CLASS",
     "Class to weigh the decision against. Default: the runner-up."},
    {"top", 0, OPTION_COUNT, "N", "Factors to show, the strongest first; 0: all. Default: 20."},
    {"interval", 0, OPTION_TEXT, "PERCENT",
     "Level of the intervals of a regression (default: 95), or of the probability of a class by "
     "naive Bayes."},
    ON_ERROR_OPTION,
    ALLOW_ABSENT_OPTION,
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, &decide_options, &data_options, NULL};

static const example examples[] = {
    {"credence explain --rows 3 iris.model iris.csv", "Why each row was decided as it was."},
    {"credence explain --work --row 3 tax.model tax.csv", "Row 3 worked out by hand."},
    {"credence explain --changes --row 3 tax.model tax.csv",
     "What would have to change for another decision."},
    {"printf 'text\\nA very close game\\n' | credence explain --work sports.model",
     "A text worked out, word by word."},
    {"credence explain --json iris.model iris.csv | jq -c '.factors[] | {name, log_odds}'",
     "The shares for a program."},
    {"credence explain --work --row 1 houses.model houses.csv",
     "How a linear regression comes to a price."},
    {0},
};

const verb verb_explain = {
    .name = "explain",
    .operands = "MODEL [DATA...]",
    .least = 1,
    .most = SIZE_MAX,
    .summary = "show why each row was decided as it was",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "predict show",
    .run = run,
};
