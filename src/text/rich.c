/* text/rich.c - numbers, money, capitals, punctuation and symbols as tokens. */
#include "text/rich.h"

#include "base/fail.h"
#include "text/utf8.h"

#include <string.h>

enum { LONGEST = 64, PHONE_DIGITS = 7, SHAPE_BYTES = 16 };

void cr__rich_add(cr__rich *r, const char *tag, const char *bytes, size_t n, int lower)
{
    cr__buffer *text = &r->t->buffer;
    const size_t start = text->size;
    char *to;

    if (r->status != CR_OK)
        return;
    if (n > LONGEST)
        for (n = LONGEST; n > 0 && ((unsigned char)bytes[n] & 0xc0) == 0x80;)
            n--;
    cr__buffer_adds(text, tag);
    to = cr__buffer_reserve(text, n);
    if (to == NULL) {
        r->status = cr__fail_memory(r->err);
        return;
    }
    for (size_t i = 0; i < n; i++)
        to[i] = (char)(lower && bytes[i] >= 'A' && bytes[i] <= 'Z' ? bytes[i] | 0x20 : bytes[i]);
    text->size += n;
    r->status = cr__tokenizer_add(r->t, &r->t->extras, start, text->size, r->err);
}

static void add_number(cr__rich *r, const char *tag, size_t number)
{
    char digits[24];
    size_t n = sizeof digits;

    do
        digits[--n] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    cr__rich_add(r, tag, digits + n, sizeof digits - n, 0);
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int is_alpha(char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

/* --- numbers --------------------------------------------------------------------------------- */

/* The length of the currency sign at i, or 0. */
static size_t currency_at(const cr__rich *r, size_t i)
{
    static const char *const signs[] = {"$", "\xc2\xa3", "\xc2\xa5", "\xe2\x82\xac",
                                        "\xe2\x82\xb9"};

    if (r->in[i] != '$' && (unsigned char)r->in[i] < 0x80)
        return 0;
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++) {
        const size_t length = strlen(signs[k]);

        if (r->size - i >= length && memcmp(r->in + i, signs[k], length) == 0)
            return length;
    }
    return 0;
}

/* The whole digits of the amount at i ("1,000.50" has four); *end is set behind it. */
static size_t amount_at(const cr__rich *r, size_t i, size_t *end)
{
    size_t whole = 0;
    int fraction = 0;

    for (; i < r->size; i++) {
        const char c = r->in[i];

        if (is_digit(c))
            whole += !fraction;
        else if ((c != '.' && c != ',') || fraction || i + 1 >= r->size || !is_digit(r->in[i + 1]))
            break;
        else
            fraction = c == '.';
    }
    *end = i;
    return whole;
}

static void add_money(cr__rich *r, const char *sign, size_t length, size_t whole)
{
    char text[8];

    memcpy(text, sign, length);
    cr__rich_add(r, "money:", text, length, 0);
    text[length] = (char)('0' + (whole < 9 ? whole : 9));
    cr__rich_add(r, "money:", text, length + 1, 0);
}

/* Digits in groups with at most two separators between them; 0 when they are not a telephone
 * number.
 */
static size_t phone_at(const cr__rich *r, size_t i, size_t *end)
{
    size_t digits = 0, gap = 0;
    char first[3] = "";

    for (*end = i; i < r->size && gap <= 2 && digits < 16; i++) {
        const char c = r->in[i];

        if (is_digit(c)) {
            if (digits < sizeof first)
                first[digits] = c;
            digits++;
            gap = 0;
            *end = i + 1;
        } else if (c == ' ' || c == '-' || c == '.' || c == '(' || c == ')' || c == '/') {
            gap++;
        } else {
            break;
        }
    }
    return digits >= PHONE_DIGITS ? digits : 0;
}

/* A number that begins at i and whose digits end at j. Returns where to continue. */
static size_t take_number(cr__rich *r, size_t i, size_t j)
{
    size_t end, digits = phone_at(r, i, &end), sign, whole;

    if (digits > 0) {
        add_number(r, "phone:", digits);
        cr__rich_add(r, "phone:", r->in + i, j - i < 3 ? j - i : 3, 0);
        return end;
    }
    add_number(r, "number:", j - i);
    whole = amount_at(r, i, &end);
    if (end < r->size && (sign = currency_at(r, end)) > 0) {
        add_money(r, r->in + end, sign, whole);
        return end + sign;
    }
    return j;
}

/* A word of digits and letters: runs of digits as one 9. */
static void add_shape(cr__rich *r, size_t i, size_t j)
{
    char shape[SHAPE_BYTES];
    size_t n = 0;

    for (; i < j && n < sizeof shape; i++)
        if (!is_digit(r->in[i]) || n == 0 || shape[n - 1] != '9')
            shape[n++] = is_digit(r->in[i]) ? '9' : r->in[i];
    cr__rich_add(r, "shape:", shape, n, 1);
}

/* --- words ----------------------------------------------------------------------------------- */

/* A run of ASCII letters, digits and, with them, letters beyond ASCII, from i on. */
static size_t take_word(cr__rich *r, size_t i)
{
    size_t digits = 0, letters = 0, capitals = 0, j = i;
    int ascii = 1;

    while (j < r->size) {
        const unsigned char c = (unsigned char)r->in[j];
        uint32_t point = c;
        size_t next = j + 1;

        if (c >= 0x80) {
            next = (size_t)(cr__utf8_next(r->in + j, r->in + r->size, &point) - r->in);
            const cr__point_class class = cr__point_classify(point);
            if (class != CR__POINT_LETTER && class != CR__POINT_MARK)
                break;
            ascii = 0;
            letters += class == CR__POINT_LETTER;
            capitals += cr__point_is_upper(point) != 0;
        } else if (is_digit((char)c)) {
            digits++;
        } else if (is_alpha((char)c)) {
            letters++;
            capitals += c < 'a';
        } else {
            break;
        }
        j = next;
    }
    if (digits > 0 && letters == 0 && ascii)
        return take_number(r, i, j);
    if (digits > 0 && ascii)
        add_shape(r, i, j);
    if (capitals >= 2 && capitals == letters)
        cr__rich_add(r, "", r->in + i, j - i, 0);
    return j;
}

/* --- everything else ------------------------------------------------------------------------- */

/* A sign of currency, perhaps followed by an amount. */
static size_t take_currency(cr__rich *r, size_t i, size_t length)
{
    size_t from = i + length, end, whole;

    if (from < r->size && r->in[from] == ' ')
        from++;
    whole = from < r->size && is_digit(r->in[from]) ? amount_at(r, from, &end) : 0;
    if (whole == 0)
        return i;
    add_money(r, r->in + i, length, whole);
    return end;
}

/* A run of one punctuation mark. */
static size_t take_punctuation(cr__rich *r, size_t i)
{
    const char c = r->in[i];
    const int telling = c == '!' || c == '?' || c == '%';
    size_t j = i;

    while (j < r->size && r->in[j] == c)
        j++;
    if (telling || j - i >= 3)
        cr__rich_add(r, "", r->in + i, j - i < 4 ? j - i : 4, 0);
    return j;
}

/* A non-ASCII character that does not begin a word. */
static size_t take_symbol(cr__rich *r, size_t i)
{
    uint32_t point;
    const size_t end = (size_t)(cr__utf8_next(r->in + i, r->in + r->size, &point) - r->in);

    if (cr__point_classify(point) == CR__POINT_SYMBOL)
        cr__rich_add(r, "", r->in + i, end - i, 0);
    return end;
}

static size_t take_mark(cr__rich *r, size_t i)
{
    const char c = r->in[i];
    const size_t sign = currency_at(r, i);
    size_t end;

    if (sign > 0 && (end = take_currency(r, i, sign)) > i)
        return end;
    if ((unsigned char)c >= 0x80) {
        end = take_word(r, i);
        return end > i ? end : take_symbol(r, i);
    }
    return (unsigned char)c > ' ' && c != 0x7f ? take_punctuation(r, i) : i + 1;
}

/* Twice the logarithm to base 2, rounded down: the largest c with 2^c <= size^2. */
static size_t length_class(size_t size)
{
    size_t class = 0, rest = 0;

    for (; size >= 256; size /= 4)
        class += 4;
    while (size * size >= (size_t)2 << rest)
        rest++;
    return class + rest;
}

/* Small letters and white space: most of a text, and no token here starts with one. */
static int is_dull(char c)
{
    return (unsigned char)(c - 'a') < 26 || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* The token at the first place from i on that is not dull, with the beginning of its word. Returns
 * the place after it. */
static size_t take_next(cr__rich *r, size_t i)
{
    const size_t from = i;

    while (i < r->size && is_dull(r->in[i]))
        i++;
    if (i == r->size)
        return i;
    if (is_alpha(r->in[i]) || is_digit(r->in[i]) || (unsigned char)r->in[i] >= 0x80)
        while (i > from && is_alpha(r->in[i - 1]))
            i--;
    return is_alpha(r->in[i]) || is_digit(r->in[i]) ? take_word(r, i) : take_mark(r, i);
}

cr_status cr__rich_piece(cr__tokenizer *t, const char **in, size_t size, cr_error *err)
{
    cr__rich r = {t, *in, size, CR_OK, err};

    if (t->first)
        add_number(&r, "length:", length_class(t->size));
    cr__rich_links(&r);
    for (size_t i = 0; i < size && r.status == CR_OK;)
        i = take_next(&r, i);
    *in = r.in;
    return r.status;
}
