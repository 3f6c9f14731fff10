/* sql/postgresql/functions.c - query, teach and test models. */
#include "credence.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/tuplestore.h"

#include "answer.h"
#include "judge.h"
#include "options.h"
#include "recent.h"

static cr_output *new_output(void)
{
    cr_output *out = NULL;
    cr_error err = {0};
    cr_status status = cr_output_new(&out, NULL, NULL, &err);

    if (status != CR_OK)
        raise_status(status, &err);
    return out;
}

/* --- asking ------------------------------------------------------------------------------------
 */

static cr_decision classify(open_model *m, Datum row, const cr_rule *rule)
{
    cr_decision decision;
    cr_status status;

    fill_row(m, row);
    status = cr_row_classify(m->row, rule, m->posterior, &decision);
    if (status != CR_OK)
        raise_status(status, &(cr_error){0});
    return decision;
}

static Datum class_text(const open_model *m, int32_t decision)
{
    return CStringGetTextDatum(cr_model_class(m->model, (size_t)decision));
}

PG_FUNCTION_INFO_V1(credence_predict);
Datum credence_predict(PG_FUNCTION_ARGS)
{
    open_model *m = get_argument(fcinfo, 0);
    cr_decision decision;

    if (judge_is_regression(m->model)) {
        char text[CR_SHOW_SIZE];
        cr_regression number;
        cr_status status;

        fill_row(m, PG_GETARG_DATUM(1));
        status = cr_row_regress(m->row, &number);
        if (status != CR_OK)
            raise_status(status, &(cr_error){0});
        PG_RETURN_DATUM(CStringGetTextDatum(cr_show_number(text, CR_SHOW_EXACT, number.mean)));
    }
    decision = classify(m, PG_GETARG_DATUM(1), NULL);
    if (decision.decision == CR_UNDECIDED)
        PG_RETURN_NULL();
    PG_RETURN_DATUM(class_text(m, decision.decision));
}

PG_FUNCTION_INFO_V1(credence_proba);
Datum credence_proba(PG_FUNCTION_ARGS)
{
    open_model *m = get_argument(fcinfo, 0);
    cr_output *out;

    classify(m, PG_GETARG_DATUM(1), NULL);
    out = new_output();
    answer_proba(m->model, m->posterior, out);
    PG_RETURN_DATUM(jsonb_datum(out, CR_OK, NULL));
}

/* credence_decide(model, row, costs [, reject]) */
PG_FUNCTION_INFO_V1(credence_decide);
Datum credence_decide(PG_FUNCTION_ARGS)
{
    open_model *m = get_argument(fcinfo, 0);
    char *costs = text_to_cstring(PG_GETARG_TEXT_PP(2));
    cr_rule_options wanted = {.size = sizeof wanted, .costs = costs};
    cr_decision decision;
    cr_rule *rule = NULL;
    cr_error err = {0};
    cr_status status;

    if (PG_NARGS() > 3 && !PG_ARGISNULL(3)) {
        wanted.may_reject = 1;
        wanted.reject_cost = PG_GETARG_FLOAT8(3);
    }
    status = cr_rule_new(&rule, m->model, &wanted, &err);
    if (status != CR_OK)
        raise_status(status, &err);
    PG_TRY();
    {
        decision = classify(m, PG_GETARG_DATUM(1), rule);
    }
    PG_FINALLY();
    {
        cr_rule_free(rule);
    }
    PG_END_TRY();
    if (decision.decision == CR_UNDECIDED)
        PG_RETURN_NULL();
    PG_RETURN_DATUM(class_text(m, decision.decision));
}

PG_FUNCTION_INFO_V1(credence_work);
Datum credence_work(PG_FUNCTION_ARGS)
{
    open_model *m = get_argument(fcinfo, 0);
    cr_output *out;
    cr_error err = {0};

    fill_row(m, PG_GETARG_DATUM(1));
    out = new_output();
    PG_RETURN_DATUM(text_datum(out, answer_work(m->row, m->model, out, &err), &err));
}

