/* stats/checkpoint.h - finished parts of a pass, kept in a folder.
 *
 * A source is divided into pieces, by its size alone; the statistics of each piece that has been
 * read are kept in a file of their own, whose name identifies the data, what was collected and the
 * piece. A run that finds such a file need not read the piece. So a run that was stopped, on any
 * number of machines, can be resumed on any other number, and ends with the same bytes.
 */
#ifndef CR_STATS_CHECKPOINT_H
#define CR_STATS_CHECKPOINT_H

#include "stats/collect.h"

typedef struct cr__checkpoint {
    const char *folder;
    char key[33]; /* of the data and of what is collected */
    size_t pieces;
} cr__checkpoint;

/* Describe a pass. The folder is created if it does not exist. */
cr_status cr__checkpoint_open(cr__checkpoint *out, const char *folder, const cr_source *source,
                              const cr__collect *what, cr_error *err);

/* The statistics of a piece with the tally of its rows; CR_END: it has not been read yet. A damaged
 * file counts as missing. */
cr_status cr__checkpoint_find(const cr__checkpoint *c, size_t piece, const cr_schema *schema,
                              cr__stats **out, cr_tally *tally, cr_error *err);
cr_status cr__checkpoint_keep(const cr__checkpoint *c, size_t piece, const cr__stats *stats,
                              const cr_tally *tally, cr_error *err);

#endif
