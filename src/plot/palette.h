/* plot/palette.h - colours that everyone can distinguish, and matching dashes and marks for
 * print. */
#ifndef CR_PLOT_PALETTE_H
#define CR_PLOT_PALETTE_H

#include "plot/canvas.h"

enum { CR__HUES = 8 };

#define CR__INK 0x222222ffu  /* text and frames */
#define CR__DIM 0x666666ffu  /* less important items */
#define CR__GRID 0xe2e2e2ffu /* grid lines */

/* The style of the n-th class or series. Colours repeat after 8, with other dashes. */
cr__colour cr__hue(size_t index);
cr__dash cr__hue_dash(size_t index);
cr__mark cr__hue_mark(size_t index);

/* The same colour, weaker: 0 is white, 1 the colour itself. */
cr__colour cr__tint(cr__colour colour, double strength);

/* White for 0 over yellow and green to dark blue for 1, ever darker, so that it works in print. */
cr__colour cr__ramp(double share);

/* Black or white, whichever can be read on a colour. */
cr__colour cr__ink_on(cr__colour ground);

#endif
