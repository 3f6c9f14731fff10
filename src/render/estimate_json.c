/* render/estimate_json.c - estimates for programs, with every digit. */
#include <math.h>

#include "render/fields.h"

static void interval_json(cr_json *j, const char *key, cr_interval i)
{
    cr_json_numbers(j, key, (double[]){i.low, i.high}, 2);
}

static void distribution_json(cr_json *j, const char *key, const cr_distribution *d)
{
    cr_json_object(j, key, CR_JSON_LINE);
    cr_json_text(j, "family", cr_family_name(d->family));
    switch (d->family) {
    case CR_BETA:
        cr_json_number(j, "a", d->a);
        cr_json_number(j, "b", d->b);
        break;
    case CR_STUDENT:
        cr_json_number(j, "freedom", d->freedom);
        cr_json_number(j, "centre", d->a);
        cr_json_number(j, "scale", d->b);
        break;
    default:
        cr_json_number(j, "shape", d->a);
        cr_json_number(j, d->family == CR_GAMMA ? "rate" : "scale", d->b);
    }
    cr_json_end(j);
}

static void quantity_json(cr_json *j, const cr_estimate *e, const char *key, const char *name,
                          const cr_quantity *q)
{
    cr_interval piece[2];
    size_t pieces = cr_distribution_highest(&q->posterior, e->question.level, piece);
    cr_mode kind;
    double mode = cr_distribution_mode(&q->posterior, &kind);

    cr_json_object(j, key, CR_JSON_BLOCK);
    if (key == NULL)
        cr_json_text(j, "name", name);
    if (!isnan(q->count))
        cr_json_number(j, "count", q->count);
    if (!q->future) {
        cr_json_number(j, "mle", q->mle);
        cr_json_number(j, "map", q->map);
        cr_json_text(j, "map_kind", cr_mode_name(q->mode));
    }
    distribution_json(j, "posterior", &q->posterior);
    cr_json_number(j, "mean", cr_distribution_mean(&q->posterior));
    cr_json_number(j, "mode", mode);
    cr_json_text(j, "mode_kind", cr_mode_name(kind));
    cr_json_number(j, "sd", cr_distribution_sd(&q->posterior));
    interval_json(j, "interval", cr_distribution_central(&q->posterior, e->question.level));
    cr_json_array(j, "highest", CR_JSON_LINE);
    for (size_t i = 0; i < pieces; i++)
        interval_json(j, NULL, piece[i]);
    cr_json_end(j);
    if (e->question.of == CR_PRIOR_SHARES)
        cr_json_number(j, "predictive", cr_distribution_mean(&q->posterior));
    cr_json_end(j);
}

static void shares_json(cr_json *j, const cr_estimate *e, const cr_estimation *r)
{
    cr_json_number(j, "observations", r->shares.observations);
    cr_json_array(j, "outcomes", CR_JSON_BLOCK);
    for (size_t i = 0; i < r->count; i++)
        quantity_json(j, e, NULL, e->question.outcome[i], &r->quantity[i]);
    cr_json_end(j);
}

static void forecast_json(cr_json *j, const cr_forecast *f)
{
    cr_json_object(j, "next", CR_JSON_LINE);
    cr_json_number(j, "exposure", 1);
    cr_json_number(j, "mean", f->mean);
    cr_json_number(j, "sd", f->sd);
    cr_json_number(j, "none", f->none);
    interval_json(j, "interval", f->interval);
    cr_json_end(j);
}

static void result_json(cr_json *j, const cr_estimate *e, const cr_estimation *r)
{
    cr_json_number(j, "log_evidence", r->log_evidence);
    if (e->question.of == CR_PRIOR_SHARES) {
        shares_json(j, e, r);
    } else if (e->question.of == CR_PRIOR_NORMAL) {
        cr_json_number(j, "observations", r->normal.sample.n);
        cr_json_number(j, "unbiased_variance", r->normal.unbiased_variance);
        for (size_t i = 0; i < r->count; i++)
            quantity_json(j, e, r->quantity[i].name, NULL, &r->quantity[i]);
    } else {
        cr_json_number(j, "events", r->rate.events);
        cr_json_number(j, "exposure", r->rate.exposure);
        quantity_json(j, e, "rate", NULL, &r->quantity[0]);
        forecast_json(j, &r->forecast);
    }
}

