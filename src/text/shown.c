/* text/shown.c - text for display: its width, and a copy that is safe to print. */
#include <string.h>

#include "credence/output.h"
#include "text/utf8.h"

typedef struct range {
    uint32_t first, last;
} range;

/* After Unicode's East_Asian_Width and general categories Mn and Cf, whole blocks at a time. */
static const range wide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xA960, 0xA97C},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF},
    {0x20000, 0x3FFFD},
};
static const range flat[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},
    {0x064B, 0x065F}, {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2064},
    {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF},
};

static int within(uint32_t c, const range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (c >= ranges[i].first && c <= ranges[i].last)
            return 1;
    return 0;
}

static size_t columns_of(uint32_t c)
{
    if (c < 0x300)
        return 1;
    if (within(c, flat, sizeof flat / sizeof *flat))
        return 0;
    return within(c, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

size_t cr_show_width(const char *text)
{
    const char *end = text + strlen(text);
    size_t width = 0;
    uint32_t c;

    while (text < end)
        if (text[0] == '\033' && text[1] == '[') { /* a style, up to its m */
            text += strcspn(text, "m");
            text += text < end;
        } else {
            text = cr__utf8_next(text, end, &c);
            width += columns_of(c);
        }
    return width;
}

/* Controls, and the marks that reorder or hide what follows them on the line. */
static int unsafe(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xFFFD || (c >= 0x202A && c <= 0x202E) ||
           (c >= 0x2066 && c <= 0x2069);
}

char *cr_show_text(char *buffer, const char *text, size_t size, size_t columns)
{
    const char *last = text + size;
    char *end = buffer, *cut = buffer;
    size_t width = 0;

    while (text < last) {
        const char *start = text;
        uint32_t c;

        text = cr__utf8_next(text, last, &c);
        width += columns_of(c);
        if (columns != 0 && width > columns) {
            memcpy(cut, "…", sizeof "…");
            return buffer;
        }
        if (unsafe(c))
            memcpy(end, "\xEF\xBF\xBD", 3);
        else
            memcpy(end, start, (size_t)(text - start));
        end += unsafe(c) ? 3 : text - start;
        if (width < columns)
            cut = end;
    }
    *end = '\0';
    return buffer;
}
