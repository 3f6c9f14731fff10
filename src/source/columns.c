/* source/columns.c - arrays of the caller as columns. */
#include "source/columns.h"

#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"
#include "source/columns_impl.h"

/* --- opening ------------------------------------------------------------------------------- */

static size_t element_size(cr_element element)
{
    switch (element) {
    case CR_ELEMENT_DOUBLE:
    case CR_ELEMENT_INT64:
    case CR_ELEMENT_UINT64:
    case CR_ELEMENT_LARGE_UTF8: return 8;
    case CR_ELEMENT_FLOAT:
    case CR_ELEMENT_INT32:
    case CR_ELEMENT_UINT32:
    case CR_ELEMENT_UTF8: return 4;
    case CR_ELEMENT_INT16:
    case CR_ELEMENT_UINT16: return 2;
    case CR_ELEMENT_INT8:
    case CR_ELEMENT_UINT8:
    case CR_ELEMENT_BOOL:
    case CR_ELEMENT_BIT: return 1;
    case CR_ELEMENT_TEXT: return sizeof(const char *);
    case CR_ELEMENT_SPAN: return sizeof(cr_span);
    default: return 0;
    }
}

static cr_status fail_array(const cr_array *a, size_t i, const char *what, cr_error *err)
{
    if (a->name == NULL)
        return cr__fail(err, CR_EARG, "array %zu %s", i + 1, what);
    return cr__fail(err, CR_EARG, "array '%s' %s", a->name, what);
}

/* Convert the short forms into the long one, so that there is only one way to read. */
static void normalise(cr_array *a)
{
    if (a->real != NULL) {
        a->data = a->real;
        a->element = CR_ELEMENT_DOUBLE;
    } else if (a->text != NULL) {
        a->data = a->text;
        a->element = CR_ELEMENT_TEXT;
    }
    if (a->stride == 0 || a->element == CR_ELEMENT_UTF8 || a->element == CR_ELEMENT_LARGE_UTF8)
        a->stride = (ptrdiff_t)element_size(a->element);
    if (a->mask_stride == 0)
        a->mask_stride = 1;
    if (a->mask == NULL)
        a->mask_kind = CR_MASK_NONE;
}

static cr_status check_values(const cr_array *a, size_t i, size_t rows, cr_error *err)
{
    const int ways =
        (a->real != NULL) + (a->text != NULL) + (a->data != NULL && !cr__array_has_words(a));

    if (ways + cr__array_has_words(a) > 1)
        return fail_array(a, i, "has values of more than one form", err);
    if (ways + cr__array_has_words(a) == 0 && (rows > 0 || a->element == CR_ELEMENT_NONE))
        return fail_array(a, i, "has no values", err);
    if (a->data != NULL && element_size(a->element) == 0)
        return fail_array(a, i, "has elements of an unknown type", err);
    if ((a->element == CR_ELEMENT_UTF8 || a->element == CR_ELEMENT_LARGE_UTF8) && rows > 0 &&
        a->bytes == NULL)
        return fail_array(a, i, "has offsets of texts but no bytes", err);
    if (a->mask != NULL &&
        (a->mask_kind < CR_MASK_VALID_BITS || a->mask_kind > CR_MASK_MISSING_BYTES))
        return fail_array(a, i, "has a mask of an unknown kind", err);
    return CR_OK;
}

static cr_status check_words(const cr_array *a, size_t i, cr_error *err)
{
    if (a->index_element != CR_ELEMENT_INT32 && a->index_element != CR_ELEMENT_INT64)
        return fail_array(a, i, "must have indices of 32 or 64 bits", err);
    if (a->index == NULL)
        return fail_array(a, i, "has sparse rows without indices", err);
    if (a->names == NULL)
        return fail_array(a, i, "has counts of words but does not name the words", err);
    if (a->data != NULL && !cr__array_is_number(a->element))
        return fail_array(a, i, "has counts that are not numbers", err);
    if (a->role != CR_ROLE_FEATURE || (a->kind != 0 && a->kind != CR_BAG))
        return fail_array(a, i, "has counts of words, so it must be a feature and a bag", err);
    return CR_OK;
}

static cr_status check_array(const cr_array *a, size_t i, size_t rows, cr_error *err)
{
    cr_status st;

    if (a->name == NULL || *a->name == 0)
        return cr__fail(err, CR_EARG, "array %zu has no name", i + 1);
    if (a->kind > CR_BAG || a->role > CR_ROLE_WEIGHT)
        return fail_array(a, i, "has an unknown kind or role", err);
    if ((st = check_values(a, i, rows, err)) != CR_OK)
        return st;
    if (cr__array_has_words(a))
        return check_words(a, i, err);
    if (a->names != NULL && !cr__array_is_integer(a->element))
        return fail_array(a, i, "has names, so its data must be integers", err);
    return CR_OK;
}

/* The names of the codes of array i, which are an array themselves. */
static cr_status take_names(cr__columns *c, size_t i, cr_error *err)
{
    cr_array *a = &c->array[i], *names;
    cr_status st;

    if (a->names == NULL)
        return CR_OK;
    if (c->names == NULL && (c->names = cr__alloc_zero(c->columns, sizeof *c->names)) == NULL)
        return cr__fail_memory(err);
    names = &c->names[i];
    if ((st = cr__sized_take(names, sizeof *names, a->names, "cr_array", err)) != CR_OK)
        return st;
    if (names->names != NULL || cr__array_has_words(names))
        return fail_array(a, i, "has names that have names", err);
    names->name = a->name;
    if ((st = check_values(names, i, a->name_count, err)) != CR_OK)
        return st;
    normalise(names);
    a->names = names;
    return CR_OK;
}

