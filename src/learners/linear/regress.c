/* learners/linear/regress.c - the predicted target of rows, and its uncertainty.
 *
 * y is Student-t around ȳ + w · (x - x̄) with scale² = noise² (1 + 1/n + (x - x̄)' A⁻¹ (x - x̄)). A
 * missing value, or one never seen, is replaced by the mean of its column.
 */
#include <float.h>
#include <math.h>

#include "base/fail.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "learners/linear/linear.h"

double cr__reg_variance(const cr__reg *reg, const double *x)
{
    const size_t p = reg->head.terms;
    double sum = 0;

    for (size_t k = 0; k < p; k++) {
        double along = 0;

        for (size_t j = 0; j < p; j++)
            along += reg->spread[j * p + k] * x[j];
        sum += along * along;
    }
    return sum;
}

static int is_known(const cr__reg_term *t, const cr__batch_column *data, size_t row)
{
    return t->value == CR__TERM_REAL
               ? !isnan(data->real[row])
               : data->code[row] != CR__MISSING && data->code[row] <= t->values;
}

/* A term of a row that has a value: the number, or 1 for its value and -1 for the reference. */
static double term_of(const cr__reg_term *t, const cr__batch_column *data, size_t row)
{
    if (t->value == CR__TERM_REAL)
        return data->real[row];
    return (data->code[row] == t->value + 1) -
           (t->reference != CR__TERM_REAL && data->code[row] == t->reference + 1);
}

/* A term of all rows, minus its mean. */
static void fill(const cr__reg *reg, size_t j, const cr__batch_column *data, size_t rows, double *x)
{
    const cr__reg_term *t = &reg->term[j];
    const size_t p = reg->head.terms;

    for (size_t r = 0; r < rows; r++)
        x[r * p + j] = is_known(t, data, r) ? term_of(t, data, r) - reg->center[j] : 0;
}

static size_t share_out(const cr__reg *reg, const cr__batch *batch, size_t row,
                        cr_regression_share *share)
{
    size_t count = 0;

    for (size_t j = 0; j < reg->head.terms; j++) {
        const cr__reg_term *t = &reg->term[j];
        const cr__batch_column *data = &batch->column[t->column];
        const int real = t->value == CR__TERM_REAL, known = is_known(t, data, row);
        cr_regression_share *s;

        if (count == 0 || share[count - 1].column != t->column)
            share[count++] = (cr_regression_share){
                .column = t->column, .known = known, .value = real ? data->real[row] : NAN};
        s = &share[count - 1];
        s->weight += real ? reg->weight[j] : known ? reg->weight[j] * term_of(t, data, row) : 0;
        s->mean += real ? reg->center[j] : reg->weight[j] * reg->center[j];
        s->share += known ? reg->weight[j] * (term_of(t, data, row) - reg->center[j]) : 0;
    }
    return count;
}

/* With scale² = noise² (1 + 1/n + h), the leverage of the row is h. */
void cr__reg_shares(const void *fitted, const cr__batch *batch, size_t row,
                    cr_regression_share *share, cr_regression_explanation *e)
{
    const cr__reg *reg = fitted;
    const double inflation = e->answer.scale / reg->head.noise;

    e->base = reg->head.mean;
    e->noise = reg->head.noise;
    e->rows = reg->head.rows;
    e->leverage = fmax(0, inflation * inflation - 1 - 1 / reg->head.rows);
    e->shares = share_out(reg, batch, row, share);
}

/* The answer for a row x, minus the means, that the spread has mapped to z. Where squares overflow
 * a double, everything else under the root is negligible. */
static cr_regression answer_of(const cr__reg *reg, const double *x, const double *z)
{
    const int p = (int)reg->head.terms;
    const double q = cblas_ddot(p, z, 1, z, 1);
    const double root = q <= DBL_MAX ? sqrt(1 + 1 / reg->head.rows + q) : cblas_dnrm2(p, z, 1);

    return (cr_regression){.mean = reg->head.mean + cblas_ddot(p, x, 1, reg->weight, 1),
                           .scale = reg->head.noise * root,
                           .freedom = reg->head.freedom};
}

cr_status cr__reg_regress(const void *fitted, void *state, const cr__batch *batch,
                          cr_regression *out, cr_error *err)
{
    const cr__reg *reg = fitted;
    const size_t p = reg->head.terms, rows = batch->rows;
    double *x = cr__alloc(rows * (p + 1), sizeof *x), *z = cr__alloc(rows * (p + 1), sizeof *z);
    cr_status st = CR_OK;

    (void)state;
    if (x == NULL || z == NULL) {
        cr__free(x);
        cr__free(z);
        return cr__fail_memory(err);
    }
    for (size_t j = 0; j < p; j++)
        fill(reg, j, &batch->column[reg->term[j].column], rows, x);
    if (p > 0)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)p, (int)p, 1, x,
                    (int)p, reg->spread, (int)p, 0, z, (int)p);
    for (size_t r = 0; st == CR_OK && r < rows; r++) {
        out[r] = answer_of(reg, x + r * p, z + r * p);
        if (!(isfinite(out[r].mean) && isfinite(out[r].scale))) {
            cr__fail(err, CR_ECONFLICT, "the numbers of this row are too large to calculate with");
            st = cr__fail_at(err, CR_ECONFLICT, NULL, batch->record[r].line, 0);
        }
    }
    cr__free(x);
    cr__free(z);
    return st;
}
