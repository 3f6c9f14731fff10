/* src/network.c - Bayesian networks: read, written, compared, sampled; and the dependence
 * between features. */
#include "module.h"

#include <math.h>

#include "source.h"

/* --- files ------------------------------------------------------------------------------------ */

/* read_network(path, target) -> Model */
static PyObject *read_network(PyObject *module, PyObject *args)
{
    const char *path, *target;
    cr_model *model = NULL;
    cr_error err = {0};
    cr_status status;

    (void)module;
    if (!PyArg_ParseTuple(args, "sz", &path, &target))
        return NULL;
    status = cr_network_read(&model, path, target, &err);
    return status == CR_OK ? model_wrap(model) : raise_status(status, &err);
}

/* write_network(model, path, format) */
static PyObject *write_network(PyObject *module, PyObject *args)
{
    const char *path, *format;
    shared_model *held;
    PyObject *object;
    cr_error err = {0};
    cr_status status;

    (void)module;
    if (!PyArg_ParseTuple(args, "Osz", &object, &path, &format) ||
        (held = model_hold(object)) == NULL)
        return NULL;
    status = cr_network_write(held->model, path, format, &err);
    model_drop(held);
    return status == CR_OK ? Py_NewRef(Py_None) : raise_status(status, &err);
}

/* --- arcs ------------------------------------------------------------------------------------- */

typedef struct arcs {
    long_call call;
    shared_model *held;
    unsigned rounds; /* 0: the arcs of its class, without strengths */
    cr_json json;
    cr_output *out;
} arcs;

static cr_status visit_arc(void *context, const cr_structure_arc *arc)
{
    arcs *a = context;

    cr_json_object(&a->json, NULL, CR_JSON_LINE);
    cr_json_text(&a->json, "from", arc->from);
    cr_json_text(&a->json, "to", arc->to);
    cr_json_bool(&a->json, "directed", arc->directed);
    if (a->rounds > 0) {
        cr_json_number(&a->json, "strength", arc->strength);
        cr_json_number(&a->json, "direction", arc->direction);
    }
    cr_json_end(&a->json);
    return CR_OK;
}

static cr_status work_arcs(long_call *call)
{
    arcs *a = call->context;
    cr_status status;

    cr_json_start(&a->json, a->out);
    cr_json_array(&a->json, NULL, CR_JSON_BLOCK);
    status = a->rounds > 0 ? cr_structure_strengths(a->held->model, a->rounds, &call->run,
                                                    visit_arc, a, &call->err)
                           : cr_structure_class(a->held->model, visit_arc, a, &call->err);
    cr_json_end(&a->json);
    return status;
}

/* arcs(model, rounds, seed, threads, progress) -> JSON: an array */
static PyObject *list_arcs(PyObject *module, PyObject *args)
{
    arcs a = {.call = {.work = work_arcs}};
    PyObject *object, *progress;
    unsigned long long seed;
    cr_status status;

    (void)module;
    if (!PyArg_ParseTuple(args, "OIKiO", &object, &a.rounds, &seed, &a.call.run.threads,
                          &progress) ||
        (a.held = model_hold(object)) == NULL)
        return NULL;
    a.call.context = &a;
    a.call.run.seed = seed;
    if ((status = cr_output_new(&a.out, NULL, NULL, &a.call.err)) == CR_OK)
        status = call_long(&a.call, progress);
    model_drop(a.held);
    if (status != CR_OK || PyErr_Occurred()) {
        cr_output_free(a.out);
        return raise_status(status, &a.call.err);
    }
    return output_text(a.out, status);
}

static PyObject *difference_dict(const cr_structure_difference *d)
{
    return Py_BuildValue("{s:n,s:n,s:n,s:n}", "distance", (Py_ssize_t)d->distance, "missing",
                         (Py_ssize_t)d->missing, "extra", (Py_ssize_t)d->extra, "turned",
                         (Py_ssize_t)d->turned);
}

static PyObject *size_dict(const cr_structure_size *s)
{
    return Py_BuildValue("{s:n,s:n,s:n}", "variables", (Py_ssize_t)s->nodes, "arcs",
                         (Py_ssize_t)s->arcs, "directed", (Py_ssize_t)s->directed);
}

/* compare_structures(model, model) -> dict */
static PyObject *compare_structures(PyObject *module, PyObject *args)
{
    shared_model *a, *b;
    cr_structure_comparison c;
    PyObject *first, *second;
    cr_error err = {0};
    cr_status status;

    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &first, &second) || (a = model_hold(first)) == NULL)
        return NULL;
    if ((b = model_hold(second)) == NULL) {
        model_drop(a);
        return NULL;
    }
    status = cr_structure_compare(a->model, b->model, &c, &err);
    model_drop(a);
    model_drop(b);
    if (status != CR_OK)
        return raise_status(status, &err);
    return Py_BuildValue("{s:N,s:N,s:N,s:N,s:n}", "first", size_dict(&c.first), "second",
                         size_dict(&c.second), "arcs", difference_dict(&c.arcs), "classes",
                         difference_dict(&c.classes), "shd", (Py_ssize_t)c.classes.distance);
}

/* --- rows ------------------------------------------------------------------------------------- */

