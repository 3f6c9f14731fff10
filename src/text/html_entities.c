/* text/html_entities.c - characters by their names or numbers.
 *
 * The names are those of HTML 4 that occur in practice: Latin-1, Greek, punctuation, some symbols.
 */
#include "text/html.h"

#include "text/utf8.h"

#include <string.h>

/* In the order of strcmp. */
static const struct entity {
    char name[9];
    uint16_t point;
} entities[] = {
    {"AElig", 0xc6},    {"Aacute", 0xc1},   {"Acirc", 0xc2},    {"Agrave", 0xc0},
    {"Alpha", 0x391},   {"Aring", 0xc5},    {"Atilde", 0xc3},   {"Auml", 0xc4},
    {"Beta", 0x392},    {"Ccedil", 0xc7},   {"Chi", 0x3a7},     {"Dagger", 0x2021},
    {"Delta", 0x394},   {"ETH", 0xd0},      {"Eacute", 0xc9},   {"Ecirc", 0xca},
    {"Egrave", 0xc8},   {"Epsilon", 0x395}, {"Eta", 0x397},     {"Euml", 0xcb},
    {"Gamma", 0x393},   {"Iacute", 0xcd},   {"Icirc", 0xce},    {"Igrave", 0xcc},
    {"Iota", 0x399},    {"Iuml", 0xcf},     {"Kappa", 0x39a},   {"Lambda", 0x39b},
    {"Mu", 0x39c},      {"Ntilde", 0xd1},   {"Nu", 0x39d},      {"OElig", 0x152},
    {"Oacute", 0xd3},   {"Ocirc", 0xd4},    {"Ograve", 0xd2},   {"Omega", 0x3a9},
    {"Omicron", 0x39f}, {"Oslash", 0xd8},   {"Otilde", 0xd5},   {"Ouml", 0xd6},
    {"Phi", 0x3a6},     {"Pi", 0x3a0},      {"Prime", 0x2033},  {"Psi", 0x3a8},
    {"Rho", 0x3a1},     {"Scaron", 0x160},  {"Sigma", 0x3a3},   {"THORN", 0xde},
    {"Tau", 0x3a4},     {"Theta", 0x398},   {"Uacute", 0xda},   {"Ucirc", 0xdb},
    {"Ugrave", 0xd9},   {"Upsilon", 0x3a5}, {"Uuml", 0xdc},     {"Xi", 0x39e},
    {"Yacute", 0xdd},   {"Yuml", 0x178},    {"Zeta", 0x396},    {"aacute", 0xe1},
    {"acirc", 0xe2},    {"acute", 0xb4},    {"aelig", 0xe6},    {"agrave", 0xe0},
    {"alpha", 0x3b1},   {"amp", 0x26},      {"apos", 0x27},     {"aring", 0xe5},
    {"asymp", 0x2248},  {"atilde", 0xe3},   {"auml", 0xe4},     {"bdquo", 0x201e},
    {"beta", 0x3b2},    {"brvbar", 0xa6},   {"bull", 0x2022},   {"ccedil", 0xe7},
    {"cedil", 0xb8},    {"cent", 0xa2},     {"chi", 0x3c7},     {"circ", 0x2c6},
    {"clubs", 0x2663},  {"copy", 0xa9},     {"curren", 0xa4},   {"dagger", 0x2020},
    {"darr", 0x2193},   {"deg", 0xb0},      {"delta", 0x3b4},   {"diams", 0x2666},
    {"divide", 0xf7},   {"eacute", 0xe9},   {"ecirc", 0xea},    {"egrave", 0xe8},
    {"emsp", 0x2003},   {"ensp", 0x2002},   {"epsilon", 0x3b5}, {"eta", 0x3b7},
    {"eth", 0xf0},      {"euml", 0xeb},     {"euro", 0x20ac},   {"fnof", 0x192},
    {"frac12", 0xbd},   {"frac14", 0xbc},   {"frac34", 0xbe},   {"frasl", 0x2044},
    {"gamma", 0x3b3},   {"ge", 0x2265},     {"gt", 0x3e},       {"harr", 0x2194},
    {"hearts", 0x2665}, {"hellip", 0x2026}, {"iacute", 0xed},   {"icirc", 0xee},
    {"iexcl", 0xa1},    {"igrave", 0xec},   {"image", 0x2111},  {"infin", 0x221e},
    {"iota", 0x3b9},    {"iquest", 0xbf},   {"iuml", 0xef},     {"kappa", 0x3ba},
    {"lambda", 0x3bb},  {"laquo", 0xab},    {"larr", 0x2190},   {"ldquo", 0x201c},
    {"le", 0x2264},     {"loz", 0x25ca},    {"lrm", 0x200e},    {"lsaquo", 0x2039},
    {"lsquo", 0x2018},  {"lt", 0x3c},       {"macr", 0xaf},     {"mdash", 0x2014},
    {"micro", 0xb5},    {"middot", 0xb7},   {"minus", 0x2212},  {"mu", 0x3bc},
    {"nbsp", 0xa0},     {"ndash", 0x2013},  {"ne", 0x2260},     {"not", 0xac},
    {"ntilde", 0xf1},   {"nu", 0x3bd},      {"oacute", 0xf3},   {"ocirc", 0xf4},
    {"oelig", 0x153},   {"ograve", 0xf2},   {"oline", 0x203e},  {"omega", 0x3c9},
    {"omicron", 0x3bf}, {"ordf", 0xaa},     {"ordm", 0xba},     {"oslash", 0xf8},
    {"otilde", 0xf5},   {"ouml", 0xf6},     {"para", 0xb6},     {"permil", 0x2030},
    {"phi", 0x3c6},     {"pi", 0x3c0},      {"plusmn", 0xb1},   {"pound", 0xa3},
    {"prime", 0x2032},  {"psi", 0x3c8},     {"quot", 0x22},     {"raquo", 0xbb},
    {"rarr", 0x2192},   {"rdquo", 0x201d},  {"reg", 0xae},      {"rho", 0x3c1},
    {"rlm", 0x200f},    {"rsaquo", 0x203a}, {"rsquo", 0x2019},  {"sbquo", 0x201a},
    {"scaron", 0x161},  {"sect", 0xa7},     {"shy", 0xad},      {"sigma", 0x3c3},
    {"sigmaf", 0x3c2},  {"spades", 0x2660}, {"sup1", 0xb9},     {"sup2", 0xb2},
    {"sup3", 0xb3},     {"szlig", 0xdf},    {"tau", 0x3c4},     {"theta", 0x3b8},
    {"thinsp", 0x2009}, {"thorn", 0xfe},    {"tilde", 0x2dc},   {"times", 0xd7},
    {"trade", 0x2122},  {"uacute", 0xfa},   {"uarr", 0x2191},   {"ucirc", 0xfb},
    {"ugrave", 0xf9},   {"uml", 0xa8},      {"upsilon", 0x3c5}, {"uuml", 0xfc},
    {"xi", 0x3be},      {"yacute", 0xfd},   {"yen", 0xa5},      {"yuml", 0xff},
    {"zeta", 0x3b6},    {"zwj", 0x200d},    {"zwnj", 0x200c},
};

