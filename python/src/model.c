/* src/model.c - the type Model: a cr_model, and the arrays that its answers are written to. */
#include "module.h"

#include <string.h>

#include "source.h"

typedef struct model_object {
    PyObject_HEAD shared_model *shared;
} model_object;

static PyObject *the_type;

static shared_model *share(cr_model *model)
{
    shared_model *s = PyMem_Malloc(sizeof *s);

    if (s == NULL) {
        cr_model_free(model);
        PyErr_NoMemory();
    } else {
        *s = (shared_model){model, 1};
    }
    return s;
}

shared_model *model_hold(PyObject *object)
{
    shared_model *s;

    if (!PyObject_TypeCheck(object, (PyTypeObject *)the_type)) {
        PyErr_SetString(PyExc_TypeError, "a Model is wanted");
        return NULL;
    }
    s = ((model_object *)object)->shared;
    s->users++;
    return s;
}

void model_drop(shared_model *s)
{
    if (s != NULL && --s->users == 0) {
        cr_model_free(s->model);
        PyMem_Free(s);
    }
}

PyObject *model_wrap(cr_model *model)
{
    shared_model *s = model == NULL ? NULL : share(model);
    model_object *self = s == NULL ? NULL : PyObject_New(model_object, (PyTypeObject *)the_type);

    if (self == NULL)
        model_drop(s);
    else
        self->shared = s;
    return (PyObject *)self;
}

/* The model of an object, for a call that keeps the interpreter's lock. */
static cr_model *model_of(PyObject *object)
{
    return ((model_object *)object)->shared->model;
}

static void model_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);

    model_drop(((model_object *)object)->shared);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* Replace the old model by one that has learned. */
static int replace_model(PyObject *object, cr_model *model)
{
    shared_model *s = share(model), **place = &((model_object *)object)->shared;

    if (s == NULL)
        return -1;
    model_drop(*place);
    *place = s;
    return 0;
}

PyObject *output_text(cr_output *out, cr_status status)
{
    PyObject *text = NULL;
    const char *bytes;
    size_t size;

    if (status == CR_OK && (status = cr_output_flush(out)) != CR_OK)
        raise_status(status, &(cr_error){0});
    if (status == CR_OK) {
        bytes = cr_output_data(out, &size);
        text = PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)size, "replace");
    }
    cr_output_free(out);
    return text;
}

/* --- learning --------------------------------------------------------------------------------- */

typedef struct lesson {
    cr_model *model;
    cr_source *source;
    int unlearn;
    cr_tally tally;
} lesson;

static cr_status work_learn(long_call *call)
{
    lesson *l = call->context;

    return l->unlearn ? cr_model_unlearn(l->model, l->source, &call->run, &l->tally, &call->err)
                      : cr_model_learn(l->model, l->source, &call->run, &l->tally, &call->err);
}

/* learn(data, options, unlearn, threads, progress) -> rows. A copy learns and then replaces the old
 * model, so that others can continue to read it. */
static PyObject *model_learn(PyObject *object, PyObject *args)
{
    PyObject *data, *options, *progress;
    lesson l = {0};
    long_call call = {.work = work_learn, .context = &l};
    cr_status status;
    source s;
    int threads;

    if (!PyArg_ParseTuple(args, "OOpiO", &data, &options, &l.unlearn, &threads, &progress))
        return NULL;
    if (open_source(&s, data, options) != 0) {
        close_source(&s);
        return NULL;
    }
    l.source = s.source;
    call.run.threads = threads;
    status = cr_model_copy(&l.model, model_of(object), &call.err);
    if (status == CR_OK)
        status = call_long(&call, progress);
    close_source(&s);
    if (status != CR_OK || PyErr_Occurred()) {
        cr_model_free(l.model);
        return raise_status(status, &call.err);
    }
    return replace_model(object, l.model) == 0 ? PyLong_FromUnsignedLongLong(l.tally.rows) : NULL;
}

typedef cr_status combine_models(cr_model *model, const cr_model *other, cr_error *err);

