/* render/csv.h - fields of CSV. */
#ifndef CR_RENDER_CSV_H
#define CR_RENDER_CSV_H

#include "credence/output.h"

void cr__csv_text(cr_output *out, const char *text);

/* A comma and the number; nothing after it where it is not finite. */
void cr__csv_number(cr_output *out, double x);

#endif
