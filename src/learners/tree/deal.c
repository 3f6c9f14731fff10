/* learners/tree/deal.c - distribute the rows of a node over its branches. */
#include "learners/tree/deal.h"

#include <string.h>

#include "base/memory.h"
#include "learners/tree/best_split.h"

void cr__tree_spare_free(cr__tree_spare *spare)
{
    cr__free(spare->item);
    cr__free(spare->next);
    *spare = (cr__tree_spare){0};
}

/* --- the branch of each row ------------------------------------------------------------------- */

static size_t ask_real(const cr__tree_stretch *s, const cr__tree_cut *cut)
{
    const size_t known = cr__tree_known(s, cut->column);
    const cr__tree_item *list = s->frame->sorted[cut->column] + s->first;
    uint32_t *branch = s->frame->branch;

    for (size_t i = 0; i < cut->below; i++)
        branch[list[i].row] = 0;
    for (size_t i = cut->below; i < known; i++)
        branch[list[i].row] = 1;
    for (size_t i = known; i < s->rows; i++)
        branch[list[i].row] = 2;
    return s->rows - known;
}

static size_t ask_symbol(const cr__tree_stretch *s, const cr__tree_node *node)
{
    const cr__tree_frame *f = s->frame;
    const uint32_t *code = f->code[node->column];
    size_t lacking = 0;

    for (size_t i = 0; i < s->rows; i++) {
        const uint32_t r = f->order[s->first + i].row;

        f->branch[r] = (uint32_t)cr__tree_branch(node, CR_SYMBOL, code[r], 0);
        lacking += f->branch[r] == node->children;
    }
    return lacking;
}

/* The weight of all rows whose branch is known, and of each branch. */
static double weigh(const cr__tree_stretch *s, size_t branches, cr__tree_branch_rows *branch)
{
    const cr__tree_frame *f = s->frame;
    double known = 0;

    for (size_t i = 0; i < s->rows; i++) {
        const uint32_t r = f->order[s->first + i].row, b = f->branch[r];

        if (b < branches) {
            branch[b].weight += cr__tree_row_weight(f, r);
            known += cr__tree_row_weight(f, r);
        }
    }
    return known;
}

size_t cr__tree_ask(const cr__tree_stretch *s, const cr__tree_node *node, const cr__tree_cut *cut,
                    cr__tree_branch_rows *branch, double *count)
{
    const cr__tree_frame *f = s->frame;
    const size_t K = f->plan->classes;
    const size_t lacking = f->sorted[node->column] != NULL ? ask_real(s, cut) : ask_symbol(s, node);
    double known;

    memset(branch, 0, node->children * sizeof *branch);
    known = lacking > 0 ? weigh(s, node->children, branch) : 0;
    for (size_t b = 0; lacking > 0 && b < node->children; b++)
        branch[b].share = branch[b].weight / known;
    for (size_t i = 0; i < s->rows; i++) {
        const uint32_t r = f->order[s->first + i].row, b = f->branch[r];

        if (b < node->children) {
            branch[b].rows++;
            count[b * K + f->class_of[r]] += cr__tree_row_weight(f, r);
            continue;
        }
        for (size_t every = 0; every < node->children; every++)
            if (branch[every].weight > 0)
                count[every * K + f->class_of[r]] +=
                    cr__tree_row_weight(f, r) * branch[every].share;
    }
    return lacking;
}

/* --- in place ------------------------------------------------------------------------------- */

/* A column of a node, whose branches begin at start. */
typedef struct dealing {
    const cr__tree_stretch *s;
    const cr__tree_node *node;
    const cr__tree_branch_rows *branch;
    cr__tree_spare *spare; /* NULL: each column has its own */
} dealing;

static int open_spare(cr__tree_spare *spare, size_t rows, size_t branches)
{
    return cr__grow(&spare->item, &spare->rows, rows, sizeof *spare->item) &&
           cr__grow(&spare->next, &spare->branches, branches, sizeof *spare->next);
}

/* Only one of the branches is alive: its rows are moved together. */
static void keep_items(const uint32_t *branch, cr__tree_item *list, size_t n, uint32_t alive)
{
    for (size_t i = 0, kept = 0; i < n; i++) {
        const cr__tree_item item = list[i];

        list[kept] = item;
        kept += branch[item.row] == alive;
    }
}

