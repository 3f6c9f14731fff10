/* store/judged.h - how rows were classified before they were learned, as sums. */
#ifndef CR_STORE_JUDGED_H
#define CR_STORE_JUDGED_H

#include "store/store.h"

enum { CR__JUDGED_BINS = 61 };

typedef struct cr__judged {
    uint64_t judged, right, loss; /* the loss in 2^-20 */
    uint64_t good, good_lost, spam, spam_passed;
    uint64_t *rows; /* [classes][CR__JUDGED_BINS] by class id and log-odds */
    size_t classes;
} cr__judged; /* {0} is empty */

void cr__judged_free(cr__judged *j);
/* Add a record. CR_EFORMAT, CR_ENOMEM. */
cr_status cr__judged_add(cr__judged *j, const void *bytes, size_t size);

/* A record with other class ids: class_id[c] for c. CR_EFORMAT, CR_ENOMEM. */
cr_status cr__judged_translate(cr__bytes from, const uint32_t *class_id, cr__buffer *out);

#endif
