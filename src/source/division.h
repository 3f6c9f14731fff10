/* source/division.h - a source divided into parts, of which a process reads one at a time.
 *
 * The bytes of plain files are divided evenly, between records (record_cuts.h). Compressed files
 * are assigned whole to one part each, the largest first, when that is even enough. All else
 * (folders, archives, files whose records cannot be found from the middle) is distributed chunk by
 * chunk: every part cuts all chunks and parses its own.
 */
#ifndef CR_SOURCE_DIVISION_H
#define CR_SOURCE_DIVISION_H

#include "credence/team.h"
#include "source/source.h"

typedef struct cr__divided_path {
    enum { CR__PATH_BYTES, CR__PATH_WHOLE, CR__PATH_DEALT } how;
    uint64_t before; /* of BYTES: the bytes of such paths before it, */
    uint64_t size;   /* and its own */
    size_t owner;    /* of WHOLE: the part */
} cr__divided_path;

typedef struct cr__division {
    size_t parts;
    size_t part;            /* the part that is handed out */
    int active;             /* the line above applies; otherwise everything is handed out */
    cr__divided_path *path; /* [paths] */
    uint64_t total;         /* bytes of BYTES */
    uint64_t *cut;          /* [parts + 1] in the file that it falls into */
    uint64_t *lines;        /* [parts + 1] lines before it */
    int counted;            /* when these were counted */
    uint64_t dealt;         /* chunks distributed since the beginning */
} cr__division;

/* Divide a source into parts; with a team its members do so together. Parts after `last` will not
 * be read. lines: records will be named by their lines. CR_EARG: a pipe cannot be divided. */
cr_status cr__source_divide(cr_source *source, size_t parts, size_t last, const cr_team *team,
                            int lines, cr_error *err);
void cr__source_join(cr_source *source); /* whole again */

/* The bytes of all its files, as they lie on disk; a pipe has none. */
uint64_t cr__source_bytes(const cr_source *source);

/* Everything that distinguishes this source from others with different rows: names, sizes and dates
 * of files, and how they are read. */
void cr__source_describe(const cr_source *source, struct cr__buffer *out);

/* Begin a pass over one part, and end it. */
cr_status cr__source_begin_part(cr_source *source, size_t part, cr_error *err);
void cr__source_end_part(cr_source *source);

/* Whether the parts of a source are contiguous: its files are plain and record boundaries can be
 * found. */
int cr__source_is_ordered(cr_source *source);

/* Whether a path is skipped; and whether the next chunk belongs to another part. */
int cr__division_skips(const cr_source *source);
int cr__division_deals_away(cr_source *source);

/* A file was opened and its header read: go to the bytes that are to be read. */
void cr__division_enter(cr_source *source);

/* Errors name a line: add the lines before the part when they were not counted. */
void cr__division_mend_line(const cr_source *source, cr_error *err);

#endif