/* Both are alive: the rows of the first are moved together, the others are buffered. What is
 * overwritten has been read. */
static void part_items(const uint32_t *branch, cr__tree_item *list, size_t n, cr__tree_item *spare)
{
    size_t left = 0, right = 0;

    for (size_t i = 0; i < n; i++) {
        const cr__tree_item item = list[i];
        const uint32_t b = branch[item.row];

        list[left] = item;
        spare[right] = item;
        left += b == 0;
        right += b;
    }
    memcpy(list + left, spare, right * sizeof *list);
}

static void deal_items(const dealing *d, cr__tree_item *list, cr__tree_spare *spare)
{
    for (size_t b = 0; b < d->node->children; b++)
        spare->next[b] = d->branch[b].s.first - d->s->first;
    for (size_t i = 0; i < d->s->rows; i++)
        spare->item[spare->next[d->s->frame->branch[list[i].row]]++] = list[i];
    memcpy(list, spare->item, d->s->rows * sizeof *list);
}

static cr_status deal_column(void *context, size_t column, cr_error *err)
{
    const dealing *d = context;
    const cr__tree_frame *f = d->s->frame;
    const size_t n = d->s->rows;
    cr__tree_item *list = f->sorted[column] == NULL ? NULL : f->sorted[column] + d->s->first;
    cr__tree_spare own = {0}, *spare = d->spare == NULL ? &own : d->spare;
    const int both = d->branch[0].alive && d->branch[1].alive;

    (void)err;
    if (list == NULL)
        return CR_OK;
    if ((both || d->node->children > 2) && !open_spare(spare, n, d->node->children))
        return CR_ENOMEM;
    if (d->node->children > 2)
        deal_items(d, list, spare);
    else if (both)
        part_items(f->branch, list, n, spare->item);
    else
        keep_items(f->branch, list, n, d->branch[0].alive ? 0 : 1);
    cr__tree_spare_free(&own);
    return CR_OK;
}

/* Where the branches will be. A single live branch gets all the room. */
static void place_branches(const dealing *d, cr__tree_branch_rows *branch)
{
    size_t at = d->s->first;

    for (size_t b = 0; b < d->node->children; b++) {
        branch[b].s = (cr__tree_stretch){d->s->frame, 0, at, branch[b].rows};
        if (branch[b].alive || d->node->children > 2)
            at += branch[b].rows;
    }
}

static cr_status deal_in_place(const cr__tree_stretch *s, const cr__tree_node *node,
                               cr__tree_branch_rows *branch, size_t alive, cr__tree_spare *spare,
                               const cr_run *run)
{
    dealing d = {s, node, branch, s->rows >= CR__TREE_LARGE ? NULL : spare};
    cr_status st = CR_OK;

    place_branches(&d, branch);
    if (alive > 0)
        st = cr__tree_for_columns(s->frame->plan, run, s->rows, deal_column, &d);
    if (st == CR_OK)
        atomic_fetch_add(&s->frame->users, alive);
    return st;
}

/* --- into frames of their own --------------------------------------------------------------- */

static cr_status deal_frames(const cr__tree_stretch *s, const cr__tree_node *node,
                             cr__tree_branch_rows *branch, const cr_run *run)
{
    for (size_t b = 0; b < node->children; b++) {
        if (!branch[b].alive)
            continue;
        branch[b].s.frame = cr__tree_frame_part(s, b, node->children, branch[b].share, run);
        if (branch[b].s.frame == NULL) {
            while (b-- > 0)
                cr__tree_frame_leave(branch[b].s.frame);
            return CR_ENOMEM;
        }
        branch[b].s.rows = branch[b].s.frame->rows;
    }
    return CR_OK;
}

cr_status cr__tree_deal(const cr__tree_stretch *s, const cr__tree_node *node,
                        cr__tree_branch_rows *branch, size_t lacking, cr__tree_spare *spare,
                        const cr_run *run)
{
    size_t alive = 0;
    cr_status st;

    for (size_t b = 0; b < node->children; b++)
        alive += branch[b].alive != 0;
    st = lacking > 0 ? deal_frames(s, node, branch, run)
                     : deal_in_place(s, node, branch, alive, spare, run);
    if (st == CR_OK)
        cr__tree_frame_leave(s->frame);
    return st;
}
