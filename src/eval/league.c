/* eval/league.c - learners ranked over many data sets.
 *
 * A rank needs a score on every set, so only learners that have one are ranked. The tests are those
 * of eval/paired.c.
 */
#include "credence/league.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

struct cr_league {
    char **name; /* [learners] */
    size_t learners;
    char **set; /* [sets] */
    size_t sets, set_room;
    double *score; /* [sets * learners] */
    size_t score_room;
    int numbers;
    cr_ranking ranking; /* rank is [learners] */
    size_t ranked;
};

static void forget_ranks(cr_league *l)
{
    l->ranking = (cr_ranking){NAN, NAN, NAN, NAN, NAN, l->ranking.rank};
    l->ranked = 0;
    for (size_t i = 0; i < l->learners; i++)
        l->ranking.rank[i] = NAN;
}

cr_status cr_league_new(cr_league **out, const char *const *name, size_t learners, cr_error *err)
{
    cr_league *l = cr__alloc_zero(1, sizeof *l);

    *out = NULL;
    if (l == NULL)
        return cr__fail_memory(err);
    l->name = cr__alloc_zero(learners + 1, sizeof *l->name);
    l->ranking.rank = cr__alloc(learners + 1, sizeof *l->ranking.rank);
    for (; l->name != NULL && l->learners < learners; l->learners++)
        if ((l->name[l->learners] = cr__strndup(name[l->learners], strlen(name[l->learners]))) ==
            NULL)
            break;
    if (l->name == NULL || l->ranking.rank == NULL || l->learners < learners) {
        cr_league_free(l);
        return cr__fail_memory(err);
    }
    forget_ranks(l);
    *out = l;
    return CR_OK;
}

void cr_league_free(cr_league *l)
{
    if (l == NULL)
        return;
    for (size_t i = 0; i < l->learners; i++)
        cr__free(l->name[i]);
    for (size_t s = 0; s < l->sets; s++)
        cr__free(l->set[s]);
    cr__free(l->name);
    cr__free(l->set);
    cr__free(l->score);
    cr__free(l->ranking.rank);
    cr__free(l);
}

/* --- scores ----------------------------------------------------------------------------------- */

cr_status cr_league_add(cr_league *l, const char *set, const double *score, int numbers,
                        cr_error *err)
{
    const size_t used = l->sets * l->learners;
    char *name = cr__strndup(set, strlen(set));

    if (name == NULL || !cr__grow(&l->set, &l->set_room, l->sets + 1, sizeof *l->set) ||
        !cr__grow(&l->score, &l->score_room, used + l->learners + 1, sizeof *l->score)) {
        cr__free(name);
        return cr__fail_memory(err);
    }
    for (size_t i = 0; i < l->learners; i++)
        l->score[used + i] = score[i];
    l->set[l->sets++] = name;
    l->numbers = numbers != 0;
    forget_ranks(l);
    return CR_OK;
}

/* The accuracy or R² of an entrant over all folds. */
static cr_status score_of(const cr_entrant *e, int numbers, double *score, cr_error *err)
{
    cr_regression_metrics n = {0};
    cr_evaluation *all = NULL;
    cr_metrics m = {0};
    cr_status st = CR_OK;

    *score = NAN;
    if (e->status != CR_OK)
        return CR_OK;
    st = numbers ? cr_cv_regression(e->cv, SIZE_MAX, 0, &n, err)
                 : cr_cv_evaluate(e->cv, SIZE_MAX, NULL, &all, err);
    if (st == CR_OK && !numbers)
        cr_evaluation_metrics(all, &m);
    if (st == CR_OK)
        *score = numbers ? n.r2 : m.accuracy;
    cr_evaluation_free(all);
    return st;
}

