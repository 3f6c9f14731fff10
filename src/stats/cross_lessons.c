/* stats/cross_lessons.c - add lessons to cross products and take them back. */
#include "stats/cross_lessons.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* --- cells ------------------------------------------------------------------------------------ */

static size_t triangle(size_t n)
{
    return n * (n + 1) / 2;
}

size_t cr__cross_lesson_cells(size_t n, int pairs)
{
    return 1 + n + triangle(n) + (pairs ? 2 * triangle(n) + n * n : 0);
}

static size_t of_sum(size_t i)
{
    return 1 + i;
}

/* In the triangle number `which`: products, pair counts, pair products. */
static size_t of_pair(size_t n, size_t which, size_t i, size_t j)
{
    return 1 + n + which * triangle(n) + (i >= j ? triangle(i) + j : triangle(j) + i);
}

static size_t of_pair_sum(size_t n, size_t i, size_t j)
{
    return 1 + n + 3 * triangle(n) + i * n + j;
}

cr__cross_lessons *cr__cross_lessons_new(size_t terms, int pairs)
{
    cr__cross_lessons *l = cr__alloc_zero(1, sizeof *l);

    if (l == NULL)
        return NULL;
    l->pairs = pairs;
    l->cells = cr__cross_lesson_cells(terms, pairs);
    l->base = cr__alloc_zero(l->cells, sizeof *l->base);
    l->added = cr__alloc_zero(l->cells, sizeof *l->added);
    if (l->base != NULL && l->added != NULL)
        return l;
    cr__cross_lessons_free(l);
    return NULL;
}

void cr__cross_lessons_free(cr__cross_lessons *l)
{
    if (l == NULL)
        return;
    for (size_t i = 0; l->added != NULL && i < l->cells; i++)
        cr__exact_free(&l->added[i]);
    cr__free(l->base);
    cr__free(l->added);
    cr__free(l);
}

/* --- the sums as cells ------------------------------------------------------------------------ */

/* Copy the sums of a class to cells, or cells to the sums. */
static void copy_cells(cr__cross_sum *sum, size_t n, double *cell, int pairs, int to_sums)
{
#define COPY(place, at) (to_sums ? ((place) = cell[at]) : (cell[at] = (place)))
    COPY(sum->count, 0);
    for (size_t i = 0; i < n; i++) {
        COPY(sum->sum[i], of_sum(i));
        for (size_t j = 0; j <= i; j++)
            COPY(sum->product[i * n + j], of_pair(n, 0, i, j));
        for (size_t j = 0; pairs && j <= i; j++) {
            COPY(sum->pair_count[i * n + j], of_pair(n, 1, i, j));
            COPY(sum->pair_product[i * n + j], of_pair(n, 2, i, j));
        }
        for (size_t j = 0; pairs && j < n; j++)
            COPY(sum->pair_sum[i * n + j], of_pair_sum(n, i, j));
    }
#undef COPY
}

static int any_added(const cr__cross_lessons *l, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (cr__exact_sign(&l->added[i]) != 0)
            return 1;
    return 0;
}

static void drop_pairs(cr__cross_sum *sum)
{
    cr__free(sum->pair_count);
    cr__free(sum->pair_sum);
    cr__free(sum->pair_product);
    sum->pair_count = sum->pair_sum = sum->pair_product = NULL;
}

/* The training and the lessons together, each sum rounded once. */
static cr_status add_up(cr__cross_sum *sum, size_t n)
{
    cr__cross_lessons *l = sum->lessons;
    double *cell = cr__alloc(l->cells, sizeof *cell);
    cr__exact both;
    cr_status st = cell == NULL ? CR_ENOMEM : CR_OK;

    cr__exact_init(&both);
    for (size_t i = 0; st == CR_OK && i < l->cells; i++) {
        cell[i] = l->base[i];
        if (cr__exact_sign(&l->added[i]) == 0)
            continue;
        cr__exact_free(&both);
        st = cr__exact_add(&both, &l->added[i], 1);
        if (st == CR_OK)
            st = cr__exact_add_double(&both, l->base[i]);
        cell[i] = cr__exact_to_double(&both);
    }
    cr__exact_free(&both);
    if (st == CR_OK)
        copy_cells(sum, n, cell, l->pairs, 1);
    cr__free(cell);
    return st;
}

/* Lessons that are all taken back leave nothing. */
static cr_status settle(cr__cross_sum *sum, size_t n)
{
    cr__cross_lessons *l = sum->lessons;
    const size_t plain = cr__cross_lesson_cells(n, 0);
    const int pairs = l->pairs && any_added(l, plain, l->cells);
    cr_status st = add_up(sum, n);

    if (st == CR_OK && l->pairs && !pairs && !l->base_pairs) {
        drop_pairs(sum);
        for (size_t i = plain; i < l->cells; i++)
            cr__exact_free(&l->added[i]);
        l->cells = plain;
        l->pairs = 0;
    }
    if (st == CR_OK && !pairs && !any_added(l, 0, plain)) {
        cr__cross_lessons_free(l);
        sum->lessons = NULL;
    }
    return st;
}

