/* sql/postgresql/credence.h - what the files of the extension share. */
#ifndef CREDENCE_SQL_POSTGRESQL_H
#define CREDENCE_SQL_POSTGRESQL_H

#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"

#include "credence/credence.h"

/* Raise what a status says, as an error of the server with the library's hint. */
void raise_status(cr_status status, const cr_error *err) pg_attribute_noreturn();

/* --- rows --------------------------------------------------------------------------------------
 */

/* How the values of a type become values of a column. */
typedef enum source_form {
    FORM_INT2,
    FORM_INT4,
    FORM_INT8,
    FORM_FLOAT4,
    FORM_FLOAT8,
    FORM_NUMERIC,
    FORM_TEXT,  /* text, varchar, char: the bytes as they are */
    FORM_OUTPUT /* anything else, as its output function spells it */
} source_form;

typedef struct attribute {
    bool dropped;
    source_form form;
    FmgrInfo output;
    size_t column; /* of a model's schema or of a trainer; SIZE_MAX: not used */
} attribute;

/* The attributes of a row type, kept from call to call. */
typedef struct row_form {
    uint64 identifier; /* of the row type as it is now; 0: none yet */
    MemoryContext own; /* what is kept, in a context that goes with the row type */
    TupleDesc desc;    /* NULL: not yet known */
    attribute *attribute;
    Datum *value; /* [natts] of the row that was taken apart last */
    bool *null;
} row_form;

/* Take a composite value apart. True: its type is another than before, so that the columns have to
 * be found again. What is kept lives in `context`. */
bool row_take(row_form *form, Datum row, MemoryContext context);

/* The kind that a type has by itself: numbers are real, all others symbols. */
cr_kind row_kind(const row_form *form, int attribute);

/* The value of an attribute that is not NULL. */
double row_number(const row_form *form, int attribute);
const char *row_text(const row_form *form, int attribute, size_t *size);
bool row_is_number(const row_form *form, int attribute);

/* --- models ------------------------------------------------------------------------------------
 */

/* A model that this server process has open, with a row to fill. */
typedef struct open_model {
    uint64 used;   /* when, for the least recently used to go */
    uint64 opened; /* which opening this is */
    char *bytes;   /* of the model, to know it by */
    size_t size;
    cr_model *model;
    cr_row *row;
    double *posterior;
    row_form form; /* of the rows it was asked about */
} open_model;

/* The model of a datum, opened once for equal bytes. Valid until the next call. */
open_model *get_model(Datum datum);

/* The same for an argument of a function, which is not even unpacked where it is the one that the
 * function had in its last call. */
open_model *get_argument(FunctionCallInfo fcinfo, int argument);

/* Take a composite value apart into the model's form; columns are matched by name. */
void take_row(open_model *m, Datum row);

/* Fill the model's row with one. */
void fill_row(open_model *m, Datum row);

Datum model_datum(const cr_model *model);
Datum jsonb_datum(cr_output *out, cr_status status, const cr_error *err); /* frees the output */
Datum text_datum(cr_output *out, cr_status status, const cr_error *err);

#endif
