/* cli/out/text.c - numbers for people and for programs, text on a terminal. */
#include "out/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "credence/output.h"
#include "session/reserve.h"

/* --- numbers ------------------------------------------------------------------------------ */

char *number_plain(char *buffer, double x)
{
    return cr_show_number(buffer, CR_SHOW_PLAIN, x);
}

char *number_exact(char *buffer, double x)
{
    return cr_show_number(buffer, CR_SHOW_EXACT, x);
}

char *number_probability(char *buffer, double x)
{
    return cr_show_number(buffer, CR_SHOW_PROBABILITY, x);
}

char *number_percent(char *buffer, double x)
{
    return cr_show_number(buffer, CR_SHOW_PERCENT, x);
}

char *number_signed(char *buffer, double x)
{
    return cr_show_number(buffer, CR_SHOW_SIGNED, x);
}

char *number_added(char *buffer, double x)
{
    return cr_show_number(buffer, CR_SHOW_ADDED, x);
}

char *number_power(char *buffer, double x)
{
    return cr_show_number(buffer, CR_SHOW_POWER, x);
}

char *number_short(char *buffer, double x)
{
    return cr_show_number(buffer, CR_SHOW_SHORT, x);
}

char *number_bytes(char *buffer, uint64_t x)
{
    return cr_show_number(buffer, CR_SHOW_BYTES, (double)x);
}

char *number_seconds(char *buffer, double x)
{
    return cr_show_number(buffer, CR_SHOW_SECONDS, x);
}

/* Two digits of what is lacking; from 15 decimals on that is easier to read by itself. */
char *number_near_one(char *buffer, double x, double log_rest)
{
    double decimals = ceil(-log_rest / log(10)) + 1;
    char rest[NUMBER_ROOM];

    if (isinf(log_rest))
        return strcpy(buffer, "1");
    if (x <= 0.99995)
        return number_probability(buffer, x);
    if (decimals <= 15)
        snprintf(buffer, NUMBER_ROOM, "%.*f", (int)decimals, x);
    else
        snprintf(buffer, NUMBER_ROOM, "1 - %.30s", number_power(rest, log_rest));
    return buffer;
}

/* --- text --------------------------------------------------------------------------------- */

/* UTF-8 by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
uint32_t text_next(const char **text)
{
    const unsigned char *s = (const unsigned char *)*text;
    uint32_t c = s[0], least;
    int more;

    *text += 1;
    if (c < 0x80)
        return c;
    if (c >= 0xC2 && c < 0xE0)
        more = 1, c &= 0x1F, least = 0x80;
    else if (c >= 0xE0 && c < 0xF0)
        more = 2, c &= 0x0F, least = 0x800;
    else if (c >= 0xF0 && c < 0xF5)
        more = 3, c &= 0x07, least = 0x10000;
    else
        return 0xFFFD;
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return 0xFFFD;
        c = c << 6 | (s[i] & 0x3F);
    }
    if (c < least || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
        return 0xFFFD;
    *text += more;
    return c;
}

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

size_t text_width(const char *text)
{
    size_t width = 0;

    while (*text != '\0')
        if (text[0] == '\033' && text[1] == '[') /* a style, up to its m */
            text += strcspn(text, "m") + (strchr(text, 'm') != NULL);
        else
            width += columns_of(text_next(&text));
    return width;
}

/* A word, or a sign such as = or × and what follows it. */
static size_t piece_size(const char *text)
{
    size_t size = strcspn(text, " ");

    if (size > 0 && text[size] == ' ' && strspn(text, "=+/\xC3\x97") == size)
        size += 1 + strcspn(text + size + 1, " ");
    return size;
}

/* A piece may be wider than the line; it is never broken. */
void text_wrap(FILE *file, const char *text, size_t at, size_t indent, size_t width)
{
    bool first = true;

    while (*text != '\0') {
        size_t size = piece_size(text);
        char *word = memcpy(reserve(size + 1, 1), text, size);
        size_t columns = text_width(word);

        if (!first && width != 0 && at + 1 + columns > width) {
            fprintf(file, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!first) {
            putc(' ', file);
            at++;
        }
        fputs(word, file);
        free(word);
        at += columns;
        first = false;
        text += size;
        text += *text == ' ';
    }
    putc('\n', file);
}

/* Controls, and the marks that reorder or hide what follows them on the line. */
static int unsafe(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xFFFD || (c >= 0x202A && c <= 0x202E) ||
           (c >= 0x2066 && c <= 0x2069);
}

char *text_shown(const char *text, size_t columns)
{
    char *shown = reserve(3 * strlen(text) + 4, 1), *end = shown, *cut = shown;
    size_t width = 0;

    while (*text != '\0') {
        const char *start = text;
        uint32_t c = text_next(&text);

        width += columns_of(c);
        if (columns != 0 && width > columns) {
            strcpy(cut, "…");
            return shown;
        }
        if (unsafe(c))
            end = stpcpy(end, "\xEF\xBF\xBD");
        else
            end = mempcpy(end, start, (size_t)(text - start));
        if (width < columns)
            cut = end;
    }
    return shown;
}
