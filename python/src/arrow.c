/* src/arrow.c - tables passed as Arrow capsules by any library that supports them.
 *
 * arrow(capsules) takes what __arrow_c_stream__() or __arrow_c_array__() gives and answers with a
 * list of (name, ArrowColumn). Record batches are kept until the last of their columns goes.
 */
#include "arrow.h"

#include <errno.h>
#include <string.h>

/* --- tables ----------------------------------------------------------------------------------- */

typedef struct arrow_table {
    struct ArrowSchema schema;
    struct ArrowArray *batch; /* [batches] */
    size_t batches, room, users;
} arrow_table;

/* The release of a batch may run Python code, so a pending exception is saved during it. */
static void table_drop(arrow_table *t)
{
    PyObject *type, *value, *trace;

    if (t == NULL || --t->users > 0)
        return;
    PyErr_Fetch(&type, &value, &trace);
    for (size_t i = 0; i < t->batches; i++)
        if (t->batch[i].release != NULL)
            t->batch[i].release(&t->batch[i]);
    if (t->schema.release != NULL)
        t->schema.release(&t->schema);
    PyMem_Free(t->batch);
    PyMem_Free(t);
    PyErr_Restore(type, value, trace);
}

static struct ArrowArray *next_batch(arrow_table *t)
{
    if (t->batches == t->room) {
        const size_t room = t->room * 2 + 4;
        struct ArrowArray *more = PyMem_Realloc(t->batch, room * sizeof *more);

        if (more == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
        t->batch = more;
        t->room = room;
    }
    memset(&t->batch[t->batches], 0, sizeof *t->batch);
    return &t->batch[t->batches];
}

static int stream_failed(struct ArrowArrayStream *s, int code)
{
    const char *why = s->get_last_error(s);

    PyErr_Format(PyExc_OSError, "the Arrow stream failed: %s", why != NULL ? why : strerror(code));
    return -1;
}

static int take_stream(arrow_table *t, PyObject *capsule)
{
    struct ArrowArrayStream *s = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    struct ArrowArray *batch;
    int code;

    if (s == NULL)
        return -1;
    if (s->release == NULL) {
        PyErr_SetString(PyExc_ValueError, "the Arrow stream has been read already");
        return -1;
    }
    if ((code = s->get_schema(s, &t->schema)) != 0)
        return stream_failed(s, code);
    for (;;) {
        if ((batch = next_batch(t)) == NULL)
            return -1;
        if ((code = s->get_next(s, batch)) != 0)
            return stream_failed(s, code);
        if (batch->release == NULL)
            return 0;
        t->batches++;
    }
}

/* A schema and one array; both are moved out of their capsules. */
static int take_array(arrow_table *t, PyObject *pair)
{
    struct ArrowSchema *schema = PyCapsule_GetPointer(PyTuple_GetItem(pair, 0), "arrow_schema");
    struct ArrowArray *array, *batch;

    if (schema == NULL ||
        (array = PyCapsule_GetPointer(PyTuple_GetItem(pair, 1), "arrow_array")) == NULL ||
        (batch = next_batch(t)) == NULL)
        return -1;
    if (schema->release == NULL || array->release == NULL) {
        PyErr_SetString(PyExc_ValueError, "the Arrow array has been taken already");
        return -1;
    }
    t->schema = *schema;
    schema->release = NULL;
    *batch = *array;
    array->release = NULL;
    t->batches++;
    return 0;
}

/* --- columns ---------------------------------------------------------------------------------- */

typedef struct column_object {
    PyObject_HEAD arrow_table *table;
    Py_ssize_t child; /* -1: the table itself is the column */
} column_object;

static PyObject *the_type;

static void column_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);

    table_drop(((column_object *)object)->table);
    PyObject_Free(object);
    Py_DECREF(type);
}

int arrow_is_column(PyObject *object)
{
    return PyObject_TypeCheck(object, (PyTypeObject *)the_type);
}

static const struct ArrowSchema *schema_of(const column_object *c)
{
    return c->child < 0 ? &c->table->schema : c->table->schema.children[c->child];
}

/* A batch's part of the column; the offset of a struct also applies to its children. */
static struct ArrowArray part_of(const column_object *c, size_t batch)
{
    const struct ArrowArray *whole = &c->table->batch[batch];
    struct ArrowArray part = c->child < 0 ? *whole : *whole->children[c->child];

    if (c->child >= 0) {
        part.offset += whole->offset;
        part.length = whole->length;
    }
    return part;
}

