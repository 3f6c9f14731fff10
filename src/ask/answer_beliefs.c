/* ask/answer_beliefs.c - what a model believes about all variables, given a condition.
 *
 * In a network this is one propagation (network/infer/junction_tree.h), or one run of samples.
 * Where the condition is more than facts, and in other models, variables are queried one by one.
 */
#include <math.h>
#include <string.h>

#include "ask/answer.h"
#include "base/fail.h"
#include "base/memory.h"
#include "network/infer/sample.h"

/* --- a network's nodes ------------------------------------------------------------------------ */

cr_status cr__answer_facts(const cr__answering *k, cr__facts *facts, cr_error *err)
{
    cr__query query = *k->query;
    cr__question question;
    int density;
    cr_status st;

    *facts = (cr__facts){0};
    query.columns = query.givens = 0;
    query.question = (cr__expression){0};
    if ((st = cr__query_question(&query, k->model, &question, &density, err)) != CR_OK)
        return st;
    if ((st = cr__question_of_nodes(&question, k->model, err)) == CR_OK)
        st = cr__facts_of(facts, k->network, &question, 1, err);
    cr__question_free(&question);
    return st;
}

cr_status cr__answer_node(const cr__answering *k, uint32_t node, const cr__facts *facts,
                          cr_query_variable *out, cr_error *err)
{
    const cr__network *net = k->network->network;
    const size_t states = net->gaussian[node] ? 0 : net->states[node];
    const char **value = cr__arena_alloc(k->arena, states, sizeof *value);

    *out = (cr_query_variable){.values = states,
                               .value = value,
                               .state = SIZE_MAX,
                               .mean = NAN,
                               .deviation = NAN,
                               .low = NAN,
                               .high = NAN,
                               .information = NAN};
    out->name = cr__arena_copy(k->arena, net->name[node], strlen(net->name[node]));
    if (value == NULL || out->name == NULL)
        return cr__fail_memory(err);
    for (size_t v = 0; v < states; v++) {
        const char *label = net->label[net->label_at[node] + v];

        if ((value[v] = cr__arena_copy(k->arena, label, strlen(label))) == NULL)
            return cr__fail_memory(err);
    }
    if (facts != NULL && facts->state[node] != UINT32_MAX) {
        out->given = 1;
        out->state = facts->state[node];
    }
    return CR_OK;
}

/* Exactly: every belief from one junction tree. */
static cr_status propagate(cr__answering *k, const cr__facts *facts, double *p, cr_error *err)
{
    const cr__evidence given = {facts->state, (const double *const *)facts->likelihood};
    cr__inference_session *own = NULL, *session = k->forced == NULL ? k->session : NULL;
    cr__junction_tree *tree;
    double log_evidence = 0;
    cr_status st = CR_OK;

    if (session == NULL) {
        st = cr__inference_session_new(&own, k->network->network, k->network->memory, err);
        session = own;
    }
    if (st == CR_OK)
        st = cr__inference_session_tree(session, &given, &tree, err);
    if (st == CR_OK)
        st = cr__junction_tree_evidence(tree, &log_evidence, err);
    if (st == CR_OK && !(log_evidence > -INFINITY))
        st = cr__answer_fail_zero(k->query, err);
    if (st == CR_OK)
        st = cr__junction_tree_posteriors(tree, p, err);
    k->answer->log_condition = k->query->condition_place == 0 ? 0 : log_evidence;
    cr__inference_session_free(own);
    return st;
}

/* By samples or loopy messages, with their error estimates. */
static cr_status approximate(cr__answering *k, const cr__facts *facts, double *p, double *error,
                             cr_error *err)
{
    static const char *const names[] = {NULL, "weighting", "gibbs", "loopy"};
    const cr__network_model *g = k->network;
    const cr__evidence given = {facts->state, (const double *const *)facts->likelihood};
    const cr__sample_count survey = cr__sample_states(g->network);
    cr__sampled about = {.effective = NAN};
    cr_pool *pool = NULL;
    cr_status st = cr_pool_new(&pool, 0, err);

    for (size_t i = 0; i < survey.outcomes; i++)
        error[i] = NAN;
    if (st == CR_OK && g->method == CR__METHOD_LOOPY)
        st = cr__loopy_beliefs(g->network, &given, g->samples, p, &about, err);
    else if (st == CR_OK)
        st = (g->method == CR__METHOD_GIBBS ? cr__sample_gibbs : cr__sample_weighting)(
            g->network, &given, &survey, g->samples, g->seed, pool, p, error, &about, err);
    cr_pool_free(pool);
    k->answer->method = names[g->method];
    k->answer->effective = about.effective;
    k->answer->samples = about.rounds;
    k->answer->log_condition = k->query->condition_place == 0 ? 0 : about.log_evidence;
    return st;
}

/* A number of a network whose condition is facts: mean and spread. */
static cr_status tell_number(cr__answering *k, size_t column, cr_query_variable *out, cr_error *err)
{
    cr__question question = {0};
    cr__question_report report = {.mean = NAN, .deviation = NAN, .low = NAN, .high = NAN};
    cr__scaled *mass;
    cr_status st = cr__answer_columns(k, &column, 1, &report, &question, &mass, err);

    out->mean = report.mean;
    out->deviation = report.deviation;
    out->low = report.low;
    out->high = report.high;
    if (st == CR_OK && !(mass[0].value > 0))
        st = cr__answer_fail_zero(k->query, err);
    if (st == CR_OK && k->query->condition_place != 0)
        k->answer->log_condition = cr__scaled_log(mass[0]);
    cr__free(report.error);
    cr__free(mass);
    cr__question_free(&question);
    return st;
}

