/* text/json_escape.c - the escapes in JSON strings (RFC 8259, section 7). */
#include "text/json_escape.h"

#include <string.h>

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The four hexadecimal digits of \uXXXX; -1 if they are not. */
static int32_t take_unit(const char **p, const char *end)
{
    int32_t unit = 0;

    if (end - *p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        const int digit = hex_digit((*p)[i]);

        if (digit < 0)
            return -1;
        unit = unit << 4 | digit;
    }
    *p += 4;
    return unit;
}

static int take_units(const char **p, const char *end, uint32_t *point)
{
    const int32_t unit = take_unit(p, end);
    const char *rest = *p;

    if (unit < 0)
        return 0;
    *point = unit >= 0xd800 && unit < 0xe000 ? 0xfffd : (uint32_t)unit;
    if (unit >= 0xd800 && unit < 0xdc00 && end - rest >= 6 && rest[0] == '\\' && rest[1] == 'u') {
        int32_t low;

        rest += 2;
        low = take_unit(&rest, end);
        if (low >= 0xdc00 && low < 0xe000) {
            *point = 0x10000 + ((uint32_t)(unit - 0xd800) << 10 | (uint32_t)(low - 0xdc00));
            *p = rest;
        }
    }
    return 1;
}

int cr__json_escape(const char **p, const char *end, uint32_t *point)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char *name;

    if (*p == end)
        return 0;
    if (**p == 'u') {
        ++*p;
        return take_units(p, end, point);
    }
    if (**p == '\0' || (name = strchr(names, **p)) == NULL)
        return 0;
    ++*p;
    *point = (uint32_t)values[name - names];
    return 1;
}
