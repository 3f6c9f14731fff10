/* source/seen.c - what the values of a field look like. */
#include "source/seen.h"

#include <math.h>

#include "base/memory.h"
#include "base/number.h"
#include "data/dict.h"

#define COUNTED ((uint32_t)10000) /* values that are looked at for sentences */
#define MARKS ((size_t)8192)      /* bits */
#define LEAST_BLANKS 3

int cr__is_binary(const char *text, size_t length)
{
    return length == 1 && (*text == '0' || *text == '1');
}

int cr__is_number(const char *text, size_t length)
{
    double number;

    return cr__parse_double(text, length, &number) != CR__NUMBER_INVALID;
}

/* Digits, a comma, digits. */
static int has_decimal_comma(const char *text, size_t length)
{
    size_t i = length > 0 && (*text == '-' || *text == '+'), digits = 0, commas = 0;

    for (; i < length; i++) {
        digits += text[i] >= '0' && text[i] <= '9';
        commas += text[i] == ',' && digits > 0 && i + 1 < length;
        if (text[i] != ',' && (text[i] < '0' || text[i] > '9'))
            return 0;
    }
    return commas == 1 && digits > 1;
}

/* How often words follow one another. */
static size_t count_blanks(const char *text, size_t length)
{
    size_t blanks = 0;

    for (size_t i = 1; i < length; i++)
        blanks += (unsigned char)text[i] > ' ' && (unsigned char)text[i - 1] <= ' ';
    return blanks;
}

static cr_status count_value(cr__seen *seen, const char *text, size_t length)
{
    const size_t blanks = count_blanks(text, length);
    uint64_t hash;

    seen->values++;
    seen->blanks += blanks;
    if (blanks == 0)
        return CR_OK;
    if (seen->mark == NULL && (seen->mark = cr__alloc_zero(MARKS / 64, 8)) == NULL)
        return CR_ENOMEM;
    hash = cr__dict_hash(text, length, 0) % MARKS;
    seen->mark[hash / 64] |= (uint64_t)1 << hash % 64;
    seen->sentences++;
    return CR_OK;
}

cr_status cr__seen_value(cr__seen *seen, const char *text, size_t length, int quoted)
{
    if (seen->values >= COUNTED && seen->kinds & CR__SEEN_PLAIN)
        return CR_OK;
    if (quoted || !cr__is_number(text, length))
        seen->kinds |=
            CR__SEEN_WORD | (has_decimal_comma(text, length) ? CR__SEEN_COMMA : CR__SEEN_PLAIN);
    else
        seen->kinds |= cr__is_binary(text, length) ? CR__SEEN_BINARY : CR__SEEN_NUMBER;
    return seen->values < COUNTED ? count_value(seen, text, length) : CR_OK;
}

/* Linear counting: of m bits, n different values leave m exp(-n/m) unset on average (Whang,
 * Vander-Zanden and Taylor 1990, "A linear-time probabilistic counting algorithm"). */
static double count_different(const cr__seen *seen)
{
    size_t set = 0;

    for (size_t i = 0; i < MARKS / 64; i++)
        set += (size_t)__builtin_popcountll(seen->mark[i]);
    return -(double)MARKS * log((double)(MARKS - set + (set == MARKS)) / (double)MARKS);
}

int cr__seen_is_text(const cr__seen *seen)
{
    return seen->sentences > 1 && seen->blanks >= LEAST_BLANKS * (uint64_t)seen->values &&
           2 * count_different(seen) >= (double)seen->sentences;
}

void cr__seen_restart(cr__seen *seen)
{
    cr__free(seen->mark);
    *seen = (cr__seen){.kinds = seen->kinds};
}
