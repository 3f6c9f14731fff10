/* data/schema.h - the internals of cr_schema. */
#ifndef CR_DATA_SCHEMA_H
#define CR_DATA_SCHEMA_H

#include "credence/schema.h"
#include "data/dict.h"

typedef struct cr__column {
    char *name;
    cr_kind kind;
    cr_role role;
    cr_why why;
    cr__dict *declared; /* values named by the file's header, in its order; NULL when none were */
    uint32_t *factor;   /* [factors] of a product: columns before it */
    size_t factors;     /* 0: it is not a product */
} cr__column;

struct cr_schema {
    size_t columns, capacity;
    cr__column *column;
    cr__dict *names; /* code i+1 is column i */
    size_t target;   /* SIZE_MAX when there is none */
    size_t weight;   /* SIZE_MAX when rows weigh 1 */
};

cr_status cr__schema_new(cr_schema **out, cr_error *err);
void cr__schema_free(cr_schema *schema);

/* Append a column; name need not end in NUL. A duplicate name is CR_EFORMAT, with the name in the
 * message; so is a CR_WHY_PRODUCT whose name is not a product of existing columns.
 */
cr_status cr__schema_add(cr_schema *schema, const char *name, size_t length, cr_kind kind,
                         cr_role role, cr_why why, cr_error *err);

/* Keep only the first `columns` columns. */
cr_status cr__schema_cut(cr_schema *schema, size_t columns, cr_error *err);

cr_status cr__schema_copy(cr_schema **out, const cr_schema *schema, cr_error *err);

/* The name nearest to a wrong one by edits, for "did you mean", or NULL when none is near. */
const char *cr__schema_nearest(const cr_schema *schema, const char *name);

#endif
