/* plot/letters.c - the widths of letters, in thousandths of their size.
 *
 * From the font metrics that Adobe publishes for Helvetica. Bold letters are about 6 % wider.
 */
#include "plot/letters.h"

#include <stdint.h>
#include <string.h>

#include "text/utf8.h"

static const short ascii[95] = {
    278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, /* space - / */
    556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, /* 0 - ? */
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, /* @ - O */
    667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, /* P - _ */
    333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, /* ` - o */
    556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,      /* p - ~ */
};

enum { OTHER = 600, IDEOGRAPH = 1000, COMBINING = 0 };

static int letter_width(uint32_t point)
{
    if (point >= 32 && point < 127)
        return ascii[point - 32];
    if (point >= 0x300 && point < 0x370)
        return COMBINING;
    if ((point >= 0x1100 && point < 0x1160) || (point >= 0x2e80 && point < 0xd7b0) ||
        (point >= 0xf900 && point < 0xfb00) || (point >= 0xff00 && point < 0xff61) ||
        point >= 0x1f000)
        return IDEOGRAPH;
    return OTHER;
}

double cr__text_width(const char *text, double size, int bold)
{
    const char *end = text + strlen(text);
    long width = 0;
    uint32_t point;

    while (text < end) {
        text = cr__utf8_next(text, end, &point);
        width += letter_width(point);
    }
    return (double)width * size / 1000 * (bold ? 1.06 : 1);
}

/* As many whole letters as fit the width and leave room for an ellipsis; *all says whether that was
 * everything. */
static size_t fit(char *out, size_t room, const char *text, double thousandths, int *all)
{
    const char *end = text + strlen(text);
    size_t size = 0;
    double used = 0;
    uint32_t point;

    while (text < end) {
        const char *next = cr__utf8_next(text, end, &point);

        point = point < 32 || (point >= 127 && point < 160) ? ' ' : point;
        used += letter_width(point);
        if (used > thousandths || size + 8 > room)
            break;
        size += cr__utf8_put(out + size, point);
        text = next;
    }
    *all = text == end;
    return size;
}

char *cr__text_fit(char *out, size_t room, const char *text, double size, double width)
{
    static const char ellipsis[] = "\u2026";
    int all;
    size_t used = fit(out, room, text, width * 1000 / size, &all);

    if (!all) {
        used = fit(out, room, text, width * 1000 / size - IDEOGRAPH, &all);
        while (used > 0 && out[used - 1] == ' ')
            used--;
        memcpy(out + used, ellipsis, sizeof ellipsis - 1);
        used += sizeof ellipsis - 1;
    }
    out[used] = '\0';
    return out;
}
