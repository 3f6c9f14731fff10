/* stats/cross.c - add and subtract cross products and change their shift. */
#include "stats/cross.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "stats/cross_lessons.h"
#include "stats/stats.h"

static void free_sum(cr__cross_sum *sum)
{
    cr__free(sum->sum);
    cr__free(sum->product);
    cr__free(sum->pair_count);
    cr__free(sum->pair_sum);
    cr__free(sum->pair_product);
    cr__cross_lessons_free(sum->lessons);
}

void cr__cross_free(cr__cross *cross)
{
    if (cross == NULL)
        return;
    for (size_t c = 0; cross->of != NULL && c < cross->classes; c++)
        free_sum(&cross->of[c]);
    cr__free(cross->of);
    cr__free(cross->term);
    cr__free(cross->shift);
    cr__free(cross);
}

int cr__cross_by_class(const cr_schema *schema, cr__cross_use use)
{
    return use == CR__CROSS_CLASSES || (use == CR__CROSS_REALS && schema->target != SIZE_MAX &&
                                        schema->column[schema->target].kind == CR_SYMBOL);
}

int cr__cross_takes(const cr_schema *schema, cr__cross_use use, size_t column)
{
    const cr_kind kind = schema->column[column].kind;

    if (use == CR__CROSS_REALS)
        return kind == CR_REAL &&
               (column == schema->target || cr__stats_is_feature(schema, column));
    if (column == schema->target)
        return use == CR__CROSS_TARGET;
    return cr__stats_is_feature(schema, column) &&
           (kind == CR_REAL || (kind == CR_SYMBOL && use != CR__CROSS_CLASSES));
}

/* All sums 0, terms and shifts still to be filled. */
static cr__cross *make(size_t terms, size_t classes)
{
    cr__cross *cross = cr__alloc_zero(1, sizeof *cross);
    int failed = cross == NULL || (terms > 0 && terms > SIZE_MAX / sizeof(double) / terms);

    if (!failed) {
        cross->terms = terms;
        cross->classes = classes;
        cross->term = cr__alloc_zero(terms, sizeof *cross->term);
        cross->shift = cr__alloc_zero(terms, sizeof *cross->shift);
        cross->of = cr__alloc_zero(classes, sizeof *cross->of);
        failed = cross->term == NULL || cross->shift == NULL || cross->of == NULL;
    }
    for (size_t c = 0; !failed && c < classes; c++) {
        cross->of[c].sum = cr__alloc_zero(terms, sizeof(double));
        cross->of[c].product = cr__alloc_zero(terms * terms, sizeof(double));
        failed = cross->of[c].sum == NULL || cross->of[c].product == NULL;
    }
    if (!failed)
        return cross;
    cr__cross_free(cross);
    return NULL;
}

static size_t column_terms(const cr_schema *schema, cr__dict *const *dict, size_t column)
{
    return schema->column[column].kind == CR_REAL ? 1 : dict[column]->words;
}

cr__cross *cr__cross_lay_out(const cr_schema *schema, cr__cross_use use, cr__dict *const *dict,
                             size_t classes)
{
    size_t terms = 0;
    cr__cross *cross;

    for (size_t i = 0; i < schema->columns; i++)
        terms += cr__cross_takes(schema, use, i) ? column_terms(schema, dict, i) : 0;
    if ((cross = make(terms, classes)) == NULL)
        return NULL;
    cross->use = use;
    terms = 0;
    for (size_t i = 0; i < schema->columns; i++) {
        const int real = schema->column[i].kind == CR_REAL;
        const size_t n = cr__cross_takes(schema, use, i) ? column_terms(schema, dict, i) : 0;

        for (size_t v = 0; v < n; v++, terms++) {
            cross->term[terms] = (cr__cross_term){(uint32_t)i, real ? CR__TERM_REAL : (uint32_t)v};
            cross->shift[terms] = real ? NAN : 0;
        }
    }
    return cross;
}

int cr__cross_sum_pairs(cr__cross_sum *sum, size_t terms)
{
    if (sum->pair_count != NULL)
        return 1;
    sum->pair_count = cr__alloc_zero(terms * terms, sizeof(double));
    sum->pair_sum = cr__alloc_zero(terms * terms, sizeof(double));
    sum->pair_product = cr__alloc_zero(terms * terms, sizeof(double));
    if (sum->pair_count != NULL && sum->pair_sum != NULL && sum->pair_product != NULL)
        return 1;
    cr__free(sum->pair_count);
    cr__free(sum->pair_sum);
    cr__free(sum->pair_product);
    sum->pair_count = sum->pair_sum = sum->pair_product = NULL;
    return 0;
}

