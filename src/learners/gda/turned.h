/* learners/gda/turned.h - scores of many rows that lie by feature, in vectors along the rows. */
#ifndef CR_LEARNERS_GDA_TURNED_H
#define CR_LEARNERS_GDA_TURNED_H

#include "learners/gda/gda.h"

enum { CR__GDA_TURNED_ROWS = 16, CR__GDA_TURNED_MOST = 48 };

/* Whether a density can be scored so: Gaussian, full, of at most CR__GDA_TURNED_MOST features. */
int cr__gda_turns(const cr__gda_density *d);

/* score[c * rows + r] = prior[c] + log density of class c, for x[i * stride + r]; rows is a
 * multiple of CR__GDA_TURNED_ROWS. The same bits on every machine. */
void cr__gda_turned_scores(const cr__gda_density *d, const double *prior, const double *x,
                           size_t stride, size_t rows, double *score);

#endif
