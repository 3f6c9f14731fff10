/* src/module.h - what the files of the extension share.
 *
 * The extension knows columns, models and bytes; everything that has a Python face (estimators,
 * frames, results) is in the package above it. It uses the limited API of Python 3.11, so one
 * binary serves that version and all later ones.
 */
#ifndef CREDENCE_PYTHON_MODULE_H
#define CREDENCE_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "credence/credence.h"

/* --- errors ----------------------------------------------------------------------------------- */

/* credence.Error, with code, hint, file, line and column. */
extern PyObject *credence_error;

/* Raise MemoryError or credence.Error, according to the status. An exception that is already set
 * (by a signal or a progress function) stays. Returns NULL. */
PyObject *raise_status(cr_status status, const cr_error *err);

/* A cr_hint_words: settings as arguments of the package. */
int hint_words(void *context, const cr_hint_item *item, char *buffer, size_t size);

/* --- columns ---------------------------------------------------------------------------------- */

/* Columns of a table as the library takes them; they borrow from Python objects that are kept
 * alive. */
typedef struct columns {
    cr_array *array;
    size_t count, rows;
    Py_buffer *buffer; /* [buffers] held */
    size_t buffers, buffer_room;
    void **memory; /* [memories] of spans and names, freed with the columns */
    size_t memories, memory_room;
} columns;

/* From a list of column descriptions (see columns.c). -1 with an exception; free them then too. */
int columns_from(columns *c, PyObject *list);
void columns_free(columns *c);

/* Memory that is freed with the columns. NULL with an exception. */
void *columns_keep(columns *c, size_t size);

/* --- long calls ------------------------------------------------------------------------------- */

/* Run work in a thread of its own while this one sleeps without the interpreter's lock, wakes for
 * signals (Ctrl-C stops the pass) and calls `progress`, unless it is None, with (done, total,
 * rows). The cr_run that work gets has threads, seed and progress set. */
typedef struct long_call {
    cr_status (*work)(struct long_call *call);
    void *context;
    cr_run run;
    cr_error err;
} long_call;
cr_status call_long(long_call *call, PyObject *progress);

/* --- parameters ------------------------------------------------------------------------------- */

/* Texts of a sequence of str. Free the array with PyMem_Free; its texts belong to the objects of
 * the sequence. NULL with an exception. */
const char **texts_from(PyObject *sequence, size_t *count);

/* --- objects ---------------------------------------------------------------------------------- */

PyObject *model_type(PyObject *module); /* the type Model; a new reference, made once */
PyObject *model_wrap(cr_model *model);  /* takes ownership of the model, even if it fails */

/* A model and its reference count: the object, and calls that run without the interpreter's lock.
 * An object that learns gets a new one, and readers of the old one continue. */
typedef struct shared_model {
    cr_model *model;
    size_t users;
} shared_model;

/* The present model of an object, to be released; NULL with an exception if it is not a model. Both
 * need the interpreter's lock. */
shared_model *model_hold(PyObject *object);
void model_drop(shared_model *shared); /* NULL is allowed */

/* The text of an output as str. Frees the output. */
PyObject *output_text(cr_output *out, cr_status status);

/* Functions of the module, file by file. */
extern PyMethodDef study_methods[], belief_methods[], network_methods[], figure_methods[];

#endif
