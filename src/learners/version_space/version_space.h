/* learners/version_space/version_space.h - the hypotheses that are right on every row.
 *
 * S is the most specific of them, G are the most general; a hypothesis has a code for each feature,
 * or takes any value of it.
 */
#ifndef CR_LEARNERS_VERSION_SPACE_VERSION_SPACE_H
#define CR_LEARNERS_VERSION_SPACE_VERSION_SPACE_H

#include "model/learner.h"

enum {
    CR__SPACE_ANY = 0,
    CR__SPACE_GENERAL_MOST = 4096, /* in G */
    CR__SPACE_COUNTED_MOST = 20    /* features that G asks for: their sets are gone through */
};

typedef struct cr__space {
    size_t features, columns;
    size_t positive;   /* class */
    size_t *column;    /* [features] of the schema */
    uint32_t *special; /* [features] S: codes, or CR__SPACE_ANY */
    uint32_t *general; /* [generals * features] G */
    size_t generals, general_capacity;
    uint64_t left_out; /* rows that lack a value */
} cr__space;

cr_status cr__space_score(const void *fitted, void *state, const cr__batch *batch, double *out,
                          cr_error *err);
cr_status cr__space_factors(const void *fitted, void *state, const cr__stats *stats,
                            const cr__knobs *knobs, const cr__batch *batch, size_t row,
                            cr_factor *factor, size_t *count, double *work, cr_error *err);

#endif
