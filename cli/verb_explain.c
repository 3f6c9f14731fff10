/* cli/verb_explain.c - credence explain: why each row was decided as it was. */
#include <string.h>

#include "explain.h"
#include "members.h"
#include "session.h"
#include "suggest.h"
#include "verbs.h"

enum { ROWS = 10, TOP = 20 };

typedef struct walk {
    inquiry inquiry;
    void (*present)(const inquiry *q, const cr_explanation *e); /* NULL: explain_work() */
    bool paragraphs;      /* an empty line between rows */
    uint64_t first, last; /* rows to explain, from 1 */
    uint64_t seen;
    bool more; /* rows were left unexplained */
} walk;

/* CR_END stops the pass: nothing after the last row needs to be read. */
static cr_status visit(void *context, const cr_explanation *e)
{
    walk *w = context;

    w->seen++;
    if (w->seen > w->last) {
        w->more = true;
        return CR_END;
    }
    if (w->seen < w->first)
        return CR_OK;
    if (w->paragraphs && w->seen > w->first)
        putchar('\n');
    if (w->present != NULL)
        w->present(&w->inquiry, e);
    else
        explain_work(&w->inquiry, e);
    return CR_OK;
}

static int prepare(walk *w, const request *r, const cr_model *model)
{
    bool for_programs = r->json || r->csv;
    const char *against = option_text(r, "against");
    int code = EXIT_DONE;

    w->inquiry = (inquiry){.model = model,
                           .path = r->operands[0],
                           .against = CR_UNDECIDED,
                           .top = option_count(r, "top", TOP)};
    w->present = r->json                   ? explain_json
                 : r->csv                  ? explain_csv
                 : option_given(r, "work") ? NULL
                                           : explain_shares;
    if (cr_model_members(model) > 0)
        w->present = r->json ? members_explain_json
                     : r->csv ? members_explain_csv
                              : members_explain;
    w->paragraphs = !for_programs;
    w->first = option_count(r, "row", 1);
    w->last = option_given(r, "row") ? w->first
                                     : option_count(r, "rows", for_programs ? UINT64_MAX : ROWS);
    if (w->first == 0 || w->last == 0)
        code = misuse(NULL, "rows are counted from 1");
    else if (against != NULL)
        code = find_class(model, against, &w->inquiry.against);
    return code;
}

static int run(request *r)
{
    cr_predict_options options = {.allow_absent_columns = option_given(r, "allow-absent")};
    cr_source *source = NULL;
    cr_model *model = NULL;
    cr_error err = {0};
    cr_status status;
    walk w = {0};
    int code;

    if ((code = open_model(&model, r, 0)) != EXIT_DONE ||
        (code = prepare(&w, r, model)) != EXIT_DONE ||
        (code = open_data(&source, r, 1, model)) != EXIT_DONE)
        goto done;
    if (r->csv && cr_model_members(model) > 0)
        members_explain_csv_header();
    else if (r->csv)
        explain_csv_header();
    status = cr_model_explain(model, source, &options, visit, &w, &err);
    if (status != CR_OK && status != CR_END)
        code = fail_data(r, &source, status, &err);
    else if (w.seen < w.first)
        code = misuse(NULL, "there is no row %llu: DATA have %llu", (unsigned long long)w.first,
                      (unsigned long long)w.seen);
    else if (w.more && !option_given(r, "row") && !option_given(r, "rows"))
        note("only the first %d rows are explained; --rows N explains more", ROWS);
done:
    board_free(w.inquiry.board);
    close_data(&source);
    cr_model_free(model);
    return code;
}

static const char *const about[] = {
    "Shows for each row what every value contributes to the decision: the odds, and their "
    "logarithm, that it adds for the class decided against the runner-up. The log-odds add up to "
    "the difference of the two classes' scores; nothing is approximated. A text is followed by "
    "its words, the strongest first.",
    "--work writes the derivation as on a blackboard: the counts, every factor as a fraction, the "
    "products P(row | class) P(class), their sum, the posteriors, the decision; in a text every "
    "P(word | class), for the 40 strongest words. For a row that no class can explain it says "
    "which factors are zero.",
    "--json writes one object a line: line, prediction, against, log_odds, posterior{}, score{} "
    "(log P(class, row)) and factors[] with name, value, log_odds, log_p{}, and the fraction "
    "(count, total, top, bottom), the density (mean, variance, freedom) or the words[] behind it, "
    "each by class. The log of zero is null. --csv writes a line for each factor and class, and "
    "for each word and class.",
    NULL,
};

static const option own[] = {
    {"work", 'W', OPTION_FLAG, NULL, "Write the derivation out."},
    {"rows", 0, OPTION_COUNT, "N",
     "Explain the first N rows. Default: 10; all with --json or --csv."},
    {"row", 0, OPTION_COUNT, "N", "Explain only row N, counted from 1."},
    {"against", 0, OPTION_TEXT, "CLASS", "Class to weigh the decision against. Default: the "
                                         "runner-up."},
    {"top", 0, OPTION_COUNT, "N", "Factors to show, the strongest first; 0: all. Default: 20."},
    {"allow-absent", 'a', OPTION_FLAG, NULL,
     "Columns of the model that DATA lack count as missing. Default: that is an error."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, &data_options, NULL};

static const example examples[] = {
    {"credence explain --rows 3 iris.model iris.csv", "Why each row was decided as it was."},
    {"credence explain --work --row 3 tax.model tax.csv", "Row 3 worked out by hand."},
    {"printf 'text\\nA very close game\\n' | credence explain --work sports.model",
     "A text worked out, word by word."},
    {"credence explain --json iris.model iris.csv | jq -c '.factors[] | {name, log_odds}'",
     "The shares for a program."},
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
