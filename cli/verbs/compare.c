/* cli/verbs/compare.c - credence compare: which model accounts for the data in the fewest bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/compare_folds.h"
#include "evaluate/curve.h"
#include "show/linear.h"
#include "out/json.h"
#include "out/progress.h"
#include "out/table.h"
#include "out/text.h"
#include "plot/result.h"
#include "session/reserve.h"
#include "session/session.h"
#include "evaluate/study.h"
#include "verbs/verbs.h"

/* How a candidate does. */
typedef struct candidate {
    cr_spec spec;
    cr_likelihood likelihood, held_out;
    cr_criteria criteria;
    bool numbers; /* are predicted, not classes */
} candidate;

/* A way to tell which is best. The one with the least cost is; a cost of NaN is none. */
typedef struct criterion {
    const char *name, *title;
    double (*cost)(const candidate *c);
} criterion;

typedef struct contest {
    candidate *all;
    size_t count;
    const criterion *by;
    bool has_holdout;
    size_t best; /* SIZE_MAX: none */
    cr_tally tally;
} contest;

/* --- criteria ----------------------------------------------------------------------------- */

static double mdl_cost(const candidate *c)
{
    return c->criteria.mdl;
}
static double bic_cost(const candidate *c)
{
    return c->criteria.bic;
}
static double aic_cost(const candidate *c)
{
    return c->criteria.aic;
}
static double evidence_cost(const candidate *c)
{
    return -c->criteria.log_evidence / log(2);
}
static double holdout_cost(const candidate *c)
{
    return -c->held_out.conditional / log(2);
}

static const criterion criteria[] = {
    {"mdl", "minimum description length, in bits", mdl_cost},
    {"bic", "BIC", bic_cost},
    {"aic", "AIC", aic_cost},
    {"evidence", "evidence, -log2 P(data), in bits", evidence_cost},
    {"holdout", "held-out targets, in bits", holdout_cost},
};

static const criterion *find_criterion(const char *name)
{
    for (size_t i = 0; i < sizeof criteria / sizeof *criteria; i++)
        if (strcmp(criteria[i].name, name) == 0)
            return &criteria[i];
    return NULL;
}

static double hypothesis_bits(const candidate *c)
{
    return c->criteria.parameter_bits + c->criteria.knob_bits;
}

static void find_best(contest *k)
{
    k->best = SIZE_MAX;
    for (size_t i = 0; i < k->count; i++)
        if (!isnan(k->by->cost(&k->all[i])) &&
            (k->best == SIZE_MAX || k->by->cost(&k->all[i]) < k->by->cost(&k->all[k->best])))
            k->best = i;
}

/* --- who takes part ----------------------------------------------------------------------- */

static void take_candidates(contest *k, const request *r)
{
    cr_spec *specs;

    read_candidates(&specs, &k->count, r);
    k->all = reserve(k->count, sizeof *k->all);
    for (size_t i = 0; i < k->count; i++)
        k->all[i].spec = specs[i];
    free(specs);
}

static void free_contest(contest *k)
{
    cr_spec *specs = reserve(k->count + 1, sizeof *specs);

    for (size_t i = 0; i < k->count; i++)
        specs[i] = k->all[i].spec;
    free_candidates(specs, k->count);
    free(k->all);
}

/* --- the contest -------------------------------------------------------------------------- */

/* Turn the knobs of a model that is trained already to those of a candidate: what it does not name
 * goes back to its default. CR_EARG: some of them are settled by training. */
static cr_status turn(cr_model *model, const candidate *c)
{
    char **params = NULL;
    size_t count = 0;
    cr_knob knob;
    cr_status status;

    for (; cr_model_knob(model, count, &knob) == CR_OK; count++) {
        params = reserve_more(params, count + 1, sizeof *params);
        params[count] = reserve(strlen(knob.name) + strlen(knob.fallback) + 2, 1);
        stpcpy(stpcpy(stpcpy(params[count], knob.name), "="), knob.fallback);
    }
    params = reserve_more(params, count + c->spec.param_count, sizeof *params);
    for (size_t i = 0; i < c->spec.param_count; i++)
        params[count + i] = c->spec.params[i];
    status = cr_model_refit(model, (const char *const *)params, count + c->spec.param_count, NULL);
    for (size_t i = 0; i < count; i++)
        free(params[i]);
    free(params);
    return status;
}

/* The candidate's model: counts that are there already serve again where only knobs differ. */
static cr_status learn(cr_model **model, const candidate *c, cr_source *source, const cr_run *run,
                       cr_tally *tally, cr_error *err)
{
    if (*model != NULL && strcmp(cr_model_learner(*model), c->spec.learner) == 0 &&
        turn(*model, c) == CR_OK)
        return CR_OK;
    cr_model_free(*model);
    *model = NULL;
    return cr_model_train(model, source, c->spec.learner, (const char *const *)c->spec.params,
                          c->spec.param_count, run, tally, err);
}

