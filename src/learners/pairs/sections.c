/* learners/pairs/sections.c - tan, kdb and pairs in the model file.
 *
 *   DPST      u64 features; f64 alpha, m (NaN: laplace); u32 the features in order, numbers of
 *             parents, four parents each
 *   DPTB      log P(x | parents, class), table after table; then log P(class)
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/pairs/pairs.h"

#define TAG_STRUCTURE CR__TAG('D', 'P', 'S', 'T')
#define TAG_TABLES CR__TAG('D', 'P', 'T', 'B')

typedef struct head {
    uint64_t features;
    double alpha, m;
} head;

void cr__dependent_save(const void *fitted, cr__draft *draft)
{
    const cr__dependent *d = fitted;
    const head h = {d->features, d->alpha, d->m};

    cr__draft_section_begin(draft, TAG_STRUCTURE, 0);
    cr__draft_copy(draft, &h, sizeof h);
    cr__draft_borrow(draft, d->structure.order, d->features * sizeof *d->structure.order);
    cr__draft_borrow(draft, d->structure.depth, d->features * sizeof *d->structure.depth);
    cr__draft_borrow(draft, d->structure.parent,
                     d->features * CR__PARENTS_MOST * sizeof *d->structure.parent);
    cr__draft_section_begin(draft, TAG_TABLES, 0);
    cr__draft_borrow(draft, d->log_p, d->size * sizeof *d->log_p);
    cr__draft_borrow(draft, d->log_prior, d->classes * sizeof *d->log_prior);
}

/* Every feature once in the order, and parents before their children. */
static int sound_structure(const cr__structure *s, unsigned char *met)
{
    for (size_t q = 0; q < s->features; q++) {
        const uint32_t i = s->order[q];

        if (i >= s->features || met[i] || s->depth[i] > CR__PARENTS_MOST)
            return 0;
        for (size_t k = 0; k < s->depth[i]; k++) {
            const uint32_t p = s->parent[i * CR__PARENTS_MOST + k];

            if (p >= s->features || !met[p])
                return 0;
        }
        met[i] = 1;
    }
    return 1;
}

static cr_status read_structure(cr__dependent *d, const cr__container *container, cr_error *err)
{
    const size_t n = d->features, words = n * (2 + CR__PARENTS_MOST);
    unsigned char *met = NULL;
    const void *section;
    const char *bytes;
    head h;
    cr_status st = cr__container_need(container, TAG_STRUCTURE, 0,
                                      sizeof h + words * sizeof(uint32_t), 1, &section, NULL, err);

    if (st != CR_OK)
        return st;
    bytes = section;
    memcpy(&h, bytes, sizeof h);
    bytes += sizeof h;
    if (h.features != n || !(h.alpha >= 0) || h.m < 0)
        return cr__container_damaged(container, err, "its structure makes no sense");
    d->alpha = h.alpha;
    d->m = h.m;
    if (cr__structure_new(&d->structure, n) != CR_OK || (met = cr__alloc_zero(n, 1)) == NULL)
        return cr__fail_memory(err);
    memcpy(d->structure.order, bytes, n * sizeof(uint32_t));
    memcpy(d->structure.depth, bytes + n * sizeof(uint32_t), n * sizeof(uint32_t));
    memcpy(d->structure.parent, bytes + 2 * n * sizeof(uint32_t),
           n * CR__PARENTS_MOST * sizeof(uint32_t));
    if (!sound_structure(&d->structure, met))
        st = cr__container_damaged(container, err, "its structure makes no sense");
    cr__free(met);
    return st;
}

static cr_status read_tables(cr__dependent *d, const cr__container *container, cr_error *err)
{
    const void *bytes;
    cr_status st = cr__dependent_lay_tables(d);

    if (st == CR_ELIMIT)
        return cr__container_damaged(container, err, "a table is impossibly large");
    if (st != CR_OK)
        return cr__fail_memory(err);
    st = cr__container_need(container, TAG_TABLES, 0, (d->size + d->classes) * sizeof(double), 1,
                            &bytes, NULL, err);
    if (st != CR_OK)
        return st;
    d->log_p = bytes;
    d->log_prior = d->log_p + d->size;
    for (size_t i = 0; i < d->size + d->classes; i++)
        if (!(d->log_p[i] <= 1e-9))
            return cr__container_damaged(container, err, "a probability is impossible");
    return CR_OK;
}

cr_status cr__dependent_open(void **fitted, const cr__container *container, const cr_schema *schema,
                             const size_t *values, size_t classes, cr_error *err)
{
    cr__dependent *d = cr__alloc_zero(1, sizeof *d);
    cr_status st;

    *fitted = NULL;
    if (d == NULL)
        return cr__fail_memory(err);
    d->classes = classes;
    if ((st = cr__dependent_lay(d, schema, values, err)) == CR_EFORMAT)
        st = cr__container_damaged(container, err, "the intervals of a column make no sense");
    if (st == CR_OK)
        st = read_structure(d, container, err);
    if (st == CR_OK)
        st = read_tables(d, container, err);
    if (st != CR_OK) {
        cr__dependent_free(d);
        return st;
    }
    *fitted = d;
    return CR_OK;
}
