/* eval/split.h - the internals of cr_split. */
#ifndef CR_EVAL_SPLIT_H
#define CR_EVAL_SPLIT_H

#include "source/selection.h"

struct cr_split {
    cr__selection test; /* the rows that are held out */
    uint64_t rows[2];   /* by side */
};

#endif
