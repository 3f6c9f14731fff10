/* learners/registry.h - all learners. */
#ifndef CR_LEARNERS_REGISTRY_H
#define CR_LEARNERS_REGISTRY_H

#include "model/learner.h"

extern const cr__learner cr__naive_bayes;
extern const cr__learner cr__gaussian_discriminants;
extern const cr__learner cr__poisson;
extern const cr__learner cr__linear_regression;
extern const cr__learner cr__joint_table;
extern const cr__learner cr__tan, cr__kdb, cr__pairs, cr__aode_learner;
extern const cr__learner cr__tree_learner;
extern const cr__learner cr__version_space;
extern const cr__learner cr__logistic;
extern const cr__learner cr__ensemble_learner;
extern const cr__learner cr__network_learner, cr__network_number; /* learned from data */
extern const cr__learner cr__network_given, cr__network_given_number;

/* The learners one by one, including those that are not trained on data; NULL past the last. */
const cr__learner *cr__learner_at(size_t index);

/* The learner of that name, or NULL with the nearest in err. */
const cr__learner *cr__learner_find(const char *name, cr_error *err);

#endif
