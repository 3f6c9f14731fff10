/* src/study.c - evaluate models on labelled rows, by cross-validation, against each other.
 *
 * Each function gives the JSON of a result, which the library writes in the thread of the pass.
 */
#include "module.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "source.h"

typedef struct study {
    long_call call; /* must be first: it is the context */
    source rows;
    cr_output *out;
    shared_model *held;
    const cr_model *model; /* that is held */
    cr_deal deal;
    const char *learner;
    const char **params; /* knobs, or the space to tune in */
    size_t count;
    cr_spec *spec;
    size_t specs;
    int numbers; /* the model predicts numbers */
    const char *by;
    cr_tune_options tune;
    cr_curve_options curve;
    cr_drift_options drift;
    struct timespec begin;
} study;

/* --- common parts ----------------------------------------------------------------------------- */

static double seconds_of(const study *s)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - s->begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - s->begin.tv_nsec);
}

/* The folds from (folds, repeats, group, seed); folds -1: leave one out. */
static int deal_from(study *s, PyObject *tuple)
{
    unsigned long long seed;
    Py_ssize_t folds, repeats;

    if (!PyArg_ParseTuple(tuple, "nnzK", &folds, &repeats, &s->deal.group, &seed))
        return -1;
    s->deal.calibrated = s->deal.usual = 1; /* judge what train() makes */
    s->deal.folds = folds < 0 ? CR_LEAVE_ONE_OUT : (size_t)folds;
    s->deal.repeats = (size_t)repeats;
    s->deal.seed = s->call.run.seed = seed;
    return 0;
}

/* auto is no learner: its knobs are looked at when it runs. */
static cr_status check_spec(const cr_spec *spec, cr_error *err)
{
    return strcmp(spec->learner, "auto") == 0 ? CR_OK : cr_spec_check(spec, err);
}

/* Learners with their knobs, each as one text. */
static int specs_from(study *s, PyObject *list)
{
    size_t count;
    const char **text = texts_from(list, &count);
    cr_error err = {0};
    cr_status status = CR_OK;

    if (text == NULL)
        return -1;
    if ((s->spec = PyMem_Calloc(count + 1, sizeof *s->spec)) == NULL) {
        PyMem_Free(text);
        PyErr_NoMemory();
        return -1;
    }
    for (; status == CR_OK && s->specs < count; s->specs += status == CR_OK)
        if ((status = cr_spec_parse(&s->spec[s->specs], text[s->specs], &err)) == CR_OK &&
            (status = check_spec(&s->spec[s->specs], &err)) != CR_OK)
            cr_spec_free(&s->spec[s->specs]);
    PyMem_Free(text);
    if (status != CR_OK)
        raise_status(status, &err);
    return status == CR_OK ? 0 : -1;
}

static PyObject *release(study *s, PyObject *result)
{
    for (size_t i = 0; i < s->specs; i++)
        cr_spec_free(&s->spec[i]);
    PyMem_Free(s->spec);
    PyMem_Free(s->params);
    cr_output_free(s->out);
    model_drop(s->held);
    close_source(&s->rows);
    return result;
}

/* Run the work on the rows. The text it has written, or NULL with an exception. */
static PyObject *run_study(study *s, PyObject *data, PyObject *options, PyObject *progress)
{
    PyObject *text = NULL;
    cr_output *out;
    cr_status status;

    if (open_source(&s->rows, data, options) != 0)
        return NULL;
    if ((status = cr_output_new(&s->out, NULL, NULL, &s->call.err)) == CR_OK) {
        clock_gettime(CLOCK_MONOTONIC, &s->begin);
        s->call.context = s;
        status = call_long(&s->call, progress);
    }
    if (status != CR_OK)
        return raise_status(status, &s->call.err);
    if (PyErr_Occurred())
        return NULL;
    out = s->out;
    s->out = NULL;
    text = output_text(out, CR_OK);
    return text;
}

/* --- test and drift --------------------------------------------------------------------------- */

static cr_status work_test(long_call *call)
{
    study *s = call->context;
    const cr_predict_options o = {.size = sizeof o, .need_target = 1};
    cr_regression_metrics numbers;
    cr_evaluation *e = NULL;
    cr_tally tally;
    cr_status status;

    if (s->numbers) {
        status = cr_model_test_regression(s->model, s->rows.source, &o, 0.95, &call->run, &numbers,
                                          &tally, &call->err);
        return status == CR_OK
                   ? cr_regression_json(&numbers, tally.unlabelled, seconds_of(s), s->out)
                   : status;
    }
    status = cr_model_test(s->model, s->rows.source, &o, &call->run, &e, &tally, &call->err);
    if (status == CR_OK)
        status = cr_test_json(s->model, e, tally.unlabelled, seconds_of(s), s->out);
    cr_evaluation_free(e);
    return status;
}