/* The entity with the longest name that is a prefix of p[0, length); NULL: none. */
static const struct entity *find(const char *p, size_t length)
{
    char name[9];

    for (length = length < 8 ? length : 8; length > 1; length--) {
        size_t low = 0, high = sizeof entities / sizeof *entities;

        memcpy(name, p, length);
        name[length] = '\0';
        while (low < high) {
            const size_t middle = (low + high) / 2;
            const int order = strcmp(entities[middle].name, name);

            if (order == 0)
                return &entities[middle];
            if (order < 0)
                low = middle + 1;
            else
                high = middle;
        }
    }
    return NULL;
}

/* HTML reads numbers from 128 to 159 as Windows-1252, and 0 and non-characters as U+FFFD. */
static uint32_t number(const char *p, const char *end, const char **after)
{
    const int hex = p < end && (*p | 0x20) == 'x';
    uint32_t value = 0;
    const char *q = p + hex;

    for (; q < end; q++) {
        const char c = *q;
        uint32_t digit;

        if (c >= '0' && c <= '9')
            digit = (uint32_t)(c - '0');
        else if (hex && (c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            digit = (uint32_t)((c | 0x20) - 'a' + 10);
        else
            break;
        if (value < 0x110000)
            value = value * (hex ? 16 : 10) + digit;
    }
    if (q == p + hex)
        return 0;
    *after = q < end && *q == ';' ? q + 1 : q;
    if (value == 0 || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 0xfffd;
    return value < 0x100 ? cr__point_of_1252((unsigned char)value) : value;
}

uint32_t cr__html_entity(const char *p, const char *end, const char **after)
{
    const struct entity *found;
    size_t length = 0;

    if (p < end && *p == '#')
        return number(p + 1, end, after);
    while (
        p + length < end && length < 8 &&
        ((p[length] >= '0' && p[length] <= '9') || (unsigned char)((p[length] | 0x20) - 'a') < 26))
        length++;
    found = find(p, length);
    if (found == NULL)
        return 0;
    length = strlen(found->name);
    if (p + length < end && p[length] == ';')
        length++;
    else if (found->point > 0xff)
        return 0; /* only the old names may omit their semicolon */
    *after = p + length;
    return found->point;
}
