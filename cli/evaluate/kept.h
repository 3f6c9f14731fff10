/* cli/evaluate/kept.h - columns of the data that precede the answers of a cross-validation. */
#ifndef CLI_EVALUATE_KEPT_H
#define CLI_EVALUATE_KEPT_H

#include <stdio.h>

#include "credence/credence.h"
#include "options/options.h"

/* The cells of the columns that --keep names, by row, as in the data. */
typedef struct kept {
    char *head;  /* "id,name,", or NULL: nothing is kept */
    char **text; /* [rows] "7,Anna," */
    size_t rows, room;
} kept;

/* Read the data again. EXIT_DONE, or an exit status after a message. Free it either way. */
int kept_read(kept *k, request *r, const cr_model *model);
void kept_free(kept *k);

/* The cells of a labelled row, or the names of the columns (SIZE_MAX). */
void kept_write(const kept *k, size_t row, FILE *file);

#endif
