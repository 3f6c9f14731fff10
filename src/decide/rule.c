/* decide/rule.c - the decision step: the action of least expected cost.
 *
 * With p the posterior of a row and L(t, d) the cost of deciding d where the class is t, deciding d
 * is expected to cost R(d) = Σ_t p(t) L(t, d). The d with the least R is chosen, or none when
 * rejecting costs less (C. K. Chow, "On optimum recognition error and reject tradeoff", 1970; C. M.
 * Bishop, Pattern Recognition and Machine Learning, 1.5).
 *
 * In use, classes may be more or less common than in training. With the same P(row | class) the
 * posterior becomes p'(c) ∝ p(c) new(c) / old(c) (M. Saerens et al., "Adjusting the outputs of a
 * classifier to new a priori probabilities", 2002).
 */
#include "decide/rule.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sized.h"
#include "belief/posterior.h"

enum { COSTS_MAX = 4096 }; /* classes of a matrix: 128 MiB */

void cr_rule_free(cr_rule *rule)
{
    if (rule == NULL)
        return;
    cr__free(rule->cost);
    cr__free(rule->shift);
    cr__free(rule);
}

static cr_status check_costs(const cr_rule *rule, cr_error *err)
{
    const size_t K = rule->classes;

    for (size_t i = 0; i < K * K; i++)
        if (!(rule->cost[i] >= 0) || isinf(rule->cost[i]))
            return cr__fail(err, CR_EARG,
                            "the cost of deciding class %zu for class %zu is %g; it "
                            "must be a number of at least 0",
                            i % K, i / K, rule->cost[i]);
    return CR_OK;
}

