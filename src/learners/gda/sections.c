/* learners/gda/sections.c - fitted Gaussian discriminants in the model file.
 *
 *   GDAH      u64 n, factors, diagonal
 *   GDAC      u32 columns of the real features that take part, [n]
 *   GDAD      mean [classes * n], factor [factors * n * n] (or [factors * n] when diagonal),
 *             base [classes], freedom [classes]
 *   GDAR      per class: ridge, shrinkage
 *   GDAE      u64 steps, settled; log likelihood; rows [classes], mean [classes * n], covariance
 *             [classes * n * n]: only when rows that lack numbers were completed
 *   GDAP      pool, shrinkage and level that covariance=auto has chosen: only then; without the
 *             level in files written before there was one
 *   NBPR …    priors, symbols, texts and marginals: naive_bayes/sections.c
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/fail.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "learners/gda/gda.h"

#define TAG_HEAD CR__TAG('G', 'D', 'A', 'H')
#define TAG_COLUMNS CR__TAG('G', 'D', 'A', 'C')
#define TAG_DENSITY CR__TAG('G', 'D', 'A', 'D')
#define TAG_REPAIR CR__TAG('G', 'D', 'A', 'R')
#define TAG_CHOICE CR__TAG('G', 'D', 'A', 'P')
#define TAG_EM CR__TAG('G', 'D', 'A', 'E')

typedef struct head {
    uint64_t n, factors, diagonal;
} head;

typedef struct em_head {
    uint64_t steps, settled;
    double log_likelihood;
} em_head;

static void save_em(const cr__gda_em *em, size_t classes, size_t n, cr__draft *draft)
{
    const em_head h = {em->steps, em->settled, em->log_likelihood};

    if (em->rows == NULL)
        return;
    cr__draft_section_begin(draft, TAG_EM, 0);
    cr__draft_copy(draft, &h, sizeof h);
    cr__draft_borrow(draft, em->rows, cr__gda_em_size(classes, n) * sizeof(double));
}

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
    save_em(&gda->em, d->classes, d->n, draft);
    if (!isnan(gda->choice.pool)) {
        cr__draft_section_begin(draft, TAG_CHOICE, 0);
        cr__draft_borrow(draft, &gda->choice, sizeof gda->choice);
    }
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
            const double root =
                d->factor[f * cr__gda_factor_size(d) + (d->diagonal ? i : i * d->n + i)];
            if (!(root > 0) || isinf(root))
                return 0;
        }
    for (size_t c = 0; c < d->classes; c++)
        if (!isfinite(d->base[c]) || !isfinite(d->freedom[c]))
            return 0;
    return 1;
}

static cr_status open_density(cr__gda *gda, const head *h, const cr__container *container,
                              size_t classes, cr_error *err)
{
    cr__gda_density *d = &gda->density;
    const void *bytes;
    size_t numbers;
    cr_status st;

    *d = (cr__gda_density){.classes = classes,
                           .n = (size_t)h->n,
                           .factors = (size_t)h->factors,
                           .diagonal = (int)h->diagonal};
    numbers = classes * d->n + d->factors * cr__gda_factor_size(d) + 2 * classes;
    st = cr__container_need(container, TAG_DENSITY, 0, numbers * sizeof(double), 1, &bytes, NULL,
                            err);
    if (st != CR_OK)
        return st;
    d->mean = bytes;
    d->factor = d->mean + classes * d->n;
    d->base = d->factor + d->factors * cr__gda_factor_size(d);
    d->freedom = d->base + classes;
    st = cr__container_need(container, TAG_REPAIR, 0, classes * sizeof *gda->repair, 1, &bytes,
                            NULL, err);
    gda->repair = bytes;
    if (st == CR_OK)
        st = cr__container_need(container, TAG_COLUMNS, 0, d->n * sizeof *gda->column, 1, &bytes,
                                NULL, err);
    gda->column = bytes;
    return st;
}

static cr_status open_em(cr__gda *gda, const cr__container *container, cr_error *err)
{
    const size_t classes = gda->density.classes, n = gda->density.n;
    const size_t size = cr__gda_em_size(classes, n);
    size_t found;
    const void *bytes;
    const double *numbers;
    em_head h;
    cr_status st;

    if (cr__container_section(container, TAG_EM, 0, &found) == NULL)
        return CR_OK;
    st = cr__container_need(container, TAG_EM, 0, sizeof h + size * sizeof *numbers, 1, &bytes,
                            NULL, err);
    if (st != CR_OK)
        return st;
    memcpy(&h, bytes, sizeof h);
    numbers = (const double *)((const char *)bytes + sizeof h);
    for (size_t i = 0; i < size; i++)
        if (!isfinite(numbers[i]))
            return cr__container_damaged(container, err, "its densities make no sense");
    gda->em = (cr__gda_em){.steps = h.steps,
                           .settled = h.settled != 0,
                           .log_likelihood = isfinite(h.log_likelihood) ? h.log_likelihood : 0};
    cr__gda_em_place(&gda->em, numbers, classes, n);
    return CR_OK;
}

static cr_status open_choice(cr__gda *gda, const cr__container *container, cr_error *err)
{
    cr__gda_choice c = {0};
    const void *bytes;
    size_t found, size;
    cr_status st;

    if (cr__container_section(container, TAG_CHOICE, 0, &found) == NULL)
        return CR_OK;
    size = found == offsetof(cr__gda_choice, level) ? found : sizeof c;
    if ((st = cr__container_need(container, TAG_CHOICE, 0, size, 1, &bytes, NULL, err)) != CR_OK)
        return st;
    memcpy(&c, bytes, size);
    gda->choice = c;
    return c.pool >= 0 && c.pool <= 1 && c.shrinkage >= 0 && c.shrinkage <= 1 && c.level >= 0 &&
                   c.level <= 1
               ? CR_OK
               : cr__container_damaged(container, err, "its densities make no sense");
}

static cr_status open_all(cr__gda *gda, const cr__container *container, const cr_schema *schema,
                          const size_t *values, size_t classes, cr_error *err)
{
    void *naive = NULL;
    const void *bytes;
    head h;
    cr_status st = cr__nb_open(&naive, container, schema, values, classes, err);

    gda->marginal = naive;
    if (st == CR_OK)
        st = cr__container_need(container, TAG_HEAD, 0, sizeof h, 1, &bytes, NULL, err);
    if (st != CR_OK)
        return st;
    memcpy(&h, bytes, sizeof h);
    if (h.n > schema->columns || h.n > 1 << 20 || h.diagonal > 1 ||
        (h.factors != 1 && h.factors != classes) || classes > SIZE_MAX / 64 / (h.n * h.n + 4))
        return cr__container_damaged(container, err, "its densities make no sense");
    if ((st = open_density(gda, &h, container, classes, err)) != CR_OK)
        return st;
    if (!is_sound(gda, schema))
        return cr__container_damaged(container, err, "its densities make no sense");
    if ((st = open_em(gda, container, err)) != CR_OK ||
        (st = open_choice(gda, container, err)) != CR_OK)
        return st;
    if (cr__gda_part_others(gda) != CR_OK || cr__gda_density_finish(&gda->density) != CR_OK)
        return cr__fail_memory(err);
    return CR_OK;
}

cr_status cr__gda_open(void **fitted, const cr__container *container, const cr_schema *schema,
                       const size_t *values, size_t classes, cr_error *err)
{
    cr__gda *gda = cr__gda_new();
    cr_status st = gda == NULL ? cr__fail_memory(err) : cr__matrix_open(err);

    if (st == CR_OK)
        st = open_all(gda, container, schema, values, classes, err);
    *fitted = gda;
    if (st != CR_OK) {
        cr__gda_free(gda);
        *fitted = NULL;
    }
    return st;
}
