/* credence/array.h - a table in memory, column by column, as other programs have it.
 *
 * A cr_array describes one column where it lies: numbers of any type with any stride (NumPy,
 * pandas), codes with names (categories), texts with or without lengths, Arrow's offsets and
 * bitmaps, and counts of words in compressed sparse rows (SciPy). Nothing is copied; everything
 * that an array points to is borrowed as long as the source is open, or during the call. Arrays are
 * only read, so any number of threads may share them.
 *
 *     {.name = "height", .real = height}                               doubles; NaN is missing
 *     {.name = "who", .text = who, .role = CR_ROLE_TARGET}             texts; NULL is missing
 *     {.name = "age", .data = age, .element = CR_ELEMENT_INT16}        numbers of another type
 *     {.name = "x", .data = &table[0][3], .element = CR_ELEMENT_FLOAT,
 *      .stride = sizeof table[0]}                                      a column of a matrix
 *     {.name = "size", .data = code, .element = CR_ELEMENT_INT8,
 *      .names = &(cr_array){.text = sizes}, .name_count = 3}           codes 0, 1, 2; -1 is missing
 *
 * A model that is trained from arrays has the same bytes as one that is trained from the same
 * values in a file, when `kind` is set where the file's columns have a type given. Numbers that
 * become symbols are spelled as short as possible (1, 0.5, 1e+16), booleans 0 and 1.
 */
#ifndef CREDENCE_ARRAY_H
#define CREDENCE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#include "credence/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A text with its length; bytes NULL: missing. */
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
    CR_ELEMENT_BOOL = 11, /* a byte, 0 or not */
    CR_ELEMENT_BIT = 12,  /* eight to a byte, the lowest first: booleans of Arrow; no stride */
    CR_ELEMENT_TEXT = 13, /* const char *, ending in NUL; NULL is missing */
    CR_ELEMENT_SPAN = 14, /* cr_span */
    CR_ELEMENT_UTF8 =
        15, /* data has rows + 1 int32_t offsets into bytes: texts of Arrow; no stride */
    CR_ELEMENT_LARGE_UTF8 = 16 /* the same with int64_t */
} cr_element;

/* How a mask tells which values are missing. */
typedef enum cr_mask {
    CR_MASK_NONE = 0,
    CR_MASK_VALID_BITS = 1,   /* bit 1: there is a value; the lowest first, as in Arrow */
    CR_MASK_VALID_BYTES = 2,  /* a byte other than 0: there is a value */
    CR_MASK_MISSING_BYTES = 3 /* a byte other than 0: missing, as in NumPy's and pandas' masks */
} cr_mask;

/* One column. Set one of real, text, data, and start with index. */
typedef struct cr_array {
    size_t size; /* sizeof(cr_array), or 0; that of the first of several arrays counts: see run.h */
    const char *name;
    cr_role role;
    cr_kind kind; /* CR_REAL, CR_SYMBOL, CR_BAG; 0: numbers are real, booleans, texts and codes
                   * symbols, counts of words a bag. CR_BAG of texts: they are sentences */
    int mail;     /* with CR_BAG: each text is a mail message, with its head */

    const double *real;      /* [rows] the same as data with CR_ELEMENT_DOUBLE */
    const char *const *text; /* [rows] the same as data with CR_ELEMENT_TEXT */

    const void *data; /* [rows] elements; they need not be aligned */
    cr_element element;
    ptrdiff_t stride;  /* bytes from one element to the next, also negative; 0: side by side */
    size_t offset;     /* elements of data and mask, or rows of start, to skip, as in Arrow */
    const char *bytes; /* of CR_ELEMENT_UTF8 and CR_ELEMENT_LARGE_UTF8 */

    const struct cr_array *names; /* the data are integers, which count these from 0: the values are
                                   * their names, texts or numbers; a negative one is missing */
    size_t name_count;

    const void *mask;
    cr_mask mask_kind;
    ptrdiff_t mask_stride; /* of CR_MASK_..._BYTES; 0: side by side */

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