static void prior_json(cr_json *j, const cr_estimate *e)
{
    const cr_normal_prior *p = &e->question.prior->normal;

    cr_json_object(j, "prior", CR_JSON_LINE);
    if (e->question.of == CR_PRIOR_SHARES) {
        cr_json_text(j, "family", e->question.outcomes == 2 ? "beta" : "dirichlet");
        cr_json_array(j, "parameters", CR_JSON_LINE);
        for (size_t i = 0; i < e->question.outcomes; i++)
            cr_json_number(j, NULL, cr_prior_parameter(e->question.prior, i));
        cr_json_end(j);
    } else if (e->question.of == CR_PRIOR_NORMAL) {
        cr_json_text(j, "family", "normal-inverse-gamma");
        cr_json_number(j, "m", p->m);
        cr_json_number(j, "k", p->k);
        cr_json_number(j, "a", p->a);
        cr_json_number(j, "b", p->b);
    } else {
        cr_json_text(j, "family", "gamma");
        cr_json_number(j, "shape", e->question.prior->value[0]);
        cr_json_number(j, "rate", e->question.prior->value[1]);
    }
    cr_json_end(j);
}

static void versus_json(cr_json *j, const cr_estimate *e, size_t i)
{
    const cr_versus *v = &e->versus[i];

    cr_json_object(j, NULL, CR_JSON_BLOCK);
    cr_json_text(j, "name",
                 e->question.of == CR_PRIOR_SHARES ? e->question.outcome[i]
                                                   : e->result[0].quantity[i].name);
    cr_json_number(j, "greater", v->greater);
    cr_json_number(j, "less", v->less);
    cr_json_bool(j, "exact", v->exact != 0);
    cr_json_object(j, "difference", CR_JSON_LINE);
    cr_json_number(j, "mean", v->mean);
    cr_json_number(j, "sd", v->sd);
    interval_json(j, "interval", v->difference);
    cr_json_end(j);
    interval_json(j, "ratio", v->ratio);
    cr_json_object(j, "expected_loss", CR_JSON_LINE);
    cr_json_number(j, e->result[0].name, v->loss_a);
    cr_json_number(j, e->result[1].name, v->loss_b);
    cr_json_end(j);
    cr_json_end(j);
}

static void samples_json(cr_json *j, const cr_estimate *e)
{
    cr_json_array(j, "samples", CR_JSON_BLOCK);
    for (size_t i = 0; i < e->results; i++) {
        cr_json_object(j, NULL, CR_JSON_BLOCK);
        cr_json_text(j, "name", e->result[i].name);
        result_json(j, e, &e->result[i]);
        cr_json_end(j);
    }
    cr_json_end(j);
    cr_json_array(j, "versus", CR_JSON_BLOCK);
    for (size_t i = 0; i < e->compared; i++)
        versus_json(j, e, i);
    cr_json_end(j);
}

cr_status cr_estimate_json(const cr_estimate *e, cr_output *out)
{
    static const char *const kind[] = {
        [CR_PRIOR_SHARES] = "shares", [CR_PRIOR_NORMAL] = "gaussian", [CR_PRIOR_RATE] = "poisson"};
    cr_json j;

    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_text(&j, "kind", kind[e->question.of]);
    cr_json_number(&j, "level", e->question.level);
    prior_json(&j, e);
    if (e->results == 1)
        result_json(&j, e, &e->result[0]);
    else
        samples_json(&j, e);
    cr_json_end(&j);
    return cr_output_flush(out);
}

cr_status cr_estimate_sheet(cr_sheet **out, const cr_estimate *e, cr_error *err)
{
    static const char *const column[] = {"sample", "name",        "count",       "mle",
                                         "map",    "mean",        "sd",          "low",
                                         "high",   "highest_low", "highest_high"};
    cr_status st = cr__sheet_new(out, err);

    if (st != CR_OK)
        return st;
    cr__sheet_name(*out, column, sizeof column / sizeof *column);
    for (size_t s = 0; s < e->results; s++)
        for (size_t i = 0; i < e->result[s].count; i++) {
            const cr_quantity *q = &e->result[s].quantity[i];
            const double level = e->question.level;
            const cr_interval central = cr_distribution_central(&q->posterior, level);
            cr_interval piece[2];
            const int whole = cr_distribution_highest(&q->posterior, level, piece) == 1;

            cr__sheet_text(*out, e->result[s].name);
            cr__sheet_text(*out, q->name);
            cr__sheet_number(*out, q->count);
            cr__sheet_number(*out, q->mle);
            cr__sheet_number(*out, q->map);
            cr__sheet_number(*out, cr_distribution_mean(&q->posterior));
            cr__sheet_number(*out, cr_distribution_sd(&q->posterior));
            cr__sheet_number(*out, central.low);
            cr__sheet_number(*out, central.high);
            cr__sheet_number(*out, whole ? piece[0].low : NAN);
            cr__sheet_number(*out, whole ? piece[0].high : NAN);
        }
    return cr__sheet_done(out, err);
}
