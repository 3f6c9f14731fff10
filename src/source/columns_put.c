/* source/columns_put.c - the values of an array become cells of a batch. */
#include <float.h>
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "source/columns_impl.h"

/* --- what a plan caches ----------------------------------------------------------------------- */

enum { CACHED_BITS = 10, CACHED = 1 << CACHED_BITS }; /* numbers whose symbols are cached */

static cr_status open_memo(const cr__columns *c, cr__plan *plan)
{
    cr__memo *memo = plan->memo;

    if (memo != NULL && memo->table == c)
        return CR_OK;
    cr__plan_forget(plan);
    if ((memo = plan->memo = cr__alloc_zero(1, sizeof *memo)) == NULL)
        return CR_ENOMEM;
    memo->table = c;
    memo->code = cr__alloc_zero(c->columns, sizeof *memo->code);
    memo->key = cr__alloc_zero(c->columns, sizeof *memo->key);
    if (memo->code == NULL || memo->key == NULL)
        return CR_ENOMEM;
    memo->columns = c->columns;
    return CR_OK;
}

/* The codes that the plan has for names, or for numbers in a cache. */
uint32_t *cr__columns_codes(const cr__columns *c, size_t column, size_t count, cr__plan *plan)
{
    uint32_t **code;

    if (open_memo(c, plan) != CR_OK)
        return NULL;
    code = &plan->memo->code[column];
    if (*code != NULL)
        return *code;
    if ((*code = cr__alloc(count + 1, sizeof **code)) != NULL)
        for (size_t i = 0; i <= count; i++)
            (*code)[i] = CR__MEMO_OPEN;
    return *code;
}

/* --- cells --------------------------------------------------------------------------------- */

static cr_status fail_value(const cr__columns *c, size_t column, size_t row, const cr__cell *cell,
                            cr_status st, cr_error *err)
{
    char scratch[CR__NUMBER_SIZE];
    size_t length;
    const char *text = cr__columns_text(c, column, row, scratch, &length);

    return cr__cell_fail(err, st, cell, text == NULL ? "" : text, length, CR__ARRAYS_NAME, row + 1,
                         column + 1);
}

#define COPY_REALS(type)                                                                           \
    for (size_t r = 0; r < rows; r++, at += a->stride) {                                           \
        CR__LOAD(type, at);                                                                        \
        real[r] = (double)x;                                                                       \
    }                                                                                              \
    break

static void copy_reals(const cr_array *a, size_t first, size_t rows, double *real)
{
    const char *at = cr__array_element(a, first);

    switch (a->element) {
    case CR_ELEMENT_DOUBLE: COPY_REALS(double);
    case CR_ELEMENT_FLOAT: COPY_REALS(float);
    case CR_ELEMENT_INT32: COPY_REALS(int32_t);
    case CR_ELEMENT_INT64: COPY_REALS(int64_t);
    case CR_ELEMENT_UINT8: COPY_REALS(uint8_t);
    default:
        for (size_t r = 0; r < rows; r++)
            real[r] = cr__array_number(a, first + r);
    }
}

/* Numbers, unchanged. */
static cr_status put_reals(const cr__columns *c, size_t column, size_t first, size_t rows,
                           const cr__cell *cell, cr_error *err)
{
    const cr_array *a = &c->array[column];
    int infinite = 0;

    copy_reals(a, first, rows, cell->real);
    for (size_t r = 0; a->mask_kind != CR_MASK_NONE && r < rows; r++)
        if (cr__array_is_masked(a, first + r))
            cell->real[r] = NAN;
    if (cr__array_is_integer(a->element))
        return CR_OK;
    for (size_t r = 0; r < rows; r++)
        infinite |= fabs(cell->real[r]) > DBL_MAX;
    for (size_t r = 0; infinite && r < rows; r++)
        if (isinf(cell->real[r]))
            return fail_value(c, column, first + r, cell, CR_EFORMAT, err);
    return CR_OK;
}

/* Any value, as a text. */
static cr_status put_text(const cr__columns *c, size_t column, size_t row, size_t into,
                          cr__plan *plan, const cr__cell *cell)
{
    char scratch[CR__NUMBER_SIZE];
    cr__section message = {.prefix = "", .whole = 1, .mail = 1};

    message.text = cr__columns_text(c, column, row, scratch, &message.size);
    if (message.text == NULL) {
        cr__cell_put_missing(cell, into);
        return CR_OK;
    }
    if (!c->array[column].mail || cell->use != CR__CELL_TEXT)
        return cr__cell_put(plan, cell, into, message.text, message.size, 0);
    cr__batch_no_text(cell->batch, into, cell->column); /* blanks around a message belong to it */
    return plan->put_text(plan, cell->batch, into, cell->column, &message, plan->err);
}