PG_FUNCTION_INFO_V1(credence_query);
Datum credence_query(PG_FUNCTION_ARGS)
{
    open_model *m = get_argument(fcinfo, 0);
    char *question = text_to_cstring(PG_GETARG_TEXT_PP(1));
    cr_output *out = new_output();
    cr_error err = {0};

    PG_RETURN_DATUM(jsonb_datum(out, answer_query(m->model, question, out, &err), &err));
}

PG_FUNCTION_INFO_V1(credence_show);
Datum credence_show(PG_FUNCTION_ARGS)
{
    open_model *m = get_argument(fcinfo, 0);
    cr_output *out = new_output();
    cr_error err = {0};

    PG_RETURN_DATUM(jsonb_datum(out, cr_model_json(m->model, NULL, NULL, out, &err), &err));
}

/* --- explaining --------------------------------------------------------------------------------
 */

/* A tuple store for the rows of a set-returning function. */
static Tuplestorestate *begin_set(FunctionCallInfo fcinfo, TupleDesc *desc)
{
    ReturnSetInfo *result = (ReturnSetInfo *)fcinfo->resultinfo;
    MemoryContext old;
    Tuplestorestate *store;

    if (result == NULL || !IsA(result, ReturnSetInfo) ||
        (result->allowedModes & SFRM_Materialize) == 0)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("credence: a set cannot be returned here")));
    if (get_call_result_type(fcinfo, NULL, desc) != TYPEFUNC_COMPOSITE)
        ereport(ERROR, (errmsg("credence: the result is not a row")));
    old = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
    *desc = CreateTupleDescCopy(*desc);
    store = tuplestore_begin_heap(true, false, work_mem);
    result->returnMode = SFRM_Materialize;
    result->setResult = store;
    result->setDesc = *desc;
    MemoryContextSwitchTo(old);
    return store;
}

PG_FUNCTION_INFO_V1(credence_explain);
Datum credence_explain(PG_FUNCTION_ARGS)
{
    open_model *m = get_argument(fcinfo, 0);
    answer_factor *factor = NULL;
    size_t count = 0;
    TupleDesc desc;
    Tuplestorestate *store = begin_set(fcinfo, &desc);
    cr_error err = {0};
    cr_status status;

    fill_row(m, PG_GETARG_DATUM(1));
    status = answer_explain(m->row, &factor, &count, &err);
    if (status != CR_OK)
        raise_status(status, &err);
    PG_TRY();
    {
        for (size_t i = 0; i < count; i++) {
            Datum value[3] = {CStringGetTextDatum(factor[i].factor), (Datum)0,
                              Float8GetDatum(factor[i].log_odds)};
            bool null[3] = {false, factor[i].value == NULL, isnan(factor[i].log_odds)};

            if (!null[1])
                value[1] = CStringGetTextDatum(factor[i].value);
            tuplestore_putvalues(store, desc, value, null);
        }
    }
    PG_FINALLY();
    {
        answer_factors_free(factor, count);
    }
    PG_END_TRY();
    return (Datum)0;
}

/* --- teaching ----------------------------------------------------------------------------------
 */

/* The datum of a changed copy. Frees the copy. */
static Datum changed_datum(cr_model *copy, cr_status status, const cr_error *err)
{
    volatile Datum datum = (Datum)0;

    PG_TRY();
    {
        if (status != CR_OK)
            raise_status(status, err);
        datum = model_datum(copy);
    }
    PG_FINALLY();
    {
        cr_model_free(copy);
    }
    PG_END_TRY();
    return datum;
}

static Datum teach(FunctionCallInfo fcinfo, int sign)
{
    open_model *m = get_argument(fcinfo, 0);
    cr_model *copy = NULL;
    cr_error err = {0};
    cr_status status;

    fill_row(m, PG_GETARG_DATUM(1));
    status = cr_model_copy(&copy, m->model, &err);
    if (status == CR_OK)
        status = cr_row_learn(copy, m->row, sign, &err);
    return changed_datum(copy, status, &err);
}

