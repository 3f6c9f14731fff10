/* data/product.c - products of columns: their names, and their values. */
#include "data/product.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/* The column that length bytes of a name stand for, and the power it is taken to. SIZE_MAX: none.
 */
static size_t find_factor(const cr_schema *schema, const char *name, size_t length, size_t *power)
{
    uint32_t code = cr__dict_find(schema->names, name, length);

    *power = 1;
    if (code == CR__MISSING && length > 2 && name[length - 2] == '^') {
        *power = (size_t)(name[length - 1] - '0');
        code = cr__dict_find(schema->names, name, length - 2);
    }
    return code == CR__MISSING ? SIZE_MAX : code - 1;
}

cr_status cr__product_read(const cr_schema *schema, cr__column *column, cr_error *err)
{
    const char *at = column->name;
    uint32_t factor[CR__FACTORS];
    size_t count = 0;

    for (int last = 0; !last; at++) {
        const size_t length = strcspn(at, "*");
        size_t power;
        const size_t found = find_factor(schema, at, length, &power);

        if (found == SIZE_MAX)
            return cr__fail(err, CR_EFORMAT, "'%s' has the factor '%.*s', which is not a column",
                            column->name, (int)(length < 80 ? length : 80), at);
        if (power < 1 || power > CR__FACTORS - count)
            return cr__fail(err, CR_EFORMAT, "the product '%s' has more than %d factors",
                            column->name, CR__FACTORS);
        while (power-- > 0)
            factor[count++] = (uint32_t)found;
        at += length;
        last = *at == '\0';
    }
    if (count < 2)
        return cr__fail(err, CR_EFORMAT, "'%s' is not a product of columns", column->name);
    if ((column->factor = cr__alloc(count, sizeof *column->factor)) == NULL)
        return cr__fail_memory(err);
    memcpy(column->factor, factor, count * sizeof *factor);
    column->factors = count;
    return CR_OK;
}

static void fill(const cr__column *column, const cr__batch *batch, double *product)
{
    for (size_t r = 0; r < batch->rows; r++)
        product[r] = 1;
    for (size_t f = 0; f < column->factors; f++) {
        const cr__batch_column *data = &batch->column[column->factor[f]];
        const double *x = data->kind == CR_REAL ? data->real : NULL;

        for (size_t r = 0; r < batch->rows; r++)
            product[r] *= x == NULL ? NAN : x[r];
    }
    for (size_t r = 0; r < batch->rows; r++)
        product[r] = isinf(product[r]) ? NAN : product[r];
}

void cr__products_fill(const cr_schema *schema, cr__batch *batch)
{
    for (size_t i = 0; i < schema->columns; i++)
        if (schema->column[i].factors > 0 && batch->column[i].kind == CR_REAL)
            fill(&schema->column[i], batch, batch->column[i].real);
}
