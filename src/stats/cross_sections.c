/* stats/cross_sections.c - cross products in the model file.
 *
 *   CROS      u64 use (1 real features by class, 2 all features and the target, 3 all features,
 *             4 all real columns), u64 terms; shift[terms]
 *   CRSC c    class c: count, f64 1 when rows lack something, else 0; sum[terms], product; of such
 *             rows also pair_count, pair_product, pair_sum[terms * terms]
 *   CRSX c    class c as trained and what lessons added, when they did: u64 1 when there are
 * numbers of pairs, else 0, u64 the same of the training; f64 for each number of the training
 *             (count, sums, products; then pair counts, pair products, pair sums), and exact
 *             numbers for what was added to each
 *
 * Symmetric matrices are their lower triangles by rows. The terms are the columns and values of the
 * statistics in their order. Because they are rounded, they are not part of the fingerprint.
 */
#include "stats/cross_sections.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "stats/cross_lessons.h"

#define TAG_HEAD CR__TAG('C', 'R', 'O', 'S')
#define TAG_CLASS CR__TAG('C', 'R', 'S', 'C')
#define TAG_LESSONS CR__TAG('C', 'R', 'S', 'X')

static void save_triangle(cr__draft *draft, const double *matrix, size_t n)
{
    for (size_t i = 0; i < n; i++)
        cr__draft_borrow(draft, matrix + i * n, (i + 1) * sizeof *matrix);
}

static void save_lessons(const cr__cross_lessons *l, uint32_t c, cr__draft *draft)
{
    const uint64_t begin[2] = {(uint64_t)l->pairs, (uint64_t)l->base_pairs};
    cr__buffer bytes = {0};

    for (size_t i = 0; i < l->cells; i++) {
        const size_t size = cr__exact_bytes(&l->added[i]);
        char *at = cr__buffer_reserve(&bytes, size);

        if (at == NULL)
            break;
        cr__exact_write(&l->added[i], (unsigned char *)at);
        bytes.size += size;
    }
    draft->failed |= bytes.failed;
    cr__draft_section_begin(draft, TAG_LESSONS, c);
    cr__draft_copy(draft, begin, sizeof begin);
    cr__draft_borrow(draft, l->base, l->cells * sizeof *l->base);
    if (!bytes.failed)
        cr__draft_copy(draft, bytes.data, bytes.size);
    cr__buffer_free(&bytes);
}

void cr__cross_save(const cr__cross *cross, cr__draft *draft)
{
    const size_t n = cross->terms;
    const uint64_t head[2] = {(uint64_t)cross->use, n};

    cr__draft_section_begin(draft, TAG_HEAD, 0);
    cr__draft_copy(draft, head, sizeof head);
    cr__draft_borrow(draft, cross->shift, n * sizeof *cross->shift);
    for (size_t c = 0; c < cross->classes; c++) {
        const cr__cross_sum *sum = &cross->of[c];
        const double begin[2] = {sum->count, sum->pair_count != NULL};

        cr__draft_section_begin(draft, TAG_CLASS, (uint32_t)c);
        cr__draft_copy(draft, begin, sizeof begin);
        cr__draft_borrow(draft, sum->sum, n * sizeof *sum->sum);
        save_triangle(draft, sum->product, n);
        if (sum->pair_count == NULL)
            continue;
        save_triangle(draft, sum->pair_count, n);
        save_triangle(draft, sum->pair_product, n);
        cr__draft_borrow(draft, sum->pair_sum, n * n * sizeof *sum->pair_sum);
    }
    for (size_t c = 0; c < cross->classes; c++)
        if (cross->of[c].lessons != NULL)
            save_lessons(cross->of[c].lessons, (uint32_t)c, draft);
}

static const double *load_triangle(double *matrix, size_t n, const double *at)
{
    for (size_t i = 0; i < n; at += ++i)
        memcpy(matrix + i * n, at, (i + 1) * sizeof *matrix);
    return at;
}

