/* tests/base/test_number.c - text to numbers and back.
 *
 * The reference for reading is strtod of glibc in the C locale, which rounds correctly; the
 * reference for the shortest text is the repr() of Python 3.11 where a literal is given, and the
 * definition itself (reads back, and nothing shorter does) for random doubles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/number_powers.h"

#define ITEMS(array) (sizeof(array) / sizeof *(array))

static uint64_t state = 20261115;

static uint64_t draw(void) /* splitmix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double double_of(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, 8);
    return x;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, 8);
    return bits;
}

/* Parse from a block of exactly the text's size, so that ASan sees any read beyond it. */
static cr__number_status parse(const char *text, size_t length, double *value)
{
    char *block = malloc(length > 0 ? length : 1);
    cr__number_status status;

    assert_non_null(block);
    memcpy(block, text, length);
    status = cr__parse_double(length > 0 ? block : block + 1, length, value);
    free(block);
    return status;
}

/* Text must be read as strtod reads it. */
static void agree(const char *text)
{
    const double expected = strtod(text, NULL);
    double value = 4711;
    const cr__number_status status = parse(text, strlen(text), &value);

    if (isinf(expected)) {
        if (status != CR__NUMBER_OVERFLOW)
            fail_msg("%s: status %d, overflow expected", text, (int)status);
    } else if (status != CR__NUMBER_OK || bits_of(value) != bits_of(expected)) {
        fail_msg("%s: status %d, %a read, %a expected", text, (int)status, value, expected);
    }
}

/* All digits of 2^1024 - 2^970 but the last, which is 2: the tie that goes to infinity. */
#define BELOW_OVERFLOW                                                                             \
    "17976931348623158079372897140530341507993413271003782693617377898044496829276475094664901"    \
    "79775872070963302864166928879109465555478519404026306574886715058206819089020007083836762"    \
    "73854845817711531764475730270069855571366959622842914819860834936475292719074168444365510"    \
    "70434271155969950809304288017790417449779"

static void hard_cases_read_as_strtod_does(void **unused)
{
    static const char *const cases[] = {
        "0",
        "-0",
        "+0",
        "0.0",
        "-0.0e5",
        "1",
        "-1",
        "+1",
        "39",
        "0.0123",
        "-1.234567",
        ".5",
        "5.",
        "-.5e1",
        "5.e-1",
        "1e5",
        "1E+5",
        "1e-5",
        "00000000000000000000000001",
        "1e0000000000001",
        "9007199254740991",
        "9007199254740992",
        "9007199254740993",
        "9007199254740994",
        "9007199254740995",
        "9007199254740993.0000000000000000000000000000000000000001",
        "9007199254740992.9999999999999999999999999999999999999999",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999999999999",
        "1e22",
        "1e23",
        "8.41e21",
        "9e22",
        "7.2057594037927933e16",
        "123456789012345678901234567890",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.47032822920623272088284396434110686182e-324",
        "1e-323",
        "1e-324",
        "3e-324",
        "1e-400",
        "6.631236846766476e-316",
        "3.237883913302901e-319",
        "1.448997445238699",
        "5e-20",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        BELOW_OVERFLOW "1",
        BELOW_OVERFLOW "1.9999",
        BELOW_OVERFLOW "2",
        "1e309",
        "-1e309",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "0e99999999999999999999",
        "10000000000000000000000000000000000000000e-40",
        "1.00000000000000011102230246251565404236316680908203125", /* 1 + 2^-53: to even */
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "1.00000000000000033306690738754696212708950042724609375", /* 1 + 3 * 2^-53: to even */
        "0.500000000000000166533453693773481063544750213623046875",
        "3.14159265358979323846264338",
        "1090544144181609348671888949248",
        "1090544144181609348835077142190",
        "30078505129381147446200",
        "1777820000000000000001",
    };

    (void)unused;
    for (size_t i = 0; i < ITEMS(cases); i++)
        agree(cases[i]);
}

/* Every double lies between two halfway points; these have the longest expansions there are. */
static void halfway_points_of_random_doubles_read_as_strtod_does(void **unused)
{
    static char text[2000];

    (void)unused;
    for (int i = 0; i < 3000; i++) {
        const uint64_t bits = i < 20 ? (uint64_t)i : draw() % 0x7feffffffffffffeu;
        const long double half = ((long double)double_of(bits) + double_of(bits + 1)) / 2;
        const int length = snprintf(text, sizeof text - 1, "%.1100Le", half);
        char *end = strchr(text, 'e');

        assert_true(length > 0);
        agree(text);
        end[-1] = '1'; /* a little more than half, shown by the last of 1101 digits alone */
        agree(text);
        end[-1] = '0';
        for (char *p = end - 1;; p--) { /* a little less: borrow from the last digit */
            if (*p == '.')
                continue;
            if (*p != '0') {
                --*p;
                break;
            }
            *p = '9';
        }
        agree(text);
    }
}

