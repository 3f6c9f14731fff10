/* learners/registry.c - the list of learners, and how to find one by its name. */
#include "learners/registry.h"

#include <ctype.h>
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
        if (registry[i]->fit != NULL)
            used += (size_t)snprintf(names + used, 256 - used, "%s%s", used > 0 ? ", " : "",
                                     registry[i]->name);
    return names;
}

/* A name without its case, blanks and marks: "Naive-Bayes" is "naivebayes". */
static void plain_name(char out[40], const char *name)
{
    size_t used = 0;

    for (; *name != '\0' && used + 1 < 40; name++)
        if (isalnum((unsigned char)*name))
            out[used++] = (char)tolower((unsigned char)*name);
    out[used] = '\0';
}

/* The learner that other programs and books call so, or NULL. */
static const char *called_here(const char *name)
{
    static const char *const words[][2] = {{"naivebayes", "nb"},
                                           {"bayes", "nb"},
                                           {"gaussiannb", "nb"},
                                           {"multinomialnb", "nb"},
                                           {"bernoullinb", "nb"},
                                           {"categoricalnb", "nb"},
                                           {"complementnb", "nb"},
                                           {"lda", "gda"},
                                           {"qda", "gda"},
                                           {"discriminant", "gda"},
                                           {"lr", "logistic"},
                                           {"logisticregression", "logistic"},
                                           {"maxent", "logistic"},
                                           {"softmax", "logistic"},
                                           {"j48", "tree"},
                                           {"c45", "tree"},
                                           {"id3", "tree"},
                                           {"decisiontree", "tree"},
                                           {"cart", "tree"},
                                           {"rpart", "tree"},
                                           {"bayesnet", "network"},
                                           {"bayesiannetwork", "network"},
                                           {"bn", "network"},
                                           {"linearregression", "linear"},
                                           {"ridge", "linear"},
                                           {"ols", "linear"},
                                           {"lm", "linear"},
                                           {"a1de", "aode"},
                                           {"versionspace", "candidate-elimination"}};
    char plain[40];

    plain_name(plain, name);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], plain) == 0)
            return words[i][1];
    return NULL;
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
    if (called_here(name) != NULL)
        near.best = called_here(name);
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