static cr_status take_costs(cr_rule *rule, const cr_model *model, const cr_rule_options *options,
                            cr_error *err)
{
    const size_t K = rule->classes;
    cr_status st = CR_OK;

    if (K > COSTS_MAX)
        return cr__fail(err, CR_ELIMIT, "costs for %zu classes; at most %d can be kept", K,
                        COSTS_MAX);
    if ((rule->cost = cr__alloc(K * K, sizeof *rule->cost)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < K * K; i++)
        rule->cost[i] = options->cost != NULL ? options->cost[i] : i / K != i % K;
    st = check_costs(rule, err);
    if (st == CR_OK && options->cost_file != NULL)
        st = cr__rule_read_file(rule, model, options->cost_file, err);
    if (st == CR_OK && options->costs != NULL)
        st = cr__rule_read_costs(rule, model, options->costs, err);
    rule->dearest = 0;
    for (size_t i = 0; i < K * K; i++)
        rule->dearest = fmax(rule->dearest, rule->cost[i]);
    return st;
}

static cr_status take_priors(cr_rule *rule, const cr_model *model, const char *priors,
                             cr_error *err)
{
    cr_status st;

    if ((rule->shift = cr__alloc(rule->classes, sizeof *rule->shift)) == NULL)
        return cr__fail_memory(err);
    if ((st = cr__rule_read_priors(rule->shift, model, priors, err)) != CR_OK)
        return st;
    for (size_t c = 0; c < rule->classes; c++) {
        const double now = rule->shift[c], old = cr_model_prior(model, c);

        if (now > 0 && !(old > 0))
            return cr__fail(err, CR_ECONFLICT,
                            "class '%s' is impossible for the model: its prior "
                            "is 0 and cannot be replaced",
                            cr_model_class(model, c));
        rule->shift[c] = now > 0 ? log(now) - log(old) : -INFINITY;
    }
    return CR_OK;
}

cr_status cr_rule_new(cr_rule **out, const cr_model *model, const cr_rule_options *given,
                      cr_error *err)
{
    cr_rule *rule;
    cr_rule_options own;
    cr_status st = cr__sized_take(&own, sizeof own, given, "cr_rule_options", err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    rule = cr__alloc_zero(1, sizeof *rule);
    if (rule == NULL)
        return cr__fail_memory(err);
    rule->classes = cr_model_classes(model);
    rule->dearest = 1;
    rule->reject = own.may_reject ? own.reject_cost : INFINITY;
    if (own.may_reject && !(rule->reject >= 0))
        st = cr__fail(err, CR_EARG, "the cost of rejecting is %g; it must be at least 0",
                      own.reject_cost);
    if (st == CR_OK && (own.cost != NULL || own.cost_file != NULL || own.costs != NULL))
        st = take_costs(rule, model, &own, err);
    if (st == CR_OK && own.priors != NULL)
        st = take_priors(rule, model, own.priors, err);
    if (st != CR_OK) {
        cr_rule_free(rule);
        return st;
    }
    *out = rule;
    return CR_OK;
}

double cr_rule_cost(const cr_rule *rule, size_t truth, int32_t decision)
{
    if (truth >= rule->classes || decision < CR_UNDECIDED ||
        (decision >= 0 && (size_t)decision >= rule->classes))
        return NAN;
    if (decision == CR_UNDECIDED)
        return rule->reject;
    if (rule->cost == NULL)
        return truth != (size_t)decision;
    return rule->cost[truth * rule->classes + (size_t)decision];
}

/* --- deciding --------------------------------------------------------------------------------- */

static double expected(const cr_rule *rule, const double *posterior, size_t decision)
{
    double sum = 0;

    for (size_t c = 0; c < rule->classes; c++)
        if (rule->cost != NULL)
            sum += posterior[c] * rule->cost[c * rule->classes + decision];
        else if (c != decision)
            sum += posterior[c];
    return sum;
}

/* The least expected cost; `best` is the most probable class, which is the answer when all mistakes
 * cost the same. */
static cr_reason choose(const cr_rule *rule, const double *posterior, size_t best,
                        int32_t *decision, double *expected_cost)
{
    double least = expected(rule, posterior, rule->cost == NULL ? best : 0);

    if (rule->cost != NULL) {
        best = 0;
        for (size_t d = 1; d < rule->classes; d++) {
            const double cost = expected(rule, posterior, d);

            if (cost < least) {
                least = cost;
                best = d;
            }
        }
    }
    *decision = rule->reject < least ? CR_UNDECIDED : (int32_t)best;
    if (expected_cost != NULL)
        *expected_cost = fmin(rule->reject, least);
    return rule->reject < least ? CR_REJECTED : CR_DECIDED;
}

int32_t cr__rule_decide(const cr_rule *rule, const double *score, size_t classes, double *posterior,
                        double *log_evidence, double *expected_cost, cr_reason *reason)
{
    int32_t decision;

    if (rule != NULL && rule->shift != NULL) {
        for (size_t c = 0; c < classes; c++)
            posterior[c] = score[c] + rule->shift[c];
        score = posterior;
    }
    decision = cr__posterior(score, classes, posterior, log_evidence);
    *reason = decision == CR_UNDECIDED ? CR_IMPOSSIBLE : CR_DECIDED;
    if (expected_cost != NULL)
        *expected_cost = NAN;
    if (rule != NULL && decision != CR_UNDECIDED)
        *reason = choose(rule, posterior, (size_t)decision, &decision, expected_cost);
    return decision;
}

/* Without other priors the posterior is unchanged, to the last bit. */
cr_reason cr_rule_decide(const cr_rule *rule, double *posterior, int32_t *decision,
                         double *expected_cost)
{
    cr_reason reason;
    size_t best = 0;

    if (rule->shift != NULL) {
        for (size_t c = 0; c < rule->classes; c++)
            posterior[c] = log(posterior[c]);
        *decision = cr__rule_decide(rule, posterior, rule->classes, posterior, NULL, expected_cost,
                                    &reason);
        return reason;
    }
    for (size_t c = 1; c < rule->classes; c++)
        best = posterior[c] > posterior[best] ? c : best;
    if (rule->classes > 0 && posterior[best] > 0)
        return choose(rule, posterior, best, decision, expected_cost);
    *decision = CR_UNDECIDED;
    if (expected_cost != NULL)
        *expected_cost = NAN;
    return CR_IMPOSSIBLE;
}

/* --- two classes ------------------------------------------------------------------------------ */

static double within(double p)
{
    return fmin(1, fmax(0, p));
}

/* With p = P(second class), R(1) < R(0) where p (L10 - L11) > (1 - p) (L01 - L00). Rejecting costs
 * less than deciding the first class above `low`, and less than the second below `high`. */
cr_status cr_rule_threshold(const cr_rule *rule, cr_threshold *out)
{
    double right[2], wrong[2], low, high;

    *out = (cr_threshold){NAN, NAN, NAN};
    if (rule->classes != 2)
        return CR_EARG;
    for (int t = 0; t < 2; t++) {
        right[t] = cr_rule_cost(rule, (size_t)t, t);
        wrong[t] = cr_rule_cost(rule, (size_t)t, 1 - t);
    }
    if (!(fmin(wrong[0], wrong[1]) > fmax(right[0], right[1])))
        return CR_EARG;
    out->decide = (wrong[0] - right[0]) / (wrong[0] - right[0] + wrong[1] - right[1]);
    out->low = out->high = out->decide;
    low = (rule->reject - right[0]) / (wrong[1] - right[0]);
    high = (wrong[0] - rule->reject) / (wrong[0] - right[1]);
    if (low < high) {
        out->low = within(low);
        out->high = within(high);
    }
    return CR_OK;
}
