/* cli/session/seen.h - say so when a model is judged by rows that it has learned. */
#ifndef CLI_SESSION_SEEN_H
#define CLI_SESSION_SEEN_H

#include "options/options.h"

/* A note when the data, operands from first on with so many rows, are among what the model has
 * learned. Small files are looked at, and those of as many rows as it has learned. */
void note_seen(request *r, size_t first, const cr_model *model, double rows);

#endif
