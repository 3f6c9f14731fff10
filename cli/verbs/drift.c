/* cli/verbs/drift.c - credence drift: do recent data still look like the training data? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "credence/drift.h"
#include "out/out.h"
#include "out/json.h"
#include "out/progress.h"
#include "out/sheet.h"
#include "out/table.h"
#include "out/text.h"
#include "session/session.h"
#include "verbs/verbs.h"

enum { FEATURES_SHOWN = 20 };

typedef struct result {
    const request *r;
    const cr_drift *drift;
    cr_drift_summary summary;
} result;

/* --- the table -------------------------------------------------------------------------------- */

static cr_sheet *features(const result *x)
{
    cr_sheet *s = NULL;
    const cr_status status = cr_drift_sheet(&s, x->drift, NULL);

    return sheet_made(status, s);
}

static table *classes_table(const result *x)
{
    table *t = table_new();
    cr_drift_class c;

    table_column(t, "class", TABLE_LEFT);
    table_column(t, "prior", TABLE_RIGHT);
    table_column(t, "estimated", TABLE_RIGHT);
    table_column(t, "decided", TABLE_RIGHT);
    if (x->summary.labelled > 0)
        table_column(t, "labelled", TABLE_RIGHT);
    for (size_t i = 0; i < FEATURES_SHOWN && cr_drift_get_class(x->drift, i, &c) == CR_OK; i++) {
        table_text(t, c.name);
        table_number(t, number_probability, c.before);
        table_number(t, number_probability, c.estimated);
        table_number(t, number_probability, c.decided);
        if (x->summary.labelled > 0)
            table_number(t, number_probability, c.labelled);
    }
    return t;
}

/* --- output ----------------------------------------------------------------------------------- */

/* The library's advice, with the command that follows it. */
static void print_advice(const cr_drift_advice *a)
{
    if (a->action == CR_DRIFT_PRIORS)
        out_line("- %s (--priors '%s')", a->text, a->priors);
    else if (a->action == CR_DRIFT_LEARN)
        out_line("- %s (credence learn)", a->text);
    else
        out_line("- %s", a->text);
}

static void report_table(const result *x)
{
    char from[256], rows[NUMBER_ROOM], p[NUMBER_ROOM], index[NUMBER_ROOM];
    table *classes = classes_table(x);
    cr_drift_advice advice;
    cr_drift_class first;

    out_line("%s and %s: %s row%s, %zu of %zu feature%s drifted", x->r->operands[0],
             data_name(x->r, 1, from, sizeof from), number_plain(rows, x->summary.rows),
             x->summary.rows == 1 ? "" : "s", x->summary.drifted, x->summary.features,
             plural(x->summary.features));
    putchar('\n');
    sheet_print(features(x), FEATURES_SHOWN, 0, true);
    if (x->summary.features > FEATURES_SHOWN)
        out_line("... and %zu more (--csv lists them all)", x->summary.features - FEATURES_SHOWN);
    if (cr_drift_get_class(x->drift, 0, &first) == CR_OK) {
        putchar('\n');
        table_print(classes, 0, true);
        out_line("Shares of classes: %s (index %s, p %s)",
                 cr_drift_verdict_name(x->summary.prior_verdict),
                 cr_show_number(index, CR_SHOW_INDEX, x->summary.prior_index),
                 cr_show_number(p, CR_SHOW_P, x->summary.prior_p));
    }
    if (x->summary.impossible > 0)
        out_line("%s rows are impossible for every class",
                 number_plain(rows, x->summary.impossible));
    putchar('\n');
    for (size_t i = 0; cr_drift_get_advice(x->drift, i, &advice) == CR_OK; i++)
        print_advice(&advice);
    table_free(classes);
}

static void present(const result *x)
{
    cr_output *out;

    if (x->r->json) {
        out = output_to(stdout);
        cr_drift_json(x->drift, out);
        output_end(out);
    } else if (x->r->csv) {
        sheet_csv(features(x));
    } else {
        report_table(x);
    }
}

/* --- the verb --------------------------------------------------------------------------------- */