static int fail_candidate(const candidate *c, const request *r, cr_source **source,
                          cr_status status, cr_error *err)
{
    if (err->file[0] == '\0')
        snprintf(err->file, sizeof err->file, "%s", c->spec.name);
    return fail_data(r, source, status, err);
}

static int judge(contest *k, candidate *c, cr_model **model, const request *r, cr_source **source,
                 cr_source **holdout, const cr_run *run)
{
    cr_error err = {0};
    cr_status status = learn(model, c, *source, run, &k->tally, &err);

    if (status != CR_OK)
        return fail_candidate(c, r, source, status, &err);
    if (cr_model_target(*model) == SIZE_MAX)
        return misuse("-t COLUMN names it", "%s needs to know which column is to be predicted",
                      c->spec.name);
    c->numbers = answers_numbers(*model);
    if (!k->all[0].numbers != !c->numbers)
        return misuse("learners of classes, or of numbers", "%s predicts a number and %s a class",
                      c->numbers ? c->spec.name : k->all[0].spec.name,
                      c->numbers ? k->all[0].spec.name : c->spec.name);
    status = cr_model_likelihood(*model, *source, NULL, run, &c->likelihood, NULL, &err);
    if (status != CR_OK)
        return fail_candidate(c, r, source, status, &err);
    cr_model_criteria(*model, &c->likelihood, &c->criteria);
    if (*holdout != NULL && (status = cr_model_likelihood(*model, *holdout, NULL, run, &c->held_out,
                                                          NULL, &err)) != CR_OK)
        return fail_candidate(c, r, holdout, status, &err);
    return EXIT_DONE;
}

static int hold(contest *k, const request *r, cr_source **source, cr_source **holdout, cr_run *run)
{
    cr_model *model = NULL;
    progress watch;
    int code = EXIT_DONE;

    progress_begin(&watch, "comparing", run);
    for (size_t i = 0; i < k->count && code == EXIT_DONE; i++)
        code = judge(k, &k->all[i], &model, r, source, holdout, run);
    progress_end(&watch);
    cr_model_free(model);
    return code;
}

/* --- the result --------------------------------------------------------------------------- */

static void number_or_nothing(table *t, double x)
{
    if (isnan(x))
        table_text(t, "");
    else
        table_number(t, number_plain, x);
}

/* By description length: what it is made of. By another criterion: that one instead. */
static void report_table(const contest *k, const char *from)
{
    const double least = k->best == SIZE_MAX ? NAN : k->by->cost(&k->all[k->best]);
    const bool mdl = k->by->cost == mdl_cost;
    char rows[NUMBER_ROOM];
    table *t = table_new();

    out_line("%s: %s rows, %zu model%s by %s\n", from,
             number_plain(rows, k->all[0].likelihood.rows), k->count, plural(k->count),
             k->by->title);
    table_column(t, "", TABLE_LEFT);
    table_column(t, "model", TABLE_WHOLE);
    table_column(t, "k", TABLE_RIGHT);
    if (mdl)
        table_column(t, "bits h", TABLE_RIGHT);
    table_column(t, "bits D|h", TABLE_RIGHT);
    table_column(t, mdl ? "total" : k->by->name, TABLE_RIGHT);
    table_column(t, "behind", TABLE_RIGHT);
    table_column(t, k->all[0].numbers ? "bits y|x" : "bits c|x", TABLE_RIGHT);
    for (size_t i = 0; i < k->count; i++) {
        const candidate *c = &k->all[i];

        table_text(t, i == k->best ? "*" : "");
        table_text(t, c->spec.name);
        table_number(t, number_plain, c->criteria.parameters);
        if (mdl)
            table_number(t, number_plain, hypothesis_bits(c));
        table_number(t, number_plain, c->criteria.data_bits);
        number_or_nothing(t, k->by->cost(c));
        if (i == k->best)
            table_text(t, "");
        else
            number_or_nothing(t, k->by->cost(c) - least);
        table_number(t, number_plain, c->criteria.class_bits);
    }
    table_print(t, 0, true);
    table_free(t);
}

