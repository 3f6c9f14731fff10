/* cli/verbs/drift.c - credence drift: do recent data still look like the training data? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "credence/drift.h"
#include "show/describe.h"
#include "out/out.h"
#include "out/json.h"
#include "out/progress.h"
#include "out/table.h"
#include "out/text.h"
#include "session/reserve.h"
#include "session/session.h"
#include "verbs/verbs.h"

enum { CHANGES_SHOWN = 3, FEATURES_SHOWN = 20 };

typedef struct result {
    const request *r;
    const cr_model *model;
    const cr_drift *drift;
    cr_drift_summary summary;
    cr_drift_feature *feature; /* the largest change first */
    size_t *place;             /* of each in the drift */
    double level;
} result;

/* --- the table -------------------------------------------------------------------------------- */

static char *number_p(char *buffer, double p)
{
    if (isnan(p))
        snprintf(buffer, NUMBER_ROOM, "-");
    else if (p < 1e-4)
        snprintf(buffer, NUMBER_ROOM, "<0.0001");
    else
        snprintf(buffer, NUMBER_ROOM, "%.4f", p);
    return buffer;
}

static char *number_index(char *buffer, double x)
{
    if (isnan(x))
        snprintf(buffer, NUMBER_ROOM, "-");
    else if (isinf(x))
        snprintf(buffer, NUMBER_ROOM, "inf");
    else
        snprintf(buffer, NUMBER_ROOM, "%.3f", x);
    return buffer;
}

/* "5.84 -> 6.1" of numbers, "3 new: 2.1 %" of symbols. */
static void describe_change(const result *x, size_t i, char *text, size_t size)
{
    const cr_drift_feature *f = &x->feature[i];
    char one[NUMBER_ROOM], two[NUMBER_ROOM];
    cr_drift_change change;

    text[0] = '\0';
    if (f->kind == CR_REAL && !isnan(f->mean_after)) {
        snprintf(text, size, "mean %s -> %s", number_plain(one, f->mean_before),
                 number_plain(two, f->mean_after));
    } else if (f->new_values > 0) {
        snprintf(text, size, "%zu new value%s in %s of the rows", f->new_values,
                 plural(f->new_values), number_percent(one, f->new_share));
    } else if (cr_drift_get_change(x->drift, x->place[i], 0, &change) == CR_OK) {
        char *shown = text_shown(change.name, 18);

        snprintf(text, size, "%s %.3g -> %.3g %%", shown, 100 * change.before, 100 * change.after);
        free(shown);
    }
}

