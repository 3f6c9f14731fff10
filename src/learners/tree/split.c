/* learners/tree/split.c - what a split of a node's rows is worth.
 *
 * With info the entropy of the classes in bits, T the rows at a node, known of them those that have
 * the feature (F their share), T_i those of branch i:
 *
 *     gain  = F (info(known) - Σ |T_i| / |known| info(T_i))
 *     ratio = gain / split,   split = -Σ |T_i| / |T| log2(|T_i| / |T|), missing as one more branch
 *
 * A number may be cut at any of d - 1 places, which costs log2(d - 1) / |T| of its gain (Quinlan
 * 1996, "Improved use of continuous attributes in C4.5"). Among the features whose gain is at least
 * the mean of all positive gains, the one with the best ratio is chosen.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "learners/tree/tree_impl.h"

/* Branches with the weights part[branch] and `rest` bits left in total; all rows weigh `total`. */
static void judge(cr__tree_cut *s, double info, double rest, const double *part, size_t parts,
                  double total)
{
    double known = 0, split = 0;

    for (size_t i = 0; i < parts; i++) {
        known += part[i];
        split -= part[i] > 0 ? part[i] / total * log2(part[i] / total) : 0;
    }
    if (total - known > 1e-9 * total)
        split -= (total - known) / total * log2((total - known) / total);
    s->gain = (info - rest) / total;
    s->ratio = split > 0 ? s->gain / split : 0;
}

/* The best of one value against the others, the first among equals. */
static void judge_binary(const cr__tree_plan *plan, const cr__tree_logs *logs, double *table,
                         double info, double total, cr__tree_cut *s)
{
    const size_t K = plan->classes, values = plan->values[s->column];
    double *others = table + values * K;
    const double *all = others + K, known = cr__tree_sum(all, K);

    for (size_t v = 0; v < values; v++) {
        const double *one = table + v * K, own = cr__tree_sum(one, K);
        const double part[2] = {own, known - own};
        cr__tree_cut candidate = {.column = s->column, .value = v + 1};

        for (size_t c = 0; c < K; c++)
            others[c] = fmax(0, all[c] - one[c]);
        if (part[0] < plan->least || part[1] < plan->least)
            continue;
        judge(&candidate, info, cr__tree_info(logs, one, K) + cr__tree_info(logs, others, K), part,
              2, total);
        if (candidate.gain > s->gain + 1e-9)
            *s = candidate;
    }
}

size_t cr__tree_table_size(const cr__tree_plan *plan)
{
    size_t widest = 2;

    for (size_t i = 0; i < plan->rows->schema->columns; i++)
        if (cr__stats_is_feature(plan->rows->schema, i) && plan->values[i] > widest)
            widest = plan->values[i];
    return (widest + 3) * (plan->classes + 1);
}

void cr__tree_judge_symbol(const cr__tree_plan *plan, const cr__tree_logs *logs, double *table,
                           double total, cr__tree_cut *s)
{
    const size_t K = plan->classes, values = plan->values[s->column];
    const double *all = table + (values + 1) * K, info = cr__tree_info(logs, all, K);
    double *part = table + (values + 2) * K, rest = 0;
    size_t enough = 0;

    if (plan->binary) {
        judge_binary(plan, logs, table, info, total, s);
        return;
    }
    for (size_t v = 0; v < values; v++) {
        part[v] = cr__tree_sum(table + v * K, K);
        rest += cr__tree_info(logs, table + v * K, K);
        enough += part[v] >= plan->least;
    }
    if (enough >= 2)
        judge(s, info, rest, part, values, total);
}

double cr__tree_least_side(const cr__tree_plan *plan, double known)
{
    const double tenth = 0.1 * known / (double)plan->classes;

    return fmax(plan->least, fmin(tenth, 25));
}

/* Integers in units of 2^-bits, as fine as fits into 62 bits: sums of them are exact, so they can
 * be updated while rows change sides. */
static cr_status make_units(cr__tree_logs *logs, size_t rows)
{
    const double all = (double)rows * log2((double)rows + 2);
    double scale;

    for (logs->bits = 40; ldexp(all, logs->bits) > ldexp(1, 62); logs->bits--)
        ;
    scale = ldexp(1, logs->bits);
    logs->margin = (int64_t)ceil(1e-9 * scale);
    if ((logs->unit = cr__alloc(rows + 1, sizeof *logs->unit)) == NULL)
        return CR_ENOMEM;
    logs->unit[0] = 0;
    for (size_t n = 1; n <= rows; n++)
        logs->unit[n] = (int64_t)((double)n * log2((double)n) * scale + 0.5);
    return CR_OK;
}

enum { LOGS_MOST = 1 << 20 };

cr_status cr__tree_logs_make(cr__tree_logs *logs, size_t rows, double most)
{
    logs->count = most < LOGS_MOST ? (size_t)most + 2 : LOGS_MOST;
    if ((logs->n_log_n = cr__alloc(logs->count, sizeof *logs->n_log_n)) == NULL)
        return CR_ENOMEM;
    logs->n_log_n[0] = 0;
    for (size_t n = 1; n < logs->count; n++)
        logs->n_log_n[n] = (double)n * log2((double)n);
    return make_units(logs, rows);
}

void cr__tree_logs_free(cr__tree_logs *logs)
{
    cr__free(logs->n_log_n);
    cr__free(logs->unit);
}

void cr__tree_judge_real(cr__tree_cut *s, double info, double rest, double below, double known,
                         double total, size_t tried, double a, double b)
{
    const double part[2] = {below, known - below};

    judge(s, info, rest, part, 2, total);
    s->gain -= log2((double)tried) / total;
    s->ratio = s->ratio > 0 ? s->ratio * s->gain / (s->gain + log2((double)tried) / total) : 0;
    s->threshold = a / 2 + b / 2;
    if (!(s->threshold >= a && s->threshold < b))
        s->threshold = a;
}

size_t cr__tree_choose(const cr__tree_cut *cuts, size_t columns)
{
    double mean = 0;
    size_t gaining = 0, chosen = SIZE_MAX;

    for (size_t i = 0; i < columns; i++)
        if (cuts[i].gain > 1e-9) {
            mean += cuts[i].gain;
            gaining++;
        }
    mean = gaining > 0 ? mean / (double)gaining : 0;
    for (size_t i = 0; i < columns; i++)
        if (cuts[i].gain > 1e-9 && cuts[i].gain >= mean - 1e-3 &&
            (chosen == SIZE_MAX || cuts[i].ratio > cuts[chosen].ratio + 1e-9))
            chosen = i;
    return chosen;
}

size_t cr__tree_branch(const cr__tree_node *node, cr_kind kind, uint32_t code, double x)
{
    if (kind == CR_REAL)
        return isnan(x) ? node->children : !(x <= node->threshold);
    if (code == CR__MISSING)
        return node->children;
    if (node->threshold > 0) /* one value, which is the threshold, against the others */
        return code != (uint32_t)node->threshold;
    return code <= node->children ? code - 1 : node->children;
}
