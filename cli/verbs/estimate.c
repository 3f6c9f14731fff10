/* cli/verbs/estimate.c - credence estimate: shares, means and rates, with a prior. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "estimate/estimate.h"
#include "out/out.h"
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

/* Without operands the data come from standard input, unless it is a terminal. */
static int take_data(estimate_data *d, const request *r)
{
    int code = estimate_take_operands(d, r);
    bool alone = r->operand_count == 0;

    if (code == EXIT_DONE && alone && isatty(STDIN_FILENO) && !option_given(r, "stream"))
        return misuse("such as credence estimate heads=51 tails=49",
                      "estimate has nothing to estimate from");
    if (code == EXIT_DONE && option_given(r, "stream") && d->samples == 2)
        return misuse(NULL, "--stream follows one sample, not two");
    if (code == EXIT_DONE && alone && !option_given(r, "stream"))
        code = estimate_take_input(d);
    if (code == EXIT_DONE && d->kind == CR_PRIOR_RATE)
        code = estimate_take_exposure(d, option_text(r, "exposure"));
    return code;
}

static int report(estimate *e, const request *r)
{
    cr_error err = {0};
    const cr_status status = estimate_solve(e, &err);

    if (status != CR_OK)
        return complain(status, &err);
    if (r->json)
        estimate_json(e);
    else if (r->csv)
        estimate_csv(e);
    else
        estimate_show(e);
    return EXIT_DONE;
}

static int run(request *r)
{
    estimate_data d = {0};
    estimate_prior p = {0};
    estimate e = {.data = &d, .prior = &p};
    bool stream = option_given(r, "stream");
    int code;

    if ((code = take_level(option_text(r, "level"), &e.level)) != EXIT_DONE ||
        (code = take_kind(r, &d.kind)) != EXIT_DONE || (code = take_data(&d, r)) != EXIT_DONE ||
        (code = estimate_take_prior(&p, &d, option_text(r, "prior"))) != EXIT_DONE)
        goto done;
    if (stream) {
        code = estimate_stream(&e, &d, &p, r);
        goto done;
    }
    if (d.kind == CR_PRIOR_SHARES && d.outcomes < 2)
        code = misuse("such as heads=51 tails=49", "there is only the outcome '%s'",
                      d.outcomes == 1 ? d.outcome[0] : "");
    if (code == EXIT_DONE && (code = estimate_fit_prior(&p, &d)) == EXIT_DONE)
        code = report(&e, r);
done:
    cr_estimate_free(&e.known);
    estimate_free(&d, &p);
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
    "--json gives one object: kind, level, prior, log_evidence, then outcomes[], or mean, "
    "variance and next, or rate and next, each with mle, map, posterior, mean, sd, interval and "
    "highest; two samples as samples[] and versus[]. --csv gives a row for each quantity.",
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
