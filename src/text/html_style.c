/* text/html_style.c - colours and a little CSS. */
#include "text/html_style.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

/* The sixteen names of HTML 4. */
static const struct {
    const char *name;
    int32_t colour;
} names[] = {
    {"white", 0xffffff}, {"black", 0x000000},  {"silver", 0xc0c0c0},  {"gray", 0x808080},
    {"red", 0xff0000},   {"maroon", 0x800000}, {"yellow", 0xffff00},  {"olive", 0x808000},
    {"lime", 0x00ff00},  {"green", 0x008000},  {"aqua", 0x00ffff},    {"teal", 0x008080},
    {"blue", 0x0000ff},  {"navy", 0x000080},   {"fuchsia", 0xff00ff}, {"purple", 0x800080},
};

/* Three numbers between parentheses. */
static int32_t rgb(const char *p, const char *end)
{
    int32_t colour = 0;

    for (int i = 0; i < 3; i++) {
        int32_t part = 0;

        while (p < end && (*p < '0' || *p > '9'))
            p++;
        if (p == end)
            return CR__COLOUR_NONE;
        for (; p < end && *p >= '0' && *p <= '9'; p++)
            part = part < 256 ? part * 10 + (*p - '0') : part;
        colour = colour << 8 | (part > 255 ? 255 : part);
    }
    return colour;
}

int32_t cr__html_colour(const char *value, size_t length)
{
    int32_t colour = 0;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == length && strncasecmp(value, names[i].name, length) == 0)
            return names[i].colour;
    if (length > 4 && strncasecmp(value, "rgb(", 4) == 0)
        return rgb(value + 4, value + length);
    if (length > 0 && value[0] == '#') {
        value++;
        length--;
    }
    if (length != 3 && length != 6)
        return CR__COLOUR_NONE;
    for (size_t i = 0; i < length; i++) {
        const int digit = hex(value[i]);

        if (digit < 0)
            return CR__COLOUR_NONE;
        colour = length == 3 ? colour << 8 | digit << 4 | digit : colour << 4 | digit;
    }
    return colour;
}

int cr__html_same_colour(int32_t a, int32_t b)
{
    if (a == CR__COLOUR_NONE || b == CR__COLOUR_NONE)
        return 0;
    for (int shift = 0; shift < 24; shift += 8)
        if (abs((a >> shift & 0xff) - (b >> shift & 0xff)) > 16)
            return 0;
    return 1;
}

/* --- style ----------------------------------------------------------------------------------- */

typedef struct word {
    const char *start;
    size_t length;
} word;

static word trim(const char *start, const char *end)
{
    while (start < end && (unsigned char)*start <= ' ')
        start++;
    while (start < end && (unsigned char)end[-1] <= ' ')
        end--;
    return (word){start, (size_t)(end - start)};
}

static int is(word w, const char *name)
{
    return strlen(name) == w.length && strncasecmp(w.start, name, w.length) == 0;
}

static int begins(word w, const char *name)
{
    return w.length >= strlen(name) && strncasecmp(w.start, name, strlen(name)) == 0;
}

/* Zero, or one pixel or point, whatever the unit: "0", "0.0em", "1px". */
static int is_tiny(word size)
{
    size_t i = 0;

    while (i < size.length && (size.start[i] == '0' || size.start[i] == '.'))
        i++;
    if (i == 0)
        return size.length >= 3 && (begins(size, "1px") || begins(size, "1pt"));
    return i == size.length || size.start[i] < '0' || size.start[i] > '9';
}

static void declare(cr__html_look *look, word property, word value)
{
    if (is(property, "display"))
        look->hidden |= begins(value, "none");
    else if (is(property, "visibility"))
        look->hidden |= begins(value, "hidden");
    else if (is(property, "mso-hide"))
        look->hidden |= begins(value, "all");
    else if (is(property, "font-size") || is(property, "opacity"))
        look->hidden |= value.length > 0 && is_tiny(value);
    else if (is(property, "color"))
        look->colour = cr__html_colour(value.start, value.length);
    else if (is(property, "background") || is(property, "background-color"))
        look->background = cr__html_colour(value.start, value.length);
}

void cr__html_style(cr__html_look *look, const char *style, size_t length)
{
    const char *p = style, *end = style + length;

    while (p < end) {
        const char *semicolon = memchr(p, ';', (size_t)(end - p));
        const char *stop = semicolon != NULL ? semicolon : end;
        const char *colon = memchr(p, ':', (size_t)(stop - p));

        if (colon != NULL)
            declare(look, trim(p, colon), trim(colon + 1, stop));
        p = stop + 1;
    }
}
