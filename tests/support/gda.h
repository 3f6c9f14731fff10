/* tests/support/gda.h - Gaussian discriminants for tests. */
#ifndef TESTS_SUPPORT_GDA_H
#define TESTS_SUPPORT_GDA_H

#include "credence/model.h"
#include "credence/source.h"

/* Train them on a source, which is closed, with a covariance for each class unless params name
 * another form. Fails the test when that is impossible. */
cr_model *train_gda(cr_source *source, const char *const *params, size_t count, int threads);

#endif