static size_t column_rows(const column_object *c)
{
    size_t rows = 0;

    for (size_t i = 0; i < c->table->batches; i++)
        rows += (size_t)c->table->batch[i].length;
    return rows;
}

static int is_text(const char *format)
{
    return strlen(format) == 1 && strchr("uUzZ", *format) != NULL;
}

static int is_view(const char *format)
{
    return strcmp(format, "vu") == 0 || strcmp(format, "vz") == 0;
}

/* The element type of a fixed-width format, and its width. */
static cr_element element_of(const char *format, size_t *width)
{
    static const struct {
        char format;
        unsigned char width;
        cr_element element;
    } known[] = {
        {'c', 1, CR_ELEMENT_INT8},   {'C', 1, CR_ELEMENT_UINT8},  {'s', 2, CR_ELEMENT_INT16},
        {'S', 2, CR_ELEMENT_UINT16}, {'i', 4, CR_ELEMENT_INT32},  {'I', 4, CR_ELEMENT_UINT32},
        {'l', 8, CR_ELEMENT_INT64},  {'L', 8, CR_ELEMENT_UINT64}, {'f', 4, CR_ELEMENT_FLOAT},
        {'g', 8, CR_ELEMENT_DOUBLE}, {'b', 0, CR_ELEMENT_BIT}};

    for (size_t i = 0; strlen(format) == 1 && i < sizeof known / sizeof *known; i++)
        if (known[i].format == *format) {
            *width = known[i].width;
            return known[i].element;
        }
    return CR_ELEMENT_NONE;
}

/* --- in one piece ----------------------------------------------------------------------------- */

static int refuse(const struct ArrowSchema *schema)
{
    PyErr_Format(PyExc_TypeError,
                 "column '%s' has the Arrow type '%s'; numbers, booleans, texts and dictionaries "
                 "of them are read: cast it to one of these",
                 schema->name != NULL ? schema->name : "", schema->format);
    return -1;
}

static int bit(const void *bits, int64_t at)
{
    return ((const unsigned char *)bits)[at >> 3] >> (at & 7) & 1;
}

static int is_valid(const struct ArrowArray *part, int64_t row)
{
    return part->buffers[0] == NULL || bit(part->buffers[0], part->offset + row);
}

static void set_validity(cr_array *a, const struct ArrowArray *part)
{
    if (part->n_buffers > 0 && part->buffers[0] != NULL && part->null_count != 0) {
        a->mask = part->buffers[0];
        a->mask_kind = CR_MASK_VALID_BITS;
    }
}

/* Numbers, booleans and texts with offsets, as the library takes them. 0 if it is none of these. */
static int set_plain(cr_array *a, const struct ArrowSchema *schema, const struct ArrowArray *part)
{
    size_t width;

    a->offset = (size_t)part->offset;
    if (is_text(schema->format)) {
        a->element = *schema->format == 'u' || *schema->format == 'z' ? CR_ELEMENT_UTF8
                                                                      : CR_ELEMENT_LARGE_UTF8;
        a->data = part->buffers[1];
        a->bytes = part->buffers[2];
    } else if ((a->element = element_of(schema->format, &width)) != CR_ELEMENT_NONE) {
        a->data = part->buffers[1];
    } else {
        return 0;
    }
    set_validity(a, part);
    return 1;
}

static int set_dictionary(columns *c, cr_array *a, const struct ArrowSchema *schema,
                          const struct ArrowArray *part)
{
    cr_array *names = columns_keep(c, sizeof *names);

    if (names == NULL)
        return -1;
    *names = (cr_array){.size = sizeof *names};
    a->names = names;
    a->name_count = (size_t)part->dictionary->length;
    return set_plain(names, schema->dictionary, part->dictionary) ? 0 : refuse(schema);
}

/* --- in several ------------------------------------------------------------------------------- */

/* The bytes of a text. */
static cr_span text_at(const char *format, const struct ArrowArray *part, int64_t row)
{
    const int64_t at = part->offset + row;

    if (!is_valid(part, row))
        return (cr_span){0};
    if (is_view(format)) {
        const unsigned char *view = (const unsigned char *)part->buffers[1] + 16 * at;
        int32_t length, place[2];

        memcpy(&length, view, 4);
        memcpy(place, view + 8, 8);
        return (cr_span){length <= 12 ? (const char *)view + 4
                                      : (const char *)part->buffers[2 + place[0]] + place[1],
                         (size_t)length};
    }
    if (*format == 'u' || *format == 'z') {
        const int32_t *start = (const int32_t *)part->buffers[1] + at;

        return (cr_span){(const char *)part->buffers[2] + start[0], (size_t)(start[1] - start[0])};
    }
    const int64_t *start = (const int64_t *)part->buffers[1] + at;

    return (cr_span){(const char *)part->buffers[2] + start[0], (size_t)(start[1] - start[0])};
}

