/* eval/metrics.c - figures of merit, gathered row by row.
 *
 * With p the posterior of a row, t its true class and w its weight, W the total weight:
 *   accuracy   Σ w [decision = t] / W, with E. B. Wilson's 95 % interval (JASA 22, 1927)
 *   log-loss   -Σ w ln p_t / W, p clipped to [2^-52, 1 - 2^-52] as scikit-learn's log_loss does
 *   Brier      Σ w Σ_c (p_c - [c = t])² / W (G. W. Brier, 1950, in its form for several classes)
 *   ECE        Σ_bins |Σ w [correct] - Σ w max p| / W over 15 equal-width bins of the largest
 *              posterior (Naeini, Cooper & Hauskrecht 2015; Guo et al. 2017); correct is then the
 *              most probable class, whatever a rule decides
 *   F1         2 correct / (support + predicted); macro-F1 is the mean over classes that occur in
 *              truth or decisions; classes that the model does not know count as one with F1 = 0
 *   p(correct) Σ w p_decision / W over the decided rows by the posteriors, beside accuracy by the
 *              labels; p(mistake) likewise with 1 - p_decision
 * A row without a posterior counts as a uniform guess in log-loss, Brier and ECE.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "eval/evaluation.h"

enum { CONFUSION_MAX = 2048 };

static int allocate(cr_evaluation *e)
{
    const size_t K = e->classes;

    e->support = cr__alloc_zero(K, sizeof *e->support);
    e->predicted = cr__alloc_zero(K, sizeof *e->predicted);
    e->hit = cr__alloc_zero(K, sizeof *e->hit);
    if (K <= CONFUSION_MAX &&
        (e->confusion = cr__alloc_zero((K + 1) * (K + 1), sizeof *e->confusion)) == NULL)
        return 0;
    return e->support != NULL && e->predicted != NULL && e->hit != NULL;
}

cr_status cr_evaluation_new(cr_evaluation **out, size_t classes, cr_error *err)
{
    cr_evaluation *e = cr__alloc_zero(1, sizeof *e);

    *out = NULL;
    if (e != NULL)
        e->classes = classes;
    if (e == NULL || !allocate(e)) {
        cr_evaluation_free(e);
        return cr__fail_memory(err);
    }
    *out = e;
    return CR_OK;
}

void cr_evaluation_free(cr_evaluation *e)
{
    if (e == NULL)
        return;
    cr__free(e->support);
    cr__free(e->predicted);
    cr__free(e->hit);
    cr__free(e->confusion);
    cr__free(e->seen);
    cr__free(e);
}

cr_status cr_evaluation_use_rule(cr_evaluation *e, const cr_rule *rule, cr_error *err)
{
    if (rule != NULL && rule->classes != e->classes)
        return cr__fail(err, CR_EARG, "the rule is made for %zu classes, not %zu", rule->classes,
                        e->classes);
    e->rule = rule;
    return CR_OK;
}

/* What the decision costs by the label and by the posterior, where there is one. */
static void add_cost(cr_evaluation *e, const double *posterior, int32_t decision, int32_t truth,
                     double weight)
{
    const cr_rule *rule = e->rule;
    const double reject = rule == NULL ? INFINITY : rule->reject;
    const double lost = isfinite(reject) ? reject : rule == NULL ? 1 : rule->dearest;
    double cost = lost, expected = lost;

    if (decision != CR_UNDECIDED) {
        expected = 0;
        for (size_t c = 0; c < e->classes; c++)
            expected += posterior[c] * (rule == NULL ? (int32_t)c != decision
                                                     : cr_rule_cost(rule, c, decision));
        if (truth >= 0)
            cost = rule == NULL ? truth != decision : cr_rule_cost(rule, (size_t)truth, decision);
        e->expected_correct += weight * posterior[decision];
        e->expected_mistakes += weight * (1 - posterior[decision]);
    }
    e->cost += weight * cost;
    e->expected_cost += weight * expected;
}

/* Keep what a threshold can be chosen by. */
static void keep(cr_evaluation *e, double p, int32_t truth, double weight)
{
    if (!cr__grow(&e->seen, &e->seen_capacity, e->seen_count + 1, sizeof *e->seen))
        e->seen_failed = 1;
    else
        e->seen[e->seen_count++] = (cr__seen){p, weight, truth};
}

static int has_posterior(const double *posterior, size_t classes)
{
    for (size_t c = 0; c < classes; c++)
        if (posterior[c] > 0)
            return 1;
    return 0;
}

static double clip(double p)
{
    const double least = 0x1p-52;

    return p < least ? least : p > 1 - least ? 1 - least : p;
}

