/* source/classes.h - other names for classes: "easy_ham=ham,spam_2=spam".
 *
 * The target's words are renamed as they are read, so that folders or labels that mean the same
 * become one class. "*=spam" is for every class not named in the list. A class renamed to nothing
 * ("hard_ham=") is missing; "=spam" is for texts that have no class, such as a message from
 * standard input.
 */
#ifndef CR_SOURCE_CLASSES_H
#define CR_SOURCE_CLASSES_H

#include <stdatomic.h>

#include "data/dict.h"

typedef struct cr__classes {
    char *list;        /* as given, split into texts */
    cr__dict *from;    /* NULL: no class is renamed */
    const char **to;   /* [words of from], by code - 1, into list */
    const char *any;   /* what all others are called; NULL: as they are */
    atomic_uchar *met; /* [words of from], by code - 1: such a class has occurred */
} cr__classes;

/* The list is comma-separated pairs OLD=NEW; NULL: none. CR_EARG when it is not. */
cr_status cr__classes_open(cr__classes *classes, const char *list, cr_error *err);
void cr__classes_close(cr__classes *classes);

/* Let a class be the one that it is renamed to, if it is. */
void cr__classes_rename(const cr__classes *classes, const char **text, size_t *length);

/* After all rows were read: CR_EARG when the list renames a class that none of them has. */
cr_status cr__classes_check(const cr__classes *classes, cr_error *err);

#endif
