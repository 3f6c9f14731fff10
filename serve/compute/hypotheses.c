/* serve/compute/hypotheses.c - POST /compute/hypotheses: Bayes' rule over hypotheses, their votes,
 * and the error rates of the three ways to answer. */
#include <math.h>
#include <stdlib.h>

#include "compute/compute.h"
#include "endpoints/endpoints.h"
#include "json_list.h"

/* {"hypotheses": [{"name", "prior", "likelihood": [p, …], "votes": {"class": p, …}}, …],
 *  "evidence": ["name", …], "normalise": true} */
typedef struct table {
    const char **name;
    double *prior;
    size_t count;
} table;

static cr_status read_table(call *k, const cr_json_value *list, table *t)
{
    size_t i = 0;

    if (list == NULL || list->kind != CR_JSON_ARRAY || list->count == 0)
        return fail(k->err, CR_EARG, "\"hypotheses\": [{\"name\": …, \"prior\": …}]",
                    "the body has no \"hypotheses\"");
    t->name = calloc(list->count, sizeof *t->name);
    t->prior = calloc(list->count, sizeof *t->prior);
    if (t->name == NULL || t->prior == NULL)
        return fail(k->err, CR_ENOMEM, NULL, "out of memory");
    for (const cr_json_value *h = list->child; h != NULL; h = h->next, i++) {
        t->name[i] = cr_json_get_text(h, "name", "");
        t->prior[i] = cr_json_get_number(h, "prior", NAN);
    }
    t->count = i;
    return CR_OK;
}

/* The step-th likelihood of each hypothesis; false: there is none. */
static bool likelihoods(const cr_json_value *list, size_t step, double *out)
{
    size_t i = 0;

    for (const cr_json_value *h = list->child; h != NULL; h = h->next, i++) {
        const cr_json_value *l = cr_json_get(h, "likelihood");
        const cr_json_value *x = l != NULL && l->kind == CR_JSON_ARRAY ? l->child : l;

        for (size_t s = 0; s < step && x != NULL; s++)
            x = x->next;
        if (x == NULL || x->kind != CR_JSON_NUMBER || (l->kind != CR_JSON_ARRAY && step > 0))
            return false;
        out[i] = log(x->number);
    }
    return true;
}

static cr_status observe(call *k, const cr_json_value *body, const cr_json_value *list,
                         cr_hypotheses *h, size_t count)
{
    double *log_p = calloc(count, sizeof *log_p);
    size_t names = 0;
    const char **name = json_texts(cr_json_get(body, "evidence"), &names);
    cr_status status = log_p != NULL ? CR_OK : fail(k->err, CR_ENOMEM, NULL, "out of memory");

    for (size_t step = 0; status == CR_OK && likelihoods(list, step, log_p); step++)
        status = cr_hypotheses_observe(h, step < names ? name[step] : "D", log_p, k->err);
    free(log_p);
    free(name);
    return status;
}

static cr_status vote(call *k, const cr_json_value *list, cr_hypotheses *h, size_t count,
                      unsigned flags)
{
    const cr_json_value *first = cr_json_get(list->child, "votes");
    const size_t classes = first != NULL ? first->count : 0;
    const char **name = calloc(classes + 1, sizeof *name);
    double *p = calloc(classes * count + 1, sizeof *p);
    size_t c = 0, i = 0;
    cr_status status = CR_OK;

    if (name == NULL || p == NULL)
        status = fail(k->err, CR_ENOMEM, NULL, "out of memory");
    for (const cr_json_value *n = first != NULL ? first->child : NULL; n != NULL && status == CR_OK;
         n = n->next)
        name[c++] = n->key != NULL ? n->key : "";
    for (const cr_json_value *one = list->child; one != NULL && status == CR_OK;
         one = one->next, i++)
        for (c = 0; c < classes; c++)
            p[i * classes + c] = cr_json_get_number(cr_json_get(one, "votes"), name[c], 0);
    if (status == CR_OK && classes > 0)
        status = cr_hypotheses_vote(h, name, classes, p, flags, k->err);
    free(name);
    free(p);
    return status;
}