void cr_evaluation_add(cr_evaluation *e, const double *posterior, int32_t decision, int32_t truth,
                       double weight)
{
    const size_t K = e->classes;
    const int known = truth >= 0 && (size_t)truth < K, decided = decision != CR_UNDECIDED;
    const int judged = decided || has_posterior(posterior, K);
    const double uniform = 1 / (double)K;
    double confidence = uniform, brier = known ? 0 : 1, p_truth = 0;
    int32_t top = decision; /* what the confidence is about; a rule may decide otherwise */
    int bin;

    for (size_t c = 0; c < K; c++) {
        double p = judged ? posterior[c] : uniform, is = known && (size_t)truth == c;
        brier += (p - is) * (p - is);
        p_truth += is * p;
        if (p > confidence) {
            confidence = p;
            top = e->rule == NULL ? decision : (int32_t)c;
        }
    }
    e->weight += weight;
    e->correct += decided && decision == truth ? weight : 0;
    e->log_loss -= weight * log(clip(p_truth));
    e->brier += weight * brier;
    e->unknown += known ? 0 : weight;
    e->undecided += decided ? 0 : weight;
    e->rejected += judged && !decided ? weight : 0;
    add_cost(e, posterior, decision, known ? truth : -2, weight);
    if (e->rule != NULL && K == 2 && known && judged)
        keep(e, posterior[1], truth, weight);
    bin = (int)ceil(confidence * CR__BINS) - 1; /* bins are (i/15, (i+1)/15] */
    bin = bin < 0 ? 0 : bin >= CR__BINS ? CR__BINS - 1 : bin;
    e->bin_correct[bin] += top != CR_UNDECIDED && top == truth ? weight : 0;
    e->bin_confidence[bin] += weight * confidence;
    if (known)
        e->support[truth] += weight;
    if (decided)
        e->predicted[decision] += weight;
    if (decided && decision == truth)
        e->hit[truth] += weight;
    if (e->confusion != NULL)
        e->confusion[(known ? (size_t)truth : K) * (K + 1) + (decided ? (size_t)decision : K)] +=
            weight;
}

double cr_evaluation_confusion(const cr_evaluation *e, size_t truth, int32_t decision)
{
    if (e->confusion == NULL)
        return NAN;
    return e->confusion[truth * (e->classes + 1) +
                        (decision == CR_UNDECIDED ? e->classes : (size_t)decision)];
}

void cr_evaluation_class(const cr_evaluation *e, size_t c, cr_class_metrics *out)
{
    *out = (cr_class_metrics){.support = e->support[c], .predicted = e->predicted[c],
                              .correct = e->hit[c]};
    out->precision = out->predicted > 0 ? out->correct / out->predicted : 0;
    out->recall = out->support > 0 ? out->correct / out->support : 0;
    if (out->support + out->predicted > 0)
        out->f1 = 2 * out->correct / (out->support + out->predicted);
}

static double macro_f1(const cr_evaluation *e)
{
    double sum = 0, occurring = e->unknown > 0;

    for (size_t c = 0; c < e->classes; c++) {
        cr_class_metrics m;

        cr_evaluation_class(e, c, &m);
        sum += m.f1;
        occurring += m.support + m.predicted > 0;
    }
    return occurring > 0 ? sum / occurring : 0;
}

static void wilson(double correct, double n, double *low, double *high)
{
    const double z = 1.959963984540054; /* the normal's 97.5 % point */
    const double p = correct / n, centre = p + z * z / (2 * n);
    const double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n));

    *low = correct <= 0 ? 0 : fmax(0, (centre - half) / (1 + z * z / n));
    *high = correct >= n ? 1 : fmin(1, (centre + half) / (1 + z * z / n));
}

void cr_evaluation_metrics(const cr_evaluation *e, cr_metrics *out)
{
    const double W = e->weight;

    *out = (cr_metrics){.rows = W, .unknown = e->unknown, .undecided = e->undecided,
                        .rejected = e->rejected};
    if (W <= 0)
        return;
    out->coverage = (W - e->undecided) / W;
    out->decided_accuracy = W > e->undecided ? e->correct / (W - e->undecided) : 0;
    out->mistakes = (W - e->undecided - e->correct) / W;
    out->expected_correct = e->expected_correct / W;
    out->expected_mistakes = e->expected_mistakes / W;
    out->cost = e->cost / W;
    out->expected_cost = e->expected_cost / W;
    out->accuracy = e->correct / W;
    wilson(e->correct, W, &out->accuracy_low, &out->accuracy_high);
    out->log_loss = e->log_loss / W;
    out->brier = e->brier / W;
    out->macro_f1 = macro_f1(e);
    for (int b = 0; b < CR__BINS; b++)
        out->ece += fabs(e->bin_correct[b] - e->bin_confidence[b]) / W;
}
