/* data/folds.c - assign rows to folds: at random, class by class, or group by group.
 *
 * Single rows: the rows of each class are shuffled and dealt like cards, one class after the other
 * without starting over, so that folds differ by one row at most. Groups: shuffled, then the
 * largest first, each to the fold where it raises (n_f / N)² + Σ_c (n_fc / N_c)² least (n_f of the
 * N rows, and n_fc of the N_c rows of class c, are in fold f): that balances both the sizes and the
 * shares of the classes.
 */
#include "data/folds.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/random.h"

/* The rows by class code, those of a class in their order. */
static uint32_t *order_by(const uint32_t *code, size_t codes, size_t rows, size_t *start)
{
    uint32_t *order = cr__alloc(rows > 0 ? rows : 1, sizeof *order);

    for (size_t c = 0; c <= codes; c++)
        start[c] = 0;
    for (size_t r = 0; r < rows; r++)
        start[(code == NULL ? 0 : code[r]) + 1]++;
    for (size_t c = 0; c < codes; c++)
        start[c + 1] += start[c];
    for (size_t r = 0; order != NULL && r < rows; r++)
        order[start[code == NULL ? 0 : code[r]]++] = (uint32_t)r;
    for (size_t c = codes; c > 0; c--)
        start[c] = start[c - 1];
    start[0] = 0;
    return order;
}

static cr_status deal_rows(uint32_t *fold, const cr__deal *d, cr__random *random, cr_error *err)
{
    const size_t classes = d->class_code == NULL ? 1 : d->classes;
    size_t *start = cr__alloc(classes + 1, sizeof *start);
    uint32_t *order = start == NULL ? NULL : order_by(d->class_code, classes, d->rows, start);
    size_t next = 0;

    if (order == NULL) {
        cr__free(start);
        return cr__fail_memory(err);
    }
    for (size_t c = 0; c < classes; c++) {
        cr__random_shuffle(random, order + start[c], start[c + 1] - start[c]);
        for (size_t i = start[c]; i < start[c + 1]; i++)
            fold[order[i]] = (uint32_t)(next++ % d->folds);
    }
    cr__free(order);
    cr__free(start);
    return CR_OK;
}

/* --- groups ----------------------------------------------------------------------------------- */

typedef struct pile {
    uint32_t group;
    size_t rows, place; /* position breaks ties; it is random */
} pile;

static int largest_first(const void *pa, const void *pb)
{
    const pile *a = pa, *b = pb;

    if (a->rows != b->rows)
        return a->rows > b->rows ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static int list_piles(pile *piles, const size_t *start, size_t groups, cr__random *random)
{
    uint32_t *chance = cr__alloc(groups > 0 ? groups : 1, sizeof *chance);

    if (chance == NULL)
        return 0;
    for (size_t g = 0; g < groups; g++)
        chance[g] = (uint32_t)g;
    cr__random_shuffle(random, chance, groups);
    for (size_t i = 0; i < groups; i++)
        piles[i] = (pile){chance[i], start[chance[i] + 1] - start[chance[i]], i};
    cr__free(chance);
    qsort(piles, groups, sizeof *piles, largest_first);
    return 1;
}

/* What the rows of a group would add to the sum of squares of a fold. */
static double burden(const double *have, const double *more, const double *all, size_t classes)
{
    double sum = 0, rows = 0, added = 0, total = 0;

    for (size_t c = 0; c < classes; c++) {
        rows += have[c];
        added += more[c];
        total += all[c];
        if (more[c] > 0)
            sum += (2 * have[c] + more[c]) * more[c] / (all[c] * all[c]);
    }
    return sum + (2 * rows + added) * added / (total * total);
}

static void deal_piles(uint32_t *fold, const cr__deal *d, const pile *piles, const uint32_t *order,
                       const size_t *start, size_t classes, double *all, double *more, double *have)
{
    for (size_t r = 0; r < d->rows; r++)
        all[d->class_code == NULL ? 0 : d->class_code[r]]++;
    for (size_t i = 0; i < d->groups; i++) {
        const uint32_t g = piles[i].group;
        size_t best = 0;
        double least = 0;

        for (size_t c = 0; c < classes; c++)
            more[c] = 0;
        for (size_t k = start[g]; k < start[g + 1]; k++)
            more[d->class_code == NULL ? 0 : d->class_code[order[k]]]++;
        for (size_t f = 0; f < d->folds; f++) {
            const double b = burden(have + f * classes, more, all, classes);

            if (f == 0 || b < least) {
                least = b;
                best = f;
            }
        }
        for (size_t c = 0; c < classes; c++)
            have[best * classes + c] += more[c];
        for (size_t k = start[g]; k < start[g + 1]; k++)
            fold[order[k]] = (uint32_t)best;
    }
}

static cr_status deal_groups(uint32_t *fold, const cr__deal *d, cr__random *random, cr_error *err)
{
    const size_t classes = d->class_code == NULL ? 1 : d->classes;
    size_t *start = cr__alloc(d->groups + 1, sizeof *start);
    uint32_t *order = start == NULL ? NULL : order_by(d->group, d->groups, d->rows, start);
    pile *piles = cr__alloc(d->groups > 0 ? d->groups : 1, sizeof *piles);
    double *all = cr__alloc_zero(classes, sizeof *all),
           *more = cr__alloc_zero(classes, sizeof *all);
    double *have = cr__alloc_zero(d->folds, classes * sizeof *have);
    const int ready = order != NULL && piles != NULL && all != NULL && more != NULL &&
                      have != NULL && list_piles(piles, start, d->groups, random);

    if (ready)
        deal_piles(fold, d, piles, order, start, classes, all, more, have);
    cr__free(have);
    cr__free(more);
    cr__free(all);
    cr__free(piles);
    cr__free(order);
    cr__free(start);
    return ready ? CR_OK : cr__fail_memory(err);
}

cr_status cr__folds_deal(uint32_t *fold, const cr__deal *deal, cr_error *err)
{
    cr__random random;

    cr__random_seed(&random, deal->seed);
    return deal->group == NULL ? deal_rows(fold, deal, &random, err)
                               : deal_groups(fold, deal, &random, err);
}

void cr__folds_sort(const uint32_t *fold, size_t rows, size_t folds, uint32_t *list, size_t *start)
{
    for (size_t f = 0; f <= folds; f++)
        start[f] = 0;
    for (size_t r = 0; r < rows; r++)
        start[fold[r] + 1]++;
    for (size_t f = 0; f < folds; f++)
        start[f + 1] += start[f];
    for (size_t r = 0; r < rows; r++)
        list[start[fold[r]]++] = (uint32_t)r;
    for (size_t f = folds; f > 0; f--)
        start[f] = start[f - 1];
    start[0] = 0;
}

size_t cr__folds_list(const uint32_t *fold, const uint32_t *item, size_t rows, uint32_t which,
                      int in, uint32_t *list)
{
    size_t n = 0;

    for (size_t r = 0; r < rows; r++)
        if ((fold[r] == which) == (in != 0))
            list[n++] = item[r];
    return n;
}
