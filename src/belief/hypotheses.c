/* belief/hypotheses.c - Bayes' rule over finitely many hypotheses, and their votes.
 *
 * Relative and true posteriors, MAP and ML choice, description lengths and the Bayes optimal
 * classifier as in T. Mitchell, "Machine Learning" (1997), chapter 6, and the lectures.
 */
#include "credence/hypothesis.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/fail.h"
#include "base/memory.h"
#include "belief/posterior.h"

static const double sum_tolerance = 1e-9;
static const double tie_tolerance = 1e-12;

typedef struct step {
    const char *evidence;
    const double *posterior; /* [count] */
} step;

struct cr_hypotheses {
    cr__arena arena; /* of everything below that does not grow */
    size_t count;
    const char **name;
    double *prior;
    double *log_likelihood; /* of all evidence */
    double *log_relative;
    double *posterior;
    double log_evidence;
    step *step;
    size_t steps, step_capacity;
    cr__arena votes; /* of the three below */
    size_t classes;
    const char **class_name;
    double *says; /* [count * classes] */
};

void cr_hypotheses_free(cr_hypotheses *h)
{
    if (h == NULL)
        return;
    cr__arena_free(&h->arena);
    cr__arena_free(&h->votes);
    cr__free(h->step);
    cr__free(h);
}

/* --- beginning ---------------------------------------------------------------------------- */

static cr_status check_priors(const char *const *name, const double *prior, size_t count,
                              unsigned flags, double *sum, cr_error *err)
{
    *sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(prior[i] >= 0) || isinf(prior[i]))
            return cr__fail(err, CR_EARG, "the prior of '%s' is %g; it must be 0 or more", name[i],
                            prior[i]);
        *sum += prior[i];
    }
    if (*sum == 0 || isinf(*sum))
        return cr__fail(err, CR_EARG, "the priors add up to %g", *sum);
    if (flags & CR_HYPOTHESES_NORMALISE)
        return CR_OK;
    if (fabs(*sum - 1) > sum_tolerance) {
        cr__fail(err, CR_EARG, "the priors add up to %.10g, not to 1", *sum);
        return cr__fail_hint(err, CR_EARG,
                             CR__SET("normalise to take them as weights, ask to normalise them"));
    }
    *sum = 1;
    return CR_OK;
}

static int copy_names(cr__arena *arena, const char **into, const char *const *name, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((into[i] = cr__arena_copy(arena, name[i], strlen(name[i]))) == NULL)
            return 0;
    return 1;
}

static int make_room(cr_hypotheses *h, size_t count)
{
    h->count = count;
    h->name = cr__arena_alloc(&h->arena, count, sizeof *h->name);
    h->prior = cr__arena_alloc(&h->arena, count, sizeof *h->prior);
    h->log_likelihood = cr__arena_alloc(&h->arena, count, sizeof *h->log_likelihood);
    h->log_relative = cr__arena_alloc(&h->arena, count, sizeof *h->log_relative);
    h->posterior = cr__arena_alloc(&h->arena, count, sizeof *h->posterior);
    return h->name != NULL && h->prior != NULL && h->log_likelihood != NULL &&
           h->log_relative != NULL && h->posterior != NULL;
}

cr_status cr_hypotheses_new(cr_hypotheses **out, const char *const *name, const double *prior,
                            size_t count, unsigned flags, cr_error *err)
{
    const int uniform = (flags & CR_HYPOTHESES_UNIFORM) != 0;
    cr_hypotheses *h;
    double sum = (double)count;
    cr_status st;

    *out = NULL;
    if (count == 0)
        return cr__fail(err, CR_EARG, "there is no hypothesis");
    if (!uniform && (st = check_priors(name, prior, count, flags, &sum, err)) != CR_OK)
        return st;
    if ((h = cr__alloc_zero(1, sizeof *h)) == NULL || !make_room(h, count) ||
        !copy_names(&h->arena, h->name, name, count)) {
        cr_hypotheses_free(h);
        return cr__fail_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        h->posterior[i] = h->prior[i] = (uniform ? 1 : prior[i]) / sum;
        h->log_likelihood[i] = 0;
        h->log_relative[i] = log(h->prior[i]);
    }
    *out = h;
    return CR_OK;
}

/* --- evidence ----------------------------------------------------------------------------- */

/* P(h | D) = P(D | h) P(h) / P(D); the relative posterior becomes the prior of the next step.
 */
