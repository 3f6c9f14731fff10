/* serve/endpoints/tensor.c - datatypes of the Open Inference Protocol, and tensors as bytes. */
#include "endpoints/tensor.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

const tensor_type *tensor_type_of(const char *name)
{
    static const tensor_type types[] = {
        {"FP64", TENSOR_NUMBER, 8, true},   {"FP32", TENSOR_NUMBER, 4, true},
        {"FP16", TENSOR_NUMBER, 2, true},   {"INT64", TENSOR_WHOLE, 8, true},
        {"INT32", TENSOR_WHOLE, 4, true},   {"INT16", TENSOR_WHOLE, 2, true},
        {"INT8", TENSOR_WHOLE, 1, true},    {"UINT8", TENSOR_WHOLE, 1, false},
        {"UINT16", TENSOR_WHOLE, 2, false}, {"UINT32", TENSOR_WHOLE, 4, false},
        {"UINT64", TENSOR_WHOLE, 8, false}, {"BYTES", TENSOR_TEXT, 4, false},
        {"BOOL", TENSOR_BOOL, 1, false},
    };

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    return NULL;
}

static uint64_t read_bits(const unsigned char *bytes, size_t size)
{
    uint64_t bits = 0;

    for (size_t i = size; i-- > 0;)
        bits = bits << 8 | bytes[i];
    return bits;
}

/* IEEE 754 half precision: a sign, 5 bits of exponent, 10 of fraction. */
static double half(unsigned bits)
{
    const int exponent = (int)(bits >> 10 & 31);
    const double fraction = (double)(bits & 1023) / 1024;
    const double size = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                        : exponent == 0 ? ldexp(fraction, -14)
                                        : ldexp(1 + fraction, exponent - 15);

    return (bits & 0x8000) != 0 ? -size : size;
}

static double floating(const tensor_type *type, uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    double x;
    float y;

    if (type->size == 2)
        return half((unsigned)bits);
    if (type->size == 4) {
        memcpy(&y, &low, sizeof y);
        return y;
    }
    memcpy(&x, &bits, sizeof x);
    return x;
}

double tensor_number(const tensor_type *type, const unsigned char *bytes)
{
    const uint64_t bits = read_bits(bytes, type->size);
    const unsigned above = 64 - 8 * (unsigned)type->size;

    if (type->kind == TENSOR_NUMBER)
        return floating(type, bits);
    if (type->kind == TENSOR_BOOL)
        return bits != 0;
    return type->has_sign ? (double)((int64_t)(bits << above) >> above) : (double)bits;
}

bool tensor_text(const unsigned char **bytes, size_t *left, cr_span *out)
{
    const uint64_t size = *left >= 4 ? read_bits(*bytes, 4) : UINT64_MAX;

    if (*left < 4 || size > *left - 4)
        return false;
    *out = (cr_span){(const char *)*bytes + 4, (size_t)size};
    *bytes += 4 + size;
    *left -= 4 + (size_t)size;
    return true;
}
