/* learners/tree/presort.c - grow a tree of a table that lacks nothing from columns sorted once.
 *
 * Every real column is sorted by its numbers at the start. The rows of a node are a stretch of each
 * sorted column, and a split deals each stretch out to the branches without changing the order
 * (SLIQ: Mehta, Agrawal & Rissanen 1996). So a level of the tree costs as much as there are rows,
 * whatever its nodes are. Large nodes are looked at column by column on all threads; small ones are
 * left aside, and the trees below them grown as tasks of their own. In the end the nodes are
 * numbered as grow.c numbers them, so threads leave no trace.
 *
 * The members of a team, who all have all rows, share out the columns of large nodes and the tasks.
 */
#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/team.h"
#include "learners/tree/tree_impl.h"

/* A row in a sorted column: equal numbers have equal ranks. */
typedef struct item {
    uint32_t row, rank;
} item;

/* What all tasks share. Tasks have different rows, and write only to what is theirs. */
typedef struct forest {
    const cr__tree_plan *plan;
    cr__tree_logs logs;
    uint32_t *row;      /* [rows] in the order of the table, node by node */
    item **sorted;      /* [columns] of real features, likewise, by number */
    uint32_t *branch;   /* [rows] where a row goes */
    uint32_t *class_of; /* [rows] */
    cr_run run;
    const cr_team *team; /* NULL: none */
} forest;

/* A node that is to be looked at: a stretch of the rows. */
typedef struct stretch {
    size_t node, first, rows;
} stretch;

/* A tree in the making, whose nodes have numbers of its own. */
typedef struct part {
    forest *f;
    cr__tree_node *node;
    double *count;
    size_t *task; /* [nodes] the task that grows what is below, from 1 on; 0: none */
    size_t nodes, node_capacity, count_capacity, task_capacity;
    stretch *wait;
    size_t waits, wait_capacity;
    item *spare;         /* [rows] */
    uint32_t *spare_row; /* [rows] */
    double *table;       /* as judging needs it */
    cr__tree_cut *cuts;  /* [columns] */
} part;

static void free_part(part *p)
{
    cr__free(p->node);
    cr__free(p->count);
    cr__free(p->task);
    cr__free(p->wait);
    cr__free(p->spare);
    cr__free(p->spare_row);
    cr__free(p->table);
    cr__free(p->cuts);
}

/* --- sorting -------------------------------------------------------------------------------- */

typedef struct keyed {
    uint64_t key;
    uint32_t row;
} keyed;

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static void sort_digit(const keyed *from, keyed *to, size_t n, unsigned shift)
{
    uint32_t start[DIGITS] = {0}, sum = 0;

    for (size_t i = 0; i < n; i++)
        start[(from[i].key >> shift) & (DIGITS - 1)]++;
    for (size_t d = 0; d < DIGITS; d++) {
        const uint32_t own = start[d];

        start[d] = sum;
        sum += own;
    }
    for (size_t i = 0; i < n; i++)
        to[start[(from[i].key >> shift) & (DIGITS - 1)]++] = from[i];
}

static cr_status sort_column(void *context, size_t column, cr_error *err)
{
    forest *f = context;
    const cr__table *table = f->plan->rows;
    const size_t n = table->rows;
    keyed *list, *spare;
    cr_status st = CR_OK;

    (void)err;
    if (f->sorted[column] == NULL)
        return CR_OK;
    list = cr__alloc(n, sizeof *list);
    spare = cr__alloc(n, sizeof *spare);
    if (list == NULL || spare == NULL)
        st = CR_ENOMEM;
    for (size_t r = 0; st == CR_OK && r < n; r++)
        list[r] = (keyed){cr__values_key(table->column[column].real[r]), (uint32_t)r};
    for (unsigned shift = 0; st == CR_OK && shift < 64; shift += DIGIT_BITS) {
        keyed *swap = list;

        sort_digit(list, spare, n, shift);
        list = spare;
        spare = swap;
    }
    for (size_t r = 0; st == CR_OK && r < n; r++)
        f->sorted[column][r] =
            (item){list[r].row,
                   r == 0 ? 0 : f->sorted[column][r - 1].rank + (list[r].key != list[r - 1].key)};
    cr__free(list);
    cr__free(spare);
    return st;
}

