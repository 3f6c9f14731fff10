/* credence/source.h - where rows come from: files, folders, standard input, arrays in memory.
 *
 * A cr_source describes data and how to read it; nothing but the headers is read until something
 * is trained or predicted. It may be used for several passes, one at a time.
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

/* How to read files; all zero is a good choice. Strings are copied at opening. */
typedef struct cr_source_options {
    size_t size;         /* sizeof(cr_source_options), or 0: see run.h */
    const char *format;  /* a name of cr_source_format_name(); NULL: by name and content */
    char delimiter;      /* of csv; 0: by content among , ; TAB | */
    int no_header;       /* the first record of csv is data */
    const char *columns; /* "a,b,c": names instead of (no_header) or over those of the header */
    char comment;        /* lines that begin with it are skipped; 0: none */
    const char *missing; /* comma-separated texts that mean missing; NULL: empty ? NA NaN */
    const char *target;  /* name, or number from 1, of the column to learn; NULL: the last */
    const char *weight;  /* name of the column of row weights; NULL: none (ARFF has its own) */
    const char *const *types; /* "COLUMN=real|symbol|text|ignore" each */
    size_t type_count;
    int zero_based;      /* the indices of libsvm begin at 0, not at 1 */
    const char *member;  /* of an archive or folder: only this member, or this folder in it */
    const char *classes; /* "OLD=NEW,...": other names for classes; "OLD=": it is missing; "=NEW":
                          * texts without a class have this one */
} cr_source_options;

/* Set everything to zero, and size. */
void cr_source_options_default(cr_source_options *options);

/* Open files (paths of which "-" is standard input) as one table, in their order. Options may be
 * NULL. On CR_OK the caller closes *out. CR_EIO: cannot be opened; CR_EFORMAT: the header is at
 * fault; CR_EARG: the options are. */
cr_status cr_source_open(cr_source **out, const char *const *paths, size_t count,
                         const cr_source_options *options, cr_error *err);

/* Open bytes in memory as a file: CSV, JSON Lines, ARFF, mail or any other format, compressed or an
 * archive too. name stands in messages and may tell the format by its end, as a file's does; NULL:
 * "memory". It is copied; the bytes are borrowed until the source is closed. */
cr_status cr_source_open_memory(cr_source **out, const void *bytes, size_t size, const char *name,
                                const cr_source_options *options, cr_error *err);

/* A table in memory: see array.h. What the arrays point to is borrowed until cr_source_close(); the
 * arrays themselves and the names of columns are copied. Rows are lines 1, 2, 3 … in error
 * messages. CR_EARG: an array is not described as it should be. */
cr_status cr_source_open_arrays(cr_source **out, const cr_array *arrays, size_t columns,
                                size_t rows, cr_error *err);

void cr_source_close(cr_source *source); /* NULL is allowed */

/* What a person should know about the data that is no error ("the first line looks like data"),
 * as far as it has been read; NULL past the last. Borrowed until the source is closed. Not while
 * a pass runs. */
const char *cr_source_note(const cr_source *source, size_t index);

/* The formats it knows, for help: name and one line, NULL past the last. */
const char *cr_source_format_name(size_t index);
const char *cr_source_format_summary(size_t index);

#ifdef __cplusplus
}
#endif
#endif
