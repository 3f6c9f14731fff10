/* learners/naive_bayes/alike.c - words of a text that repeat each other. */
#include <math.h>

#include "learners/naive_bayes/alike.h"

#define BINS_A_UNIT 2.0

double *cr__nb_group(cr__nb_groups *groups, int is_head, size_t best, double spread)
{
    const double bin = floor(spread * BINS_A_UNIT);

    return &groups->of[is_head != 0][best % CR__ALIKE_CLASSES]
                      [bin < CR__ALIKE_BINS - 1 ? (size_t)fmax(bin, 0) : CR__ALIKE_BINS - 1];
}

void cr__nb_groups_weigh(cr__nb_groups *groups, double alike)
{
    double *n = groups->of[0][0];

    for (size_t i = 0; i < sizeof groups->of / sizeof *n; i++)
        if (n[i] > 1)
            n[i] = pow(n[i], alike - 1);
}