static int read_options(const request *r, cr_drift_options *o)
{
    const char *level = option_text(r, "level"), *correct = option_text(r, "correct");
    char *end = NULL;

    o->allow_absent_columns = option_given(r, "allow-absent");
    o->level = level != NULL ? strtod(level, &end) : 0.05;
    if (level != NULL && (*end != '\0' || !(o->level > 0 && o->level < 1)))
        return misuse("a number between 0 and 1", "--level %s", level);
    if (correct != NULL)
        o->correction = strcmp(correct, "bh") == 0     ? CR_CORRECT_BH
                        : strcmp(correct, "none") == 0 ? CR_CORRECT_NONE
                                                       : CR_CORRECT_HOLM;
    return EXIT_DONE;
}

static int run(request *r)
{
    cr_drift_options options = {0};
    cr_source *source = NULL;
    cr_model *model = NULL;
    cr_drift *drift = NULL;
    result x = {.r = r};
    cr_error err = {0};
    cr_status status;
    progress watch;
    int code;

    if ((code = read_options(r, &options)) != EXIT_DONE ||
        (code = open_model(&model, r, 0)) != EXIT_DONE ||
        (code = open_data(&source, r, 1, model)) != EXIT_DONE)
        goto done;
    progress_begin(&watch, "comparing", &r->run);
    status = cr_model_drift(model, source, &options, &r->run, &drift, NULL, &err);
    progress_end(&watch);
    if (status != CR_OK) {
        code = fail_data(r, &source, status, &err);
        goto done;
    }
    x.drift = drift;
    cr_drift_get_summary(drift, &x.summary);
    present(&x);
    if (option_given(r, "check") &&
        (x.summary.drifted > 0 || x.summary.prior_verdict == CR_DRIFT_STRONG ||
         x.summary.prior_verdict == CR_DRIFT_MODERATE))
        code = out_failure(EXIT_FAULT);
done:
    cr_drift_free(drift);
    close_data(&source);
    cr_model_free(model);
    return code;
}

static const char *const about[] = {
    "Compares recent rows, which need no class, with what the model remembers of its training "
    "data, feature by feature, and says what to do.",
    "The index is the population stability index, the sum of (q - p) ln(q / p) over values: below "
    "0.1 a change is small, from 0.25 on it is large. p is the probability of such a change by "
    "chance, corrected for the number of tests: G2 for symbols and intervals, Welch's test of the "
    "mean and a robust one of the variance for numbers (moments), Kolmogorov and Smirnov's where "
    "the model keeps the numbers (KS), for texts the share of texts that have each word (words). A "
    "verdict other than stable needs both.",
    "Shares of classes are estimated by EM from the posteriors alone (Saerens, Latinne and "
    "Decaestecker, 2002), which is right as long as the features within each class stay as they "
    "were. A regression model (linear) has no classes, so only its features are compared.",
    "--json gives {keys drift}. --csv gives the table of features.",
    NULL,
};

static const option own[] = {
    {"level", 0, OPTION_TEXT, "P", "Level of significance. Default: 0.05."},
    {"correct", 0, OPTION_CHOICE, "holm|bh|none",
     "Correction for many tests: Holm's, Benjamini and Hochberg's, none. Default: holm."},
    {"check", 0, OPTION_FLAG, NULL, "Exit status 1 when something drifted, for scripts."},
    ALLOW_ABSENT_OPTION,
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, &data_options, NULL};

static const example examples[] = {
    {"credence drift spam.model this-week.csv", "Does mail still look as it did?"},
    {"credence drift --check -q spam.model today.csv >report.txt || mail -s drift me <report.txt",
     "Watched by a script."},
    {"credence drift --json spam.model this-week.csv | jq '.features[0]'", "The largest change."},
    {0},
};

const verb verb_drift = {
    .name = "drift",
    .operands = "MODEL [DATA...]",
    .least = 1,
    .most = SIZE_MAX,
    .summary = "compare recent data with what a model learned from",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "test learn predict",
    .run = run,
};
