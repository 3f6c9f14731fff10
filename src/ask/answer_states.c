/* ask/answer_states.c - values that are most probable together.
 *
 * Of all variables of a network it is the most probable explanation; of some, with the others
 * summed out, marginal MAP. A network is queried by elimination, so the joint table of the
 * variables is never built where the condition is facts; otherwise, and in other models, it is.
 */
#include <math.h>

#include "ask/answer.h"
#include "base/fail.h"
#include "base/memory.h"

/* ln P(evidence) of facts. */
static cr_status log_evidence(const cr__answering *k, const cr__evidence *given, double *out,
                              cr_error *err)
{
    double p = 0;
    int64_t exponent = 0;
    const cr_status st = cr__ask_joint(k->network->network, given, NULL, 0, k->network->memory,
                                       NULL, &p, &exponent, err);

    *out = cr__scaled_log(cr__scaled_of(p, exponent));
    return st;
}

/* Give the variables their states. */
static cr_status list_states(cr__answering *k, const cr__facts *facts, const uint32_t *node,
                             uint32_t count, const uint32_t *state, cr_error *err)
{
    cr_query_variable *about = cr__arena_alloc(k->arena, count, sizeof *about);
    cr_status st = about == NULL ? cr__fail_memory(err) : CR_OK;

    for (uint32_t i = 0; st == CR_OK && i < count; i++) {
        st = cr__answer_node(k, node == NULL ? i : node[i], facts, &about[i], err);
        about[i].state = state[i];
    }
    k->answer->about = about;
    k->answer->variables = count;
    return st;
}

static cr_status of_nodes(cr__answering *k, const cr__facts *facts, cr_error *err)
{
    const cr__network *net = k->network->network;
    const cr__evidence given = {facts->state, (const double *const *)facts->likelihood};
    const uint32_t count = k->query->all ? net->nodes : (uint32_t)k->query->columns;
    uint32_t *node = cr__alloc(count, sizeof *node), *state = cr__alloc(count, sizeof *state);
    cr_answer *a = k->answer;
    double log_joint = 0, log_p = 0;
    cr_status st =
        node == NULL || state == NULL ? cr__fail_memory(err) : log_evidence(k, &given, &log_p, err);

    if (st == CR_OK && !(log_p > -INFINITY))
        st = cr__answer_fail_zero(k->query, err);
    for (uint32_t i = 0; st == CR_OK && i < count; i++)
        node[i] = k->query->all ? i : cr__network_model_node(k->model, k->query->column[i]);
    if (st == CR_OK && k->query->all)
        st = cr__ask_explanation(net, &given, k->network->memory, NULL, state, &log_joint, err);
    else if (st == CR_OK)
        st =
            cr__ask_map(net, &given, node, count, k->network->memory, NULL, state, &log_joint, err);
    if (st == CR_OK)
        st = list_states(k, facts, node, count, state, err);
    if (st == CR_OK) {
        a->log_condition = k->query->condition_place == 0 ? 0 : log_p;
        a->log_probability = fmin(0, log_joint - log_p);
        a->probability = exp(a->log_probability);
    }
    cr__free(node);
    cr__free(state);
    return st;
}

/* From the joint table of the variables. */
static cr_status from_table(cr__answering *k, cr_error *err)
{
    cr__question question = {0};
    cr__question_report report = {0};
    cr__scaled *mass, total = {0, 0};
    cr_answer *a = k->answer;
    cr_status st =
        cr__answer_columns(k, k->query->column, k->query->columns, &report, &question, &mass, err);
    size_t cell;

    for (size_t i = 0; st == CR_OK && i < question.outcomes; i++)
        total = cr__scaled_add(total, mass[i]);
    if (st == CR_OK && !(total.value > 0))
        st = cr__answer_fail_zero(k->query, err);
    if (st == CR_OK)
        st = cr__answer_table(k, &question, mass, err);
    if (st == CR_OK) {
        cr_query_variable *about = (cr_query_variable *)a->about; /* just made */

        cell = a->best;
        for (size_t i = a->variables; i-- > 0; cell /= about[i].values)
            about[i].state = cell % about[i].values;
        a->log_condition = k->query->condition_place == 0 ? 0 : cr__scaled_log(total);
        a->method = report.method;
        a->effective = report.effective;
        a->samples = report.samples;
        a->p = a->log_p = a->errors = NULL; /* the states are the answer */
        a->values = 0;
    }
    cr__free(report.error);
    cr__free(mass);
    cr__question_free(&question);
    return st;
}

static cr_status fail_all(const cr__answering *k, cr_error *err)
{
    if (k->network == NULL)
        return cr__fail(err, CR_ECONFLICT,
                        "a model of '%s' is not a Bayesian network, which the most "
                        "probable explanation is for",
                        k->model->learner->name);
    return cr__fail(err, CR_ECONFLICT,
                    "the network has numbers: the most probable explanation "
                    "is for networks of discrete variables");
}

cr_status cr__answer_states(cr__answering *k, cr_error *err)
{
    const int discrete = k->network != NULL && k->network->normals == NULL;
    cr__facts facts;
    cr_status st;

    if (k->query->all && !discrete)
        return fail_all(k, err);
    if (!discrete || (!k->query->all && k->network->method != CR__METHOD_EXACT))
        return from_table(k, err);
    if ((st = cr__answer_facts(k, &facts, k->query->all ? err : NULL)) != CR_OK)
        return k->query->all ? st : from_table(k, err);
    st = of_nodes(k, &facts, err);
    cr__facts_free(&facts);
    return st;
}
