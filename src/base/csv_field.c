/* base/csv_field.c - a field of CSV, quoted when it has to be (RFC 4180). */
#include "base/csv_field.h"

#include "base/output.h"

static int needs_quotes(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] == ',' || text[i] == '"' || text[i] == '\n' || text[i] == '\r')
            return 1;
    return length > 0 && (text[0] == ' ' || text[0] == '\t' || text[length - 1] == ' ' ||
                          text[length - 1] == '\t');
}

void cr__csv_field(cr__buffer *out, const char *text, size_t length)
{
    if (!needs_quotes(text, length)) {
        cr__buffer_add(out, text, length);
        return;
    }
    cr__buffer_addc(out, '"');
    for (size_t i = 0; i < length; i++) {
        cr__buffer_addc(out, text[i]);
        if (text[i] == '"')
            cr__buffer_addc(out, '"');
    }
    cr__buffer_addc(out, '"');
}

void cr_csv_field(cr_output *out, const char *bytes, size_t size)
{
    if (!needs_quotes(bytes, size))
        cr_output_bytes(out, bytes, size);
    else if (out->status == CR_OK)
        cr__csv_field(&out->bytes, bytes, size);
}