PG_FUNCTION_INFO_V1(credence_learn);
Datum credence_learn(PG_FUNCTION_ARGS)
{
    return teach(fcinfo, 1);
}

PG_FUNCTION_INFO_V1(credence_unlearn);
Datum credence_unlearn(PG_FUNCTION_ARGS)
{
    return teach(fcinfo, -1);
}

typedef cr_status combine_models(cr_model *model, const cr_model *other, cr_error *err);

static Datum combine(FunctionCallInfo fcinfo, combine_models *with)
{
    cr_model *copy = NULL;
    cr_error err = {0};
    cr_status status = cr_model_copy(&copy, get_model(PG_GETARG_DATUM(0))->model, &err);

    PG_TRY();
    {
        if (status == CR_OK)
            status = with(copy, get_model(PG_GETARG_DATUM(1))->model, &err);
    }
    PG_CATCH();
    {
        cr_model_free(copy);
        PG_RE_THROW();
    }
    PG_END_TRY();
    return changed_datum(copy, status, &err);
}

PG_FUNCTION_INFO_V1(credence_merge);
Datum credence_merge(PG_FUNCTION_ARGS)
{
    return combine(fcinfo, cr_model_merge);
}

PG_FUNCTION_INFO_V1(credence_unmerge);
Datum credence_unmerge(PG_FUNCTION_ARGS)
{
    return combine(fcinfo, cr_model_unmerge);
}

PG_FUNCTION_INFO_V1(credence_refit);
Datum credence_refit(PG_FUNCTION_ARGS)
{
    open_model *m = get_argument(fcinfo, 0);
    char *text = DatumGetCString(DirectFunctionCall1(jsonb_out, PG_GETARG_DATUM(1)));
    cr_model *copy = NULL;
    options knobs = {0};
    cr_error err = {0};
    cr_status status = options_read(&knobs, text, 1, &err);

    if (status == CR_OK)
        status = cr_model_copy(&copy, m->model, &err);
    if (status == CR_OK)
        status = cr_model_refit(copy, (const char *const *)knobs.param, knobs.params, &err);
    options_free(&knobs);
    return changed_datum(copy, status, &err);
}

PG_FUNCTION_INFO_V1(credence_refit_auto);
Datum credence_refit_auto(PG_FUNCTION_ARGS)
{
    open_model *m = get_argument(fcinfo, 0);
    cr_model *copy = NULL;
    cr_error err = {0};
    cr_status status = cr_model_copy(&copy, m->model, &err);

    if (status == CR_OK)
        status = cr_model_refit_auto(copy, &err);
    return changed_datum(copy, status, &err);
}

/* --- aggregates over rows and a model -----------------------------------------------------------
 */

/* The state of an aggregate: an object that is freed with the aggregate's memory. */
typedef struct held {
    MemoryContextCallback callback;
    void *object;
    void (*free_object)(void *object);
} held;

static void release(void *argument)
{
    held *h = argument;

    h->free_object(h->object);
    h->object = NULL;
}

static held *new_held(MemoryContext context, void (*free_object)(void *object))
{
    held *h = MemoryContextAllocZero(context, sizeof *h);

    h->free_object = free_object;
    h->callback.func = release;
    h->callback.arg = h;
    MemoryContextRegisterResetCallback(context, &h->callback);
    return h;
}

typedef cr_status add_to_held(held *h, open_model *m, Datum row, cr_error *err);

/* Add (model, row) to the state; NULL rows and models are skipped. */
static Datum add_to_aggregate(FunctionCallInfo fcinfo, void (*free_object)(void *object),
                              add_to_held *add)
{
    held *h = PG_ARGISNULL(0) ? NULL : (held *)PG_GETARG_POINTER(0);
    MemoryContext context;
    cr_error err = {0};
    cr_status status;

    if (!AggCheckCallContext(fcinfo, &context))
        ereport(ERROR, (errmsg("credence: this function is part of an aggregate")));
    if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2)) {
        open_model *m = get_argument(fcinfo, 1);

        if (h == NULL)
            h = new_held(context, free_object);
        CHECK_FOR_INTERRUPTS();
        status = add(h, m, PG_GETARG_DATUM(2), &err);
        if (status != CR_OK)
            raise_status(status, &err);
    }
    if (h == NULL)
        PG_RETURN_NULL();
    PG_RETURN_POINTER(h);
}