cr_status cr_hypotheses_observe(cr_hypotheses *h, const char *evidence,
                                const double *log_likelihood, cr_error *err)
{
    double *posterior, log_evidence;
    char *name;

    for (size_t i = 0; i < h->count; i++)
        if (isnan(log_likelihood[i]) || log_likelihood[i] == INFINITY)
            return cr__fail(err, CR_EARG, "the log likelihood of '%s' under '%s' is %g", evidence,
                            h->name[i], log_likelihood[i]);
    if ((posterior = cr__arena_alloc(&h->arena, h->count, sizeof *posterior)) == NULL ||
        (name = cr__arena_copy(&h->arena, evidence, strlen(evidence))) == NULL ||
        !cr__grow(&h->step, &h->step_capacity, h->steps + 1, sizeof *h->step))
        return cr__fail_memory(err);
    for (size_t i = 0; i < h->count; i++)
        posterior[i] = h->log_relative[i] + log_likelihood[i];
    if (cr__posterior(posterior, h->count, posterior, &log_evidence) < 0) {
        cr__fail(err, CR_ECONFLICT,
                 "every posterior is zero: no hypothesis with a prior above 0 allows '%s'",
                 evidence);
        return cr__fail_hint(err, CR_ECONFLICT, "a likelihood of 0 means impossible, not unlikely");
    }
    for (size_t i = 0; i < h->count; i++) {
        h->log_likelihood[i] += log_likelihood[i];
        h->log_relative[i] += log_likelihood[i];
    }
    memcpy(h->posterior, posterior, h->count * sizeof *posterior);
    h->log_evidence = log_evidence;
    h->step[h->steps++] = (step){name, posterior};
    return CR_OK;
}

/* --- votes -------------------------------------------------------------------------------- */

static cr_status check_votes(const cr_hypotheses *h, size_t index, size_t classes,
                             const double *probability, unsigned flags, double *sum, cr_error *err)
{
    *sum = 0;
    for (size_t c = 0; c < classes; c++) {
        if (!(probability[c] >= 0) || isinf(probability[c]))
            return cr__fail(err, CR_EARG, "P(class %zu | '%s') is %g; it must be 0 or more", c + 1,
                            h->name[index], probability[c]);
        *sum += probability[c];
    }
    if ((flags & CR_HYPOTHESES_NORMALISE) && *sum > 0 && isfinite(*sum))
        return CR_OK;
    if (!(fabs(*sum - 1) <= sum_tolerance)) {
        cr__fail(err, CR_EARG, "the classes of '%s' add up to %.10g, not to 1", h->name[index],
                 *sum);
        return cr__fail_hint(err, CR_EARG,
                             CR__SET("normalise to take them as weights, ask to normalise them"));
    }
    *sum = 1;
    return CR_OK;
}

cr_status cr_hypotheses_vote(cr_hypotheses *h, const char *const *class_name, size_t classes,
                             const double *probability, unsigned flags, cr_error *err)
{
    cr__arena arena = {0};
    const char **name = cr__arena_alloc(&arena, classes, sizeof *name);
    double *says = h->count > SIZE_MAX / sizeof *says / (classes + 1)
                       ? NULL
                       : cr__arena_alloc(&arena, h->count * classes, sizeof *says);
    cr_status st = CR_OK;

    if (name == NULL || says == NULL || !copy_names(&arena, name, class_name, classes))
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && classes > 0 && i < h->count; i++) {
        double sum;

        st = check_votes(h, i, classes, probability + i * classes, flags, &sum, err);
        for (size_t c = 0; st == CR_OK && c < classes; c++)
            says[i * classes + c] = probability[i * classes + c] / sum;
    }
    if (st != CR_OK) {
        cr__arena_free(&arena);
        return st;
    }
    cr__arena_free(&h->votes);
    h->votes = arena;
    h->classes = classes;
    h->class_name = name;
    h->says = says;
    return CR_OK;
}

/* --- results ---------------------------------------------------------------------------------- */

size_t cr_hypotheses_count(const cr_hypotheses *h)
{
    return h->count;
}

/* A length of -0 bits would look odd. */
static double bits(double log_p)
{
    return log_p == 0 ? 0 : -log_p / M_LN2;
}

