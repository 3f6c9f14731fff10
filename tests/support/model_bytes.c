/* tests/support/model_bytes.c - save, read back, compare. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/model_bytes.h"

char *model_bytes(const cr_model *model, size_t *size)
{
    char path[] = "model.XXXXXX";
    const int fd = mkstemp(path);
    cr_error err = {0};
    char *bytes;
    FILE *f;

    assert_true(fd >= 0);
    close(fd);
    if (cr_model_save(model, path, &err) != CR_OK)
        fail_msg("%s", err.message);
    f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, f), *size);
    fclose(f);
    remove(path);
    return bytes;
}

void assert_same_model(const cr_model *a, const cr_model *b)
{
    size_t size_a, size_b;
    char *bytes_a = model_bytes(a, &size_a), *bytes_b = model_bytes(b, &size_b);

    assert_int_equal(size_a, size_b);
    assert_memory_equal(bytes_a, bytes_b, size_a);
    free(bytes_a);
    free(bytes_b);
}
