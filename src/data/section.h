/* data/section.h - a text, or a part of one, to be split into words. */
#ifndef CR_DATA_SECTION_H
#define CR_DATA_SECTION_H

#include <stddef.h>

typedef struct cr__section {
    const char *prefix; /* of each of its tokens, such as "subject:"; "" for none */
    const char *text;
    size_t size;
    int ready; /* every line of text is a token and needs no recipe */
    int whole; /* it is a whole document, of which the recipe may leave out parts */
    int mail;  /* the whole document is a message, regardless of the recipe */
} cr__section;

#endif
