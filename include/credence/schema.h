/* credence/schema.h - the columns of a table: names, kinds, roles, and why each kind was chosen.
 *
 * Three kinds of feature cover everything: `real` (a double; NaN is missing), `symbol` (one of a
 * set of words, which grows as new words occur) and `bag` (how often each word occurs: text, sparse
 * vectors). A schema is read-only for its users, and may be read by many threads at once as long as
 * its owner does not change; pointers returned are borrowed from its owner.
 */
#ifndef CREDENCE_SCHEMA_H
#define CREDENCE_SCHEMA_H

#include "credence/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cr_kind { CR_IGNORE = 0, CR_REAL = 1, CR_SYMBOL = 2, CR_BAG = 3 } cr_kind;

typedef enum cr_role { CR_ROLE_FEATURE = 0, CR_ROLE_TARGET = 1, CR_ROLE_WEIGHT = 2 } cr_role;

/* Why a column has its kind. */
typedef enum cr_why {
    CR_WHY_GIVEN = 0,    /* the caller said so */
    CR_WHY_DECLARED = 1, /* the file's header says so (ARFF) */
    CR_WHY_NUMBERS = 2,  /* every value is a number */
    CR_WHY_BINARY = 3,   /* every value is 0 or 1 */
    CR_WHY_WORDS = 4,    /* some value is not a number */
    CR_WHY_TARGET = 5,   /* it is what is learned: its values are classes */
    CR_WHY_EMPTY = 6,    /* it has no value at all */
    CR_WHY_TEXT = 7,     /* its values are sentences */
    CR_WHY_NAMES = 8,    /* it is different in every row: it names rows, and is left out */
    CR_WHY_PRODUCT = 9   /* it is computed from other columns: a product, which its name tells */
} cr_why;

typedef struct cr_schema cr_schema;

/* If there is no such column, the name is NULL, the kind is CR_IGNORE, and the others are 0. A
 * schema of NULL has no columns. */
size_t cr_schema_columns(const cr_schema *schema);
const char *cr_schema_name(const cr_schema *schema, size_t column);
cr_kind cr_schema_kind(const cr_schema *schema, size_t column);
cr_role cr_schema_role(const cr_schema *schema, size_t column);
cr_why cr_schema_why(const cr_schema *schema, size_t column);

/* The column of that name, or SIZE_MAX. */
size_t cr_schema_find(const cr_schema *schema, const char *name);

/* "real", "symbol", "bag", "ignore"; and a sentence for a cr_why. Never NULL. */
const char *cr_kind_name(cr_kind kind);
const char *cr_why_text(cr_why why);

#ifdef __cplusplus
}
#endif
#endif
