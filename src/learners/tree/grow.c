/* learners/tree/grow.c - grow a decision tree, node by node.
 *
 * Large nodes are evaluated column by column on all threads; small ones are set aside, and the
 * trees below them grown as separate tasks. In the end the nodes are numbered as if they had been
 * grown one after another, so the result does not depend on the threads.
 *
 * The members of a team, which all have all rows, divide the columns of large nodes and the tasks
 * among themselves.
 */
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/team.h"
#include "learners/tree/deal.h"
#include "learners/tree/best_split.h"

/* What all tasks share. */
typedef struct forest {
    const cr__tree_plan *plan;
    cr__tree_logs logs;
    size_t table; /* scratch numbers for evaluating a column */
    cr_run run;
    const cr_team *team; /* NULL: none */
} forest;

/* A tree under construction, with its own node numbers. */
typedef struct part {
    forest *f;
    cr__tree_node *node;
    double *count;
    size_t *task; /* [nodes] the task that grows what is below, from 1 on; 0: none */
    size_t nodes, node_capacity, count_capacity, task_capacity;
    cr__tree_stretch *wait;
    size_t waits, wait_capacity;
    double *table;      /* scratch for evaluation */
    cr__tree_cut *cuts; /* [columns] */
    cr__tree_spare spare;
    cr__tree_branch_rows *branch;
    size_t branch_capacity;
} part;

/* Free what growing needs and the tree does not. */
static void free_tools(part *p)
{
    while (p->waits > 0)
        cr__tree_frame_leave(p->wait[--p->waits].frame);
    cr__free(p->wait);
    cr__free(p->table);
    cr__free(p->cuts);
    cr__free(p->branch);
    cr__tree_spare_free(&p->spare);
    p->wait = NULL;
    p->table = NULL;
    p->cuts = NULL;
    p->branch = NULL;
}

static void free_part(part *p)
{
    free_tools(p);
    cr__free(p->node);
    cr__free(p->count);
    cr__free(p->task);
}

/* --- one node ------------------------------------------------------------------------------- */

/* Evaluating the columns of one node. */
typedef struct search_columns {
    part *p;
    cr__tree_search search;
    double *own; /* a table for each column when there are several threads, or NULL */
    int shared;  /* by the members of a team */
} search_columns;

/* Whether column or task i belongs to another member. */
static int is_others(const forest *f, size_t i)
{
    return f->team != NULL && i % (size_t)f->team->ranks != (size_t)f->team->rank;
}

static cr_status judge_column(void *context, size_t i, cr_error *err)
{
    const search_columns *l = context;
    part *p = l->p;
    const cr_schema *schema = p->f->plan->rows->schema;

    (void)err;
    if (i == schema->columns)
        return CR_OK;
    p->cuts[i] = (cr__tree_cut){0};
    if (l->shared && is_others(p->f, i))
        return CR_OK;
    p->cuts[i].column = i;
    if (cr__stats_is_feature(schema, i))
        cr__tree_best_split(&l->search, l->own == NULL ? p->table : l->own + i * p->f->table,
                            &p->cuts[i]);
    return CR_OK;
}

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

static cr_status choose(part *p, const cr__tree_search *search, size_t *chosen)
{
    const forest *f = p->f;
    const size_t columns = f->plan->rows->schema->columns;
    const int large = search->s.rows >= CR__TREE_LARGE;
    search_columns l = {.p = p, .search = *search, .shared = f->team != NULL && large};
    cr_status st = CR_OK;

    if (large && (l.own = cr__alloc(columns, f->table * sizeof *l.own)) == NULL)
        st = CR_ENOMEM;
    if (st == CR_OK)
        st = cr__tree_for_columns(f->plan, &f->run, search->s.rows, judge_column, &l);
    cr__free(l.own);
    if (l.shared) /* what one member has evaluated is 0 for all others */
        st = share_cuts(f->team, p->cuts, columns, st);
    *chosen = st == CR_OK ? cr__tree_choose(p->cuts, columns) : SIZE_MAX;
    return st;
}

/* Whether a node of such counts may be split. */
static int is_alive(const forest *f, const double *count)
{
    const size_t K = f->plan->classes;

    return cr__tree_sum(count, K) >= 2 * f->plan->least &&
           cr__tree_info(&f->logs, count, K) >= 1e-9;
}

/* The rows of a node go to its children, of which those that may be split are queued. */
static cr_status deal(part *p, const cr__tree_stretch *s, const cr__tree_cut *cut)
{
    const cr__tree_node node = p->node[s->node];
    const size_t K = p->f->plan->classes;
    double *count = p->count + node.first * K;
    size_t lacking;
    cr_status st;

    if (!cr__grow(&p->branch, &p->branch_capacity, node.children, sizeof *p->branch) ||
        !cr__grow(&p->wait, &p->wait_capacity, p->waits + node.children, sizeof *p->wait))
        return CR_ENOMEM;
    lacking = cr__tree_ask(s, &node, cut, p->branch, count);
    for (size_t b = 0; b < node.children; b++)
        p->branch[b].alive = is_alive(p->f, count + b * K);
    st = cr__tree_deal(s, &node, p->branch, lacking, &p->spare, &p->f->run);
    for (size_t b = 0; st == CR_OK && b < node.children; b++) {
        p->branch[b].s.node = node.first + b;
        if (p->branch[b].alive)
            p->wait[p->waits++] = p->branch[b].s;
    }
    return st;
}

enum { FRAME_PARTS = 8 }; /* a frame with this many times a node's rows is too large for it */

static cr_status move_to_frame(part *p, cr__tree_stretch *s)
{
    cr__tree_frame *own = cr__tree_frame_part(s, SIZE_MAX, SIZE_MAX, 1, &p->f->run);

    if (own == NULL)
        return CR_ENOMEM;
    cr__tree_frame_leave(s->frame);
    *s = (cr__tree_stretch){own, s->node, 0, s->rows};
    return CR_OK;
}

