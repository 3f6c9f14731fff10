/* data/schema.c - names, kinds and roles of columns. */
#include "data/schema.h"

#include <stdint.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/spec.h"
#include "data/product.h"

#define NAMES_SEED UINT64_C(0x6372656465636531)

size_t cr_schema_columns(const cr_schema *schema)
{
    return schema == NULL ? 0 : schema->columns;
}

/* A model without a target has no target column and no target name. */
const char *cr_schema_name(const cr_schema *schema, size_t i)
{
    return i < cr_schema_columns(schema) ? schema->column[i].name : NULL;
}

cr_kind cr_schema_kind(const cr_schema *schema, size_t i)
{
    return i < cr_schema_columns(schema) ? schema->column[i].kind : CR_IGNORE;
}
cr_role cr_schema_role(const cr_schema *schema, size_t i)
{
    return i < cr_schema_columns(schema) ? schema->column[i].role : CR_ROLE_FEATURE;
}
cr_why cr_schema_why(const cr_schema *schema, size_t i)
{
    return i < cr_schema_columns(schema) ? schema->column[i].why : CR_WHY_GIVEN;
}

size_t cr_schema_find(const cr_schema *schema, const char *name)
{
    uint32_t code = cr__dict_find(schema->names, name, strlen(name));

    return code == CR__MISSING ? SIZE_MAX : code - 1;
}

const char *cr_kind_name(cr_kind kind)
{
    static const char *const names[] = {"ignore", "real", "symbol", "bag"};

    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

const char *cr_why_text(cr_why why)
{
    static const char *const texts[] = {
        [CR_WHY_GIVEN] = "given",
        [CR_WHY_DECLARED] = "declared by the file",
        [CR_WHY_NUMBERS] = "all values are numbers",
        [CR_WHY_BINARY] = "all values are 0 or 1",
        [CR_WHY_WORDS] = "some values are words",
        [CR_WHY_TARGET] = "the target: its values are classes",
        [CR_WHY_EMPTY] = "no values",
        [CR_WHY_TEXT] = "values are sentences",
        [CR_WHY_NAMES] = "different in every row",
        [CR_WHY_PRODUCT] = "a product of other columns",
    };

    return (unsigned)why < sizeof texts / sizeof *texts ? texts[why] : "unknown";
}

cr_status cr__schema_new(cr_schema **out, cr_error *err)
{
    cr_schema *schema = cr__alloc_zero(1, sizeof *schema);
    cr_status st;

    *out = NULL;
    if (schema == NULL)
        return cr__fail_memory(err);
    schema->target = schema->weight = SIZE_MAX;
    if ((st = cr__dict_new(&schema->names, NAMES_SEED, err)) != CR_OK) {
        cr__free(schema);
        return st;
    }
    *out = schema;
    return CR_OK;
}

static void free_column(cr__column *column)
{
    cr__free(column->name);
    cr__free(column->factor);
    cr__dict_free(column->declared);
}

void cr__schema_free(cr_schema *schema)
{
    if (schema == NULL)
        return;
    for (size_t i = 0; i < schema->columns; i++)
        free_column(&schema->column[i]);
    cr__free(schema->column);
    cr__dict_free(schema->names);
    cr__free(schema);
}

cr_status cr__schema_add(cr_schema *schema, const char *name, size_t length, cr_kind kind,
                         cr_role role, cr_why why, cr_error *err)
{
    size_t capacity = schema->capacity;
    char shown[80];
    uint32_t code;
    cr_status st;

    if (cr__dict_find(schema->names, name, length) != CR__MISSING)
        return cr__fail(err, CR_EFORMAT, "column %zu has the name '%s', which column %u has too",
                        schema->columns + 1, cr__printable(shown, sizeof shown, name, length),
                        (unsigned)cr__dict_find(schema->names, name, length));
    if (!cr__grow(&schema->column, &capacity, schema->columns + 1, sizeof *schema->column))
        return cr__fail_memory(err);
    schema->capacity = capacity;
    cr__column *column = &schema->column[schema->columns];
    *column = (cr__column){.kind = kind, .role = role, .why = why};
    if ((column->name = cr__strndup(name, length)) == NULL)
        return cr__fail_memory(err);
    if (why == CR_WHY_PRODUCT && (st = cr__product_read(schema, column, err)) != CR_OK) {
        free_column(column);
        return st;
    }
    if ((st = cr__dict_intern(schema->names, name, length, &code)) != CR_OK) {
        free_column(column);
        return cr__fail(err, st, "the name of column %zu cannot be kept", schema->columns + 1);
    }
    if (role == CR_ROLE_TARGET)
        schema->target = schema->columns;
    if (role == CR_ROLE_WEIGHT)
        schema->weight = schema->columns;
    schema->columns++;
    return CR_OK;
}

cr_status cr__schema_cut(cr_schema *schema, size_t columns, cr_error *err)
{
    cr__dict *names;
    cr_status st;

    if (columns >= schema->columns)
        return CR_OK;
    st = cr__dict_new(&names, NAMES_SEED, err);
    for (size_t i = 0; st == CR_OK && i < columns; i++) {
        const char *name = schema->column[i].name;
        uint32_t code;

        if (cr__dict_intern(names, name, strlen(name), &code) != CR_OK)
            st = cr__fail_memory(err);
    }
    if (st != CR_OK) {
        cr__dict_free(names);
        return st;
    }
    cr__dict_free(schema->names);
    schema->names = names;
    while (schema->columns > columns)
        free_column(&schema->column[--schema->columns]);
    return CR_OK;
}

static cr_status copy_declared(cr__dict **out, const cr__dict *from, cr_error *err)
{
    cr_status st = cr__dict_new(out, from->seed, err);

    for (uint32_t code = 1; st == CR_OK && code <= from->words; code++) {
        size_t length;
        const char *word = cr__dict_word(from, code, &length);
        uint32_t same;

        if ((st = cr__dict_intern(*out, word, length, &same)) != CR_OK)
            cr__fail(err, st, "the declared values cannot be copied");
    }
    return st;
}

cr_status cr__schema_copy(cr_schema **out, const cr_schema *from, cr_error *err)
{
    cr_status st = cr__schema_new(out, err);

    for (size_t i = 0; st == CR_OK && i < from->columns; i++) {
        const cr__column *c = &from->column[i];
        st = cr__schema_add(*out, c->name, strlen(c->name), c->kind, c->role, c->why, err);
        if (st == CR_OK && c->declared != NULL)
            st = copy_declared(&(*out)->column[i].declared, c->declared, err);
    }
    if (st != CR_OK) {
        cr__schema_free(*out);
        *out = NULL;
    }
    return st;
}

const char *cr__schema_nearest(const cr_schema *schema, const char *name)
{
    cr_nearest near = (cr_nearest){.wanted = name};

    for (size_t i = 0; i < schema->columns; i++)
        cr_nearest_offer(&near, schema->column[i].name);
    return near.best;
}
