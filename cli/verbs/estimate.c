/* cli/verbs/estimate.c - credence estimate: shares, means and rates, with a prior. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "estimate/estimate.h"
#include "out/json.h"
#include "out/out.h"
#include "out/sheet.h"
#include "verbs/verbs.h"

static int take_level(const char *text, double *level)
{
    char *end;

    *level = 0.95;
    if (text == NULL)
        return EXIT_DONE;
    *level = strtod(text, &end);
    if (end == text || *end != '\0' || !(*level > 0 && *level < 1))
        return misuse("such as 0.95", "the level '%s' is not between 0 and 1", text);
    return EXIT_DONE;
}

static int take_kind(const request *r, cr_prior_of *kind)
{
    bool gaussian = option_given(r, "gaussian"), poisson = option_given(r, "poisson");

    *kind = gaussian ? CR_PRIOR_NORMAL : poisson ? CR_PRIOR_RATE : CR_PRIOR_SHARES;
    if (gaussian && poisson)
        return misuse(NULL, "--gaussian and --poisson exclude each other");
    if (!poisson && option_given(r, "exposure"))
        return misuse(NULL, "--exposure belongs to --poisson");
    return EXIT_DONE;
}

/* Operands that are wrong are misuse; the hint for those that may be numbers names the options. */
static int take_operands(cr_observations *data, cr_prior_of kind, const request *r)
{
    cr_status status = CR_OK;
    cr_error err = {0};

    for (size_t i = 0; status == CR_OK && i < r->operand_count; i++)
        status = cr_observations_item(data, r->operands[i], &err);
    if (status == CR_EFORMAT && kind == CR_PRIOR_SHARES)
        return misuse("such as heads=51, 51/100 for 51 of 100, or HHTHT; numbers need --gaussian "
                      "or --poisson",
                      "%s", err.message);
    return status == CR_OK ? EXIT_DONE : complain(status == CR_EFORMAT ? CR_EARG : status, &err);
}

static int take_input(cr_observations *data)
{
    cr_status status = CR_OK;
    cr_error err = {0};
    char *line = NULL;
    size_t room = 0, number = 0;

    for (; status == CR_OK && getline(&line, &room, stdin) > 0; number++)
        status = cr_observations_line(data, line, &err);
    free(line);
    if (status == CR_OK && cr_observations_count(data) > 0)
        return EXIT_DONE;
    if (status == CR_OK) {
        err = (cr_error){.message = "there is nothing in it",
                         .hint = "such as credence estimate heads=51 tails=49, or HHTHT"};
        status = CR_EFORMAT;
        number = 0;
    }
    snprintf(err.file, sizeof err.file, "standard input");
    err.line = number;
    return complain(status, &err);
}

/* Without operands the data come from standard input, unless it is a terminal. */
static int take_data(cr_observations *data, cr_prior_of kind, const request *r)
{
    int code = take_operands(data, kind, r);
    bool alone = r->operand_count == 0, stream = option_given(r, "stream");
    cr_error err = {0};
    cr_status status = CR_OK;

    if (code == EXIT_DONE && alone && isatty(STDIN_FILENO) && !stream)
        return misuse("such as credence estimate heads=51 tails=49",
                      "estimate has nothing to estimate from");
    if (code == EXIT_DONE && stream && cr_observations_samples(data) == 2)
        return misuse(NULL, "--stream follows one sample, not two");
    if (code == EXIT_DONE && alone && !stream)
        code = take_input(data);
    if (code == EXIT_DONE && kind == CR_PRIOR_RATE)
        status = cr_observations_expose(data, option_text(r, "exposure"), &err);
    return status == CR_OK ? code : complain(status, &err);
}

