/* plot/letters.h - the width of text, independent of any font.
 *
 * Layout must not depend on the machine that draws, so widths come from a table: those of
 * Helvetica, which Arial, Liberation Sans and Nimbus Sans share. DejaVu Sans Condensed is nearly as
 * wide; where there is nothing else, letters of DejaVu Sans would run into each other.
 */
#ifndef CR_PLOT_LETTERS_H
#define CR_PLOT_LETTERS_H

#include <stddef.h>

#define CR__FONTS                                                                                  \
    "Helvetica, Arial, 'Liberation Sans', 'Nimbus Sans', 'DejaVu Sans Condensed', sans-serif"

/* Width of text in letters of a size. */
double cr__text_width(const char *text, double size, int bold);

/* Copy text into room bytes (at least 8) so that it fits the width; where it is cut it ends in an
 * ellipsis. Control characters become blanks and bytes that are not UTF-8 U+FFFD. Returns out.
 */
char *cr__text_fit(char *out, size_t room, const char *text, double size, double width);

#endif
