/* credence/split.h - split a table into rows to learn from and rows to test on.
 *
 * A cr_split is made by one pass over a source and assigns each row to a side. The same data,
 * options and seed give the same split everywhere. It names rows by file and line, so it also fits
 * another cr_source of the same files: cr_source_keep() makes every pass over that source skip the
 * rows of the other side. A split never changes, so any number of threads may read it.
 */
#ifndef CREDENCE_SPLIT_H
#define CREDENCE_SPLIT_H

#include <stdint.h>

#include "credence/source.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_split cr_split;

typedef enum cr_side { CR_SIDE_TRAIN = 0, CR_SIDE_TEST = 1 } cr_side;

typedef struct cr_split_options {
    size_t size;        /* sizeof(cr_split_options), or 0: see run.h */
    double test;        /* share of the rows that are held out, in (0, 1); 0: a third */
    int plain;          /* do not give each class its share */
    const char *target; /* the column of the classes; NULL: what the source would learn */
    const char *group;  /* rows with the same value in this column stay together; NULL: none */
    const char *order;  /* hold out the last rows by this column (a number, or a text that sorts as
                         * ISO dates do); "": in their given order; NULL: rows are drawn at
                         * random */
    uint64_t seed;      /* of the draw */
} cr_split_options;

/* Read the source once and decide. options may be NULL. CR_EARG: a column does not exist, or the
 * options contradict each other; CR_ECONFLICT: one side would be empty. */
cr_status cr_split_new(cr_split **out, cr_source *source, const cr_split_options *options,
                       cr_error *err);
void cr_split_free(cr_split *split); /* NULL is allowed */

/* How many rows a side has. */
uint64_t cr_split_rows(const cr_split *split, cr_side side);

/* Passes over the source see the rows of one side only. The split is borrowed until the source is
 * closed. */
void cr_source_keep(cr_source *source, const cr_split *split, cr_side side);

/* Write both sides as CSV with all columns of the input, in one pass, in order. write receives the
 * bytes of a side. If it returns a status other than CR_OK, the pass stops and returns it. */
cr_status cr_split_write(const cr_split *split, cr_source *source,
                         cr_status (*write)(void *context, cr_side side, const char *bytes,
                                            size_t size),
                         void *context, cr_error *err);

#ifdef __cplusplus
}
#endif
#endif
