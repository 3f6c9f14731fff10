/* belief/estimate_all.c - estimates of any kind from samples and a prior. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/estimate.h"

#define USUAL_LEVEL 0.95

/* Room for this many quantities; none is set yet. */
static cr_status make_room(cr_estimation *r, size_t count, cr_error *err)
{
    r->count = 0;
    return cr__grow(&r->quantity, &r->room, count, sizeof *r->quantity) ? CR_OK
                                                                        : cr__fail_memory(err);
}

static void add(cr_estimation *r, const char *name, cr_quantity q)
{
    r->quantity[r->count] = q;
    snprintf(r->quantity[r->count].name, sizeof q.name, "%s", name);
    r->count++;
}

double cr_prior_parameter(const cr_prior *prior, size_t outcome)
{
    return prior->count == 0 ? prior->each : outcome < prior->count ? prior->value[outcome] : NAN;
}

static cr_status solve_shares(const cr_estimate_of *of, const cr_measured *s, cr_estimation *r,
                              cr_error *err)
{
    double *count = cr__alloc_zero(2 * of->outcomes + 1, sizeof *count);
    double *prior = count != NULL ? count + of->outcomes : NULL;
    cr_share *share = cr__alloc(of->outcomes + 1, sizeof *share);
    cr_status st = count == NULL || share == NULL ? cr__fail_memory(err) : CR_OK;

    if (st == CR_OK && s->count > 0)
        memcpy(count, s->value, s->count * sizeof *count);
    for (size_t i = 0; st == CR_OK && i < of->outcomes; i++)
        prior[i] = cr_prior_parameter(of->prior, i);
    if (st == CR_OK)
        st = cr_shares_estimate(count, prior, of->outcomes, share, &r->shares, err);
    if (st == CR_OK)
        st = make_room(r, of->outcomes, err);
    for (size_t i = 0; st == CR_OK && i < of->outcomes; i++) {
        char name[160];

        snprintf(name, sizeof name, "P(%s)", of->outcome[i]);
        add(r, name,
            (cr_quantity){.count = share[i].count,
                          .mle = share[i].mle,
                          .map = share[i].map,
                          .mode = r->shares.mode,
                          .posterior = share[i].posterior});
    }
    r->log_evidence = r->shares.log_evidence;
    cr__free(count);
    cr__free(share);
    return st;
}

static cr_status solve_normal(const cr_estimate_of *of, const cr_measured *s, cr_estimation *r,
                              cr_error *err)
{
    const cr_normal *n = &r->normal;
    cr_sample summary;
    cr_status st = CR_OK;

    if (s->sum != NULL)
        summary = *s->sum;
    else
        st = cr_sample_of(&summary, s->value, s->count, err);
    if (st != CR_OK ||
        (st = cr_normal_estimate(&r->normal, &summary, &of->prior->normal, err)) != CR_OK ||
        (st = make_room(r, 3, err)) != CR_OK)
        return st;
    add(r, "mean",
        (cr_quantity){.count = NAN,
                      .mle = n->mle_mean,
                      .map = n->map_mean,
                      .mode = CR_MODE_INSIDE,
                      .posterior = n->mean});
    add(r, "variance",
        (cr_quantity){.count = NAN,
                      .mle = n->mle_variance,
                      .map = n->map_variance,
                      .mode = CR_MODE_INSIDE,
                      .posterior = n->variance});
    add(r, "next",
        (cr_quantity){.count = NAN,
                      .mle = NAN,
                      .map = NAN,
                      .mode = CR_MODE_INSIDE,
                      .posterior = n->next,
                      .future = 1});
    r->log_evidence = n->log_evidence;
    return CR_OK;
}

static cr_status solve_rate(const cr_estimate_of *of, const cr_measured *s, cr_estimation *r,
                            cr_error *err)
{
    cr_status st = cr_rate_estimate(&r->rate, s->value, s->exposure, s->count, of->prior->value[0],
                                    of->prior->value[1], err);

    if (st != CR_OK || (st = make_room(r, 1, err)) != CR_OK)
        return st;
    add(r, "rate",
        (cr_quantity){.count = NAN,
                      .mle = r->rate.mle,
                      .map = r->rate.map,
                      .mode = r->rate.mode,
                      .posterior = r->rate.posterior});
    r->forecast = cr_rate_forecast(&r->rate.posterior, 1, of->level);
    r->log_evidence = r->rate.log_evidence;
    return CR_OK;
}

static cr_status solve(const cr_estimate_of *of, const cr_measured *s, cr_estimation *r,
                       cr_error *err)
{
    r->name = s->name != NULL ? s->name : "";
    if (of->of == CR_PRIOR_SHARES && s->count > of->outcomes)
        return cr__fail(err, CR_EARG, "%zu counts of %zu outcomes", s->count, of->outcomes);
    if (of->of == CR_PRIOR_SHARES && of->prior->count != 0 && of->prior->count != of->outcomes)
        return cr__fail(err, CR_EARG, "the prior has %zu parameters for %zu outcomes",
                        of->prior->count, of->outcomes);
    return of->of == CR_PRIOR_SHARES   ? solve_shares(of, s, r, err)
           : of->of == CR_PRIOR_NORMAL ? solve_normal(of, s, r, err)
                                       : solve_rate(of, s, r, err);
}

static cr_status compare(cr_estimate *e, cr_error *err)
{
    const int die = e->question.of == CR_PRIOR_SHARES && e->question.outcomes > 2;
    const size_t count = die ? e->question.outcomes : 1;
    cr_status st = CR_OK;

    if ((e->versus = cr__alloc(count, sizeof *e->versus)) == NULL)
        return cr__fail_memory(err);
    for (; st == CR_OK && e->compared < count; e->compared++)
        st = cr_distribution_compare(&e->result[0].quantity[e->compared].posterior,
                                     &e->result[1].quantity[e->compared].posterior,
                                     e->question.level, &e->versus[e->compared], err);
    return st;
}

cr_status cr_estimate_make(cr_estimate *out, const cr_estimate_of *question,
                           const cr_measured *sample, size_t samples, cr_error *err)
{
    cr_status st = CR_OK;

    out->question = *question;
    if (question->level == 0)
        out->question.level = USUAL_LEVEL;
    if (!(out->question.level > 0 && out->question.level < 1))
        return cr__fail(err, CR_EARG, "the level of an interval must be between 0 and 1");
    if (samples == 0 || samples > 2)
        return cr__fail(err, CR_EARG, "%zu samples; there must be one, or two to compare", samples);
    cr__free(out->versus);
    out->versus = NULL;
    out->compared = out->results = 0;
    for (; st == CR_OK && out->results < samples; out->results++)
        st = solve(&out->question, &sample[out->results], &out->result[out->results], err);
    return st == CR_OK && samples == 2 ? compare(out, err) : st;
}

void cr_estimate_free(cr_estimate *e)
{
    for (size_t i = 0; i < 2; i++)
        cr__free(e->result[i].quantity);
    cr__free(e->versus);
    *e = (cr_estimate){0};
}
