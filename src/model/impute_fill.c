/* model/impute_fill.c - fill in missing values.
 *
 * The model: all features are treated as jointly normal, symbols by 0/1 indicators of their values.
 * The missing part (m) of a row has, given the known part (o), the expectation
 *
 *     μ_m + Σ_mo Σ_oo⁻¹ (x_o - μ_o),
 *
 * and a symbol gets the value with the largest expected indicator: the linear regression of the
 * missing on the known (Buck 1960; Little & Rubin, Statistical Analysis with Missing Data, 4.2). μ
 * and Σ are learned by alternating between filling in rows and re-estimating (impute.c). Rows that
 * lack the same features are processed together.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "model/impute.h"

/* --- codes ---------------------------------------------------------------------------------- */

void cr__impute_unbind(cr__impute_codes *codes)
{
    for (size_t i = 0; i < codes->columns; i++) {
        cr__free(codes->there == NULL ? NULL : codes->there[i]);
        cr__free(codes->here == NULL ? NULL : codes->here[i]);
    }
    cr__free(codes->there);
    cr__free(codes->here);
    cr__free(codes->limit);
    *codes = (cr__impute_codes){0};
}

static cr_status bind_column(cr__impute_codes *codes, size_t i, const cr__dict *own,
                             cr__dict *theirs, int grow)
{
    cr_status st = CR_OK;

    codes->there[i] = cr__alloc_zero((size_t)own->words + 1, sizeof **codes->there);
    if (codes->there[i] == NULL)
        return CR_ENOMEM;
    for (uint32_t code = 1; st == CR_OK && code <= own->words; code++) {
        size_t length;
        const char *word = cr__dict_word(own, code, &length);

        if (grow)
            st = cr__dict_intern(theirs, word, length, &codes->there[i][code]);
        else
            codes->there[i][code] = cr__dict_find(theirs, word, length);
    }
    codes->limit[i] = theirs->words;
    codes->here[i] = cr__alloc_zero((size_t)theirs->words + 1, sizeof **codes->here);
    if (codes->here[i] == NULL)
        return CR_ENOMEM;
    for (uint32_t code = 1; st == CR_OK && code <= own->words; code++)
        codes->here[i][codes->there[i][code]] = code;
    codes->here[i][CR__MISSING] = CR__MISSING;
    return st;
}

cr_status cr__impute_bind(cr__impute_codes *out, const cr__impute *impute, cr__dict *const *dict,
                          int grow, cr_error *err)
{
    const size_t n = impute->columns;
    cr_status st;

    *out = (cr__impute_codes){.columns = n};
    out->there = cr__alloc_zero(n, sizeof *out->there);
    out->here = cr__alloc_zero(n, sizeof *out->here);
    out->limit = cr__alloc_zero(n, sizeof *out->limit);
    st = out->there == NULL || out->here == NULL || out->limit == NULL ? CR_ENOMEM : CR_OK;
    for (size_t i = 0; st == CR_OK && i < n; i++)
        if (impute->kind[i] == CR_SYMBOL)
            st = bind_column(out, i, impute->dict[i], dict[i], grow);
    if (st == CR_OK)
        return CR_OK;
    cr__impute_unbind(out);
    return cr__fail_memory(err);
}

/* --- by column ------------------------------------------------------------------------------ */

static void fill_column(const cr__impute *impute, const cr__impute_codes *codes, size_t i,
                        const cr__impute_column *column, size_t rows)
{
    const uint32_t code = impute->kind[i] == CR_SYMBOL ? codes->there[i][impute->code[i]] : 0;

    for (size_t r = 0; r < rows; r++)
        if (impute->kind[i] == CR_REAL && isnan(column[i].real[r]))
            column[i].real[r] = impute->real[i];
        else if (impute->kind[i] == CR_SYMBOL && column[i].code[r] == CR__MISSING)
            column[i].code[r] = code;
}

/* --- by the others -------------------------------------------------------------------------- */

/* Rows that lack the same columns. */
typedef struct group {
    const cr__impute *impute;
    const cr__impute_codes *codes;
    const cr__impute_column *column;
    const unsigned char *lacks; /* [columns] */
    size_t known, missing;      /* terms */
    size_t *o, *m;              /* [terms] which */
    double *factor;             /* [known * known] of Σ_oo */
    double *slope;              /* [known * missing] Σ_oo⁻¹ Σ_om */
    double *x;                  /* [known] of a row */
    double *expected;           /* [terms] of a row, where missing */
} group;

