/* cli/convert/logistic.h - credence convert --to logistic. */
#ifndef CLI_CONVERT_LOGISTIC_H
#define CLI_CONVERT_LOGISTIC_H

#include "options/options.h"

/* Write the model of the first operand as a logistic regression, to path unless it is NULL. */
int convert_to_logistic(const request *r, const char *path);

#endif
