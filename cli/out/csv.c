/* cli/out/csv.c - fields of RFC 4180. */
#include "out/csv.h"

#include <string.h>

bool csv_needs_quotes(const char *field, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (field[i] == ',' || field[i] == '"' || field[i] == '\n' || field[i] == '\r')
            return true;
    return size != 0 && (field[0] == ' ' || field[size - 1] == ' ');
}

void csv_field(FILE *file, const char *field)
{
    if (!csv_needs_quotes(field, strlen(field))) {
        fputs(field, file);
        return;
    }
    putc('"', file);
    for (; *field != '\0'; field++) {
        if (*field == '"')
            putc('"', file);
        putc(*field, file);
    }
    putc('"', file);
}