/* The first value of a symbol follows from the others, and is not a predictor. */
static void part_terms(group *g)
{
    const cr__impute *impute = g->impute;

    g->known = g->missing = 0;
    for (size_t t = 0; t < impute->terms; t++) {
        const int first = impute->term[t].value == 0;

        if (g->lacks[impute->term[t].column])
            g->m[g->missing++] = t;
        else if (!first && impute->covariance[t * impute->terms + t] > 0)
            g->o[g->known++] = t;
    }
}

/* Σ_oo with a little added to its diagonal, more if needed; 0 when that does not help. */
static int factorise(group *g)
{
    const cr__impute *impute = g->impute;
    const size_t k = g->known, n = impute->terms;

    for (double ridge = 1e-9; ridge < 1e3; ridge *= 10) {
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j <= i; j++)
                g->factor[i * k + j] =
                    impute->covariance[g->o[i] * n + g->o[j]] * (i == j ? 1 + ridge : 1);
        if (cr__cholesky(g->factor, k) == 0)
            return 1;
    }
    return 0;
}

static void find_slopes(group *g)
{
    const size_t k = g->known, w = g->missing, n = g->impute->terms;

    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < w; j++)
            g->slope[i * w + j] = g->impute->covariance[g->o[i] * n + g->m[j]];
    if (k == 0 || w == 0)
        return;
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)k, (int)w, 1,
                g->factor, (int)k, g->slope, (int)w);
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, (int)k, (int)w, 1,
                g->factor, (int)k, g->slope, (int)w);
}

/* The known values minus their means; a value that the imputer does not know counts as none. */
static double known_value(const group *g, size_t t, size_t r)
{
    const cr__cross_term term = g->impute->term[t];
    uint32_t code;

    if (term.value == CR__TERM_REAL)
        return g->column[term.column].real[r] - g->impute->mean[t];
    code = g->column[term.column].code[r];
    code = code <= g->codes->limit[term.column] ? g->codes->here[term.column][code] : CR__MISSING;
    return code == CR__MISSING ? 0 : (code == term.value + 1) - g->impute->mean[t];
}

static void put_expected(const group *g, size_t r)
{
    const cr__impute *impute = g->impute;
    double most = -INFINITY;

    for (size_t j = 0; j < g->missing; j++) {
        const cr__cross_term term = impute->term[g->m[j]];

        if (term.value == CR__TERM_REAL) {
            if (!isnan(impute->real[term.column]))
                g->column[term.column].real[r] = g->expected[j];
            continue;
        }
        if (j == 0 || impute->term[g->m[j - 1]].column != term.column)
            most = -INFINITY;
        if (g->expected[j] > most && impute->mean[g->m[j]] > 0) {
            most = g->expected[j];
            g->column[term.column].code[r] = g->codes->there[term.column][term.value + 1];
        }
    }
}

static void fill_group(group *g, const uint32_t *row, size_t rows)
{
    const size_t k = g->known, w = g->missing;
    const int solved = factorise(g);

    if (solved)
        find_slopes(g);
    for (size_t q = 0; q < rows; q++) {
        for (size_t j = 0; j < w; j++)
            g->expected[j] = g->impute->mean[g->m[j]];
        for (size_t i = 0; solved && i < k; i++)
            g->x[i] = known_value(g, g->o[i], row[q]);
        if (solved && k > 0 && w > 0)
            cblas_dgemv(CblasRowMajor, CblasTrans, (int)k, (int)w, 1, g->slope, (int)w, g->x, 1, 1,
                        g->expected, 1);
        put_expected(g, row[q]);
    }
}

/* Which columns each row lacks; how many rows lack something. */
static size_t find_gaps(const cr__impute *impute, const cr__impute_column *column, size_t rows,
                        unsigned char *lacks, uint32_t *row)
{
    const size_t n = impute->columns;
    size_t count = 0;

    for (size_t r = 0; r < rows; r++) {
        int some = 0;

        for (size_t i = 0; i < n; i++) {
            const int gap = impute->kind[i] == CR_REAL     ? isnan(column[i].real[r])
                            : impute->kind[i] == CR_SYMBOL ? column[i].code[r] == CR__MISSING
                                                           : 0;

            lacks[r * n + i] = (unsigned char)gap;
            some |= gap;
        }
        if (some)
            row[count++] = (uint32_t)r;
    }
    return count;
}

/* Sort rows by what they lack (heap sort: it needs no memory and no context). */
static int before(const unsigned char *lacks, size_t n, uint32_t a, uint32_t b)
{
    const int order = memcmp(lacks + (size_t)a * n, lacks + (size_t)b * n, n);

    return order != 0 ? order < 0 : a < b;
}

static void sift(uint32_t *row, size_t at, size_t count, const unsigned char *lacks, size_t n)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        const uint32_t here = row[at];

        if (child + 1 < count && before(lacks, n, row[child], row[child + 1]))
            child++;
        if (!before(lacks, n, here, row[child]))
            return;
        row[at] = row[child];
        row[child] = here;
    }
}

