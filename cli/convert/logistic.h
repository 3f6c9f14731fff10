/* cli/convert/logistic.h - credence convert --to logistic. */
#ifndef CLI_CONVERT_LOGISTIC_H
#define CLI_CONVERT_LOGISTIC_H

#include "options/options.h"

/* The model of the first operand as a logistic regression, into path when it is not NULL. */
int convert_to_logistic(const request *r, const char *path);

#endif
