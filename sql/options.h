/* sql/options.h - the options of credence_train, as a JSON object.
 *
 *     {"target": "species", "learner": "nb", "types": {"body": "text"}, "params": {"alpha": 2},
 *      "basis": "polynomial:2,x*y", "calibrate": "none"}
 *
 * Unknown members are refused, so that a misspelt option does not go unnoticed. */
#ifndef CREDENCE_SQL_OPTIONS_H
#define CREDENCE_SQL_OPTIONS_H

#include "credence/credence.h"
#include "trainer.h"

typedef struct options {
    char *target, *learner, *basis, *calibrate;
    char **param; /* [params] "KEY=VALUE" */
    size_t params;
    char **type; /* [types] "COLUMN=KIND" */
    size_t types;
} options; /* {0} is empty */

/* text is a JSON object, or just the name of the target; NULL changes nothing. If only_params is
 * set, for refit, it is an object such as {"alpha": 2}. */
cr_status options_read(options *o, const char *text, int only_params, cr_error *err);
void options_free(options *o);

/* The learner, its parameters, the basis and the calibration, borrowed. */
trainer_settings options_settings(const options *o);

/* The kind that the types give a column, or `usual`. CR_EARG: there is no such kind. */
cr_status options_kind(const options *o, const char *column, cr_kind usual, cr_kind *out,
                       cr_error *err);

/* The name of the kind that the options give a column; NULL: none. */
const char *options_kind_name(const options *o, const char *column);

/* CR_EARG: a kind is given for a column that does not exist. */
cr_status options_check_types(const options *o, const trainer_column *column, size_t columns,
                              cr_error *err);

#endif