static void put_steps(cr_json *j, const cr_hypotheses *h, size_t count)
{
    cr_json_array(j, "steps", CR_JSON_BLOCK);
    for (size_t s = 0; s < cr_hypotheses_steps(h); s++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "evidence", cr_hypotheses_evidence(h, s));
        cr_json_numbers(j, "posterior", cr_hypotheses_posterior(h, s), count);
        cr_json_end(j);
    }
    cr_json_end(j);
}

static void put_best(cr_json *j, const char *key, const cr_hypotheses *h, cr_choice by,
                     size_t count)
{
    size_t *best = calloc(count, sizeof *best);
    cr_hypothesis one;

    if (best == NULL)
        return;
    cr_json_array(j, key, CR_JSON_LINE);
    for (size_t i = 0, n = cr_hypotheses_best(h, by, best); i < n; i++) {
        cr_hypotheses_get(h, best[i], &one);
        cr_json_text(j, NULL, one.name);
    }
    cr_json_end(j);
    free(best);
}

static void put_verdict(cr_json *j, const cr_hypotheses *h)
{
    cr_verdict v;

    if (cr_hypotheses_classify(h, &v, NULL) != CR_OK)
        return;
    cr_json_object(j, "predictive", CR_JSON_LINE);
    for (size_t c = 0; c < cr_hypotheses_classes(h); c++)
        cr_json_number(j, cr_hypotheses_class(h, c), cr_hypotheses_predictive(h, c));
    cr_json_end(j);
    cr_json_text(j, "bayes_optimal", cr_hypotheses_class(h, v.best));
    cr_json_number(j, "optimal_error", v.optimal_error);
    cr_json_text(j, "map_class", cr_hypotheses_class(h, v.map_class));
    cr_json_number(j, "map_error", v.map_error);
    cr_json_number(j, "gibbs_error", v.gibbs_error);
}

static void put_all(call *k, const cr_hypotheses *h, size_t count)
{
    cr_hypothesis one;
    cr_json j;

    cr_json_start(&j, k->answer->out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_array(&j, "hypotheses", CR_JSON_BLOCK);
    for (size_t i = 0; i < count; i++) {
        cr_hypotheses_get(h, i, &one);
        cr_json_object(&j, NULL, CR_JSON_LINE);
        cr_json_text(&j, "name", one.name);
        cr_json_number(&j, "prior", one.prior);
        cr_json_number(&j, "posterior", one.posterior);
        cr_json_number(&j, "log_likelihood", one.log_likelihood);
        cr_json_number(&j, "prior_bits", one.prior_bits);
        cr_json_number(&j, "data_bits", one.data_bits);
        cr_json_end(&j);
    }
    cr_json_end(&j);
    cr_json_number(&j, "log_evidence", cr_hypotheses_log_evidence(h));
    put_steps(&j, h, count);
    put_best(&j, "ml", h, CR_CHOICE_ML, count);
    put_best(&j, "map", h, CR_CHOICE_MAP, count);
    put_verdict(&j, h);
    cr_json_end(&j);
}

static cr_status hypotheses(call *k, const cr_json_value *body)
{
    const cr_json_value *list = cr_json_get(body, "hypotheses");
    const unsigned flags = (cr_json_get_flag(body, "normalise") ? CR_HYPOTHESES_NORMALISE : 0u) |
                           (cr_json_get_flag(body, "uniform") ? CR_HYPOTHESES_UNIFORM : 0u);
    cr_hypotheses *h = NULL;
    table t = {0};
    cr_status status = read_table(k, list, &t);

    if (status == CR_OK &&
        (status = cr_hypotheses_new(&h, t.name, t.prior, t.count, flags, k->err)) == CR_OK &&
        (status = observe(k, body, list, h, t.count)) == CR_OK &&
        (status = vote(k, list, h, t.count, flags & ~(unsigned)CR_HYPOTHESES_UNIFORM)) == CR_OK)
        put_all(k, h, t.count);
    cr_hypotheses_free(h);
    free(t.name);
    free(t.prior);
    return status;
}

cr_status compute_hypotheses(call *k)
{
    return compute_with(k, hypotheses);
}