/* The collected result of an aggregate, as JSON; NULL without rows. */
static Datum finish_aggregate(FunctionCallInfo fcinfo,
                              cr_status (*write)(const void *object, cr_output *out, cr_error *err))
{
    const held *h = PG_ARGISNULL(0) ? NULL : (const held *)PG_GETARG_POINTER(0);
    cr_error err = {0};
    cr_output *out;

    if (h == NULL)
        PG_RETURN_NULL();
    out = new_output();
    PG_RETURN_DATUM(jsonb_datum(out, write(h->object, out, &err), &err));
}

/* --- judging: an aggregate ----------------------------------------------------------------------
 */

static void require_target(const open_model *m)
{
    const size_t target = cr_model_target(m->model);

    for (int i = 0; i < m->form.desc->natts; i++)
        if (m->form.attribute[i].column == target)
            return;
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
                    errmsg("credence: the rows have no column \"%s\", which is to be predicted",
                           cr_schema_name(cr_model_schema(m->model), target))));
}

/* The row's value in the target column; NULL if it has none. */
static const char *truth_of(const open_model *m, size_t *size)
{
    row_cursor c = row_first(&m->form);

    while (row_next(&c))
        if (c.attribute->column == cr_model_target(m->model))
            return row_text(c.attribute, c.value, size);
    require_target(m);
    return NULL;
}

static void free_judge(void *object)
{
    judge_free(object);
}

static cr_status add_judged(held *h, open_model *m, Datum row, cr_error *err)
{
    judge *j = h->object;
    const char *truth;
    size_t size = 0;
    cr_status status;

    if (j == NULL) {
        if ((status = judge_new(&j, m->model, err)) != CR_OK)
            return status;
        h->object = j;
    }
    fill_row(m, row);
    truth = truth_of(m, &size);
    return judge_add(j, m->row, truth, size, err);
}

static cr_status write_judged(const void *object, cr_output *out, cr_error *err)
{
    return judge_report(object, out, err);
}

PG_FUNCTION_INFO_V1(credence_test_add);
Datum credence_test_add(PG_FUNCTION_ARGS)
{
    return add_to_aggregate(fcinfo, free_judge, add_judged);
}

PG_FUNCTION_INFO_V1(credence_test_final);
Datum credence_test_final(PG_FUNCTION_ARGS)
{
    return finish_aggregate(fcinfo, write_judged);
}

/* --- drift: an aggregate -----------------------------------------------------------------------
 */

static void free_recent(void *object)
{
    recent_free(object);
}

static cr_status add_recent(held *h, open_model *m, Datum row, cr_error *err)
{
    recent *r = h->object;
    cr_status status;

    if (r == NULL) {
        if ((status = recent_new(&r, m->model, err)) != CR_OK)
            return status;
        h->object = r;
    }
    take_row(m, row);
    status = recent_begin_row(r);
    for (row_cursor c = row_first(&m->form); status == CR_OK && row_next(&c);) {
        if (c.attribute->is_real) {
            recent_set_real(r, c.attribute->column, row_number(c.attribute, c.value));
        } else {
            size_t size;
            const char *text = row_text(c.attribute, c.value, &size);

            status = recent_set_text(r, c.attribute->column, text, size);
        }
    }
    return status;
}

static cr_status write_recent(const void *object, cr_output *out, cr_error *err)
{
    return recent_drift(object, out, err);
}

PG_FUNCTION_INFO_V1(credence_drift_add);
Datum credence_drift_add(PG_FUNCTION_ARGS)
{
    return add_to_aggregate(fcinfo, free_recent, add_recent);
}

PG_FUNCTION_INFO_V1(credence_drift_final);
Datum credence_drift_final(PG_FUNCTION_ARGS)
{
    return finish_aggregate(fcinfo, write_recent);
}
