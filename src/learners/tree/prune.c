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
#include "base/parallel.h"
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

/* Nodes whose expected errors one thread computes at a time. */
enum { BLOCK = 4096 };

typedef struct expecting {
    const double *count;
    double *errors;
    size_t nodes, classes;
    double confidence;
} expecting;

static cr_status expect_block(void *context, size_t block, cr_error *err)
{
    const expecting *e = context;
    const size_t end = e->nodes - block * BLOCK < BLOCK ? e->nodes : (block + 1) * BLOCK;

    (void)err;
    for (size_t i = block * BLOCK; i < end; i++)
        e->errors[i] = expected_errors(e->count + i * e->classes, e->classes, e->confidence);
    return CR_OK;
}

cr_status cr__tree_prune(cr__tree_node *node, const double *count, size_t nodes, size_t classes,
                         double confidence, const cr_run *run)
{
    expecting e = {count, NULL, nodes, classes, confidence};
    cr_run quiet = run == NULL ? (cr_run){0} : *run;
    cr_status st = CR_OK;

    for (size_t i = 0; i < nodes; i++)
        node[i].cut = 0;
    if (!(confidence < 1))
        return CR_OK;
    if ((e.errors = cr__alloc(nodes, sizeof *e.errors)) == NULL)
        return CR_ENOMEM;
    quiet.progress = NULL;
    st = cr__parallel_for(&quiet, (nodes + BLOCK - 1) / BLOCK, expect_block, &e, NULL);
    for (size_t i = nodes; st == CR_OK && i-- > 0;) { /* children come after their parents */
        double below = 0;

        if (node[i].children == 0)
            continue;
        for (size_t b = 0; b < node[i].children; b++)
            below += e.errors[node[i].first + b];
        if (e.errors[i] <= below + 0.1)
            node[i].cut = 1;
        else
            e.errors[i] = below;
    }
    cr__free(e.errors);
    return st;
}
