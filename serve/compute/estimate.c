/* serve/compute/estimate.c - POST /compute/estimate: shares of outcomes, with a prior. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "compute/compute.h"
#include "endpoints/endpoints.h"
#include "json_list.h"

enum { GRID = 401 };

static void put_interval(cr_json *j, const char *key, const cr_interval *i)
{
    const double ends[] = {i->low, i->high};

    cr_json_numbers(j, key, ends, 2);
}

static void put_distribution(cr_json *j, const char *key, const cr_distribution *d, double level)
{
    cr_interval piece[2];
    const size_t pieces = cr_distribution_highest(d, level, piece);
    const cr_interval central = cr_distribution_central(d, level);
    cr_mode kind;
    const double mode = cr_distribution_mode(d, &kind);

    cr_json_object(j, key, CR_JSON_LINE);
    cr_json_text(j, "family", cr_family_name(d->family));
    cr_json_number(j, "a", d->a);
    cr_json_number(j, "b", d->b);
    cr_json_number(j, "mean", cr_distribution_mean(d));
    cr_json_number(j, "sd", cr_distribution_sd(d));
    cr_json_number(j, "mode", mode);
    cr_json_text(j, "mode_kind", cr_mode_name(kind));
    put_interval(j, "central", &central);
    cr_json_array(j, "highest", CR_JSON_LINE);
    for (size_t i = 0; i < pieces; i++)
        put_interval(j, NULL, &piece[i]);
    cr_json_end(j);
    cr_json_end(j);
}

/* The density at evenly spaced shares between 0 and 1, without both ends. */
static void put_density(cr_json *j, const char *key, const cr_distribution *d)
{
    double y[GRID];

    for (size_t i = 0; i < GRID; i++)
        y[i] = exp(cr_distribution_log_density(d, ((double)i + 0.5) / GRID));
    cr_json_numbers(j, key, y, GRID);
}

static void put_share(cr_json *j, const char *name, const cr_share *s, double level)
{
    cr_json_object(j, NULL, CR_JSON_BLOCK);
    cr_json_text(j, "name", name);
    cr_json_number(j, "count", s->count);
    cr_json_number(j, "prior", s->prior);
    cr_json_number(j, "mle", s->mle);
    cr_json_number(j, "map", s->map);
    cr_json_number(j, "predictive", s->predictive);
    put_distribution(j, "posterior", &s->posterior, level);
    cr_json_end(j);
}

typedef struct shares {
    double *count, *prior;
    cr_share *share;
    size_t outcomes;
    cr_shares all;
} shares;

/* "prior": "beta:2,2" and the like, or an array of parameters. */
static cr_status read_shares(call *k, const cr_json_value *body, shares *s)
{
    const cr_json_value *prior = cr_json_get(body, "prior");
    size_t given = 0;
    cr_prior p;
    cr_status status;

    s->count = json_numbers(cr_json_get(body, "counts"), &s->outcomes);
    if (s->count == NULL || s->outcomes < 2)
        return fail(k->err, CR_EARG, "\"counts\": [7, 3]", "the body needs two counts or more");
    if (prior != NULL && prior->kind == CR_JSON_ARRAY) {
        s->prior = json_numbers(prior, &given);
        return s->prior != NULL && given == s->outcomes
                   ? CR_OK
                   : fail(k->err, CR_EARG, NULL, "the prior needs a parameter for each count");
    }
    if ((status = cr_prior_parse(&p, CR_PRIOR_SHARES, cr_json_get_text(body, "prior", NULL),
                                 k->err)) != CR_OK)
        return status;
    if (p.count != 0 && p.count != s->outcomes)
        status = fail(k->err, CR_EARG, NULL, "the prior has %zu parameters for %zu counts", p.count,
                      s->outcomes);
    else if ((s->prior = calloc(s->outcomes, sizeof *s->prior)) == NULL)
        status = fail(k->err, CR_ENOMEM, NULL, "out of memory");
    for (size_t i = 0; status == CR_OK && i < s->outcomes; i++)
        s->prior[i] = p.count == 0 ? p.each : p.value[i];
    cr_prior_free(&p);
    return status;
}

static void put_curves(cr_json *j, const shares *s)
{
    const cr_distribution prior = cr_beta(s->prior[0], s->prior[1]);
    const cr_distribution likelihood = cr_beta(s->count[0] + 1, s->count[1] + 1);
    double x[GRID];

    for (size_t i = 0; i < GRID; i++)
        x[i] = ((double)i + 0.5) / GRID;
    cr_json_object(j, "curves", CR_JSON_BLOCK);
    cr_json_numbers(j, "x", x, GRID);
    put_density(j, "prior", &prior);
    put_density(j, "likelihood", &likelihood); /* as a density: it integrates to 1 */
    put_density(j, "posterior", &s->share[0].posterior);
    cr_json_end(j);
}

static cr_status estimate(call *k, const cr_json_value *body)
{
    const double level = cr_json_get_number(body, "level", 0.95);
    size_t names = 0;
    const char **name = json_texts(cr_json_get(body, "names"), &names);
    shares s = {0};
    cr_status status = read_shares(k, body, &s);
    cr_json j;

    if (status == CR_OK && (s.share = calloc(s.outcomes, sizeof *s.share)) == NULL)
        status = fail(k->err, CR_ENOMEM, NULL, "out of memory");
    if (status == CR_OK)
        status = cr_shares_estimate(s.count, s.prior, s.outcomes, s.share, &s.all, k->err);
    if (status == CR_OK) {
        cr_json_start(&j, k->answer->out);
        cr_json_object(&j, NULL, CR_JSON_BLOCK);
        cr_json_number(&j, "observations", s.all.observations);
        cr_json_number(&j, "pseudo", s.all.pseudo);
        cr_json_number(&j, "log_evidence", s.all.log_evidence);
        cr_json_array(&j, "shares", CR_JSON_BLOCK);
        for (size_t i = 0; i < s.outcomes; i++) {
            char number[24];

            snprintf(number, sizeof number, "%zu", i + 1);
            put_share(&j, i < names ? name[i] : number, &s.share[i], level);
        }
        cr_json_end(&j);
        if (s.outcomes == 2)
            put_curves(&j, &s);
        cr_json_end(&j);
    }
    free(name);
    free(s.count);
    free(s.prior);
    free(s.share);
    return status;
}

cr_status compute_estimate(call *k)
{
    return compute_with(k, estimate);
}
