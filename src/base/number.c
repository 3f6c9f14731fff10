/* base/number.c - decimal text to numbers and back, exactly and without the locale.
 *
 * Reading: up to 19 digits times a power of ten are rounded with one or two 64-bit products (D.
 * Lemire, "Number parsing at a gigabyte per second", 2021; that this always decides is shown by N.
 * Mushtak and D. Lemire, "Fast number parsing without fallback", 2023). Longer numbers lie between
 * two such; when these round differently, big integers decide.
 * Writing: R. Giulietti, "The Schubfach way to render doubles" (2020), on the same powers of five.
 */
#include "base/number.h"

#include <math.h>

#include "base/number_powers.h"

__extension__ typedef unsigned __int128 cr__u128;

#define HIDDEN ((uint64_t)1 << 52)      /* the leading bit of a normal double's significand */
#define DIGITS_MAX 19                   /* decimal digits that always fit 64 bits */
#define EXPONENT_MAX ((int64_t)1 << 60) /* where counting stops: beyond any text in memory */

const uint64_t cr__tens[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

const double cr__exact_tens[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static double double_of_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of_double(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ---- reading ---------------------------------------------------------------------------- */

/* digits * 10^q, rounded to nearest, ties to even. With digits shifted to w in [2^63, 2^64) and
 * 5^q = t * 2^(..), t in [2^127, 2^128), the upper bits of w * t are those of the result: 53 and
 * one for rounding. The low half of t is needed only when it could carry into these. A tie can
 * only happen when 5^q is exact and small (Lemire 2021, section 9). */
double cr__decimal_to_double(uint64_t digits, int q)
{
    const uint64_t *t;
    uint64_t high, low, w;
    int zeros, top, exponent;
    cr__u128 product;

    if (digits == 0 || q < CR__POWER_MIN)
        return 0;
    if (q > 308)
        return HUGE_VAL;
    t = cr__powers[q - CR__POWER_MIN];
    zeros = __builtin_clzll(digits);
    w = digits << zeros;
    product = (cr__u128)w * t[0];
    if (((uint64_t)(product >> 64) & 0x1ff) == 0x1ff)
        product += (uint64_t)((cr__u128)w * t[1] >> 64);
    high = (uint64_t)(product >> 64);
    low = (uint64_t)product;
    top = (int)(high >> 63);
    exponent = ((q * 217706) >> 16) + 63 + top - zeros + 1023; /* 217706 / 2^16 ~ log2(10) */
    w = high >> (top + 9);
    if (exponent <= 0) { /* a denormal: shift its bits into place before rounding */
        if (exponent <= -63)
            return 0;
        w >>= 1 - exponent;
        w = (w + (w & 1)) >> 1;
        return double_of_bits(w); /* rounding up to 2^52 gives the smallest normal, as it should */
    }
    if (low <= 1 && q >= -4 && q <= 23 && (w & 3) == 1 && w << (top + 9) == high)
        w--;
    w = (w + (w & 1)) >> 1;
    if (w == HIDDEN << 1) {
        w = HIDDEN;
        exponent++;
    }
    if (exponent >= 0x7ff)
        return HUGE_VAL;
    return double_of_bits((w & (HIDDEN - 1)) | (uint64_t)exponent << 52);
}

/* A natural number of up to 4096 bits: enough for 800 digits against a halfway point between two
 * doubles, both made integers (at most about 2800 bits). */
typedef struct natural {
    uint64_t limb[64];
    int count;
} natural;

static void natural_multiply_add(natural *x, uint64_t factor, uint64_t term)
{
    for (int i = 0; i < x->count; i++) {
        const cr__u128 sum = (cr__u128)x->limb[i] * factor + term;

        x->limb[i] = (uint64_t)sum;
        term = (uint64_t)(sum >> 64);
    }
    if (term != 0 && x->count < 64)
        x->limb[x->count++] = term;
}

static void natural_multiply_five(natural *x, int64_t power)
{
    for (; power >= 13; power -= 13)
        natural_multiply_add(x, 1220703125, 0);
    for (; power > 0; power--)
        natural_multiply_add(x, 5, 0);
}

static void natural_shift(natural *x, int64_t bits)
{
    for (; bits >= 32; bits -= 32)
        natural_multiply_add(x, (uint64_t)1 << 32, 0);
    natural_multiply_add(x, (uint64_t)1 << bits, 0);
}

static int natural_compare(const natural *x, const natural *y)
{
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    for (int i = x->count; i-- > 0;)
        if (x->limb[i] != y->limb[i])
            return x->limb[i] < y->limb[i] ? -1 : 1;
    return 0;
}

/* The parts of a decimal number. */
typedef struct decimal {
    const char *first, *end; /* its digits, with the point among them */
    uint64_t digits;         /* the first 19 that count, leading zeros skipped */
    int64_t exponent;        /* the power of ten that goes with them */
    int cut;                 /* whether digits other than 0 follow them */
} decimal;

/* All digits as one natural number, at most 800 of them: halfway points have no more than 768, so
 * a last digit 1 can stand for whatever follows. Returns how many digits it has beyond the 19. */
static int natural_from_digits(natural *x, const decimal *number)
{
    int used = 0;

    x->count = 0;
    for (const char *p = number->first; p < number->end; p++) {
        if (*p == '.' || (used == 0 && *p == '0'))
            continue;
        if (used < 800) {
            natural_multiply_add(x, 10, (uint64_t)(*p - '0'));
            used++;
        } else if (*p != '0') {
            natural_multiply_add(x, 10, 1);
            return used + 1 - DIGITS_MAX;
        }
    }
    return used - DIGITS_MAX;
}

/* Decide between two neighbouring doubles (high may be infinite) by comparing the number with their
 * midpoint, (2m + 1) * 2^s where low = m * 2^(s + 1). */
static double nearest_of_two(const decimal *number, double low, double high)
{
    const uint64_t bits = bits_of_double(low);
    const int biased = (int)(bits >> 52);
    uint64_t m = bits & (HIDDEN - 1);
    natural left, half;
    int64_t ten, two;
    int order;

    ten = number->exponent - natural_from_digits(&left, number);
    two = (biased == 0 ? 1 : biased) - 1076;
    if (biased != 0)
        m |= HIDDEN;
    half.count = 1;
    half.limb[0] = 2 * m + 1;
    if (ten > 0)
        natural_multiply_five(&left, ten);
    else
        natural_multiply_five(&half, -ten);
    if (ten > two)
        natural_shift(&left, ten - two);
    else
        natural_shift(&half, two - ten);
    order = natural_compare(&left, &half);
    if (order == 0)
        return m % 2 == 0 ? low : high;
    return order < 0 ? low : high;
}

static double decimal_round(const decimal *number)
{
    double low, high;

    if (number->exponent < CR__POWER_MIN)
        return 0;
    if (number->exponent > 308)
        return number->digits == 0 ? 0 : HUGE_VAL;
    low = cr__decimal_to_double(number->digits, (int)number->exponent);
    if (!number->cut)
        return low;
    high = cr__decimal_to_double(number->digits + 1, (int)number->exponent);
    return low == high ? low : nearest_of_two(number, low, high);
}

static int is_digit(const char *p, const char *end)
{
    return p < end && *p >= '0' && *p <= '9';
}

/* Read the digits at p; those after the point lower the exponent. Returns the place after them. */
static const char *take_digits(decimal *number, const char *p, const char *end, int after_point)
{
    for (; is_digit(p, end); p++) {
        if (number->digits < 1000000000000000000u) { /* 10^18: fewer than 19 digits so far */
            number->digits = number->digits * 10 + (uint64_t)(*p - '0');
            number->exponent -= after_point;
        } else {
            number->exponent += !after_point;
            number->cut |= *p != '0';
        }
    }
    return p;
}

/* Add the exponent at p, if there is one with digits, to *ten. Returns the place after it. */
static const char *take_exponent(const char *p, const char *end, int64_t *ten)
{
    const char *start = p;
    int64_t exponent = 0;
    int negative;

    if (p == end || (*p | 0x20) != 'e')
        return start;
    p++;
    negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (!is_digit(p, end))
        return start;
    for (; is_digit(p, end); p++)
        if (exponent < EXPONENT_MAX / 10)
            exponent = exponent * 10 + (*p - '0');
    *ten += negative ? -exponent : exponent;
    return p;
}

const char *cr__scan_exponent(const char *text, const char *p, const char *end, uint64_t digits,
                              int decimals, double *value)
{
    decimal number = {.digits = digits, .exponent = -decimals};
    double magnitude;

    p = take_exponent(p, end, &number.exponent);
    magnitude = decimal_round(&number);
    if (isinf(magnitude))
        return NULL;
    *value = *text == '-' ? -magnitude : magnitude;
    return p;
}

/* Read the longest number at text, finite or not. NULL when there is none. */
static const char *scan_any(const char *text, const char *end, double *value)
{
    decimal number = {0};
    const char *p = text;
    const char *point;

    if (p < end && (*p == '-' || *p == '+'))
        p++;
    number.first = p;
    p = take_digits(&number, p, end, 0);
    point = p;
    if (p < end && *p == '.')
        p = take_digits(&number, p + 1, end, 1);
    number.end = p;
    if (p - number.first == (point < p))
        return NULL;
    p = take_exponent(p, end, &number.exponent);
    *value = decimal_round(&number);
    if (*text == '-')
        *value = -*value;
    return p;
}

const char *cr__scan_double_fully(const char *text, const char *end, double *value)
{
    double read;
    const char *after = scan_any(text, end, &read);

    if (after == NULL || isinf(read))
        return NULL;
    *value = read;
    return after;
}

/* Whether the text is the word, ignoring case. */
static int is_word(const char *text, size_t length, const char *word)
{
    if (strlen(word) != length)
        return 0;
    for (size_t i = 0; i < length; i++)
        if ((text[i] | 0x20) != word[i])
            return 0;
    return 1;
}

static cr__number_status why_not(const char *text, size_t length)
{
    const char *end = text + length;
    double read;

    if (length > 0 && scan_any(text, end, &read) == end)
        return CR__NUMBER_OVERFLOW;
    if (length > 0 && (*text == '-' || *text == '+')) {
        text++;
        length--;
    }
    if (is_word(text, length, "inf") || is_word(text, length, "infinity") ||
        is_word(text, length, "nan"))
        return CR__NUMBER_NOT_FINITE;
    return CR__NUMBER_INVALID;
}

cr__number_status cr__parse_double(const char *text, size_t length, double *value)
{
    double read;

    if (length > 0 && cr__scan_double(text, text + length, &read) == text + length) {
        *value = read;
        return CR__NUMBER_OK;
    }
    return why_not(text, length);
}

/* Digits only, at least one, at most `limit`. */
static cr__number_status parse_natural(const char *text, const char *end, uint64_t limit,
                                       uint64_t *value)
{
    uint64_t number = 0;
    int over = 0;

    if (text == end)
        return CR__NUMBER_INVALID;
    for (; text < end; text++) {
        const uint64_t digit = (uint64_t)(unsigned char)*text - '0';

        if (digit > 9)
            return CR__NUMBER_INVALID;
        over |= number > (limit - digit) / 10;
        number = number * 10 + digit;
    }
    *value = number;
    return over ? CR__NUMBER_OVERFLOW : CR__NUMBER_OK;
}

cr__number_status cr__parse_uint64(const char *text, size_t length, uint64_t *value)
{
    const char *end = text + length;
    uint64_t number = 0;
    cr__number_status status;

    status = parse_natural(text + (length > 0 && *text == '+'), end, UINT64_MAX, &number);
    if (status == CR__NUMBER_OK)
        *value = number;
    return status;
}

cr__number_status cr__parse_int64(const char *text, size_t length, int64_t *value)
{
    const char *end = text + length;
    const int negative = length > 0 && *text == '-';
    const int sign = negative || (length > 0 && *text == '+');
    uint64_t number = 0;
    cr__number_status status;

    status = parse_natural(text + sign, end, (uint64_t)INT64_MAX + (uint64_t)negative, &number);
    if (status != CR__NUMBER_OK)
        return status;
    if (negative)
        *value = number == 0 ? 0 : -(int64_t)(number - 1) - 1;
    else
        *value = (int64_t)number;
    return CR__NUMBER_OK;
}

/* ---- writing ---------------------------------------------------------------------------- */

/* The upper 64 bits of x * t / 2^128 with the last bit set when anything below is lost ("round to
 * odd"), which keeps comparisons with halfway points right. */
static uint64_t scale_to_odd(uint64_t x, uint64_t t_high, uint64_t t_low)
{
    const uint64_t low = (uint64_t)((cr__u128)x * t_low >> 64);
    const cr__u128 product = (cr__u128)x * t_high + low;

    return (uint64_t)(product >> 64) | ((uint64_t)product > 1);
}

/* The shortest digits * 10^*ten inside the interval of reals that round to c * 2^q, and of these
 * the nearest; trailing zeros are possible. Giulietti 2020, sections 8 and 9: with 10^k just below
 * the interval's width, one multiple of 10^(k+1) at most and one or two of 10^k lie in it. Values
 * are scaled by 4 so that the interval's ends are integers. */
static uint64_t shortest(uint64_t c, int q, int narrow_below, int *ten)
{
    const int k = (q * 1262611 - (narrow_below ? 524031 : 0)) >> 22; /* floor(log10(width)) */
    const int h = q + ((-k * 1741647) >> 19) + 1;                    /* q + floor(log2(10^-k)) */
    const uint64_t *t = cr__powers[-k - CR__POWER_MIN];
    const uint64_t t_low = t[1] + (-k > CR__POWER_EXACT); /* here powers must be rounded up */
    const uint64_t odd = c & 1;                           /* then the ends are outside */
    const uint64_t lower = scale_to_odd((4 * c - 2 + (uint64_t)narrow_below) << h, t[0], t_low);
    const uint64_t value = scale_to_odd((4 * c) << h, t[0], t_low);
    const uint64_t upper = scale_to_odd((4 * c + 2) << h, t[0], t_low);
    const uint64_t s = value / 4, tenth = s / 10;
    int below, above;

    if (s >= 10) {
        below = lower + odd <= 40 * tenth;
        above = 40 * tenth + 40 + odd <= upper;
        if (below != above) {
            *ten = k + 1;
            return tenth + (uint64_t)above;
        }
    }
    *ten = k;
    below = lower + odd <= 4 * s;
    above = 4 * s + 4 + odd <= upper;
    if (below != above)
        return s + (uint64_t)above;
    return s + (value > 4 * s + 2 || (value == 4 * s + 2 && s % 2 == 1));
}

/* Write the digits of number into out, two at a time; returns how many. */
static int write_digits(char *out, uint64_t number)
{
    static const char pairs[] = "0001020304050607080910111213141516171819"
                                "2021222324252627282930313233343536373839"
                                "4041424344454647484950515253545556575859"
                                "6061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    char digits[20];
    char *p = digits + sizeof digits;
    int count;

    for (; number >= 100; number /= 100)
        memcpy(p -= 2, pairs + 2 * (number % 100), 2);
    memcpy(p -= 2, pairs + 2 * number, 2);
    p += number < 10;
    count = (int)(digits + sizeof digits - p);
    memcpy(out, p, (size_t)count);
    return count;
}

/* digits * 10^ten in plain notation when its first digit stands for 10^-4 .. 10^15, else with an
 * exponent of at least two digits. Returns the place after it. */
static char *write_decimal(char *out, uint64_t digits, int ten)
{
    char text[20];
    int count, lead;

    while (digits % 10000 == 0) {
        digits /= 10000;
        ten += 4;
    }
    while (digits % 10 == 0) {
        digits /= 10;
        ten++;
    }
    count = write_digits(text, digits);
    lead = count + ten - 1;
    if (lead < -4 || lead >= 16) {
        *out++ = text[0];
        if (count > 1) {
            *out++ = '.';
            memcpy(out, text + 1, (size_t)(count - 1));
            out += count - 1;
        }
        *out++ = 'e';
        *out++ = lead < 0 ? '-' : '+';
        lead = lead < 0 ? -lead : lead;
        if (lead < 10)
            *out++ = '0';
        return out + write_digits(out, (uint64_t)lead);
    }
    if (lead < 0) {
        memcpy(out, "0.0000", 6);
        out += 1 - lead;
        memcpy(out, text, (size_t)count);
        return out + count;
    }
    if (count <= lead + 1) {
        memcpy(out, text, (size_t)count);
        memset(out + count, '0', (size_t)(lead + 1 - count));
        return out + lead + 1;
    }
    memcpy(out, text, (size_t)lead + 1);
    out[lead + 1] = '.';
    memcpy(out + lead + 2, text + lead + 1, (size_t)(count - lead - 1));
    return out + count + 1;
}

size_t cr__format_double(char out[CR__NUMBER_SIZE], double value)
{
    const uint64_t bits = bits_of_double(value);
    const int biased = (int)(bits >> 52 & 0x7ff);
    const uint64_t fraction = bits & (HIDDEN - 1);
    char *p = out;
    int ten;

    if (bits >> 63 && !isnan(value))
        *p++ = '-';
    if (biased == 0x7ff) {
        memcpy(p, fraction != 0 ? "nan" : "inf", 3);
        p += 3;
    } else if (fabs(value) < 9007199254740992.0 && fabs(value) == (double)(int64_t)fabs(value)) {
        p += write_digits(p, (uint64_t)(int64_t)fabs(value));
    } else {
        const int normal = biased != 0;
        const uint64_t digits =
            shortest(normal ? fraction | HIDDEN : fraction, (normal ? biased : 1) - 1075,
                     fraction == 0 && biased > 1, &ten);

        p = write_decimal(p, digits, ten);
    }
    *p = '\0';
    return (size_t)(p - out);
}
