/* cli/verbs/show.c - credence show: what a model knows. */
#include <stdlib.h>
#include <string.h>

#include "show/describe.h"
#include "show/linear.h"
#include "show/members.h"
#include "network/network.h"
#include "out/json.h"
#include "out/out.h"
#include "session/reserve.h"
#include "session/session.h"
#include "show/show.h"
#include "show/weights.h"
#include "verbs/verbs.h"

enum { TOP = 10, CLASSES_SHOWN = 20 };

/* All features, the most informative first, or the one whose name is given. */
static cr_feature_rank *rank_features(const cr_model *model, const char *only, size_t *count)
{
    const cr_schema *schema = cr_model_schema(model);
    cr_feature_rank *features = reserve(cr_schema_columns(schema), sizeof *features);
    const size_t all = cr_model_rank_features(model, features);

    *count = 0;
    for (size_t i = 0; i < all; i++)
        if (only == NULL || strcmp(cr_schema_name(schema, features[i].column), only) == 0)
            features[(*count)++] = features[i];
    return features;
}

static int unknown_feature(const cr_model *model, const char *name)
{
    const cr_schema *schema = cr_model_schema(model);
    cr_nearest n = {.wanted = name};
    char hint[300] = "credence show --all lists the features";

    for (size_t i = 0; i < cr_schema_columns(schema); i++)
        cr_nearest_offer(&n, cr_schema_name(schema, i));
    if (n.best != NULL)
        snprintf(hint, sizeof hint, "did you mean '%s'?", n.best);
    return misuse(hint, "the model has no feature '%s'", name);
}

int show_json(const request *r, const cr_model *model, double level)
{
    const cr_model_json_options how = {
        .name = r->operands[0],
        .feature = option_text(r, "feature"),
        .node = option_text(r, "node"),
        .top = option_given(r, "all")
                   ? 0
                   : option_count(r, "top", option_given(r, "feature") ? 0 : TOP),
        .level = level,
        .evidence = option_given(r, "evidence")};
    cr_output *out = output_kept();
    cr_error err = {0};
    const cr_status status = cr_model_json(model, &how, &r->run, out, &err);

    return output_print(out, status, &err);
}

