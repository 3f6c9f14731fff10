/* store/word_record.h - what a store keeps of one word.
 *
 * A count belongs to an origin (the store that learned it), a period and a class. A word's record
 * is a list of groups, one for each origin and period, of the counts by class. A store with only
 * one origin and no periods writes the plain form, which is 4 bytes for most words:
 *
 *     0, {class, documents, terms - documents}…                       plain: origin 0, period 0
 *     1, {origin, version, period, cells, {class, documents, terms}…}…
 *
 * preceded, where the word is too long for a key, by: 2, length, bytes. All are varints, with
 * signed counts in the second form: a lesson that one store has learned may be unlearned by
 * another, and each writes only its own groups. The version is that of the origin when it last
 * changed the group; a group without cells marks a deletion.
 */
#ifndef CR_STORE_WORD_RECORD_H
#define CR_STORE_WORD_RECORD_H

#include "store/varint.h"

typedef struct cr__word_cell {
    uint32_t origin, class_id;
    uint64_t period, version;
    int64_t documents, terms; /* both 0 in the only cell of a deleted group */
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

/* Append it to out, or nothing when it is empty. */
void cr__word_record_write(const cr__word_record *r, cr__buffer *out);

/* Add to the count of a class in a group, which gets the version. Cells of 0 are removed; a group
 * that loses its last one is kept as a deletion mark in a grouped record. CR_ENOMEM. */
cr_status cr__word_record_add(cr__word_record *r, const cr__word_cell *cell);

/* Replace the cells of a group by these, in order: a single one of 0 marks a deletion. CR_ENOMEM.
 */
cr_status cr__word_record_replace(cr__word_record *r, const cr__word_cell *cell, size_t cells);

#endif
