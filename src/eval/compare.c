/* eval/compare.c - the likelihood of rows, and criteria that balance it against parameters.
 *
 * Minimum description length (J. Rissanen, "Modeling by shortest data description", 1978): the
 * hypothesis in L(h) bits, then the data in a code that is optimal if the hypothesis is true, in
 * -log2 P(D | h) bits. A parameter estimated from n rows has an error of about 1 / √n, so more than
 * half of log2 n bits of it would be wasted.
 */
#include "credence/compare.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/special.h"
#include "base/sized.h"
#include "model/model.h"

typedef struct counter {
    cr_likelihood *sum;
    uint64_t unlabelled;
    int describes; /* the model has P(class, row) */
    double noise;  /* most likely standard deviation, for a regression; NaN: there is none */
} counter;

/* ln N(y; mean, noise²). */
static double log_normal(double y, double mean, double noise)
{
    const double z = (y - mean) / noise;

    return -0.5 * z * z - log(noise) - 0.5 * log(2 * M_PI);
}

static void add_number(counter *k, const cr_regression *f, double w)
{
    if (isnan(f->truth)) {
        k->unlabelled++;
    } else if (w > 0) {
        k->sum->rows += w;
        k->sum->joint += w * log_normal(f->truth, f->mean, k->noise);
        k->sum->conditional += w * cr_regression_log_density(f, f->truth);
    }
}

static cr_status visit(void *context, const cr_predictions *p)
{
    counter *k = context;

    for (size_t r = 0; r < p->rows; r++) {
        const double w = p->weight == NULL ? 1 : p->weight[r];
        const int possible = p->reason[r] != CR_IMPOSSIBLE;

        if (p->regression != NULL) {
            add_number(k, &p->regression[r], w);
            continue;
        }
        if (p->truth[r] == -1) {
            k->unlabelled++;
            continue;
        }
        if (!(w > 0))
            continue;
        k->sum->rows += w;
        k->sum->conditional +=
            w * (possible || p->truth[r] < 0 ? p->log_truth[r] : -log((double)p->classes));
        if (k->describes)
            k->sum->joint += w * (possible ? p->log_truth[r] + p->log_evidence[r] : -INFINITY);
        k->sum->mistakes += p->decision[r] == p->truth[r] ? 0 : w;
        k->sum->impossible += possible && isfinite(p->log_truth[r]) ? 0 : w;
    }
    return CR_OK;
}

cr_status cr_model_likelihood(const cr_model *model, cr_source *source,
                              const cr_predict_options *options, const cr_run *run,
                              cr_likelihood *out, cr_tally *tally, cr_error *err)
{
    cr_predict_options labelled;
    counter k = {.sum = out, .noise = NAN};
    const cr_sink sink = {.visit = visit, .context = &k};
    cr_linear_facts facts;
    cr_tally own;
    cr_status st = cr__sized_take(&labelled, sizeof labelled, options, "cr_predict_options", err);

    *out = (cr_likelihood){0};
    k.describes = cr_model_is_generative(model) && model->calibration == NULL;
    if (!k.describes && model->learner->regresses == NULL)
        out->joint = NAN;
    if (cr_model_linear_facts(model, &facts) == CR_OK)
        k.noise = facts.noise * sqrt(facts.freedom / facts.rows);
    tally = tally == NULL ? &own : tally;
    if (st != CR_OK)
        return st;
    labelled.need_target = 1;
    if ((st = cr_model_predict(model, source, &labelled, &sink, run, tally, err)) != CR_OK)
        return st;
    tally->unlabelled = k.unlabelled;
    tally->rows -= k.unlabelled;
    return tally->rows > 0
               ? CR_OK
               : cr__fail(err, CR_EFORMAT, "no row has a %s",
                          model->learner->regresses != NULL ? "number to compare with" : "class");
}

/* --- criteria --------------------------------------------------------------------------------- */

/* The bits of a choice among alternatives, or of the characters of a free value. */
static double value_bits(const cr_knob *knob)
{
    const size_t length = strlen(knob->value);
    size_t choices = 0, found = 0;

    for (const char *c = knob->choices; c != NULL && *c != '\0';) {
        const size_t n = strcspn(c, "|");

        choices++;
        found += n == length && memcmp(c, knob->value, n) == 0;
        c += n + (c[n] == '|');
    }
    return found ? log2(choices > 2 ? (double)choices - 1 : 1) : 8 * (double)length;
}

static double knob_bits(const cr_model *model)
{
    size_t learners = 0, knobs = 0;
    double bits = 0;
    cr_knob knob;

    while (cr_learner_name(learners) != NULL)
        learners++;
    while (cr_model_knob(model, knobs, &knob) == CR_OK)
        knobs++;
    for (size_t i = 0; cr_model_knob(model, i, &knob) == CR_OK; i++)
        if (strcmp(knob.value, knob.fallback) != 0)
            bits += log2((double)knobs) + value_bits(&knob);
    return bits + log2((double)learners);
}

/* log2 of n choose m, both any weights. */
static double log2_choose(double n, double m)
{
    return m <= 0 || m >= n
               ? 0
               : (cr__log_gamma(n + 1) - cr__log_gamma(m + 1) - cr__log_gamma(n - m + 1)) / log(2);
}

static double mistake_bits(const cr_model *model, const cr_likelihood *l)
{
    return log2(l->rows + 1) + log2_choose(l->rows, l->mistakes) +
           (model->classes > 2 ? l->mistakes * log2((double)model->classes - 1) : 0);
}

void cr_model_criteria(const cr_model *model, const cr_likelihood *likelihood, cr_criteria *out)
{
    const int numbers = model->learner->regresses != NULL;
    const double log_n = likelihood->rows > 1 ? log(likelihood->rows) : 0;
    const double log_l = numbers ? likelihood->joint : likelihood->conditional;
    cr_linear_facts linear;
    cr_model_facts facts;
    double bits;

    cr_model_get_facts(model, &facts);
    *out = (cr_criteria){.parameters = facts.parameters,
                         .parameter_bits = facts.parameters / 2 * log_n / log(2),
                         .knob_bits = knob_bits(model),
                         .data_bits = -likelihood->joint / log(2),
                         .class_bits = -likelihood->conditional / log(2),
                         .bic = facts.parameters * log_n - 2 * log_l,
                         .aic = 2 * facts.parameters - 2 * log_l,
                         .error = numbers ? NAN : likelihood->mistakes / likelihood->rows,
                         .mistake_bits = numbers ? NAN : mistake_bits(model, likelihood)};
    bits = out->parameter_bits + out->knob_bits;
    out->mdl = bits - log_l / log(2);
    out->joint_mdl = bits + out->data_bits;
    out->mistakes_mdl = bits + out->mistake_bits;
    if (cr_model_linear_facts(model, &linear) == CR_OK)
        out->log_evidence = linear.log_evidence;
    else if (cr_model_evidence(model, &out->log_evidence, NULL) != CR_OK)
        out->log_evidence = NAN;
}
