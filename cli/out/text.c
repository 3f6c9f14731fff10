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

size_t text_width(const char *text)
{
    return cr_show_width(text);
}

/* A word, or a sign such as = or × with the word after it. */
static size_t piece_size(const char *text)
{
    size_t size = strcspn(text, " ");

    if (size > 0 && text[size] == ' ' && strspn(text, "=+/\xC3\x97") == size)
        size += 1 + strcspn(text + size + 1, " ");
    return size;
}

/* A word may be wider than the line; it is never broken. */
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

char *text_shown(const char *text, size_t columns)
{
    const size_t size = strlen(text);

    return cr_show_text(reserve(CR_SHOW_TEXT_SIZE(size), 1), text, size, columns);
}
