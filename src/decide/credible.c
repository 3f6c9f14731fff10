/* decide/credible.c - how certain the probabilities of a row are.
 *
 * Parameters are drawn from their posterior; each draw gives a posterior over the classes, which is
 * calibrated and adjusted to the rule's priors like predictions; the central part of the draws is
 * the interval. Every row has the same random numbers, so that its interval does not depend on
 * other rows. Where only P(class) matters, the interval is exact, from a Beta distribution.
 */
#include "decide/credible.h"

#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/special.h"
#include "belief/posterior.h"
#include "decide/row.h"
#include "decide/rule.h"
#include "model/calibration.h"

enum { DRAWS = 2000 };

struct cr__credible {
    const cr_model *model;
    const cr_rule *rule;
    const cr__is_uncertain *of;
    void *state;
    double level;
    uint64_t seed;
    double *score; /* [classes] */
    double *draw;  /* [classes * DRAWS] class by class */
};

void cr__credible_close(cr__credible *s)
{
    if (s == NULL)
        return;
    if (s->state != NULL)
        s->of->close(s->state);
    cr__free(s->score);
    cr__free(s->draw);
    cr__free(s);
}

static cr_status check(const cr_model *model, double level, cr_error *err)
{
    if (!(level > 0 && level < 1))
        return cr__fail(err, CR_EARG, "the level of an interval is %g; it must be between 0 and 1",
                        level);
    if (model->learner->is_uncertain != NULL)
        return CR_OK;
    cr__fail(err, CR_EARG, "the uncertainty of the probabilities of '%s' is not known",
             model->learner->name);
    return cr__fail_hint(err, CR_EARG, CR__SET("learner nb") " has intervals of its probabilities");
}

cr_status cr__credible_open(cr__credible **out, const cr_model *model, const cr_rule *rule,
                            double level, uint64_t seed, cr_error *err)
{
    const cr__stats *stats;
    cr__credible *s;
    cr_status st = check(model, level, err);

    *out = NULL;
    if (st != CR_OK || (st = cr__model_stats(model, &stats, err)) != CR_OK)
        return st;
    if ((s = cr__alloc_zero(1, sizeof *s)) == NULL)
        return cr__fail_memory(err);
    *s = (cr__credible){.model = model,
                        .rule = rule,
                        .of = model->learner->is_uncertain,
                        .level = level,
                        .seed = seed};
    s->score = cr__alloc(model->classes, sizeof *s->score);
    s->draw = cr__alloc(model->classes, DRAWS * sizeof *s->draw);
    st = s->score == NULL || s->draw == NULL
             ? cr__fail_memory(err)
             : s->of->open(&s->state, model->share->fitted, stats, &model->knobs, err);
    if (st != CR_OK) {
        cr__credible_close(s);
        return st;
    }
    *out = s;
    return CR_OK;
}

static int by_size(const void *pa, const void *pb)
{
    const double a = *(const double *)pa, b = *(const double *)pb;

    return a < b ? -1 : a > b;
}

/* Quantile p of sorted numbers, with linear interpolation (type 7 of Hyndman & Fan 1996, "Sample
 * quantiles in statistical packages"). */
static double quantile(const double *sorted, double p)
{
    const double at = p * (DRAWS - 1);
    const size_t i = (size_t)at;

    return i + 1 < DRAWS ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

static int is_exact(const cr__credible *s, double *low, double *high)
{
    const double tail = (1 - s->level) / 2;
    double a, b;

    if (s->model->calibration != NULL || (s->rule != NULL && s->rule->shift != NULL))
        return 0;
    for (size_t c = 0; c < s->model->classes; c++) {
        if (!s->of->exact(s->state, c, &a, &b))
            return 0;
        low[c] = cr__beta_lower_inverse(a, b, tail);
        high[c] = cr__beta_upper_inverse(a, b, tail);
    }
    return 1;
}

void cr__credible_row(cr__credible *s, const cr__batch *batch, size_t row, double *low,
                      double *high)
{
    const size_t K = s->model->classes;
    const double tail = (1 - s->level) / 2;
    cr__random random;

    s->of->row(s->state, batch, row);
    if (is_exact(s, low, high))
        return;
    cr__random_seed(&random, s->seed);
    for (size_t i = 0; i < DRAWS; i++) {
        s->of->draw(s->state, &random, s->score);
        cr__calibrate(s->model->calibration, s->score);
        for (size_t c = 0; c < K; c++)
            s->score[c] += cr__rule_shift(s->rule, c);
        cr__posterior(s->score, K, s->score, NULL);
        for (size_t c = 0; c < K; c++)
            s->draw[c * DRAWS + i] = s->score[c];
    }
    for (size_t c = 0; c < K; c++) {
        qsort(s->draw + c * DRAWS, DRAWS, sizeof *s->draw, by_size);
        low[c] = quantile(s->draw + c * DRAWS, tail);
        high[c] = quantile(s->draw + c * DRAWS, 1 - tail);
    }
}

cr_status cr_row_interval(cr_row *row, const cr_rule *rule, double level, uint64_t seed,
                          double *low, double *high, cr_error *err)
{
    cr__credible *s = NULL;
    cr_status st;

    if (rule != NULL && rule->classes != row->model->classes)
        return cr__fail(err, CR_EARG, "the rule is made for another number of classes");
    if ((st = cr__credible_open(&s, row->model, rule, level, seed, err)) != CR_OK)
        return st;
    if ((st = cr__row_begin(row, err)) == CR_OK)
        cr__credible_row(s, &row->batch, 0, low, high);
    cr__row_end(row);
    cr__credible_close(s);
    return st;
}