static void random_decimals_read_as_strtod_does(void **unused)
{
    (void)unused;
    for (int i = 0; i < 1000000; i++) {
        char text[80];
        const int digits = 1 + (int)(draw() % 40), point = (int)(draw() % 45);
        char *p = text;

        if (draw() % 4 == 0)
            *p++ = "+-"[draw() % 2];
        for (int d = 0; d < digits; d++) {
            if (d == point)
                *p++ = '.';
            *p++ = (char)('0' + (draw() % 3 == 0 ? 0 : draw() % 10));
        }
        if (draw() % 2 == 0)
            p += sprintf(p, "%c%d", "eE"[draw() % 2], (int)(draw() % 700) - 350);
        *p = '\0';
        agree(text);
    }
}

static void texts_that_are_not_numbers_are_told_apart(void **unused)
{
    static const struct {
        const char *text;
        cr__number_status status;
    } cases[] = {
        {"", CR__NUMBER_INVALID},       {"-", CR__NUMBER_INVALID},
        {".", CR__NUMBER_INVALID},      {"-.", CR__NUMBER_INVALID},
        {"e5", CR__NUMBER_INVALID},     {".e5", CR__NUMBER_INVALID},
        {"1e", CR__NUMBER_INVALID},     {"1e+", CR__NUMBER_INVALID},
        {"1.2.3", CR__NUMBER_INVALID},  {"--1", CR__NUMBER_INVALID},
        {" 1", CR__NUMBER_INVALID},     {"1 ", CR__NUMBER_INVALID},
        {"0x10", CR__NUMBER_INVALID},   {"1,5", CR__NUMBER_INVALID},
        {"1_000", CR__NUMBER_INVALID},  {"abc", CR__NUMBER_INVALID},
        {"1e309x", CR__NUMBER_INVALID}, {"12345678901234567890123x", CR__NUMBER_INVALID},
        {"nano", CR__NUMBER_INVALID},   {"in", CR__NUMBER_INVALID},
        {"inf", CR__NUMBER_NOT_FINITE}, {"INFINITY", CR__NUMBER_NOT_FINITE},
        {"nan", CR__NUMBER_NOT_FINITE}, {"-Inf", CR__NUMBER_NOT_FINITE},
        {"NaN", CR__NUMBER_NOT_FINITE}, {"+nan", CR__NUMBER_NOT_FINITE},
        {"1e309", CR__NUMBER_OVERFLOW}, {"-2e308", CR__NUMBER_OVERFLOW},
    };

    (void)unused;
    for (size_t i = 0; i < ITEMS(cases); i++) {
        double value = 4711;

        assert_int_equal(parse(cases[i].text, strlen(cases[i].text), &value), cases[i].status);
        assert_true(value == 4711);
    }
    for (int byte = 0; byte < 256; byte++) { /* only digits, a point or an exponent continue */
        for (size_t place = 0; place < 12; place++) {
            char text[12] = "123456789012";
            double value = 0;
            cr__number_status expected = CR__NUMBER_INVALID;

            text[place] = (char)byte;
            if ((byte >= '0' && byte <= '9') || byte == '.' ||
                (place == 0 && (byte == '+' || byte == '-')) ||
                ((byte == 'e' || byte == 'E') && place >= 8 && place < 11))
                expected = CR__NUMBER_OK;
            if ((byte == 'e' || byte == 'E') && place > 0 && place < 8)
                expected = CR__NUMBER_OVERFLOW;
            if (parse(text, sizeof text, &value) != expected)
                fail_msg("byte %d at %zu", byte, place);
        }
    }
}

/* strtod needs a NUL, so the prefix is copied for it; the block for the parser is exact. */
static void every_prefix_is_read_without_looking_past_its_end(void **unused)
{
    static const char *const cases[] = {"-1.234567", "+12345678.12345678e-12",
                                        "0.000000000000000000000000012345678901234567890123e+25",
                                        "1797693134862315708145274237317043567980e+269"};

    (void)unused;
    for (size_t i = 0; i < ITEMS(cases); i++) {
        for (size_t length = 0; length <= strlen(cases[i]); length++) {
            char text[80] = "";
            char *end;
            double value, expected;

            memcpy(text, cases[i], length);
            expected = strtod(text, &end);
            if (length > 0 && end == text + length) {
                assert_int_equal(parse(text, length, &value), CR__NUMBER_OK);
                assert_true(value == expected);
            } else {
                assert_int_equal(parse(text, length, &value), CR__NUMBER_INVALID);
            }
        }
    }
}

