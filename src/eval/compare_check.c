/* eval/compare_check.c - errors in what is to be compared, and learners that cannot learn the
 * table. */
#include <stdio.h>

#include "eval/auto.h"
#include "eval/compare_impl.h"

cr_status cr__compare_check(const cr_spec *spec, cr_error *err)
{
    const char *const *params = (const char *const *)spec->params;
    cr__auto_options options;

    return cr__auto_named(spec->learner, params, spec->param_count)
               ? cr__auto_read(&options, spec->learner, params, spec->param_count, err)
               : cr_spec_check(spec, err);
}

int cr__compare_unable(cr_status st)
{
    return st == CR_EARG || st == CR_ECONFLICT || st == CR_EFORMAT || st == CR_ELIMIT;
}

cr_status cr__compare_blame(const char *name, cr_status st, cr_error *err)
{
    if (err != NULL && err->file[0] == '\0')
        snprintf(err->file, sizeof err->file, "%s", name);
    return st;
}
