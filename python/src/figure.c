/* src/figure.c - pictures of results, as SVG. */
#include "module.h"

/* --- arrays ----------------------------------------------------------------------------------- */

/* Doubles of an object with a buffer of them. -1 with an exception. */
static int take_doubles(PyObject *object, Py_buffer *view)
{
    if (PyObject_GetBuffer(object, view, PyBUF_CONTIG_RO) != 0)
        return -1;
    if (view->itemsize != (Py_ssize_t)sizeof(double)) {
        PyBuffer_Release(view);
        PyErr_SetString(PyExc_TypeError, "a picture is of doubles");
        return -1;
    }
    return 0;
}

/* The SVG of a figure. Frees the figure. */
static PyObject *svg_of(cr_figure *figure, cr_status status, cr_error *err)
{
    PyObject *text = NULL;
    const char *bytes;
    size_t size;

    if (status == CR_OK)
        status = cr_figure_draw(figure, NULL, &bytes, &size, err);
    text = status == CR_OK ? PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)size, "replace")
                           : raise_status(status, err);
    cr_figure_free(figure);
    return text;
}

/* --- pictures --------------------------------------------------------------------------------- */

enum { SERIES_ARRAYS = 4 };

typedef struct lines {
    cr_series *series;
    Py_buffer *view;
    size_t count, views;
} lines;

static void free_lines(lines *l)
{
    for (size_t i = 0; i < l->views; i++)
        PyBuffer_Release(&l->view[i]);
    PyMem_Free(l->view);
    PyMem_Free(l->series);
}

/* Series from [(name, x, y, low, high)]; low and high may be None. */
static int lines_from(lines *l, PyObject *list)
{
    const Py_ssize_t count = PyList_Size(list);

    l->series = PyMem_Calloc((size_t)(count < 0 ? 0 : count) + 1, sizeof *l->series);
    l->view = PyMem_Calloc(SERIES_ARRAYS * (size_t)(count < 0 ? 0 : count) + 1, sizeof *l->view);
    if (count < 0 || l->series == NULL || l->view == NULL)
        return count < 0 ? -1 : (PyErr_NoMemory(), -1);
    for (; l->count < (size_t)count; l->count++) {
        cr_series *s = &l->series[l->count];
        const double **place[SERIES_ARRAYS] = {&s->x, &s->y, &s->low, &s->high};
        PyObject *array[SERIES_ARRAYS];

        if (!PyArg_ParseTuple(PyList_GetItem(list, (Py_ssize_t)l->count), "sOOOO", &s->name,
                              &array[0], &array[1], &array[2], &array[3]))
            return -1;
        for (size_t i = 0; i < SERIES_ARRAYS; i++) {
            if (array[i] == Py_None)
                continue;
            if (take_doubles(array[i], &l->view[l->views]) != 0)
                return -1;
            s->count = (size_t)l->view[l->views].len / sizeof(double);
            *place[i] = l->view[l->views++].buf;
        }
    }
    return 0;
}

/* lines(title, xlabel, ylabel, learning, [(name, x, y, low, high)]) -> SVG */
static PyObject *lines_picture(PyObject *module, PyObject *args)
{
    cr_axes axes = {0};
    cr_figure *figure = NULL;
    PyObject *list, *text = NULL;
    cr_error err = {0};
    cr_status status;
    int learning;
    lines l = {0};

    (void)module;
    if (!PyArg_ParseTuple(args, "sssiO!", &axes.title, &axes.x.label, &axes.y.label, &learning,
                          &PyList_Type, &list))
        return NULL;
    if (lines_from(&l, list) == 0) {
        if ((status = cr_figure_new(&figure, &err)) == CR_OK)
            status = learning ? cr_figure_add_learning(figure, axes.title, axes.y.label, l.series,
                                                       l.count, &err)
                              : cr_figure_add_lines(figure, &axes, l.series, l.count, &err);
        text = svg_of(figure, status, &err);
    }
    free_lines(&l);
    return text;
}

/* weights(title, label, negative, positive, names, weights) -> SVG: bars to both sides of zero */
static PyObject *weights_picture(PyObject *module, PyObject *args)
{
    const char *negative, *positive, **name = NULL;
    PyObject *names, *weights, *text = NULL;
    cr_axes axes = {0};
    cr_figure *figure = NULL;
    cr_error err = {0};
    cr_status status;
    Py_buffer view;
    size_t count;

    (void)module;
    if (!PyArg_ParseTuple(args, "ssssOO", &axes.title, &axes.x.label, &negative, &positive, &names,
                          &weights) ||
        (name = texts_from(names, &count)) == NULL)
        return NULL;
    if (take_doubles(weights, &view) == 0) {
        if ((size_t)view.len != count * sizeof(double))
            PyErr_SetString(PyExc_ValueError, "there is not a weight for each name");
        else {
            if ((status = cr_figure_new(&figure, &err)) == CR_OK)
                status = cr_figure_add_weights(figure, &axes, negative, positive, name, view.buf,
                                               count, &err);
            text = svg_of(figure, status, &err);
        }
        PyBuffer_Release(&view);
    }
    PyMem_Free(name);
    return text;
}

/* confusion(title, names, columns, weights) -> SVG; weights [names * columns] */
static PyObject *confusion_picture(PyObject *module, PyObject *args)
{
    const char *title, **name;
    PyObject *names, *weights, *text = NULL;
    cr_figure *figure = NULL;
    Py_ssize_t width;
    cr_error err = {0};
    cr_status status;
    Py_buffer view;
    size_t count;

    (void)module;
    if (!PyArg_ParseTuple(args, "sOnO", &title, &names, &width, &weights) ||
        (name = texts_from(names, &count)) == NULL)
        return NULL;
    if (take_doubles(weights, &view) == 0) {
        if ((size_t)view.len != count * (size_t)width * sizeof(double))
            PyErr_SetString(PyExc_ValueError, "there is not a weight for each cell");
        else {
            if ((status = cr_figure_new(&figure, &err)) == CR_OK)
                status = cr_figure_add_confusion(figure, title, name, count, (size_t)width,
                                                 view.buf, &err);
            text = svg_of(figure, status, &err);
        }
        PyBuffer_Release(&view);
    }
    PyMem_Free(name);
    return text;
}

PyMethodDef figure_methods[] = {
    {"lines_picture", lines_picture, METH_VARARGS, NULL},
    {"weights_picture", weights_picture, METH_VARARGS, NULL},
    {"confusion_picture", confusion_picture, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
