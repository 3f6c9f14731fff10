/* cli/estimate/solve.c - from data and a prior to what is known now. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimate/estimate.h"
#include "out/out.h"
#include "session/reserve.h"

static void add(estimate_result *r, const char *name, quantity q)
{
    q.name = reserve_text(name);
    r->quantity = reserve_more(r->quantity, r->count + 1, sizeof *r->quantity);
    r->quantity[r->count++] = q;
}

static void clear(estimate_result *r)
{
    for (size_t i = 0; i < r->count; i++)
        free(r->quantity[i].name);
    r->count = 0;
}

static cr_status solve_shares(const estimate *e, const sample *s, estimate_result *r, cr_error *err)
{
    size_t outcomes = e->data->outcomes;
    double *count = reserve(outcomes, sizeof *count);
    cr_share *share = reserve(outcomes, sizeof *share);
    cr_status st;

    memcpy(count, s->value, s->count * sizeof *count); /* outcomes it never had count 0 */
    st = cr_shares_estimate(count, e->prior->value, outcomes, share, &r->shares, err);
    for (size_t i = 0; st == CR_OK && i < outcomes; i++) {
        char name[160];

        snprintf(name, sizeof name, "P(%s)", e->data->outcome[i]);
        add(r, name,
            (quantity){.count = share[i].count,
                       .mle = share[i].mle,
                       .map = share[i].map,
                       .mode = r->shares.mode,
                       .posterior = share[i].posterior});
    }
    r->log_evidence = r->shares.log_evidence;
    free(count);
    free(share);
    return st;
}

static cr_status solve_normal(const estimate *e, const sample *s, estimate_result *r, cr_error *err)
{
    const cr_normal *n = &r->normal;
    cr_sample summary;
    cr_status st;

    if ((st = cr_sample_of(&summary, s->value, s->count, err)) != CR_OK ||
        (st = cr_normal_estimate(&r->normal, &summary, &e->prior->normal, err)) != CR_OK)
        return st;
    add(r, "mean",
        (quantity){.count = NAN,
                   .mle = n->mle_mean,
                   .map = n->map_mean,
                   .mode = CR_MODE_INSIDE,
                   .posterior = n->mean});
    add(r, "variance",
        (quantity){.count = NAN,
                   .mle = n->mle_variance,
                   .map = n->map_variance,
                   .mode = CR_MODE_INSIDE,
                   .posterior = n->variance});
    add(r, "next",
        (quantity){.count = NAN,
                   .mle = NAN,
                   .map = NAN,
                   .mode = CR_MODE_INSIDE,
                   .posterior = n->next,
                   .future = true});
    r->log_evidence = n->log_evidence;
    return CR_OK;
}

static cr_status solve_rate(const estimate *e, const sample *s, estimate_result *r, cr_error *err)
{
    cr_status st = cr_rate_estimate(&r->rate, s->value, s->exposure, s->count, e->prior->value[0],
                                    e->prior->value[1], err);

    if (st != CR_OK)
        return st;
    add(r, "rate",
        (quantity){.count = NAN,
                   .mle = r->rate.mle,
                   .map = r->rate.map,
                   .mode = r->rate.mode,
                   .posterior = r->rate.posterior});
    r->forecast = cr_rate_forecast(&r->rate.posterior, 1, e->level);
    r->log_evidence = r->rate.log_evidence;
    return CR_OK;
}

cr_status estimate_solve_sample(const estimate *e, const sample *s, estimate_result *r,
                                cr_error *err)
{
    clear(r);
    r->of = s;
    switch (e->data->kind) {
    case ESTIMATE_SHARES: return solve_shares(e, s, r, err);
    case ESTIMATE_GAUSSIAN: return solve_normal(e, s, r, err);
    default: return solve_rate(e, s, r, err);
    }
}

/* All outcomes of a die, one of the two of a coin, the means, the rates. */
static size_t compared(const estimate *e)
{
    return e->data->kind == ESTIMATE_SHARES && e->data->outcomes > 2 ? e->data->outcomes : 1;
}

int estimate_solve(estimate *e)
{
    cr_error err = {0};
    cr_status st = CR_OK;

    for (; st == CR_OK && e->results < e->data->samples; e->results++)
        st = estimate_solve_sample(e, &e->data->sample[e->results], &e->result[e->results], &err);
    if (st == CR_OK && e->results == 2) {
        size_t count = compared(e);

        e->versus = reserve(count, sizeof *e->versus);
        for (; st == CR_OK && e->compared < count; e->compared++)
            st = cr_distribution_compare(&e->result[0].quantity[e->compared].posterior,
                                         &e->result[1].quantity[e->compared].posterior, e->level,
                                         &e->versus[e->compared], &err);
    }
    return st == CR_OK ? EXIT_DONE : complain(st, &err);
}

void estimate_release(estimate *e)
{
    for (size_t i = 0; i < 2; i++) {
        clear(&e->result[i]);
        free(e->result[i].quantity);
    }
    free(e->versus);
}
