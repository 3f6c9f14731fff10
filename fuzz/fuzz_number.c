/* fuzz/fuzz_number.c - any bytes as a number: read as strtod reads them, written back exactly. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int right)
{
    if (!right)
        abort();
}

/* Whether every byte may stand in a decimal number; strtod itself takes much more. */
static int decimal_bytes(const char *text, size_t size)
{
    return strspn(text, "+-.0123456789eE") == size;
}

static void check_written(double value)
{
    char text[CR__NUMBER_SIZE];
    const size_t length = cr__format_double(text, value);
    double back;

    check(length < sizeof text && strlen(text) == length);
    check(cr__parse_double(text, length, &back) == CR__NUMBER_OK);
    check(memcmp(&value, &back, sizeof value) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    cr__number_status status;
    double value = 0, expected;
    uint64_t natural;
    int64_t integer;
    char *end;

    check(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    status = cr__parse_double((const char *)data, size, &value);
    expected = strtod(text, &end);
    if (decimal_bytes(text, size) && size > 0 && end == text + size) {
        check(status == (isinf(expected) ? CR__NUMBER_OVERFLOW : CR__NUMBER_OK));
        check(isinf(expected) || memcmp(&value, &expected, sizeof value) == 0);
    } else {
        check(status == CR__NUMBER_INVALID || status == CR__NUMBER_NOT_FINITE);
    }
    if (status == CR__NUMBER_OK)
        check_written(value);
    if (cr__parse_int64((const char *)data, size, &integer) == CR__NUMBER_OK)
        check(integer == strtoll(text, NULL, 10));
    if (cr__parse_uint64((const char *)data, size, &natural) == CR__NUMBER_OK)
        check(natural == strtoull(text, NULL, 10));
    if (size >= sizeof value) { /* the bytes as a double */
        memcpy(&value, data, sizeof value);
        if (isfinite(value))
            check_written(value);
    }
    free(text);
    return 0;
}