/* Add to a copy, or subtract from it, what another model has learned. */
static PyObject *combine_with(PyObject *object, PyObject *other, combine_models *combine)
{
    shared_model *more = model_hold(other);
    cr_model *copy = NULL;
    cr_error err = {0};
    cr_status status;

    if (more == NULL)
        return NULL;
    if ((status = cr_model_copy(&copy, model_of(object), &err)) == CR_OK)
        status = combine(copy, more->model, &err);
    model_drop(more);
    if (status != CR_OK) {
        cr_model_free(copy);
        return raise_status(status, &err);
    }
    return model_wrap(copy);
}

/* merged(other) -> Model, and without(other) -> Model */
static PyObject *model_merged(PyObject *object, PyObject *other)
{
    return combine_with(object, other, cr_model_merge);
}

static PyObject *model_without(PyObject *object, PyObject *other)
{
    return combine_with(object, other, cr_model_unmerge);
}

/* refitted(params) -> Model */
static PyObject *model_refitted(PyObject *object, PyObject *list)
{
    size_t count;
    const char **params = texts_from(list, &count);
    cr_model *copy = NULL;
    cr_error err = {0};
    cr_status status;

    if (params == NULL)
        return NULL;
    if ((status = cr_model_copy(&copy, model_of(object), &err)) == CR_OK)
        status = cr_model_refit(copy, params, count, &err);
    PyMem_Free(params);
    if (status != CR_OK) {
        cr_model_free(copy);
        return raise_status(status, &err);
    }
    return model_wrap(copy);
}

/* chosen_again() -> Model, its knobs chosen anew by what it has counted */
static PyObject *model_chosen_again(PyObject *object, PyObject *none)
{
    cr_model *copy = NULL;
    cr_error err = {0};
    cr_status status = cr_model_copy(&copy, model_of(object), &err);

    (void)none;
    Py_BEGIN_ALLOW_THREADS if (status == CR_OK) status = cr_model_refit_auto(copy, &err);
    Py_END_ALLOW_THREADS if (status != CR_OK)
    {
        cr_model_free(copy);
        return raise_status(status, &err);
    }
    return model_wrap(copy);
}