static int64_t code_at(const char *format, const struct ArrowArray *part, int64_t row)
{
    const int64_t at = part->offset + row;

    switch (*format) {
    case 'c': return ((const int8_t *)part->buffers[1])[at];
    case 'C': return ((const uint8_t *)part->buffers[1])[at];
    case 's': return ((const int16_t *)part->buffers[1])[at];
    case 'S': return ((const uint16_t *)part->buffers[1])[at];
    case 'i': return ((const int32_t *)part->buffers[1])[at];
    case 'I': return ((const uint32_t *)part->buffers[1])[at];
    default: return ((const int64_t *)part->buffers[1])[at];
    }
}

/* Texts of all pieces, with dictionaries resolved; none is copied. */
static int join_texts(columns *c, cr_array *a, const column_object *column, size_t rows)
{
    const struct ArrowSchema *schema = schema_of(column);
    const char *format = schema->dictionary != NULL ? schema->dictionary->format : schema->format;
    cr_span *span = columns_keep(c, rows * sizeof *span);

    if (span == NULL)
        return -1;
    a->data = span;
    a->element = CR_ELEMENT_SPAN;
    for (size_t b = 0; b < column->table->batches; b++) {
        const struct ArrowArray part = part_of(column, b);

        for (int64_t i = 0; i < part.length; i++, span++) {
            const int coded = schema->dictionary != NULL;
            const int64_t code =
                coded && is_valid(&part, i) ? code_at(schema->format, &part, i) : 0;

            if (coded && (!is_valid(&part, i) || code < 0 || code >= part.dictionary->length))
                *span = (cr_span){0};
            else
                *span = coded ? text_at(format, part.dictionary, code) : text_at(format, &part, i);
        }
    }
    return 0;
}

/* Which values of all pieces are missing, if any can be. */
static int join_validity(columns *c, cr_array *a, const column_object *column, size_t rows)
{
    unsigned char *missing = NULL;
    size_t at = 0;

    for (size_t b = 0; b < column->table->batches; b++) {
        const struct ArrowArray part = part_of(column, b);

        if (missing == NULL && part.buffers[0] != NULL && part.null_count != 0) {
            if ((missing = columns_keep(c, rows)) == NULL)
                return -1;
            memset(missing, 0, rows);
        }
        for (int64_t i = 0; missing != NULL && i < part.length; i++)
            missing[at + (size_t)i] = !is_valid(&part, i);
        at += (size_t)part.length;
    }
    a->mask = missing;
    a->mask_kind = missing == NULL ? CR_MASK_NONE : CR_MASK_MISSING_BYTES;
    return 0;
}

static int join_numbers(columns *c, cr_array *a, const column_object *column, size_t rows)
{
    size_t width = 0;
    const cr_element element = element_of(schema_of(column)->format, &width);
    unsigned char *data = columns_keep(c, rows * (width > 0 ? width : 1));

    if (data == NULL)
        return -1;
    a->data = data;
    a->element = element == CR_ELEMENT_BIT ? CR_ELEMENT_BOOL : element;
    for (size_t b = 0; b < column->table->batches; b++) {
        const struct ArrowArray part = part_of(column, b);

        if (width > 0) {
            memcpy(data, (const char *)part.buffers[1] + (size_t)part.offset * width,
                   (size_t)part.length * width);
            data += (size_t)part.length * width;
        } else {
            for (int64_t i = 0; i < part.length; i++)
                *data++ = (unsigned char)bit(part.buffers[1], part.offset + i);
        }
    }
    return join_validity(c, a, column, rows);
}

/* --- used by columns.c ------------------------------------------------------------------------ */

