/* cli/verbs/verbs.c - the table of verbs. */
#include "verbs/verbs.h"

#include <string.h>

#include "credence/spec.h"
#include "verbs/external.h"

/* In the order in which users meet them. */
static const verb *const verbs[] = {
    &verb_train,   &verb_predict,      &verb_test,    &verb_explain,  &verb_show,
    &verb_cv,      &verb_curve,        &verb_compare, &verb_tune,     &verb_calibrate,
    &verb_combine, &verb_plot,         &verb_report,  &verb_drift,    &verb_learn,
    &verb_unlearn, &verb_merge,        &verb_refit,   &verb_store,    &verb_filter,
    &verb_impute,  &verb_split,        &verb_query,   &verb_decide,   &verb_structure,
    &verb_sample,  &verb_independence, &verb_convert, &verb_estimate, &verb_hypotheses,
    &verb_help,
};

const verb *verb_at(size_t index)
{
    return index < sizeof verbs / sizeof *verbs ? verbs[index] : NULL;
}

const verb *verb_find(const char *name)
{
    const verb *v;

    for (size_t i = 0; (v = verb_at(i)) != NULL; i++)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}

const char *verb_nearest(const char *typed)
{
    cr_nearest n = {.wanted = typed};
    const external *e;
    const verb *v;

    for (size_t i = 0; (v = verb_at(i)) != NULL; i++)
        cr_nearest_offer(&n, v->name);
    for (size_t i = 0; (e = external_at(i)) != NULL; i++)
        cr_nearest_offer(&n, e->name);
    return n.best;
}
