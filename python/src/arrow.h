/* src/arrow.h - the C data and stream interfaces of Apache Arrow, as their specification lays them
 * out (https://arrow.apache.org/docs/format/CDataInterface.html). */
#ifndef CREDENCE_PYTHON_ARROW_H
#define CREDENCE_PYTHON_ARROW_H

#include "module.h"

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

/* The type ArrowColumn: a column of a table from a capsule. It owns a reference to the table. */
PyObject *arrow_type(PyObject *module);
int arrow_is_column(PyObject *object);

/* Describe a column to the library. A column in one piece is used in place; several pieces are
 * joined in the columns' memory. -1 with an exception. */
int arrow_fill(columns *c, cr_array *a, PyObject *column, size_t *rows);

extern PyMethodDef arrow_methods[];

#endif
