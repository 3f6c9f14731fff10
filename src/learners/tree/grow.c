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
#include "learners/tree/tree_impl.h"

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
    cr__tree_cut *cuts; /* [columns] */
    cr__tree_logs logs;
} grower;

static uint32_t class_of(const cr__table *rows, uint32_t row)
{
    return rows->column[rows->schema->target].code[row] - 1;
}

/* --- what a split is worth ------------------------------------------------------------------ */

/* Branches of the weights part[branch] with `rest` bits left in all; all rows weigh `total`. */
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

/* The best of one value against the others. */
static void judge_binary(const cr__tree_plan *plan, const cr__tree_logs *logs, double *table,
                         double info, double total, cr__tree_cut *s)
{
    const size_t K = plan->classes, values = plan->values[s->column];
    double *others = table + values * K;
    const double *all = others + K, known = cr__tree_sum(all, K);

    for (size_t v = 0; v < values; v++) {
        const double *one = table + v * K, own = cr__tree_sum(one, K);
        const double part[2] = {own, known - own};
        cr__tree_cut candidate = {.column = s->column, .value = (uint32_t)v + 1};

        for (size_t c = 0; c < K; c++)
            others[c] = fmax(0, all[c] - one[c]);
        if (part[0] < plan->least || part[1] < plan->least)
            continue;
        judge(&candidate, info, cr__tree_info(logs, one, K) + cr__tree_info(logs, others, K), part,
              2, total);
        if (candidate.gain > s->gain)
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

static void judge_symbol(grower *g, const errand *e, cr__tree_cut *s, double total)
{
    const cr__table *rows = g->plan->rows;
    const size_t K = g->plan->classes, values = g->plan->values[s->column];
    const uint32_t *code = rows->column[s->column].code;
    double *all = g->table + (values + 1) * K;

    memset(g->table, 0, ((values + 2) * K + values) * sizeof *g->table);
    for (size_t i = 0; i < e->rows; i++) {
        const uint32_t r = e->share[i].row;

        if (code[r] == CR__MISSING)
            continue;
        g->table[(code[r] - 1) * K + class_of(rows, r)] += e->share[i].weight;
        all[class_of(rows, r)] += e->share[i].weight;
    }
    cr__tree_judge_symbol(g->plan, &g->logs, g->table, total, s);
}

static int by_number(const void *pa, const void *pb)
{
    const sorted *a = pa, *b = pb;

    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return a->class_code < b->class_code ? -1 : a->class_code > b->class_code;
}

double cr__tree_least_side(const cr__tree_plan *plan, double known)
{
    const double tenth = 0.1 * known / (double)plan->classes;

    return fmax(plan->least, fmin(tenth, 25));
}

enum { LOGS_MOST = 1 << 20 };

cr_status cr__tree_logs_make(cr__tree_logs *logs, double most)
{
    logs->count = most < LOGS_MOST ? (size_t)most + 2 : LOGS_MOST;
    if ((logs->n_log_n = cr__alloc(logs->count, sizeof *logs->n_log_n)) == NULL)
        return CR_ENOMEM;
    logs->n_log_n[0] = 0;
    for (size_t n = 1; n < logs->count; n++)
        logs->n_log_n[n] = (double)n * log2((double)n);
    return CR_OK;
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

static cr_status judge_real(grower *g, const errand *e, cr__tree_cut *s, double total)
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
    least = cr__tree_least_side(g->plan, known);
    info = cr__tree_info(&g->logs, right, K);
    for (size_t i = 0; i + 1 < n; i++) {
        left[g->sorted[i].class_code] += g->sorted[i].weight;
        right[g->sorted[i].class_code] -= g->sorted[i].weight;
        below += g->sorted[i].weight;
        if (g->sorted[i].x == g->sorted[i + 1].x)
            continue;
        tried++;
        if (below >= least - 1e-9 && known - below >= least - 1e-9) {
            const double rest =
                cr__tree_info(&g->logs, left, K) + cr__tree_info(&g->logs, right, K);

            if (rest < best - 1e-9) {
                best = rest;
                at = i;
                s->threshold = below;
            }
        }
    }
    if (isinf(best))
        return CR_OK;
    cr__tree_judge_real(s, info, best, s->threshold, known, total, tried, g->sorted[at].x,
                        g->sorted[at + 1].x);
    return CR_OK;
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
            (chosen == SIZE_MAX || cuts[i].ratio > cuts[chosen].ratio))
            chosen = i;
    return chosen;
}

static cr_status choose(grower *g, const errand *e, double total, size_t *chosen)
{
    const cr_schema *schema = g->plan->rows->schema;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < schema->columns; i++) {
        g->cuts[i] = (cr__tree_cut){.column = i};
        if (!cr__stats_is_feature(schema, i))
            continue;
        if (schema->column[i].kind == CR_SYMBOL)
            judge_symbol(g, e, &g->cuts[i], total);
        else if (schema->column[i].kind == CR_REAL)
            st = judge_real(g, e, &g->cuts[i], total);
    }
    *chosen = st == CR_OK ? cr__tree_choose(g->cuts, schema->columns) : SIZE_MAX;
    return st;
}

/* --- growing -------------------------------------------------------------------------------- */

/* Nodes at the end, empty so far. */
static int add_nodes(grower *g, size_t more)
{
    const size_t K = g->plan->classes;

    if (g->nodes > UINT32_MAX - more || !cr__tree_may_add(g->plan, more) ||
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
    const double *count = g->count + e->node * K, total = cr__tree_sum(count, K);
    cr__tree_node *node;
    size_t chosen, children;
    cr_status st;

    if (total < 2 * g->plan->least || cr__tree_info(&g->logs, count, K) < 1e-9)
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

/* Whether some row lacks the value of a feature. */
static int lacks_some(const cr__table *rows)
{
    for (size_t i = 0; i < rows->schema->columns; i++) {
        const cr__table_column *column = &rows->column[i];

        if (!cr__stats_is_feature(rows->schema, i))
            continue;
        for (size_t r = 0; r < rows->rows; r++)
            if (column->kind == CR_REAL ? isnan(column->real[r]) : column->code[r] == CR__MISSING)
                return 1;
    }
    return 0;
}

/* Rows that lack values go down several branches, so that the columns are sorted at each node. */
static cr_status grow_shares(const cr__tree_plan *plan, cr__tree_node **node, double **count,
                             size_t *nodes)
{
    const size_t columns = plan->rows->schema->columns;
    grower g = {.plan = plan};
    cr_status st = CR_ENOMEM;

    g.table = cr__alloc(cr__tree_table_size(plan), sizeof *g.table);
    g.cuts = cr__alloc(columns, sizeof *g.cuts);
    if (g.table != NULL && g.cuts != NULL &&
        cr__tree_logs_make(&g.logs, (double)plan->rows->rows) == CR_OK)
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
    cr__free(g.logs.n_log_n);
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

cr_status cr__tree_grow(const cr__tree_plan *plan, cr__tree_node **node, double **count,
                        size_t *nodes)
{
    return lacks_some(plan->rows) ? grow_shares(plan, node, count, nodes)
                                  : cr__tree_grow_whole(plan, node, count, nodes);
}