/* The candidates that were tried before training, the best first: a list of dicts. */
static PyObject *model_tried(PyObject *object, void *unused)
{
    PyObject *list = PyList_New(0);
    cr_tried t;

    (void)unused;
    for (size_t i = 0; list != NULL && cr_model_tried(model_of(object), i, &t) == CR_OK; i++) {
        PyObject *row = Py_BuildValue(
            "{s:s,s:d,s:d,s:d,s:d,s:d,s:K,s:O,s:O,s:s}", "name", t.name, "log_loss", t.log_loss,
            "error", t.error, "accuracy", t.accuracy, "work", t.work, "weight", t.weight, "rows",
            (unsigned long long)t.rows, "exact", t.exact ? Py_True : Py_False, "chosen",
            t.chosen ? Py_True : Py_False, "reason", t.reason);

        if (row == NULL || PyList_Append(list, row) != 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* The method of calibration, or None. */
static PyObject *model_calibration(PyObject *object, void *unused)
{
    const char *method = cr_model_calibration(model_of(object));

    (void)unused;
    if (method == NULL)
        Py_RETURN_NONE;
    return PyUnicode_FromString(method);
}

typedef struct calibrating {
    cr_model *model;
    cr_source *source;
    const char *method;
    cr_calibration_report report;
} calibrating;

static cr_status work_calibrate(long_call *call)
{
    calibrating *c = call->context;

    return cr_model_calibrate_on(c->model, c->source, c->method, &call->run, &c->report,
                                 &call->err);
}

/* calibrated(data, options, method, threads, progress) -> (Model, {method, rows, ...}) */
static PyObject *model_calibrated(PyObject *object, PyObject *args)
{
    PyObject *data, *options, *progress;
    calibrating c = {0};
    long_call call = {.work = work_calibrate, .context = &c};
    cr_status status = CR_OK;
    source s = {0};

    if (!PyArg_ParseTuple(args, "OOsiO", &data, &options, &c.method, &call.run.threads, &progress))
        return NULL;
    if (open_source(&s, data, options) == 0) {
        c.source = s.source;
        if ((status = cr_model_copy(&c.model, model_of(object), &call.err)) == CR_OK)
            status = call_long(&call, progress);
        if (status != CR_OK)
            raise_status(status, &call.err);
    }
    close_source(&s);
    if (PyErr_Occurred()) {
        cr_model_free(c.model);
        return NULL;
    }
    return Py_BuildValue("(N{s:s,s:d,s:d,s:d})", model_wrap(c.model), "method", c.report.method,
                         "rows", c.report.rows, "log_loss_before", c.report.log_loss_before,
                         "log_loss_after", c.report.log_loss_after);
}

/* --- files ------------------------------------------------------------------------------------ */

static PyObject *model_save(PyObject *object, PyObject *path)
{
    shared_model *held;
    const char *text = PyUnicode_AsUTF8AndSize(path, NULL);
    cr_error err = {0};
    cr_status status;

    if (text == NULL)
        return NULL;
    held = model_hold(object);
    Py_BEGIN_ALLOW_THREADS status = cr_model_save(held->model, text, &err);
    Py_END_ALLOW_THREADS model_drop(held);
    return status == CR_OK ? Py_NewRef(Py_None) : raise_status(status, &err);
}

static PyObject *model_dumps(PyObject *object, PyObject *none)
{
    cr_error err = {0};
    void *bytes = NULL;
    size_t size = 0;
    PyObject *result;
    cr_status status = cr_model_save_bytes(model_of(object), &bytes, &size, &err);

    (void)none;
    if (status != CR_OK)
        return raise_status(status, &err);
    result = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
    cr_bytes_free(bytes);
    return result;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* A writable array of n elements of a given size, or nothing for None. -1 with an exception. */
static int take_output(Py_buffer *view, PyObject *object, size_t n, size_t size, void **out)
{
    *out = NULL;
    if (object == Py_None)
        return 0;
    if (PyObject_GetBuffer(object, view, PyBUF_CONTIG) != 0)
        return -1;
    if ((size_t)view->len != n * size) {
        PyErr_Format(PyExc_ValueError, "an output has %zd bytes, not %zu", view->len, n * size);
        PyBuffer_Release(view);
        return -1;
    }
    *out = view->buf;
    return 1;
}

/* A rule from (costs, reject, priors), each None if it is absent. */
static int rule_from(cr_rule **out, const cr_model *model, PyObject *tuple)
{
    cr_rule_options o = {.size = sizeof o};
    PyObject *costs, *reject, *priors;
    cr_error err = {0};
    cr_status status;

    *out = NULL;
    if (tuple == Py_None)
        return 0;
    if (!PyArg_ParseTuple(tuple, "OOO", &costs, &reject, &priors))
        return -1;
    if (costs != Py_None)
        o.costs = PyUnicode_AsUTF8AndSize(costs, NULL);
    if (priors != Py_None)
        o.priors = PyUnicode_AsUTF8AndSize(priors, NULL);
    o.may_reject = reject != Py_None;
    if (o.may_reject)
        o.reject_cost = PyFloat_AsDouble(reject);
    if (PyErr_Occurred())
        return -1;
    status = cr_rule_new(out, model, &o, &err);
    if (status != CR_OK)
        raise_status(status, &err);
    return status == CR_OK ? 0 : -1;
}

enum { OUT_POSTERIOR, OUT_LOG, OUT_DECISION, OUT_EVIDENCE, OUT_COST, OUT_REGRESSION, OUTS };

/* predict(columns, outputs, rule, allow_absent, threads): outputs are (posterior, log_posterior,
 * decision, log_evidence, expected_cost, regression), writable buffers or None; a regression has
 * four doubles a row: mean, scale, freedom, truth. */
static PyObject *model_predict(PyObject *object, PyObject *args)
{
    shared_model *held_model;
    const cr_model *model;
    PyObject *list, *out, *rule_tuple, *result = NULL;
    cr_predict_options options = {.size = sizeof options};
    cr_run run = CR_RUN_INIT;
    cr_answers answers = {.size = sizeof answers};
    Py_buffer view[OUTS];
    int held[OUTS] = {0};
    void *at[OUTS];
    cr_rule *rule = NULL;
    cr_error err = {0};
    cr_status status;
    columns c;

    if (!PyArg_ParseTuple(args, "OO!Opi", &list, &PyTuple_Type, &out, &rule_tuple,
                          &options.allow_absent_columns, &run.threads))
        return NULL;
    if (PyTuple_Size(out) != OUTS) {
        PyErr_SetString(PyExc_TypeError, "predict needs six outputs");
        return NULL;
    }
    held_model = model_hold(object);
    model = held_model->model;
    if (columns_from(&c, list) != 0)
        goto done;
    for (int i = 0; i < OUTS; i++) {
        const size_t classes = i <= OUT_LOG ? cr_model_classes(model) : 1;
        const size_t size = i == OUT_DECISION     ? sizeof(int32_t)
                            : i == OUT_REGRESSION ? sizeof(cr_regression)
                                                  : sizeof(double);

        if ((held[i] = take_output(&view[i], PyTuple_GetItem(out, i), c.rows * classes, size,
                                   &at[i])) < 0)
            goto done;
    }
    if (rule_from(&rule, model, rule_tuple) != 0)
        goto done;
    options.rule = rule;
    answers.posterior = at[OUT_POSTERIOR];
    answers.log_posterior = at[OUT_LOG];
    answers.decision = at[OUT_DECISION];
    answers.log_evidence = at[OUT_EVIDENCE];
    answers.expected_cost = at[OUT_COST];
    answers.regression = at[OUT_REGRESSION];
    Py_BEGIN_ALLOW_THREADS status =
        cr_model_predict_arrays(model, c.array, c.count, c.rows, &options, &answers, &run, &err);
    Py_END_ALLOW_THREADS result = status == CR_OK ? Py_NewRef(Py_None) : raise_status(status, &err);
done:
    for (int i = 0; i < OUTS; i++)
        if (held[i] > 0)
            PyBuffer_Release(&view[i]);
    cr_rule_free(rule);
    columns_free(&c);
    model_drop(held_model);
    return result;
}

/* --- why -------------------------------------------------------------------------------------- */

typedef struct explaining {
    const cr_model *model;
    PyObject *list; /* of texts: JSON or derivations */
    int work;       /* the derivation as text */
} explaining;

static cr_status add_text(explaining *x, cr_output *out, cr_status status)
{
    PyObject *text;
    int failed;

    text = output_text(out, status);
    failed = text == NULL || PyList_Append(x->list, text) != 0;
    Py_XDECREF(text);
    return status != CR_OK ? status : failed ? CR_ESTOPPED : CR_OK;
}

static cr_status visit_explanation(void *context, const cr_explanation *e)
{
    explaining *x = context;
    cr_output *out = NULL;
    cr_board *board = NULL;
    cr_error err = {0};
    cr_status status = cr_output_new(&out, NULL, NULL, &err);

    if (status != CR_OK)
        return status;
    if (!x->work) {
        status = cr_explanation_json(x->model, e, NULL, out, &err);
    } else if ((status = cr_board_new(&board, x->model, e, NULL, &err)) == CR_OK) {
        cr_board_text(board, out);
        cr_board_free(board);
    }
    return add_text(x, out, status);
}

static cr_status visit_regression(void *context, const cr_regression_explanation *e)
{
    explaining *x = context;
    cr_output *out = NULL;
    cr_board *board = NULL;
    cr_error err = {0};
    cr_status status = cr_output_new(&out, NULL, NULL, &err);

    if (status != CR_OK)
        return status;
    if (!x->work) {
        status = cr_regression_explanation_json(x->model, e, 0.95, 0, out, &err);
    } else if ((status = cr_board_new_regression(&board, x->model, e, 0.95, NULL, &err)) == CR_OK) {
        cr_board_text(board, out);
        cr_board_free(board);
    }
    return add_text(x, out, status);
}

/* explain(data, options, rule, work, numbers) -> list of str, one for each row: JSON, or the
 * derivation if work is set. numbers: the model predicts numbers. */
static PyObject *model_explain(PyObject *object, PyObject *args)
{
    const cr_model *model = model_of(object);
    cr_predict_options o = {.size = sizeof o, .allow_absent_columns = 1};
    PyObject *data, *options, *rule_tuple;
    explaining x = {.model = model};
    cr_error err = {0};
    cr_rule *rule = NULL;
    cr_status status = CR_OK;
    int numbers;
    source s;

    if (!PyArg_ParseTuple(args, "OOOpp", &data, &options, &rule_tuple, &x.work, &numbers))
        return NULL;
    if (open_source(&s, data, options) == 0 && rule_from(&rule, model, rule_tuple) == 0 &&
        (x.list = PyList_New(0)) != NULL) {
        o.rule = rule;
        status = numbers
                     ? cr_model_explain_regression(model, s.source, &o, visit_regression, &x, &err)
                     : cr_model_explain(model, s.source, &o, visit_explanation, &x, &err);
        if (status != CR_OK)
            raise_status(status, &err);
    }
    cr_rule_free(rule);
    close_source(&s);
    if (PyErr_Occurred()) {
        Py_XDECREF(x.list);
        return NULL;
    }
    return x.list;
}

/* --- contents --------------------------------------------------------------------------------- */

static PyObject *model_learner(PyObject *object, void *none)
{
    (void)none;
    return PyUnicode_FromString(cr_model_learner(model_of(object)));
}

static PyObject *model_classes(PyObject *object, void *none)
{
    const cr_model *model = model_of(object);
    const size_t count = cr_model_classes(model);
    PyObject *list = PyList_New((Py_ssize_t)count);

    (void)none;
    for (size_t i = 0; list != NULL && i < count; i++) {
        const char *name = cr_model_class(model, i);
        PyObject *text = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");

        if (text == NULL || PyList_SetItem(list, (Py_ssize_t)i, text) != 0)
            Py_CLEAR(list);
    }
    return list;
}

/* [(name, kind, role, why)] of all columns. */
static PyObject *model_columns(PyObject *object, void *none)
{
    const cr_schema *schema = cr_model_schema(model_of(object));
    PyObject *list = PyList_New(0);

    (void)none;
    for (size_t i = 0; list != NULL && i < cr_schema_columns(schema); i++) {
        PyObject *item = Py_BuildValue(
            "(ssis)", cr_schema_name(schema, i), cr_kind_name(cr_schema_kind(schema, i)),
            (int)cr_schema_role(schema, i), cr_why_text(cr_schema_why(schema, i)));

        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* {name: value} of the knobs in use. */
static PyObject *model_knobs(PyObject *object, void *none)
{
    PyObject *dict = PyDict_New();
    cr_knob knob;

    (void)none;
    for (size_t i = 0; dict != NULL && cr_model_knob(model_of(object), i, &knob) == CR_OK; i++) {
        PyObject *value = PyUnicode_FromString(knob.value);

        if (value == NULL || PyDict_SetItemString(dict, knob.name, value) != 0)
            Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

static PyObject *model_facts(PyObject *object, void *none)
{
    cr_model_facts f;

    (void)none;
    cr_model_get_facts(model_of(object), &f);
    return Py_BuildValue("{s:K,s:d,s:d,s:d,s:s,s:s}", "rows", (unsigned long long)f.rows, "weight",
                         f.weight, "parameters", f.parameters, "joint_parameters",
                         f.joint_parameters, "fingerprint", f.fingerprint, "version", f.version);
}

static PyObject *query_dict(const cr_answer *a)
{
    PyObject *dict =
        Py_BuildValue("{s:d,s:d,s:d}", "probability", a->probability, "log_probability",
                      a->log_probability, "log_condition", a->log_condition);
    PyObject *values = PyDict_New();

    for (size_t i = 0; values != NULL && i < a->values; i++) {
        PyObject *p = PyFloat_FromDouble(a->p[i]);

        if (p == NULL || PyDict_SetItemString(values, a->value[i], p) != 0)
            Py_CLEAR(values);
        Py_XDECREF(p);
    }
    if (dict != NULL && values != NULL && a->values > 0)
        PyDict_SetItemString(dict, "values", values);
    if (dict != NULL && a->kind == CR_QUERY_ARGMAX) {
        PyObject *best = PyUnicode_FromString(a->value[a->best]);

        if (best != NULL)
            PyDict_SetItemString(dict, "best", best);
        Py_XDECREF(best);
    }
    if (dict != NULL && a->kind == CR_QUERY_NUMBER) {
        PyObject *more = Py_BuildValue("{s:d,s:d,s:d,s:d}", "mean", a->mean, "sd", a->deviation,
                                       "low", a->low, "high", a->high);

        if (more != NULL)
            PyDict_Update(dict, more);
        Py_XDECREF(more);
    }
    Py_XDECREF(values);
    if (PyErr_Occurred())
        Py_CLEAR(dict);
    return dict;
}

/* Answers about several variables: the parsed JSON. */
static PyObject *query_object(const char *question, const cr_answer *a)
{
    PyObject *json = NULL, *object = NULL;
    cr_output *out = NULL;
    const char *text;
    size_t size;

    if (cr_output_new(&out, NULL, NULL, NULL) != CR_OK || cr_answer_json(question, a, out) != CR_OK)
        PyErr_NoMemory();
    else if ((json = PyImport_ImportModule("json")) != NULL) {
        text = cr_output_data(out, &size);
        object = PyObject_CallMethod(json, "loads", "s#", text, (Py_ssize_t)size);
    }
    cr_output_free(out);
    Py_XDECREF(json);
    return object;
}

static PyObject *model_query(PyObject *object, PyObject *text)
{
    const char *question = PyUnicode_AsUTF8AndSize(text, NULL);
    shared_model *held;
    cr_answer *answer = NULL;
    cr_error err = {0};
    cr_status status;
    PyObject *dict;

    if (question == NULL)
        return NULL;
    held = model_hold(object);
    Py_BEGIN_ALLOW_THREADS status = cr_query_run(held->model, question, &answer, &err);
    Py_END_ALLOW_THREADS model_drop(held);
    if (status != CR_OK)
        return raise_status(status, &err);
    dict = answer->kind >= CR_QUERY_TABLE ? query_object(question, answer) : query_dict(answer);
    cr_answer_free(answer);
    return dict;
}

static PyObject *model_gaussian(PyObject *object, PyObject *args)
{
    Py_ssize_t column, class_index;
    cr_gaussian g;
    cr_status status;

    if (!PyArg_ParseTuple(args, "nn", &column, &class_index))
        return NULL;
    status = cr_model_gaussian(model_of(object), (size_t)column, (size_t)class_index, &g);
    if (status != CR_OK)
        return raise_status(status, &(cr_error){0});
    return Py_BuildValue("{s:d,s:d,s:d,s:d,s:d}", "count", g.count, "mean", g.mean, "variance",
                         g.variance_unbiased, "fitted_mean", g.fitted_mean, "fitted_variance",
                         g.fitted_variance);
}

static PyObject *model_prior(PyObject *object, PyObject *index)
{
    const Py_ssize_t i = PyNumber_AsSsize_t(index, PyExc_IndexError);

    if (PyErr_Occurred())
        return NULL;
    return PyFloat_FromDouble(cr_model_prior(model_of(object), (size_t)i));
}

static PyMethodDef methods[] = {
    {"learn", model_learn, METH_VARARGS, NULL},
    {"merged", model_merged, METH_O, NULL},
    {"without", model_without, METH_O, NULL},
    {"refitted", model_refitted, METH_O, NULL},
    {"chosen_again", model_chosen_again, METH_NOARGS, NULL},
    {"calibrated", model_calibrated, METH_VARARGS, NULL},
    {"save", model_save, METH_O, NULL},
    {"dumps", model_dumps, METH_NOARGS, NULL},
    {"predict", model_predict, METH_VARARGS, NULL},
    {"explain", model_explain, METH_VARARGS, NULL},
    {"query", model_query, METH_O, NULL},
    {"gaussian", model_gaussian, METH_VARARGS, NULL},
    {"prior", model_prior, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getters[] = {
    {"learner", model_learner, NULL, NULL, NULL},
    {"classes", model_classes, NULL, NULL, NULL},
    {"columns", model_columns, NULL, NULL, NULL},
    {"knobs", model_knobs, NULL, NULL, NULL},
    {"facts", model_facts, NULL, NULL, NULL},
    {"tried", model_tried, NULL, NULL, NULL},
    {"calibration", model_calibration, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyObject *model_type(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, (void *)model_dealloc},
        {Py_tp_methods, methods},
        {Py_tp_getset, getters},
        {Py_tp_doc, (void *)"A model of the engine; made by train(), load() and loads()."},
        {0, NULL},
    };
    static PyType_Spec spec = {
        .name = "credence._credence.Model",
        .basicsize = sizeof(model_object),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots,
    };

    if (the_type == NULL)
        the_type = PyType_FromModuleAndSpec(module, &spec, NULL);
    return Py_XNewRef(the_type);
}
