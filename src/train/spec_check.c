/* train/spec_check.c - check that learners and knobs exist; and list all learners. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/spec.h"
#include "learners/registry.h"

cr_status cr_spec_check(const cr_spec *spec, cr_error *err)
{
    const cr__learner *learner = cr__learner_find(spec->learner, err);
    cr__knobs knobs = {0};
    cr_status st;

    if (learner == NULL)
        return CR_EARG;
    st = cr__knobs_new(&knobs, learner->knobs, learner->knob_count, err);
    for (size_t p = 0; st == CR_OK && p < spec->param_count; p++)
        if (strncmp(spec->params[p], "impute=", strlen("impute=")) != 0)
            st = cr__knobs_set(&knobs, spec->params[p], err);
    cr__knobs_free(&knobs);
    return st;
}

/* Not those that are made of other models, or stand in for another one. */
static int learns_by_itself(const char *name)
{
    const cr__learner *learner = cr__learner_find(name, NULL);

    return learner != NULL && learner->fit != NULL &&
           strncmp(name, "network-", strlen("network-")) != 0;
}

cr_status cr_specs_all(cr_spec **out, size_t *count, cr_error *err)
{
    size_t capacity = 0;
    const char *name;
    cr_status st = CR_OK;

    *out = NULL;
    *count = 0;
    for (size_t i = 0; st == CR_OK && (name = cr_learner_name(i)) != NULL; i++) {
        if (!learns_by_itself(name))
            continue;
        if (!cr__grow(out, &capacity, *count + 1, sizeof **out))
            st = cr__fail_memory(err);
        else if ((st = cr_spec_parse(&(*out)[*count], name, err)) == CR_OK)
            ++*count;
    }
    if (st != CR_OK) {
        cr_specs_free(*out, *count);
        *out = NULL;
        *count = 0;
    }
    return st;
}
