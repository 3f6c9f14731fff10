/* src/source.c - sources of rows: columns in memory, files by path, bytes. */
#include "source.h"

static const char *text_option(PyObject *options, const char *name)
{
    PyObject *value = options == Py_None ? NULL : PyDict_GetItemString(options, name);

    return value == NULL || value == Py_None ? NULL : PyUnicode_AsUTF8AndSize(value, NULL);
}

static int flag_option(PyObject *options, const char *name)
{
    PyObject *value = options == Py_None ? NULL : PyDict_GetItemString(options, name);

    return value != NULL && PyObject_IsTrue(value) == 1;
}

const char **texts_from(PyObject *sequence, size_t *count)
{
    const Py_ssize_t size = PySequence_Size(sequence);
    const char **texts = size < 0 ? NULL : PyMem_Calloc((size_t)size + 1, sizeof *texts);

    if (texts == NULL)
        return size < 0 ? NULL : (PyErr_NoMemory(), NULL);
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *item = PySequence_GetItem(sequence, i);

        texts[i] = item == NULL ? NULL : PyUnicode_AsUTF8AndSize(item, NULL);
        Py_XDECREF(item); /* the sequence owns it */
        if (texts[i] == NULL) {
            PyMem_Free(texts);
            return NULL;
        }
    }
    *count = (size_t)size;
    return texts;
}

/* Fill options from the keyword arguments of a reading function. -1 with an exception. */
static int read_options(cr_source_options *o, const char ***types, PyObject *options)
{
    PyObject *list = options == Py_None ? NULL : PyDict_GetItemString(options, "types");
    const char *delimiter = text_option(options, "delimiter");
    const char *comment = text_option(options, "comment");

    cr_source_options_default(o);
    o->format = text_option(options, "format");
    o->target = text_option(options, "target");
    o->weight = text_option(options, "weight");
    o->missing = text_option(options, "missing");
    o->columns = text_option(options, "columns");
    o->member = text_option(options, "member");
    o->classes = text_option(options, "classes");
    o->basis = text_option(options, "basis");
    o->delimiter = delimiter == NULL ? 0 : *delimiter;
    o->comment = comment == NULL ? 0 : *comment;
    o->no_header = flag_option(options, "no_header");
    o->zero_based = flag_option(options, "zero_based");
    *types = NULL;
    if (PyErr_Occurred())
        return -1;
    if (list != NULL && list != Py_None && (*types = texts_from(list, &o->type_count)) == NULL)
        return -1;
    o->types = *types;
    return 0;
}

int open_source(source *s, PyObject *data, PyObject *options)
{
    cr_source_options o;
    const char **types = NULL, **paths = NULL;
    cr_error err = {0};
    cr_status status = CR_OK;
    char *bytes;
    Py_ssize_t size;
    size_t count;

    *s = (source){0};
    if (PyList_Check(data)) {
        if (columns_from(&s->columns, data) != 0)
            return -1;
        status = cr_source_open_arrays(&s->source, s->columns.array, s->columns.count,
                                       s->columns.rows, &err);
        if (status == CR_OK)
            status = cr_source_set_basis(s->source, text_option(options, "basis"), &err);
    } else if (read_options(&o, &types, options) != 0) {
        return -1;
    } else if (PyBytes_Check(data)) {
        PyBytes_AsStringAndSize(data, &bytes, &size);
        status = cr_source_open_memory(&s->source, bytes, (size_t)size, "(bytes)", &o, &err);
    } else if ((paths = texts_from(data, &count)) != NULL) {
        status = cr_source_open(&s->source, paths, count, &o, &err);
    }
    PyMem_Free(paths);
    PyMem_Free(types);
    if (PyErr_Occurred())
        return -1;
    if (status != CR_OK)
        raise_status(status, &err);
    return status == CR_OK ? 0 : -1;
}

void close_source(source *s)
{
    cr_source_close(s->source);
    columns_free(&s->columns);
}
