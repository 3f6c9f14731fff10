/* cli/show/tried.h - the candidates that a model was chosen from. */
#ifndef CLI_SHOW_TRIED_H
#define CLI_SHOW_TRIED_H

#include <stdbool.h>

#include "credence/credence.h"

/* Whether the model was chosen from several. */
bool was_chosen(const cr_model *model);

/* The table of candidates, and a line about the winner; nothing if the model was not chosen. */
void tried_print(const cr_model *model);

#endif
