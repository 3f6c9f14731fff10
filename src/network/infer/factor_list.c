/* network/infer/factor_list.c - a product kept as a list of factors, and elimination of its
 * variables.
 *
 * Nothing is multiplied before a variable must be eliminated (lazy propagation: Madsen & Jensen,
 * Artificial Intelligence 113, 1999).
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "network/infer/factor.h"

enum { SMALL_CELLS = 512 }; /* a table so small that a product costs less than another factor */

void cr__factor_list_begin(cr__factor_list *list)
{
    *list = (cr__factor_list){.mass = cr__scaled_of(1, 0)};
}

/* Nothing in it; the memory stays. */
static void clear_list(cr__factor_list *list)
{
    while (list->count > 0)
        cr__factor_drop(list->factor[--list->count]);
    list->mass = cr__scaled_of(1, 0);
}

void cr__factor_list_free(cr__factor_list *list)
{
    clear_list(list);
    cr__free(list->factor);
    *list = (cr__factor_list){0};
}

cr_status cr__factor_list_add(cr__factor_list *list, cr__factor *f, cr_error *err)
{
    if (f->variables == 0) {
        list->mass = cr__scaled_times(list->mass, cr__scaled_of(f->cell[0], f->exponent));
        return CR_OK;
    }
    if (!cr__grow(&list->factor, &list->capacity, list->count + 1, sizeof *list->factor))
        return cr__fail_memory(err);
    list->factor[list->count++] = cr__factor_keep(f);
    return CR_OK;
}

static int is_kept(uint32_t variable, const uint32_t *keep, uint32_t kept)
{
    uint32_t low = 0, high = kept;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (keep[middle] < variable)
            low = middle + 1;
        else
            high = middle;
    }
    return low < kept && keep[low] == variable;
}

static void remove_at(cr__factor_list *list, size_t i)
{
    cr__factor_drop(list->factor[i]);
    memmove(list->factor + i, list->factor + i + 1, (--list->count - i) * sizeof *list->factor);
}

/* How many of the factors have the variable. */
static size_t users(const cr__factor_list *list, uint32_t variable)
{
    size_t n = 0;

    for (size_t i = 0; i < list->count; i++)
        n += (size_t)cr__factor_has(list->factor[i], variable);
    return n;
}

void cr__factor_list_prune(cr__factor_list *list, const uint32_t *keep, uint32_t kept)
{
    int again = 1;

    while (again) {
        again = 0;
        for (size_t i = list->count; i-- > 0;) {
            const uint32_t child = list->factor[i]->child;

            if (child != UINT32_MAX && !is_kept(child, keep, kept) && users(list, child) == 1) {
                remove_at(list, i);
                again = 1;
            }
        }
    }
}

/* The variables of the factors that have `variable`, ascending, and the cells of their product. */
static double family(const cr__factor_list *list, uint32_t variable, const uint32_t *size,
                     uint32_t *all, uint32_t *count)
{
    double cells = 1;

    *count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const cr__factor *f = list->factor[i];
        uint32_t at = 0;

        if (!cr__factor_has(f, variable))
            continue;
        for (uint32_t k = 0; k < f->variables; k++) {
            while (at < *count && all[at] < f->variable[k])
                at++;
            if (at < *count && all[at] == f->variable[k])
                continue;
            if (*count == CR__SCOPE_MAX)
                return INFINITY;
            memmove(all + at + 1, all + at, (*count - at) * sizeof *all);
            all[at] = f->variable[k];
            ++*count;
            cells *= size[f->variable[k]];
        }
    }
    return cells;
}

/* The variable whose elimination multiplies the fewest cells; UINT32_MAX: none is left. */
static uint32_t cheapest(const cr__factor_list *list, const uint32_t *keep, uint32_t kept,
                         const uint32_t *size)
{
    uint32_t best = UINT32_MAX, all[CR__SCOPE_MAX], count;
    double least = INFINITY;

    for (size_t i = 0; i < list->count; i++)
        for (uint32_t k = 0; k < list->factor[i]->variables; k++) {
            const uint32_t v = list->factor[i]->variable[k];
            double cells;

            if (v == best || is_kept(v, keep, kept))
                continue;
            cells = family(list, v, size, all, &count);
            if (best == UINT32_MAX || cells < least || (cells == least && v < best)) {
                best = v;
                least = cells;
            }
        }
    return best;
}

/* Multiply the factors that have the variable, and sum it out, with all other variables to be
 * eliminated that no other factor has. */
static cr_status sum_out(cr__factor_list *list, uint32_t variable, const uint32_t *keep,
                         uint32_t kept, const cr__workshop *shop, cr_error *err)
{
    uint32_t all[CR__SCOPE_MAX], count, stay = 0;
    cr__factor *product = NULL;
    size_t used = 0, rest = 0;
    cr_status st;

    if (isinf(family(list, variable, shop->size, all, &count)))
        return cr__fail(err, CR_ELIMIT, "a product has more than %d variables", CR__SCOPE_MAX);
    for (size_t i = 0; i < list->count; i++) /* move those that are used to the front, in order */
        if (cr__factor_has(list->factor[i], variable)) {
            cr__factor *f = list->factor[i];

            memmove(list->factor + used + 1, list->factor + used,
                    (i - used) * sizeof *list->factor);
            list->factor[used++] = f;
        }
    for (uint32_t k = 0; k < count; k++) {
        int elsewhere = 0;

        for (size_t i = used; i < list->count && !elsewhere; i++)
            elsewhere = cr__factor_has(list->factor[i], all[k]);
        if (all[k] != variable && (elsewhere || is_kept(all[k], keep, kept)))
            all[stay++] = all[k];
    }
    st = cr__factor_product(&product, list->factor, used, all, stay, shop, err);
    if (st != CR_OK)
        return st;
    for (size_t i = 0; i < used; i++)
        cr__factor_drop(list->factor[i]);
    for (size_t i = used; i < list->count; i++)
        list->factor[rest++] = list->factor[i];
    list->count = rest;
    st = cr__factor_list_add(list, product, err);
    cr__factor_drop(product);
    return st;
}

cr_status cr__factor_list_eliminate(cr__factor_list *list, const uint32_t *keep, uint32_t kept,
                                    const cr__workshop *shop, cr_error *err)
{
    uint32_t v;
    cr_status st = CR_OK;

    while (st == CR_OK && (v = cheapest(list, keep, kept, shop->size)) != UINT32_MAX)
        st = sum_out(list, v, keep, kept, shop, err);
    return st;
}

static int is_part(const cr__factor *a, const cr__factor *b)
{
    for (uint32_t i = 0; i < a->variables; i++)
        if (!cr__factor_has(b, a->variable[i]))
            return 0;
    return 1;
}

cr_status cr__factor_list_merge(cr__factor_list *list, const cr__workshop *shop, cr_error *err)
{
    for (size_t i = 0; i < list->count; i++)
        for (size_t j = 0; j < list->count; j++) {
            const cr__factor *a = list->factor[i], *b = list->factor[j];
            cr__factor *product;
            cr_status st;

            if (i == j || (b->cells > SMALL_CELLS && a->cells < b->cells) || !is_part(a, b))
                continue;
            st = cr__factor_product(&product, (cr__factor *[]){list->factor[j], list->factor[i]}, 2,
                                    b->variable, b->variables, shop, err);
            if (st != CR_OK)
                return st;
            /* P(x | y) f(y) and the like are no longer conditional distributions. */
            cr__factor_drop(list->factor[j]);
            list->factor[j] = product;
            remove_at(list, i);
            i--;
            break;
        }
    return CR_OK;
}
