/* stats/cells_sections.c - the cells of a joint table in the model file.
 *
 *   CELL      u64 cells, fractional, words of a key; key[cells * words], whole[cells], and
 *             fraction[cells] when fractional
 *
 * How a key is made follows from the columns and the number of values of each.
 */
#include "stats/cells_sections.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

typedef struct head {
    uint64_t cells, fractional, words;
} head;

void cr__cells_save(const cr__cells *cells, cr__draft *draft)
{
    const head h = {cells->count, cells->fraction != NULL, cells->packing.words};

    cr__draft_section_begin(draft, CR__TAG_CELLS, 0);
    cr__draft_copy(draft, &h, sizeof h);
    cr__draft_borrow(draft, cells->key, cells->count * cells->packing.words * sizeof *cells->key);
    cr__draft_borrow(draft, cells->whole, cells->count * sizeof *cells->whole);
    if (cells->fraction != NULL)
        cr__draft_borrow(draft, cells->fraction, cells->count * sizeof *cells->fraction);
}

/* -1, 0, 1 as key a is below, equal to or above key b. */
static int compare_keys(const uint64_t *a, const uint64_t *b, size_t words)
{
    for (size_t w = 0; w < words; w++)
        if (a[w] != b[w])
            return a[w] < b[w] ? -1 : 1;
    return 0;
}

/* Whether a key consists only of valid codes, without other bits. */
static int sound_key(const cr__cells *cells, const uint64_t *key, const size_t *values)
{
    const cr__packing *p = &cells->packing;
    uint64_t left = key[0];
    uint32_t word = 0;

    for (size_t j = 0; j < p->variables; j++) {
        const uint32_t code = cr__packing_get(p, key, j);

        if (p->field[j].word != word) {
            if (left != 0)
                return 0;
            left = key[word = p->field[j].word];
        }
        left ^= (uint64_t)code << p->field[j].shift;
        if (code > values[cells->column[j]])
            return 0;
    }
    return left == 0;
}

static cr_status check_cells(const cr__cells *cells, const cr__container *container,
                             const size_t *values, cr_error *err)
{
    const size_t words = cells->packing.words;
    uint64_t rows = 0;

    for (size_t i = 0; i < cells->count; i++) {
        const uint64_t *key = cells->key + i * words;

        if (i > 0 && compare_keys(key - words, key, words) >= 0)
            return cr__container_damaged(container, err, "the cells of its table are out of order");
        if (!sound_key(cells, key, values))
            return cr__container_damaged(container, err,
                                         "a cell of its table has an impossible value");
        if (cells->whole[i] < 0 || cr__count_zero(cr__cells_at(cells, i)) ||
            (rows += (uint64_t)cells->whole[i]) > INT64_MAX / 2)
            return cr__container_damaged(container, err,
                                         "a cell of its table has an impossible count");
    }
    return CR_OK;
}

cr_status cr__cells_open(cr__cells *view, const cr__container *container, const cr_schema *schema,
                         const size_t *values, cr_error *err)
{
    const void *section;
    const char *bytes;
    size_t size, per_cell;
    head h;
    cr_status st =
        cr__container_need(container, CR__TAG_CELLS, 0, sizeof h, 0, &section, &size, err);

    *view = (cr__cells){0};
    if (st != CR_OK)
        return st;
    if (cr__cells_lay(view, schema, values) != CR_OK)
        return cr__fail_memory(err);
    bytes = section;
    memcpy(&h, bytes, sizeof h);
    if (h.fractional > 1 || h.words != view->packing.words)
        return cr__container_damaged(container, err, "its table of cells makes no sense");
    per_cell = (size_t)(h.words + 1 + h.fractional) * 8;
    if ((size - sizeof h) % per_cell != 0 || h.cells != (size - sizeof h) / per_cell)
        return cr__container_damaged(container, err, "its table of cells has a wrong length");
    view->count = (size_t)h.cells;
    view->key = (uint64_t *)(bytes + sizeof h); /* an opened table is never written to */
    view->whole = (int64_t *)(view->key + view->count * view->packing.words);
    view->fraction = h.fractional ? (uint64_t *)(view->whole + view->count) : NULL;
    return check_cells(view, container, values, err);
}

void cr__cells_close(cr__cells *view)
{
    view->key = NULL;
    view->whole = NULL;
    view->fraction = NULL;
    cr__cells_free(view);
}

static void *copy_array(const void *from, size_t count)
{
    void *copy = from == NULL ? NULL : cr__alloc(count, 8);

    if (copy != NULL && count > 0)
        memcpy(copy, from, count * 8);
    return copy;
}

cr_status cr__cells_copy(cr__cells *out, const cr__cells *from, cr_error *err)
{
    const size_t n = from->packing.variables;

    *out = (cr__cells){.count = from->count, .packing = from->packing};
    out->packing.field = cr__alloc(n, sizeof *out->packing.field);
    out->column = cr__alloc(n, sizeof *out->column);
    out->key = copy_array(from->key, from->count * from->packing.words);
    out->whole = copy_array(from->whole, from->count);
    out->fraction = copy_array(from->fraction, from->count);
    if (out->packing.field == NULL || out->column == NULL || out->key == NULL ||
        out->whole == NULL || (out->fraction == NULL && from->fraction != NULL)) {
        cr__cells_free(out);
        return cr__fail_memory(err);
    }
    memcpy(out->packing.field, from->packing.field, n * sizeof *out->packing.field);
    memcpy(out->column, from->column, n * sizeof *out->column);
    return CR_OK;
}