static cr_status load_class(cr__cross *cross, size_t c, const cr__container *container,
                            cr_error *err)
{
    const size_t n = cross->terms, triangle = n * (n + 1) / 2;
    cr__cross_sum *sum = &cross->of[c];
    const void *bytes;
    const double *at;
    size_t size, numbers = 2 + n + triangle;
    cr_status st = cr__container_need(container, TAG_CLASS, (uint32_t)c, 2 * sizeof(double), 0,
                                      &bytes, &size, err);

    if (st != CR_OK)
        return st;
    at = bytes;
    numbers += at[1] != 0 ? 2 * triangle + n * n : 0;
    if (size != numbers * sizeof *at || !(at[0] >= 0))
        return cr__container_damaged(container, err, "products have a wrong length");
    for (size_t i = 0; i < numbers; i++)
        if (!isfinite(at[i]))
            return cr__container_damaged(container, err, "a product is not a number");
    if (at[1] != 0 && !cr__cross_sum_pairs(sum, n))
        return cr__fail_memory(err);
    sum->count = at[0];
    memcpy(sum->sum, at + 2, n * sizeof *at);
    at = load_triangle(sum->product, n, at + 2 + n);
    if (sum->pair_count != NULL) {
        at = load_triangle(sum->pair_count, n, at);
        at = load_triangle(sum->pair_product, n, at);
        memcpy(sum->pair_sum, at, n * n * sizeof *at);
    }
    return CR_OK;
}

/* What lessons changed; the sums have it already. */
static cr_status load_lessons(cr__cross_sum *sum, size_t n, size_t c,
                              const cr__container *container, cr_error *err)
{
    size_t size, used, at;
    const unsigned char *bytes = cr__container_section(container, TAG_LESSONS, (uint32_t)c, &size);
    uint64_t begin[2];
    cr__cross_lessons *l;

    if (bytes == NULL)
        return CR_OK;
    if (size < sizeof begin)
        return cr__container_damaged(container, err, "lessons are cut short");
    memcpy(begin, bytes, sizeof begin);
    if (begin[0] > 1 || begin[1] > begin[0] || (int)begin[0] != (sum->pair_count != NULL))
        return cr__container_damaged(container, err, "lessons make no sense");
    at = sizeof begin + cr__cross_lesson_cells(n, (int)begin[0]) * sizeof *l->base;
    if (size < at)
        return cr__container_damaged(container, err, "lessons are cut short");
    if ((l = sum->lessons = cr__cross_lessons_new(n, (int)begin[0])) == NULL)
        return cr__fail_memory(err);
    l->base_pairs = (int)begin[1];
    memcpy(l->base, bytes + sizeof begin, l->cells * sizeof *l->base);
    for (size_t i = 0; i < l->cells; i++, at += used) {
        const cr_status st = cr__exact_read(&l->added[i], bytes + at, size - at, &used);

        if (st == CR_ENOMEM)
            return cr__fail_memory(err);
        if (st != CR_OK || !isfinite(l->base[i]))
            return cr__container_damaged(container, err, "a lesson is not a number");
    }
    return at == size ? CR_OK
                      : cr__container_damaged(container, err, "lessons have a wrong length");
}

cr_status cr__cross_load(cr__stats *stats, const cr__container *container, cr_error *err)
{
    uint64_t head[2];
    size_t size;
    const char *bytes = cr__container_section(container, TAG_HEAD, 0, &size);
    cr_status st = CR_OK;

    if (bytes == NULL)
        return CR_OK;
    if (size < sizeof head)
        return cr__container_damaged(container, err, "products are cut short");
    memcpy(head, bytes, sizeof head);
    if (head[0] < CR__CROSS_CLASSES || head[0] > CR__CROSS_REALS ||
        head[1] > (size - sizeof head) / sizeof(double) ||
        size != sizeof head + head[1] * sizeof(double))
        return cr__container_damaged(container, err, "products make no sense");
    if ((stats->cross = cr__stats_lay_out_cross(stats, (cr__cross_use)head[0])) == NULL)
        return cr__fail_memory(err);
    if (stats->cross->terms != head[1])
        return cr__container_damaged(container, err, "products belong to other columns");
    memcpy(stats->cross->shift, bytes + sizeof head, head[1] * sizeof(double));
    for (size_t c = 0; st == CR_OK && c < stats->classes; c++)
        if ((st = load_class(stats->cross, c, container, err)) == CR_OK)
            st = load_lessons(&stats->cross->of[c], stats->cross->terms, c, container, err);
    return st;
}
