/* eval/tune_space.h - knobs and the values they may have. */
#ifndef CR_EVAL_TUNE_SPACE_H
#define CR_EVAL_TUNE_SPACE_H

#include "base/random.h"
#include "credence/status.h"

/* One knob: a list of values, or a range. */
typedef struct cr__axis {
    char *key;
    char **value; /* [values] texts; of a range its values in the grid */
    size_t values;
    int range, logarithmic;
    double low, high;
} cr__axis;

typedef struct cr__tune_space {
    cr__axis *axis;
    size_t axes;
} cr__tune_space; /* {0} is empty */

cr_status cr__tune_space_read(cr__tune_space *out, const char *const *text, size_t count,
                              size_t steps, cr_error *err);
void cr__tune_space_free(cr__tune_space *space);

/* How many settings the grid has, at most 2^40. */
size_t cr__tune_space_size(const cr__tune_space *space);

/* A setting as [axes] texts KEY=VALUE, to be freed one by one and as a whole: that of a place in
 * the grid, or a random one (random not NULL). NULL when out of memory. */
char **cr__tune_space_setting(const cr__tune_space *space, size_t place, cr__random *random);

#endif
