/* data/folds.h - assign rows to folds. */
#ifndef CR_DATA_FOLDS_H
#define CR_DATA_FOLDS_H

#include <stddef.h>
#include <stdint.h>

#include "credence/status.h"

typedef struct cr__deal {
    size_t rows, folds;
    const uint32_t *class_code; /* [rows] below classes: every fold gets its share of each; NULL:
                                   rows are dealt as they come */
    size_t classes;
    const uint32_t *group; /* [rows] below groups: the rows of a group stay together; NULL: none */
    size_t groups;
    uint64_t seed;
} cr__deal;

/* fold[row] becomes 0 … folds - 1, the same for the same seed everywhere. Without groups, folds
 * differ by one row at most, and by one row of each class. */
cr_status cr__folds_deal(uint32_t *fold, const cr__deal *deal, cr_error *err);

/* The rows whose fold is (in = 1) or is not (in = 0) the given one, as item[row]; returns how
 * many. */
size_t cr__folds_list(const uint32_t *fold, const uint32_t *item, size_t rows, uint32_t which,
                      int in, uint32_t *list);

/* The rows of each fold, ascending, one fold after the other: those of fold f are
 * list[start[f]] … list[start[f + 1] - 1]; start is [folds + 1]. */
void cr__folds_sort(const uint32_t *fold, size_t rows, size_t folds, uint32_t *list, size_t *start);

#endif
