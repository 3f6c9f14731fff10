/* src/module.c - the module credence._credence: models made, read and opened. */
#include "module.h"

#include <string.h>

#include "source.h"

/* --- training --------------------------------------------------------------------------------- */

typedef struct training {
    cr_source *source;
    const char *learner, *calibrate;
    const char **params;
    size_t count;
    cr_model *model;
    cr_tally tally;
} training;

static cr_status work_train(long_call *call)
{
    training *t = call->context;
    const cr_deal deal = {.seed = call->run.seed};
    cr_calibration_report report;

    if (t->learner != NULL && strcmp(t->learner, "auto") == 0)
        return cr_model_train_auto(&t->model, t->source, t->params, t->count, &call->run, &t->tally,
                                   &call->err);
    if (t->calibrate == NULL)
        return cr_model_train(&t->model, t->source, t->learner, t->params, t->count, &call->run,
                              &t->tally, &call->err);
    return cr_model_train_calibrated(&t->model, t->source, t->learner, t->params, t->count, &deal,
                                     t->calibrate, &call->run, &t->tally, &report, &call->err);
}

/* train(data, options, learner, params, calibrate, threads, seed, progress) -> Model */
static PyObject *train(PyObject *module, PyObject *args)
{
    PyObject *data, *options, *params, *progress;
    training t = {0};
    long_call call = {.work = work_train, .context = &t};
    unsigned long long seed;
    cr_status status = CR_OK;
    source s = {0};

    (void)module;
    if (!PyArg_ParseTuple(args, "OOzOziKO", &data, &options, &t.learner, &params, &t.calibrate,
                          &call.run.threads, &seed, &progress))
        return NULL;
    call.run.seed = seed;
    if ((t.params = texts_from(params, &t.count)) != NULL && open_source(&s, data, options) == 0) {
        t.source = s.source;
        status = call_long(&call, progress);
        if (status != CR_OK)
            raise_status(status, &call.err);
    }
    close_source(&s);
    PyMem_Free(t.params);
    if (PyErr_Occurred()) {
        cr_model_free(t.model);
        return NULL;
    }
    return model_wrap(t.model);
}

/* --- files ------------------------------------------------------------------------------------ */

static PyObject *load(PyObject *module, PyObject *path)
{
    const char *text = PyUnicode_AsUTF8AndSize(path, NULL);
    cr_model *model = NULL;
    cr_error err = {0};
    cr_status status;

    (void)module;
    if (text == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = cr_model_load(&model, text, 0, &err);
    Py_END_ALLOW_THREADS return status == CR_OK ? model_wrap(model) : raise_status(status, &err);
}

static PyObject *loads(PyObject *module, PyObject *object)
{
    cr_model *model = NULL;
    cr_error err = {0};
    cr_status status;
    Py_buffer view;

    (void)module;
    if (PyObject_GetBuffer(object, &view, PyBUF_SIMPLE) != 0)
        return NULL;
    status = cr_model_load_bytes(&model, view.buf, (size_t)view.len, 0, &err);
    PyBuffer_Release(&view);
    return status == CR_OK ? model_wrap(model) : raise_status(status, &err);
}

/* --- what there is ---------------------------------------------------------------------------- */

static PyObject *learners(PyObject *module, PyObject *none)
{
    PyObject *dict = PyDict_New();
    const char *name;

    (void)module;
    (void)none;
    for (size_t i = 0; dict != NULL && (name = cr_learner_name(i)) != NULL; i++) {
        PyObject *summary = PyUnicode_FromString(cr_learner_summary(i));

        if (summary == NULL || PyDict_SetItemString(dict, name, summary) != 0)
            Py_CLEAR(dict);
        Py_XDECREF(summary);
    }
    return dict;
}

/* knobs(learner) -> {name: (default, choices or None, help)} */
static PyObject *knobs(PyObject *module, PyObject *learner)
{
    const char *name = PyUnicode_AsUTF8AndSize(learner, NULL);
    PyObject *dict = name == NULL ? NULL : PyDict_New();
    cr_status status = CR_OK;
    cr_knob knob;

    (void)module;
    for (size_t i = 0; dict != NULL && (status = cr_learner_knob(name, i, &knob)) == CR_OK; i++) {
        PyObject *entry = Py_BuildValue("(szs)", knob.fallback, knob.choices, knob.help);

        if (entry == NULL || PyDict_SetItemString(dict, knob.name, entry) != 0)
            Py_CLEAR(dict);
        Py_XDECREF(entry);
    }
    if (dict != NULL && status != CR_END) {
        Py_DECREF(dict);
        return raise_status(status, &(cr_error){0});
    }
    return dict;
}

static PyMethodDef methods[] = {
    {"train", train, METH_VARARGS, NULL}, {"load", load, METH_O, NULL},
    {"loads", loads, METH_O, NULL},       {"learners", learners, METH_NOARGS, NULL},
    {"knobs", knobs, METH_O, NULL},       {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "credence._credence",
    .m_doc = "The engine: columns in, models and answers out. Use the package above it.",
    .m_size = -1,
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__credence(void)
{
    PyObject *module = PyModule_Create(&definition), *type;

    if (module == NULL)
        return NULL;
    credence_error = PyErr_NewExceptionWithDoc(
        "credence.Error",
        "What went wrong: code, file, line, column (None where they do not apply) and a hint.",
        PyExc_ValueError, NULL);
    type = credence_error == NULL ? NULL : model_type(module);
    if (type == NULL || PyModule_AddObjectRef(module, "Model", type) != 0 ||
        PyModule_AddObjectRef(module, "Error", credence_error) != 0 ||
        PyModule_AddFunctions(module, study_methods) != 0 ||
        PyModule_AddStringConstant(module, "version", cr_version()) != 0)
        Py_CLEAR(module);
    Py_XDECREF(type);
    return module;
}
