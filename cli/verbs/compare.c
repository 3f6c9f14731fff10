/* cli/verbs/compare.c - credence compare: which model accounts for the data in the fewest bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/compare_folds.h"
#include "evaluate/curve.h"
#include "show/linear.h"
#include "options/decide.h"
#include "out/json.h"
#include "out/progress.h"
#include "out/sheet.h"
#include "out/text.h"
#include "plot/result.h"
#include "session/reserve.h"
#include "session/session.h"
#include "evaluate/study.h"
#include "verbs/verbs.h"

/* --- the result --------------------------------------------------------------------------- */

static void report_table(const request *r, const cr_accounts *all)
{
    char from[256], rows[NUMBER_ROOM];
    cr_account a = {0};
    cr_sheet *s = NULL;
    const cr_status status = cr_accounts_sheet(&s, all, NULL);
    size_t count = 0;
    double weight = 0;

    sheet_made(status, s);
    for (; cr_accounts_get(all, count, &a) == CR_OK; count++)
        weight = a.status == CR_OK ? a.likelihood.rows : weight;
    out_line("%s: %s rows, %zu model%s by %s\n", data_name(r, 0, from, sizeof from),
             number_plain(rows, weight), count, plural(count), cr_accounts_by(all)->title);
    sheet_print(s, SIZE_MAX, 0, true);
    for (size_t i = 0; cr_accounts_get(all, i, &a) == CR_OK; i++)
        if (a.status != CR_OK)
            tell_unable(a.name, a.why);
}

static void report(const request *r, const cr_accounts *all, const cr_tally *tally)
{
    cr_sheet *s = NULL;
    cr_output *out;
    cr_account a = {0};

    if (r->json) {
        out = output_to(stdout);
        cr_accounts_json(all, tally->unlabelled, out);
        output_end(out);
    } else if (r->csv) {
        const cr_status status = cr_accounts_sheet(&s, all, NULL);

        sheet_csv(sheet_made(status, s));
    } else {
        report_table(r, all);
    }
    for (size_t i = 0; cr_accounts_get(all, i, &a) == CR_OK; i++)
        if (a.status == CR_OK && isnan(a.cost))
            note("%s has no %s", a.name, cr_accounts_by(all)->key);
    if (tally->unlabelled != 0)
        note("%llu row%s without %s left out", (unsigned long long)tally->unlabelled,
             plural(tally->unlabelled), a.numbers ? "the target" : "a class");
}

/* --- the verb ----------------------------------------------------------------------------- */

static int open_holdout(cr_source **out, const request *r)
{
    const char *path = option_text(r, "holdout");
    request rows = *r;

    *out = NULL;
    if (path == NULL)
        return EXIT_DONE;
    rows.operands = &path;
    rows.operand_count = 1;
    return open_data(out, &rows, 0, NULL);
}

static int read_lambda(const request *r, double *out)
{
    const char *text = option_text(r, "lambda");
    char *end = NULL;

    *out = text == NULL ? 0 : strtod(text, &end);
    return text != NULL && (end == text || *end != '\0' || !(*out > 0) || isinf(*out))
               ? misuse("a number above 0", "--lambda is '%s'", text)
               : EXIT_DONE;
}

static int compare_accounts(request *r, const char *by)
{
    cr_account_options o = {.by = by, .skip = 1};
    cr_source *source = NULL, *holdout = NULL;
    cr_accounts *all = NULL;
    cr_spec *specs = NULL;
    size_t count = 0;
    cr_error err = {0};
    cr_tally tally = {0};
    cr_status status;
    progress watch;
    int code;

    read_candidates(&specs, &count, r);
    if ((code = read_lambda(r, &o.lambda)) == EXIT_DONE &&
        (code = open_data(&source, r, 0, NULL)) == EXIT_DONE &&
        (code = open_holdout(&holdout, r)) == EXIT_DONE) {
        progress_begin(&watch, "comparing", &r->run);
        status =
            cr_compare_accounts(&all, source, holdout, specs, count, &o, &r->run, &tally, &err);
        progress_end(&watch);
        if (status != CR_OK)
            code = fail_data(r, &source, status, &err);
        else
            report(r, all, &tally);
    }
    cr_accounts_free(all);
    close_data(&source);
    close_data(&holdout);
    free_candidates(specs, count);
    return code;
}

static int run(request *r)
{
    const char *by = option_text(r, "criterion");
    const bool held_out = option_given(r, "holdout");

    if (!option_given(r, "model"))
        return misuse("such as -m nb,nb:variance=class-feature, or -m all",
                      "compare needs -m, the learners to compare");
    if (option_given(r, "curve"))
        return compare_curves(r);
    if (option_given(r, "surface"))
        return compare_surface(r);
    if (option_given(r, "plot"))
        return misuse("add --curve or --surface", "--plot draws learning curves or surfaces");
    if (option_given(r, "each"))
        return compare_sets(r);
    if (by != NULL ? strcmp(by, "cv") == 0 : !held_out)
        return compare_folds(r);
    if (by != NULL && strcmp(by, "holdout") == 0 && !held_out)
        return misuse("--holdout FILE names them",
                      "--criterion holdout needs rows that were not learned");
    return compare_accounts(r, by != NULL ? by : "holdout");
}