/* --- what splits are worth ------------------------------------------------------------------ */

static double weight_of(const forest *f, uint32_t row)
{
    return f->plan->rows->weight == NULL ? 1 : f->plan->rows->weight[row];
}

static void judge_symbol(const part *p, const stretch *s, double total, double *table,
                         cr__tree_cut *cut)
{
    const forest *f = p->f;
    const size_t K = f->plan->classes, values = f->plan->values[cut->column];
    const uint32_t *code = f->plan->rows->column[cut->column].code;

    memset(table, 0, ((values + 2) * K + values) * sizeof *table);
    for (size_t i = 0; i < s->rows; i++) {
        const uint32_t r = f->row[s->first + i];

        table[(code[r] - 1) * K + f->class_of[r]] += weight_of(f, r);
        table[(values + 1) * K + f->class_of[r]] += weight_of(f, r);
    }
    cr__tree_judge_symbol(f->plan, &f->logs, table, total, cut);
}

/* n times the entropy, of the terms n_c log2 n_c of its classes. */
static double info_of(const cr__tree_logs *logs, double n, const double *term, size_t K)
{
    double sum = 0, info;

    for (size_t c = 0; c < K; c++)
        sum += term[c];
    info = cr__tree_n_log_n(logs, n) - sum;
    return info > 0 ? info : 0;
}

/* The rows on both sides of a place, and n log2 n of each class. */
typedef struct sides {
    double *left, *right, *left_term, *right_term; /* [classes] */
    double below;
} sides;

static sides open_sides(const forest *f, const double *count, double *table)
{
    const size_t K = f->plan->classes;
    const sides s = {table, table + K, table + 2 * K, table + 3 * K, 0};

    memset(s.left, 0, K * sizeof *s.left);
    memset(s.left_term, 0, K * sizeof *s.left_term);
    memcpy(s.right, count, K * sizeof *s.right);
    for (size_t c = 0; c < K; c++)
        s.right_term[c] = cr__tree_n_log_n(&f->logs, count[c]);
    return s;
}

static void pass_row(const forest *f, sides *s, uint32_t row)
{
    const uint32_t c = f->class_of[row];
    const double w = weight_of(f, row);

    s->left[c] += w;
    s->right[c] -= w;
    s->below += w;
    s->left_term[c] = cr__tree_n_log_n(&f->logs, s->left[c]);
    s->right_term[c] = cr__tree_n_log_n(&f->logs, s->right[c]);
}

/* The best place between two numbers. */
static void judge_real(const part *p, const stretch *s, double total, double *table,
                       cr__tree_cut *cut)
{
    const forest *f = p->f;
    const size_t K = f->plan->classes;
    const double *x = f->plan->rows->column[cut->column].real;
    const double *count = p->count + s->node * K;
    const item *list = f->sorted[cut->column] + s->first;
    const double least = cr__tree_least_side(f->plan, total);
    sides both = open_sides(f, count, table);
    double best = INFINITY, part_below = 0;
    size_t tried = 0, at = 0;

    for (size_t i = 0; i + 1 < s->rows; i++) {
        pass_row(f, &both, list[i].row);
        if (list[i].rank == list[i + 1].rank)
            continue;
        tried++;
        if (both.below >= least - 1e-9 && total - both.below >= least - 1e-9) {
            const double rest = info_of(&f->logs, both.below, both.left_term, K) +
                                info_of(&f->logs, total - both.below, both.right_term, K);

            if (rest < best - 1e-9) {
                best = rest;
                at = i;
                part_below = both.below;
            }
        }
    }
    if (!isinf(best))
        cr__tree_judge_real(cut, cr__tree_info(&f->logs, count, K), best, part_below, total, total,
                            tried, x[list[at].row], x[list[at + 1].row]);
}

