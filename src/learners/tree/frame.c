/* learners/tree/frame.c - frames of rows: all of a table, or a part of another frame. */
#include "learners/tree/frame.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"

static void free_frame(cr__tree_frame *f)
{
    cr__free(f->numbers);
    cr__free(f->weight);
    cr__free(f->code);
    cr__free(f->codes);
    cr__free(f->sorted);
    cr__free(f->items);
    cr__free(f);
}

void cr__tree_frame_leave(cr__tree_frame *frame)
{
    if (frame != NULL && atomic_fetch_sub(&frame->users, 1) == 1)
        free_frame(frame);
}

static int is_kind(const cr__tree_plan *plan, size_t column, cr_kind kind)
{
    return cr__stats_is_feature(plan->rows->schema, column) &&
           plan->rows->column[column].kind == kind;
}

static size_t count_kind(const cr__tree_plan *plan, cr_kind kind)
{
    size_t n = 0;

    for (size_t i = 0; i < plan->rows->schema->columns; i++)
        n += (size_t)is_kind(plan, i, kind);
    return n;
}

/* The sorted columns share one block, as do the codes. */
static int open_columns(cr__tree_frame *f, int own_codes)
{
    const size_t columns = f->plan->rows->schema->columns;
    size_t reals = 0, symbols = 0;

    f->code = cr__alloc_zero(columns, sizeof *f->code);
    f->sorted = cr__alloc_zero(columns + 1, sizeof *f->sorted);
    f->items = cr__alloc((count_kind(f->plan, CR_REAL) + 1) * f->rows, sizeof *f->items);
    if (own_codes)
        f->codes = cr__alloc(count_kind(f->plan, CR_SYMBOL) * f->rows, sizeof *f->codes);
    if (f->code == NULL || f->sorted == NULL || f->items == NULL || (own_codes && f->codes == NULL))
        return 0;
    for (size_t i = 0; i < columns; i++) {
        if (is_kind(f->plan, i, CR_REAL))
            f->sorted[i] = f->items + reals++ * f->rows;
        else if (is_kind(f->plan, i, CR_SYMBOL))
            f->code[i] = own_codes ? f->codes + symbols++ * f->rows : f->plan->rows->column[i].code;
    }
    f->order = f->sorted[columns] = f->items + reals * f->rows;
    return 1;
}

static cr__tree_frame *open_frame(const cr__tree_plan *plan, size_t rows, int own_codes,
                                  int weighted)
{
    cr__tree_frame *f = cr__alloc_zero(1, sizeof *f);

    if (f == NULL)
        return NULL;
    f->plan = plan;
    f->rows = rows;
    atomic_init(&f->users, 1);
    f->numbers = cr__alloc(rows, 4 * sizeof *f->numbers);
    if (weighted)
        f->weight = cr__alloc(rows, sizeof *f->weight);
    if (f->numbers == NULL || (weighted && f->weight == NULL) || !open_columns(f, own_codes)) {
        free_frame(f);
        return NULL;
    }
    f->origin = f->numbers;
    f->branch = f->origin + rows;
    f->number = f->branch + rows;
    f->class_of = f->number + rows;
    return f;
}

cr_status cr__tree_for_columns(const cr__tree_plan *plan, const cr_run *run, size_t rows,
                               cr_status (*work)(void *, size_t, cr_error *), void *context)
{
    const size_t lists = plan->rows->schema->columns + 1;
    cr_status st = CR_OK;

    if (rows >= CR__TREE_LARGE)
        return cr__parallel_for(run, lists, work, context, NULL);
    for (size_t i = 0; st == CR_OK && i < lists; i++)
        st = work(context, i, NULL);
    return st;
}

/* --- sorting -------------------------------------------------------------------------------- */

/* Half of a number's key above the row: 8 bytes to move, and three digits that sort most columns to
 * the end, since few numbers agree in the upper half of their keys without being equal. */
enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, FEW = 32 };

static void sort_digit(const uint64_t *from, uint64_t *to, size_t n, unsigned shift)
{
    uint32_t start[DIGITS] = {0}, sum = 0;

    for (size_t i = 0; i < n; i++)
        start[(from[i] >> shift) & (DIGITS - 1)]++;
    for (size_t d = 0; d < DIGITS; d++) {
        const uint32_t own = start[d];

        start[d] = sum;
        sum += own;
    }
    for (size_t i = 0; i < n; i++)
        to[start[(from[i] >> shift) & (DIGITS - 1)]++] = from[i];
}

/* Stable sort by the upper 32 bits; the result is in `list`. */
static void sort_halves(uint64_t *list, uint64_t *spare, size_t n)
{
    for (size_t i = 1; n <= FEW && i < n; i++) {
        const uint64_t one = list[i];
        size_t at = i;

        for (; at > 0 && list[at - 1] >> 32 > one >> 32; at--)
            list[at] = list[at - 1];
        list[at] = one;
    }
    if (n <= FEW)
        return;
    sort_digit(list, spare, n, 32);
    sort_digit(spare, list, n, 32 + DIGIT_BITS);
    sort_digit(list, spare, n, 32 + 2 * DIGIT_BITS);
    memcpy(list, spare, n * sizeof *list);
}