static cr_status tell_numbers(cr__answering *k, cr_query_variable *about, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < k->model->schema->columns; i++)
        if (cr__model_is_number(k->model, i) && cr__network_model_node(k->model, i) != CR__NO_NODE)
            st = tell_number(k, i, &about[cr__network_model_node(k->model, i)], err);
    return st;
}

static cr_status of_nodes(cr__answering *k, const cr__facts *facts, cr_error *err)
{
    const cr__network *net = k->network->network;
    const size_t cells = net->label_at[net->nodes];
    const int exact = k->network->method == CR__METHOD_EXACT || k->network->normals != NULL;
    double *p = cr__arena_alloc(k->arena, cells, sizeof *p),
           *error = exact ? NULL : cr__arena_alloc(k->arena, cells, sizeof *error);
    cr_query_variable *about = cr__arena_alloc(k->arena, net->nodes, sizeof *about);
    cr_status st = CR_OK;

    if (p == NULL || about == NULL || (!exact && error == NULL))
        return cr__fail_memory(err);
    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++) {
        st = cr__answer_node(k, i, facts, &about[i], err);
        about[i].p = p + net->label_at[i];
        about[i].errors = exact ? NULL : error + net->label_at[i];
    }
    if (st == CR_OK)
        st = exact ? propagate(k, facts, p, err) : approximate(k, facts, p, error, err);
    if (st == CR_OK && k->network->normals != NULL)
        st = tell_numbers(k, about, err);
    k->answer->about = about;
    k->answer->variables = net->nodes;
    return st;
}

/* --- one by one ------------------------------------------------------------------------------- */

/* Whether the condition fixes the value: only one is left. */
static void note_observed(cr_query_variable *v)
{
    for (size_t i = 0; i < v->values; i++)
        if (v->p[i] == 1)
            v->state = i;
}

static cr_status tell_column(cr__answering *k, size_t column, cr_query_variable *out, cr_error *err)
{
    const size_t known = k->model->values[column];
    cr__question question = {0};
    cr__question_report report = {0};
    cr__scaled *mass, total = {0, 0};
    double *p = NULL, *errors = NULL;
    size_t values = known;
    cr_status st = cr__answer_columns(k, &column, 1, &report, &question, &mass, err);

    for (size_t i = 0; st == CR_OK && i < question.outcomes; i++)
        total = cr__scaled_add(total, mass[i]);
    if (st == CR_OK && !(total.value > 0))
        st = cr__answer_fail_zero(k->query, err);
    if (st == CR_OK) {
        values += mass[known].value > 0;
        p = cr__arena_alloc(k->arena, values, sizeof *p);
        errors = cr__arena_alloc(k->arena, values, sizeof *errors);
        st = p == NULL || errors == NULL ? cr__fail_memory(err)
                                         : cr__answer_name(k, column, values, out, err);
    }
    for (size_t v = 0; st == CR_OK && v < values; v++) {
        p[v] = cr__scaled_ratio(mass[v], total);
        errors[v] = report.error[v];
    }
    if (st == CR_OK) {
        out->p = p;
        out->errors = report.method == NULL ? NULL : errors;
        k->answer->log_condition = k->query->condition_place == 0 ? 0 : cr__scaled_log(total);
        k->answer->method = report.method;
        note_observed(out);
    }
    cr__free(report.error);
    cr__free(mass);
    cr__question_free(&question);
    return st;
}

/* The number that the condition observes a column at; NaN when it observes none. */
static double observed_number(const cr__answering *k, size_t column)
{
    const cr__query *q = k->query;

    for (size_t i = 0; i < q->leaves; i++)
        if (q->leaf[i].column == column && q->leaf[i].set == NULL && q->leaf[i].numbers == 1 &&
            q->leaf[i].op == CR__LEXEME_EQ)
            return q->leaf[i].number[0];
    return NAN;
}

static cr_status tell_real(cr__answering *k, size_t column, cr_query_variable *out, cr_error *err)
{
    const double x = observed_number(k, column);
    cr_status st = cr__answer_name(k, column, 0, out, err);

    if (st != CR_OK)
        return st;
    if (!isnan(x)) {
        out->given = 1;
        out->mean = out->low = out->high = x;
        out->deviation = 0;
        return CR_OK;
    }
    return k->model->learner->has_joint->is_number != NULL ? tell_number(k, column, out, err)
                                                           : CR_OK;
}

static cr_status one_by_one(cr__answering *k, cr_error *err)
{
    const cr_schema *schema = k->model->schema;
    cr_query_variable *about = cr__arena_alloc(k->arena, schema->columns, sizeof *about);
    cr_status st = about == NULL ? cr__fail_memory(err) : CR_OK;

    k->answer->about = about;
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++) {
        cr_query_variable *v = &about[k->answer->variables];

        if (!cr__name_is_variable(k->model, i))
            continue;
        st = cr__model_is_number(k->model, i) ? tell_real(k, i, v, err) : tell_column(k, i, v, err);
        k->answer->variables++;
    }
    return st;
}

cr_status cr__answer_beliefs(cr__answering *k, cr_error *err)
{
    cr__facts facts;
    cr_status st;

    if (k->network == NULL || cr__answer_facts(k, &facts, NULL) != CR_OK)
        return one_by_one(k, err);
    st = of_nodes(k, &facts, err);
    cr__facts_free(&facts);
    return st;
}