static int report(cr_observations *data, const cr_prior *prior, double level, const request *r)
{
    cr_estimate e = {0};
    cr_error err = {0};
    cr_status status = cr_observations_estimate(&e, data, prior, level, &err);
    cr_sheet *sheet = NULL;
    cr_output *out;

    if (status == CR_OK && r->json) {
        out = output_to(stdout);
        cr_estimate_json(&e, out);
        output_end(out);
    } else if (status == CR_OK && r->csv) {
        status = cr_estimate_sheet(&sheet, &e, &err);
        sheet_csv(sheet_made(status, sheet));
    } else if (status == CR_OK) {
        estimate_show(&e);
    }
    cr_estimate_free(&e);
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

static int run(request *r)
{
    cr_observations *data = NULL;
    cr_prior prior = {0};
    cr_prior_of kind;
    double level;
    cr_error err = {0};
    cr_status status;
    int code;

    if ((code = take_level(option_text(r, "level"), &level)) != EXIT_DONE ||
        (code = take_kind(r, &kind)) != EXIT_DONE)
        return code;
    status = cr_observations_new(&data, kind, &err);
    if (status == CR_OK && (code = take_data(data, kind, r)) == EXIT_DONE)
        status = cr_prior_parse(&prior, kind, option_text(r, "prior"), &err);
    if (status != CR_OK)
        code = complain(status, &err);
    else if (code == EXIT_DONE && option_given(r, "stream"))
        code = estimate_stream(data, &prior, level, r);
    else if (code == EXIT_DONE)
        code = report(data, &prior, level, r);
    cr_prior_free(&prior);
    cr_observations_free(data);
    return code;
}

static const char *const about[] = {
    "Estimates the probabilities of outcomes from their counts: NAME=COUNT for each outcome, K/N "
    "for K successes in N trials, or a sequence of capital letters such as HHTHT. With --gaussian "
    "it estimates the mean and variance of numbers, with --poisson the rate of events from counts, "
    "each written K, or K/T when it was counted during an exposure of T. Without operands, "
    "outcomes (one a line) or numbers are read "
    "from standard input. Negative numbers come after --.",
    "Shown are the maximum likelihood estimate (MLE), the most probable value (MAP), the posterior "
    "with its mean and standard deviation, the interval with equal tails, the region of highest "
    "density, and what to expect of the next observation.",
    "Two samples are compared: put A: before the items of the first and B: before those of the "
    "second, with names of your own. The answer has the probability that A exceeds B, the "
    "difference, the ratio, and the expected loss of choosing one of them if the other is larger.",
    "--stream updates the estimate after every line of standard input; counts given as operands "
    "are where it starts.",
    "--json gives one object: kind, level, prior (family, parameters[], or m, k, a, b, or shape, "
    "rate), log_evidence; then observations and outcomes[] with name, count and predictive, or "
    "observations, unbiased_variance, mean, variance and next, or events, exposure, rate and next "
    "(exposure, mean, sd, none, interval[]); each with mle, map, map_kind, posterior (family, a, "
    "b; shape, rate, scale; freedom, centre), mean, mode, mode_kind, sd, interval[] and highest[]. "
    "Two samples are samples[] and versus[] with name, greater, less, exact, difference, ratio[] "
    "and expected_loss{}. With --stream it gives an object a line: n, seen, and outcomes{}, mean "
    "or rate. --csv gives a row for each quantity.",
    NULL,
};

static const option own[] = {
    {"prior", 0, OPTION_TEXT, "PRIOR",
     "Prior. Outcomes: uniform (the default), jeffreys, beta:A,B, dirichlet:A or dirichlet:A,B,C. "
     "--gaussian: reference (the default) or nig:M,K,A,B, the mean around M as if from K numbers, "
     "the variance inverse gamma with shape A and scale B. --poisson: "
     "jeffreys (the default), uniform or gamma:SHAPE,RATE."},
    {"level", 0, OPTION_TEXT, "P", "Probability that the intervals hold. Default: 0.95."},
    {"gaussian", 0, OPTION_FLAG, NULL, "The operands are numbers: estimate mean and variance."},
    {"poisson", 0, OPTION_FLAG, NULL, "The operands are counts of events: estimate the rate."},
    {"exposure", 0, OPTION_TEXT, "T,T,T",
     "Exposure of each count of --poisson, such as time or area: one for all, or one for each. "
     "Default: 1."},
    {"stream", 0, OPTION_FLAG, NULL, "Read standard input and show the estimate after each line."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, NULL};

static const example examples[] = {
    {"credence estimate heads=51 tails=49 --prior beta:2,2", "Is the coin fair?"},
    {"credence estimate HHTHT", "A coin, flip by flip."},
    {"credence estimate red=3 green=5 blue=2 --prior jeffreys", "More than two outcomes."},
    {"credence estimate A: 51/100 B: 60/100", "An A/B test: does B convert better than A?"},
    {"cut -d, -f5 iris.csv | tail -n +2 | credence estimate", "Shares of the words in a column."},
    {"yes heads | head -5 | credence estimate --stream heads=0 tails=0",
     "How a belief grows, flip by flip."},
    {"credence estimate --gaussian 1.2 3.4 2.2 5.1 0.7", "A mean with its interval."},
    {"credence estimate --poisson day: 12/24 night: 3/24", "Two rates of events."},
    {0},
};

const verb verb_estimate = {
    .name = "estimate",
    .operands = "[[SAMPLE:] NAME=COUNT | K/N | NUMBER ...]",
    .most = SIZE_MAX,
    .summary = "estimate shares, means or rates from counts and numbers",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "hypotheses show",
    .run = run,
};
