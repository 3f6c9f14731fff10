/* learners/linear/reg_sections.c - a fitted linear regression in the model file.
 *
 *     LNHD    f64 rows, incomplete, lambda, noise, freedom, r2, log_evidence, mean; u64 terms,
 *             rank, constant
 *     LNTM    per term u32 column, value (all ones: real), reference (all ones: none), values
 *     LNWT    weight [terms], center [terms], spread [terms * terms]
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "learners/linear/linear.h"

#define TAG_HEAD CR__TAG('L', 'N', 'H', 'D')
#define TAG_TERMS CR__TAG('L', 'N', 'T', 'M')
#define TAG_WEIGHTS CR__TAG('L', 'N', 'W', 'T')

void cr__reg_save(const void *fitted, cr__draft *draft)
{
    const cr__reg *reg = fitted;
    const size_t p = reg->head.terms;

    cr__draft_section_begin(draft, TAG_HEAD, 0);
    cr__draft_borrow(draft, &reg->head, sizeof reg->head);
    cr__draft_section_begin(draft, TAG_TERMS, 0);
    cr__draft_borrow(draft, reg->term, p * sizeof *reg->term);
    cr__draft_section_begin(draft, TAG_WEIGHTS, 0);
    cr__draft_borrow(draft, reg->weight, p * sizeof *reg->weight);
    cr__draft_borrow(draft, reg->center, p * sizeof *reg->center);
    cr__draft_borrow(draft, reg->spread, p * p * sizeof *reg->spread);
}

static int is_sound(const cr__reg *reg, const cr_schema *schema, const size_t *values)
{
    const cr__reg_head *h = &reg->head;

    if (!(h->noise > 0) || !(h->freedom > 0) || !(h->rows > 0) || !isfinite(h->mean) ||
        !isfinite(h->noise) || !isfinite(h->rows))
        return 0;
    for (size_t j = 0; j < h->terms; j++) {
        const cr__reg_term t = reg->term[j];

        if (t.column >= schema->columns || !cr__stats_is_feature(schema, t.column) ||
            schema->column[t.column].kind != (t.value == CR__TERM_REAL ? CR_REAL : CR_SYMBOL) ||
            (t.value != CR__TERM_REAL && t.value >= values[t.column]))
            return 0;
    }
    for (size_t i = 0; i < h->terms * (h->terms + 2); i++)
        if (!isfinite(reg->weight[i]))
            return 0;
    return 1;
}

static cr_status open_all(cr__reg *reg, const cr__container *container, const cr_schema *schema,
                          const size_t *values, cr_error *err)
{
    const void *bytes;
    size_t p;
    cr_status st =
        cr__container_need(container, TAG_HEAD, 0, sizeof reg->head, 1, &bytes, NULL, err);

    if (st != CR_OK)
        return st;
    memcpy(&reg->head, bytes, sizeof reg->head);
    p = (size_t)reg->head.terms;
    if (p > 1 << 20)
        return cr__container_damaged(container, err, "its weights make no sense");
    st = cr__container_need(container, TAG_TERMS, 0, p * sizeof *reg->term, 1, &bytes, NULL, err);
    reg->term = bytes;
    if (st == CR_OK)
        st = cr__container_need(container, TAG_WEIGHTS, 0, p * (p + 2) * sizeof(double), 1, &bytes,
                                NULL, err);
    if (st != CR_OK)
        return st;
    reg->weight = bytes;
    reg->center = reg->weight + p;
    reg->spread = reg->center + p;
    return is_sound(reg, schema, values)
               ? CR_OK
               : cr__container_damaged(container, err, "its weights make no sense");
}

cr_status cr__reg_open(void **fitted, const cr__container *container, const cr_schema *schema,
                       const size_t *values, size_t classes, cr_error *err)
{
    cr__reg *reg = cr__alloc_zero(1, sizeof *reg);
    cr_status st = reg == NULL ? cr__fail_memory(err) : cr__matrix_open(err);

    (void)classes;
    if (st == CR_OK)
        st = open_all(reg, container, schema, values, err);
    *fitted = reg;
    if (st != CR_OK) {
        cr__reg_free(reg);
        *fitted = NULL;
    }
    return st;
}