/* test(model, data, options, numbers, threads, progress) */
static PyObject *test(PyObject *module, PyObject *args)
{
    PyObject *object, *data, *options, *progress;
    study s = {.call = {.work = work_test}};

    (void)module;
    if (!PyArg_ParseTuple(args, "OOOpiO", &object, &data, &options, &s.numbers, &s.call.run.threads,
                          &progress) ||
        (s.held = model_hold(object)) == NULL)
        return NULL;
    s.model = s.held->model;
    return release(&s, run_study(&s, data, options, progress));
}

static cr_status work_drift(long_call *call)
{
    study *s = call->context;
    cr_drift *drift = NULL;
    cr_status status =
        cr_model_drift(s->model, s->rows.source, &s->drift, &call->run, &drift, NULL, &call->err);

    if (status == CR_OK)
        status = cr_drift_json(drift, s->out);
    cr_drift_free(drift);
    return status;
}

/* drift(model, data, options, level, threads, progress) */
static PyObject *drift(PyObject *module, PyObject *args)
{
    PyObject *object, *data, *options, *progress;
    study s = {.call = {.work = work_drift}};

    (void)module;
    if (!PyArg_ParseTuple(args, "OOOdiO", &object, &data, &options, &s.drift.level,
                          &s.call.run.threads, &progress) ||
        (s.held = model_hold(object)) == NULL)
        return NULL;
    s.model = s.held->model;
    return release(&s, run_study(&s, data, options, progress));
}

/* --- folds ------------------------------------------------------------------------------------ */

static cr_status work_cv(long_call *call)
{
    study *s = call->context;
    cr_cv_metrics *metrics = NULL;
    cr_study *rows = NULL;
    cr_cv *cv = NULL;
    cr_status status = cr_study_new(&rows, s->rows.source, &s->deal, &call->run, &call->err);

    if (status == CR_OK)
        status = cr_cv_run(&cv, rows, s->learner, s->params, s->count, &call->err);
    if (status == CR_OK)
        status = cr_cv_measure(&metrics, cv, NULL, &call->err);
    if (status == CR_OK)
        status = cr_cv_json(cv, metrics, s->learner, NULL, 0.95, seconds_of(s), s->out);
    cr_cv_metrics_free(metrics);
    cr_cv_free(cv);
    cr_study_free(rows);
    return status;
}

/* cv(data, options, learner, params, deal, threads, progress) */
static PyObject *cv(PyObject *module, PyObject *args)
{
    PyObject *data, *options, *params, *deal, *progress, *text = NULL;
    study s = {.call = {.work = work_cv}};

    (void)module;
    if (!PyArg_ParseTuple(args, "OOsOOiO", &data, &options, &s.learner, &params, &deal,
                          &s.call.run.threads, &progress))
        return NULL;
    if ((s.params = texts_from(params, &s.count)) != NULL && deal_from(&s, deal) == 0)
        text = run_study(&s, data, options, progress);
    return release(&s, text);
}

static cr_status work_compare(long_call *call)
{
    study *s = call->context;
    const cr_compare_options o = {.by = s->by};
    cr_comparison *comparison = NULL;
    cr_study *rows = NULL;
    cr_status status = cr_study_new(&rows, s->rows.source, &s->deal, &call->run, &call->err);

    if (status == CR_OK)
        status = cr_compare_learners(&comparison, rows, s->spec, s->specs, &o, &call->err);
    if (status == CR_OK)
        status = cr_comparison_json(comparison, s->out);
    cr_comparison_free(comparison);
    cr_study_free(rows);
    return status;
}

static cr_status work_accounts(long_call *call)
{
    study *s = call->context;
    const cr_account_options o = {.by = s->by};
    cr_accounts *accounts = NULL;
    cr_tally tally = {0};
    cr_status status = cr_compare_accounts(&accounts, s->rows.source, NULL, s->spec, s->specs, &o,
                                           &call->run, &tally, &call->err);

    if (status == CR_OK)
        status = cr_accounts_json(accounts, tally.unlabelled, s->out);
    cr_accounts_free(accounts);
    return status;
}

/* compare(data, options, specs, by, deal, threads, progress): by names a metric of folds, or a
 * score of all rows (mdl, bic, ...). */
static PyObject *compare(PyObject *module, PyObject *args)
{
    PyObject *data, *options, *specs, *deal, *progress, *text = NULL;
    study s = {.call = {.work = work_compare}};

    (void)module;
    if (!PyArg_ParseTuple(args, "OOOzOiO", &data, &options, &specs, &s.by, &deal,
                          &s.call.run.threads, &progress))
        return NULL;
    if (s.by != NULL && cr_criterion_find(s.by) != NULL)
        s.call.work = work_accounts;
    if (specs_from(&s, specs) == 0 && deal_from(&s, deal) == 0)
        text = run_study(&s, data, options, progress);
    return release(&s, text);
}

