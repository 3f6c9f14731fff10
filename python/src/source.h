/* src/source.h - sources of rows. */
#ifndef CREDENCE_PYTHON_SOURCE_H
#define CREDENCE_PYTHON_SOURCE_H

#include "module.h"

typedef struct source {
    cr_source *source;
    columns columns; /* the columns that it borrows from, if any */
} source;

/* Open a list of columns, bytes of a file, or a sequence of paths, with a dict of options (or None)
 * named as in cr_source_options. 0, or -1 with an exception; call close_source() in both cases. */
int open_source(source *s, PyObject *data, PyObject *options);
void close_source(source *s);

#endif
