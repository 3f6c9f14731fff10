/* credence/league.h - learners ranked over many data sets.
 *
 * Figures of different data sets cannot be averaged without care, but the order of the learners on
 * each set can: a league has the score of every learner on every set, its mean rank, and tests of
 * the hypothesis that all are equal (J. Demšar, "Statistical comparisons of classifiers over
 * multiple data sets", JMLR 7, 2006).
 *
 * A league is filled and ranked by one thread. After that any number of threads may read it.
 */
#ifndef CREDENCE_LEAGUE_H
#define CREDENCE_LEAGUE_H

#include "credence/compare.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_league cr_league;

/* A league without data sets. Names are copied. */
cr_status cr_league_new(cr_league **out, const char *const *name, size_t learners, cr_error *err);
void cr_league_free(cr_league *league); /* NULL is allowed */

/* Add a data set: score[learner], more is better, NaN where a learner cannot handle it. numbers
 * says that the scores are R², otherwise they are accuracies. Ranks must be made again. */
cr_status cr_league_add(cr_league *league, const char *set, const double *score, int numbers,
                        cr_error *err);

/* The same with the accuracy or R² of each learner of a comparison on this set. CR_ECONFLICT: it
 * compares other learners. */
cr_status cr_league_add_comparison(cr_league *league, const char *set,
                                   const cr_comparison *comparison, cr_error *err);

/* Rank the learners that have a score on every set. With fewer than two of them there are no
 * ranks. CR_EARG: there are fewer than two sets. */
cr_status cr_league_rank(cr_league *league, cr_error *err);

typedef struct cr_league_facts {
    size_t learners, sets;
    size_t ranked;      /* learners with a rank; 0: there are no ranks */
    size_t first;       /* of these; SIZE_MAX where there is none */
    int numbers;        /* scores of the last set are R², not accuracies */
    cr_ranking ranking; /* its figures are NaN where there are no ranks; rank is [learners] and
                         * borrowed, NaN for a learner without a rank */
} cr_league_facts;
void cr_league_get_facts(const cr_league *league, cr_league_facts *out);

/* One learner. */
typedef struct cr_league_learner {
    const char *name; /* borrowed */
    double mean;      /* of its scores; NaN if it lacks one */
    double rank;      /* mean rank, 1 is best; NaN: none */
    double wins;      /* sets on which no learner is better; several that are equal share a win */
} cr_league_learner;

/* CR_EARG: past the last. */
cr_status cr_league_get(const cr_league *league, size_t learner, cr_league_learner *out);
const char *cr_league_set(const cr_league *league, size_t set); /* its name; NULL past the last */
double cr_league_score(const cr_league *league, size_t set, size_t learner); /* NaN: none */

/* P(the learner is worse, as good, better than the first that is ranked) on data sets like these,
 * by cr_compare_signed_rank(). CR_EARG: the learner has no rank. */
cr_status cr_league_against_first(const cr_league *league, size_t learner, double rope,
                                  uint64_t seed, double *worse, double *same, double *better,
                                  cr_error *err);

#ifdef __cplusplus
}
#endif
#endif
