/* base/csv_field.h - a field of CSV, quoted when it has to be (RFC 4180). */
#ifndef CR_BASE_CSV_FIELD_H
#define CR_BASE_CSV_FIELD_H

#include "base/buffer.h"

void cr__csv_field(cr__buffer *out, const char *text, size_t length);

#endif
