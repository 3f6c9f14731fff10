/* learners/tree/grow.c - grow a decision tree, node by node.
 *
 * With info the entropy of the classes in bits, T the rows at a node, known of them those that have
 * the feature (F their share), T_i those of branch i:
 *
 *     gain  = F (info(known) - Σ |T_i| / |known| info(T_i))
 *     ratio = gain / split,   split = -Σ |T_i| / |T| log2(|T_i| / |T|), missing as one more branch
 *
 * A number may be cut at any of d - 1 places, which costs log2(d - 1) / |T| of its gain (Quinlan
 * 1996, "Improved use of continuous attributes in C4.5"). Of the features whose gain is at least
 * the mean of all that gain anything, the best ratio is taken.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "learners/tree/tree.h"

/* Rows on their way, with what of their weight has come here. */
typedef struct share {
    uint32_t row;
    float unused; /* keeps the weight aligned */
    double weight;
} share;

typedef struct errand {
    uint32_t node;
    size_t rows;
    share *share;
} errand;

typedef struct cut {
    size_t column;
    double gain, ratio, threshold;
    uint32_t value; /* binary: this value against the others, as a code */
} cut;

typedef struct sorted {
    double x, weight;
    uint32_t class_code;
} sorted;

typedef struct grower {
    const cr__tree_plan *plan;
    cr__tree_node *node;
    double *count;
    size_t nodes, node_capacity, count_capacity;
    errand *errand;
    size_t errands, errand_capacity;
    double *table;  /* [(most values + 1) * classes] */
    sorted *sorted; /* [rows at the node] */
    size_t sorted_capacity;
    cut *cuts; /* [columns] */
} grower;

static double n_log_n(double n)
{
    return n > 0 ? n * log2(n) : 0;
}

/* n times the entropy. */
static double total_info(const double *n, size_t classes)
{
    double all = 0, sum = 0;

    for (size_t c = 0; c < classes; c++) {
        all += n[c];
        sum += n_log_n(n[c]);
    }
    return fmax(0, n_log_n(all) - sum);
}

static double sum_of(const double *n, size_t classes)
{
    double all = 0;

    for (size_t c = 0; c < classes; c++)
        all += n[c];
    return all;
}

static uint32_t class_of(const cr__table *rows, uint32_t row)
{
    return rows->column[rows->schema->target].code[row] - 1;
}

/* --- what a split is worth ------------------------------------------------------------------ */

/* Branches of the weights part[branch] with `rest` bits left in all; all rows weigh `total`. */
static void judge(cut *s, double info, double rest, const double *part, size_t parts, double total)
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

/* The best of one value against the others. */
static void judge_binary(const grower *g, cut *s, size_t values, double info, const double *all,
                         double total)
{
    const size_t K = g->plan->classes;
    double *others = g->table + values * K;

    for (size_t v = 0; v < values; v++) {
        const double *one = g->table + v * K, own = sum_of(one, K);
        double part[2] = {own, sum_of(all, K) - own};
        cut candidate = {.column = s->column, .value = (uint32_t)v + 1};

        for (size_t c = 0; c < K; c++)
            others[c] = fmax(0, all[c] - one[c]);
        if (part[0] < g->plan->least || part[1] < g->plan->least)
            continue;
        judge(&candidate, info, total_info(one, K) + total_info(others, K), part, 2, total);
        if (candidate.gain > s->gain)
            *s = candidate;
    }
}

static void judge_symbol(grower *g, const errand *e, cut *s, double total)
{
    const cr__table *rows = g->plan->rows;
    const size_t K = g->plan->classes, values = g->plan->values[s->column];
    const uint32_t *code = rows->column[s->column].code;
    double *all = g->table + (values + 1) * K, *part = all + K, rest = 0;
    size_t enough = 0;

    memset(g->table, 0, ((values + 2) * K + values) * sizeof *g->table);
    for (size_t i = 0; i < e->rows; i++) {
        const uint32_t r = e->share[i].row;

        if (code[r] == CR__MISSING)
            continue;
        g->table[(code[r] - 1) * K + class_of(rows, r)] += e->share[i].weight;
        all[class_of(rows, r)] += e->share[i].weight;
    }
    if (g->plan->binary) {
        judge_binary(g, s, values, total_info(all, K), all, total);
        return;
    }
    for (size_t v = 0; v < values; v++) {
        part[v] = sum_of(g->table + v * K, K);
        rest += total_info(g->table + v * K, K);
        enough += part[v] >= g->plan->least;
    }
    if (enough >= 2)
        judge(s, total_info(all, K), rest, part, values, total);
}

static int by_number(const void *pa, const void *pb)
{
    const sorted *a = pa, *b = pb;

    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return a->class_code < b->class_code ? -1 : a->class_code > b->class_code;
}

/* Rows that each side of a threshold must have: a tenth of what a class has, but no fewer than the
 * least and no more than 25. */
