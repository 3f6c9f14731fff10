/* model/impute_sections.c - what is filled in for missing values, in the model file.
 *
 *   IMPU      u64 how, columns, terms; kind u8[columns] and zeros up to a multiple of 8;
 *             real[columns]; code u32[columns], likewise; term u32 column, value each; mean[terms];
 *             covariance[terms * terms]
 *   IMPD i    words of symbol column i
 */
#include "model/impute.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

#define TAG_IMPUTE CR__TAG('I', 'M', 'P', 'U')
#define TAG_WORDS CR__TAG('I', 'M', 'P', 'D')

static void save_padded(cr__draft *draft, const void *bytes, size_t size)
{
    static const char zero[8];

    cr__draft_borrow(draft, bytes, size);
    cr__draft_borrow(draft, zero, (8 - size % 8) % 8);
}

void cr__impute_save(const cr__impute *impute, cr__draft *draft)
{
    const size_t n = impute->columns, t = impute->terms;
    const uint64_t head[3] = {(uint64_t)impute->how, n, t};

    cr__draft_section_begin(draft, TAG_IMPUTE, 0);
    cr__draft_copy(draft, head, sizeof head);
    save_padded(draft, impute->kind, n);
    cr__draft_borrow(draft, impute->real, n * sizeof *impute->real);
    save_padded(draft, impute->code, n * sizeof *impute->code);
    cr__draft_borrow(draft, impute->term, t * sizeof *impute->term);
    cr__draft_borrow(draft, impute->mean, t * sizeof *impute->mean);
    cr__draft_borrow(draft, impute->covariance, t * t * sizeof *impute->covariance);
    for (size_t i = 0; i < n; i++)
        if (impute->dict[i] != NULL) {
            cr__draft_section_begin(draft, TAG_WORDS, (uint32_t)i);
            cr__draft_dict(draft, impute->dict[i]);
        }
}

static size_t padded(size_t size)
{
    return (size + 7) / 8 * 8;
}

static int is_sound(const cr__impute *impute, const cr_schema *schema)
{
    for (size_t i = 0; i < impute->columns; i++) {
        const cr_kind kind = (cr_kind)impute->kind[i];

        if (kind != CR_IGNORE &&
            (kind == CR_BAG || kind != schema->column[i].kind || isinf(impute->real[i]) ||
             (kind == CR_SYMBOL && impute->code[i] > impute->dict[i]->words)))
            return 0;
    }
    for (size_t t = 0; t < impute->terms; t++) {
        const cr__cross_term term = impute->term[t];

        if (term.column >= impute->columns || impute->kind[term.column] == CR_IGNORE ||
            (impute->kind[term.column] == CR_REAL) != (term.value == CR__TERM_REAL) ||
            (term.value != CR__TERM_REAL && term.value >= impute->dict[term.column]->words) ||
            !isfinite(impute->mean[t]) || (t > 0 && term.column < impute->term[t - 1].column))
            return 0;
    }
    for (size_t k = 0; k < impute->terms * impute->terms; k++)
        if (!isfinite(impute->covariance[k]))
            return 0;
    return 1;
}

static cr_status read_arrays(cr__impute *impute, size_t terms, const char *at)
{
    const size_t n = impute->columns;

    impute->terms = terms;
    impute->term = cr__alloc(terms, sizeof *impute->term);
    impute->mean = cr__alloc(terms, sizeof *impute->mean);
    impute->covariance = cr__alloc(terms * terms, sizeof *impute->covariance);
    if (impute->term == NULL || impute->mean == NULL || impute->covariance == NULL)
        return CR_ENOMEM;
    memcpy(impute->kind, at, n);
    at += padded(n);
    memcpy(impute->real, at, n * sizeof *impute->real);
    at += n * sizeof *impute->real;
    memcpy(impute->code, at, n * sizeof *impute->code);
    at += padded(n * sizeof *impute->code);
    memcpy(impute->term, at, terms * sizeof *impute->term);
    at += terms * sizeof *impute->term;
    memcpy(impute->mean, at, terms * sizeof *impute->mean);
    memcpy(impute->covariance, at + terms * sizeof(double), terms * terms * sizeof(double));
    return CR_OK;
}

/* A copy of the words: an imputer outlives the file it was read from, when its model changes. */
static cr_status read_words(cr__dict **out, const cr__container *container, size_t i, cr_error *err)
{
    cr__dict *view = NULL;
    cr_status st = cr__container_dict(container, TAG_WORDS, (uint32_t)i, &view, err);

    if (st == CR_OK)
        st = cr__dict_new(out, CR__IMPUTE_SEED + i, err);
    for (uint32_t code = 1; st == CR_OK && code <= view->words; code++) {
        size_t length;
        const char *word = cr__dict_word(view, code, &length);
        uint32_t same = 0;

        if (cr__dict_intern(*out, word, length, &same) != CR_OK)
            st = cr__fail_memory(err);
        else if (same != code)
            st = cr__container_damaged(container, err, "a word to fill in is there twice");
    }
    cr__dict_free(view);
    return st;
}

static cr_status read_impute(cr__impute **out, const cr__container *container,
                             const cr_schema *schema, const char *bytes, size_t size, cr_error *err)
{
    const size_t n = schema->columns;
    uint64_t head[3];
    cr_status st;

    if (size < sizeof head)
        return cr__container_damaged(container, err, "its imputation is cut short");
    memcpy(head, bytes, sizeof head);
    if (head[0] < CR__IMPUTE_MEAN || head[0] > CR__IMPUTE_DROP || head[1] != n ||
        head[2] > 1 << 20 ||
        size != sizeof head + padded(n) + n * 8 + padded(n * 4) +
                    (size_t)head[2] * (16 + (size_t)head[2] * 8))
        return cr__container_damaged(container, err, "its imputation makes no sense");
    if ((*out = cr__impute_new((cr__impute_how)head[0], n)) == NULL ||
        read_arrays(*out, (size_t)head[2], bytes + sizeof head) != CR_OK)
        return cr__fail_memory(err);
    for (size_t i = 0; i < n; i++)
        if ((*out)->kind[i] == CR_SYMBOL &&
            (st = read_words(&(*out)->dict[i], container, i, err)) != CR_OK)
            return st;
    return is_sound(*out, schema)
               ? CR_OK
               : cr__container_damaged(container, err, "its imputation makes no sense");
}

cr_status cr__impute_open(cr__impute **out, const cr__container *container, const cr_schema *schema,
                          cr_error *err)
{
    size_t size = 0;
    const char *bytes = cr__container_section(container, TAG_IMPUTE, 0, &size);
    cr_status st;

    *out = NULL;
    if (bytes == NULL)
        return CR_OK;
    if ((st = read_impute(out, container, schema, bytes, size, err)) != CR_OK) {
        cr__impute_free(*out);
        *out = NULL;
    }
    return st;
}
