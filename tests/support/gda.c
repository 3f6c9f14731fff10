/* tests/support/gda.c - Gaussian discriminants for tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/gda.h"

cr_model *train_gda(cr_source *source, const char *const *params, size_t count, int threads)
{
    const cr_run run = {.threads = threads};
    cr_model *model;
    cr_error err = {0};

    if (cr_model_train(&model, source, "gda", params, count, &run, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}
