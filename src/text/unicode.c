/* text/unicode.c - properties of code points for the tokenizer, by utf8proc. */
#include "text/unicode.h"

#include "text/utf8.h"

#include <utf8proc.h>

typedef struct range {
    uint32_t first, last;
} range;

static int within(const range *ranges, size_t count, uint32_t point)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = (low + high) / 2;

        if (point > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && point >= ranges[low].first;
}

#define WITHIN(ranges, point) within(ranges, sizeof ranges / sizeof *ranges, point)

/* --- classes --------------------------------------------------------------------------------- */

/* Blocks (Unicode 15, Blocks.txt) of Thai, Lao, Myanmar, Khmer, kana and Han. */
static const range unsegmented[] = {
    {0x0e00, 0x0eff}, {0x1000, 0x109f}, {0x1780, 0x17ff},   {0x3005, 0x3007},
    {0x3021, 0x3029}, {0x3031, 0x303c}, {0x3040, 0x30ff},   {0x31f0, 0x31ff},
    {0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xa9e0, 0xa9ff},   {0xaa60, 0xaa7f},
    {0xf900, 0xfaff}, {0xff66, 0xff9f}, {0x1aff0, 0x1b16f}, {0x20000, 0x3ffff},
};

cr__point_class cr__point_classify(uint32_t point)
{
    switch (utf8proc_category((utf8proc_int32_t)point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT: return CR__POINT_LETTER;
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
        return WITHIN(unsegmented, point) ? CR__POINT_UNSEGMENTED : CR__POINT_LETTER;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME: return CR__POINT_MARK;
    case UTF8PROC_CATEGORY_NL:
        return WITHIN(unsegmented, point) ? CR__POINT_UNSEGMENTED : CR__POINT_NUMBER;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NO: return CR__POINT_NUMBER;
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SO: return CR__POINT_SYMBOL;
    default: return CR__POINT_OTHER;
    }
}

int cr__point_is_word(uint32_t point)
{
    switch (utf8proc_category((utf8proc_int32_t)point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return 1;
    default: return point == '_';
    }
}

int cr__point_is_mark(uint32_t point)
{
    switch (utf8proc_category((utf8proc_int32_t)point)) {
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SK:
    case UTF8PROC_CATEGORY_SO: return 1;
    default: return 0;
    }
}

int cr__point_is_upper(uint32_t point)
{
    return utf8proc_category((utf8proc_int32_t)point) == UTF8PROC_CATEGORY_LU;
}

int cr__point_is_space(uint32_t point)
{
    return (point >= 0x09 && point <= 0x0d) || (point >= 0x1c && point <= 0x20) || point == 0x85 ||
           point == 0xa0 || point == 0x1680 || (point >= 0x2000 && point <= 0x200a) ||
           point == 0x2028 || point == 0x2029 || point == 0x202f || point == 0x205f ||
           point == 0x3000;
}

/* --- lower case ------------------------------------------------------------------------------ */

/* Unicode's property Case_Ignorable. */
static int case_ignorable(uint32_t point)
{
    static const range marks[] = {
        {'\'', '\''},     {'.', '.'},       {':', ':'},       {0x00b7, 0x00b7},
        {0x0387, 0x0387}, {0x055f, 0x055f}, {0x05f4, 0x05f4}, {0x2018, 0x2019},
        {0x2024, 0x2024}, {0x2027, 0x2027}, {0xfe13, 0xfe13}, {0xfe52, 0xfe52},
        {0xfe55, 0xfe55}, {0xff07, 0xff07}, {0xff0e, 0xff0e}, {0xff1a, 0xff1a},
    };

    switch (utf8proc_category((utf8proc_int32_t)point)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK: return 1;
    default: return WITHIN(marks, point);
    }
}

/* Unicode's property Cased, for code points that are not Case_Ignorable. */
static int cased(uint32_t point)
{
    static const range others[] = {
        {0x00aa, 0x00aa},   {0x00ba, 0x00ba},   {0x2160, 0x217f},   {0x24b6, 0x24e9},
        {0x1f130, 0x1f149}, {0x1f150, 0x1f169}, {0x1f170, 0x1f189},
    };

    switch (utf8proc_category((utf8proc_int32_t)point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT: return 1;
    default: return WITHIN(others, point);
    }
}

/* Unicode 15, table 3-17, Final_Sigma: after a cased letter and not before one, ignoring
 * Case_Ignorable characters between. */
static int final_sigma(const char *text, size_t size, const char *p)
{
    const char *q = p, *end = text + size;
    uint32_t point = 0;
    int found = 0;

    while (q > text && !found) {
        q = cr__utf8_before(text, q, &point);
        found = !case_ignorable(point);
    }
    if (!found || !cased(point))
        return 0;
    q = cr__utf8_next(p, end, &point);
    for (found = 0; q < end && !found;) {
        q = cr__utf8_next(q, end, &point);
        found = !case_ignorable(point);
    }
    return !found || !cased(point);
}

int cr__point_lower(const char *text, size_t size, const char *p, uint32_t point, uint32_t out[2])
{
    if (point == 0x0130) { /* a capital i with a dot; SpecialCasing.txt has no other */
        out[0] = 'i';
        out[1] = 0x0307;
        return 2;
    }
    if (point == 0x03a3)
        out[0] = final_sigma(text, size, p) ? 0x03c2 : 0x03c3;
    else
        out[0] = (uint32_t)utf8proc_tolower((utf8proc_int32_t)point);
    return 1;
}

/* --- folding --------------------------------------------------------------------------------- */

static int continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* Where to stop: at the end when it is near, else before a character that begins anew, so that
 * nothing composes over the cut. A cut far from the end bounds the time spent on sorting a hostile
 * pile of combining marks. */
static const char *fold_until(const char *p, const char *end)
{
    const char *cut, *hard;
    uint32_t point;

    if (end - p <= CR__FOLD_BYTES)
        return end;
    for (hard = p + CR__FOLD_BYTES; hard > p && continues(*hard);)
        hard--;
    for (cut = hard; cut > p + CR__FOLD_BYTES / 2;) {
        (void)cr__utf8_next(cut, end, &point);
        if (utf8proc_get_property((utf8proc_int32_t)point)->combining_class == 0 &&
            cr__point_classify(point) != CR__POINT_MARK)
            return cut;
        for (cut--; cut > p && continues(*cut);)
            cut--;
    }
    return hard > p ? hard : end;
}

const char *cr__points_fold(const char *p, const char *end, unsigned how,
                            int32_t points[CR__FOLD_POINTS], size_t *count)
{
    const utf8proc_option_t options =
        (utf8proc_option_t)(UTF8PROC_COMPOSE | UTF8PROC_STABLE | UTF8PROC_IGNORE |
                            ((how & CR__FOLD_CASE) != 0 ? UTF8PROC_CASEFOLD : 0) |
                            ((how & CR__FOLD_COMPAT) != 0 ? UTF8PROC_COMPAT : 0));
    const char *cut = fold_until(p, end);
    utf8proc_ssize_t n =
        utf8proc_decompose((const utf8proc_uint8_t *)p, cut - p, points, CR__FOLD_POINTS, options);

    if (n > 0 && n <= CR__FOLD_POINTS)
        n = utf8proc_normalize_utf32(points, n, options);
    *count = n > 0 && n <= CR__FOLD_POINTS ? (size_t)n : 0;
    return cut;
}
