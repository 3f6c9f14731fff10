/* plot/palette.c - the palette of M. Okabe and K. Ito, "Color Universal Design" (2008).
 *
 * Its colours can be distinguished with all common kinds of colour blindness. Yellow comes last, as
 * it is weak on white.
 */
#include "plot/palette.h"

static const cr__colour hues[CR__HUES] = {0x0072b2ff, 0xd55e00ff, 0x009e73ff, 0xcc79a7ff,
                                          0xe69f00ff, 0x56b4e9ff, 0x000000ff, 0xf0e442ff};

cr__colour cr__hue(size_t index)
{
    return hues[index % CR__HUES];
}

/* Neighbours differ, and so does the second round of colours from the first. */
cr__dash cr__hue_dash(size_t index)
{
    static const cr__dash dashes[] = {CR__SOLID, CR__DASHED, CR__DASH_DOT, CR__DOTTED,
                                      CR__LONG_DASH};

    return dashes[index % (sizeof dashes / sizeof *dashes)];
}

cr__mark cr__hue_mark(size_t index)
{
    return (cr__mark)((index + index / CR__HUES) % CR__MARKS);
}

cr__colour cr__tint(cr__colour colour, double strength)
{
    return cr__colour_mix(CR__WHITE, colour, strength);
}

cr__colour cr__ramp(double share)
{
    static const cr__colour stop[] = {0xffffffff, 0xd9f0d3ff, 0x7fcdbbff, 0x2c8cbeff, 0x08306bff};
    const double at = share < 0 ? 0 : share > 1 ? 4 : share * 4;
    const size_t i = at < 3 ? (size_t)at : 3;

    return cr__colour_mix(stop[i], stop[i + 1], at - (double)i);
}

/* Relative luminance of ITU-R BT.709, without its gamma: good enough for the choice. */
cr__colour cr__ink_on(cr__colour ground)
{
    const double light = 0.2126 * (double)(ground >> 24 & 255) +
                         0.7152 * (double)(ground >> 16 & 255) +
                         0.0722 * (double)(ground >> 8 & 255);

    return light < 140 ? CR__WHITE : CR__BLACK;
}
