/* source/missing.h - the texts that mean "no value". */
#ifndef CR_SOURCE_MISSING_H
#define CR_SOURCE_MISSING_H

#include <stddef.h>
#include <string.h>

#include "credence/status.h"

#define CR__MISSING_DEFAULT ",?,NA,NaN" /* comma-separated, the first one is the empty text */

typedef struct cr__missing {
    char *list;        /* as given */
    const char **text; /* [count], into list */
    size_t *length;    /* [count] */
    size_t count;
    int numbers; /* some of them are numbers, such as -999 */
} cr__missing;

/* The list is comma-separated; NULL stands for the default. */
cr_status cr__missing_open(cr__missing *missing, const char *list, cr_error *err);
void cr__missing_close(cr__missing *missing);

/* Whether a text, without blanks around it, means missing. */
static inline int cr__missing_is(const cr__missing *missing, const char *text, size_t length)
{
    for (size_t i = 0; i < missing->count; i++)
        if (missing->length[i] == length && memcmp(missing->text[i], text, length) == 0)
            return 1;
    return 0;
}

#endif
