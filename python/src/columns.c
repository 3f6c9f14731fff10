/* src/columns.c - columns of Python objects, used in place.
 *
 * A table is a list of column descriptions, each a tuple
 *
 *     (name, data, kind, role, names, mask, indptr, indices)
 *
 * with name a str, or a tuple of them when data is a matrix (a buffer of two dimensions, whose
 * columns they name); data a buffer of numbers, a list of str, bytes or None, or a column of Arrow
 * (arrow.c); kind and role the numbers of cr_kind and cr_role; names a list of texts that integer
 * data are the places of; mask a buffer of bytes, not 0 where a value is missing; indptr and
 * indices, for counts of words, those of a compressed sparse row matrix. What does not apply is
 * None.
 */
#include "arrow.h"

#include <string.h>

enum {
    FIELD_NAME,
    FIELD_DATA,
    FIELD_KIND,
    FIELD_ROLE,
    FIELD_NAMES,
    FIELD_MASK,
    FIELD_INDPTR,
    FIELD_INDICES,
    FIELDS
};

/* --- references held -------------------------------------------------------------------------- */

void *columns_keep(columns *c, size_t size)
{
    void *memory;

    if (c->memories == c->memory_room) {
        const size_t room = c->memory_room * 2 + 8;
        void **more = PyMem_Realloc(c->memory, room * sizeof *more);

        if (more == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
        c->memory = more;
        c->memory_room = room;
    }
    if ((memory = PyMem_Malloc(size > 0 ? size : 1)) == NULL)
        PyErr_NoMemory();
    else
        c->memory[c->memories++] = memory;
    return memory;
}

static Py_buffer *keep_buffer(columns *c, PyObject *object)
{
    Py_buffer *view;

    if (c->buffers == c->buffer_room) {
        PyErr_SetString(PyExc_SystemError, "more buffers than were announced");
        return NULL;
    }
    view = &c->buffer[c->buffers];
    if (PyObject_GetBuffer(object, view, PyBUF_RECORDS_RO) != 0)
        return NULL;
    c->buffers++;
    return view;
}

void columns_free(columns *c)
{
    for (size_t i = 0; i < c->buffers; i++)
        PyBuffer_Release(&c->buffer[i]);
    for (size_t i = 0; i < c->memories; i++)
        PyMem_Free(c->memory[i]);
    PyMem_Free(c->buffer);
    PyMem_Free(c->memory);
    PyMem_Free(c->array);
    *c = (columns){0};
}

/* --- numbers ---------------------------------------------------------------------------------- */

static cr_element integer_element(Py_ssize_t size, int is_signed)
{
    switch (size) {
    case 1: return is_signed ? CR_ELEMENT_INT8 : CR_ELEMENT_UINT8;
    case 2: return is_signed ? CR_ELEMENT_INT16 : CR_ELEMENT_UINT16;
    case 4: return is_signed ? CR_ELEMENT_INT32 : CR_ELEMENT_UINT32;
    case 8: return is_signed ? CR_ELEMENT_INT64 : CR_ELEMENT_UINT64;
    default: return CR_ELEMENT_NONE;
    }
}

/* The element type of a buffer's format (as in the struct module), in native byte order. */
static cr_element element_of(const Py_buffer *view)
{
    const char *format = view->format == NULL ? "B" : view->format;

    if (*format == '@' || *format == '=' || *format == '<')
        format++;
    if (strlen(format) != 1)
        return CR_ELEMENT_NONE;
    switch (*format) {
    case 'd': return CR_ELEMENT_DOUBLE;
    case 'f': return CR_ELEMENT_FLOAT;
    case '?': return CR_ELEMENT_BOOL;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n': return integer_element(view->itemsize, 1);
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N': return integer_element(view->itemsize, 0);
    default: return CR_ELEMENT_NONE;
    }
}

static int refuse_format(const Py_buffer *view)
{
    PyErr_Format(PyExc_TypeError,
                 "elements of format '%s' are not numbers that can be read in place",
                 view->format == NULL ? "B" : view->format);
    return -1;
}

static int set_vector(cr_array *a, const Py_buffer *view)
{
    if (view->ndim != 1) {
        PyErr_Format(PyExc_ValueError, "column '%s' has %d dimensions, not 1", a->name, view->ndim);
        return -1;
    }
    if ((a->element = element_of(view)) == CR_ELEMENT_NONE)
        return refuse_format(view);
    a->data = view->buf;
    a->stride = view->shape[0] > 1 ? view->strides[0] : 0;
    return 0;
}

/* --- texts ------------------------------------------------------------------------------------ */

static int span_of(cr_span *span, PyObject *item)
{
    Py_ssize_t length;
    char *bytes;

    *span = (cr_span){0};
    if (item == Py_None)
        return 0;
    if (PyUnicode_Check(item)) {
        if ((span->bytes = PyUnicode_AsUTF8AndSize(item, &length)) == NULL)
            return -1;
    } else if (PyBytes_Check(item)) {
        if (PyBytes_AsStringAndSize(item, &bytes, &length) != 0)
            return -1;
        span->bytes = bytes;
    } else {
        PyErr_SetString(PyExc_TypeError, "a column of texts has str, bytes and None");
        return -1;
    }
    span->length = (size_t)length;
    return 0;
}

static int set_texts(columns *c, cr_array *a, PyObject *list, size_t *count)
{
    const Py_ssize_t size = PyList_Size(list);
    cr_span *span = size < 0 ? NULL : columns_keep(c, (size_t)size * sizeof *span);

    if (span == NULL)
        return -1;
    for (Py_ssize_t i = 0; i < size; i++)
        if (span_of(&span[i], PyList_GetItem(list, i)) != 0)
            return -1;
    a->data = span;
    a->element = CR_ELEMENT_SPAN;
    *count = (size_t)size;
    return 0;
}

static int set_names(columns *c, cr_array *a, PyObject *list)
{
    cr_array *names = columns_keep(c, sizeof *names);

    if (names == NULL)
        return -1;
    *names = (cr_array){.size = sizeof *names};
    a->names = names;
    return set_texts(c, names, list, &a->name_count);
}

/* --- one description -------------------------------------------------------------------------- */

static int set_mask(columns *c, cr_array *a, PyObject *mask)
{
    const Py_buffer *view = keep_buffer(c, mask);

    if (view == NULL)
        return -1;
    a->mask = view->buf;
    a->mask_kind = CR_MASK_MISSING_BYTES;
    a->mask_stride = view->ndim == 1 && view->shape[0] > 1 ? view->strides[0] : 0;
    return 0;
}

static int set_sparse(columns *c, cr_array *a, PyObject *indptr, PyObject *indices, size_t *rows)
{
    const Py_buffer *start = keep_buffer(c, indptr);
    const Py_buffer *index = start == NULL ? NULL : keep_buffer(c, indices);

    if (index == NULL)
        return -1;
    a->start = start->buf;
    a->index = index->buf;
    a->index_element = element_of(start);
    if (a->index_element != element_of(index) ||
        (a->index_element != CR_ELEMENT_INT32 && a->index_element != CR_ELEMENT_INT64)) {
        PyErr_SetString(PyExc_TypeError, "indptr and indices must both be int32 or both int64");
        return -1;
    }
    *rows = start->shape[0] > 0 ? (size_t)start->shape[0] - 1 : 0;
    return 0;
}

/* Every column must have as many rows as the first. */
static int agree(columns *c, size_t rows, int first, const char *name)
{
    if (first) {
        c->rows = rows;
    } else if (c->rows != rows) {
        PyErr_Format(PyExc_ValueError, "column '%s' has %zu rows, others have %zu", name, rows,
                     c->rows);
        return -1;
    }
    return 0;
}

static int add_column(columns *c, PyObject *field[FIELDS], const cr_array *plain)
{
    cr_array *a = &c->array[c->count];
    const Py_buffer *view;
    size_t rows = 0;

    *a = *plain;
    if ((a->name = PyUnicode_AsUTF8AndSize(field[FIELD_NAME], NULL)) == NULL)
        return -1;
    if (arrow_is_column(field[FIELD_DATA])) {
        if (arrow_fill(c, a, field[FIELD_DATA], &rows) != 0)
            return -1;
    } else if (PyList_Check(field[FIELD_DATA])) {
        if (set_texts(c, a, field[FIELD_DATA], &rows) != 0)
            return -1;
    } else if (field[FIELD_DATA] != Py_None) {
        if ((view = keep_buffer(c, field[FIELD_DATA])) == NULL || set_vector(a, view) != 0)
            return -1;
        rows = (size_t)view->shape[0];
    }
    if ((field[FIELD_NAMES] != Py_None && set_names(c, a, field[FIELD_NAMES]) != 0) ||
        (field[FIELD_MASK] != Py_None && set_mask(c, a, field[FIELD_MASK]) != 0) ||
        (field[FIELD_INDPTR] != Py_None &&
         set_sparse(c, a, field[FIELD_INDPTR], field[FIELD_INDICES], &rows) != 0) ||
        agree(c, rows, c->count == 0, a->name) != 0)
        return -1;
    c->count++;
    return 0;
}

/* The columns of a matrix, each with its stride. */
static int add_matrix(columns *c, PyObject *field[FIELDS], const cr_array *plain)
{
    const Py_buffer *view = keep_buffer(c, field[FIELD_DATA]);
    const Py_ssize_t names = PyTuple_Size(field[FIELD_NAME]);
    cr_element element;

    if (view == NULL)
        return -1;
    if (view->ndim != 2 || view->shape[1] != names) {
        PyErr_SetString(PyExc_ValueError, "a matrix needs two dimensions and a name a column");
        return -1;
    }
    if ((element = element_of(view)) == CR_ELEMENT_NONE)
        return refuse_format(view);
    for (Py_ssize_t i = 0; i < names; i++) {
        cr_array *a = &c->array[c->count];

        *a = *plain;
        if ((a->name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(field[FIELD_NAME], i), NULL)) ==
                NULL ||
            agree(c, (size_t)view->shape[0], c->count == 0, a->name) != 0)
            return -1;
        a->data = (const char *)view->buf + i * view->strides[1];
        a->element = element;
        a->stride = view->shape[0] > 1 ? view->strides[0] : 0;
        c->count++;
    }
    return 0;
}

