/* base/output.c - collect bytes and pass them to a writer. */
#include "base/output.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"

enum { FLUSH_AT = 1 << 16 };

cr_status cr_output_new(cr_output **out,
                        cr_status (*write)(void *context, const char *bytes, size_t size),
                        void *context, cr_error *err)
{
    if ((*out = cr__alloc_zero(1, sizeof **out)) == NULL)
        return cr__fail_memory(err);
    (*out)->write = write;
    (*out)->context = context;
    return CR_OK;
}

void cr_output_free(cr_output *out)
{
    if (out == NULL)
        return;
    cr__buffer_free(&out->bytes);
    cr__free(out);
}

cr_status cr_output_flush(cr_output *out)
{
    if (out->status == CR_OK && out->bytes.failed)
        out->status = CR_ENOMEM;
    if (out->status == CR_OK && out->write != NULL && out->bytes.size > 0)
        out->status = out->write(out->context, out->bytes.data, out->bytes.size);
    if (out->write != NULL)
        cr__buffer_clear(&out->bytes);
    return out->status;
}

void cr_output_bytes(cr_output *out, const char *bytes, size_t size)
{
    if (out->status != CR_OK)
        return;
    cr__buffer_add(&out->bytes, bytes, size);
    if (out->write != NULL && out->bytes.size >= FLUSH_AT)
        cr_output_flush(out);
}

void cr_output_text(cr_output *out, const char *text)
{
    cr_output_bytes(out, text, strlen(text));
}

void cr_output_number(cr_output *out, double x)
{
    char text[CR__NUMBER_SIZE];

    cr_output_bytes(out, text, cr__format_double(text, x));
}

const char *cr_output_data(const cr_output *out, size_t *size)
{
    *size = out->bytes.size;
    return out->bytes.data;
}
