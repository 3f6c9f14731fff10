/* source/record_cuts.h - where records begin near the positions that divide a plain file evenly.
 *
 * A cut is the last record that begins at or before its position. Where records are lines, it is
 * the line end before the position. Where fields may be quoted, it depends on every quote before
 * it: the members of a team each walk some of the stretches between positions twice, as if they
 * began outside quotes and as if they began inside. Then the results are chained from the start of
 * the file, and a stretch whose beginning was guessed wrong is walked again from the right one.
 */
#ifndef CR_SOURCE_RECORD_CUTS_H
#define CR_SOURCE_RECORD_CUTS_H

#include "credence/team.h"
#include "source/format.h"

/* The cuts of one file. Cut n is before part n of everything that is divided. */
typedef struct cr__record_cuts {
    const cr__file *file;
    const char *bytes;  /* of the whole file, mapped */
    uint64_t data;      /* where its records begin */
    size_t first, last; /* the cuts in this file */
    size_t parts;       /* of all that is divided */
    uint64_t *place;    /* [parts + 1] even ones, by number, none before `data` */
    uint64_t *cut;      /* [parts + 1] where they fall */
    uint64_t *lines;    /* [parts + 1] before each cut, when they were counted */
} cr__record_cuts;

/* Whether record boundaries can be found from any place in a file. */
int cr__records_divide(const cr__file *file);

/* Find the cuts; those after `until` may be left out. With a team all members do so together and
 * count lines; without one, or where they need not be counted, *counted is 0. */
cr_status cr__record_cuts_find(cr__record_cuts *c, const cr_team *team, int lines, size_t until,
                               int *counted, cr_error *err);

/* The member that a part belongs to: each has consecutive parts. */
size_t cr__part_owner(size_t part, size_t parts, size_t members);

#endif
