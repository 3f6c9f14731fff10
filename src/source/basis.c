/* source/basis.c - products of columns that the caller asks for, after the columns of the data. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "data/product.h"
#include "source/format.h"

#define MOST_PRODUCTS 2000 /* a regression needs the square of that in memory */

typedef struct basis {
    cr_schema *schema;
    size_t columns; /* of the data */
} basis;

static int is_number(const cr__column *column)
{
    return column->kind == CR_REAL && column->role == CR_ROLE_FEATURE;
}

static size_t count_numbers(const basis *b)
{
    size_t count = 0;

    for (size_t i = 0; i < b->columns; i++)
        count += (size_t)is_number(&b->schema->column[i]);
    return count;
}

static cr_status check_room(const basis *b, double more, cr_error *err)
{
    const double all = (double)(b->schema->columns - b->columns) + more;

    if (all <= MOST_PRODUCTS)
        return CR_OK;
    cr__fail(err, CR_ELIMIT, "the basis has %.0f products of columns; %d are the most", all,
             MOST_PRODUCTS);
    return cr__fail_hint(err, CR_ELIMIT, "name the products that matter, such as x^2 and x*y");
}

/* A product that already exists is not added twice. */
static cr_status add(const basis *b, const char *name, size_t length, cr_error *err)
{
    const uint32_t code = cr__dict_find(b->schema->names, name, length);

    if (code != CR__MISSING && b->schema->column[code - 1].factors > 0)
        return CR_OK;
    if (code != CR__MISSING)
        return cr__fail(err, CR_EARG, "the data have a column '%s' already",
                        b->schema->column[code - 1].name);
    return cr__schema_add(b->schema, name, length, CR_REAL, CR_ROLE_FEATURE, CR_WHY_PRODUCT, err);
}

/* A factor must not look like a product itself. */
static cr_status check_name(const char *name, cr_error *err)
{
    return strpbrk(name, "*^") == NULL
               ? CR_OK
               : cr__fail(err, CR_EARG,
                          "column '%s' cannot be a factor: its name has a * or ^ in it", name);
}

static cr_status add_power(const basis *b, const char *of, size_t power, cr_error *err)
{
    const size_t size = strlen(of) + 24;
    char *name = cr__alloc(size, 1);
    cr_status st = name == NULL ? cr__fail_memory(err) : check_name(of, err);

    if (st == CR_OK)
        st = add(b, name, (size_t)snprintf(name, size, "%s^%zu", of, power), err);
    cr__free(name);
    return st;
}

static cr_status add_pair(const basis *b, const char *first, const char *second, cr_error *err)
{
    const size_t size = strlen(first) + strlen(second) + 2;
    char *name = cr__alloc(size, 1);
    cr_status st = name == NULL ? cr__fail_memory(err) : check_name(first, err);

    if (st == CR_OK && (st = check_name(second, err)) == CR_OK)
        st = add(b, name, (size_t)snprintf(name, size, "%s*%s", first, second), err);
    cr__free(name);
    return st;
}

/* --- what can be asked for ------------------------------------------------------------------ */

static cr_status add_polynomial(const basis *b, const char *degree, size_t length, cr_error *err)
{
    const size_t most = length == 1 ? (size_t)(*degree - '0') : 0, numbers = count_numbers(b);
    cr_status st;

    if (most < 2 || most > CR__FACTORS)
        return cr__fail(err, CR_EARG, "a polynomial of degree '%.*s': it can be 2 to %d",
                        (int)(length < 40 ? length : 40), degree, CR__FACTORS);
    if (numbers == 0)
        return cr__fail(err, CR_EARG, "no feature is a number, which a polynomial needs");
    st = check_room(b, (double)numbers * (double)(most - 1), err);
    for (size_t i = 0; st == CR_OK && i < b->columns; i++)
        for (size_t power = 2; st == CR_OK && power <= most; power++)
            if (is_number(&b->schema->column[i]))
                st = add_power(b, b->schema->column[i].name, power, err);
    return st;
}

static cr_status add_interactions(const basis *b, cr_error *err)
{
    const double numbers = (double)count_numbers(b);
    cr_status st;

    if (numbers < 2)
        return cr__fail(err, CR_EARG, "interactions need two features that are numbers; there %s",
                        numbers < 1 ? "is none" : "is one");
    st = check_room(b, numbers * (numbers - 1) / 2, err);
    for (size_t i = 0; st == CR_OK && i < b->columns; i++)
        for (size_t j = i + 1; st == CR_OK && j < b->columns; j++)
            if (is_number(&b->schema->column[i]) && is_number(&b->schema->column[j]))
                st = add_pair(b, b->schema->column[i].name, b->schema->column[j].name, err);
    return st;
}

/* The factors of the last column must be numbers, and features. */
static cr_status check_factors(const basis *b, cr_error *err)
{
    const cr__column *product = &b->schema->column[b->schema->columns - 1];

    for (size_t f = 0; f < product->factors; f++) {
        const cr__column *factor = &b->schema->column[product->factor[f]];

        if (is_number(factor))
            continue;
        if (factor->role != CR_ROLE_FEATURE)
            return cr__fail(err, CR_EARG, "'%s' cannot be a factor of '%s': it is the %s",
                            factor->name, product->name,
                            factor->role == CR_ROLE_TARGET ? "target" : "weight");
        cr__fail(err, CR_EARG, "'%s' cannot be a factor of '%s': it is not a number", factor->name,
                 product->name);
        return factor->kind != CR_SYMBOL
                   ? CR_EARG
                   : cr__fail_hint(err, CR_EARG, CR__SET("type %s=real") " takes it as one",
                                   factor->name);
    }
    return CR_OK;
}

static cr_status add_item(const basis *b, const char *item, size_t length, cr_error *err)
{
    static const char polynomial[] = "polynomial:", interactions[] = "interactions";
    const size_t prefix = sizeof polynomial - 1;
    cr_status st;

    if (length >= prefix && memcmp(item, polynomial, prefix) == 0)
        return add_polynomial(b, item + prefix, length - prefix, err);
    if (length == sizeof interactions - 1 && memcmp(item, interactions, length) == 0)
        return add_interactions(b, err);
    if ((st = check_room(b, 1, err)) != CR_OK)
        return st;
    if ((st = add(b, item, length, err)) == CR_EFORMAT)
        return cr__fail_hint(err, CR_EARG,
                             "a basis is polynomial:2, interactions, or products such as x^2 and "
                             "x*y");
    return st == CR_OK ? check_factors(b, err) : st;
}

cr_status cr__source_add_basis(const cr_source *source, cr_schema *schema, cr_error *err)
{
    const basis b = {schema, schema->columns};
    cr_status st = CR_OK;

    for (const char *at = source->basis; st == CR_OK && *at != '\0';) {
        const size_t length = strcspn(at, ",");

        st = add_item(&b, at, length, err);
        at += length + (at[length] == ',');
    }
    return st;
}
