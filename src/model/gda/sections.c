/* model/gda/sections.c - fitted Gaussian discriminants in the model file.
 *
 *   GDAH      u64 n, factors, diagonal
 *   GDAC      u32 columns of the real features that take part, [n]
 *   GDAD      mean [classes * n], factor [factors * n * n] (or [factors * n] when diagonal),
 *             base [classes], freedom [classes]
 *   GDAR      per class: ridge, shrinkage
 *   NBPR …    priors, symbols, texts and marginals: naive_bayes/sections.c
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "model/gda/gda.h"

#define TAG_HEAD CR__TAG('G', 'D', 'A', 'H')
#define TAG_COLUMNS CR__TAG('G', 'D', 'A', 'C')
#define TAG_DENSITY CR__TAG('G', 'D', 'A', 'D')
#define TAG_REPAIR CR__TAG('G', 'D', 'A', 'R')

typedef struct head {
    uint64_t n, factors, diagonal;
} head;

void cr__gda_save(const void *fitted, cr__draft *draft)
{
    const cr__gda *gda = fitted;
    const cr__gda_density *d = &gda->density;
    const head h = {d->n, d->factors, (uint64_t)d->diagonal};

    cr__draft_section_begin(draft, TAG_HEAD, 0);
    cr__draft_copy(draft, &h, sizeof h);
    cr__draft_section_begin(draft, TAG_COLUMNS, 0);
    cr__draft_borrow(draft, gda->column, d->n * sizeof *gda->column);
    cr__draft_section_begin(draft, TAG_DENSITY, 0);
    cr__draft_borrow(draft, d->mean, d->classes * d->n * sizeof(double));
    cr__draft_borrow(draft, d->factor, d->factors * cr__gda_factor_size(d) * sizeof(double));
    cr__draft_borrow(draft, d->base, d->classes * sizeof(double));
    cr__draft_borrow(draft, d->freedom, d->classes * sizeof(double));
    cr__draft_section_begin(draft, TAG_REPAIR, 0);
    cr__draft_borrow(draft, gda->repair, d->classes * sizeof *gda->repair);
    cr__nb_save(gda->marginal, draft);
}

/* Columns must be real features, in order; roots positive. */
static int is_sound(const cr__gda *gda, const cr_schema *schema)
{
    const cr__gda_density *d = &gda->density;

    for (size_t i = 0; i < d->n; i++)
        if (gda->column[i] >= schema->columns || !cr__stats_is_feature(schema, gda->column[i]) ||
            schema->column[gda->column[i]].kind != CR_REAL ||
            (i > 0 && gda->column[i] <= gda->column[i - 1]))
            return 0;
    for (size_t f = 0; f < d->factors; f++)
        for (size_t i = 0; i < d->n; i++) {
            const double root = d->factor[f * cr__gda_factor_size(d) +
                                          (d->diagonal ? i : i * d->n + i)];
            if (!(root > 0) || isinf(root))
                return 0;
        }
    for (size_t c = 0; c < d->classes; c++)
        if (!isfinite(d->base[c]) || !isfinite(d->freedom[c]))
            return 0;
    return 1;
}

static cr_status open_density(cr__gda *gda, const head *h, const cr__image *image, size_t classes,
                              cr_error *err)
{
    cr__gda_density *d = &gda->density;
    const void *bytes;
    size_t numbers;
    cr_status st;

    *d = (cr__gda_density){.classes = classes, .n = (size_t)h->n, .factors = (size_t)h->factors,
                           .diagonal = (int)h->diagonal};
    numbers = classes * d->n + d->factors * cr__gda_factor_size(d) + 2 * classes;
    st = cr__image_need(image, TAG_DENSITY, 0, numbers * sizeof(double), 1, &bytes, NULL, err);
    if (st != CR_OK)
        return st;
    d->mean = bytes;
    d->factor = d->mean + classes * d->n;
    d->base = d->factor + d->factors * cr__gda_factor_size(d);
    d->freedom = d->base + classes;
    st = cr__image_need(image, TAG_REPAIR, 0, classes * sizeof *gda->repair, 1, &bytes, NULL, err);
    gda->repair = bytes;
    if (st == CR_OK)
        st = cr__image_need(image, TAG_COLUMNS, 0, d->n * sizeof *gda->column, 1, &bytes, NULL,
                            err);
    gda->column = bytes;
    return st;
}

static cr_status open_all(cr__gda *gda, const cr__image *image, const cr_schema *schema,
                          const size_t *values, size_t classes, cr_error *err)
{
    void *naive = NULL;
    const void *bytes;
    head h;
    cr_status st = cr__nb_open(&naive, image, schema, values, classes, err);

    gda->marginal = naive;
    if (st == CR_OK)
        st = cr__image_need(image, TAG_HEAD, 0, sizeof h, 1, &bytes, NULL, err);
    if (st != CR_OK)
        return st;
    memcpy(&h, bytes, sizeof h);
    if (h.n > schema->columns || h.n > 1 << 20 || h.diagonal > 1 ||
        (h.factors != 1 && h.factors != classes) || classes > SIZE_MAX / 64 / (h.n * h.n + 4))
        return cr__image_damaged(image, err, "its densities make no sense");
    if ((st = open_density(gda, &h, image, classes, err)) != CR_OK)
        return st;
    if (!is_sound(gda, schema))
        return cr__image_damaged(image, err, "its densities make no sense");
    if (cr__gda_part_others(gda) != CR_OK || cr__gda_density_finish(&gda->density) != CR_OK)
        return cr__fail_memory(err);
    return CR_OK;
}

cr_status cr__gda_open(void **fitted, const cr__image *image, const cr_schema *schema,
                       const size_t *values, size_t classes, cr_error *err)
{
    cr__gda *gda = cr__gda_new();
    cr_status st = gda == NULL ? cr__fail_memory(err)
                               : open_all(gda, image, schema, values, classes, err);

    *fitted = gda;
    if (st != CR_OK) {
        cr__gda_free(gda);
        *fitted = NULL;
    }
    return st;
}