static cr_status take_array(cr__columns *c, size_t i, const void *given, cr_error *err)
{
    cr_array *a = &c->array[i];
    cr_status st = cr__sized_take(a, sizeof *a, given, "cr_array", err);

    if (st == CR_OK)
        st = check_array(a, i, c->rows, err);
    if (st == CR_OK)
        st = take_names(c, i, err);
    normalise(a);
    return st;
}

cr_status cr__columns_open(cr__columns *c, const cr_array *arrays, size_t columns, size_t rows,
                           cr_error *err)
{
    const char *given = (const char *)arrays;
    size_t size;
    cr_status st = CR_OK;

    *c = (cr__columns){.columns = columns, .rows = rows};
    if (columns == 0)
        return cr__fail(err, CR_EARG, "there are no arrays");
    if ((c->array = cr__alloc(columns, sizeof *c->array)) == NULL)
        return cr__fail_memory(err);
    size = arrays->size == 0 ? sizeof *arrays : arrays->size;
    for (size_t i = 0; st == CR_OK && i < columns; i++)
        st = take_array(c, i, given + i * size, err);
    return st;
}

void cr__columns_close(cr__columns *c)
{
    cr__free(c->array);
    cr__free(c->names);
    *c = (cr__columns){0};
}

/* --- values as texts ------------------------------------------------------------------------- */

static const char *write_number(const cr_array *a, size_t i, char *scratch, size_t *length)
{
    const double number = cr__array_number(a, i);

    if (isnan(number))
        return NULL;
    if (a->element == CR_ELEMENT_UINT64) {
        CR__LOAD(uint64_t, cr__array_element(a, i));
        *length = (size_t)snprintf(scratch, CR__NUMBER_SIZE, "%llu", (unsigned long long)x);
    } else if (cr__array_is_integer(a->element)) {
        *length =
            (size_t)snprintf(scratch, CR__NUMBER_SIZE, "%lld", (long long)cr__array_integer(a, i));
    } else {
        *length = cr__format_double(scratch, number);
    }
    return scratch;
}

/* A text between two offsets; one whose offsets decrease is empty. */
static const char *text_between(const cr_array *a, int64_t begin, int64_t end, size_t *length)
{
    *length = end > begin ? (size_t)(end - begin) : 0;
    return a->bytes + begin;
}

/* A value that is not masked and has no names. */
static const char *plain_text(const cr_array *a, size_t i, char *scratch, size_t *length)
{
    switch (a->element) {
    case CR_ELEMENT_TEXT: {
        CR__LOAD(const char *, cr__array_element(a, i));
        *length = x == NULL ? 0 : strlen(x);
        return x;
    }
    case CR_ELEMENT_SPAN: {
        CR__LOAD(cr_span, cr__array_element(a, i));
        *length = x.length;
        return x.bytes;
    }
    case CR_ELEMENT_UTF8: {
        int32_t at[2];

        memcpy(at, cr__array_element(a, i), sizeof at);
        return text_between(a, at[0], at[1], length);
    }
    case CR_ELEMENT_LARGE_UTF8: {
        int64_t at[2];

        memcpy(at, cr__array_element(a, i), sizeof at);
        return text_between(a, at[0], at[1], length);
    }
    default: return write_number(a, i, scratch, length);
    }
}

/* The name with a number; NULL when there is none. */
static const char *name_text(const cr_array *a, int64_t code, char *scratch, size_t *length)
{
    if (code < 0 || (uint64_t)code >= a->name_count || cr__array_is_masked(a->names, (size_t)code))
        return NULL;
    return plain_text(a->names, (size_t)code, scratch, length);
}

const char *cr__columns_name(const cr__columns *c, size_t column, size_t number,
                             char scratch[CR__NUMBER_SIZE], size_t *length)
{
    *length = 0;
    return number > INT64_MAX ? NULL
                              : name_text(&c->array[column], (int64_t)number, scratch, length);
}

const char *cr__columns_text(const cr__columns *c, size_t column, size_t row,
                             char scratch[CR__NUMBER_SIZE], size_t *length)
{
    const cr_array *a = &c->array[column];

    *length = 0;
    if (cr__array_has_words(a) || cr__array_is_masked(a, row))
        return NULL;
    return a->names != NULL ? name_text(a, cr__array_integer(a, row), scratch, length)
                            : plain_text(a, row, scratch, length);
}

static cr_kind usual_kind(const cr_array *a, cr_why *why)
{
    *why = CR_WHY_WORDS;
    if (cr__array_has_words(a)) {
        *why = CR_WHY_TEXT;
        return CR_BAG;
    }
    if (a->names != NULL || !cr__array_is_number(a->element))
        return CR_SYMBOL;
    if (a->element == CR_ELEMENT_BOOL || a->element == CR_ELEMENT_BIT) {
        *why = CR_WHY_BINARY;
        return CR_SYMBOL;
    }
    *why = CR_WHY_NUMBERS;
    return CR_REAL;
}

/* As for a file: a column without any value is real. */
cr_kind cr__columns_kind(const cr__columns *c, size_t column, cr_why *why)
{
    const cr_array *a = &c->array[column];
    char scratch[CR__NUMBER_SIZE];
    size_t length;

    *why = CR_WHY_GIVEN;
    if (a->kind != 0)
        return a->kind;
    if (cr__array_has_words(a))
        return usual_kind(a, why);
    for (size_t row = 0; row < c->rows; row++)
        if (cr__columns_text(c, column, row, scratch, &length) != NULL)
            return usual_kind(a, why);
    *why = CR_WHY_EMPTY;
    return CR_REAL;
}