/* Looking at the columns of one node. */
typedef struct looking {
    part *p;
    const stretch *s;
    double total;
    double *own; /* a table for each column when there are several threads, or NULL */
    size_t table;
    int shared; /* by the members of a team */
} looking;

/* Whether column or task i is another member's. */
static int is_others(const forest *f, size_t i)
{
    return f->team != NULL && i % (size_t)f->team->ranks != (size_t)f->team->rank;
}

static cr_status judge_column(void *context, size_t i, cr_error *err)
{
    const looking *l = context;
    part *p = l->p;
    const cr_schema *schema = p->f->plan->rows->schema;
    double *table = l->own == NULL ? p->table : l->own + i * l->table;

    (void)err;
    if (l->shared && is_others(p->f, i)) {
        memset(&p->cuts[i], 0, sizeof p->cuts[i]);
        return CR_OK;
    }
    p->cuts[i] = (cr__tree_cut){.column = i};
    if (!cr__stats_is_feature(schema, i))
        return CR_OK;
    if (schema->column[i].kind == CR_SYMBOL)
        judge_symbol(p, l->s, l->total, table, &p->cuts[i]);
    else if (schema->column[i].kind == CR_REAL)
        judge_real(p, l->s, l->total, table, &p->cuts[i]);
    return CR_OK;
}

/* --- dealing out ---------------------------------------------------------------------------- */

enum { PARALLEL_LEAST = 1 << 14 }; /* rows of a node that all threads look at together */

/* One sorted column's stretch dealt out to the branches, which begin at start. */
static void deal_items(const forest *f, size_t column, const stretch *s, const size_t *start,
                       size_t branches, size_t *next, item *spare)
{
    item *list = f->sorted[column] + s->first;

    memcpy(next, start, branches * sizeof *next);
    for (size_t i = 0; i < s->rows; i++)
        spare[next[f->branch[list[i].row]]++] = list[i];
    memcpy(list, spare, s->rows * sizeof *list);
}

/* Where each branch's rows begin, from the first row of the node on. */
static void count_branches(const part *p, const stretch *s, const cr__tree_node *node,
                           size_t *start)
{
    const forest *f = p->f;
    const cr__table_column *data = &f->plan->rows->column[node->column];
    size_t sum = 0;

    memset(start, 0, node->children * sizeof *start);
    for (size_t i = 0; i < s->rows; i++) {
        const uint32_t r = f->row[s->first + i];
        const size_t b = data->kind == CR_REAL ? cr__tree_branch(node, CR_REAL, 0, data->real[r])
                                               : cr__tree_branch(node, CR_SYMBOL, data->code[r], 0);

        f->branch[r] = (uint32_t)b;
        start[b]++;
        p->count[(node->first + b) * f->plan->classes + f->class_of[r]] += weight_of(f, r);
    }
    for (size_t b = 0; b < node->children; b++) {
        const size_t own = start[b];

        start[b] = sum;
        sum += own;
    }
}

typedef struct dealing {
    const part *p;
    const stretch *s;
    const size_t *start;
    size_t branches;
    item *spare; /* one for all columns, or NULL: each has its own */
    size_t *next;
} dealing;

static cr_status deal_column(void *context, size_t column, cr_error *err)
{
    const dealing *d = context;
    const forest *f = d->p->f;
    item *spare = d->spare;
    size_t *next = d->next;

    (void)err;
    if (f->sorted[column] == NULL)
        return CR_OK;
    if (spare == NULL) {
        spare = cr__alloc(d->s->rows, sizeof *spare);
        next = cr__alloc(d->branches, sizeof *next);
    }
    if (spare != NULL && next != NULL)
        deal_items(f, column, d->s, d->start, d->branches, next, spare);
    if (d->spare == NULL) {
        cr__free(next);
        cr__free(spare);
        return spare == NULL || next == NULL ? CR_ENOMEM : CR_OK;
    }
    return CR_OK;
}

