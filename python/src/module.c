/* src/module.c - the module credence._credence: train, combine and open models. */
#include "module.h"

#include <string.h>

#include "arrow.h"
#include "source.h"

/* --- training --------------------------------------------------------------------------------- */

typedef struct training {
    cr_source *source;
    const char *learner, *calibrate;
    const char **params;
    size_t count;
    int begins; /* a stream of lessons, of which nobody knows how long it will be */
    cr_model *model;
    cr_tally tally;
} training;

static cr_status work_train(long_call *call)
{
    training *t = call->context;

    if (t->begins && t->calibrate == NULL)
        return cr_model_train(&t->model, t->source, t->learner, t->params, t->count, &call->run,
                              &t->tally, &call->err);
    return cr_model_train_default(&t->model, t->source, t->learner, t->params, t->count,
                                  t->calibrate, &call->run, &t->tally, NULL, &call->err);
}

/* train(data, options, learner, params, calibrate, begins, threads, seed, progress) -> Model */
static PyObject *train(PyObject *module, PyObject *args)
{
    PyObject *data, *options, *params, *progress;
    training t = {0};
    long_call call = {.work = work_train, .context = &t};
    unsigned long long seed;
    cr_status status = CR_OK;
    source s = {0};

    (void)module;
    if (!PyArg_ParseTuple(args, "OOzOzpiKO", &data, &options, &t.learner, &params, &t.calibrate,
                          &t.begins, &call.run.threads, &seed, &progress))
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

/* The learner that is taken where none is named, by the knobs that are given. */
static PyObject *default_learner(PyObject *module, PyObject *list)
{
    size_t count;
    const char **params = texts_from(list, &count);
    PyObject *name =
        params == NULL ? NULL : PyUnicode_FromString(cr_learner_default(params, count));

    (void)module;
    PyMem_Free(params);
    return name;
}

/* --- ensembles -------------------------------------------------------------------------------- */

typedef struct combining {
    const cr_model **member;
    const char **name, **params;
    size_t count, names, param_count;
    cr_source *rows;
    int learned; /* the members have learned the rows */
    cr_model *model;
} combining;

static cr_status work_combine(long_call *call)
{
    combining *c = call->context;

    return (c->learned ? cr_model_combine_learned : cr_model_combine)(
        &c->model, c->member, c->name, c->count, c->rows, c->params, c->param_count, &call->run,
        NULL, &call->err);
}

static void drop_all(shared_model **held, size_t count)
{
    for (size_t i = 0; held != NULL && i < count; i++)
        model_drop(held[i]);
    PyMem_Free(held);
}

/* The models of a list; member has room for them. NULL with an exception. */
static shared_model **hold_all(PyObject *list, const cr_model **member, size_t count)
{
    shared_model **held = PyMem_Calloc(count + 1, sizeof *held);

    if (held == NULL)
        return (shared_model **)(void *)PyErr_NoMemory();
    for (size_t i = 0; i < count; i++) {
        if ((held[i] = model_hold(PyList_GetItem(list, (Py_ssize_t)i))) == NULL) {
            drop_all(held, count);
            return NULL;
        }
        member[i] = held[i]->model;
    }
    return held;
}

/* combine(models, names, rows, options, learned, params, threads, progress) -> Model. The rows are
 * held out, or learned by all models; if they are None, the weights are equal. */
static PyObject *combine(PyObject *module, PyObject *args)
{
    PyObject *models, *names, *data, *options, *params, *progress;
    combining c = {0};
    long_call call = {.work = work_combine, .context = &c};
    shared_model **held = NULL;
    cr_status status;
    source s = {0};

    (void)module;
    if (!PyArg_ParseTuple(args, "O!OOOpOiO", &PyList_Type, &models, &names, &data, &options,
                          &c.learned, &params, &call.run.threads, &progress))
        return NULL;
    c.count = (size_t)PyList_Size(models);
    if ((c.member = PyMem_Calloc(c.count + 1, sizeof *c.member)) == NULL)
        return PyErr_NoMemory();
    if ((c.name = texts_from(names, &c.names)) != NULL &&
        (c.params = texts_from(params, &c.param_count)) != NULL &&
        (held = hold_all(models, c.member, c.count)) != NULL &&
        (data == Py_None || open_source(&s, data, options) == 0)) {
        c.rows = s.source;
        status = call_long(&call, progress);
        if (status != CR_OK)
            raise_status(status, &call.err);
    }
    close_source(&s);
    drop_all(held, c.count);
    PyMem_Free(c.params);
    PyMem_Free(c.name);
    PyMem_Free(c.member);
    if (PyErr_Occurred()) {
        cr_model_free(c.model);
        return NULL;
    }
    return model_wrap(c.model);
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

/* --- learners and knobs ----------------------------------------------------------------------- */

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
    {"train", train, METH_VARARGS, NULL},
    {"default_learner", default_learner, METH_O, NULL},
    {"combine", combine, METH_VARARGS, NULL},
    {"load", load, METH_O, NULL},
    {"loads", loads, METH_O, NULL},
    {"knobs", knobs, METH_O, NULL},
    {"learners", learners, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "credence._credence",
    .m_doc = "The engine: columns in, models and answers out. Use the package above it.",
    .m_size = -1,
    .m_methods = methods,
};

static int add_functions(PyObject *module)
{
    PyMethodDef *const all[] = {study_methods, belief_methods, network_methods, figure_methods,
                                arrow_methods};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (PyModule_AddFunctions(module, all[i]) != 0)
            return -1;
    return 0;
}

/* Add a type under its name; the reference is consumed. */
static int add_type(PyObject *module, const char *name, PyObject *type)
{
    const int failed = type == NULL || PyModule_AddObjectRef(module, name, type) != 0;

    Py_XDECREF(type);
    return failed ? -1 : 0;
}

PyMODINIT_FUNC PyInit__credence(void)
{
    PyObject *module = PyModule_Create(&definition);

    if (module == NULL)
        return NULL;
    credence_error = PyErr_NewExceptionWithDoc(
        "credence.Error",
        "What went wrong: code, file, line, column (None where they do not apply) and a hint.",
        PyExc_ValueError, NULL);
    if (credence_error == NULL || PyModule_AddObjectRef(module, "Error", credence_error) != 0 ||
        add_type(module, "Model", model_type(module)) != 0 ||
        add_type(module, "ArrowColumn", arrow_type(module)) != 0 || add_functions(module) != 0 ||
        PyModule_AddStringConstant(module, "version", cr_version()) != 0)
        Py_CLEAR(module);
    return module;
}
