/* eval/metric_table.c - every metric, once.
 *
 * One row here adds a metric to test, cv, compare, tune and report, to their JSON and CSV, and to
 * help. A metric is either a member of cr_metrics or cr_regression_metrics, or a function of what
 * an evaluation has collected.
 */
#include "eval/metric_table.h"

#include <math.h>
#include <string.h>

#include "eval/evaluation.h"

/* What a function may use. The area needs a sort, so it is computed when it is first needed. */
typedef struct measured {
    const cr_evaluation *evaluation;
    cr_metrics metrics;
    cr_area area;
    int has_area;
    cr_status status; /* of finding it */
} measured;

typedef struct row {
    cr_metric metric;
    size_t at;                    /* offset in the metrics, */
    double (*value)(measured *m); /* or a function; then there is no offset */
} row;

static const cr_area *area_of(measured *m)
{
    if (!m->has_area)
        m->status = cr_evaluation_area(m->evaluation, SIZE_MAX, &m->area, NULL);
    m->has_area = 1;
    return &m->area;
}

static double roc_area(measured *m)
{
    return area_of(m)->roc;
}

static double roc_area_low(measured *m)
{
    return area_of(m)->roc_low;
}

static double roc_area_high(measured *m)
{
    return area_of(m)->roc_high;
}

static double roc_loss(measured *m)
{
    return 100 * (1 - area_of(m)->roc);
}

static double pr_area(measured *m)
{
    return area_of(m)->pr;
}

/* D² = 1 - log-loss / H, H = -Σ q ln q the log-loss of the classes' shares q among these rows: the
 * share of the uncertainty that is removed. NaN where there is one class, or none. As
 * d2_log_loss_score of scikit-learn 1.5. */
static double d2_log_loss(measured *m)
{
    const cr_evaluation *e = m->evaluation;
    const double known = e->weight - e->unknown;
    double entropy = 0;

    for (size_t c = 0; c < e->classes; c++)
        if (e->support[c] > 0)
            entropy -= e->support[c] / known * log(e->support[c] / known);
    return entropy > 0 ? 1 - m->metrics.log_loss / entropy : NAN;
}

enum {
    TABLE = CR_METRIC_TABLE,
    JSON = CR_METRIC_JSON,
    FOLDS = CR_METRIC_FOLDS,
    COMPARE = CR_METRIC_COMPARE,
    TUNE = CR_METRIC_TUNE,
    REPORT = CR_METRIC_REPORT,
    COSTS = CR_METRIC_COSTS
};

#define OF(member) offsetof(cr_metrics, member), NULL
#define BY(function) 0, function