cr_status cr_league_add_comparison(cr_league *l, const char *set, const cr_comparison *comparison,
                                   cr_error *err)
{
    cr_comparison_facts f;
    cr_entrant e;
    double *score;
    cr_status st = CR_OK;

    cr_comparison_get_facts(comparison, &f);
    if (f.count != l->learners)
        return cr__fail(err, CR_ECONFLICT, "%zu learners are ranked, and %zu were compared",
                        l->learners, f.count);
    if ((score = cr__alloc(l->learners + 1, sizeof *score)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && cr_comparison_get(comparison, i, &e) == CR_OK; i++)
        st = strcmp(e.name, l->name[i]) == 0
                 ? score_of(&e, f.numbers, &score[i], err)
                 : cr__fail(err, CR_ECONFLICT, "%s is ranked, and %s was compared", l->name[i],
                            e.name);
    if (st == CR_OK)
        st = cr_league_add(l, set, score, f.numbers, err);
    cr__free(score);
    return st;
}

/* NaN if the learner lacks a score. */
static double mean_score(const cr_league *l, size_t learner)
{
    double sum = 0;

    for (size_t s = 0; s < l->sets; s++)
        sum += l->score[s * l->learners + learner];
    return sum / (double)l->sets;
}

/* The learner's share of the first place on a set. */
static double win(const double *score, size_t learners, size_t learner)
{
    double equal = 0;

    if (isnan(score[learner]))
        return 0;
    for (size_t i = 0; i < learners; i++) {
        if (score[i] > score[learner])
            return 0;
        equal += score[i] == score[learner];
    }
    return 1 / equal;
}

/* --- ranks ------------------------------------------------------------------------------------ */

cr_status cr_league_rank(cr_league *l, cr_error *err)
{
    double *score = cr__alloc(l->sets * l->learners + 1, sizeof *score), *rank = l->ranking.rank;
    size_t at = 0, able = 0;
    cr_status st = CR_OK;

    if (score == NULL)
        return cr__fail_memory(err);
    forget_ranks(l);
    for (size_t i = 0; i < l->learners; i++)
        able += !isnan(mean_score(l, i));
    for (size_t s = 0; s < l->sets; s++)
        for (size_t i = 0; i < l->learners; i++)
            if (!isnan(mean_score(l, i)))
                score[at++] = l->score[s * l->learners + i];
    if (able > 1)
        st = cr_compare_ranks(score, l->sets, able, &l->ranking, err);
    cr__free(score);
    if (st != CR_OK || able < 2)
        return st;
    l->ranked = able;
    for (size_t i = l->learners; i-- > 0;) /* from places among the ranked to those among all */
        rank[i] = isnan(mean_score(l, i)) ? NAN : rank[--able];
    return CR_OK;
}

void cr_league_get_facts(const cr_league *l, cr_league_facts *out)
{
    *out = (cr_league_facts){.learners = l->learners,
                             .sets = l->sets,
                             .ranked = l->ranked,
                             .first = SIZE_MAX,
                             .numbers = l->numbers,
                             .ranking = l->ranking};
    for (size_t i = l->learners; i-- > 0;)
        if (!isnan(l->ranking.rank[i]))
            out->first = i;
}

cr_status cr_league_get(const cr_league *l, size_t learner, cr_league_learner *out)
{
    *out = (cr_league_learner){NULL, NAN, NAN, 0};
    if (learner >= l->learners)
        return CR_EARG;
    out->name = l->name[learner];
    out->mean = mean_score(l, learner);
    out->rank = l->ranking.rank[learner];
    for (size_t s = 0; s < l->sets; s++)
        out->wins += win(l->score + s * l->learners, l->learners, learner);
    return CR_OK;
}

const char *cr_league_set(const cr_league *l, size_t set)
{
    return set < l->sets ? l->set[set] : NULL;
}

double cr_league_score(const cr_league *l, size_t set, size_t learner)
{
    return set < l->sets && learner < l->learners ? l->score[set * l->learners + learner] : NAN;
}

cr_status cr_league_against_first(const cr_league *l, size_t learner, double rope, uint64_t seed,
                                  double *worse, double *same, double *better, cr_error *err)
{
    cr_league_facts f;
    double *difference;
    cr_status st;

    *worse = *same = *better = NAN;
    cr_league_get_facts(l, &f);
    if (learner >= l->learners || isnan(l->ranking.rank[learner]))
        return cr__fail(err, CR_EARG, "the learner has no rank");
    if ((difference = cr__alloc(l->sets + 1, sizeof *difference)) == NULL)
        return cr__fail_memory(err);
    for (size_t s = 0; s < l->sets; s++)
        difference[s] = cr_league_score(l, s, learner) - cr_league_score(l, s, f.first);
    st = cr_compare_signed_rank(difference, l->sets, rope, seed, worse, same, better, err);
    cr__free(difference);
    return st;
}
