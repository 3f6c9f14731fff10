/* network/learn/search.h - a structure with a good score: hill climbing, tabu search, restarts.
 *
 * A step adds, removes or reverses an arc; that changes the families of one node or of two, and
 * only these are scored again. Hill climbing takes the best step until none is better. Tabu search
 * then continues with the best step, even a bad one, that does not lead back to one of the last
 * networks, and stops after a number of steps without a new best. A restart takes random steps away
 * from the best network and climbs again.
 *
 * Ties go to the later child, then the earlier parent, so that arcs which may point either way
 * follow the order of the variables; random steps come from the seed. The result is the same for
 * any number of threads.
 */
#ifndef CR_NETWORK_LEARN_SEARCH_H
#define CR_NETWORK_LEARN_SEARCH_H

#include "network/graph/arcs.h"
#include "network/learn/score.h"

typedef struct cr__climb_plan {
    uint32_t max_parents;  /* 0: any number */
    const cr__arcs *must;  /* arcs that stay, or NULL */
    const cr__arcs *never; /* arcs that are not made, or NULL */
    const cr__arcs *only;  /* arcs that may be made (must aside), or NULL: all */
    uint32_t tabu;         /* networks that are not visited again; 0: hill climbing */
    uint32_t patience;     /* steps without a new best before tabu search stops */
    uint32_t restarts;
    uint64_t seed;
} cr__climb_plan;

/* What happened. */
typedef struct cr__climb_report {
    double score;
    size_t steps;
    size_t counted, remembered; /* families */
} cr__climb_report;

/* Improve the given arcs (those of `must` are added). CR_ELIMIT: the required families have larger
 * tables than the rows can fill. */
cr_status cr__climb(cr__arcs *arcs, cr__families *families, const cr__climb_plan *plan,
                    cr__climb_report *report, cr_error *err);

/* The score of a network. */
cr_status cr__arcs_score(const cr__arcs *arcs, cr__families *families, double *score,
                         cr_error *err);

/* --- other methods ---------------------------------------------------------------------------- */

/* K2 (G. Cooper and E. Herskovits, 1992): along an order of the nodes, each takes the parents among
 * those before it that raise the score most, one at a time, as long as it rises. */
cr_status cr__k2(cr__arcs *arcs, cr__families *families, const uint32_t *order,
                 const cr__climb_plan *plan, cr_error *err);

/* The tree whose pairs have the greatest mutual information (C. Chow and C. Liu, 1968), its arcs
 * pointing away from the root. Pairs that are independent in the data are joined too, so that it is
 * one tree, except pairs that must not be joined. */
cr_status cr__chow_liu(cr__arcs *arcs, const cr__cases *cases, uint32_t root, int threads,
                       const cr__arcs *never, cr_error *err);
/* The same with scores from another source, which should be log likelihoods. */
cr_status cr__chow_liu_by(cr__arcs *arcs, cr__families *families, uint32_t root,
                          const cr__arcs *never, cr_error *err);

#endif
