/* source/seen.c - what the values of a field look like. */
#include "source/seen.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/number.h"
#include "data/dict.h"

#define COUNTED ((uint32_t)10000) /* values examined for sentences */
#define MARKS ((size_t)8192)      /* bits */
#define LEAST_BLANKS 3
#define LEAST_NAMES 20 /* fewer values may all be different by chance */

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

/* --- values that are all different ----------------------------------------------------------- */

static void forget_hashes(cr__seen *seen)
{
    cr__free(seen->hash);
    seen->hash = NULL;
    seen->hash_bits = 0;
    seen->again = 1;
}

/* The slot of a hash: where it is, or where it would go. */
static size_t find_hash(const cr__seen *seen, uint64_t hash)
{
    const size_t mask = ((size_t)1 << seen->hash_bits) - 1;
    size_t i = (size_t)hash & mask;

    while (seen->hash[i] != 0 && seen->hash[i] != hash)
        i = (i + 1) & mask;
    return i;
}

/* Double the slots, or allocate the first. */
static cr_status widen_hashes(cr__seen *seen)
{
    const cr__seen before = *seen;
    const size_t places = before.hash == NULL ? 0 : (size_t)1 << before.hash_bits;

    seen->hash_bits = places == 0 ? 6 : before.hash_bits + 1;
    if ((seen->hash = cr__alloc_zero((size_t)1 << seen->hash_bits, sizeof *seen->hash)) == NULL) {
        *seen = before;
        return CR_ENOMEM;
    }
    for (size_t i = 0; i < places; i++)
        if (before.hash[i] != 0)
            seen->hash[find_hash(seen, before.hash[i])] = before.hash[i];
    cr__free(before.hash);
    return CR_OK;
}

/* Check whether a value, number seen->values, has occurred before. */
static cr_status note_again(cr__seen *seen, const char *text, size_t length, int quoted)
{
    const uint64_t hash = cr__dict_hash(text, length, 1) | 1;
    double number = 0;
    size_t place;

    if (quoted || cr__parse_double(text, length, &number) != CR__NUMBER_OK)
        seen->gaps = 1;
    else if (number != floor(number))
        forget_hashes(seen);
    if (seen->again)
        return CR_OK;
    seen->gaps |= seen->values > 1 && number != seen->last + 1;
    seen->last = number;
    if ((seen->hash == NULL || (size_t)seen->values * 2 > (size_t)1 << seen->hash_bits) &&
        widen_hashes(seen) != CR_OK)
        return CR_ENOMEM;
    place = find_hash(seen, hash);
    if (seen->hash[place] == hash)
        forget_hashes(seen);
    else
        seen->hash[place] = hash;
    return CR_OK;
}

/* "id", "uuid" and "guid", alone or as the last word of a name: "patient_id", "customerId". */
static int is_called_id(const char *name)
{
    static const char *const words[] = {"uuid", "guid", "id"};
    const size_t length = strlen(name);

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t size = strlen(words[i]);
        const char *end = name + length - size;

        if (length < size || strcasecmp(end, words[i]) != 0)
            continue;
        if (length == size || strchr("_-. ", end[-1]) != NULL ||
            (*end >= 'A' && *end <= 'Z' && end[-1] >= 'a' && end[-1] <= 'z'))
            return 1;
    }
    return 0;
}

int cr__seen_is_names(const cr__seen *seen, const char *column, int order)
{
    if (seen->again || seen->values < LEAST_NAMES)
        return 0;
    return (seen->kinds & CR__SEEN_WORD) != 0 || (!order && !seen->gaps) || is_called_id(column);
}

/* --- any value ------------------------------------------------------------------------------- */

cr_status cr__seen_value(cr__seen *seen, const char *text, size_t length, int quoted)
{
    if (seen->values >= COUNTED && seen->kinds & CR__SEEN_PLAIN)
        return CR_OK;
    if (quoted || !cr__is_number(text, length))
        seen->kinds |=
            CR__SEEN_WORD | (has_decimal_comma(text, length) ? CR__SEEN_COMMA : CR__SEEN_PLAIN);
    else
        seen->kinds |= cr__is_binary(text, length) ? CR__SEEN_BINARY : CR__SEEN_NUMBER;
    if (seen->values >= COUNTED)
        return CR_OK;
    if (count_value(seen, text, length) != CR_OK)
        return CR_ENOMEM;
    return seen->again ? CR_OK : note_again(seen, text, length, quoted);
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
    cr__free(seen->hash);
    *seen = (cr__seen){.kinds = seen->kinds};
}
