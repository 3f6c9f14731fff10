/* ask/query_best.c - the most probable explanation, for a condition in the words of a query. */
#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/memory.h"
#include "ask/query.h"
#include "learners/network/network_model.h"

void cr_states_free(cr_states *s)
{
    if (s == NULL)
        return;
    cr__free((void *)s->value);
    cr__free((void *)s->given);
    cr__free(s);
}

/* A distribution is asked for given the condition, only for the condition to be read. */
static cr_status parse(cr__query *query, const cr_model *model, const char *condition,
                       cr_error *err)
{
    cr__buffer text = {0};
    size_t shift = 4; /* characters before the condition: P("NAME" |, and a blank */
    cr_status st;

    cr__buffer_adds(&text, "P(\"");
    for (const char *p = model->schema->column[0].name; *p != '\0'; p++) {
        cr__buffer_addc(&text, *p);
        if (*p == '"') /* a doubled quote stands for itself */
            cr__buffer_addc(&text, '"');
        shift += (*p == '"') + (((unsigned char)*p & 0xc0) != 0x80);
    }
    cr__buffer_addc(&text, '"');
    if (condition != NULL && condition[strspn(condition, " \t")] != '\0')
        cr__buffer_printf(&text, " | %s", condition);
    cr__buffer_adds(&text, ")");
    cr__buffer_addc(&text, '\0');
    st = text.failed ? cr__fail_memory(err) : cr__query_parse(query, model, text.data, err);
    shift += 3;
    if (st != CR_OK && err != NULL)
        err->column = err->column > shift ? err->column - shift : 0;
    cr__buffer_free(&text);
    return st;
}

static cr_status fill(cr_states *s, const cr__network_model *g, const cr__facts *facts,
                      cr_error *err)
{
    const cr__network *net = g->network;
    const cr__evidence evidence = {facts->state, (const double *const *)facts->likelihood};
    uint32_t *best = cr__alloc(net->nodes, sizeof *best);
    size_t *value = cr__alloc(net->nodes, sizeof *value);
    unsigned char *fixed = cr__alloc(net->nodes, 1);
    double log_joint = 0, p = 0;
    int64_t exponent = 0;
    cr_status st = best == NULL || value == NULL || fixed == NULL ? cr__fail_memory(err) : CR_OK;

    s->count = net->nodes;
    s->value = value;
    s->given = fixed;
    if (st == CR_OK)
        st = cr__ask_explanation(net, &evidence, g->memory, NULL, best, &log_joint, err);
    if (st == CR_OK)
        st = cr__ask_joint(net, &evidence, NULL, 0, g->memory, NULL, &p, &exponent, err);
    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++) {
        value[i] = best[i];
        fixed[i] = facts->state[i] != UINT32_MAX;
    }
    if (st == CR_OK) {
        s->log_condition = cr__scaled_log(cr__scaled_of(p, exponent));
        s->log_probability = fmin(0, log_joint - s->log_condition);
    }
    cr__free(best);
    return st;
}

cr_status cr_query_best(const cr_model *model, const char *condition, cr_states **out,
                        cr_error *err)
{
    const cr__network_model *g = cr__network_model_of(model);
    cr_states *s = NULL;
    cr__facts facts;
    cr__query query;
    cr__question question;
    int density;
    cr_status st;

    *out = NULL;
    if (g == NULL)
        return cr__fail(err, CR_ECONFLICT,
                        "a model of '%s' is no Bayesian network, which the most "
                        "probable explanation is for",
                        model->learner->name);
    if (g->normals != NULL)
        return cr__fail(err, CR_ECONFLICT,
                        "the network has numbers: the most probable explanation "
                        "is for networks of discrete variables");
    if ((st = parse(&query, model, condition, err)) != CR_OK)
        return st;
    if ((st = cr__query_question(&query, model, &question, &density, err)) == CR_OK) {
        if ((st = cr__question_of_nodes(&question, model, err)) == CR_OK &&
            (st = cr__facts_of(&facts, g, &question, 1, err)) == CR_OK) {
            if ((s = cr__alloc_zero(1, sizeof *s)) == NULL)
                st = cr__fail_memory(err);
            else
                st = fill(s, g, &facts, err);
            cr__facts_free(&facts);
        }
        cr__question_free(&question);
    }
    cr__query_free(&query);
    if (st != CR_OK) {
        cr_states_free(s);
        return st;
    }
    *out = s;
    return CR_OK;
}
