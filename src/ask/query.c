/* ask/query.c - ask a model for probabilities. */
#include "ask/answer.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/* An answer and everything it points to. */
typedef struct owner {
    cr_answer answer; /* first member: the caller's pointer is also the owner's */
    cr__arena arena;
} owner;

void cr_answer_free(cr_answer *answer)
{
    if (answer == NULL)
        return;
    cr__arena_free(&((owner *)answer)->arena);
    cr__free(answer);
}

/* --- measuring ------------------------------------------------------------------------------ */

/* P(outcome, condition) of each outcome of a question, in the network when it was forced. */
static cr_status measure_outcomes(const cr__answering *k, cr__question *question, cr__scaled *mass,
                                  cr_error *err)
{
    const cr_model *m = k->model;
    cr_status st;

    if ((st = cr__model_catch_up(m, err)) != CR_OK)
        return st;
    question->session = k->forced == NULL ? k->session : NULL;
    if (k->forced == NULL)
        return m->learner->has_joint->measure(m->share->fitted, &m->knobs, m->schema, question,
                                              mass, err);
    st = cr__question_of_nodes(question, m, err);
    return st == CR_OK
               ? cr__network_model_measure(k->forced, &m->knobs, m->schema, question, mass, err)
               : st;
}

/* Ask; masses and the errors of a report are made for it. */
static cr_status measure(const cr__answering *k, const cr__query *query,
                         cr__question_report *report, cr__question *question, cr__scaled **mass,
                         cr_error *err)
{
    int density;
    cr_status st = cr__query_question(query, k->model, question, &density, err);

    *mass = NULL;
    if (st != CR_OK)
        return st;
    k->answer->density = density;
    question->report = report;
    if ((*mass = cr__alloc_zero(question->outcomes, sizeof **mass)) == NULL ||
        (report->error = cr__alloc_zero(question->outcomes, sizeof *report->error)) == NULL)
        return cr__fail_memory(err);
    return measure_outcomes(k, question, *mass, err);
}

cr_status cr__answer_columns(const cr__answering *k, size_t *column, size_t columns,
                             cr__question_report *report, cr__question *question, cr__scaled **mass,
                             cr_error *err)
{
    cr__query query = *k->query;

    query.column = column;
    query.columns = columns;
    query.givens = 0;
    query.question = (cr__expression){0};
    return measure(k, &query, report, question, mass, err);
}

/* --- parts of answers ----------------------------------------------------------------------- */

/* The error estimates of an approximate answer. */
static void report_method(cr__answering *k, const cr__question_report *report)
{
    cr_answer *a = k->answer;

    a->method = report->method;
    a->effective = report->effective;
    a->samples = report->samples;
    if (report->free_condition && k->query->condition_place != 0)
        a->log_condition = NAN;
}

double cr__log_share(cr__scaled a, cr__scaled b)
{
    const double ratio = a.value == 0 ? 0 : cr__scaled_ratio(a, b);

    return ratio > 1e-300 ? log(ratio) : cr__scaled_log(a) - cr__scaled_log(b);
}

cr_status cr__answer_fail_zero(const cr__query *query, cr_error *err)
{
    int points = 0;

    for (size_t i = 0; i < query->leaves; i++)
        points |= query->leaf[i].numbers > 0 && query->leaf[i].op == CR__LEXEME_EQ;
    if (query->condition_place == 0)
        return cr__fail(err, CR_ECONFLICT, "the model gives everything probability zero");
    cr__fail(err, CR_ECONFLICT, "the condition has probability zero, so nothing is given by it");
    if (points)
        cr__fail_hint(err, CR_ECONFLICT,
                      "a real number has probability zero; VARIABLE=NUMBER is "
                      "taken as observed only where it is joined by and");
    else
        cr__fail_hint(err, CR_ECONFLICT, "smoothing gives unseen combinations a probability");
    if (err != NULL)
        err->column = query->condition_place;
    return CR_ECONFLICT;
}

cr_status cr__answer_name(const cr__answering *k, size_t column, size_t values,
                          cr_query_variable *out, cr_error *err)
{
    const cr_model *m = k->model;
    const char *name = m->schema->column[column].name;
    const char **value = cr__arena_alloc(k->arena, values, sizeof *value);

    *out = (cr_query_variable){.values = values,
                               .state = SIZE_MAX,
                               .mean = NAN,
                               .deviation = NAN,
                               .low = NAN,
                               .high = NAN,
                               .information = NAN};
    out->name = cr__arena_copy(k->arena, name, strlen(name));
    out->value = value;
    if (out->name == NULL || value == NULL)
        return cr__fail_memory(err);
    for (size_t v = 0; v < values; v++) {
        size_t length = strlen("(never seen)");
        const char *word = v < m->values[column]
                               ? cr__dict_word(m->dict[column], (uint32_t)v + 1, &length)
                               : "(never seen)";

        if ((value[v] = cr__arena_copy(k->arena, word, length)) == NULL)
            return cr__fail_memory(err);
    }
    return CR_OK;
}

