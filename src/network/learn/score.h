/* network/learn/score.h - how well a family accounts for the data: scores that add up over nodes.
 *
 * N(k, j) rows have state k of the node and combination j of its parents, N(j) of them that
 * combination; the node has r states, its parents q combinations, and there are N rows in all.
 *
 *     loglik  Σ N(k, j) ln (N(k, j) / N(j))
 *     aic     loglik - q (r - 1)
 *     bic     loglik - q (r - 1) ln(N) / 2
 *     k2      ln P(data) under a uniform prior of each distribution:
 *             Σj ( ln Γ(r) - ln Γ(N(j) + r) + Σk ln Γ(N(k, j) + 1) )
 *     bdeu:S  ln P(data) under Dirichlet priors worth S rows spread evenly, a = S / (q r):
 *             Σj ( ln Γ(r a) - ln Γ(N(j) + r a) + Σk ( ln Γ(N(k, j) + a) - ln Γ(a) ) )
 *
 * G. Cooper and E. Herskovits (1992) for k2; D. Heckerman, D. Geiger and D. Chickering (1995) for
 * bdeu; G. Schwarz (1978) for bic. All are natural logarithms, and larger is better.
 *
 * The score of a network is the sum over its families, so a change of one node's parents changes
 * one term. cr__families counts a family when it is first needed, with several threads, and caches
 * its score.
 */
#ifndef CR_NETWORK_LEARN_SCORE_H
#define CR_NETWORK_LEARN_SCORE_H

#include "network/learn/family.h"

typedef enum cr__score_kind {
    CR__SCORE_LOGLIK,
    CR__SCORE_BIC,
    CR__SCORE_AIC,
    CR__SCORE_BDEU,
    CR__SCORE_K2
} cr__score_kind;

typedef struct cr__score {
    cr__score_kind kind;
    double size; /* of bdeu: the rows that its prior is worth */
} cr__score;

/* "bic", "aic", "k2", "loglik", "bdeu" or "bdeu:10". CR_EARG with the nearest name. */
cr_status cr__score_read(cr__score *out, const char *text, cr_error *err);

/* The score of counts[(j * states + k) * outer + o], where (j, o) is the combination of the
 * parents: `outer` belongs to a parent that was counted last, 1 when there is none. */
double cr__score_table(const cr__score *score, double total, const double *counts, size_t inner,
                       size_t states, size_t outer);

/* --- the scores of families ------------------------------------------------------------------- */

typedef struct cr__families cr__families;

/* threads <= 0: one per core. The cases are borrowed. */
cr_status cr__families_new(cr__families **out, const cr__cases *cases, cr__score score, int threads,
                           cr_error *err);
/* For variables that are scored in another way: one family at a time, by a function; parents
 * ascend. */
typedef double cr__family_scorer(const void *context, uint32_t child, const uint32_t *parent,
                                 size_t parents);
cr_status cr__families_new_by(cr__families **out, uint32_t variables, cr__family_scorer *scorer,
                              const void *context, cr_error *err);
void cr__families_free(cr__families *families);

/* The score of one family. Parents ascend. -INFINITY: its table has more cells than the rows can
 * fill (CR__CELLS_PER_ROW for each), so no score could favour it. */
enum { CR__CELLS_PER_ROW = 16 };
cr_status cr__families_score(cr__families *families, uint32_t child, const uint32_t *parent,
                             size_t parents, double *score, cr_error *err);

/* All families that differ by one parent: value[x] is the score when x becomes a parent, or stops
 * being one when it is, for each x whose bit is set in `wanted` (parents are always included);
 * others are left unchanged. *own is the score of the family itself. */
cr_status cr__families_around(cr__families *families, uint32_t child, const uint32_t *parent,
                              size_t parents, const uint64_t *wanted, double *own, double *value,
                              cr_error *err);

/* Score every node with every other as its only parent, [child * variables + parent], and with
 * none, on the diagonal: each pair is counted once. */
cr_status cr__families_pairs(cr__families *families, double *value, cr_error *err);

/* Families counted, and families found in the cache. */
void cr__families_tell(const cr__families *families, size_t *counted, size_t *remembered);

#endif
