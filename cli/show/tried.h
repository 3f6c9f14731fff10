/* cli/show/tried.h - the candidates that a model was chosen from. */
#ifndef CLI_SHOW_TRIED_H
#define CLI_SHOW_TRIED_H

#include <stdbool.h>

#include "credence/credence.h"

/* Was the model chosen among several? */
bool was_chosen(const cr_model *model);

/* The table of what was tried, and a line about the winner; nothing when it was not chosen. */
void tried_print(const cr_model *model);

#endif