/* How far a term's shift must be moved: x - b = (x - a) + d with d = a - b. Where one side has
 * never seen the term its sums are 0, and any shift will do. */
static double move(double a, double b)
{
    return isnan(a) || isnan(b) ? 0 : a - b;
}

/* Σ (x_i + d_i) = Σ x_i + n d_i, and
 * Σ (x_i + d_i)(x_j + d_j) = Σ x_i x_j + d_j Σ x_i + d_i Σ x_j + n d_i d_j. */
static double moved_product(double product, double sum_i, double sum_j, double n, double di,
                            double dj)
{
    return product + dj * sum_i + di * sum_j + n * di * dj;
}

/* Row i of the lower triangle goes to row and column of `term`, whichever lies lower. */
static size_t lower(size_t a, size_t b, size_t n)
{
    return a >= b ? a * n + b : b * n + a;
}

static void add_complete(cr__cross_sum *into, size_t n, const cr__cross_sum *from, size_t m,
                         const uint32_t *term, const double *d, double sign)
{
    into->count += sign * from->count;
    for (size_t i = 0; i < m; i++) {
        if (term[i] == UINT32_MAX)
            continue;
        into->sum[term[i]] += sign * (from->sum[i] + from->count * d[i]);
        for (size_t j = 0; j <= i; j++)
            if (term[j] != UINT32_MAX)
                into->product[lower(term[i], term[j], n)] +=
                    sign * moved_product(from->product[i * m + j], from->sum[i], from->sum[j],
                                         from->count, d[i], d[j]);
    }
}

static void add_pairs(cr__cross_sum *into, size_t n, const cr__cross_sum *from, size_t m,
                      const uint32_t *term, const double *d, double sign)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            const double count = from->pair_count[lower(i, j, m)];

            if (term[i] == UINT32_MAX || term[j] == UINT32_MAX)
                continue;
            into->pair_sum[term[i] * n + term[j]] +=
                sign * (from->pair_sum[i * m + j] + count * d[i]);
            if (j > i)
                continue;
            into->pair_count[lower(term[i], term[j], n)] += sign * count;
            into->pair_product[lower(term[i], term[j], n)] +=
                sign * moved_product(from->pair_product[i * m + j], from->pair_sum[i * m + j],
                                     from->pair_sum[j * m + i], count, d[i], d[j]);
        }
}

cr_status cr__cross_add(cr__cross *into, const cr__cross *from, const uint32_t *term,
                        const uint32_t *class_of, int sign)
{
    double *d = cr__alloc(from->terms, sizeof *d);
    cr_status st = d == NULL ? CR_ENOMEM : CR_OK;

    for (size_t i = 0; st == CR_OK && i < from->terms; i++) {
        double *shift = term[i] == UINT32_MAX ? NULL : &into->shift[term[i]];

        d[i] = shift == NULL ? 0 : move(from->shift[i], *shift);
        if (shift != NULL && isnan(*shift))
            *shift = from->shift[i];
    }
    for (size_t c = 0; st == CR_OK && c < from->classes; c++) {
        cr__cross_sum *sum;

        if (class_of[c] == UINT32_MAX)
            continue;
        sum = &into->of[class_of[c]];
        add_complete(sum, into->terms, &from->of[c], from->terms, term, d, sign);
        if (from->of[c].pair_count == NULL)
            continue;
        if (!cr__cross_sum_pairs(sum, into->terms))
            st = CR_ENOMEM;
        else
            add_pairs(sum, into->terms, &from->of[c], from->terms, term, d, sign);
    }
    cr__free(d);
    return st;
}

cr__cross_pair_sum cr__cross_pair(const cr__cross *cross, size_t c, size_t i, size_t j,
                                  int complete)
{
    const cr__cross_sum *sum = &cross->of[c];
    const size_t n = cross->terms, at = lower(i, j, n);
    cr__cross_pair_sum p = {sum->count, sum->sum[i], sum->sum[j], sum->product[at]};

    if (complete || sum->pair_count == NULL)
        return p;
    p.count += sum->pair_count[at];
    p.sum_i += sum->pair_sum[i * n + j];
    p.sum_j += sum->pair_sum[j * n + i];
    p.product += sum->pair_product[at];
    return p;
}