static void candidate_json(json *j, const contest *k, size_t i)
{
    const candidate *c = &k->all[i];

    json_object(j, NULL, JSON_BLOCK);
    json_text(j, "name", c->spec.name);
    json_text(j, "learner", c->spec.learner);
    json_bool(j, "best", i == k->best);
    json_number(j, "parameters", c->criteria.parameters);
    json_number(j, "log_likelihood", c->likelihood.joint);
    json_number(j, "log_conditional", c->likelihood.conditional);
    json_number(j, "impossible", c->likelihood.impossible);
    json_number(j, "parameter_bits", c->criteria.parameter_bits);
    json_number(j, "knob_bits", c->criteria.knob_bits);
    json_number(j, "data_bits", c->criteria.data_bits);
    json_number(j, "class_bits", c->criteria.class_bits);
    json_number(j, "mdl", c->criteria.mdl);
    json_number(j, "bic", c->criteria.bic);
    json_number(j, "aic", c->criteria.aic);
    json_number(j, "log_evidence", c->criteria.log_evidence);
    if (k->has_holdout) {
        json_number(j, "holdout_rows", c->held_out.rows);
        json_number(j, "holdout_log_likelihood", c->held_out.joint);
        json_number(j, "holdout_log_conditional", c->held_out.conditional);
        json_number(j, "holdout_bits", holdout_cost(c));
    }
    json_end(j);
}

static void report_json(const contest *k)
{
    json j;

    json_start(&j, stdout);
    json_object(&j, NULL, JSON_BLOCK);
    json_number(&j, "rows", k->all[0].likelihood.rows);
    json_number(&j, "unlabelled", (double)k->tally.unlabelled);
    json_text(&j, "criterion", k->by->name);
    json_text(&j, "best", k->best == SIZE_MAX ? NULL : k->all[k->best].spec.name);
    json_array(&j, "models", JSON_BLOCK);
    for (size_t i = 0; i < k->count; i++)
        candidate_json(&j, k, i);
    json_end(&j);
    json_end(&j);
}

static void report_csv(const contest *k)
{
    static const char *const column[] = {"parameters",  "parameter_bits", "knob_bits", "data_bits",
                                         "mdl",         "class_bits",     "bic",       "aic",
                                         "log_evidence"};
    table *t = table_new();

    table_column(t, "model", TABLE_LEFT);
    for (size_t i = 0; i < sizeof column / sizeof *column; i++)
        table_column(t, column[i], TABLE_RIGHT);
    if (k->has_holdout)
        table_column(t, "holdout_bits", TABLE_RIGHT);
    for (size_t i = 0; i < k->count; i++) {
        const candidate *c = &k->all[i];
        const double value[] = {c->criteria.parameters,  c->criteria.parameter_bits,
                                c->criteria.knob_bits,   c->criteria.data_bits,
                                c->criteria.mdl,         c->criteria.class_bits,
                                c->criteria.bic,         c->criteria.aic,
                                c->criteria.log_evidence};

        table_text(t, c->spec.name);
        for (size_t n = 0; n < sizeof value / sizeof *value; n++)
            number_or_nothing(t, value[n]);
        if (k->has_holdout)
            table_number(t, number_plain, holdout_cost(c));
    }
    table_csv(t);
    table_free(t);
}

