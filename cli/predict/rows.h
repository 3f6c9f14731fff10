/* cli/predict/rows.h - put predictions into bytes, fast.
 *
 * Rows may come by the million a second, so whatever repeats (class names, keys) is quoted once,
 * and batches are put into words by several threads at a time, straight into the library's output.
 */
#ifndef CLI_PREDICT_ROWS_H
#define CLI_PREDICT_ROWS_H

#include <stdbool.h>

#include "credence/credence.h"

enum { ALL_DIGITS = -1, MOST_DIGITS = 15 };

/* Some bytes, already quoted. */
typedef struct quoted_text {
    char *bytes;
    size_t size;
} quoted_text;

typedef struct row_writer {
    bool json;        /* else CSV */
    bool proba;       /* CSV with the posterior */
    bool keep;        /* the input's columns come first */
    bool reasons;     /* CSV with why there is no decision */
    bool errors;      /* CSV with why a row could not be read */
    const char *only; /* columns to keep: "A,B"; NULL: all */
    bool number;      /* a number is predicted, */
    double level;     /* with an interval of this level; 0: without */
    int digits;       /* decimals of probabilities, or ALL_DIGITS */
    size_t classes;
    quoted_text *answer; /* [classes] a class as a field or a JSON string */
    quoted_text *key;    /* [classes] the head of its column, or its JSON key */
} row_writer;

/* Quote the classes' names; json and proba must be set. */
void rows_begin(row_writer *w, const cr_model *model);
void rows_end(row_writer *w);

/* The line of names for CSV; p may be NULL when there was no row. */
void rows_header(const row_writer *w, const cr_predictions *p);

void rows_render(const row_writer *w, const cr_predictions *p, cr_output *out);

#endif