static cr_status for_columns(const part *p, const stretch *s,
                             cr_status (*work)(void *, size_t, cr_error *), void *context)
{
    const size_t columns = p->f->plan->rows->schema->columns;
    cr_status st = CR_OK;

    if (s->rows >= PARALLEL_LEAST)
        return cr__parallel_for(&p->f->run, columns, work, context, NULL);
    for (size_t i = 0; st == CR_OK && i < columns; i++)
        st = work(context, i, NULL);
    return st;
}

/* The rows of a node go to its children, each of which waits then. */
static cr_status deal(part *p, const stretch *s)
{
    const forest *f = p->f;
    const cr__tree_node node = p->node[s->node];
    size_t *start = cr__alloc(node.children, 2 * sizeof *start);
    size_t *next = start + node.children;
    cr_status st = start == NULL || !cr__grow(&p->wait, &p->wait_capacity, p->waits + node.children,
                                              sizeof *p->wait)
                       ? CR_ENOMEM
                       : CR_OK;

    if (st == CR_OK) {
        count_branches(p, s, &node, start);
        memcpy(next, start, node.children * sizeof *next);
        for (size_t i = 0; i < s->rows; i++)
            p->spare_row[next[f->branch[f->row[s->first + i]]]++] = f->row[s->first + i];
        memcpy(f->row + s->first, p->spare_row, s->rows * sizeof *f->row);
        st = for_columns(p, s, deal_column,
                         &(dealing){p, s, start, node.children,
                                    s->rows >= PARALLEL_LEAST ? NULL : p->spare, next});
    }
    for (size_t b = 0; st == CR_OK && b < node.children; b++) {
        const size_t end = b + 1 < node.children ? start[b + 1] : s->rows;

        p->wait[p->waits++] = (stretch){node.first + b, s->first + start[b], end - start[b]};
    }
    cr__free(start);
    return st;
}

/* --- growing -------------------------------------------------------------------------------- */

static int add_nodes(part *p, size_t more)
{
    const size_t K = p->f->plan->classes;

    if (p->nodes > UINT32_MAX - more || !cr__tree_may_add(p->f->plan, more) ||
        !cr__grow(&p->node, &p->node_capacity, p->nodes + more, sizeof *p->node) ||
        !cr__grow(&p->count, &p->count_capacity, (p->nodes + more) * K, sizeof *p->count) ||
        !cr__grow(&p->task, &p->task_capacity, p->nodes + more, sizeof *p->task))
        return 0;
    for (size_t i = 0; i < more; i++) {
        p->node[p->nodes + i] = (cr__tree_node){.column = UINT32_MAX};
        p->task[p->nodes + i] = 0;
    }
    memset(p->count + p->nodes * K, 0, more * K * sizeof *p->count);
    p->nodes += more;
    return 1;
}

static cr_status share_cuts(const cr_team *team, cr__tree_cut *cuts, size_t columns, cr_status st)
{
    st = cr__team_agree(team, st, NULL);
    return st == CR_OK ? cr__team_add(team, (uint64_t *)(void *)cuts,
                                      columns * sizeof *cuts / sizeof(uint64_t), NULL)
                       : st;
}

static cr_status choose(part *p, const stretch *s, double total, size_t *chosen)
{
    const forest *f = p->f;
    const size_t columns = f->plan->rows->schema->columns;
    looking l = {.p = p, .s = s, .total = total, .table = cr__tree_table_size(f->plan)};
    cr_status st = CR_OK;

    if (s->rows >= PARALLEL_LEAST && (l.own = cr__alloc(columns, l.table * sizeof *l.own)) == NULL)
        st = CR_ENOMEM;
    l.shared = f->team != NULL && s->rows >= PARALLEL_LEAST;
    if (st == CR_OK)
        st = for_columns(p, s, judge_column, &l);
    cr__free(l.own);
    if (l.shared) /* what one member has judged is 0 for all others */
        st = share_cuts(f->team, p->cuts, columns, st);
    *chosen = st == CR_OK ? cr__tree_choose(p->cuts, columns) : SIZE_MAX;
    return st;
}