static const char *const about[] = {
    "Compares learners on rows that they have not seen, on the same folds: one table with "
    "accuracy and its interval, log loss, parameters, size of the model file and seconds, the best "
    "by log loss with a star; and each of the others against it: the difference of accuracy, p of "
    "the corrected paired t test and of McNemar's, the probabilities that it is worse, as good "
    "(within one percent) or better, and the difference of log loss. --curve does so at growing "
    "sizes, against the first, and --plot draws that. --each takes every operand as a data set of "
    "its own and gives mean ranks with Friedman's test, Nemenyi's critical difference and the "
    "Bayesian signed rank test. --surface trains them on all rows and draws what each decides over "
    "-x and -y, as credence "
    "plot surface does: to the terminal, or with --plot to a file.",
    "A learner that cannot handle the table is reported with the reason, and the others continue; "
    "-m all is every learner there is. --cost, --reject and --priors decide by the least expected "
    "cost, and the best is then the cheapest; --by judges by another metric (credence help metrics "
    "lists "
    "them).",
    "--criterion mdl and the others train models on all rows and show which of them describes the "
    "rows best without being too complex. Each is a learner with knobs, nb:variance=class-feature; "
    "models that differ only in knobs share one reading of the data. The best by the criterion is "
    "marked with a star.",
    "mdl, minimum description length: the bits to write down the hypothesis (half of log2 n for "
    "each parameter, and the knobs that are not at their defaults) and the classes given the rows "
    "(bits c|x), which every learner has. joint: the hypothesis and rows and classes together "
    "(bits D|h), of learners that describe rows. mistakes: the hypothesis and the list of the rows "
    "that it decides wrongly (bits list). penalty: F(h) = error + lambda * parameters, where "
    "--lambda says how much a parameter costs. bic and aic charge k ln n and 2 k for k parameters, "
    "by the likelihood of the classes given the rows. evidence is the probability of the data with "
    "all parameters integrated out, where the learner has it. holdout is the probability of the "
    "classes of other rows, --holdout FILE, with the accuracy on them. Smaller is better, and a "
    "difference of one bit is a factor of two.",
    "Regression learners (linear) are compared by RMSE, MAE, R², log density (log p) and the "
    "coverage of 95 % intervals, the best by log density with a star; against it stand the "
    "difference of RMSE with p and the probabilities that it is worse, as good (within one "
    "percent) or better, "
    "the difference of log density, and p of the sign test of whose predictions are nearer to the "
    "truth. --json then has these: rmse, rmse_low, rmse_high, mae, r2, bias, log_density, "
    "coverage, width, rmse_against_best{}, log_density_against_best{}, nearer, best_nearer, "
    "sign_p. bic and aic take the likelihood of the weights and the noise as fitted; "
    "bits y|x, and holdout, average over both.",
    "--json gives for cv {keys compare}; for regressions each model has {keys compare-numbers}. "
    "For the other criteria it gives {keys accounts}. With --each it gives chi_square, p, f, p_f, "
    "critical_difference and models[] with name, rank, mean and accuracy[] (of numbers r2[]) of "
    "each data set; with --curve repeats, tested and points[] with what credence curve gives and "
    "p. "
    "--csv gives a table of the same.",
    NULL,
};

static const option own[] = {
    {"model", 'm', OPTION_TEXT, "LEARNER[:KNOB=VALUE...],...",
     "What to compare, or all: credence help knobs lists the knobs. May be repeated."},
    {"criterion", 0, OPTION_CHOICE, "cv|mdl|joint|mistakes|penalty|bic|aic|evidence|holdout",
     "What makes a model good. Default: cv, or holdout where there is --holdout."},
    CALIBRATE_OPTION,
    {"param", 'p', OPTION_PAIR, "KEY=VALUE", "Turn a knob of every learner."},
    {"curve", 0, OPTION_FLAG, NULL,
     "Compare at growing sizes, as credence curve does, with a paired test at each."},
    {"surface", 0, OPTION_FLAG, NULL,
     "Draw what each decides over two real features, having learned all rows."},
    {"x", 'x', OPTION_TEXT, "COLUMN", "Of a surface: what goes to the right."},
    {"y", 'y', OPTION_TEXT, "COLUMN", "Of a surface: what goes up. Default: what tells most."},
    {"margins", 0, OPTION_FLAG, NULL,
     "Of a surface: densities of the classes along both axes, where a learner has them."},
    {"each", 0, OPTION_FLAG, NULL,
     "Every operand is a data set of its own: rank the learners over all of them."},
    {"by", 0, OPTION_TEXT, "METRIC",
     "Metric that decides which learner is best. Default: log_loss; cost with --cost; log_density "
     "for regressions."},
    {"lambda", 0, OPTION_TEXT, "X",
     "What a parameter costs in --criterion penalty. Default: ln n / 2n for n rows."},
    {"holdout", 0, OPTION_TEXT, "FILE", "Labelled rows that are not learned, to compare on."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group,      &deal_options,    &decide_options,
                                             &curve_options,  &picture_options, &data_options,
                                             &column_options, &basis_options,   NULL};

static const example examples[] = {
    {"credence compare iris.csv -m nb,nb:variance=class-feature,nb:variance=shared",
     "How many variances are best on rows not seen?"},
    {"credence compare iris.csv -m nb,nb:variance=class-feature --criterion mdl",
     "In how many bits are they written down?"},
    {"credence compare animals.csv --type name=ignore -t class -m nb,joint --criterion evidence",
     "Is the naive assumption right?"},
    {"credence compare people.csv -m nb,logistic --surface -x height -y weight --plot two.svg",
     "Where do they draw the line?"},
    {"credence compare train.csv -m nb,nb:alpha=0.1 --holdout test.csv",
     "By the classes of rows that neither has seen."},
    {"credence compare houses.csv -m linear,linear:lambda=evidence -k 4",
     "Least squares, or a prior chosen by the evidence?"},
    {0},
};

const verb verb_compare = {
    .name = "compare",
    .operands = "[DATA...]",
    .most = SIZE_MAX,
    .summary = "find out which learner is best on the same rows",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "combine train test",
    .run = run,
};
