/* sql/postgresql/credence.h - declarations shared by the files of the extension. */
#ifndef CREDENCE_SQL_POSTGRESQL_H
#define CREDENCE_SQL_POSTGRESQL_H

#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"

#include "credence/credence.h"
#include "opened.h"
#include "rows.h"

#pragma GCC visibility push(hidden)

/* Raise a status as an error of the server with the library's hint. */
void raise_status(cr_status status, const cr_error *err) pg_attribute_noreturn();

/* --- models ------------------------------------------------------------------------------------
 */

/* A model that this server process has open, with a row to fill. */
typedef struct open_model {
    uint64 opening; /* number of this opening: see opened.h */
    cr_model *model;
    cr_row *row;
    double *posterior;
    row_form form; /* of the rows asked about */
} open_model;

/* The model of a datum, opened once for equal bytes. Valid until the next call. */
open_model *get_model(Datum datum);

/* The same for an argument of a function. It is not even unpacked if it is the argument of the
 * function's last call. */
open_model *get_argument(FunctionCallInfo fcinfo, int argument);

/* Take a composite value into the model's form; columns are matched by name. */
void take_row(open_model *m, Datum row);

/* Fill the model's row with a composite value. */
void fill_row(open_model *m, Datum row);

Datum model_datum(const cr_model *model);
Datum jsonb_datum(cr_output *out, cr_status status, const cr_error *err); /* frees the output */
Datum text_datum(cr_output *out, cr_status status, const cr_error *err);

#pragma GCC visibility pop

#endif
