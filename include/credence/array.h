/* credence/array.h - describe a table in memory, column by column, as other programs keep it.
 *
 * A cr_array describes one column in place: numbers of any type with any stride (NumPy, pandas),
 * codes with names (categories), texts with or without lengths, Arrow's offsets and bitmaps, and
 * counts of words in compressed sparse rows (SciPy). Nothing is copied; whatever an array points to
 * is borrowed while the source is open, or for the length of the call. Arrays are only read, so any
 * number of threads may share them.
 *
 *     {.name = "height", .real = height}                               doubles; NaN is missing
 *     {.name = "who", .text = who, .role = CR_ROLE_TARGET}             texts; NULL is missing
 *     {.name = "age", .data = age, .element = CR_ELEMENT_INT16}        numbers of another type
 *     {.name = "x", .data = &table[0][3], .element = CR_ELEMENT_FLOAT,
 *      .stride = sizeof table[0]}                                      a column of a matrix
 *     {.name = "size", .data = code, .element = CR_ELEMENT_INT8,
 *      .names = &(cr_array){.text = sizes}, .name_count = 3}           codes 0, 1, 2; -1 is missing
 *
 * A model trained from arrays has the same bytes as one trained from a file with the same values,
 * provided that `kind` is set wherever the type of the file's column is given. Numbers that become
 * symbols are spelled as briefly as possible (1, 0.5, 1e+16); booleans are spelled 0 and 1. An
 * empty text is missing, as in a file, unless the model knows it as a value.
 */
#ifndef CREDENCE_ARRAY_H
#define CREDENCE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#include "credence/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A text with its length. It is missing when bytes is NULL. */
typedef struct cr_span {
    const char *bytes;
    size_t length;
} cr_span;

/* What the elements of an array are. */
typedef enum cr_element {
    CR_ELEMENT_NONE = 0,
    CR_ELEMENT_DOUBLE = 1, /* NaN is missing */
    CR_ELEMENT_FLOAT = 2,  /* NaN is missing */
    CR_ELEMENT_INT8 = 3,
    CR_ELEMENT_INT16 = 4,
    CR_ELEMENT_INT32 = 5,
    CR_ELEMENT_INT64 = 6,
    CR_ELEMENT_UINT8 = 7,
    CR_ELEMENT_UINT16 = 8,
    CR_ELEMENT_UINT32 = 9,
    CR_ELEMENT_UINT64 = 10,
    CR_ELEMENT_BOOL = 11, /* one byte, zero or non-zero */
    CR_ELEMENT_BIT = 12,  /* eight to a byte, lowest first, as Arrow's booleans; no stride */
    CR_ELEMENT_TEXT = 13, /* const char *, ending in NUL; NULL is missing */
    CR_ELEMENT_SPAN = 14, /* cr_span */
    CR_ELEMENT_UTF8 =
        15, /* data holds rows + 1 int32_t offsets into bytes, as Arrow's texts; no stride */
    CR_ELEMENT_LARGE_UTF8 = 16 /* the same with int64_t */
} cr_element;

/* How a mask marks missing values. */
typedef enum cr_mask {
    CR_MASK_NONE = 0,
    CR_MASK_VALID_BITS = 1,   /* a set bit: the value is present; lowest bit first, as in Arrow */
    CR_MASK_VALID_BYTES = 2,  /* a non-zero byte: the value is present */
    CR_MASK_MISSING_BYTES = 3 /* a non-zero byte: the value is missing, as in NumPy and pandas */
} cr_mask;

/* One column. Set real, text or data; for word counts set start and index, and data if the counts
 * are not all 1. */
typedef struct cr_array {
    size_t size; /* sizeof(cr_array), or 0: see run.h. The first array's size holds for all of
                  * them */
    const char *name;
    cr_role role;
    cr_kind kind; /* CR_REAL, CR_SYMBOL or CR_BAG. 0: numbers are real; booleans, texts and codes
                   * are symbols; word counts are a bag. With CR_BAG, texts are sentences */
    int mail;     /* with CR_BAG: each text is a mail message, with its head */

    const double *real;      /* [rows] the same as data with CR_ELEMENT_DOUBLE */
    const char *const *text; /* [rows] the same as data with CR_ELEMENT_TEXT */

    const void *data; /* [rows] elements; they need not be aligned */
    cr_element element;
    ptrdiff_t stride;  /* bytes from one element to the next, may be negative; 0: contiguous */
    size_t offset;     /* elements of data and mask (or rows of start) to skip, as in Arrow */
    const char *bytes; /* used by CR_ELEMENT_UTF8 and CR_ELEMENT_LARGE_UTF8 */

    const struct cr_array *names; /* if set, the data are integer codes, and code i stands for
                                   * names[i], a text or a number; a negative code is missing */
    size_t name_count;

    const void *mask;
    cr_mask mask_kind;
    ptrdiff_t mask_stride; /* used by CR_MASK_..._BYTES; 0: contiguous */

    /* Counts of words in compressed sparse rows. Row r has the words names[index[k]] for k from
     * start[r] to start[r + 1] - 1, each data[k] times (a whole number; data NULL: once). The words
     * are taken as they are; no rule for texts is applied. */
    const void *start; /* [rows + 1] */
    const void *index;
    cr_element index_element; /* of start and index: CR_ELEMENT_INT32 or CR_ELEMENT_INT64 */
} cr_array;

#ifdef __cplusplus
}
#endif
#endif
