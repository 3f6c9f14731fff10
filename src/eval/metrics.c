/* eval/metrics.c - figures of merit, accumulated row by row.
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
 *   balanced   mean over classes of the recall (support > 0)
 *   MCC        (C W - Σ p_k t_k) / √((W² - Σ p_k²) (W² - Σ t_k²)), C correct, p_k decided for and
 *              t_k of class k; no decision, and unknown classes, are one more class each (J.
 *              Gorodkin, 2004); 0 where undefined
 *   κ          (C/W - e) / (1 - e), e = Σ p_k t_k / W² (J. Cohen, 1960); 0 where undefined
 *   Murphy     for each class and its bins b of weight n, mean posterior f, observed share o, with
 *              ō the share of the class: reliability Σ n (f - o)² / W, resolution Σ n (o - ō)² / W,
 *              uncertainty ō (1 - ō), added up over the classes
 *   p(correct) Σ w p_decision / W over the decided rows by the posteriors, beside accuracy by the
 *              labels; p(mistake) likewise with 1 - p_decision
 *
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
        ((e->confusion = cr__alloc_zero((K + 1) * (K + 1), sizeof *e->confusion)) == NULL ||
         (e->class_bin = cr__alloc_zero(K * CR__BINS, sizeof *e->class_bin)) == NULL))
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
    cr__free(e->class_bin);
    cr__free(e->kept.posterior);
    cr__free(e->kept.weight);
    cr__free(e->kept.truth);
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

/* The cost of the decision by the label and by the posterior, where there is one. */
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
            expected += posterior[c] *
                        (rule == NULL ? (int32_t)c != decision : cr_rule_cost(rule, c, decision));
        if (truth >= 0)
            cost = rule == NULL ? truth != decision : cr_rule_cost(rule, (size_t)truth, decision);
        e->expected_correct += weight * posterior[decision];
        e->expected_mistakes += weight * (1 - posterior[decision]);
    }
    e->cost += weight * cost;
    e->expected_cost += weight * expected;
}

