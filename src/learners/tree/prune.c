/* learners/tree/prune.c - cut branches that are not expected to make fewer errors.
 *
 * A leaf of weight N that errs on E of it is expected to err on N U, where U is the upper
 * confidence limit of the error rate: P(at most E errors of N | U) = confidence (Quinlan 1993, ch.
 * 4; here the exact binomial limit, a quantile of the beta distribution). A node becomes a leaf
 * when the leaf is expected to make no more errors than all its branches together, up to a tenth
 * of a row.
 */
#include <math.h>

#include "base/memory.h"
#include "base/special.h"
#include "learners/tree/tree.h"

static double expected_errors(const double *count, size_t classes, double confidence)
{
    double n = 0, most = 0, errors;

    for (size_t c = 0; c < classes; c++) {
        n += count[c];
        most = fmax(most, count[c]);
    }
    errors = fmax(0, n - most);
    if (!(n > 0))
        return 0;
    if (errors > n - 0.5)
        return n;
    if (errors < 1e-9)
        return n * (1 - pow(confidence, 1 / n));
    return n * cr__beta_lower_inverse(errors + 1, n - errors, 1 - confidence);
}

cr_status cr__tree_prune(cr__tree_node *node, const double *count, size_t nodes, size_t classes,
                         double confidence)
{
    double *errors = cr__alloc(nodes, sizeof *errors);

    if (errors == NULL)
        return CR_ENOMEM;
    for (size_t i = nodes; i-- > 0;) { /* children stand after their parents */
        double below = 0;

        errors[i] = confidence < 1 ? expected_errors(count + i * classes, classes, confidence) : 0;
        node[i].cut = 0;
        if (node[i].children == 0 || !(confidence < 1))
            continue;
        for (size_t b = 0; b < node[i].children; b++)
            below += errors[node[i].first + b];
        if (errors[i] <= below + 0.1)
            node[i].cut = 1;
        else
            errors[i] = below;
    }
    cr__free(errors);
    return CR_OK;
}
