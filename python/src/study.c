/* src/study.c - how good models are: on labelled rows, and by cross-validation. */
#include "module.h"

#include <math.h>

#include "source.h"

/* --- figures as a dict ------------------------------------------------------------------------ */

static int add_number(PyObject *dict, const char *key, double x)
{
    PyObject *value = isnan(x) ? Py_NewRef(Py_None) : PyFloat_FromDouble(x);
    const int failed = value == NULL || PyDict_SetItemString(dict, key, value) != 0;

    Py_XDECREF(value);
    return failed ? -1 : 0;
}

static int add_object(PyObject *dict, const char *key, PyObject *value)
{
    const int failed = value == NULL || PyDict_SetItemString(dict, key, value) != 0;

    Py_XDECREF(value);
    return failed ? -1 : 0;
}

/* Rows of truths, columns of decisions. */
static PyObject *confusion_list(const cr_evaluation *e, size_t classes)
{
    PyObject *list = PyList_New(0);

    for (size_t t = 0; list != NULL && t < classes; t++) {
        PyObject *row = PyList_New(0);

        for (size_t d = 0; row != NULL && d < classes; d++) {
            PyObject *cell = PyFloat_FromDouble(cr_evaluation_confusion(e, t, (int32_t)d));

            if (cell == NULL || PyList_Append(row, cell) != 0)
                Py_CLEAR(row);
            Py_XDECREF(cell);
        }
        if (row == NULL || PyList_Append(list, row) != 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *class_list(const cr_model *model, const cr_evaluation *e)
{
    PyObject *list = PyList_New(0);

    for (size_t i = 0; list != NULL && i < cr_model_classes(model); i++) {
        cr_class_metrics m;
        PyObject *item;

        cr_evaluation_class(e, i, &m);
        item = Py_BuildValue("{s:s,s:d,s:d,s:d,s:d}", "class", cr_model_class(model, i), "support",
                             m.support, "precision", m.precision, "recall", m.recall, "f1", m.f1);
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* Every metric of the library's table, by key. */
static PyObject *evaluation_dict(const cr_model *model, const cr_evaluation *e)
{
    PyObject *dict = PyDict_New();

    for (size_t i = 0; dict != NULL && i < cr_metric_count(0); i++) {
        const cr_metric *m = cr_metric_get(0, i);

        if (add_number(dict, m->key, cr_evaluation_value(e, m)) != 0)
            Py_CLEAR(dict);
    }
    if (dict != NULL &&
        (add_object(dict, "classes", class_list(model, e)) != 0 ||
         add_object(dict, "confusion", confusion_list(e, cr_model_classes(model))) != 0))
        Py_CLEAR(dict);
    return dict;
}

static PyObject *regression_dict(const cr_regression_metrics *m)
{
    return Py_BuildValue("{s:d,s:d,s:d,s:d,s:d,s:d,s:d}", "rows", m->rows, "rmse", m->rmse, "mae",
                         m->mae, "r2", m->r2, "bias", m->bias, "log_density", m->log_density,
                         "coverage", m->coverage);
}

/* --- test ------------------------------------------------------------------------------------- */

typedef struct testing {
    const cr_model *model;
    cr_source *source;
    int numbers;
    cr_evaluation *evaluation;
    cr_regression_metrics regression;
    cr_tally tally;
} testing;

static cr_status work_test(long_call *call)
{
    testing *t = call->context;
    const cr_predict_options o = {.size = sizeof o, .need_target = 1};

    if (t->numbers)
        return cr_model_test_regression(t->model, t->source, &o, 0.95, &call->run, &t->regression,
                                        &t->tally, &call->err);
    return cr_model_test(t->model, t->source, &o, &call->run, &t->evaluation, &t->tally,
                         &call->err);
}

/* test(model, data, options, numbers, threads, progress) -> dict */
static PyObject *test(PyObject *module, PyObject *args)
{
    PyObject *object, *data, *options, *progress, *dict = NULL;
    testing t = {0};
    long_call call = {.work = work_test, .context = &t};
    cr_status status;
    source s;

    (void)module;
    if (!PyArg_ParseTuple(args, "OOOpiO", &object, &data, &options, &t.numbers, &call.run.threads,
                          &progress) ||
        (t.model = model_of(object)) == NULL)
        return NULL;
    if (open_source(&s, data, options) == 0) {
        t.source = s.source;
        status = call_long(&call, progress);
        if (status != CR_OK)
            raise_status(status, &call.err);
        else if (!PyErr_Occurred())
            dict =
                t.numbers ? regression_dict(&t.regression) : evaluation_dict(t.model, t.evaluation);
    }
    cr_evaluation_free(t.evaluation);
    close_source(&s);
    return dict;
}

/* --- cross-validation ------------------------------------------------------------------------- */

typedef struct studying {
    cr_source *source;
    cr_deal deal;
    const char *learner;
    const char **params;
    size_t count;
    cr_cv *cv;
} studying;

static cr_status work_cv(long_call *call)
{
    studying *s = call->context;
    cr_study *study = NULL;
    cr_status status = cr_study_new(&study, s->source, &s->deal, &call->run, &call->err);

    if (status == CR_OK)
        status = cr_cv_run(&s->cv, study, s->learner, s->params, s->count, &call->err);
    cr_study_free(study);
    return status;
}

/* Accuracy and log loss of each fold. */
static PyObject *fold_list(const cr_cv *cv, const cr_cv_facts *f)
{
    static const char *const shown[] = {"accuracy", "log_loss", "brier", "ece"};
    PyObject *list = PyList_New(0);

    for (size_t k = 0; list != NULL && k < f->folds * f->repeats; k++) {
        PyObject *item = PyDict_New();
        cr_evaluation *e = NULL;
        cr_error err = {0};
        cr_status status = cr_cv_evaluate(cv, k, NULL, &e, &err);

        for (size_t i = 0; status == CR_OK && item != NULL && i < 4; i++)
            if (add_number(item, shown[i], cr_evaluation_value(e, cr_metric_find(0, shown[i]))) !=
                0)
                Py_CLEAR(item);
        cr_evaluation_free(e);
        if (status != CR_OK)
            raise_status(status, &err);
        if (status != CR_OK || item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *cv_dict(const cr_cv *cv)
{
    cr_regression_metrics numbers;
    cr_evaluation *e = NULL;
    PyObject *dict = NULL;
    cr_error err = {0};
    cr_cv_facts f;
    cr_status status;

    cr_cv_get_facts(cv, &f);
    if (f.numbers) {
        status = cr_cv_regression(cv, SIZE_MAX, 0.95, &numbers, &err);
        return status == CR_OK ? regression_dict(&numbers) : raise_status(status, &err);
    }
    status = cr_cv_evaluate(cv, SIZE_MAX, NULL, &e, &err);
    if (status != CR_OK)
        return raise_status(status, &err);
    dict = evaluation_dict(cr_cv_model(cv), e);
    cr_evaluation_free(e);
    if (dict != NULL && f.folds <= 100 && add_object(dict, "folds", fold_list(cv, &f)) != 0)
        Py_CLEAR(dict);
    return dict;
}

/* cv(data, options, learner, params, folds, repeats, group, seed, threads, progress) -> dict */
static PyObject *cv(PyObject *module, PyObject *args)
{
    PyObject *data, *options, *params, *progress, *dict = NULL;
    studying s = {0};
    long_call call = {.work = work_cv, .context = &s};
    unsigned long long seed;
    Py_ssize_t folds, repeats;
    cr_status status;
    source rows = {0};

    (void)module;
    if (!PyArg_ParseTuple(args, "OOzOnnzKiO", &data, &options, &s.learner, &params, &folds,
                          &repeats, &s.deal.group, &seed, &call.run.threads, &progress))
        return NULL;
    s.deal.folds = folds < 0 ? CR_LEAVE_ONE_OUT : (size_t)folds;
    s.deal.repeats = (size_t)repeats;
    s.deal.seed = call.run.seed = seed;
    if ((s.params = texts_from(params, &s.count)) != NULL &&
        open_source(&rows, data, options) == 0) {
        s.source = rows.source;
        status = call_long(&call, progress);
        if (status != CR_OK)
            raise_status(status, &call.err);
        else if (!PyErr_Occurred())
            dict = cv_dict(s.cv);
    }
    cr_cv_free(s.cv);
    close_source(&rows);
    PyMem_Free(s.params);
    return dict;
}

PyMethodDef study_methods[] = {
    {"test", test, METH_VARARGS, NULL},
    {"cv", cv, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