static void sort_rows(uint32_t *row, size_t count, const unsigned char *lacks, size_t n)
{
    for (size_t i = count / 2; i-- > 0;)
        sift(row, i, count, lacks, n);
    for (size_t end = count; end > 1;) {
        const uint32_t last = row[--end];

        row[end] = row[0];
        row[0] = last;
        sift(row, 0, end, lacks, n);
    }
}

static cr_status fill_groups(group *g, const unsigned char *lacks, uint32_t *row, size_t count)
{
    const size_t n = g->impute->columns, t = g->impute->terms;
    cr_status st = CR_OK;

    g->o = cr__alloc(t, sizeof *g->o);
    g->m = cr__alloc(t, sizeof *g->m);
    g->x = cr__alloc(t, sizeof *g->x);
    g->expected = cr__alloc(t, sizeof *g->expected);
    g->factor = cr__alloc(t * t, sizeof *g->factor);
    g->slope = cr__alloc(t * t, sizeof *g->slope);
    if (g->o == NULL || g->m == NULL || g->x == NULL || g->expected == NULL || g->factor == NULL ||
        g->slope == NULL)
        st = CR_ENOMEM;
    for (size_t first = 0, last; st == CR_OK && first < count; first = last) {
        g->lacks = lacks + row[first] * n;
        for (last = first + 1; last < count; last++)
            if (memcmp(lacks + row[last] * n, g->lacks, n) != 0)
                break;
        part_terms(g);
        fill_group(g, row + first, last - first);
    }
    cr__free(g->o);
    cr__free(g->m);
    cr__free(g->x);
    cr__free(g->expected);
    cr__free(g->factor);
    cr__free(g->slope);
    return st;
}

static cr_status fill_model(const cr__impute *impute, const cr__impute_codes *codes,
                            const cr__impute_column *column, size_t rows, cr_error *err)
{
    const size_t n = impute->columns;
    unsigned char *lacks = cr__alloc(rows, n);
    uint32_t *row = cr__alloc(rows, sizeof *row);
    group g = {.impute = impute, .codes = codes, .column = column};
    cr_status st = lacks == NULL || row == NULL ? cr__fail_memory(err) : CR_OK;
    size_t count = st == CR_OK ? find_gaps(impute, column, rows, lacks, row) : 0;

    if (count > 0 && (st = cr__matrix_open(err)) == CR_OK) {
        sort_rows(row, count, lacks, n);
        if (fill_groups(&g, lacks, row, count) != CR_OK)
            st = cr__fail_memory(err);
    }
    cr__free(lacks);
    cr__free(row);
    return st;
}

/* --- rows ----------------------------------------------------------------------------------- */

static cr_status fill(const cr__impute *impute, const cr__impute_codes *codes,
                      const cr__impute_column *column, size_t rows, cr_error *err)
{
    if (impute->how == CR__IMPUTE_DROP || rows == 0)
        return CR_OK;
    if (impute->how == CR__IMPUTE_MODEL)
        return fill_model(impute, codes, column, rows, err);
    for (size_t i = 0; i < impute->columns; i++)
        if (impute->kind[i] != CR_IGNORE)
            fill_column(impute, codes, i, column, rows);
    return CR_OK;
}

cr_status cr__impute_fill_batch(const cr__impute *impute, const cr__impute_codes *codes,
                                cr__batch *batch, cr_error *err)
{
    cr__impute_column *column = cr__alloc(impute->columns, sizeof *column);
    cr_status st;

    if (column == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < impute->columns; i++)
        column[i] = (cr__impute_column){batch->column[i].real, batch->column[i].code};
    st = fill(impute, codes, column, batch->rows, err);
    cr__free(column);
    return st;
}

cr_status cr__impute_fill_table(const cr__impute *impute, cr__table *table, cr_error *err)
{
    cr__impute_column *column = cr__alloc(impute->columns, sizeof *column);
    cr__dict **dict = cr__alloc(impute->columns, sizeof *dict);
    cr__impute_codes codes = {0};
    cr_status st = column == NULL || dict == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t i = 0; st == CR_OK && i < impute->columns; i++) {
        column[i] = (cr__impute_column){table->column[i].real, table->column[i].code};
        dict[i] = table->column[i].dict;
    }
    if (st == CR_OK)
        st = cr__impute_bind(&codes, impute, dict, 1, err);
    if (st == CR_OK)
        st = fill(impute, &codes, column, table->rows, err);
    cr__impute_unbind(&codes);
    cr__free(column);
    cr__free(dict);
    return st;
}