static void a_scan_stops_after_the_longest_number(void **unused)
{
    static const struct {
        const char *text;
        int length;
        double value;
    } cases[] = {
        {"1,2", 1, 1},
        {"-1.5\n", 4, -1.5},
        {"12e", 2, 12},
        {"12e+x", 2, 12},
        {"3.e2;", 4, 300},
        {"1.2.3", 3, 1.2},
        {"0x10", 1, 0},
        {"7\"", 1, 7},
        {"12345678,", 8, 12345678},
        {"1234567890123456789012\t", 22, 1234567890123456789012.0},
        {".25\r\n", 3, 0.25},
        {"0.1234567890123456|", 18, 0.1234567890123456},
    };
    const char *const first = ",1";
    double value;

    (void)unused;
    for (size_t i = 0; i < ITEMS(cases); i++) {
        const char *text = cases[i].text;

        value = 4711;
        assert_ptr_equal(cr__scan_double(text, text + strlen(text), &value),
                         text + cases[i].length);
        assert_true(value == cases[i].value);
    }
    assert_null(cr__scan_double(first, first, &value));
    assert_null(cr__scan_double(first, first + 1, &value)); /* a comma */
}

static void format(const char *expected, double value)
{
    char text[CR__NUMBER_SIZE];

    assert_int_equal(cr__format_double(text, value), strlen(expected));
    assert_string_equal(text, expected);
}

/* The expected texts are repr(x) of Python 3.11, without a trailing ".0". */
static void doubles_are_written_like_pythons_repr(void **unused)
{
    (void)unused;
    format("0", 0.0);
    format("-0", -0.0);
    format("3", 3.0);
    format("-120", -120.0);
    format("0.1", 0.1);
    format("-1.234567", -1.234567);
    format("0.30000000000000004", 0.1 + 0.2);
    format("0.0001", 1e-4);
    format("1e-05", 1e-5);
    format("0.00012345678901234567", 0.00012345678901234567);
    format("1.2345e-07", 1.2345e-7);
    format("123456.789", 123456.789);
    format("9007199254740991", 9007199254740991.0);
    format("9007199254740992", 9007199254740992.0);
    format("9007199254740994", 9007199254740994.0);
    format("1000000000000000", 1e15);
    format("9999999999999998", 9999999999999998.0);
    format("1e+16", 1e16);
    format("1e+22", 1e22);
    format("1e+23", 1e23);
    format("9.5367431640625e-07", 0x1p-20);
    format("5e-324", 5e-324);
    format("1e-323", 1e-323);
    format("2.2250738585072014e-308", 2.2250738585072014e-308);
    format("2.225073858507201e-308", 2.225073858507201e-308);
    format("1.7976931348623157e+308", DBL_MAX);
    format("-1.7976931348623157e+308", -DBL_MAX);
    format("9.109383632e-31", 9.109383632e-31);
    format("2e+100", 2e100);
    format("nan", NAN);
    format("inf", INFINITY);
    format("-inf", -INFINITY);
}

/* Shortest: "%.Ne" with one digit fewer must not read back; a text of the same length that is
 * nearer to the value must not exist, and "%.Ne" is the nearest of its length. */
static void check_shortest(double x)
{
    char text[CR__NUMBER_SIZE], other[64];
    const size_t length = cr__format_double(text, x);
    double back;
    int digits = 0, zeros = 0, seen = 0;

    assert_true(length <= 24 && strlen(text) == length);
    if (cr__parse_double(text, length, &back) != CR__NUMBER_OK || bits_of(back) != bits_of(x))
        fail_msg("%a is written %s", x, text);
    for (const char *p = text; *p != '\0' && *p != 'e'; p++) {
        if (*p < '0' || *p > '9' || (!seen && *p == '0'))
            continue;
        seen = 1;
        digits++;
        zeros = *p == '0' ? zeros + 1 : 0;
    }
    digits -= zeros; /* those of a whole number such as 1200 */
    snprintf(other, sizeof other, "%.*e", digits - 1, x);
    if (strtod(other, NULL) == x &&
        fabsl(strtold(other, NULL) - (long double)x) < fabsl(strtold(text, NULL) - (long double)x))
        fail_msg("%a is written %s, but %s is nearer", x, text, other);
    snprintf(other, sizeof other, "%.*e", digits - 2 < 0 ? 0 : digits - 2, x);
    if (digits > 1 && strtod(other, NULL) == x)
        fail_msg("%a is written %s, but %s is shorter", x, text, other);
}