/* --- changes ---------------------------------------------------------------------------------- */

/* Where each cell of a class is in another one; SIZE_MAX: nowhere. */
static size_t *place_cells(size_t n, const uint32_t *term, size_t to, int pairs)
{
    size_t *place = cr__alloc(cr__cross_lesson_cells(n, pairs), sizeof *place);

    if (place == NULL)
        return NULL;
    place[0] = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t a = term[i];

        place[of_sum(i)] = a == UINT32_MAX ? SIZE_MAX : of_sum(a);
        for (size_t j = 0; j < n; j++) {
            const size_t b = term[j];
            const int gone = a == UINT32_MAX || b == UINT32_MAX;

            for (size_t which = 0; j <= i && which < (pairs ? 3 : 1); which++)
                place[of_pair(n, which, i, j)] = gone ? SIZE_MAX : of_pair(to, which, a, b);
            if (pairs)
                place[of_pair_sum(n, i, j)] = gone ? SIZE_MAX : of_pair_sum(to, a, b);
        }
    }
    return place;
}

/* Begin with the lessons that there were; where there were none, with the sums. */
static cr_status begin(cr__cross_sum *sum, size_t n, const cr__cross_lessons *had, size_t m,
                       const uint32_t *term, int pairs)
{
    const int base_pairs = had == NULL ? sum->pair_count != NULL : had->base_pairs;
    cr__cross_lessons *l = sum->lessons =
        cr__cross_lessons_new(n, pairs || sum->pair_count != NULL);
    size_t *place = NULL;
    cr_status st = CR_OK;

    if (l == NULL || (l->pairs && !cr__cross_sum_pairs(sum, n)))
        return CR_ENOMEM;
    l->base_pairs = base_pairs;
    if (had == NULL) {
        copy_cells(sum, n, l->base, l->pairs, 0);
        return CR_OK;
    }
    if ((place = place_cells(m, term, n, had->pairs)) == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; st == CR_OK && i < had->cells; i++)
        if (place[i] != SIZE_MAX) {
            l->base[place[i]] = had->base[i];
            st = cr__exact_add(&l->added[place[i]], &had->added[i], 1);
        }
    cr__free(place);
    return st;
}

/* The lesson alone, with the shift and the terms of the result, as its cells. */
static cr_status add_lesson(cr__cross_lessons *l, cr__cross_sum *alone, size_t n, int sign)
{
    double *cell = cr__alloc(l->cells, sizeof *cell);
    cr_status st = cell == NULL ? CR_ENOMEM : CR_OK;

    if (st == CR_OK)
        copy_cells(alone, n, cell, alone->pair_count != NULL, 0);
    for (size_t i = 0; st == CR_OK && i < cr__cross_lesson_cells(n, alone->pair_count != NULL); i++)
        if (cell[i] != 0)
            st = cr__exact_add_double(&l->added[i], sign * cell[i]);
    cr__free(cell);
    return st;
}

/* A shift comes with the first number of a column, and goes with the last. */
static void forget_shifts(cr__cross *cross)
{
    const size_t n = cross->terms;

    for (size_t t = 0; t < n; t++) {
        int seen = cross->term[t].value != CR__TERM_REAL;

        for (size_t c = 0; c < cross->classes; c++) {
            const cr__cross_sum *sum = &cross->of[c];

            seen |= sum->count != 0 || (sum->pair_count != NULL && sum->pair_count[t * n + t] != 0);
        }
        if (!seen)
            cross->shift[t] = NAN;
    }
}

cr_status cr__cross_change(cr__cross *into, cr__cross *alone, cr__cross_side before,
                           cr__cross_side lesson, int sign)
{
    const size_t n = into->terms;
    cr_status st = cr__cross_add(into, before.cross, before.term, before.class_of, 1);

    for (size_t t = 0; st == CR_OK && t < lesson.cross->terms; t++)
        if (lesson.term[t] != UINT32_MAX && isnan(into->shift[lesson.term[t]]))
            into->shift[lesson.term[t]] = lesson.cross->shift[t];
    memcpy(alone->shift, into->shift, n * sizeof *into->shift);
    if (st == CR_OK)
        st = cr__cross_add(alone, lesson.cross, lesson.term, lesson.class_of, 1);
    for (size_t c = 0; st == CR_OK && c < into->classes; c++) {
        cr__cross_sum *sum = &into->of[c];
        const cr__cross_lessons *had = NULL;
        const int changes = alone->of[c].count != 0 || alone->of[c].pair_count != NULL;

        for (size_t b = 0; b < before.cross->classes; b++)
            if (before.class_of[b] == c)
                had = before.cross->of[b].lessons;
        if (had == NULL && !changes)
            continue;
        st = begin(sum, n, had, before.cross->terms, before.term, alone->of[c].pair_count != NULL);
        if (st == CR_OK && changes)
            st = add_lesson(sum->lessons, &alone->of[c], n, sign);
        if (st == CR_OK)
            st = settle(sum, n);
    }
    if (st == CR_OK)
        forget_shifts(into);
    return st;
}
