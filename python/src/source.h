/* src/source.h - sources of rows. */
#ifndef CREDENCE_PYTHON_SOURCE_H
#define CREDENCE_PYTHON_SOURCE_H

#include "module.h"

typedef struct source {
    cr_source *source;
    columns columns; /* that it borrows from, when it has any */
} source;

/* Open a list of columns, bytes of a file, or a sequence of paths, with a dict of options (None:
 * none) that has the names of cr_source_options. 0, or -1 with an exception; closed in both cases
 * by close_source(). */
int open_source(source *s, PyObject *data, PyObject *options);
void close_source(source *s);

#endif
