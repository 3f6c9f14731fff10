/* learners/tree/best_split.c - the best split of a node by each column.
 *
 * The cut points of a number are tried in ascending order. Where all rows have weight 1, the
 * remaining entropy of both sides,
 *
 *     n log n - Σ_c n_c log n_c   of the left, and the same of the right,
 *
 * is kept in integers, which change exactly by the class of the row that changes sides.
 */
#include "learners/tree/best_split.h"

#include <math.h>
#include <string.h>

/* --- symbols -------------------------------------------------------------------------------- */

static void split_symbol(const cr__tree_search *l, double *table, cr__tree_cut *cut)
{
    const cr__tree_frame *f = l->s.frame;
    const size_t K = f->plan->classes, values = f->plan->values[cut->column];
    const uint32_t *code = f->code[cut->column];
    const cr__tree_item *order = f->order + l->s.first;
    double *all = table + (values + 1) * K;

    memset(table, 0, ((values + 2) * K + values) * sizeof *table);
    for (size_t i = 0; i < l->s.rows; i++) {
        const uint32_t r = order[i].row;

        if (code[r] != CR__MISSING)
            table[(code[r] - 1) * K + f->class_of[r]] += cr__tree_row_weight(f, r);
    }
    for (size_t v = 0; v < values; v++)
        for (size_t c = 0; c < K; c++)
            all[c] += table[v * K + c];
    cr__tree_judge_symbol(f->plan, l->logs, table, l->total, cut);
}

/* --- numbers -------------------------------------------------------------------------------- */

size_t cr__tree_known(const cr__tree_stretch *s, size_t column)
{
    const cr__tree_item *list = s->frame->sorted[column] + s->first;
    size_t low = 0, high = s->rows;

    if (high > 0 && list[high - 1].rank != CR__TREE_UNKNOWN)
        return high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (list[middle].rank == CR__TREE_UNKNOWN)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The best place so far: after `at` rows of weight `below`, with `rest` bits left. */
typedef struct place {
    size_t at, tried;
    double below, rest;
} place;

/* Rows of weight 1, of which right[class] are on the right at first. */
static void try_units(const cr__tree_search *l, const cr__tree_item *list, size_t known,
                      size_t least, uint32_t *left, uint32_t *right, place *best)
{
    const uint32_t *class_of = l->s.frame->class_of;
    const int64_t *unit = l->logs->unit, margin = l->logs->margin;
    int64_t sum = 0, rest = INT64_MAX;
    size_t at = 0, tried = 0;

    for (size_t c = 0; c < l->s.frame->plan->classes; c++)
        sum += unit[right[c]];
    for (size_t i = 1; i < known; i++) {
        const uint32_t c = class_of[list[i - 1].row], n = left[c]++, m = right[c]--;
        int64_t here;

        sum += unit[n + 1] - unit[n] + unit[m - 1] - unit[m];
        if (list[i - 1].rank == list[i].rank)
            continue;
        tried++;
        here = unit[i] + unit[known - i] - sum;
        if (here < rest && i >= least && known - i >= least) {
            rest = here - margin;
            at = i;
        }
    }
    if (at > 0)
        *best = (place){at, tried, (double)at, ldexp((double)(rest + margin), -l->logs->bits)};
}

static void try_weights(const cr__tree_search *l, const cr__tree_item *list, size_t known,
                        double weight, double *left, double *right, place *best)
{
    const cr__tree_frame *f = l->s.frame;
    const size_t K = f->plan->classes;
    const double least = cr__tree_least_side(f->plan, weight);
    double below = 0, rest = INFINITY;

    for (size_t i = 1; i < known; i++) {
        const uint32_t r = list[i - 1].row;
        const double w = cr__tree_row_weight(f, r);

        left[f->class_of[r]] += w;
        right[f->class_of[r]] -= w;
        below += w;
        if (list[i - 1].rank == list[i].rank)
            continue;
        best->tried++;
        if (below >= least - 1e-9 && weight - below >= least - 1e-9) {
            const double here = cr__tree_info(l->logs, left, K) + cr__tree_info(l->logs, right, K);

            if (here < rest - 1e-9) {
                rest = here;
                *best = (place){i, best->tried, below, here};
            }
        }
    }
}

/* The weight by class of the rows that have the number: all of the node's, or counted. */
static void count_known(const cr__tree_search *l, const cr__tree_item *list, size_t known,
                        double *count)
{
    const cr__tree_frame *f = l->s.frame;
    const size_t K = f->plan->classes;

    if (known == l->s.rows) {
        memcpy(count, l->count, K * sizeof *count);
        return;
    }
    memset(count, 0, K * sizeof *count);
    for (size_t i = 0; i < known; i++)
        count[f->class_of[list[i].row]] += cr__tree_row_weight(f, list[i].row);
}

static void split_real(const cr__tree_search *l, double *table, cr__tree_cut *cut)
{
    const cr__tree_frame *f = l->s.frame;
    const size_t K = f->plan->classes, known = cr__tree_known(&l->s, cut->column);
    const cr__tree_item *list = f->sorted[cut->column] + l->s.first;
    const double *x = f->plan->rows->column[cut->column].real;
    double *right = table, *left = table + K, info, weight;
    place best = {0};

    count_known(l, list, known, right);
    info = cr__tree_info(l->logs, right, K);
    weight = cr__tree_sum(right, K);
    if (f->weight == NULL) {
        uint32_t *whole = (uint32_t *)(void *)left;

        memset(whole, 0, K * sizeof *whole);
        for (size_t c = 0; c < K; c++)
            whole[K + c] = (uint32_t)right[c];
        try_units(l, list, known, (size_t)ceil(cr__tree_least_side(f->plan, weight) - 1e-9), whole,
                  whole + K, &best);
    } else {
        memset(left, 0, K * sizeof *left);
        try_weights(l, list, known, weight, left, right, &best);
    }
    if (best.at == 0)
        return;
    cut->below = best.at;
    cr__tree_judge_real(cut, info, best.rest, best.below, weight, l->total, best.tried,
                        x[f->origin[list[best.at - 1].row]], x[f->origin[list[best.at].row]]);
}

void cr__tree_best_split(const cr__tree_search *search, double *table, cr__tree_cut *cut)
{
    if (search->s.frame->code[cut->column] != NULL)
        split_symbol(search, table, cut);
    else if (search->s.frame->sorted[cut->column] != NULL)
        split_real(search, table, cut);
}