static cr_status put_texts(const cr__columns *c, size_t column, size_t first, size_t rows,
                           cr__plan *plan, const cr__cell *cell, cr_error *err)
{
    cr_status st;

    for (size_t r = 0; r < rows; r++)
        if ((st = put_text(c, column, first + r, r, plan, cell)) != CR_OK)
            return fail_value(c, column, first + r, cell, st, err);
    return CR_OK;
}

static cr_status fail_code(const cr__columns *c, size_t column, size_t row, cr_error *err)
{
    const cr_array *a = &c->array[column];

    cr__fail(err, CR_EFORMAT, "the code %lld in array '%s' has no name: there are %zu",
             (long long)cr__array_integer(a, row), a->name, a->name_count);
    return cr__fail_at(err, CR_EFORMAT, CR__ARRAYS_NAME, row + 1, column + 1);
}

/* Integers that index names: each name is looked up once. */
static cr_status put_codes(const cr__columns *c, size_t column, size_t first, size_t rows,
                           cr__plan *plan, const cr__cell *cell, cr_error *err)
{
    const cr_array *a = &c->array[column];
    uint32_t *known = cr__columns_codes(c, column, a->name_count, plan);
    cr_status st;

    if (known == NULL)
        return cr__fail_memory(err);
    for (size_t r = 0; r < rows; r++) {
        const int64_t code =
            cr__array_is_masked(a, first + r) ? -1 : cr__array_integer(a, first + r);

        if (code >= 0 && (uint64_t)code >= a->name_count)
            return fail_code(c, column, first + r, err);
        if (code < 0) {
            cell->code[r] = CR__MISSING;
        } else if (known[code] != CR__MEMO_OPEN) {
            cell->code[r] = known[code];
        } else {
            if ((st = put_text(c, column, first + r, r, plan, cell)) != CR_OK)
                return fail_value(c, column, first + r, cell, st, err);
            known[code] = cell->code[r];
        }
    }
    return CR_OK;
}

static uint64_t bits_at(const cr_array *a, size_t row)
{
    if (cr__array_is_integer(a->element))
        return (uint64_t)cr__array_integer(a, row);
    CR__LOAD(uint64_t, &(double){cr__array_number(a, row)});
    return x;
}

/* Numbers as symbols: recent ones need not be formatted again. */
static cr_status put_spelled(const cr__columns *c, size_t column, size_t first, size_t rows,
                             cr__plan *plan, const cr__cell *cell, cr_error *err)
{
    const cr_array *a = &c->array[column];
    uint32_t *known = cr__columns_codes(c, column, CACHED, plan);
    uint64_t **key = known == NULL ? NULL : &plan->memo->key[column];
    cr_status st;

    if (key == NULL || (*key == NULL && (*key = cr__alloc_zero(CACHED, sizeof **key)) == NULL))
        return cr__fail_memory(err);
    for (size_t r = 0; r < rows; r++) {
        const uint64_t bits = bits_at(a, first + r);
        const size_t at = bits * 0x9e3779b97f4a7c15 >> (64 - CACHED_BITS);

        if (cr__array_is_masked(a, first + r)) {
            cell->code[r] = CR__MISSING;
        } else if ((*key)[at] == bits && known[at] != CR__MEMO_OPEN) {
            cell->code[r] = known[at];
        } else {
            if ((st = put_text(c, column, first + r, r, plan, cell)) != CR_OK)
                return fail_value(c, column, first + r, cell, st, err);
            (*key)[at] = bits;
            known[at] = cell->code[r];
        }
    }
    return CR_OK;
}

cr_status cr__columns_put(const cr__columns *c, size_t column, size_t first, size_t rows,
                          cr__plan *plan, const cr__cell *cell, cr_error *err)
{
    const cr_array *a = &c->array[column];

    plan->err = err;
    if (cell->use == CR__CELL_SKIP || rows == 0)
        return CR_OK;
    if (cr__array_has_words(a))
        return cr__columns_put_words(c, column, first, rows, plan, cell, err);
    if (a->names != NULL && cell->use == CR__CELL_SYMBOL)
        return put_codes(c, column, first, rows, plan, cell, err);
    if (a->names == NULL && cr__array_is_number(a->element) && cell->use == CR__CELL_REAL)
        return put_reals(c, column, first, rows, cell, err);
    if (a->names == NULL && cr__array_is_number(a->element) && cell->use == CR__CELL_SYMBOL)
        return put_spelled(c, column, first, rows, plan, cell, err);
    return put_texts(c, column, first, rows, plan, cell, err);
}
