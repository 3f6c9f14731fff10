/* learners/logistic/products.c - products of features: what two columns add together that each
 * alone does not.
 *
 * A number counts by its distance from the mean of the training rows, so that the weights of the
 * columns themselves are those of an average row, and a missing number, which counts as the mean,
 * makes its products 0. All numbers have their squares too: only then do the same functions remain
 * when a mean moves. A symbol has the indicators of its coding; two of one column are never 1 at
 * once. Words of texts are not multiplied.
 */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/logistic/logistic.h"

static int takes_part(const cr__lr_slot *slot)
{
    return (slot->kind == CR_REAL || slot->kind == CR_SYMBOL) && slot->count > 0;
}

/* Σ_a<b n_a n_b and a square of each real; as a double, which cannot overflow. */
static double count_products(const cr__lr_shape *shape)
{
    double sum = 0, all = 0;

    for (size_t i = 0; i < shape->columns; i++) {
        const cr__lr_slot *slot = &shape->slot[i];
        const double n = takes_part(slot) ? (double)slot->count : 0;

        all += sum * n + (slot->kind == CR_REAL ? 1 : 0);
        sum += n;
    }
    return all;
}

static void add_pair(cr__lr_shape *shape, size_t a, size_t b)
{
    const size_t count = shape->slot[a].count * shape->slot[b].count;

    shape->pair[shape->pairs++] =
        (cr__lr_pair){.a = a, .b = b, .count = count, .weight = shape->products};
    shape->products += count;
}

cr_status cr__lr_pairs_new(cr__lr_shape *shape, cr_error *err)
{
    const double all = count_products(shape);

    if (all > CR__LR_MOST_PRODUCTS) {
        cr__fail(err, CR_ELIMIT, "%.0f products of features are more than %d", all,
                 CR__LR_MOST_PRODUCTS);
        return cr__fail_hint(err, CR_ELIMIT,
                             "interactions=yes goes with fewer columns and values; leave out some "
                             "columns, or multiply those that matter by a basis");
    }
    shape->pairs = shape->products = 0;
    shape->pair = cr__alloc((size_t)all + 1, sizeof *shape->pair); /* each has a product at least */
    if (shape->pair == NULL)
        return cr__fail_memory(err);
    for (size_t a = 0; a < shape->columns; a++) {
        if (!takes_part(&shape->slot[a]))
            continue;
        if (shape->slot[a].kind == CR_REAL)
            add_pair(shape, a, a);
        for (size_t b = a + 1; b < shape->columns; b++)
            if (takes_part(&shape->slot[b]))
                add_pair(shape, a, b);
    }
    return CR_OK;
}

/* --- what a row has ------------------------------------------------------------------------- */

void cr__lr_see_cell(cr__lr_cells *cells, int which, const cr__lr_slot *slot, const double *frame,
                     double real, uint32_t code, int scaled)
{
    cells->x[which] = slot->kind != CR_REAL || !(frame[1] > 0) ? NAN
                      : scaled                                 ? (real - frame[0]) / frame[1]
                                                               : real - frame[0];
    cells->code[which] = slot->kind == CR_SYMBOL ? code : 0;
}

static size_t items_of(const cr__lr_slot *slot, double x, uint32_t code)
{
    if (slot->kind == CR_REAL)
        return !isnan(x);
    return code >= 1 && code <= slot->values ? cr__lr_code_size(slot, code - 1) : 0;
}

/* Item k of a column: its number among the features of the column, and its value. */
static size_t item_of(const cr__lr_slot *slot, double x, uint32_t code, size_t k, double *value)
{
    size_t feature;

    *value = x;
    if (slot->kind == CR_REAL)
        return 0;
    cr__lr_code(slot, code - 1, k, &feature, value);
    return feature - slot->first;
}

size_t cr__lr_product_count(const cr__lr_shape *shape, const cr__lr_pair *pair,
                            const cr__lr_cells *cells)
{
    return items_of(&shape->slot[pair->a], cells->x[0], cells->code[0]) *
           items_of(&shape->slot[pair->b], cells->x[1], cells->code[1]);
}

size_t cr__lr_product(const cr__lr_shape *shape, const cr__lr_pair *pair, const cr__lr_cells *cells,
                      size_t k, double *x)
{
    const cr__lr_slot *a = &shape->slot[pair->a], *b = &shape->slot[pair->b];
    const size_t of_b = items_of(b, cells->x[1], cells->code[1]);
    double y;
    const size_t i = item_of(a, cells->x[0], cells->code[0], k / of_b, x);
    const size_t j = item_of(b, cells->x[1], cells->code[1], k % of_b, &y);

    *x *= y;
    return i * b->count + j;
}