static void random_doubles_are_written_shortest_and_read_back(void **unused)
{
    (void)unused;
    for (int i = 0; i < 300000; i++) {
        const double x = double_of(draw());

        if (isfinite(x) && x != 0)
            check_shortest(x);
    }
    for (int e = -1074; e <= 1023; e++) { /* uneven intervals, and their neighbours */
        const double x = ldexp(1, e);

        check_shortest(x);
        check_shortest(nextafter(x, INFINITY));
        if (e > -1074)
            check_shortest(-nextafter(x, 0));
    }
    for (int i = 1; i < 100000; i++) { /* what people write */
        check_shortest(i / 1000.0);
        check_shortest((double)(draw() % 1000000000000) / 1e6);
    }
}

static void integers_are_checked(void **unused)
{
    static const struct {
        const char *text;
        cr__number_status status;
        int64_t value;
    } cases[] = {
        {"0", CR__NUMBER_OK, 0},
        {"-0", CR__NUMBER_OK, 0},
        {"+17", CR__NUMBER_OK, 17},
        {"-17", CR__NUMBER_OK, -17},
        {"9223372036854775807", CR__NUMBER_OK, INT64_MAX},
        {"-9223372036854775808", CR__NUMBER_OK, INT64_MIN},
        {"0000000000000000000000009", CR__NUMBER_OK, 9},
        {"9223372036854775808", CR__NUMBER_OVERFLOW, 0},
        {"-9223372036854775809", CR__NUMBER_OVERFLOW, 0},
        {"99999999999999999999999999", CR__NUMBER_OVERFLOW, 0},
        {"99999999999999999999999999x", CR__NUMBER_INVALID, 0},
        {"", CR__NUMBER_INVALID, 0},
        {"-", CR__NUMBER_INVALID, 0},
        {"1.0", CR__NUMBER_INVALID, 0},
        {"--1", CR__NUMBER_INVALID, 0},
        {" 1", CR__NUMBER_INVALID, 0},
    };
    uint64_t whole = 4711;

    (void)unused;
    for (size_t i = 0; i < ITEMS(cases); i++) {
        int64_t value = 4711;

        assert_int_equal(cr__parse_int64(cases[i].text, strlen(cases[i].text), &value),
                         cases[i].status);
        assert_true(value == (cases[i].status == CR__NUMBER_OK ? cases[i].value : 4711));
    }
    assert_int_equal(cr__parse_uint64("-1", 2, &whole), CR__NUMBER_INVALID);
    assert_int_equal(cr__parse_uint64("18446744073709551616", 20, &whole), CR__NUMBER_OVERFLOW);
    assert_true(whole == 4711);
    assert_int_equal(cr__parse_uint64("18446744073709551615", 20, &whole), CR__NUMBER_OK);
    assert_true(whole == UINT64_MAX);
}

/* The table, computed again by schoolbook arithmetic on bytes: 5^q exactly, or 2^2000 / 5^-q. */
static void the_powers_of_five_are_right(void **unused)
{
    (void)unused;
    for (int q = CR__POWER_MIN; q <= CR__POWER_MAX; q++) {
        unsigned char number[300] = {0}; /* little-endian */
        uint64_t high = 0, low = 0;
        int top = 299;

        number[q < 0 ? 250 : 0] = 1;
        for (int i = 0; i < (q < 0 ? -q : q); i++) {
            unsigned carry = 0;

            for (int b = 0; q >= 0 && b < 300; b++) {
                carry += number[b] * 5u;
                number[b] = (unsigned char)carry;
                carry >>= 8;
            }
            for (int b = 300; q < 0 && b-- > 0;) {
                carry = carry << 8 | number[b];
                number[b] = (unsigned char)(carry / 5);
                carry %= 5;
            }
        }
        for (top = 300 * 8 - 1; (number[top / 8] >> top % 8 & 1) == 0;)
            top--;
        for (int bit = 0; bit < 128; bit++) {
            const int at = top - bit;
            const unsigned set = at < 0 ? 0 : number[at / 8] >> at % 8 & 1u;

            high = high << 1 | low >> 63;
            low = low << 1 | set;
        }
        low += q < 0; /* these are rounded up; none of them carries */
        assert_true(cr__powers[q - CR__POWER_MIN][0] == high);
        assert_true(cr__powers[q - CR__POWER_MIN][1] == low);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_cases_read_as_strtod_does),
        cmocka_unit_test(halfway_points_of_random_doubles_read_as_strtod_does),
        cmocka_unit_test(random_decimals_read_as_strtod_does),
        cmocka_unit_test(texts_that_are_not_numbers_are_told_apart),
        cmocka_unit_test(every_prefix_is_read_without_looking_past_its_end),
        cmocka_unit_test(a_scan_stops_after_the_longest_number),
        cmocka_unit_test(doubles_are_written_like_pythons_repr),
        cmocka_unit_test(random_doubles_are_written_shortest_and_read_back),
        cmocka_unit_test(integers_are_checked),
        cmocka_unit_test(the_powers_of_five_are_right),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
