/* learners/naive_bayes/sections.c - fitted naive Bayes in the model file.
 *
 *   NBPR      log P(class), [classes]
 *   NBFT i    column i: log P(value | class), [(values + 2) * classes], or for a real column base,
 *             mean, power, inverse and freedom, [5 * classes]; one that is cut is like a symbol
 *   NBBN i    the intervals of a cut column: bins.c
 *   NBKD i    the kernels of a real column: kde.c
 */
#include "base/fail.h"
#include "base/memory.h"
#include "learners/naive_bayes/naive_bayes.h"

#define TAG_PRIOR CR__TAG('N', 'B', 'P', 'R')
#define TAG_COLUMN CR__TAG('N', 'B', 'F', 'T')

static size_t column_numbers(const cr__nb_column *column, size_t classes)
{
    return column->kind == CR_REAL && !column->cut ? CR__NB_REAL_ARRAYS * classes
                                                   : (column->values + 2) * classes;
}

void cr__nb_save(const void *fitted, cr__draft *draft)
{
    const cr__nb *nb = fitted;

    cr__draft_section_begin(draft, TAG_PRIOR, 0);
    cr__draft_borrow(draft, nb->log_prior, nb->classes * sizeof *nb->log_prior);
    for (size_t i = 0; i < nb->columns; i++) {
        const cr__nb_column *column = &nb->column[i];

        if (column->kind == CR_BAG)
            cr__nb_save_text(column->text, draft, (uint32_t)i);
        if (column->kind == CR_IGNORE || column->kind == CR_BAG)
            continue;
        cr__draft_section_begin(draft, TAG_COLUMN, (uint32_t)i);
        cr__draft_borrow(draft, column->log_p != NULL ? column->log_p : column->real.base,
                         column_numbers(column, nb->classes) * sizeof(double));
        if (column->cut)
            cr__nb_bins_save(&nb->bins[i], nb->classes, (uint32_t)i, draft);
        if (column->kde != NULL)
            cr__nb_kde_save(column->kde, (uint32_t)i, draft);
    }
}

static cr_status open_column(cr__nb *nb, size_t i, const cr__container *container, cr_error *err)
{
    cr__nb_column *column = &nb->column[i];
    const void *bytes;
    cr_status st = CR_OK;

    if (column->kind == CR_REAL) {
        st = cr__nb_bins_open(&nb->bins[i], container, (uint32_t)i, nb->classes, &column->cut, err);
        if (st == CR_OK && column->cut)
            column->values = nb->bins[i].cuts.count + 1;
        if (st == CR_OK)
            st = cr__nb_kde_open(&column->kde, container, (uint32_t)i, nb->classes, err);
    }
    if (st != CR_OK)
        return st;
    if (nb->classes != 0 && column->values + 2 > SIZE_MAX / sizeof(double) / nb->classes)
        return cr__container_damaged(container, err, "a column has an impossible number of values");
    st = cr__container_need(container, TAG_COLUMN, (uint32_t)i,
                            column_numbers(column, nb->classes) * sizeof(double), 1, &bytes, NULL,
                            err);
    if (st != CR_OK)
        return st;
    if (column->kind == CR_REAL && !column->cut)
        column->real = cr__nb_real_arrays(bytes, nb->classes);
    else
        column->log_p = bytes;
    return CR_OK;
}

cr_status cr__nb_open(void **fitted, const cr__container *container, const cr_schema *schema,
                      const size_t *values, size_t classes, cr_error *err)
{
    cr__nb *nb = cr__alloc_zero(1, sizeof *nb);
    const void *bytes = NULL;
    cr_status st;

    *fitted = NULL;
    if (nb == NULL || (nb->column = cr__alloc_zero(schema->columns, sizeof *nb->column)) == NULL ||
        (nb->bins = cr__alloc_zero(schema->columns, sizeof *nb->bins)) == NULL) {
        cr__nb_free(nb);
        return cr__fail_memory(err);
    }
    nb->classes = classes;
    nb->columns = schema->columns;
    st =
        cr__container_need(container, TAG_PRIOR, 0, classes * sizeof(double), 1, &bytes, NULL, err);
    nb->log_prior = bytes;
    for (size_t i = 0; st == CR_OK && i < nb->columns; i++) {
        if (!cr__stats_is_feature(schema, i))
            continue;
        nb->column[i].kind = schema->column[i].kind;
        nb->column[i].values = values[i];
        st = nb->column[i].kind == CR_BAG
                 ? cr__nb_open_text(&nb->column[i].text, container, (uint32_t)i, classes, err)
                 : open_column(nb, i, container, err);
    }
    if (st != CR_OK) {
        cr__nb_free(nb);
        return st;
    }
    *fitted = nb;
    return CR_OK;
}