/* key, title, head of a column, meaning, direction, how shown, least, most, where */
static const row of_classes[] = {
    {{"rows", "rows", NULL, "weight of the rows", 0, CR_SHOW_PLAIN, 0, INFINITY, JSON | REPORT},
     OF(rows)},
    {{"accuracy", "accuracy", NULL, "share of the rows decided rightly", 1, CR_SHOW_PERCENT, 0, 1,
      TABLE | JSON | FOLDS | COMPARE | TUNE | REPORT},
     OF(accuracy)},
    {{"accuracy_low", "accuracy, low", NULL, "lower end of its 95 % interval (Wilson)", 0,
      CR_SHOW_PERCENT, 0, 1, JSON},
     OF(accuracy_low)},
    {{"accuracy_high", "accuracy, high", NULL, "upper end", 0, CR_SHOW_PERCENT, 0, 1, JSON},
     OF(accuracy_high)},
    {{"balanced_accuracy", "balanced", NULL, "mean of the classes' recall", 1, CR_SHOW_PERCENT, 0,
      1, TABLE | JSON | FOLDS | COMPARE},
     OF(balanced_accuracy)},
    {{"log_loss", "log loss", NULL, "mean of -ln P(true class)", -1, CR_SHOW_PLAIN, 0, INFINITY,
      TABLE | JSON | FOLDS | COMPARE | TUNE | REPORT},
     OF(log_loss)},
    {{"d2_log_loss", "D²", NULL, "share of the classes' uncertainty that is gone", 1,
      CR_SHOW_PERCENT, -INFINITY, 1, JSON | FOLDS | COMPARE | TUNE | REPORT},
     BY(d2_log_loss)},
    {{"brier", "Brier score", "Brier", "mean squared error of the probabilities", -1, CR_SHOW_PLAIN,
      0, 2, TABLE | JSON | FOLDS | COMPARE | REPORT},
     OF(brier)},
    {{"brier_reliability", "Brier reliability", NULL, "part of it: miscalibration", -1,
      CR_SHOW_PLAIN, 0, 2, JSON},
     OF(reliability)},
    {{"brier_resolution", "Brier resolution", NULL, "part of it: how far answers differ", 1,
      CR_SHOW_PLAIN, 0, 2, JSON},
     OF(resolution)},
    {{"brier_uncertainty", "Brier uncertainty", NULL, "part of it: the classes' own", 0,
      CR_SHOW_PLAIN, 0, 2, JSON},
     OF(uncertainty)},
    {{"ece", "ECE", NULL, "how far confidence is from accuracy, 15 bins", -1, CR_SHOW_PLAIN, 0, 1,
      TABLE | JSON | COMPARE | REPORT},
     OF(ece)},
    {{"mce", "MCE", NULL, "the largest of these gaps", -1, CR_SHOW_PLAIN, 0, 1, JSON | COMPARE},
     OF(mce)},
    {{"macro_f1", "macro F1", NULL, "mean of the classes' F1", 1, CR_SHOW_PLAIN, 0, 1,
      TABLE | JSON | FOLDS | COMPARE | TUNE | REPORT},
     OF(macro_f1)},
    {{"micro_f1", "micro F1", NULL, "F1 of all decisions together", 1, CR_SHOW_PLAIN, 0, 1,
      JSON | COMPARE},
     OF(micro_f1)},
    {{"weighted_f1", "weighted F1", NULL, "mean of the classes' F1, by their rows", 1,
      CR_SHOW_PLAIN, 0, 1, JSON | COMPARE},
     OF(weighted_f1)},
    {{"mcc", "MCC", NULL, "correlation of decisions and classes", 1, CR_SHOW_PLAIN, -1, 1,
      TABLE | JSON | FOLDS | COMPARE},
     OF(mcc)},
    {{"kappa", "kappa", NULL, "agreement beyond chance (Cohen)", 1, CR_SHOW_PLAIN, -1, 1,
      JSON | COMPARE},
     OF(kappa)},
    {{"roc_area", "ROC area", NULL, "P(own row ranks above another), mean over classes", 1,
      CR_SHOW_PLAIN, 0, 1, TABLE | JSON | COMPARE},
     BY(roc_area)},
    {{"roc_area_low", "ROC area, low", NULL, "lower end of its 95 % interval (DeLong)", 0,
      CR_SHOW_PLAIN, 0, 1, JSON},
     BY(roc_area_low)},
    {{"roc_area_high", "ROC area, high", NULL, "upper end", 0, CR_SHOW_PLAIN, 0, 1, JSON},
     BY(roc_area_high)},
    {{"roc_loss_percent", "ROC loss", NULL, "100 less 100 times the ROC area", -1, CR_SHOW_PLAIN, 0,
      100, JSON},
     BY(roc_loss)},
    {{"pr_area", "PR area", NULL, "average precision, mean over classes", 1, CR_SHOW_PLAIN, 0, 1,
      JSON | COMPARE},
     BY(pr_area)},
    {{"undecided", "undecided", NULL, "weight of the rows without a decision", -1, CR_SHOW_PLAIN, 0,
      INFINITY, JSON},
     OF(undecided)},
    {{"unknown", "unknown", NULL, "weight of the rows of a class the model never met", 0,
      CR_SHOW_PLAIN, 0, INFINITY, JSON},
     OF(unknown)},
    {{"cost", "cost", NULL, "what a row's decision costs on average", -1, CR_SHOW_PLAIN, 0,
      INFINITY, COSTS},
     OF(cost)},
};

#undef OF
#define OF(member) offsetof(cr_regression_metrics, member), NULL

static const row of_numbers[] = {
    {{"rmse", "RMSE", NULL, "root of the mean squared error", -1, CR_SHOW_PLAIN, 0, INFINITY,
      TABLE | JSON | FOLDS | COMPARE | TUNE | REPORT},
     OF(rmse)},
    {{"mae", "MAE", NULL, "mean absolute error", -1, CR_SHOW_PLAIN, 0, INFINITY,
      TABLE | JSON | FOLDS | COMPARE | TUNE | REPORT},
     OF(mae)},
    {{"r2", "R²", NULL, "share of the variance that is explained", 1, CR_SHOW_PLAIN, -INFINITY, 1,
      TABLE | JSON | FOLDS | COMPARE | TUNE | REPORT},
     OF(r2)},
    {{"bias", "bias", NULL, "mean of prediction less truth", 0, CR_SHOW_PLAIN, -INFINITY, INFINITY,
      TABLE | JSON | FOLDS | REPORT},
     OF(bias)},
    {{"log_density", "log density", "log p", "mean of ln p(truth)", 1, CR_SHOW_PLAIN, -INFINITY,
      INFINITY, TABLE | JSON | FOLDS | COMPARE | TUNE | REPORT},
     OF(log_density)},
    {{"coverage", "coverage", "cover", "share of truths inside their interval", 0, CR_SHOW_PLAIN, 0,
      1, TABLE | JSON | FOLDS | COMPARE | REPORT},
     OF(coverage)},
    {{"width", "width", NULL, "of these intervals, on average", 0, CR_SHOW_PLAIN, 0, INFINITY,
      TABLE | JSON | FOLDS | REPORT},
     OF(width)},
};