static cr_status work_tune(long_call *call)
{
    study *s = call->context;
    cr_tuning *tuning = NULL;
    cr_study *rows = NULL;
    cr_status status = cr_study_new(&rows, s->rows.source, &s->deal, &call->run, &call->err);

    s->tune.seed = s->deal.seed;
    if (status == CR_OK)
        status = cr_tune(&tuning, rows, s->learner, s->params, s->count, &s->tune, &call->err);
    if (status == CR_OK)
        status = cr_tuning_json(tuning, s->learner, seconds_of(s), s->out);
    cr_tuning_free(tuning);
    cr_study_free(rows);
    return status;
}

/* tune(data, options, learner, space, (by, budget, seconds, steps, nested), deal, threads,
 * progress) */
static PyObject *tune(PyObject *module, PyObject *args)
{
    PyObject *data, *options, *space, *deal, *progress, *text = NULL;
    study s = {.call = {.work = work_tune}};
    Py_ssize_t budget, steps;

    (void)module;
    if (!PyArg_ParseTuple(args, "OOsO(zndnp)OiO", &data, &options, &s.learner, &space, &s.tune.by,
                          &budget, &s.tune.seconds, &steps, &s.tune.nested, &deal,
                          &s.call.run.threads, &progress))
        return NULL;
    s.tune.budget = (size_t)budget;
    s.tune.steps = (size_t)steps;
    if ((s.params = texts_from(space, &s.count)) != NULL && deal_from(&s, deal) == 0)
        text = run_study(&s, data, options, progress);
    return release(&s, text);
}

/* --- learning curves -------------------------------------------------------------------------- */

/* The curves of all learners on the same rows; curve and name have room for each. */
static cr_status draw_curves(study *s, cr_study *rows, cr_learning_curve **curve, const char **name)
{
    cr_status status = CR_OK;

    for (size_t i = 0; status == CR_OK && i < s->specs; i++) {
        const cr_spec *spec = &s->spec[i];

        name[i] = spec->name;
        status = cr_study_curve(rows, spec->learner, (const char *const *)spec->params,
                                spec->param_count, &s->curve, &curve[i], &s->call.err);
    }
    return status == CR_OK ? cr_curves_json((const cr_learning_curve *const *)curve, name, s->specs,
                                            seconds_of(s), s->out)
                           : status;
}

static cr_status work_curve(long_call *call)
{
    study *s = call->context;
    cr_learning_curve **curve = calloc(s->specs + 1, sizeof *curve);
    const char **name = calloc(s->specs + 1, sizeof *name);
    cr_study *rows = NULL;
    cr_status status = curve == NULL || name == NULL ? CR_ENOMEM : CR_OK;

    if (status == CR_OK)
        status = cr_study_new(&rows, s->rows.source, &s->deal, &call->run, &call->err);
    if (status == CR_OK)
        status = draw_curves(s, rows, curve, name);
    for (size_t i = 0; curve != NULL && i < s->specs; i++)
        cr_learning_curve_free(curve[i]);
    cr_study_free(rows);
    free(curve);
    free(name);
    return status;
}

/* Sizes of training sets, to be freed with PyMem_Free. NULL with an exception. */
static size_t *sizes_from(PyObject *sequence, size_t *count)
{
    const Py_ssize_t length = PySequence_Size(sequence);
    size_t *size = length < 0 ? NULL : PyMem_Calloc((size_t)length + 1, sizeof *size);

    if (size == NULL)
        return length < 0 ? NULL : (PyErr_NoMemory(), NULL);
    for (Py_ssize_t i = 0; i < length; i++) {
        PyObject *item = PySequence_GetItem(sequence, i);

        size[i] = item == NULL ? 0 : PyLong_AsSize_t(item);
        Py_XDECREF(item);
    }
    *count = (size_t)length;
    return size;
}

/* curve(data, options, specs, sizes, repeats, withheld, seed, threads, progress) */
static PyObject *curve(PyObject *module, PyObject *args)
{
    PyObject *data, *options, *specs, *sizes, *progress, *text = NULL;
    study s = {.call = {.work = work_curve}};
    unsigned long long seed;
    size_t *size = NULL;
    Py_ssize_t repeats;

    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOndKiO", &data, &options, &specs, &sizes, &repeats,
                          &s.curve.withheld, &seed, &s.call.run.threads, &progress))
        return NULL;
    s.deal.calibrated = s.deal.usual = 1; /* what train() makes */
    s.curve.repeats = (size_t)repeats;
    s.curve.seed = s.deal.seed = s.call.run.seed = seed;
    if (specs_from(&s, specs) == 0 &&
        (sizes == Py_None || (size = sizes_from(sizes, &s.curve.size_count)) != NULL) &&
        !PyErr_Occurred()) {
        s.curve.sizes = size;
        text = run_study(&s, data, options, progress);
    }
    PyMem_Free(size);
    return release(&s, text);
}

PyMethodDef study_methods[] = {
    {"test", test, METH_VARARGS, NULL},
    {"drift", drift, METH_VARARGS, NULL},
    {"cv", cv, METH_VARARGS, NULL},
    {"compare", compare, METH_VARARGS, NULL},
    {"tune", tune, METH_VARARGS, NULL},
    {"curve", curve, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
