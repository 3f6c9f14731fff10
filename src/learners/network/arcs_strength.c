/* learners/network/arcs_strength.c - confidence in arcs: structures learned from resampled rows. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"
#include "network/graph/cpdag.h"
#include "learners/network/learn.h"

/* Count the arcs of one structure's class; strength counts lines, direction arcs. */
static cr_status count_class(double *strength, double *direction, cr__arcs *arcs, cr_error *err)
{
    const uint32_t n = arcs->nodes;
    cr_status st = cr__cpdag(arcs, err);

    for (uint32_t a = 0; st == CR_OK && a < n; a++)
        for (uint32_t b = 0; b < n; b++) {
            const int there = cr__arcs_has(arcs, a, b), back = cr__arcs_has(arcs, b, a);

            strength[(size_t)a * n + b] += a != b && (there || back);
            direction[(size_t)a * n + b] += there ? (back ? .5 : 1) : 0;
        }
    return st;
}

cr_status cr__arc_strengths(double *strength, double *direction, const cr__cases *cases,
                            const cr__knobs *knobs, const char *const *name, uint32_t target,
                            uint32_t rounds, const cr_run *run, cr_error *err)
{
    const size_t n = cases->variables, all = n * n;
    cr__random random;
    cr_status st = CR_OK;

    memset(strength, 0, all * sizeof *strength);
    memset(direction, 0, all * sizeof *direction);
    cr__random_seed(&random, cr__run_of(run).seed);
    for (uint32_t i = 0; st == CR_OK && i < rounds; i++) {
        cr__cases *drawn = NULL;
        cr__arcs *arcs = NULL;
        double score;

        st = cr__cases_resample(&drawn, cases, &random, err);
        if (st == CR_OK)
            st = cr__arcs_new(&arcs, cases->variables, err);
        if (st == CR_OK)
            st = cr__find_structure(arcs, drawn, knobs, name, target, run, &score, err);
        if (st == CR_OK)
            st = count_class(strength, direction, arcs, err);
        cr__arcs_free(arcs);
        cr__cases_free(drawn);
    }
    for (size_t i = 0; st == CR_OK && i < all; i++) {
        direction[i] = strength[i] > 0 ? direction[i] / strength[i] : 0;
        strength[i] /= rounds > 0 ? rounds : 1;
    }
    return st;
}