static double least_side(const grower *g, double known)
{
    const double tenth = 0.1 * known / (double)g->plan->classes;

    return fmax(g->plan->least, fmin(tenth, 25));
}

static cr_status judge_real(grower *g, const errand *e, cut *s, double total)
{
    const cr__table *rows = g->plan->rows;
    const size_t K = g->plan->classes;
    const double *x = rows->column[s->column].real;
    double *left = g->table, *right = g->table + K;
    double known = 0, below = 0, best = INFINITY, least, info;
    size_t n = 0, tried = 0, at = 0;

    if (!cr__grow(&g->sorted, &g->sorted_capacity, e->rows, sizeof *g->sorted))
        return CR_ENOMEM;
    memset(g->table, 0, 2 * K * sizeof *g->table);
    for (size_t i = 0; i < e->rows; i++) {
        const uint32_t r = e->share[i].row;

        if (isnan(x[r]))
            continue;
        g->sorted[n++] = (sorted){x[r], e->share[i].weight, class_of(rows, r)};
        right[class_of(rows, r)] += e->share[i].weight;
        known += e->share[i].weight;
    }
    qsort(g->sorted, n, sizeof *g->sorted, by_number);
    least = least_side(g, known);
    info = total_info(right, K);
    for (size_t i = 0; i + 1 < n; i++) {
        left[g->sorted[i].class_code] += g->sorted[i].weight;
        right[g->sorted[i].class_code] -= g->sorted[i].weight;
        below += g->sorted[i].weight;
        if (g->sorted[i].x == g->sorted[i + 1].x)
            continue;
        tried++;
        if (below >= least - 1e-9 && known - below >= least - 1e-9) {
            const double rest = total_info(left, K) + total_info(right, K);

            if (rest < best - 1e-9) {
                best = rest;
                at = i;
                s->threshold = below;
            }
        }
    }
    if (isinf(best))
        return CR_OK;
    const double part[2] = {s->threshold, known - s->threshold};

    judge(s, info, best, part, 2, total);
    s->gain -= log2((double)tried) / total;
    s->ratio = s->ratio > 0 ? s->ratio * s->gain / (s->gain + log2((double)tried) / total) : 0;
    s->threshold = g->sorted[at].x / 2 + g->sorted[at + 1].x / 2;
    if (!(s->threshold >= g->sorted[at].x && s->threshold < g->sorted[at + 1].x))
        s->threshold = g->sorted[at].x;
    return CR_OK;
}

/* The column to ask for, SIZE_MAX when none is worth it. */
static cr_status choose(grower *g, const errand *e, double total, size_t *chosen)
{
    const cr_schema *schema = g->plan->rows->schema;
    double mean = 0;
    size_t gaining = 0;
    cr_status st = CR_OK;

    *chosen = SIZE_MAX;
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++) {
        g->cuts[i] = (cut){.column = i};
        if (!cr__stats_is_feature(schema, i))
            continue;
        if (schema->column[i].kind == CR_SYMBOL)
            judge_symbol(g, e, &g->cuts[i], total);
        else if (schema->column[i].kind == CR_REAL)
            st = judge_real(g, e, &g->cuts[i], total);
        if (g->cuts[i].gain > 1e-9) {
            mean += g->cuts[i].gain;
            gaining++;
        }
    }
    mean = gaining > 0 ? mean / (double)gaining : 0;
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++)
        if (g->cuts[i].gain > 1e-9 && g->cuts[i].gain >= mean - 1e-3 &&
            (*chosen == SIZE_MAX || g->cuts[i].ratio > g->cuts[*chosen].ratio))
            *chosen = i;
    return st;
}

/* --- growing -------------------------------------------------------------------------------- */

