/* tests/support/model_bytes.h - the bytes of a model's file, for tests that compare them. */
#ifndef TESTS_SUPPORT_MODEL_BYTES_H
#define TESTS_SUPPORT_MODEL_BYTES_H

#include "credence/model.h"

/* What cr_model_save() writes; to be freed. */
char *model_bytes(const cr_model *model, size_t *size);

/* Fails the test unless both would be saved as the same bytes. */
void assert_same_model(const cr_model *a, const cr_model *b);

#endif
