/* cli/estimate/json.c - estimates for programs, with every digit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "estimate/estimate.h"
#include "out/json.h"
#include "out/table.h"
#include "out/text.h"

void estimate_json_interval(json *j, const char *key, cr_interval i)
{
    json_array(j, key, JSON_LINE);
    json_number(j, NULL, i.low);
    json_number(j, NULL, i.high);
    json_end(j);
}

static void distribution_json(json *j, const char *key, const cr_distribution *d)
{
    json_object(j, key, JSON_LINE);
    json_text(j, "family", cr_family_name(d->family));
    switch (d->family) {
    case CR_BETA:
        json_number(j, "a", d->a);
        json_number(j, "b", d->b);
        break;
    case CR_STUDENT:
        json_number(j, "freedom", d->freedom);
        json_number(j, "centre", d->a);
        json_number(j, "scale", d->b);
        break;
    default:
        json_number(j, "shape", d->a);
        json_number(j, d->family == CR_GAMMA ? "rate" : "scale", d->b);
    }
    json_end(j);
}

static void quantity_json(json *j, const estimate *e, const char *key, const quantity *q)
{
    cr_interval piece[2];
    size_t pieces = cr_distribution_highest(&q->posterior, e->level, piece);
    cr_mode kind;
    double mode = cr_distribution_mode(&q->posterior, &kind);

    json_object(j, key, JSON_BLOCK);
    if (key == NULL)
        json_text(j, "name", q->name);
    if (!isnan(q->count))
        json_number(j, "count", q->count);
    if (!q->future) {
        json_number(j, "mle", q->mle);
        json_number(j, "map", q->map);
        json_text(j, "map_kind", cr_mode_name(q->mode));
    }
    distribution_json(j, "posterior", &q->posterior);
    json_number(j, "mean", cr_distribution_mean(&q->posterior));
    json_number(j, "mode", mode);
    json_text(j, "mode_kind", cr_mode_name(kind));
    json_number(j, "sd", cr_distribution_sd(&q->posterior));
    estimate_json_interval(j, "interval", cr_distribution_central(&q->posterior, e->level));
    json_array(j, "highest", JSON_LINE);
    for (size_t i = 0; i < pieces; i++)
        estimate_json_interval(j, NULL, piece[i]);
    json_end(j);
    if (e->data->kind == ESTIMATE_SHARES)
        json_number(j, "predictive", cr_distribution_mean(&q->posterior));
    json_end(j);
}

static void shares_json(json *j, const estimate *e, const estimate_result *r)
{
    json_number(j, "observations", r->shares.observations);
    json_array(j, "outcomes", JSON_BLOCK);
    for (size_t i = 0; i < r->count; i++) {
        quantity q = r->quantity[i];

        q.name = e->data->outcome[i];
        quantity_json(j, e, NULL, &q);
    }
    json_end(j);
}

static void forecast_json(json *j, const cr_forecast *f)
{
    json_object(j, "next", JSON_LINE);
    json_number(j, "exposure", 1);
    json_number(j, "mean", f->mean);
    json_number(j, "sd", f->sd);
    json_number(j, "none", f->none);
    estimate_json_interval(j, "interval", f->interval);
    json_end(j);
}

static void result_json(json *j, const estimate *e, const estimate_result *r)
{
    json_number(j, "log_evidence", r->log_evidence);
    if (e->data->kind == ESTIMATE_SHARES) {
        shares_json(j, e, r);
    } else if (e->data->kind == ESTIMATE_GAUSSIAN) {
        json_number(j, "observations", r->normal.sample.n);
        json_number(j, "unbiased_variance", r->normal.unbiased_variance);
        for (size_t i = 0; i < r->count; i++)
            quantity_json(j, e, r->quantity[i].name, &r->quantity[i]);
    } else {
        json_number(j, "events", r->rate.events);
        json_number(j, "exposure", r->rate.exposure);
        quantity_json(j, e, "rate", &r->quantity[0]);
        forecast_json(j, &r->forecast);
    }
}

static void prior_json(json *j, const estimate *e)
{
    const cr_normal_prior *p = &e->prior->normal;

    json_object(j, "prior", JSON_LINE);
    if (e->data->kind == ESTIMATE_SHARES) {
        json_text(j, "family", e->data->outcomes == 2 ? "beta" : "dirichlet");
        json_array(j, "parameters", JSON_LINE);
        for (size_t i = 0; i < e->data->outcomes; i++)
            json_number(j, NULL, e->prior->value[i]);
        json_end(j);
    } else if (e->data->kind == ESTIMATE_GAUSSIAN) {
        json_text(j, "family", "normal-inverse-gamma");
        json_number(j, "m", p->m);
        json_number(j, "k", p->k);
        json_number(j, "a", p->a);
        json_number(j, "b", p->b);
    } else {
        json_text(j, "family", "gamma");
        json_number(j, "shape", e->prior->value[0]);
        json_number(j, "rate", e->prior->value[1]);
    }
    json_end(j);
}

static void versus_json(json *j, const estimate *e, size_t i)
{
    const cr_versus *v = &e->versus[i];

    json_object(j, NULL, JSON_BLOCK);
    json_text(j, "name",
              e->data->kind == ESTIMATE_SHARES ? e->data->outcome[i]
                                               : e->result[0].quantity[i].name);
    json_number(j, "greater", v->greater);
    json_number(j, "less", v->less);
    json_bool(j, "exact", v->exact != 0);
    json_object(j, "difference", JSON_LINE);
    json_number(j, "mean", v->mean);
    json_number(j, "sd", v->sd);
    estimate_json_interval(j, "interval", v->difference);
    json_end(j);
    estimate_json_interval(j, "ratio", v->ratio);
    json_object(j, "expected_loss", JSON_LINE);
    json_number(j, e->result[0].of->name, v->loss_a);
    json_number(j, e->result[1].of->name, v->loss_b);
    json_end(j);
    json_end(j);
}

void estimate_json(const estimate *e)
{
    static const char *const kind[] = {"shares", "gaussian", "poisson"};
    json j;

    json_start(&j, stdout);
    json_object(&j, NULL, JSON_BLOCK);
    json_text(&j, "kind", kind[e->data->kind]);
    json_number(&j, "level", e->level);
    prior_json(&j, e);
    if (e->results == 1) {
        result_json(&j, e, &e->result[0]);
    } else {
        json_array(&j, "samples", JSON_BLOCK);
        for (size_t i = 0; i < 2; i++) {
            json_object(&j, NULL, JSON_BLOCK);
            json_text(&j, "name", e->result[i].of->name);
            result_json(&j, e, &e->result[i]);
            json_end(&j);
        }
        json_end(&j);
        json_array(&j, "versus", JSON_BLOCK);
        for (size_t i = 0; i < e->compared; i++)
            versus_json(&j, e, i);
        json_end(&j);
    }
    json_end(&j);
}

void estimate_csv(const estimate *e)
{
    static const char *const column[] = {"mle", "map",  "mean",        "sd",
                                         "low", "high", "highest_low", "highest_high"};
    table *t = table_new();

    table_column(t, "sample", TABLE_LEFT);
    table_column(t, "name", TABLE_LEFT);
    table_column(t, "count", TABLE_RIGHT);
    for (size_t i = 0; i < sizeof column / sizeof *column; i++)
        table_column(t, column[i], TABLE_RIGHT);
    for (size_t s = 0; s < e->results; s++)
        for (size_t i = 0; i < e->result[s].count; i++) {
            const quantity *q = &e->result[s].quantity[i];
            cr_interval central = cr_distribution_central(&q->posterior, e->level), piece[2];
            size_t pieces = cr_distribution_highest(&q->posterior, e->level, piece);
            double value[] = {q->mle,
                              q->map,
                              cr_distribution_mean(&q->posterior),
                              cr_distribution_sd(&q->posterior),
                              central.low,
                              central.high,
                              pieces == 1 ? piece[0].low : NAN,
                              pieces == 1 ? piece[0].high : NAN};

            table_text(t, e->result[s].of->name);
            table_text(t, q->name);
            table_number(t, number_plain, q->count);
            for (size_t k = 0; k < sizeof value / sizeof *value; k++)
                table_number(t, number_plain, value[k]);
        }
    table_csv(t);
    table_free(t);
}