int arrow_fill(columns *c, cr_array *a, PyObject *object, size_t *rows)
{
    const column_object *column = (const column_object *)object;
    const struct ArrowSchema *schema = schema_of(column), *values = schema->dictionary;
    const char *format = values != NULL ? values->format : schema->format;
    size_t width;

    *rows = column_rows(column);
    if (strcmp(format, "n") == 0) { /* nothing but missing values */
        double *none = columns_keep(c, (*rows + 1) * sizeof *none);

        for (size_t i = 0; none != NULL && i < *rows; i++)
            none[i] = Py_NAN;
        a->real = none;
        return none == NULL ? -1 : 0;
    }
    if (!is_text(format) && !is_view(format) && element_of(format, &width) == CR_ELEMENT_NONE)
        return refuse(schema);
    if (column->table->batches == 1 && !is_view(format)) {
        const struct ArrowArray part = part_of(column, 0);

        set_plain(a, schema, &part);
        return values == NULL ? 0 : set_dictionary(c, a, schema, &part);
    }
    if (is_text(format) || is_view(format))
        return join_texts(c, a, column, *rows);
    return values != NULL ? refuse(schema) : join_numbers(c, a, column, *rows);
}

static PyObject *column_new(arrow_table *table, Py_ssize_t child)
{
    column_object *c = PyObject_New(column_object, (PyTypeObject *)the_type);

    if (c != NULL) {
        c->table = table;
        c->child = child;
        table->users++;
    }
    return (PyObject *)c;
}

static PyObject *column_list(arrow_table *t)
{
    const int many = strcmp(t->schema.format, "+s") == 0;
    const int64_t count = many ? t->schema.n_children : 1;
    PyObject *list = PyList_New(0);

    for (int64_t i = 0; list != NULL && i < count; i++) {
        const struct ArrowSchema *schema = many ? t->schema.children[i] : &t->schema;
        PyObject *item = Py_BuildValue("(sNn)", schema->name != NULL ? schema->name : "",
                                       column_new(t, many ? i : -1), (Py_ssize_t)t->batches);

        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* arrow(stream capsule, or (schema, array)) -> [(name, ArrowColumn, batches)] */
static PyObject *arrow(PyObject *module, PyObject *capsules)
{
    arrow_table *t = PyMem_Calloc(1, sizeof *t);
    PyObject *list = NULL;

    (void)module;
    if (t == NULL)
        return PyErr_NoMemory();
    t->users = 1;
    if (PyTuple_Check(capsules) && PyTuple_Size(capsules) == 2 ? take_array(t, capsules) == 0
                                                               : take_stream(t, capsules) == 0)
        list = column_list(t);
    table_drop(t);
    return list;
}

static PyObject *get_rows(PyObject *object, void *none)
{
    (void)none;
    return PyLong_FromSize_t(column_rows((column_object *)object));
}

/* head(n) -> the first n texts at most; [] if the column has none */
static PyObject *head(PyObject *object, PyObject *most)
{
    const column_object *c = (column_object *)object;
    const struct ArrowSchema *schema = schema_of(c);
    const Py_ssize_t n = PyNumber_AsSsize_t(most, NULL);
    PyObject *list = PyList_New(0);

    if (schema->dictionary != NULL || (!is_text(schema->format) && !is_view(schema->format)))
        return list;
    for (size_t b = 0; list != NULL && b < c->table->batches; b++) {
        const struct ArrowArray part = part_of(c, b);

        for (int64_t i = 0; list != NULL && i < part.length && PyList_Size(list) < n; i++) {
            const cr_span span = text_at(schema->format, &part, i);
            PyObject *text =
                span.bytes == NULL
                    ? Py_NewRef(Py_None)
                    : PyUnicode_DecodeUTF8(span.bytes, (Py_ssize_t)span.length, "replace");

            if (text == NULL || PyList_Append(list, text) != 0)
                Py_CLEAR(list);
            Py_XDECREF(text);
        }
    }
    return list;
}

static PyMethodDef column_methods[] = {{"head", head, METH_O, NULL}, {NULL, NULL, 0, NULL}};

static PyGetSetDef getters[] = {{"rows", get_rows, NULL, NULL, NULL},
                                {NULL, NULL, NULL, NULL, NULL}};

PyObject *arrow_type(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, (void *)column_dealloc},
        {Py_tp_getset, getters},
        {Py_tp_methods, column_methods},
        {Py_tp_doc, (void *)"A column of a table in Arrow's memory; made by arrow()."},
        {0, NULL},
    };
    static PyType_Spec spec = {
        .name = "credence._credence.ArrowColumn",
        .basicsize = sizeof(column_object),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots,
    };

    if (the_type == NULL)
        the_type = PyType_FromModuleAndSpec(module, &spec, NULL);
    return Py_XNewRef(the_type);
}

PyMethodDef arrow_methods[] = {
    {"arrow", arrow, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
