/* credence/source.h - where rows come from: files, folders, standard input, bytes and arrays in
 * memory, functions.
 *
 * A cr_source describes data and how to read them. Only the headers are read until something is
 * trained or predicted. A source may be used for several passes, one at a time, and by one thread
 * at a time; a pass has threads of its own. Different sources are independent, even if they read
 * the same files.
 */
#ifndef CREDENCE_SOURCE_H
#define CREDENCE_SOURCE_H

#include <stdint.h>

#include "credence/array.h"
#include "credence/run.h"
#include "credence/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_source cr_source;

/* What to do with a record that cannot be read: end the pass with the error, leave the record out
 * with a note, or keep it in its place with the reason. */
typedef enum cr_on_error { CR_ON_ERROR_STOP = 0, CR_ON_ERROR_SKIP, CR_ON_ERROR_ROW } cr_on_error;

/* How to read files; all zero is a good choice. Strings are copied at opening. */
typedef struct cr_source_options {
    size_t size;         /* sizeof(cr_source_options), or 0: see run.h */
    const char *format;  /* a name of cr_source_format_name(); NULL: by name and content */
    char delimiter;      /* of csv; 0: by content among , ; TAB | */
    int no_header;       /* the first record of csv is data */
    const char *columns; /* "a,b,c": column names, which replace those of the header if there is
                          * one */
    char comment;        /* lines that begin with it are skipped; 0: none */
    const char *missing; /* comma-separated texts that mean missing; NULL: empty ? NA NaN */
    const char *target;  /* name, or number from 1, of the column to learn; NULL: the last */
    const char *weight;  /* name of the column of row weights; NULL: none (ARFF has its own) */
    const char *const *types; /* "COLUMN=real|symbol|text|ignore" each */
    size_t type_count;
    int zero_based;       /* the indices of libsvm begin at 0, not at 1 */
    const char *member;   /* of an archive or folder: only this member, or this folder in it */
    const char *classes;  /* "OLD=NEW,..." renames classes; "OLD=" makes a class missing; "=NEW"
                           * gives texts without a class this one; "*=NEW" renames all others */
    cr_on_error on_error; /* if not STOP, unreadable records are skipped while the kinds of the
                           * columns are found, for passes that tolerate them: see
                           * cr_predict_options */
    size_t part, parts;   /* hand out only part `part` of `parts`, from 1, of about the same size;
                           * parts 0 or 1: everything. The kinds of the columns are still found from
                           * the whole. The models of all parts add up to that of the whole if their
                           * columns have the same kinds. For files, not pipes */
    const char *basis;    /* "ITEM,..." adds columns that are products of the features that are
                           * numbers: x^2 and x*y name one each, polynomial:N adds all powers up to
                           * N, interactions adds the product of each two; NULL: none. The model
                           * then computes them from the rows that it gets */
} cr_source_options;

/* Set everything to zero, and size. */
void cr_source_options_default(cr_source_options *options);

/* Open files as one table, in their order; the path "-" is standard input. options may be NULL. On
 * CR_OK the caller closes *out. CR_EIO: a file cannot be opened. CR_EFORMAT: a header is wrong.
 * CR_EARG: the options are wrong. */
cr_status cr_source_open(cr_source **out, const char *const *paths, size_t count,
                         const cr_source_options *options, cr_error *err);

/* Open bytes in memory as a file: CSV, JSON Lines, ARFF, mail or any other format, compressed or an
 * archive too. name is used in messages, and its extension may give the format, as for a file;
 * NULL: "memory". It is copied; the bytes are borrowed until the source is closed. */
cr_status cr_source_open_memory(cr_source **out, const void *bytes, size_t size, const char *name,
                                const cr_source_options *options, cr_error *err);

/* A table in memory: see array.h. What the arrays point to is borrowed until cr_source_close(); the
 * arrays themselves and the names of columns are copied. Rows are lines 1, 2, 3 … in error
 * messages. CR_EARG: the description of an array is wrong. */
cr_status cr_source_open_arrays(cr_source **out, const cr_array *arrays, size_t columns,
                                size_t rows, cr_error *err);

/* A value of a row that a program supplies. */
typedef enum cr_value_type {
    CR_VALUE_MISSING = 0,
    CR_VALUE_REAL = 1, /* NaN is missing, too */
    CR_VALUE_TEXT = 2  /* length bytes, none: missing; in a real column they must spell a number */
} cr_value_type;

typedef struct cr_value {
    cr_value_type type;
    double real;
    const char *bytes;
    size_t length;
} cr_value;

/* A column of such rows. */
typedef struct cr_row_column {
    const char *name; /* copied */
    cr_kind kind;     /* CR_REAL, CR_SYMBOL, CR_BAG (sentences), or CR_IGNORE */
    cr_role role;
    int mail;   /* with CR_BAG: each text is a mail message, with its head */
    cr_why why; /* why the column has its kind, which the model keeps: CR_WHY_GIVEN (0), or what a
                 * file would give, such as CR_WHY_NUMBERS or CR_WHY_WORDS. With the latter the
                 * model has the same bytes as one trained from that file */
} cr_row_column;

/* Rows that a program supplies one by one: from a cursor, a socket, a generator. */
typedef struct cr_row_reader {
    size_t size; /* sizeof(cr_row_reader), or 0: see run.h */

    /* Fill in the values of the next row, [columns], which are all missing at first. Texts are
     * copied before the next call. CR_END: there are no more rows. Any other status ends the pass
     * with it. Called from one thread at a time, though not always the same. */
    cr_status (*next)(void *context, cr_value *values, cr_error *err);

    /* Go back to the first row. If it is NULL, rows come only once, and whatever needs them again
     * fails with CR_EIO: a second pass, cross-validation of a learner that keeps no rows, filling
     * in missing values with models. */
    cr_status (*rewind)(void *context, cr_error *err);
    void *context;

    size_t at_once; /* how many rows to collect before processing them; 1: each as soon as it
                     * arrives; 0: 1024 */
} cr_row_reader;

/* A source of such rows. columns and the reader are copied. */
cr_status cr_source_open_rows(cr_source **out, const cr_row_column *columns, size_t count,
                              const cr_row_reader *reader, cr_error *err);

/* Set the basis of cr_source_options for a source of arrays or of rows, which has no options. Call
 * it before the source is used. basis is copied; NULL: none. CR_EARG from the first pass: it names
 * a column that is not a number. */
cr_status cr_source_set_basis(cr_source *source, const char *basis, cr_error *err);

void cr_source_close(cr_source *source); /* NULL is allowed */

/* Notes about the data read so far that are not errors, such as "the first line looks like data";
 * NULL past the last. Borrowed until the source is closed. Do not call it during a pass. */
const char *cr_source_note(const cr_source *source, size_t index);

/* The same, as the message of out, with the settings it mentions (see cr_error_message()). CR_END
 * past the last. */
cr_status cr_source_get_note(const cr_source *source, size_t index, cr_error *out);

/* The known formats, for help: the name and a one-line summary; NULL past the last. */
const char *cr_source_format_name(size_t index);
const char *cr_source_format_summary(size_t index);

#ifdef __cplusplus
}
#endif
#endif