typedef struct drawing {
    size_t nodes, row;
    double **column; /* [nodes] numbers, or states */
} drawing;

static cr_status take_row(void *context, const size_t *state, const double *number)
{
    drawing *d = context;

    for (size_t i = 0; i < d->nodes; i++)
        d->column[i][d->row] = isnan(number[i]) ? (double)state[i] : number[i];
    d->row++;
    return CR_OK;
}

/* The names of a node's states; empty for a number. */
static PyObject *state_list(const cr_model *model, size_t node)
{
    PyObject *list = PyList_New(0);

    for (size_t i = 0; list != NULL && i < cr_structure_states(model, node); i++) {
        PyObject *name = PyUnicode_FromString(cr_structure_state(model, node, i));

        if (name == NULL || PyList_Append(list, name) != 0)
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

/* [(name, doubles as a bytearray, states)], and pointers to the doubles. */
static PyObject *columns_for(const cr_model *model, drawing *d, size_t rows)
{
    PyObject *list = PyList_New(0);

    for (size_t i = 0; list != NULL && i < d->nodes; i++) {
        PyObject *bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(rows * sizeof(double)));
        PyObject *item = bytes == NULL ? NULL
                                       : Py_BuildValue("(sON)", cr_structure_node(model, i), bytes,
                                                       state_list(model, i));

        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        else
            d->column[i] = (double *)(void *)PyByteArray_AsString(bytes);
        Py_XDECREF(item);
        Py_XDECREF(bytes);
    }
    return list;
}

static PyObject *draw(const cr_model *model, Py_ssize_t rows, unsigned long long seed)
{
    cr_error err = {0};
    cr_status status;
    PyObject *list;
    drawing d = {0};

    while (cr_structure_node(model, d.nodes) != NULL)
        d.nodes++;
    if ((d.column = PyMem_Calloc(d.nodes + 1, sizeof *d.column)) == NULL)
        return PyErr_NoMemory();
    if ((list = columns_for(model, &d, (size_t)rows)) != NULL) {
        Py_BEGIN_ALLOW_THREADS status =
            cr_structure_draw(model, (uint64_t)rows, seed, take_row, &d, &err);
        Py_END_ALLOW_THREADS if (status != CR_OK)
        {
            Py_CLEAR(list);
            raise_status(status, &err);
        }
    }
    PyMem_Free(d.column);
    return list;
}

/* sample(model, rows, seed) -> [(name, doubles, states)] */
static PyObject *sample(PyObject *module, PyObject *args)
{
    PyObject *object, *list;
    unsigned long long seed;
    shared_model *held;
    Py_ssize_t rows;

    (void)module;
    if (!PyArg_ParseTuple(args, "OnK", &object, &rows, &seed))
        return NULL;
    if (rows < 0)
        return PyErr_Format(PyExc_ValueError, "rows is %zd", rows);
    if ((held = model_hold(object)) == NULL)
        return NULL;
    list = draw(held->model, rows, seed);
    model_drop(held);
    return list;
}

/* --- independence ----------------------------------------------------------------------------- */

typedef struct dependence {
    long_call call;
    cr_source *rows;
    const char *bins; /* "bins=..." */
    int classes;
    cr_output *out;
} dependence;

/* Count combinations: like pairs without any joined pair, or as a joint table without classes. */
static cr_status work_independence(long_call *call)
{
    dependence *d = call->context;
    const char *params[] = {d->bins, "pairs=0"};
    cr_independence *result = NULL;
    cr_model *model = NULL;
    cr_status status = cr_model_train(&model, d->rows, d->classes ? "pairs" : "joint", params,
                                      d->classes ? 2 : 1, &call->run, NULL, &call->err);

    if (status == CR_OK)
        status = cr_independence_measure(&result, model, &call->run, &call->err);
    if (status == CR_OK)
        status = cr_independence_json(result, model, SIZE_MAX, d->out);
    cr_independence_free(result);
    cr_model_free(model);
    return status;
}

/* independence(data, options, bins, classes, threads, progress) -> JSON */
static PyObject *independence(PyObject *module, PyObject *args)
{
    dependence d = {.call = {.work = work_independence}};
    PyObject *data, *options, *progress, *text = NULL;
    cr_status status;
    source s = {0};

    (void)module;
    if (!PyArg_ParseTuple(args, "OOspiO", &data, &options, &d.bins, &d.classes, &d.call.run.threads,
                          &progress))
        return NULL;
    if (open_source(&s, data, options) == 0) {
        d.rows = s.source;
        d.call.context = &d;
        if ((status = cr_output_new(&d.out, NULL, NULL, &d.call.err)) == CR_OK)
            status = call_long(&d.call, progress);
        if (status != CR_OK)
            raise_status(status, &d.call.err);
        if (PyErr_Occurred())
            cr_output_free(d.out);
        else
            text = output_text(d.out, status);
    }
    close_source(&s);
    return text;
}

PyMethodDef network_methods[] = {
    {"read_network", read_network, METH_VARARGS, NULL},
    {"write_network", write_network, METH_VARARGS, NULL},
    {"arcs", list_arcs, METH_VARARGS, NULL},
    {"compare_structures", compare_structures, METH_VARARGS, NULL},
    {"sample", sample, METH_VARARGS, NULL},
    {"independence", independence, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
