/* source/word_table.h - a small table read whole, every cell as text: hypotheses, costs. */
#ifndef CR_SOURCE_WORD_TABLE_H
#define CR_SOURCE_WORD_TABLE_H

#include "base/arena.h"
#include "credence/source.h"

typedef struct cr__texts {
    cr__arena arena; /* of the texts */
    const char *path;
    size_t columns, rows;
    const char **column; /* [columns] names */
    const char **cell;   /* [rows * columns], NULL: missing */
    size_t *line;        /* [rows] */
    size_t cell_capacity, line_capacity;
} cr__texts; /* {0} is empty */

/* Read a table of any format; path is borrowed. Free it even after a failure. */
cr_status cr__texts_read(cr__texts *t, const char *path, cr_error *err);

/* The same for an open source; path is used in messages. */
cr_status cr__texts_take(cr__texts *t, cr_source *source, const char *path, cr_error *err);

/* The column of a name; SIZE_MAX: there is none. */
size_t cr__texts_find(const cr__texts *t, const char *name, size_t length);
void cr__texts_free(cr__texts *t);

/* Say what a cell has and what it must be. */
cr_status cr__texts_fail(const cr__texts *t, size_t row, size_t column, const char *wanted,
                         cr_error *err);

/* A finite number with blanks around it; 0 when it is not one. */
int cr__texts_number(const char *text, size_t length, double *out);

#endif
