/* source/selection.h - some rows of a source, named by file and line. */
#ifndef CR_SOURCE_SELECTION_H
#define CR_SOURCE_SELECTION_H

#include "data/batch.h"
#include "data/dict.h"

/* The lines of one file at which a chosen row begins: bit l of the words is line l. */
typedef struct cr__line_set {
    uint64_t *word;
    size_t words;
} cr__line_set;

typedef struct cr__selection {
    cr__dict *names;   /* code i + 1 is file i */
    cr__line_set *set; /* [files] */
    size_t files, capacity;
} cr__selection; /* {0} is empty, but for the names */

cr_status cr__selection_open(cr__selection *s, cr_error *err);
void cr__selection_close(cr__selection *s);

/* The row that begins at this line is chosen. */
cr_status cr__selection_add(cr__selection *s, const char *file, size_t line, cr_error *err);

/* Whether the row that begins at this line is chosen. */
int cr__selection_has(const cr__selection *s, const char *file, size_t line);

/* Keep the rows of a batch from this file that are chosen (in = 1) or that are not (in = 0). */
void cr__selection_filter(const cr__selection *s, int in, const char *file, cr__batch *batch);

#endif
