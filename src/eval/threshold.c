/* eval/threshold.c - the thresholds that would have cost least on given rows.
 *
 * Rows are sorted by p = P(second class). Those before a cut are decided for the first class, those
 * after another cut for the second, those between them rejected. With R the cost of rejecting, the
 * cost is R W + Σ_before (L(t, 0) - R) + Σ_behind (L(t, 1) - R): a function of the first cut plus
 * one of the second, so one walk over the second cut with the best first cut so far finds the
 * least. Without rejection the cuts are one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "eval/evaluation.h"

static int by_probability(const void *pa, const void *pb)
{
    const cr__binary_row *a = pa, *b = pb;

    if (a->p != b->p)
        return a->p < b->p ? -1 : 1;
    return a->truth < b->truth ? -1 : a->truth > b->truth;
}

/* Between row `at` and the one before it: rows of equal posterior cannot be separated. */
static double cut_before(const cr__binary_row *row, size_t rows, size_t at)
{
    if (at == 0)
        return 0;
    return at == rows ? 1 : row[at - 1].p + (row[at].p - row[at - 1].p) / 2;
}

static int may_cut(const cr__binary_row *row, size_t rows, size_t at)
{
    return at == 0 || at == rows || row[at - 1].p < row[at].p;
}

typedef struct cuts {
    size_t low, high;
    double cost; /* of all rows */
} cuts;

static cuts cheapest(const cr_rule *rule, const cr__binary_row *row, size_t rows)
{
    const int rejects = isfinite(rule->reject);
    const double base = rejects ? rule->reject : 0;
    double before = 0, behind = 0, least = 0, all = 0;
    cuts best = {.cost = INFINITY};
    size_t low = 0;

    for (size_t i = 0; i < rows; i++) {
        behind += row[i].weight * (cr_rule_cost(rule, (size_t)row[i].truth, 1) - base);
        all += row[i].weight * base;
    }
    for (size_t at = 0; at <= rows; at++) {
        if (may_cut(row, rows, at)) {
            if (!rejects || before < least) {
                least = before;
                low = at;
            }
            if (all + least + behind < best.cost)
                best = (cuts){low, at, all + least + behind};
        }
        if (at < rows) {
            before += row[at].weight * (cr_rule_cost(rule, (size_t)row[at].truth, 0) - base);
            behind -= row[at].weight * (cr_rule_cost(rule, (size_t)row[at].truth, 1) - base);
        }
    }
    return best;
}

cr_status cr_evaluation_threshold(const cr_evaluation *e, cr_threshold *out, double *cost,
                                  cr_error *err)
{
    cr__binary_row *row;
    double weight = 0;
    cuts best;

    *out = (cr_threshold){NAN, NAN, NAN};
    *cost = NAN;
    if (e->rule == NULL || e->classes != 2 || e->seen_count == 0)
        return cr__fail(err, CR_EARG, "a threshold needs a rule, two classes and some rows");
    if (e->seen_failed || (row = cr__alloc(e->seen_count, sizeof *row)) == NULL)
        return cr__fail_memory(err);
    memcpy(row, e->seen, e->seen_count * sizeof *row);
    qsort(row, e->seen_count, sizeof *row, by_probability);
    best = cheapest(e->rule, row, e->seen_count);
    for (size_t i = 0; i < e->seen_count; i++)
        weight += row[i].weight;
    out->low = cut_before(row, e->seen_count, best.low);
    out->high = cut_before(row, e->seen_count, best.high);
    out->decide = out->low + (out->high - out->low) / 2;
    *cost = best.cost / weight;
    cr__free(row);
    return CR_OK;
}