/* Store what is needed to choose a threshold. */
static void keep(cr_evaluation *e, double p, int32_t truth, double weight)
{
    if (!cr__grow(&e->seen, &e->seen_capacity, e->seen_count + 1, sizeof *e->seen))
        e->seen_failed = 1;
    else
        e->seen[e->seen_count++] = (cr__binary_row){p, weight, truth};
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

/* The bin of a posterior: (i/15, (i + 1)/15]. */
static size_t bin_of(double p)
{
    const int bin = (int)ceil(p * CR__BINS) - 1;

    return bin < 0 ? 0 : bin >= CR__BINS ? CR__BINS - 1 : (size_t)bin;
}

static void add_to_bin(cr__bin *bin, double p, int hit, double weight)
{
    bin->weight += weight;
    bin->sum += weight * p;
    bin->hits += hit ? weight : 0;
}

/* The probabilities of the row, whatever is decided; the confidence refers to `top`: a rule may
 * decide otherwise. */
static void add_posterior(cr_evaluation *const *list, size_t count, const cr__answered *row,
                          int judged)
{
    const size_t K = list[0]->classes;
    const int known = row->truth >= 0;
    const double uniform = 1 / (double)K, weight = row->weight;
    const double p_truth = !known ? 0 : judged ? row->posterior[row->truth] : uniform;
    const double surprise = weight * log(clip(p_truth));
    double confidence = uniform, brier = known ? 0 : 1;
    int32_t top = row->decision;
    size_t before = 0, bin;

    for (size_t c = 0; c < K; c++) {
        const double p = judged ? row->posterior[c] : uniform;
        const double is = known && (size_t)row->truth == c;

        brier += (p - is) * (p - is);
        before += p > p_truth || (p == p_truth && (int32_t)c < row->truth);
        if (p > confidence) {
            confidence = p;
            top = list[0]->rule == NULL ? row->decision : (int32_t)c;
        }
        bin = c * CR__BINS + bin_of(p);
        for (size_t i = 0; i < count && list[i]->class_bin != NULL; i++)
            add_to_bin(&list[i]->class_bin[bin], p, is > 0, weight);
    }
    bin = bin_of(confidence);
    for (size_t i = 0; i < count; i++) {
        list[i]->log_loss -= surprise;
        list[i]->brier += weight * brier;
        if (known && judged && before < CR__TOP)
            list[i]->top[before] += weight;
        add_to_bin(&list[i]->bin[bin], confidence, top != CR_UNDECIDED && top == row->truth,
                   weight);
    }
}

static void add_decision(cr_evaluation *e, const cr__answered *row, int judged)
{
    const size_t K = e->classes;
    const int32_t decision = row->decision, truth = row->truth;
    const int known = truth >= 0, decided = decision != CR_UNDECIDED;
    const double weight = row->weight;

    e->weight += weight;
    e->correct += decided && decision == truth ? weight : 0;
    e->unknown += known ? 0 : weight;
    e->undecided += decided ? 0 : weight;
    e->rejected += judged && !decided ? weight : 0;
    if (e->rule != NULL && K == 2 && known && judged)
        keep(e, row->posterior[1], truth, weight);
    cr__keep(e, row->posterior, row->log_posterior, judged, truth, weight);
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

void cr__evaluations_add(cr_evaluation *const *list, size_t count, const cr__answered *given)
{
    const size_t K = list[0]->classes;
    const int judged = given->decision != CR_UNDECIDED || has_posterior(given->posterior, K);
    cr__answered row = *given;

    if (!(row.truth >= 0 && (size_t)row.truth < K))
        row.truth = -2;
    add_posterior(list, count, &row, judged);
    for (size_t i = 0; i < count; i++) {
        add_cost(list[i], row.posterior, row.decision, row.truth, row.weight);
        add_decision(list[i], &row, judged);
    }
}

void cr_evaluation_add(cr_evaluation *e, const double *posterior, int32_t decision, int32_t truth,
                       double weight)
{
    cr_evaluation_add_logs(e, posterior, NULL, decision, truth, weight);
}

void cr_evaluation_add_logs(cr_evaluation *e, const double *posterior, const double *log_posterior,
                            int32_t decision, int32_t truth, double weight)
{
    cr__evaluations_add(&e, 1,
                        &(cr__answered){.posterior = posterior,
                                        .log_posterior = log_posterior,
                                        .decision = decision,
                                        .truth = truth,
                                        .weight = weight});
}

double cr_evaluation_confusion(const cr_evaluation *e, size_t truth, int32_t decision)
{
    if (e->confusion == NULL || truth >= e->classes || decision < CR_UNDECIDED ||
        (decision >= 0 && (size_t)decision >= e->classes))
        return NAN;
    return e->confusion[truth * (e->classes + 1) +
                        (decision == CR_UNDECIDED ? e->classes : (size_t)decision)];
}

void cr_evaluation_class(const cr_evaluation *e, size_t c, cr_class_metrics *out)
{
    *out = (cr_class_metrics){0};
    if (c >= e->classes)
        return;
    *out = (cr_class_metrics){
        .support = e->support[c], .predicted = e->predicted[c], .correct = e->hit[c]};
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

/* Means over classes, and agreement beyond chance. */
static void class_figures(const cr_evaluation *e, cr_metrics *out)
{
    const double W = e->weight;
    double recall = 0, occurring = e->unknown > 0, pt = 0, pp = e->undecided * e->undecided;
    double tt = e->unknown * e->unknown, chance;

    for (size_t c = 0; c < e->classes; c++) {
        cr_class_metrics m;

        cr_evaluation_class(e, c, &m);
        recall += m.recall;
        occurring += m.support > 0;
        out->weighted_f1 += m.support * m.f1 / W;
        pt += m.predicted * m.support;
        pp += m.predicted * m.predicted;
        tt += m.support * m.support;
    }
    chance = pt / (W * W);
    out->balanced_accuracy = occurring > 0 ? recall / occurring : 0;
    out->micro_f1 = 2 * e->correct / (2 * W - e->undecided);
    if (W * W > pp && W * W > tt)
        out->mcc = (e->correct * W - pt) / (sqrt(W * W - pp) * sqrt(W * W - tt));
    if (chance < 1)
        out->kappa = (e->correct / W - chance) / (1 - chance);
}

static double gap(const cr__bin *bin)
{
    return fabs(bin->hits - bin->sum);
}

static void calibration_figures(const cr_evaluation *e, cr_metrics *out)
{
    const double W = e->weight;

    for (size_t b = 0; b < CR__BINS; b++) {
        out->ece += gap(&e->bin[b]) / W;
        if (e->bin[b].weight > 0)
            out->mce = fmax(out->mce, gap(&e->bin[b]) / e->bin[b].weight);
    }
    if (e->class_bin == NULL) {
        out->reliability = out->resolution = out->uncertainty = NAN;
        return;
    }
    for (size_t c = 0; c < e->classes; c++) {
        const double share = e->support[c] / W;

        out->uncertainty += share * (1 - share);
        for (size_t b = 0; b < CR__BINS; b++) {
            const cr__bin *bin = &e->class_bin[c * CR__BINS + b];
            const double n = bin->weight, o = n > 0 ? bin->hits / n : 0;

            if (n > 0) {
                out->reliability += n * (bin->sum / n - o) * (bin->sum / n - o) / W;
                out->resolution += n * (o - share) * (o - share) / W;
            }
        }
    }
}

void cr_evaluation_metrics(const cr_evaluation *e, cr_metrics *out)
{
    const double W = e->weight;

    *out = (cr_metrics){
        .rows = W, .unknown = e->unknown, .undecided = e->undecided, .rejected = e->rejected};
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
    cr_wilson_interval(out->accuracy, W, &out->accuracy_low, &out->accuracy_high);
    out->log_loss = e->log_loss / W;
    out->brier = e->brier / W;
    out->macro_f1 = macro_f1(e);
    class_figures(e, out);
    calibration_figures(e, out);
    for (size_t k = 0; k < CR__TOP; k++)
        out->top[k] = e->top[k] / W + (k > 0 ? out->top[k - 1] : 0);
}

/* The standard error is that of a share of mistakes as large as the one that is expected. Rows of
 * classes that the model does not know are mistakes of another kind. */
int cr_metrics_surprise(const cr_metrics *m)
{
    const double known = m->rows - m->unknown, p = m->expected_mistakes;
    const double more = (m->mistakes * m->rows - m->unknown) / known - p;

    return known >= 100 && more > 0.02 && more > 3 * sqrt(p * (1 - p) / known);
}
