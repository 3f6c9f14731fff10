/* source/columns_impl.h - shared by the parts of source/columns.h: the elements of an array. */
#ifndef CR_SOURCE_COLUMNS_IMPL_H
#define CR_SOURCE_COLUMNS_IMPL_H

#include "source/columns.h"

static inline int cr__array_is_integer(cr_element element)
{
    return element >= CR_ELEMENT_INT8 && element <= CR_ELEMENT_BIT;
}

static inline int cr__array_is_number(cr_element element)
{
    return element >= CR_ELEMENT_DOUBLE && element <= CR_ELEMENT_BIT;
}

static inline int cr__array_has_words(const cr_array *a)
{
    return a->start != NULL;
}

static inline int cr__bit_at(const void *bits, size_t i)
{
    return ((const unsigned char *)bits)[i / 8] >> i % 8 & 1;
}

static inline int cr__array_is_masked(const cr_array *a, size_t row)
{
    const size_t at = a->offset + row;
    const unsigned char *byte = a->mask;

    switch (a->mask_kind) {
    case CR_MASK_VALID_BITS: return !cr__bit_at(a->mask, at);
    case CR_MASK_VALID_BYTES: return byte[(ptrdiff_t)at * a->mask_stride] == 0;
    case CR_MASK_MISSING_BYTES: return byte[(ptrdiff_t)at * a->mask_stride] != 0;
    default: return 0;
    }
}

static inline const char *cr__array_element(const cr_array *a, size_t i)
{
    return (const char *)a->data + (ptrdiff_t)(a->offset + i) * a->stride;
}

#define CR__LOAD(type, from)                                                                       \
    type x;                                                                                        \
    memcpy(&x, from, sizeof x)

static inline int64_t cr__array_integer(const cr_array *a, size_t i)
{
    const char *at;

    if (a->element == CR_ELEMENT_BIT)
        return cr__bit_at(a->data, a->offset + i);
    at = cr__array_element(a, i);
    switch (a->element) {
    case CR_ELEMENT_INT8: return *(const signed char *)at;
    case CR_ELEMENT_UINT8: return *(const unsigned char *)at;
    case CR_ELEMENT_BOOL: return *at != 0;
    case CR_ELEMENT_INT16: {
        CR__LOAD(int16_t, at);
        return x;
    }
    case CR_ELEMENT_UINT16: {
        CR__LOAD(uint16_t, at);
        return x;
    }
    case CR_ELEMENT_INT32: {
        CR__LOAD(int32_t, at);
        return x;
    }
    case CR_ELEMENT_UINT32: {
        CR__LOAD(uint32_t, at);
        return x;
    }
    default: {
        CR__LOAD(int64_t, at); /* an unsigned one above 2^63 - 1 looks negative here */
        return x;
    }
    }
}

static inline double cr__array_number(const cr_array *a, size_t i)
{
    if (a->element == CR_ELEMENT_DOUBLE) {
        CR__LOAD(double, cr__array_element(a, i));
        return x;
    }
    if (a->element == CR_ELEMENT_FLOAT) {
        CR__LOAD(float, cr__array_element(a, i));
        return (double)x;
    }
    if (a->element == CR_ELEMENT_UINT64) {
        CR__LOAD(uint64_t, cr__array_element(a, i));
        return (double)x;
    }
    return (double)cr__array_integer(a, i);
}

/* The plan's codes for `count` names or numbers of a column; CR__MEMO_OPEN for one not met so far.
 * NULL when out of memory. */
uint32_t *cr__columns_codes(const cr__columns *c, size_t column, size_t count, cr__plan *plan);

/* Counts of words: source/columns_words.c. */
cr_status cr__columns_put_words(const cr__columns *c, size_t column, size_t first, size_t rows,
                                cr__plan *plan, const cr__cell *cell, cr_error *err);

#endif
