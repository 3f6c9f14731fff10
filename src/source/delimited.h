/* source/delimited.h - rows of delimited text without quotes, for other formats that contain
 * them. */
#ifndef CR_SOURCE_DELIMITED_H
#define CR_SOURCE_DELIMITED_H

#include "source/format.h"

/* The parser of CSV, with the file's delimiter and number of fields. */
cr_status cr__delimited_parse(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err);

#endif
