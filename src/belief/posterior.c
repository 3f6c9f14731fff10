/* belief/posterior.c - normalise in log space, then take the most probable class. */
#include "belief/posterior.h"

#include <math.h>

#include "credence/decision.h"

static int32_t undecided(size_t classes, double *posterior, double *log_evidence)
{
    for (size_t c = 0; c < classes; c++)
        posterior[c] = 0;
    if (log_evidence != NULL)
        *log_evidence = -INFINITY;
    return CR_UNDECIDED;
}

int32_t cr__posterior(const double *score, size_t classes, double *posterior, double *log_evidence)
{
    double best = -INFINITY, sum = 0;
    size_t decision = 0;

    for (size_t c = 0; c < classes; c++)
        if (score[c] > best) {
            best = score[c];
            decision = c;
        }
    if (!(best > -INFINITY) || best == INFINITY)
        return undecided(classes, posterior, log_evidence);
    for (size_t c = 0; c < classes; c++)
        sum += posterior[c] = exp(score[c] - best);
    if (isnan(sum))
        return undecided(classes, posterior, log_evidence);
    for (size_t c = 0; c < classes; c++)
        posterior[c] /= sum;
    if (log_evidence != NULL)
        *log_evidence = best + log(sum);
    return (int32_t)decision;
}