/* --- one variable or none ------------------------------------------------------------------- */

/* The values of the variable that was asked for. The last outcome is any other value; it is left
 * out when it is impossible. */
static cr_status list_values(cr__answering *k, const cr__question *question, const cr__scaled *mass,
                             cr__scaled total, cr_error *err)
{
    cr_answer *a = k->answer;
    const size_t known = k->model->values[k->query->column[0]];
    const int approximate = question->report->method != NULL;
    cr_query_variable about;
    double *p, *log_p, *errors;
    cr_status st;

    a->values = known + (mass[known].value > 0);
    if ((st = cr__answer_name(k, k->query->column[0], a->values, &about, err)) != CR_OK)
        return st;
    p = cr__arena_alloc(k->arena, a->values, sizeof *p);
    log_p = cr__arena_alloc(k->arena, a->values, sizeof *log_p);
    errors = cr__arena_alloc(k->arena, a->values, sizeof *errors);
    if (p == NULL || log_p == NULL || errors == NULL)
        return cr__fail_memory(err);
    for (size_t v = 0; v < a->values; v++) {
        p[v] = cr__scaled_ratio(mass[v], total);
        log_p[v] = cr__log_share(mass[v], total);
        errors[v] = question->report->error[v];
        if (log_p[v] > log_p[a->best])
            a->best = v;
    }
    a->variable = about.name;
    a->value = about.value;
    a->p = p;
    a->log_p = log_p;
    a->errors = approximate ? errors : NULL;
    a->error = errors[a->best];
    a->probability = p[a->best];
    a->log_probability = log_p[a->best];
    return CR_OK;
}

/* A number that was asked for. */
static cr_status tell_number(cr__answering *k, const cr__question_report *report, cr_error *err)
{
    const char *name = k->model->schema->column[k->query->column[0]].name;
    cr_answer *a = k->answer;

    a->variable = cr__arena_copy(k->arena, name, strlen(name));
    a->probability = 1;
    a->mean = report->mean;
    a->deviation = report->deviation;
    a->low = report->low;
    a->high = report->high;
    return a->variable == NULL ? cr__fail_memory(err) : CR_OK;
}

static cr_status fill(cr__answering *k, const cr__question *question, const cr__scaled *mass,
                      cr_error *err)
{
    cr_answer *a = k->answer;
    cr__scaled total = {0, 0};

    for (size_t i = 0; i < question->outcomes; i++)
        total = cr__scaled_add(total, mass[i]);
    if (!(total.value > 0))
        return cr__answer_fail_zero(k->query, err);
    a->log_condition = k->query->condition_place == 0 ? 0 : cr__scaled_log(total);
    if (a->kind == CR_QUERY_NUMBER)
        return tell_number(k, question->report, err);
    if (a->kind == CR_QUERY_TABLE)
        return cr__answer_table(k, question, mass, err);
    if (a->kind != CR_QUERY_PROBABILITY)
        return list_values(k, question, mass, total, err);
    a->probability = cr__scaled_ratio(mass[0], total);
    a->log_probability = cr__log_share(mass[0], total);
    a->error = question->report->error[0];
    return CR_OK;
}

/* Probabilities by one measurement. */
static cr_status answer_measured(cr__answering *k, cr_error *err)
{
    cr__question question = {0};
    cr__question_report report = {0};
    cr__scaled *mass;
    cr_status st = measure(k, k->query, &report, &question, &mass, err);

    if (st == CR_OK)
        st = fill(k, &question, mass, err);
    if (st == CR_OK && report.method != NULL)
        report_method(k, &report);
    cr__free(report.error);
    cr__free(mass);
    cr__question_free(&question);
    return st;
}

/* --- interventions -------------------------------------------------------------------------- */

/* Point the error at the leaf. */
static cr_status fail_at(const cr__leaf *leaf, cr_error *err)
{
    if (err != NULL)
        err->column = leaf->place;
    return CR_EARG;
}