/* One node: a leaf, or a question and its branches. */
static cr_status grow_node(part *p, const stretch *s)
{
    const forest *f = p->f;
    const size_t K = f->plan->classes;
    const double *count = p->count + s->node * K, total = cr__tree_sum(count, K);
    size_t chosen, children;
    cr_status st;
    int real;

    if (total < 2 * f->plan->least || cr__tree_info(&f->logs, count, K) < 1e-9)
        return CR_OK;
    if ((st = choose(p, s, total, &chosen)) != CR_OK || chosen == SIZE_MAX)
        return st;
    real = f->plan->rows->column[chosen].kind == CR_REAL;
    children = real || f->plan->binary ? 2 : f->plan->values[chosen];
    if (!add_nodes(p, children))
        return CR_ENOMEM;
    p->node[s->node] =
        (cr__tree_node){.column = (uint32_t)chosen,
                        .children = (uint32_t)children,
                        .first = (uint32_t)(p->nodes - children),
                        .threshold = real ? p->cuts[chosen].threshold : p->cuts[chosen].value};
    return deal(p, s);
}

static cr_status open_part(part *p, forest *f, size_t rows)
{
    *p = (part){.f = f};
    p->spare = cr__alloc(rows, sizeof *p->spare);
    p->spare_row = cr__alloc(rows, sizeof *p->spare_row);
    p->table = cr__alloc(cr__tree_table_size(f->plan), sizeof *p->table);
    p->cuts = cr__alloc(f->plan->rows->schema->columns, sizeof *p->cuts);
    return p->spare == NULL || p->spare_row == NULL || p->table == NULL || p->cuts == NULL ||
                   !add_nodes(p, 1) || !cr__grow(&p->wait, &p->wait_capacity, 1, sizeof *p->wait)
               ? CR_ENOMEM
               : CR_OK;
}

/* The top of the tree, and what grows below it. */
typedef struct growth {
    forest f;
    part top;
    stretch *task; /* [tasks] */
    part *below;   /* [tasks] */
    size_t tasks, task_capacity;
} growth;

static cr_status grow_top(growth *g)
{
    cr_status st = CR_OK;

    while (st == CR_OK && g->top.waits > 0) {
        const stretch s = g->top.wait[--g->top.waits];

        if (s.rows >= PARALLEL_LEAST) {
            st = grow_node(&g->top, &s);
        } else if (cr__grow(&g->task, &g->task_capacity, g->tasks + 1, sizeof *g->task)) {
            g->task[g->tasks++] = s;
            g->top.task[s.node] = g->tasks;
        } else {
            st = CR_ENOMEM;
        }
    }
    return st;
}

static cr_status grow_below(void *context, size_t i, cr_error *err)
{
    growth *g = context;
    part *p = &g->below[i];
    const size_t K = g->f.plan->classes;
    cr_status st = open_part(p, &g->f, g->task[i].rows);

    (void)err;
    if (is_others(&g->f, i)) {
        cr__free(p->spare);
        cr__free(p->spare_row);
        p->spare = NULL;
        p->spare_row = NULL;
        return st;
    }
    if (st == CR_OK) {
        memcpy(p->count, g->top.count + g->task[i].node * K, K * sizeof *p->count);
        p->wait[p->waits++] = (stretch){0, g->task[i].first, g->task[i].rows};
    }
    while (st == CR_OK && p->waits > 0) {
        const stretch s = p->wait[--p->waits];

        st = grow_node(p, &s);
    }
    cr__free(p->spare);
    cr__free(p->spare_row);
    p->spare = NULL;
    p->spare_row = NULL;
    return st;
}

/* --- the tasks of a team -------------------------------------------------------------------- */