/* Nodes at the end, empty so far. */
static int add_nodes(grower *g, size_t more)
{
    const size_t K = g->plan->classes;

    if (g->nodes > UINT32_MAX - more ||
        !cr__grow(&g->node, &g->node_capacity, g->nodes + more, sizeof *g->node) ||
        !cr__grow(&g->count, &g->count_capacity, (g->nodes + more) * K, sizeof *g->count))
        return 0;
    for (size_t i = 0; i < more; i++)
        g->node[g->nodes + i] = (cr__tree_node){.column = UINT32_MAX};
    memset(g->count + g->nodes * K, 0, more * K * sizeof *g->count);
    g->nodes += more;
    return 1;
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

static size_t branch_of(const cr__table *rows, const cr__tree_node *node, uint32_t row)
{
    const cr__table_column *column = &rows->column[node->column];

    return column->kind == CR_REAL ? cr__tree_branch(node, CR_REAL, 0, column->real[row])
                                   : cr__tree_branch(node, CR_SYMBOL, column->code[row], 0);
}

/* Deal the rows of an errand out to the children, of which each becomes an errand. */
static cr_status deal(grower *g, const errand *e)
{
    const cr__table *rows = g->plan->rows;
    const cr__tree_node node = g->node[e->node];
    double *part = g->table, known = 0;
    size_t *n = cr__alloc_zero(node.children, sizeof *n), missing = 0;
    cr_status st = CR_OK;

    if (n == NULL ||
        !cr__grow(&g->errand, &g->errand_capacity, g->errands + node.children, sizeof *g->errand)) {
        cr__free(n);
        return CR_ENOMEM;
    }
    memset(part, 0, node.children * sizeof *part);
    for (size_t i = 0; i < e->rows; i++) {
        const size_t b = branch_of(rows, &node, e->share[i].row);

        missing += b == node.children;
        if (b < node.children) {
            n[b]++;
            part[b] += e->share[i].weight;
            known += e->share[i].weight;
        }
    }
    for (size_t b = 0; b < node.children; b++) {
        const size_t room = n[b] + (part[b] > 0 ? missing : 0);
        errand child = {node.first + (uint32_t)b, 0, cr__alloc(room, sizeof *child.share)};

        if (child.share == NULL)
            st = CR_ENOMEM;
        for (size_t i = 0; st == CR_OK && i < e->rows; i++) {
            const size_t to = branch_of(rows, &node, e->share[i].row);
            share s = e->share[i];

            if (to != b && (to != node.children || !(part[b] > 0)))
                continue;
            s.weight *= to == b ? 1 : part[b] / known;
            child.share[child.rows++] = s;
            g->count[child.node * g->plan->classes + class_of(rows, s.row)] += s.weight;
        }
        g->errand[g->errands++] = child;
    }
    cr__free(n);
    return st;
}

/* One node: a leaf, or a question and its branches. */
static cr_status grow_node(grower *g, const errand *e)
{
    const size_t K = g->plan->classes;
    const double *count = g->count + e->node * K, total = sum_of(count, K);
    cr__tree_node *node;
    size_t chosen, children;
    cr_status st;

    if (total < 2 * g->plan->least || total_info(count, K) < 1e-9)
        return CR_OK;
    if ((st = choose(g, e, total, &chosen)) != CR_OK || chosen == SIZE_MAX)
        return st;
    children = g->plan->rows->column[chosen].kind == CR_REAL || g->plan->binary
                   ? 2
                   : g->plan->values[chosen];
    if (!add_nodes(g, children))
        return CR_ENOMEM;
    node = &g->node[e->node];
    *node = (cr__tree_node){.column = (uint32_t)chosen,
                            .children = (uint32_t)children,
                            .first = (uint32_t)(g->nodes - children),
                            .threshold = g->plan->rows->column[chosen].kind == CR_REAL
                                             ? g->cuts[chosen].threshold
                                             : g->cuts[chosen].value};
    return deal(g, e);
}

static cr_status plant(grower *g)
{
    const cr__table *rows = g->plan->rows;
    errand root = {0, rows->rows, cr__alloc(rows->rows, sizeof *root.share)};

    if (root.share == NULL || !add_nodes(g, 1) ||
        !cr__grow(&g->errand, &g->errand_capacity, 1, sizeof *g->errand)) {
        cr__free(root.share);
        return CR_ENOMEM;
    }
    for (uint32_t r = 0; r < rows->rows; r++) {
        const double w = rows->weight == NULL ? 1 : rows->weight[r];

        root.share[r] = (share){r, 0, w};
        g->count[class_of(rows, r)] += w;
    }
    g->errand[g->errands++] = root;
    return CR_OK;
}

cr_status cr__tree_grow(const cr__tree_plan *plan, cr__tree_node **node, double **count,
                        size_t *nodes)
{
    const size_t columns = plan->rows->schema->columns;
    grower g = {.plan = plan};
    size_t widest = 2;
    cr_status st = CR_ENOMEM;

    for (size_t i = 0; i < columns; i++)
        widest = plan->values[i] > widest ? plan->values[i] : widest;
    g.table = cr__alloc(widest + 3, (plan->classes + 1) * sizeof *g.table);
    g.cuts = cr__alloc(columns, sizeof *g.cuts);
    if (g.table != NULL && g.cuts != NULL)
        st = plant(&g);
    while (st == CR_OK && g.errands > 0) {
        const errand e = g.errand[--g.errands];

        st = grow_node(&g, &e);
        cr__free(e.share);
    }
    while (g.errands > 0)
        cr__free(g.errand[--g.errands].share);
    cr__free(g.errand);
    cr__free(g.table);
    cr__free(g.sorted);
    cr__free(g.cuts);
    if (st != CR_OK) {
        cr__free(g.node);
        cr__free(g.count);
        return st;
    }
    *node = g.node;
    *count = g.count;
    *nodes = g.nodes;
    return CR_OK;
}
