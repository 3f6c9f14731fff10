/* cli/show/weights.h - the weights of a logistic regression, and how they were found. */
#ifndef CLI_SHOW_WEIGHTS_H
#define CLI_SHOW_WEIGHTS_H

#include "show/show.h"

/* Whether it is a logistic regression. */
bool has_weights(const cr_model *model);

/* "lbfgs, 18 steps, converged; …"; empty for other models. */
void describe_fit(const cr_model *model, char *buffer, size_t size);

/* Notes on problems of the fit. EXIT_FAULT if it has not converged and must. */
int note_fit(const cr_model *model, bool strict);

/* The weights of the exhibit's features. */
void show_weights(const exhibit *x);

#endif