/* The trees of one member's tasks, or with SIZE_MAX of all. */
static void put_tasks(const growth *g, size_t member, cr__buffer *out)
{
    const size_t K = g->f.plan->classes, ranks = (size_t)g->f.team->ranks;

    for (size_t i = 0; i < g->tasks; i++) {
        const part *p = &g->below[i];
        const uint64_t nodes = p->nodes;

        if (member != SIZE_MAX && i % ranks != member)
            continue;
        cr__buffer_add(out, &nodes, sizeof nodes);
        cr__buffer_add(out, p->node, p->nodes * sizeof *p->node);
        cr__buffer_add(out, p->count, p->nodes * K * sizeof *p->count);
    }
}

static int take_tasks(growth *g, size_t member, const char *at, size_t left)
{
    const size_t K = g->f.plan->classes, ranks = (size_t)g->f.team->ranks;

    for (size_t i = 0; i < g->tasks; i++) {
        part *p = &g->below[i];
        uint64_t nodes;

        if (member != SIZE_MAX && i % ranks != member)
            continue;
        if (left < sizeof nodes)
            return 0;
        memcpy(&nodes, at, sizeof nodes);
        if (nodes > (left - sizeof nodes) / (sizeof *p->node + K * sizeof *p->count) ||
            nodes < p->nodes || (nodes > p->nodes && !add_nodes(p, (size_t)nodes - p->nodes)))
            return 0;
        at += sizeof nodes;
        memcpy(p->node, at, nodes * sizeof *p->node);
        at += nodes * sizeof *p->node;
        memcpy(p->count, at, nodes * K * sizeof *p->count);
        at += nodes * K * sizeof *p->count;
        left -= sizeof nodes + nodes * (sizeof *p->node + K * sizeof *p->count);
    }
    return 1;
}

/* To the first member and from there to all. */
static cr_status share_tasks(growth *g, cr_status st)
{
    const cr_team *team = g->f.team;
    cr__buffer own = {0};
    void *bytes = NULL;
    size_t size = 0;

    st = cr__team_agree(team, st, NULL);
    if (st == CR_OK && team->rank > 0) {
        put_tasks(g, (size_t)team->rank, &own);
        st = cr__team_give(team, 0, own.data, own.failed ? 0 : own.size, NULL);
    }
    for (int r = 1; st == CR_OK && team->rank == 0 && r < team->ranks; r++) {
        if ((st = cr__team_take(team, r, &bytes, &size, NULL)) == CR_OK &&
            !take_tasks(g, (size_t)r, bytes, size))
            st = CR_ENOMEM;
        cr__free(bytes);
        bytes = NULL;
    }
    if (st == CR_OK && team->rank == 0)
        put_tasks(g, SIZE_MAX, &own);
    st = cr__team_agree(team, st == CR_OK && own.failed ? CR_ENOMEM : st, NULL);
    if (st == CR_OK) {
        bytes = own.data;
        size = own.size;
        st = cr__team_broadcast(team, &bytes, &size, NULL);
    }
    if (st == CR_OK && team->rank > 0 && !take_tasks(g, SIZE_MAX, bytes, size))
        st = CR_ENOMEM;
    if (team->rank > 0 && bytes != own.data)
        cr__free(bytes);
    cr__buffer_free(&own);
    return cr__team_agree(team, st, NULL);
}

/* --- all together --------------------------------------------------------------------------- */

/* A node by the part it is in. */
typedef struct place {
    const part *part;
    size_t node;
    size_t number; /* in the whole tree */
} place;

static place real_place(const growth *g, place at)
{
    return at.part == &g->top && g->top.task[at.node] != 0
               ? (place){&g->below[g->top.task[at.node] - 1], 0, at.number}
               : at;
}

