/* text/html_style.h - whether a reader of HTML can see a text: colours and a little CSS. */
#ifndef CR_TEXT_HTML_STYLE_H
#define CR_TEXT_HTML_STYLE_H

#include <stddef.h>
#include <stdint.h>

#define CR__COLOUR_NONE (-1)

/* What the attributes of one tag say about its text. */
typedef struct cr__html_look {
    int32_t colour, background; /* 0xrrggbb, or CR__COLOUR_NONE */
    int hidden;                 /* not displayed, or too small to see */
} cr__html_look;

/* "#ff0", "#ffff00", "ffff00", "yellow", "rgb(255, 255, 0)"; CR__COLOUR_NONE for all else. */
int32_t cr__html_colour(const char *value, size_t length);

/* Read a style attribute into look. */
void cr__html_style(cr__html_look *look, const char *style, size_t length);

/* Whether the colours are too similar to distinguish. */
int cr__html_same_colour(int32_t a, int32_t b);

#endif
