/* credence/table.h - write a table of any format as CSV or ARFF, optionally with its numbers
 * cut. */
#ifndef CREDENCE_TABLE_H
#define CREDENCE_TABLE_H

#include "credence/run.h"
#include "credence/source.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_table_options {
    size_t size;        /* sizeof(cr_table_options), or 0: see run.h */
    const char *format; /* "csv" (NULL) or "arff" */
    const char *name;   /* of an ARFF relation; NULL: "table" */
    const char *cut; /* numbers become intervals: "mdl", "sqrt", "frequency:5", "width:5", "auto";
                      * NULL: they stay numbers. mdl cuts where the classes of the target change;
                      * the target itself is not cut */
    cr_status (*write)(void *context, const char *bytes, size_t size); /* gets the bytes */
    void *context;
} cr_table_options;

/* Write all rows of a source, in their order, with all columns that are not ignored. *rows is their
 * number; rows may be NULL. An interval is named "<=5.5", "5.5..7" or ">7". CR_EARG: a column is a
 * text, or the options are wrong. */
cr_status cr_table_write(cr_source *source, const cr_table_options *options, const cr_run *run,
                         uint64_t *rows, cr_error *err);

#ifdef __cplusplus
}
#endif
#endif