void cr_hypotheses_get(const cr_hypotheses *h, size_t index, cr_hypothesis *out)
{
    if (index >= h->count) {
        *out = (cr_hypothesis){.name = NULL};
        return;
    }
    *out = (cr_hypothesis){.name = h->name[index],
                           .prior = h->prior[index],
                           .log_likelihood = h->log_likelihood[index],
                           .log_relative = h->log_relative[index],
                           .posterior = h->posterior[index],
                           .prior_bits = bits(log(h->prior[index])),
                           .data_bits = bits(h->log_likelihood[index])};
}

double cr_hypotheses_log_evidence(const cr_hypotheses *h)
{
    return h->log_evidence;
}

size_t cr_hypotheses_steps(const cr_hypotheses *h)
{
    return h->steps;
}

const char *cr_hypotheses_evidence(const cr_hypotheses *h, size_t index)
{
    return index < h->steps ? h->step[index].evidence : NULL;
}

const double *cr_hypotheses_posterior(const cr_hypotheses *h, size_t index)
{
    return index < h->steps ? h->step[index].posterior : NULL;
}

/* 0.6 * 0.3 and 0.9 * 0.2 are equal on paper but not as doubles. */
static int is_tied(double log_x, double log_best)
{
    return log_x == log_best || log_best - log_x <= tie_tolerance * fmax(1, fabs(log_best));
}

size_t cr_hypotheses_best(const cr_hypotheses *h, cr_choice by, size_t *best)
{
    const double *score = by == CR_CHOICE_ML ? h->log_likelihood : h->log_relative;
    double top = -INFINITY;
    size_t ties = 0;

    for (size_t i = 0; i < h->count; i++)
        top = fmax(top, score[i]);
    for (size_t i = 0; i < h->count; i++)
        if (is_tied(score[i], top))
            best[ties++] = i;
    return ties;
}

size_t cr_hypotheses_classes(const cr_hypotheses *h)
{
    return h->classes;
}

const char *cr_hypotheses_class(const cr_hypotheses *h, size_t class_index)
{
    return class_index < h->classes ? h->class_name[class_index] : NULL;
}

double cr_hypotheses_says(const cr_hypotheses *h, size_t index, size_t class_index)
{
    return index < h->count && class_index < h->classes ? h->says[index * h->classes + class_index]
                                                        : NAN;
}

/* P(c | D) = sum over h of P(c | h) P(h | D). */
double cr_hypotheses_predictive(const cr_hypotheses *h, size_t class_index)
{
    double sum = class_index < h->classes ? 0 : NAN;

    for (size_t i = 0; i < h->count; i++)
        sum += cr_hypotheses_says(h, i, class_index) * h->posterior[i];
    return sum;
}

/* The first hypothesis of the largest relative posterior, and its most probable class. */
static size_t map_class(const cr_hypotheses *h)
{
    size_t map = 0, best = 0;

    for (size_t i = 1; i < h->count; i++)
        if (h->log_relative[i] > h->log_relative[map] &&
            !is_tied(h->log_relative[map], h->log_relative[i]))
            map = i;
    for (size_t c = 1; c < h->classes; c++)
        if (cr_hypotheses_says(h, map, c) > cr_hypotheses_says(h, map, best))
            best = c;
    return best;
}

/* A drawn hypothesis answers class c with probability P(c | h), so the Gibbs classifier answers c
 * with probability P(c | D) and is right with the sum of P(c | D)^2. With p the largest of them its
 * error is at most 1 - p^2 <= 2 (1 - p) (Haussler, Kearns, Schapire 1994). */
cr_status cr_hypotheses_classify(const cr_hypotheses *h, cr_verdict *out, cr_error *err)
{
    double best = 0, squares = 0;

    *out = (cr_verdict){0};
    if (h->classes == 0)
        return cr__fail(err, CR_EARG, "the hypotheses have not voted on classes");
    for (size_t c = 0; c < h->classes; c++) {
        const double p = cr_hypotheses_predictive(h, c);

        squares += p * p;
        if (p > best && !is_tied(log(best), log(p))) {
            best = p;
            out->best = c;
            out->ties = 0;
        }
        out->ties += is_tied(log(p), log(best));
    }
    out->map_class = map_class(h);
    out->optimal_error = fmax(0, 1 - best);
    out->gibbs_error = fmax(0, 1 - squares);
    out->map_error = fmax(0, 1 - cr_hypotheses_predictive(h, out->map_class));
    return CR_OK;
}