/* Number the nodes as if they had been grown one after another, the last that waits first. */
static cr_status assemble(const growth *g, cr__tree_node **node, double **count, size_t *nodes)
{
    const size_t K = g->f.plan->classes;
    size_t all = g->top.nodes, waits = 0, used = 1;
    place *wait;

    for (size_t i = 0; i < g->tasks; i++)
        all += g->below[i].nodes - 1;
    *node = cr__alloc(all, sizeof **node);
    *count = cr__alloc(all * K, sizeof **count);
    wait = cr__alloc(all, sizeof *wait);
    *nodes = all;
    if (*node == NULL || *count == NULL || wait == NULL || all > UINT32_MAX) {
        cr__free(wait);
        cr__free(*node);
        cr__free(*count);
        *node = NULL;
        *count = NULL;
        return CR_ENOMEM;
    }
    wait[waits++] = (place){&g->top, 0, 0};
    while (waits > 0) {
        const place at = real_place(g, wait[--waits]);
        cr__tree_node one = at.part->node[at.node];
        const size_t first = one.first;

        one.first = one.children == 0 ? 0 : (uint32_t)used;
        (*node)[at.number] = one;
        memcpy(*count + at.number * K, at.part->count + at.node * K, K * sizeof **count);
        for (size_t b = 0; b < one.children; b++)
            wait[waits++] = (place){at.part, first + b, used++};
    }
    cr__free(wait);
    return CR_OK;
}

static cr_status open_forest(forest *f, const cr__tree_plan *plan)
{
    const cr__table *table = plan->rows;
    const size_t columns = table->schema->columns, n = table->rows;
    double all = 0;

    *f = (forest){.plan = plan, .run = plan->run == NULL ? (cr_run){0} : *plan->run};
    f->run.progress = NULL;
    f->team = cr__team_of(plan->run);
    f->row = cr__alloc(n, sizeof *f->row);
    f->branch = cr__alloc(n, sizeof *f->branch);
    f->class_of = cr__alloc(n, sizeof *f->class_of);
    f->sorted = cr__alloc_zero(columns, sizeof *f->sorted);
    if (f->row == NULL || f->branch == NULL || f->class_of == NULL || f->sorted == NULL)
        return CR_ENOMEM;
    for (size_t r = 0; r < n; r++) {
        f->row[r] = (uint32_t)r;
        f->class_of[r] = table->column[table->schema->target].code[r] - 1;
        all += weight_of(f, (uint32_t)r);
    }
    for (size_t i = 0; i < columns; i++)
        if (cr__stats_is_feature(table->schema, i) && table->column[i].kind == CR_REAL &&
            (f->sorted[i] = cr__alloc(n, sizeof **f->sorted)) == NULL)
            return CR_ENOMEM;
    if (cr__tree_logs_make(&f->logs, all) != CR_OK)
        return CR_ENOMEM;
    return cr__parallel_for(&f->run, columns, sort_column, f, NULL);
}

static void close_forest(forest *f)
{
    for (size_t i = 0; f->sorted != NULL && i < f->plan->rows->schema->columns; i++)
        cr__free(f->sorted[i]);
    cr__free(f->sorted);
    cr__free(f->row);
    cr__free(f->branch);
    cr__free(f->class_of);
    cr__free(f->logs.n_log_n);
}

cr_status cr__tree_grow_whole(const cr__tree_plan *plan, cr__tree_node **node, double **count,
                              size_t *nodes)
{
    growth g = {0};
    const size_t n = plan->rows->rows;
    cr_status st = open_forest(&g.f, plan);

    if (st == CR_OK)
        st = open_part(&g.top, &g.f, n);
    for (size_t r = 0; st == CR_OK && r < n; r++)
        g.top.count[g.f.class_of[r]] += weight_of(&g.f, (uint32_t)r);
    if (st == CR_OK) {
        g.top.wait[g.top.waits++] = (stretch){0, 0, n};
        st = grow_top(&g);
    }
    if (st == CR_OK && (g.below = cr__alloc_zero(g.tasks, sizeof *g.below)) == NULL)
        st = CR_ENOMEM;
    if (st == CR_OK)
        st = cr__parallel_for(&g.f.run, g.tasks, grow_below, &g, NULL);
    if (g.f.team != NULL)
        st = share_tasks(&g, st);
    if (st == CR_OK)
        st = assemble(&g, node, count, nodes);
    for (size_t i = 0; g.below != NULL && i < g.tasks; i++)
        free_part(&g.below[i]);
    cr__free(g.below);
    cr__free(g.task);
    free_part(&g.top);
    close_forest(&g.f);
    return st;
}
