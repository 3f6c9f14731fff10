/* tests/support/in_memory.c - rows, models and output in memory. */
#include "support/in_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

cr_source *rows_with(const char *csv, const char *type, const char *weight)
{
    const cr_source_options options = {
        .types = type != NULL ? &type : NULL, .type_count = type != NULL, .weight = weight};
    cr_source *source = NULL;
    cr_error err = {0};

    assert_ok(cr_source_open_memory(&source, csv, strlen(csv), "rows.csv", &options, &err), err);
    return source;
}

cr_source *rows_of(const char *csv)
{
    return rows_with(csv, NULL, NULL);
}

cr_model *model_with(const char *csv, const char *learner, const char *param, const char *type)
{
    cr_source *source = rows_with(csv, type, NULL);
    cr_model *model = NULL;
    cr_error err = {0};

    assert_ok(cr_model_train(&model, source, learner, &param, param != NULL, NULL, NULL, &err),
              err);
    cr_source_close(source);
    return model;
}

cr_model *model_of(const char *csv, const char *learner, const char *param)
{
    return model_with(csv, learner, param, NULL);
}

cr_output *new_output(void)
{
    cr_output *out = NULL;

    assert_int_equal(cr_output_new(&out, NULL, NULL, NULL), CR_OK);
    return out;
}

const char *text_of(cr_output *out)
{
    size_t size;

    cr_output_bytes(out, "", 1); /* its NUL */
    return cr_output_data(out, &size);
}

char *csv_of(const cr_sheet *sheet)
{
    cr_output *out = new_output();
    char *text;

    cr_sheet_csv(sheet, out);
    text = strdup(text_of(out));
    assert_non_null(text);
    cr_output_free(out);
    return text;
}