/* One node that may be split: a leaf, or a test and its branches. Takes over the stretch. */
static cr_status grow_node(part *p, cr__tree_stretch s)
{
    const forest *f = p->f;
    const size_t K = f->plan->classes;
    const double *count = p->count + s.node * K;
    size_t chosen = SIZE_MAX, children;
    cr_status st = s.rows * FRAME_PARTS <= s.frame->rows ? move_to_frame(p, &s) : CR_OK;
    int real;

    if (st == CR_OK)
        st = choose(p, &(cr__tree_search){&f->logs, s, count, cr__tree_sum(count, K)}, &chosen);
    if (st != CR_OK || chosen == SIZE_MAX) {
        cr__tree_frame_leave(s.frame);
        return st;
    }
    real = s.frame->sorted[chosen] != NULL;
    children = real || f->plan->binary ? 2 : f->plan->values[chosen];
    if ((st = add_nodes(p, children) ? CR_OK : CR_ENOMEM) == CR_OK) {
        p->node[s.node] = (cr__tree_node){.column = (uint32_t)chosen,
                                          .children = (uint32_t)children,
                                          .first = (uint32_t)(p->nodes - children),
                                          .threshold = real ? p->cuts[chosen].threshold
                                                            : (double)p->cuts[chosen].value};
        st = deal(p, &s, &p->cuts[chosen]);
    }
    if (st != CR_OK)
        cr__tree_frame_leave(s.frame);
    return st;
}

/* --- the top of the tree, and what grows below it ------------------------------------------- */

static cr_status open_part(part *p, forest *f)
{
    *p = (part){.f = f};
    p->table = cr__alloc(f->table, sizeof *p->table);
    p->cuts = cr__alloc(f->plan->rows->schema->columns, sizeof *p->cuts);
    return p->table == NULL || p->cuts == NULL || !add_nodes(p, 1) ||
                   !cr__grow(&p->wait, &p->wait_capacity, 1, sizeof *p->wait)
               ? CR_ENOMEM
               : CR_OK;
}

typedef struct growth {
    forest f;
    part top;
    cr__tree_stretch *task; /* [tasks] */
    part *below;            /* [tasks] */
    size_t tasks, task_capacity;
} growth;

static cr_status grow_top(growth *g)
{
    cr_status st = CR_OK;

    while (st == CR_OK && g->top.waits > 0) {
        const cr__tree_stretch s = g->top.wait[g->top.waits - 1];

        if (s.rows >= CR__TREE_LARGE) {
            g->top.waits--;
            st = grow_node(&g->top, s);
        } else if (cr__grow(&g->task, &g->task_capacity, g->tasks + 1, sizeof *g->task)) {
            g->top.waits--;
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
    cr__tree_stretch s = g->task[i];
    cr_status st = open_part(p, &g->f);

    (void)err;
    if (st == CR_OK && !is_others(&g->f, i)) {
        memcpy(p->count, g->top.count + s.node * K, K * sizeof *p->count);
        s.node = 0;
        p->wait[p->waits++] = s;
        g->task[i].frame = NULL; /* belongs to the part now */
    }
    while (st == CR_OK && p->waits > 0)
        st = grow_node(p, p->wait[--p->waits]);
    free_tools(p);
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

/* Send to the first member and from there to all. */
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

/* Number the nodes as if they had been grown one after another, the last in the queue first. */
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

/* All rows begin at the root. */
static cr_status plant(part *top, const cr__tree_plan *plan)
{
    cr__tree_frame *frame = cr__tree_frame_new(plan, &top->f->run);

    if (frame == NULL)
        return CR_ENOMEM;
    for (uint32_t r = 0; r < frame->rows; r++)
        top->count[frame->class_of[r]] += cr__tree_row_weight(frame, r);
    if (cr__tree_logs_make(&top->f->logs, frame->rows, cr__tree_sum(top->count, plan->classes)) !=
            CR_OK ||
        !is_alive(top->f, top->count)) {
        cr__tree_frame_leave(frame);
        return top->f->logs.unit == NULL ? CR_ENOMEM : CR_OK;
    }
    top->wait[top->waits++] = (cr__tree_stretch){frame, 0, 0, frame->rows};
    return CR_OK;
}

static void free_growth(growth *g)
{
    for (size_t i = 0; i < g->tasks; i++) {
        cr__tree_frame_leave(g->task[i].frame);
        if (g->below != NULL)
            free_part(&g->below[i]);
    }
    cr__free(g->below);
    cr__free(g->task);
    free_part(&g->top);
    cr__tree_logs_free(&g->f.logs);
}

cr_status cr__tree_grow(const cr__tree_plan *plan, cr__tree_node **node, double **count,
                        size_t *nodes)
{
    growth g = {.f = {.plan = plan, .table = cr__tree_table_size(plan)}};
    cr_status st;

    if (plan->run != NULL)
        g.f.run = *plan->run;
    g.f.run.progress = NULL;
    g.f.team = cr__team_of(plan->run);
    if ((st = open_part(&g.top, &g.f)) == CR_OK && (st = plant(&g.top, plan)) == CR_OK)
        st = grow_top(&g);
    if (st == CR_OK && (g.below = cr__alloc_zero(g.tasks, sizeof *g.below)) == NULL)
        st = CR_ENOMEM;
    if (st == CR_OK)
        st = cr__parallel_for(&g.f.run, g.tasks, grow_below, &g, NULL);
    if (g.f.team != NULL)
        st = share_tasks(&g, st);
    if (st == CR_OK)
        st = assemble(&g, node, count, nodes);
    free_growth(&g);
    return st;
}
