/* cli/estimate/estimate.h - the ways to show estimates. */
#ifndef CLI_ESTIMATE_ESTIMATE_H
#define CLI_ESTIMATE_ESTIMATE_H

#include "credence/credence.h"
#include "options/options.h"

void estimate_show(const cr_estimate *e); /* show.c */

/* Read standard input and show the estimates after each word: stream.c */
int estimate_stream(cr_observations *data, const cr_prior *prior, double level, const request *r);

/* picture.c: draw densities in the terminal on a common axis, with the central interval and the
 * mean marked; a single one is large, several are strips. The limits are those of the axis. */
void picture_large(const cr_distribution *d, double level);
void picture_strips(const char *const *name, const cr_distribution *d, size_t count, double level);

/* An interval as a bar of the given number of columns on an axis from 0 to 1. */
void picture_bar(cr_interval i, double mean, int columns);

#endif
