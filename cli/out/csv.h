/* cli/out/csv.h - fields of RFC 4180. */
#ifndef CLI_OUT_CSV_H
#define CLI_OUT_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Must the field stand in quotes? */
bool csv_needs_quotes(const char *field, size_t size);

/* Write one field, quoted where it must be. */
void csv_field(FILE *file, const char *field);

#endif
