/* source/division.h - a source cut into parts, of which one process reads one.
 *
 * The bytes of plain files are divided evenly. A cut falls between records: at the last record that
 * begins at or before the even place. Where records are lines that is the line end before it; where
 * fields may be quoted it depends on every quote before it. Each member of a team therefore walks
 * its own stretch twice, as if it began outside of quotes and as if it began inside, and the
 * results are chained from the start of the file: a member whose beginning was guessed wrong walks
 * again from the right one.
 *
 * Compressed files go whole to one part each, the largest first, when that is even enough. All
 * else (folders, archives, files whose records have no end of their own) is dealt out chunk by
 * chunk: every part cuts all chunks and parses its own.
 */
#ifndef CR_SOURCE_DIVISION_H
#define CR_SOURCE_DIVISION_H

#include "credence/team.h"
#include "source/source.h"

/* What a part reads of one path. */
typedef struct cr__stretch {
    enum { CR__STRETCH_NONE, CR__STRETCH_BYTES, CR__STRETCH_WHOLE, CR__STRETCH_DEALT } what;
    uint64_t begin, end; /* of BYTES: a record begins at each; begin 0: behind the header */
    size_t lines;        /* before begin, when counted */
    int counted;
} cr__stretch;

typedef struct cr__division {
    size_t part, parts;
    cr__stretch *stretch; /* [paths] */
    uint64_t dealt;       /* chunks that were dealt out since the beginning */
    int active;           /* the source hands out this part only */
} cr__division;

/* Find part `part` of `parts`; with a team its members do so together, and the part is the rank.
 * lines: records will be named by their lines. CR_EARG: a pipe cannot be divided. */
cr_status cr__source_divide(cr_source *source, size_t part, size_t parts, const cr_team *team,
                            int lines, cr_error *err);
void cr__source_join(cr_source *source); /* whole again */

/* Whether the parts of a source stand one behind another: its files are plain and their records can
 * be told apart. */
int cr__source_is_ordered(cr_source *source);

/* Whether a path is passed over; and whether the next chunk, which is dealt out, belongs to
 * another part. */
int cr__division_skips(const cr_source *source);
int cr__division_deals_away(cr_source *source);

/* A file was opened and its header read: go to the stretch that is to be read. */
void cr__division_enter(cr_source *source);

/* A fault is told by its line: add the lines before the stretch, when they were not counted. */
void cr__division_mend_line(const cr_source *source, cr_error *err);

#endif