/* People get what is worth reading at the width of a terminal. */
static table *features_table(const result *x, size_t limit, bool people)
{
    table *t = table_new();
    char text[256];

    table_column(t, "feature", TABLE_WHOLE);
    if (!people)
        table_column(t, "kind", TABLE_LEFT);
    table_column(t, "verdict", TABLE_WHOLE);
    table_column(t, "index", TABLE_RIGHT);
    if (!people)
        table_column(t, "test", TABLE_WHOLE);
    table_column(t, "p", TABLE_RIGHT);
    table_column(t, "missing", TABLE_RIGHT);
    table_column(t, "what changed", TABLE_LEFT);
    for (size_t i = 0; i < x->summary.features && i < limit; i++) {
        const cr_drift_feature *f = &x->feature[i];

        table_text(t, f->name);
        if (!people)
            table_text(t, describe_kind(x->model, f->column));
        table_text(t, cr_drift_verdict_name(f->verdict));
        table_number(t, number_index, f->index);
        if (!people)
            table_text(t, f->test);
        table_number(t, number_p, f->corrected);
        table_number(t, number_percent, f->missing_after);
        describe_change(x, i, text, sizeof text);
        table_text(t, text);
    }
    return t;
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

/* --- what to do ------------------------------------------------------------------------------- */

static size_t count_with(const result *x, bool (*has)(const cr_drift_feature *f, double level))
{
    size_t count = 0;

    for (size_t i = 0; i < x->summary.features; i++)
        count += has(&x->feature[i], x->level);
    return count;
}

static bool strong(const cr_drift_feature *f, double level)
{
    (void)level;
    return f->verdict == CR_DRIFT_STRONG;
}

static bool gone(const cr_drift_feature *f, double level)
{
    return f->missing_p < level && f->missing_after - f->missing_before > 0.05;
}

static bool newly_valued(const cr_drift_feature *f, double level)
{
    (void)level;
    return f->new_values > 0 && f->new_share > 0.01;
}

static bool unknown(const cr_drift_feature *f, double level)
{
    (void)level;
    return f->verdict == CR_DRIFT_UNKNOWN;
}

/* "ham:0.9,spam:0.1", to be freed. */
static char *estimated_priors(const result *x)
{
    cr_drift_class c;
    char *text = reserve(1, 1), *longer;

    for (size_t i = 0; cr_drift_get_class(x->drift, i, &c) == CR_OK; i++) {
        if (asprintf(&longer, "%s%s%s:%.4g", text, i > 0 ? "," : "", c.name,
                     round(fmax(c.estimated, 1e-4) * 1e4) / 1e4) < 0)
            reserve_failed();
        free(text);
        text = longer;
    }
    return text;
}

/* Sentences that follow from the verdicts; each is one thing to do. */
static size_t advise(const result *x, char *advice[6])
{
    const size_t far = count_with(x, strong), lost = count_with(x, gone),
                 fresh = count_with(x, newly_valued), blind = count_with(x, unknown);
    size_t n = 0;
    char *priors = NULL;
    int written = 0;

#define ADVISE(...)                                                                                \
    if ((written = asprintf(&advice[n], __VA_ARGS__)) < 0)                                         \
        reserve_failed();                                                                          \
    else                                                                                           \
        n++
    if (lost > 0) {
        ADVISE("%zu feature%s more often missing than in training: look at where the data come "
               "from before anything else.",
               lost, lost == 1 ? " is" : "s are");
    }
    if (fresh > 0) {
        ADVISE("%zu feature%s values that the model has never seen: let it learn labelled recent "
               "rows (credence learn).",
               fresh, fresh == 1 ? " has" : "s have");
    }
    if (x->summary.prior_verdict == CR_DRIFT_MODERATE ||
        x->summary.prior_verdict == CR_DRIFT_STRONG) {
        priors = estimated_priors(x);
        if (far == 0 && strlen(priors) < 120) {
            ADVISE("The classes have other shares: predict with --priors '%s', or refit with "
                   "them; the rest of the model still holds.",
                   priors);
        } else {
            ADVISE("The classes seem to have other shares, but features changed too, so the "
                   "estimate may mislead: label some recent rows and check.");
        }
        free(priors);
    }
    if (far > 0) {
        ADVISE("%zu feature%s strongly: %strain again or let it learn recent rows.", far,
               far == 1 ? " changed" : "s changed",
               describe_targeted(x->model)
                   ? "label a sample of recent rows, test the model on them (credence test), and "
                   : "");
    } else if (x->summary.drifted > 0 && lost == 0 && fresh == 0) {
        ADVISE("Changes are moderate: watch them, and test on labelled recent rows when there "
               "are some.");
    }
    if (blind > 0) {
        ADVISE("%zu feature%s could not be compared: the model keeps nothing to compare %s with, "
               "or there are no values.",
               blind, plural(blind), blind == 1 ? "it" : "them");
    }
    if (n == (blind > 0) && blind < x->summary.features) {
        ADVISE("Nothing to do: %srecent rows look like the training data.",
               blind > 0 ? "by the other features " : "");
    }
#undef ADVISE
    return n;
}

/* --- out -------------------------------------------------------------------------------------- */

static void report_table(const result *x, char **advice, size_t advices)
{
    char from[256], rows[NUMBER_ROOM], p[NUMBER_ROOM], index[NUMBER_ROOM];
    table *features = features_table(x, FEATURES_SHOWN, true), *classes = classes_table(x);
    cr_drift_class first;

    out_line("%s and %s: %s row%s, %zu of %zu feature%s drifted", x->r->operands[0],
             data_name(x->r, 1, from, sizeof from), number_plain(rows, x->summary.rows),
             x->summary.rows == 1 ? "" : "s", x->summary.drifted, x->summary.features,
             plural(x->summary.features));
    putchar('\n');
    table_print(features, 0, true);
    if (x->summary.features > FEATURES_SHOWN)
        out_line("... and %zu more (--csv lists them all)", x->summary.features - FEATURES_SHOWN);
    if (cr_drift_get_class(x->drift, 0, &first) == CR_OK) {
        putchar('\n');
        table_print(classes, 0, true);
        out_line("Shares of classes: %s (index %s, p %s)",
                 cr_drift_verdict_name(x->summary.prior_verdict),
                 number_index(index, x->summary.prior_index), number_p(p, x->summary.prior_p));
    }
    if (x->summary.impossible > 0)
        out_line("%s rows are impossible for every class",
                 number_plain(rows, x->summary.impossible));
    putchar('\n');
    for (size_t i = 0; i < advices; i++)
        out_line("- %s", advice[i]);
    table_free(features);
    table_free(classes);
}

static void json_feature(json *j, const result *x, size_t i)
{
    const cr_drift_feature *f = &x->feature[i];
    cr_drift_change change;

    json_object(j, NULL, JSON_BLOCK);
    json_text(j, "name", f->name);
    json_text(j, "kind", describe_kind(x->model, f->column));
    json_text(j, "verdict", cr_drift_verdict_name(f->verdict));
    json_number(j, "index", f->index);
    json_text(j, "test", f->test);
    json_number(j, "statistic", f->statistic);
    json_number(j, "freedom", f->freedom);
    json_number(j, "p", f->p);
    json_number(j, "p_corrected", f->corrected);
    json_number(j, "before", f->before);
    json_number(j, "after", f->after);
    json_number(j, "missing_before", f->missing_before);
    json_number(j, "missing_after", f->missing_after);
    json_number(j, "missing_p", f->missing_p);
    json_number(j, "new_values", (double)f->new_values);
    json_number(j, "new_share", f->new_share);
    if (f->kind == CR_REAL) {
        json_number(j, "mean_before", f->mean_before);
        json_number(j, "mean_after", f->mean_after);
        json_number(j, "sd_before", f->sd_before);
        json_number(j, "sd_after", f->sd_after);
    }
    json_array(j, "changes", JSON_BLOCK);
    for (size_t k = 0; cr_drift_get_change(x->drift, x->place[i], k, &change) == CR_OK; k++) {
        json_object(j, NULL, JSON_LINE);
        json_text(j, f->kind == CR_BAG ? "word" : "value", change.name);
        json_number(j, "before", change.before);
        json_number(j, "after", change.after);
        json_bool(j, "new", change.is_new);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

static void report_json(const result *x, char **advice, size_t advices)
{
    cr_drift_class c;
    json j;

    json_start(&j, stdout);
    json_object(&j, NULL, JSON_BLOCK);
    json_number(&j, "rows", x->summary.rows);
    json_number(&j, "labelled", x->summary.labelled);
    json_number(&j, "impossible", x->summary.impossible);
    json_number(&j, "drifted", (double)x->summary.drifted);
    json_number(&j, "level", x->level);
    json_text(&j, "prior_verdict", cr_drift_verdict_name(x->summary.prior_verdict));
    json_number(&j, "prior_index", x->summary.prior_index);
    json_number(&j, "prior_statistic", x->summary.prior_statistic);
    json_number(&j, "prior_p", x->summary.prior_p);
    json_array(&j, "classes", JSON_BLOCK);
    for (size_t i = 0; cr_drift_get_class(x->drift, i, &c) == CR_OK; i++) {
        json_object(&j, NULL, JSON_LINE);
        json_text(&j, "name", c.name);
        json_number(&j, "prior", c.before);
        json_number(&j, "estimated", c.estimated);
        json_number(&j, "decided", c.decided);
        json_number(&j, "labelled", c.labelled);
        json_end(&j);
    }
    json_end(&j);
    json_array(&j, "features", JSON_BLOCK);
    for (size_t i = 0; i < x->summary.features; i++)
        json_feature(&j, x, i);
    json_end(&j);
    json_array(&j, "advice", JSON_BLOCK);
    for (size_t i = 0; i < advices; i++)
        json_text(&j, NULL, advice[i]);
    json_end(&j);
    json_end(&j);
}

static void present(const result *x)
{
    char *advice[6] = {0};
    size_t advices = advise(x, advice);
    table *t;

    if (x->r->json) {
        report_json(x, advice, advices);
    } else if (x->r->csv) {
        t = features_table(x, SIZE_MAX, false);
        table_csv(t);
        table_free(t);
    } else {
        report_table(x, advice, advices);
    }
    for (size_t i = 0; i < advices; i++)
        free(advice[i]);
}

/* --- the verb --------------------------------------------------------------------------------- */

static double rank(const cr_drift_feature *f)
{
    return (f->verdict == CR_DRIFT_UNKNOWN ? -1 : (int)f->verdict) * 1e6 +
           (isnan(f->index) ? 0 : fmin(f->index, 1e5));
}

/* The features by their verdict, then by the size of the change. */
static void order(result *x)
{
    x->feature = reserve(x->summary.features + 1, sizeof *x->feature);
    x->place = reserve(x->summary.features + 1, sizeof *x->place);
    for (size_t i = 0; i < x->summary.features; i++) {
        cr_drift_feature f;
        size_t at = i;

        cr_drift_get_feature(x->drift, i, &f);
        for (; at > 0 && rank(&x->feature[at - 1]) < rank(&f); at--) {
            x->feature[at] = x->feature[at - 1];
            x->place[at] = x->place[at - 1];
        }
        x->feature[at] = f;
        x->place[at] = i;
    }
}

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
    x.model = model;
    x.drift = drift;
    x.level = options.level;
    cr_drift_get_summary(drift, &x.summary);
    order(&x);
    present(&x);
    if (option_given(r, "check") &&
        (x.summary.drifted > 0 || x.summary.prior_verdict == CR_DRIFT_STRONG ||
         x.summary.prior_verdict == CR_DRIFT_MODERATE))
        code = out_failure(EXIT_FAULT);
done:
    free(x.feature);
    free(x.place);
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
    "were. A model of a number (linear) has no such shares: there features are all.",
    "--json gives rows, labelled, impossible, drifted, level, prior_verdict, prior_index, "
    "prior_statistic, prior_p, classes[], features[] with changes[], and advice[]. --csv gives "
    "the table of features.",
    NULL,
};

static const option own[] = {
    {"level", 0, OPTION_TEXT, "P", "Level of significance. Default: 0.05."},
    {"correct", 0, OPTION_CHOICE, "holm|bh|none",
     "Correction for many tests: Holm's, Benjamini and Hochberg's, none. Default: holm."},
    {"check", 0, OPTION_FLAG, NULL, "Exit status 1 when something drifted, for scripts."},
    {"allow-absent", 'a', OPTION_FLAG, NULL,
     "Columns of the model that DATA lack count as missing. Default: that is an error."},
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