static int add_description(columns *c, PyObject *tuple)
{
    cr_array plain = {.size = sizeof plain};
    PyObject *field[FIELDS];
    long kind, role;

    for (int i = 0; i < FIELDS; i++)
        field[i] = PyTuple_GetItem(tuple, i);
    kind = PyLong_AsLong(field[FIELD_KIND]);
    role = PyLong_AsLong(field[FIELD_ROLE]);
    if (PyErr_Occurred())
        return -1;
    plain.kind = (cr_kind)kind;
    plain.role = (cr_role)role;
    return PyTuple_Check(field[FIELD_NAME]) ? add_matrix(c, field, &plain)
                                            : add_column(c, field, &plain);
}

/* The largest number of columns and buffers that the descriptions need. */
static int measure(PyObject *list, size_t *arrays, size_t *buffers)
{
    const Py_ssize_t count = PyList_Size(list);

    *arrays = *buffers = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *tuple = PyList_GetItem(list, i), *name;

        if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != FIELDS) {
            PyErr_Format(PyExc_TypeError, "a column is described by a tuple of %d", (int)FIELDS);
            return -1;
        }
        name = PyTuple_GetItem(tuple, FIELD_NAME);
        *arrays += PyTuple_Check(name) ? (size_t)PyTuple_Size(name) : 1;
        *buffers += 4; /* data, mask, indptr, indices */
    }
    return count < 0 ? -1 : 0;
}

int columns_from(columns *c, PyObject *list)
{
    size_t arrays;

    *c = (columns){0};
    if (!PyList_Check(list)) {
        PyErr_SetString(PyExc_TypeError, "columns are a list of tuples");
        return -1;
    }
    if (measure(list, &arrays, &c->buffer_room) != 0)
        return -1;
    c->array = PyMem_Calloc(arrays + 1, sizeof *c->array);
    c->buffer = PyMem_Calloc(c->buffer_room + 1, sizeof *c->buffer);
    if (c->array == NULL || c->buffer == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyList_Size(list); i++)
        if (add_description(c, PyList_GetItem(list, i)) != 0)
            return -1;
    return 0;
}
