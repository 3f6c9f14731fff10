/* learners/registry.c - the list of learners, and how to find one by its name. */
#include "learners/registry.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "credence/spec.h"
#include "credence/model.h"

static const cr__learner *const registry[] = {
    &cr__naive_bayes,
    &cr__gaussian_discriminants,
    &cr__poisson,
    &cr__linear_regression,
    &cr__joint_table,
    &cr__tan,
    &cr__aode_learner,
    &cr__kdb,
    &cr__pairs,
    &cr__tree_learner,
    &cr__version_space,
    &cr__logistic,
    &cr__ensemble_learner,
    &cr__network_learner,
    &cr__network_given,
    &cr__network_number,
    &cr__network_given_number,
};

enum { LEARNERS = sizeof registry / sizeof *registry };

const cr__learner *cr__learner_at(size_t index)
{
    return index < LEARNERS ? registry[index] : NULL;
}

/* The names of the learners that are trained, set apart by commas. */
static const char *list_names(char names[256])
{
    size_t used = 0;

    for (size_t i = 0; i < LEARNERS && used < 255; i++)
        if (strcmp(registry[i]->name, "ensemble") != 0)
            used += (size_t)snprintf(names + used, 256 - used, "%s%s", used > 0 ? ", " : "",
                                     registry[i]->name);
    return names;
}

const cr__learner *cr__learner_find(const char *name, cr_error *err)
{
    char names[256] = "";
    cr_nearest near = (cr_nearest){.wanted = name};

    for (size_t i = 0; i < LEARNERS; i++)
        if (strcmp(registry[i]->name, name) == 0)
            return registry[i];
    for (size_t i = 0; i < LEARNERS; i++)
        cr_nearest_offer(&near, registry[i]->name);
    cr__fail(err, CR_EARG, "there is no learner '%s': there are %s", name, list_names(names));
    if (near.best != NULL)
        cr__fail_hint(err, CR_EARG, "did you mean '%s'?", near.best);
    else
        cr__fail_hint(err, CR_EARG, CR__SET("knob-list the list of learners has them"));
    return NULL;
}

const char *cr_learner_name(size_t index)
{
    return index < LEARNERS ? registry[index]->name : NULL;
}

const char *cr_learner_summary(size_t index)
{
    return index < LEARNERS ? registry[index]->summary : NULL;
}

cr_status cr_learner_knob(const char *name, size_t index, cr_knob *out)
{
    const cr__learner *learner = cr__learner_find(name, NULL);

    if (learner == NULL)
        return CR_EARG;
    if (index >= learner->knob_count)
        return CR_END;
    const cr__knob_spec *spec = &learner->knobs[index];
    *out = (cr_knob){spec->name, spec->fallback, spec->fallback, spec->help, spec->choices};
    return CR_OK;
}