static void report(const request *r, const contest *k)
{
    char from[256];

    if (r->json)
        report_json(k);
    else if (r->csv)
        report_csv(k);
    else
        report_table(k, data_name(r, 0, from, sizeof from));
    if (k->tally.unlabelled != 0)
        note("%llu row%s without %s left out", (unsigned long long)k->tally.unlabelled,
             plural(k->tally.unlabelled), k->all[0].numbers ? "the target" : "a class");
    for (size_t i = 0; i < k->count; i++)
        if (isnan(k->by->cost(&k->all[i])))
            note("%s has no %s", k->all[i].spec.name, k->by->name);
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

static int run(request *r)
{
    const char *by = option_text(r, "criterion");
    contest k = {.has_holdout = option_given(r, "holdout")};
    cr_source *source = NULL, *holdout = NULL;
    int code;

    if (!option_given(r, "model"))
        return misuse("such as -m nb,nb:variance=class-feature",
                      "compare needs -m, what is to be compared");
    if (option_given(r, "curve"))
        return compare_curves(r);
    if (option_given(r, "surface"))
        return compare_surface(r);
    if (option_given(r, "plot"))
        return misuse("add --curve or --surface", "--plot draws learning curves or surfaces");
    if (option_given(r, "each"))
        return compare_sets(r);
    if (by != NULL ? strcmp(by, "cv") == 0 : !k.has_holdout)
        return compare_folds(r);
    k.by = find_criterion(by != NULL ? by : "holdout");
    if (k.by->cost == holdout_cost && !k.has_holdout)
        return misuse("--holdout FILE names them",
                      "--criterion holdout needs rows that were not learned");
    take_candidates(&k, r);
    if ((code = open_data(&source, r, 0, NULL)) == EXIT_DONE &&
        (code = open_holdout(&holdout, r)) == EXIT_DONE &&
        (code = hold(&k, r, &source, &holdout, &r->run)) == EXIT_DONE) {
        find_best(&k);
        report(r, &k);
    }
    close_data(&source);
    close_data(&holdout);
    free_contest(&k);
    return code;
}

static const char *const about[] = {
    "Compares learners on rows that they have not seen, on the same folds: one table with "
    "accuracy and its interval, log loss, parameters, size of the model file and seconds, the best "
    "by log loss with a star; and each of the others against it: the difference of accuracy, p of "
    "the corrected paired t test and of McNemar's, the probabilities that it is worse, as good "
    "(within one percent) or better, and the difference of log loss. --curve does so at growing "
    "sizes, against the first, and --plot draws that. --each takes every operand as a data set of "
    "its own and gives mean "
    "ranks with Friedman's test, Nemenyi's critical difference and the Bayesian signed rank test. "
    "--surface trains them on all rows and draws what each decides over -x and -y, as credence "
    "plot surface does: to the terminal, or with --plot to a file.",
    "--criterion mdl and the others train models on all rows and tell which accounts for them best "
    "without having been told too much. Each is a learner with knobs, nb:variance=class-feature; "
    "models that differ only in "
    "knobs share one reading of the data. The best by the criterion is marked with a star.",
    "mdl, minimum description length: the bits to write down the hypothesis (half of log2 n for "
    "each parameter, and the knobs that are not at their defaults) and the bits to write down the "
    "data given it, -log2 P(D|h), rows and classes together; bits c|x are those of the classes "
    "alone, given the rows. bic and aic charge k ln n and 2 k "
    "for k parameters. evidence is the probability of the data with all parameters integrated "
    "out, where the learner has it. holdout is the probability of the classes of other rows, "
    "--holdout FILE. Less is better, and a difference of one bit is a factor of two.",
    "Learners of numbers (linear) are compared by RMSE, MAE, R², log density (log p) and the "
    "coverage "
    "of 95 % intervals, the best by log density with a star; against it stand the difference of "
    "RMSE with p and the probabilities that it is worse, as good (within one percent) or better, "
    "the difference of log density, and p of the sign test of whose predictions are nearer to the "
    "truth. --json then has these: rmse, rmse_low, rmse_high, mae, r2, bias, "
    "log_density, coverage, width, rmse_against_best{}, log_density_against_best{}, nearer, "
    "best_nearer, sign_p. bic and aic take the likelihood of the weights and the noise as fitted; "
    "bits y|x, and holdout, average over both.",
    "--json gives for cv rows, unlabelled, criterion, best, folds, repeats, rope and models[] "
    "(name, best, accuracy, accuracy_low, accuracy_high, log_loss, log_loss_low, log_loss_high, "
    "balanced_accuracy, brier, ece, mce, macro_f1, micro_f1, weighted_f1, mcc, kappa, roc_area, "
    "pr_area, parameters, bytes, seconds, accuracy_against_best{}, log_loss_against_best{}, "
    "only_right, only_best_right, mcnemar_p); for the others rows, unlabelled, criterion, best, "
    "models[] "
    "(name, learner, best, parameters, "
    "log_likelihood, log_conditional, impossible, parameter_bits, knob_bits, data_bits, "
    "class_bits, mdl, bic, aic, log_evidence, and with --holdout holdout_rows, "
    "holdout_log_likelihood, holdout_log_conditional, holdout_bits). --csv gives a table of the "
    "same.",
    NULL,
};

static const option own[] = {
    {"model", 'm', OPTION_TEXT, "LEARNER[:KNOB=VALUE...],...",
     "What to compare: credence help knobs lists the knobs. As often as you like."},
    {"criterion", 0, OPTION_CHOICE, "cv|mdl|bic|aic|evidence|holdout",
     "What makes a model good. Default: cv, or holdout where there is --holdout."},
    {"param", 'p', OPTION_PAIR, "KEY=VALUE", "Turn a knob of every learner."},
    {"curve", 0, OPTION_FLAG, NULL,
     "Compare at growing sizes, as credence curve does, with a paired test at each."},
    {"surface", 0, OPTION_FLAG, NULL,
     "Draw what each decides over two real features, having learned all rows."},
    {"x", 'x', OPTION_TEXT, "COLUMN", "Of a surface: what goes to the right."},
    {"y", 'y', OPTION_TEXT, "COLUMN", "Of a surface: what goes up. Default: what tells most."},
    {"each", 0, OPTION_FLAG, NULL,
     "Every operand is a data set of its own: rank the learners over all of them."},
    {"holdout", 0, OPTION_TEXT, "FILE", "Labelled rows that are not learned, to compare on."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {
    &own_group,      &deal_options, &curve_options, &picture_options, &data_options,
    &column_options, NULL};

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
    .summary = "tell which learner is best on the same rows",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "combine train test",
    .run = run,
};
