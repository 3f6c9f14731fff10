/* ask/query.c - ask a model for probabilities. */
#include "ask/query.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/* An answer and all it points to. */
typedef struct owner {
    cr_answer answer; /* the first member: the caller's pointer is the owner's */
    cr__arena arena;
} owner;

void cr_answer_free(cr_answer *answer)
{
    if (answer == NULL)
        return;
    cr__arena_free(&((owner *)answer)->arena);
    cr__free(answer);
}

/* What an approximate answer has to say of itself. */
static cr_status report_errors(owner *o, const cr__query *query, const cr__question *question,
                               cr_error *err)
{
    cr_answer *a = &o->answer;
    const cr__question_report *report = question->report;
    double *errors = cr__arena_alloc(&o->arena, question->outcomes, sizeof *errors);

    if (errors == NULL)
        return cr__fail_memory(err);
    memcpy(errors, report->error, question->outcomes * sizeof *errors);
    a->method = report->method;
    a->effective = report->effective;
    a->samples = report->samples;
    a->error = errors[a->values > 0 ? a->best : 0];
    a->errors = errors;
    if (report->free_condition && query->condition_place != 0)
        a->log_condition = NAN;
    return CR_OK;
}

/* log(a / b) without losing digits near 1, nor to underflow. */
static double log_share(cr__scaled a, cr__scaled b)
{
    const double ratio = a.value == 0 ? 0 : cr__scaled_ratio(a, b);

    return ratio > 1e-300 ? log(ratio) : cr__scaled_log(a) - cr__scaled_log(b);
}

static cr_status fail_zero(const cr__query *query, cr_error *err)
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
        cr__fail_hint(err, CR_ECONFLICT, "smoothing gives a chance to what was never seen");
    if (err != NULL)
        err->column = query->condition_place;
    return CR_ECONFLICT;
}

/* The values of the variable that was asked for. The last outcome is any other value; it is left
 * out when it cannot be. */
static cr_status list_values(owner *o, const cr_model *model, const cr__query *query,
                             const cr__scaled *mass, cr__scaled total, cr_error *err)
{
    cr_answer *a = &o->answer;
    const size_t known = model->values[query->asked];
    const char **value;
    double *p, *log_p;

    a->values = known + (mass[known].value > 0);
    a->variable = cr__arena_copy(&o->arena, model->schema->column[query->asked].name,
                                 strlen(model->schema->column[query->asked].name));
    value = cr__arena_alloc(&o->arena, a->values, sizeof *value);
    p = cr__arena_alloc(&o->arena, a->values, sizeof *p);
    log_p = cr__arena_alloc(&o->arena, a->values, sizeof *log_p);
    if (a->variable == NULL || value == NULL || p == NULL || log_p == NULL)
        return cr__fail_memory(err);
    for (size_t v = 0; v < a->values; v++) {
        size_t length;
        const char *word = v < known
                               ? cr__dict_word(model->dict[query->asked], (uint32_t)v + 1, &length)
                               : "(never seen)";

        if ((value[v] = cr__arena_copy(&o->arena, word, strlen(word))) == NULL)
            return cr__fail_memory(err);
        p[v] = cr__scaled_ratio(mass[v], total);
        log_p[v] = log_share(mass[v], total);
        if (log_p[v] > log_p[a->best])
            a->best = v;
    }
    a->value = value;
    a->p = p;
    a->log_p = log_p;
    a->probability = p[a->best];
    a->log_probability = log_p[a->best];
    return CR_OK;
}

/* A number that was asked for. */
static cr_status tell_number(owner *o, const cr_model *model, const cr__query *query,
                             const cr__question_report *report, cr_error *err)
{
    const char *name = model->schema->column[query->asked].name;
    cr_answer *a = &o->answer;

    a->variable = cr__arena_copy(&o->arena, name, strlen(name));
    a->probability = 1;
    a->mean = report->mean;
    a->deviation = report->deviation;
    a->low = report->low;
    a->high = report->high;
    return a->variable == NULL ? cr__fail_memory(err) : CR_OK;
}

static cr_status fill(owner *o, const cr_model *model, const cr__query *query,
                      const cr__question *question, const cr__scaled *mass, cr_error *err)
{
    cr_answer *a = &o->answer;
    cr__scaled total = {0, 0};

    for (size_t k = 0; k < question->outcomes; k++)
        total = cr__scaled_add(total, mass[k]);
    if (!(total.value > 0))
        return fail_zero(query, err);
    a->kind = query->kind;
    a->log_condition = query->condition_place == 0 ? 0 : cr__scaled_log(total);
    if (query->kind == CR_QUERY_NUMBER)
        return tell_number(o, model, query, question->report, err);
    if (query->asked != SIZE_MAX)
        return list_values(o, model, query, mass, total, err);
    a->probability = cr__scaled_ratio(mass[0], total);
    a->log_probability = log_share(mass[0], total);
    return CR_OK;
}

static cr_status answer(owner *o, const cr_model *model, const cr__query *query, cr_error *err)
{
    cr__question question;
    cr__question_report report = {0};
    cr__scaled *mass = NULL;
    cr_status st = cr__query_question(query, model, &question, &o->answer.density, err);

    if (st != CR_OK)
        return st;
    question.report = &report;
    if ((mass = cr__alloc_zero(question.outcomes, sizeof *mass)) == NULL ||
        (report.error = cr__alloc_zero(question.outcomes, sizeof *report.error)) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        st = model->learner->has_joint->measure(model->fitted, &model->knobs, model->schema,
                                                &question, mass, err);
    if (st == CR_OK)
        st = fill(o, model, query, &question, mass, err);
    if (st == CR_OK && report.method != NULL)
        st = report_errors(o, query, &question, err);
    cr__free(report.error);
    cr__free(mass);
    cr__question_free(&question);
    return st;
}

cr_status cr_query_run(const cr_model *model, const char *text, cr_answer **out, cr_error *err)
{
    owner *o;
    cr__query query;
    cr_status st;

    *out = NULL;
    if (model->learner->has_joint == NULL)
        return cr__fail(err, CR_ECONFLICT,
                        "a model of '%s' is no joint distribution and cannot be asked",
                        model->learner->name);
    if (model->classes == 0)
        return cr__fail(err, CR_ECONFLICT, "the model has learned nothing: it has no classes");
    if ((st = cr__query_parse(&query, model, text, err)) != CR_OK)
        return st;
    if ((o = cr__alloc_zero(1, sizeof *o)) == NULL)
        st = cr__fail_memory(err);
    else
        st = answer(o, model, &query, err);
    cr__query_free(&query);
    if (st != CR_OK) {
        cr_answer_free(o == NULL ? NULL : &o->answer);
        return st;
    }
    *out = &o->answer;
    return CR_OK;
}
