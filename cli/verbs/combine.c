/* cli/verbs/combine.c - credence combine: several models answer as one. */
#include <stdlib.h>
#include <string.h>

#include "show/describe.h"
#include "show/members.h"
#include "out/json.h"
#include "out/progress.h"
#include "out/text.h"
#include "session/reserve.h"
#include "session/session.h"
#include "verbs/verbs.h"

typedef struct union_of {
    cr_model **member; /* [count] */
    size_t count;
    const char *path;
    cr_tally tally;
    double seconds;
} union_of;

/* --- the result --------------------------------------------------------------------------- */

static void report(const request *r, const union_of *u, const cr_model *model)
{
    char number[NUMBER_ROOM], knobs[512];

    if (strcmp(u->path, "-") == 0)
        return; /* the model goes to standard output */
    if (r->json) {
        cr_output *out = output_kept();

        output_print(out, cr_combination_json(model, u->path, &u->tally, u->seconds, out), NULL);
    } else if (r->csv) {
        members_csv(model);
    } else if (!out_is_quiet()) {
        if (u->tally.rows > 0)
            printf("%s: %zu models, weighed by %llu %s row%s in %s\n", u->path, u->count,
                   (unsigned long long)u->tally.rows,
                   option_given(r, "learned") ? "learned" : "held-out", plural(u->tally.rows),
                   number_seconds(number, u->seconds));
        else
            printf("%s: %zu models\n", u->path, u->count);
        out_line("Knobs: %s\n", cr_show_knobs(knobs, sizeof knobs, model));
        members_print(model);
    }
    if (u->tally.unlabelled != 0)
        note("%llu %srow%s without a class that the models know left out",
             (unsigned long long)u->tally.unlabelled, option_given(r, "learned") ? "" : "held-out ",
             plural(u->tally.unlabelled));
}

/* --- the verb ----------------------------------------------------------------------------- */

static int open_members(union_of *u, const request *r)
{
    int code = EXIT_DONE;

    u->count = r->operand_count;
    u->member = reserve(u->count, sizeof *u->member);
    for (size_t i = 0; i < u->count && code == EXIT_DONE; i++)
        code = open_model(&u->member[i], r, i);
    return code;
}

/* The rows that give the weights are not operands but are read like operands. */
static int open_rows(cr_source **out, const request *r, const cr_model *model)
{
    const char *path = option_text(r, option_given(r, "learned") ? "learned" : "data");
    request heldout = *r;

    *out = NULL;
    if (path == NULL)
        return EXIT_DONE;
    heldout.operands = &path;
    heldout.operand_count = 1;
    return open_data(out, &heldout, 0, model);
}

/* The knobs, and the seed that every verb has. */
static char **read_params(const request *r, size_t *count)
{
    const char **given = option_pairs(r, "param", count);
    char **params = reserve(*count + 1, sizeof *params), seed[40];

    for (size_t i = 0; i < *count; i++)
        params[i] = reserve_text(given[i]);
    free(given);
    if (option_given(r, "seed")) {
        snprintf(seed, sizeof seed, "seed=%s", option_text(r, "seed"));
        params[(*count)++] = reserve_text(seed);
    }
    return params;
}

static int combine(const request *r, union_of *u, cr_source **source, cr_run *run)
{
    size_t count;
    char **params = read_params(r, &count);
    cr_model *model = NULL;
    cr_error err = {0};
    progress watch;
    cr_status status;
    int code = EXIT_DONE;

    progress_begin(&watch, "weighing", run);
    status = (option_given(r, "learned") ? cr_model_combine_learned : cr_model_combine)(
        &model, (const cr_model *const *)u->member, r->operands, u->count, *source,
        (const char *const *)params, count, run, &u->tally, &err);
    u->seconds = progress_end(&watch);
    if (status == CR_EARG && strstr(err.message, "needs held-out rows") != NULL)
        snprintf(
            err.hint, sizeof err.hint,
            "--learned ROWS names what they learned, --data HELDOUT rows that none of them has "
            "learned; -p weights=equal does without");
    if (status != CR_OK)
        code = fail_data(r, source, status, &err);
    else if ((code = save_model(model, u->path)) == EXIT_DONE)
        report(r, u, model);
    for (size_t i = 0; i < count; i++)
        free(params[i]);
    free(params);
    cr_model_free(model);
    return code;
}

