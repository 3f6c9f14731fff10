/* render/hypotheses.c - hypotheses with their posteriors, as JSON. */
#include <math.h>

#include "base/memory.h"
#include "credence/render.h"

static void hypothesis(cr_json *j, const cr_hypotheses *h, size_t index)
{
    const int observed = cr_hypotheses_steps(h) > 0;
    cr_hypothesis one;

    cr_hypotheses_get(h, index, &one);
    cr_json_object(j, NULL, CR_JSON_LINE);
    cr_json_text(j, "name", one.name);
    cr_json_number(j, "prior", one.prior);
    if (observed) {
        cr_json_number(j, "log_likelihood", one.log_likelihood);
        cr_json_number(j, "log_relative", one.log_relative);
        cr_json_number(j, "likelihood", exp(one.log_likelihood));
        cr_json_number(j, "relative", exp(one.log_relative));
    }
    cr_json_number(j, "posterior", one.posterior);
    if (observed) {
        cr_json_number(j, "prior_bits", one.prior_bits);
        cr_json_number(j, "data_bits", one.data_bits);
        cr_json_number(j, "bits", one.prior_bits + one.data_bits);
    }
    cr_json_end(j);
}

/* The best and those that tie with it; place has room for all hypotheses. */
static void best(cr_json *j, const cr_hypotheses *h, cr_choice by, const char *key, size_t *place)
{
    const size_t ties = cr_hypotheses_best(h, by, place);
    cr_hypothesis one;

    cr_json_array(j, key, CR_JSON_LINE);
    for (size_t i = 0; i < ties; i++) {
        cr_hypotheses_get(h, place[i], &one);
        cr_json_text(j, NULL, one.name);
    }
    cr_json_end(j);
}

static void steps(cr_json *j, const cr_hypotheses *h)
{
    cr_json_array(j, "steps", CR_JSON_BLOCK);
    for (size_t s = 0; s < cr_hypotheses_steps(h); s++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "evidence", cr_hypotheses_evidence(h, s));
        cr_json_numbers(j, "posterior", cr_hypotheses_posterior(h, s), cr_hypotheses_count(h));
        cr_json_end(j);
    }
    cr_json_end(j);
}

static void classes(cr_json *j, const cr_hypotheses *h)
{
    cr_verdict v;

    cr_json_array(j, "classes", CR_JSON_BLOCK);
    for (size_t c = 0; c < cr_hypotheses_classes(h); c++) {
        const double p = cr_hypotheses_predictive(h, c);

        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "name", cr_hypotheses_class(h, c));
        cr_json_number(j, "predictive", p);
        if (cr_hypotheses_steps(h) > 0)
            cr_json_number(j, "relative", exp(log(p) + cr_hypotheses_log_evidence(h)));
        cr_json_end(j);
    }
    cr_json_end(j);
    if (cr_hypotheses_classify(h, &v, NULL) != CR_OK)
        return;
    cr_json_text(j, "optimal_class", cr_hypotheses_class(h, v.best));
    cr_json_number(j, "optimal_ties", (double)v.ties);
    cr_json_number(j, "optimal_error", v.optimal_error);
    cr_json_text(j, "map_class", cr_hypotheses_class(h, v.map_class));
    cr_json_number(j, "map_error", v.map_error);
    cr_json_number(j, "gibbs_error", v.gibbs_error);
}

cr_status cr_hypotheses_json(const cr_hypotheses *h, cr_output *out)
{
    size_t *place = cr__alloc(cr_hypotheses_count(h), sizeof *place);
    cr_json j;

    if (place == NULL)
        return CR_ENOMEM;
    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_array(&j, "hypotheses", CR_JSON_BLOCK);
    for (size_t i = 0; i < cr_hypotheses_count(h); i++)
        hypothesis(&j, h, i);
    cr_json_end(&j);
    if (cr_hypotheses_steps(h) > 0) {
        cr_json_number(&j, "log_evidence", cr_hypotheses_log_evidence(h));
        steps(&j, h);
        best(&j, h, CR_CHOICE_ML, "ml", place);
    }
    best(&j, h, CR_CHOICE_MAP, "map", place);
    if (cr_hypotheses_classes(h) > 0)
        classes(&j, h);
    cr_json_end(&j);
    cr__free(place);
    return cr_output_flush(out);
}