enum {
    CLASS_METRICS = sizeof of_classes / sizeof *of_classes,
    NUMBER_METRICS = sizeof of_numbers / sizeof *of_numbers
};
_Static_assert((int)CLASS_METRICS <= (int)CR__METRICS_MOST &&
                   (int)NUMBER_METRICS <= (int)CR__METRICS_MOST,
               "more metrics than there is room for");

/* --- finding ---------------------------------------------------------------------------------- */

size_t cr_metric_count(int numbers)
{
    return numbers ? NUMBER_METRICS : CLASS_METRICS;
}

const cr_metric *cr_metric_get(int numbers, size_t index)
{
    if (index >= cr_metric_count(numbers))
        return NULL;
    return numbers ? &of_numbers[index].metric : &of_classes[index].metric;
}

static int same_key(const char *a, const char *b)
{
    for (; *a != '\0' && (*a == *b || (*a == '_' && *b == '-')); a++, b++)
        continue;
    return *a == '\0' && *b == '\0';
}

const cr_metric *cr_metric_find(int numbers, const char *key)
{
    const cr_metric *m;

    for (size_t i = 0; (m = cr_metric_get(numbers, i)) != NULL; i++)
        if (same_key(m->key, key))
            return m;
    return NULL;
}

static int is_of_numbers(const cr_metric *metric)
{
    for (size_t i = 0; i < NUMBER_METRICS; i++)
        if (metric == &of_numbers[i].metric)
            return 1;
    return 0;
}

size_t cr__metric_place(const cr_metric *metric)
{
    const row *r = (const row *)metric; /* the metric is the first member of its row */

    return (size_t)(r - (is_of_numbers(metric) ? of_numbers : of_classes));
}

/* --- values ----------------------------------------------------------------------------------- */

static double at(const void *metrics, size_t offset)
{
    double x;

    memcpy(&x, (const char *)metrics + offset, sizeof x);
    return x;
}

static double value_of(measured *m, const row *r)
{
    return r->value != NULL ? r->value(m) : at(&m->metrics, r->at);
}

static measured measure(const cr_evaluation *e)
{
    measured m = {.evaluation = e};

    cr_evaluation_metrics(e, &m.metrics);
    return m;
}

/* Whether a metric needs the order of the rows. */
static int is_ordered(const row *r)
{
    return r->value == roc_area || r->value == roc_area_low || r->value == roc_area_high ||
           r->value == roc_loss || r->value == pr_area;
}

int cr__metrics_ordered(unsigned shown, const cr_metric *also)
{
    for (size_t i = 0; i < CLASS_METRICS; i++)
        if (is_ordered(&of_classes[i]) &&
            ((of_classes[i].metric.shown & shown) != 0 || &of_classes[i].metric == also))
            return 1;
    return 0;
}

double cr_evaluation_value(const cr_evaluation *e, const cr_metric *metric)
{
    measured m = measure(e);

    return is_of_numbers(metric) ? NAN : value_of(&m, (const row *)metric);
}

double cr_regression_value(const cr_regression_metrics *m, const cr_metric *metric)
{
    return is_of_numbers(metric) ? at(m, ((const row *)metric)->at) : NAN;
}

cr_status cr__metric_values(const cr_evaluation *e, unsigned shown, const cr_metric *also,
                            double value[CR__METRICS_MOST])
{
    measured m = measure(e);

    for (size_t i = 0; i < CLASS_METRICS; i++) {
        const row *r = &of_classes[i];

        value[i] = (r->metric.shown & shown) != 0 || &r->metric == also ? value_of(&m, r) : NAN;
    }
    return m.status == CR_ENOMEM || e->seen_failed ? CR_ENOMEM : CR_OK;
}

void cr__metric_numbers(const cr_regression_metrics *m, double value[CR__METRICS_MOST])
{
    for (size_t i = 0; i < NUMBER_METRICS; i++)
        value[i] = at(m, of_numbers[i].at);
}