/* Written row by row: a vocabulary may be large. */
static int show_csv(const request *r, const cr_model *model)
{
    cr_output *out = output_to(stdout);
    cr_error err = {0};
    const cr_status status = cr_model_csv(model, option_text(r, "feature"), out, &err);

    cr_output_free(out);
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

static int present(const request *r, exhibit *x)
{
    const char *only = option_text(r, "feature");
    cr_feature_rank *features = rank_features(x->model, only, &x->feature_count);
    int code = EXIT_DONE;

    x->features = features;
    x->one = only != NULL;
    x->top = option_given(r, "all") ? 0 : option_count(r, "top", x->one ? 0 : TOP);
    if (x->one && x->feature_count == 0)
        code = unknown_feature(x->model, only);
    else if (x->one && has_weights(x->model))
        show_weights(x);
    else if (x->one)
        show_feature(x, &x->features[0], true);
    else
        show_model(x);
    free(features);
    return code;
}

/* The one that was asked for; else all, the largest first if there are many. Free it. */
static size_t *pick_classes(const request *r, exhibit *x, int *code)
{
    const char *only = option_text(r, "class");
    size_t *classes = classes_by_size(x->model);

    x->class_count = cr_model_classes(x->model);
    x->class_limit = option_given(r, "all") ? 0 : CLASSES_SHOWN;
    if (x->class_count <= CLASSES_SHOWN)
        for (size_t c = 0; c < x->class_count; c++)
            classes[c] = c;
    if (only != NULL && (*code = find_class(x->model, only, &classes[0])) == EXIT_DONE)
        x->class_count = 1;
    return classes;
}

static int find_evidence(exhibit *x)
{
    cr_error err = {0};
    cr_status status = cr_model_evidence(x->model, &x->log_evidence, &err);

    x->evidence = true;
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

/* The statistics must be readable, which a damaged file or lack of memory may prevent. */
static int check_facts(const cr_model *model)
{
    cr_model_facts facts;
    cr_error err = {0};
    const cr_status status = cr_model_get_facts(model, &facts);

    snprintf(err.message, sizeof err.message, "%s", cr_status_text(status));
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

static int run(request *r)
{
    cr_model *model = NULL;
    size_t *classes;
    exhibit x = {.path = r->operands[0]};
    int code = open_model(&model, r, 0);

    if (code == EXIT_DONE && (code = check_facts(model)) != EXIT_DONE)
        cr_model_free(model);
    if (code != EXIT_DONE)
        return code;
    if (cr_model_members(model) > 0) {
        members_show(r, model, r->operands[0]);
        cr_model_free(model);
        return EXIT_DONE;
    }
    if (cr_network_nodes(model) > 0) {
        code = network_show(r, model);
        cr_model_free(model);
        return code;
    }
    if (is_linear(model)) {
        code = linear_show(r, model);
        cr_model_free(model);
        return code;
    }
    if (r->json) {
        code = show_json(r, model, 0);
        note_remarks(model);
        cr_model_free(model);
        return code;
    }
    x.model = model;
    if (option_given(r, "evidence") && (code = find_evidence(&x)) != EXIT_DONE) {
        cr_model_free(model);
        return code;
    }
    x.classes = classes = pick_classes(r, &x, &code);
    if (code == EXIT_DONE)
        code = r->csv ? show_csv(r, model) : present(r, &x);
    note_remarks(model);
    free(classes);
    cr_model_free(model);
    return code;
}

static const char *const about[] = {
    "Shows where a model comes from, how many parameters it has (and how many a table of every "
    "combination of the same symbols would need), its classes with their priors, and its "
    "features, the most informative first: for symbols P(value | class), for numbers the mean and "
    "standard deviation (of a sample, divided by n - 1) in each class and those that the model "
    "uses, for texts the words that are the strongest evidence for each class.",
    "The information of a feature is its mutual information with the class, in bits, under the "
    "fitted model. A feature of 0 bits changes no answer. With more than 300 classes real features "
    "are not ranked and come last, as texts do, whose words are ranked one by one. The log-odds of "
    "a word are what one occurrence adds for the class against the others.",
    "--evidence adds the marginal likelihood of what was learned, by which models of one data "
    "set are compared. Priors are those of the knobs; where they ask for maximum likelihood, a "
    "flat prior is used.",
    "A logistic regression shows how it was fitted and its weights instead: what a unit of each "
    "feature adds to the log-odds of a class, with the standard error and the 95 % interval of the "
    "Laplace approximation, the strongest first (a real by its deviation). --json adds fit{} and "
    "weights[], whose numbers stand in the order of classes[]; --csv has a line for "
    "each weight and class.",
    "For a Bayesian network it shows variables, arcs, parameters, what exact inference takes, and "
    "the Markov blanket of the target or of --node.",
    "--json gives everything: model, learner, target, missing, rows, weight, parameters, "
    "joint_parameters, joint_log10, conditional_parameters, format, version, fingerprint, knobs{}, "
    "calibration, classes[] (name, count, prior), features[] (name, kind, why, bits) with values[] "
    "(value, count[], probability[]), gaussian[] (class, count, mean, variance_mle, "
    "variance_unbiased, fitted_mean, fitted_variance, freedom), or telling{} (word, log_odds, "
    "terms, documents) and words[] (word, terms[], documents[], log_share[]). A regression has "
    "fit{}, level and weights[] (column, weight, error, low, high), an ensemble members[] (name, "
    "learner, rows, fingerprint, prior, log_likelihood, stacking, accuracy, weight), a network "
    "variables, arcs, exact (largest_clique, cells, bytes, operations) and nodes[] (name, "
    "states[], "
    "parents[], children[]). --csv has a line for each feature, value or word, and class.",
    NULL,
};

static const option own[] = {
    {"top", 0, OPTION_COUNT, "N",
     "Features to show, and values or words of each. Default: 10; all values with --feature."},
    {"all", 'A', OPTION_FLAG, NULL, "Show all features, values, words and classes."},
    {"feature", 'F', OPTION_TEXT, "NAME", "Only this feature, with its counts."},
    {"class", 0, OPTION_TEXT, "NAME",
     "Only this class in the tables of features. Default: as many as fit, the largest first."},
    {"node", 0, OPTION_TEXT, "NAME",
     "Of a Bayesian network: this variable, with its table and Markov blanket. Default: the "
     "target."},
    {"interval", 0, OPTION_TEXT, "PERCENT", "Of the weights of a linear regression. Default: 95."},
    {"evidence", 0, OPTION_FLAG, NULL,
     "Also ln P(data): how probable the rows are when all parameters are integrated out."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, NULL};

static const example examples[] = {
    {"credence show iris.model", "The facts and the ten most telling features."},
    {"credence show --feature petal_width iris.model", "All about one of them."},
    {"credence show --class Sports sports.model", "The words that speak most for a class."},
    {"credence show --json iris.model | jq -c '.features[] | {name, bits}'",
     "The information of each feature, for a program."},
    {0},
};

const verb verb_show = {
    .name = "show",
    .operands = "MODEL",
    .least = 1,
    .most = 1,
    .summary = "show what a model knows, the most telling features first",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "explain train refit",
    .run = run,
};
