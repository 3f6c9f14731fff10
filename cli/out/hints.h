/* cli/out/hints.h - the library's settings as options of the command. */
#ifndef CLI_OUT_HINTS_H
#define CLI_OUT_HINTS_H

#include "credence/status.h"

/* For cr_error_message() and cr_error_hint(). */
int hint_option(void *context, const cr_hint_item *item, char *buffer, size_t size);

#endif
