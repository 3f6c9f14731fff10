/* tests/support/gda.c - Gaussian discriminants for tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/gda.h"

cr_model *train_gda(cr_source *source, const char *const *params, size_t count, int threads)
{
    const cr_run run = {.threads = threads};
    const char *all[16] = {"covariance=full"};
    size_t n = 1;
    cr_model *model;
    cr_error err = {0};

    for (size_t i = 0; i < count; i++)
        n = n > 0 && strncmp(params[i], "covariance=", 11) == 0 ? 0 : n;
    for (size_t i = 0; i < count; i++) {
        assert_true(n < sizeof all / sizeof *all);
        all[n++] = params[i];
    }
    if (cr_model_train(&model, source, "gda", all, n, &run, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}