static int run(request *r)
{
    union_of u = {.path = option_text(r, "output")};
    cr_source *source = NULL;
    int code;

    if (u.path == NULL)
        return misuse("credence combine -o OUT A B... --data HELDOUT",
                      "combine needs -o, a file for the result");
    if (option_given(r, "data") && option_given(r, "learned"))
        return misuse("--learned ROWS",
                      "--data has rows that none has learned, --learned those that all have");
    if ((code = check_output(u.path, r, r->operand_count)) == EXIT_DONE &&
        (code = open_members(&u, r)) == EXIT_DONE &&
        (code = open_rows(&source, r, u.member[0])) == EXIT_DONE)
        code = combine(r, &u, &source, &r->run);
    close_data(&source);
    for (size_t i = 0; i < u.count; i++)
        cr_model_free(u.member[i]);
    free(u.member);
    return code;
}

static const char *const about[] = {
    "Makes one model of several: the Bayes optimal classifier, which asks all of them and mixes "
    "their probabilities, each by its weight. The weight of a model is its posterior probability, "
    "its prior times the probability that it gives to the labels of held-out rows; -p "
    "weights=accuracy takes the share of them that it is right about for that, -p "
    "weights=stacking takes the weights that make the mixture score best on them, -p "
    "weights=equal needs no rows. With -p rule=gibbs one model is drawn for each row by its weight "
    "and answers alone.",
    "The result is a model like any other for predict, test, explain and show; the models are "
    "inside it. It keeps no counts of its own, so it does not learn or merge, but its knobs can "
    "be turned with refit, weights and rule among them.",
    "The models must have the same target and classes. Their columns may differ: they are matched "
    "by name, and those of one name must be of one kind. Held-out rows are rows that none of the "
    "models has learned: on what it has learned, the model that was fitted most closely wins.",
    "--learned needs none: its rows are dealt into ten folds, and each model answers those of a "
    "fold without having learned them. They are taken back from it; where that cannot be done, as "
    "for logistic regression and trees, the same learner learns the other rows of ROWS.",
    "--json gives model, rows (held out), unlabelled, seconds, fingerprint, knobs{}, members[] "
    "(name, learner, rows, fingerprint, prior, log_likelihood, stacking, accuracy, weight). --csv "
    "gives the table of members.",
    NULL,
};

static const option own[] = {
    {"output", 'o', OPTION_TEXT, "OUT", "File for the result; required."},
    {"data", 'D', OPTION_TEXT, "HELDOUT",
     "Labelled rows that no model has learned, which give the weights; - is standard input."},
    {"learned", 'L', OPTION_TEXT, "ROWS",
     "Labelled rows that all models have learned, which give the weights by cross-validation."},
    {"param", 'p', OPTION_PAIR, "KEY=VALUE",
     "Turn a knob: weights=HOW (posterior, accuracy, stacking or equal), prior=MODEL:P,..., "
     "rule=optimal|gibbs, seed=N. May be repeated."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, &data_options, NULL};

static const example examples[] = {
    {"credence combine -o mix.model a.model b.model c.model --data heldout.csv",
     "Weighed by what they say of rows that none of them has seen."},
    {"credence combine -o mix.model a.model b.model --data heldout.csv -p weights=stacking",
     "The mixture that predicts these rows best."},
    {"credence combine -o mix.model a.model b.model --learned data.csv -p weights=stacking",
     "Nothing is held out: each row is answered by models without it."},
    {"credence refit mix.model -p rule=gibbs", "Draw a model for each row from now on."},
    {0},
};

const verb verb_combine = {
    .name = "combine",
    .operands = "MODEL MODEL...",
    .least = 2,
    .most = SIZE_MAX,
    .summary = "make several models answer as one",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "compare merge hypotheses",
    .run = run,
};