static cr_status make_forced(const cr__answering *k, const cr__leaf *leaf, cr__forced *out,
                             cr_error *err)
{
    const char *name = k->model->schema->column[leaf->column].name;
    size_t members = 0;

    *out = (cr__forced){.node = cr__network_model_node(k->model, leaf->column)};
    if (out->node == CR__NO_NODE) {
        cr__fail(err, CR_EARG, "'%s' takes no part in the network", name);
        return fail_at(leaf, err);
    }
    if (leaf->set == NULL) {
        out->number = leaf->number[0];
        return CR_OK;
    }
    for (size_t v = 0; v < leaf->values; v++)
        if (leaf->set[v]) {
            out->state = (uint32_t)v;
            members++;
        }
    if (members == 1)
        return CR_OK;
    cr__fail(err, CR_EARG, "do() sets '%s' to one value", name);
    return fail_at(leaf, err);
}

static cr_status intervene(cr__answering *k, cr_error *err)
{
    const cr__query *q = k->query;
    cr__forced *forced;
    cr_status st = CR_OK;

    if (q->forces == 0)
        return CR_OK;
    if (k->network == NULL) {
        cr__fail(err, CR_EARG, "do() is for Bayesian networks, which a model of '%s' is not",
                 k->model->learner->name);
        return fail_at(&q->leaf[q->forced[0]], err);
    }
    if ((forced = cr__alloc(q->forces, sizeof *forced)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < q->forces; i++)
        st = make_forced(k, &q->leaf[q->forced[i]], &forced[i], err);
    if (st == CR_OK)
        st = cr__network_model_force(&k->forced, k->network, forced, q->forces, err);
    if (st == CR_OK)
        k->network = k->forced;
    cr__free(forced);
    return st;
}

/* --- queries -------------------------------------------------------------------------------- */

static cr_status answer(cr__answering *k, cr_error *err)
{
    cr_status st = intervene(k, err);

    k->answer->kind = k->query->kind;
    k->answer->error = k->answer->effective = k->answer->entropy = NAN;
    if (st != CR_OK)
        return st;
    switch (k->query->kind) {
    case CR_QUERY_BELIEFS: return cr__answer_beliefs(k, err);
    case CR_QUERY_STATES: return cr__answer_states(k, err);
    case CR_QUERY_SEPARATION: return cr__answer_separation(k, err);
    case CR_QUERY_INFORMATION: return cr__answer_information(k, err);
    default: return answer_measured(k, err);
    }
}

static cr_status run(const cr_model *model, cr__inference_session *session, const char *text,
                     cr_answer **out, cr_error *err)
{
    owner *o;
    cr__query query;
    cr_status st;

    *out = NULL;
    if (model->learner->has_joint == NULL)
        return cr__fail(err, CR_ECONFLICT,
                        "a model of '%s' is not a joint distribution and cannot be queried",
                        model->learner->name);
    if (model->classes == 0)
        return cr__fail(err, CR_ECONFLICT, "the model has learned nothing: it has no classes");
    if ((st = cr__query_parse(&query, model, text, err)) != CR_OK)
        return st;
    if ((o = cr__alloc_zero(1, sizeof *o)) == NULL) {
        st = cr__fail_memory(err);
    } else {
        cr__answering k = {.answer = &o->answer,
                           .arena = &o->arena,
                           .model = model,
                           .query = &query,
                           .network = cr__network_model_of(model),
                           .session = session};

        st = answer(&k, err);
        cr__network_model_free(k.forced);
    }
    cr__query_free(&query);
    if (st != CR_OK) {
        cr_answer_free(o == NULL ? NULL : &o->answer);
        return st;
    }
    *out = &o->answer;
    return CR_OK;
}

cr_status cr_query_run(const cr_model *model, const char *text, cr_answer **out, cr_error *err)
{
    return run(model, NULL, text, out, err);
}

/* --- sessions ------------------------------------------------------------------------------- */

struct cr_query_session {
    const cr_model *model;
    cr__inference_session *inference; /* NULL: nothing is kept from query to query */
};

void cr_query_session_free(cr_query_session *s)
{
    if (s == NULL)
        return;
    cr__inference_session_free(s->inference);
    cr__free(s);
}

cr_status cr_query_session_new(cr_query_session **out, const cr_model *model, cr_error *err)
{
    cr_query_session *s = cr__alloc_zero(1, sizeof *s);
    const cr__network_model *network;
    cr_status st = s == NULL ? cr__fail_memory(err) : cr__model_catch_up(model, err);

    *out = NULL;
    if (st == CR_OK) {
        s->model = model;
        network = cr__network_model_of(model);
        if (network != NULL)
            st = cr__inference_session_new(&s->inference, network->network, network->memory, err);
    }
    if (st != CR_OK) {
        cr_query_session_free(s);
        return st;
    }
    *out = s;
    return CR_OK;
}

cr_status cr_query_session_run(cr_query_session *s, const char *text, cr_answer **out,
                               cr_error *err)
{
    return run(s->model, s->inference, text, out, err);
}
