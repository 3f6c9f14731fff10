/* store/word_record.h - what a store keeps of one word.
 *
 * A count belongs to an origin (the store that learned it), a period and a class. A word's record
 * is a list of groups, one for each origin and period, of the counts by class. A store that has
 * only itself as an origin and no periods writes the plain form, which is 4 bytes for most words:
 *
 *     0, {class, documents, terms - documents}…                       plain: origin 0, period 0
 *     1, {origin, version, period, cells, {class, documents, terms}…}…
 *
 * and in front of either, where the word is too long for a key: 2, length, bytes. All are varints,
 * those of the second form signed for counts: a lesson that one store has learned may be taken back
 * by another, and each writes in its own groups only. The version is that of the origin when it
 * last changed the group; a group without cells says that what was there is gone.
 */
#ifndef CR_STORE_WORD_RECORD_H
#define CR_STORE_WORD_RECORD_H

#include "store/varint.h"

typedef struct cr__word_cell {
    uint32_t origin, class_id;
    uint64_t period, version;
    int64_t documents, terms; /* both 0 in the only cell of a group that is gone */
} cr__word_cell;

typedef struct cr__word_record {
    cr__word_cell *cell; /* [cells] by origin, period and class */
    size_t cells, capacity;
    const char *word; /* of a word too long for a key; borrowed from what was read; else NULL */
    size_t length;
    int grouped;   /* how it is written */
} cr__word_record; /* {0} is empty; room is kept from one to the next */

void cr__word_record_free(cr__word_record *r);

/* Read a record over what was there. CR_EFORMAT: it makes no sense; CR_ENOMEM. */
cr_status cr__word_record_read(cr__word_record *r, const void *bytes, size_t size);

/* Append it to out, nothing where nothing is left to tell. */
void cr__word_record_write(const cr__word_record *r, cr__buffer *out);

/* Add to the count of a class in a group, which gets the version. Cells of 0 vanish; a group that
 * loses its last one stays as gone where the record is grouped. CR_ENOMEM. */
cr_status cr__word_record_add(cr__word_record *r, const cr__word_cell *cell);

/* Let the cells of a group, in order, be all that it has: one of 0 says that it is gone. CR_ENOMEM.
 */
cr_status cr__word_record_replace(cr__word_record *r, const cr__word_cell *cell, size_t cells);

#endif
