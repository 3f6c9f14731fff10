/* cli/session/seen.h - warn when a model is judged by rows that it has learned. */
#ifndef CLI_SESSION_SEEN_H
#define CLI_SESSION_SEEN_H

#include "options/options.h"

/* Print a note if the data (operands from first on, with so many rows) are part of what the model
 * has learned. Only small files and files with as many rows as the model are checked. */
void note_seen(request *r, size_t first, const cr_model *model, double rows);

#endif
