/* store/stream.h - what one store sends another: what it has, and what the other lacks.
 *
 * A state is a list of the origins whose lessons a store has:
 *
 *     "credence state", format, origins, {id, version}…
 *
 * A stream has what changed since a state:
 *
 *     "credence stream", format, period, keep, floor, first, calibrate, apart,
 *     origins, {id, version, since}…, classes, {name}…, a head,
 *     parts, {P or N, origin, period, record}…, calibrations, {origin, record}…,
 *     days, {origin, day, record}…, words, {column, word, record}…, and XXH3 of all that, 8 bytes
 *
 * Records are those of a store (store/store.h), in which origins and classes have the numbers of
 * the lists. For each origin, a stream has every record that it changed after `since` and up to
 * `version`. Numbers are varints.
 */
#ifndef CR_STORE_STREAM_H
#define CR_STORE_STREAM_H

#include "store/store.h"

typedef struct cr__stream_origin {
    unsigned char id[CR__STORE_ID];
    uint64_t version, since;
} cr__stream_origin;

typedef struct cr__stream_record {
    char kind; /* of parts */
    uint32_t origin;
    uint64_t number; /* period, day or column */
    cr__bytes word;  /* of words */
    cr__bytes value;
} cr__stream_record;

/* Records of one kind one after another. */
typedef struct cr__stream_list {
    uint64_t count;
    cr__reader at;
} cr__stream_list;

typedef struct cr__stream {
    uint64_t period, keep, floor, first, calibrate;
    int apart;
    cr__stream_origin *origin; /* [origins] */
    size_t origins, origin_capacity;
    cr__bytes *class_name; /* [classes] borrowed from what was read, as all bytes are */
    size_t classes, class_capacity;
    cr__bytes head;
    cr__stream_list parts, calibrations, days, words;
} cr__stream; /* {0} is empty */

void cr__stream_free(cr__stream *s);

/* Read a stream and check all of it: what is visited later is valid. CR_EFORMAT, CR_EVERSION,
 * CR_ENOMEM. */
cr_status cr__stream_read(cr__stream *s, const void *bytes, size_t size);

/* The next record of a list; 0: there is none. */
int cr__stream_next_part(cr__stream_list *list, cr__stream_record *out);
int cr__stream_next_calibration(cr__stream_list *list, cr__stream_record *out);
int cr__stream_next_day(cr__stream_list *list, cr__stream_record *out);
int cr__stream_next_word(cr__stream_list *list, cr__stream_record *out);

/* Write the beginning, up to and including the head; then the lists; then the end. */
void cr__stream_begin(cr__buffer *out, const cr__store_meta *meta, const uint64_t *since,
                      cr__bytes head);
void cr__stream_end(cr__buffer *out);

void cr__state_write(const cr__store_meta *meta, cr__buffer *out);
/* The version that a state has of each of a store's origins, [meta->origins]; those that it does
 * not name are 0. CR_EFORMAT, CR_EVERSION. */
cr_status cr__state_read(const cr__store_meta *meta, const void *bytes, size_t size,
                         uint64_t *version);

#endif