/* Rows that agree in the upper half of their keys, by the lower half. */
static void sort_lower(uint64_t *list, uint64_t *spare, size_t n, const double *x)
{
    int same = 1;

    for (size_t i = 0; i < n; i++) {
        list[i] = cr__values_key(x[(uint32_t)list[i]]) << 32 | (uint32_t)list[i];
        same = same && list[i] >> 32 == list[0] >> 32;
    }
    if (!same)
        sort_halves(list, spare, n);
}

/* Rows that have the number, sorted; they are the first n of the list. */
static void sort_known(uint64_t *list, uint64_t *spare, size_t n, const double *x)
{
    sort_halves(list, spare, n);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && list[end] >> 32 == list[i] >> 32;)
            end++;
        if (end - i > 1)
            sort_lower(list + i, spare, end - i, x);
    }
}

static cr_status sort_column(void *context, size_t column, cr_error *err)
{
    cr__tree_frame *f = context;
    cr__tree_item *item = f->sorted[column];
    const double *x;
    uint64_t *list, *spare;
    size_t known = 0, lacking = 0;

    (void)err;
    if (item == NULL || item == f->order)
        return CR_OK;
    x = f->plan->rows->column[column].real;
    list = cr__alloc(f->rows, sizeof *list);
    spare = cr__alloc(f->rows, sizeof *spare);
    for (size_t r = 0; list != NULL && spare != NULL && r < f->rows; r++) {
        if (isnan(x[r]))
            item[f->rows - ++lacking] = (cr__tree_item){(uint32_t)r, CR__TREE_UNKNOWN};
        else
            list[known++] = (cr__values_key(x[r]) & ~(uint64_t)UINT32_MAX) | (uint32_t)r;
    }
    if (list != NULL && spare != NULL)
        sort_known(list, spare, known, x);
    for (size_t i = 0; list != NULL && spare != NULL && i < known; i++) {
        const uint32_t row = (uint32_t)list[i];

        item[i] =
            (cr__tree_item){row, i == 0 ? 0 : item[i - 1].rank + (x[row] != x[item[i - 1].row])};
    }
    cr__free(spare);
    cr__free(list);
    return list == NULL || spare == NULL ? CR_ENOMEM : CR_OK;
}

cr__tree_frame *cr__tree_frame_new(const cr__tree_plan *plan, const cr_run *run)
{
    const cr__table *table = plan->rows;
    cr__tree_frame *f = open_frame(plan, table->rows, 0, table->weight != NULL);

    if (f == NULL)
        return NULL;
    for (size_t r = 0; r < f->rows; r++) {
        f->origin[r] = (uint32_t)r;
        f->order[r] = (cr__tree_item){(uint32_t)r, 0};
        f->class_of[r] = table->column[table->schema->target].code[r] - 1;
    }
    if (f->weight != NULL)
        memcpy(f->weight, table->weight, f->rows * sizeof *f->weight);
    if (cr__tree_for_columns(plan, run, f->rows, sort_column, f) == CR_OK)
        return f;
    free_frame(f);
    return NULL;
}

/* --- a part of another frame ---------------------------------------------------------------- */

typedef struct copying {
    const cr__tree_stretch *from;
    cr__tree_frame *to;
} copying;

static cr_status copy_column(void *context, size_t column, cr_error *err)
{
    const copying *c = context;
    const cr__tree_frame *from = c->from->frame;
    cr__tree_frame *to = c->to;
    size_t n = 0;

    (void)err;
    if (to->sorted[column] == NULL && to->code[column] != NULL)
        for (size_t i = 0; i < to->rows; i++)
            to->code[column][i] = from->plan->rows->column[column].code[to->origin[i]];
    for (size_t i = 0; to->sorted[column] != NULL && i < c->from->rows && n < to->rows; i++) {
        const cr__tree_item item = from->sorted[column][c->from->first + i];

        to->sorted[column][n] = (cr__tree_item){from->number[item.row], item.rank};
        n += from->number[item.row] != UINT32_MAX;
    }
    return CR_OK;
}

/* Number the rows of a stretch that belong to a branch; returns how many they are. */
static size_t number_rows(const cr__tree_stretch *s, size_t branch, size_t lacking)
{
    const cr__tree_frame *f = s->frame;
    uint32_t n = 0;

    for (size_t i = 0; i < s->rows; i++) {
        const uint32_t r = f->order[s->first + i].row;
        const int is_in = branch == SIZE_MAX || f->branch[r] == branch || f->branch[r] == lacking;

        f->number[r] = is_in ? n++ : UINT32_MAX;
    }
    return n;
}

cr__tree_frame *cr__tree_frame_part(const cr__tree_stretch *s, size_t branch, size_t lacking,
                                    double share, const cr_run *run)
{
    const cr__tree_frame *from = s->frame;
    const int weighted = from->weight != NULL || share < 1;
    cr__tree_frame *f = open_frame(from->plan, number_rows(s, branch, lacking), 1, weighted);

    if (f == NULL)
        return NULL;
    for (size_t i = 0; i < s->rows; i++) {
        const uint32_t r = from->order[s->first + i].row, to = from->number[r];

        if (to == UINT32_MAX)
            continue;
        f->origin[to] = from->origin[r];
        f->class_of[to] = from->class_of[r];
        if (weighted)
            f->weight[to] = cr__tree_row_weight(from, r) *
                            (branch != SIZE_MAX && from->branch[r] == lacking ? share : 1);
    }
    if (cr__tree_for_columns(f->plan, run, s->rows, copy_column, &(copying){s, f}) == CR_OK)
        return f;
    free_frame(f);
    return NULL;
}
