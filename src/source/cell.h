/* source/cell.h - one field's text becomes one cell of a batch.
 *
 * A cell says where the texts of one field go and what they must be; the rules for blanks, missing
 * values, numbers, words and broken guesses are here and nowhere else.
 */
#ifndef CR_SOURCE_CELL_H
#define CR_SOURCE_CELL_H

#include "base/number.h"
#include "data/batch.h"
#include "source/classes.h"
#include "source/missing.h"
#include "source/seen.h"

typedef enum cr__cell_use {
    CR__CELL_SKIP, /* the field is not used */
    CR__CELL_REAL,
    CR__CELL_SYMBOL,
    CR__CELL_TEXT,
    CR__CELL_SURVEY /* only find out the kind of the values */
} cr__cell_use;

/* A word of up to 16 bytes as two integers. No two words without NUL bytes have the same. */
#define CR__KEY_MAX 16

typedef struct cr__key {
    uint64_t low, high;
} cr__key;

/* A recent word and its code, in a direct-mapped cache. */
typedef struct cr__recent {
    cr__key key;
    uint32_t code;
} cr__recent;

#define CR__NO_CODE UINT32_MAX

typedef struct cr__cell {
    cr__cell_use use;
    int guessed;           /* the column's kind is a guess, so a value may break it */
    int careful;           /* no short cuts: a number may mean missing, or break a guess */
    unsigned recent_shift; /* 64 - log2 of the entries of recent */
    uint32_t absent;       /* code of the value of an absent field, once it is known */
    double *real;          /* [rows of the batch] */
    uint32_t *code;
    cr__recent *recent; /* NULL when there is no room for it */
    cr__dict *dict;
    const cr__dict *declared;   /* the only values allowed; NULL: any */
    const cr__classes *classes; /* of the target: other names for its values; NULL: none */
    const cr__missing *missing;
    cr__batch *batch; /* of CR__CELL_TEXT, which holds the words of many rows */
    cr__seen *seen;   /* of CR__CELL_SURVEY */
    size_t column;    /* of the schema */
    const cr__column *about;
} cr__cell;

/* Prepare the entries of a cell's recent words. A key can only match in the entry it maps to, so
 * empty entries hold a key that belongs to another one. */
void cr__recent_clear(cr__recent *recent, size_t entries);

/* Put a text into a row's cell: any text, exactly bounded, with blanks around it or not. A `quoted`
 * text (a string of JSON) is never guessed to be a number. CR__EWIDEN: a guess is broken, see the
 * plan. CR_EFORMAT, CR_ELIMIT, CR_ENOMEM: cr__cell_fail() says why. */
cr_status cr__cell_put(cr__plan *plan, const cr__cell *cell, size_t row, const char *text,
                       size_t length, int quoted);
void cr__cell_put_missing(const cr__cell *cell, size_t row);

/* Put the class of a text; there may be none, with length 0. */
cr_status cr__cell_put_class(cr__plan *plan, const cr__cell *cell, size_t row, const char *text,
                             size_t length);

/* Put a whole document: it is never missing, whatever its content. */
cr_status cr__cell_put_document(cr__plan *plan, const cr__cell *cell, size_t row, const char *bytes,
                                size_t size);

/* Describe why a text was refused with `status`; returns it. `field` counts from 1. */
cr_status cr__cell_fail(cr_error *err, cr_status status, const cr__cell *cell, const char *text,
                        size_t length, const char *file, size_t line, size_t field);

/* The first `length` of eight bytes, all of which are read. */
static inline uint64_t cr__load_bytes(const char *text, size_t length)
{
    static const uint64_t keep[9] = {0,
                                     0xff,
                                     0xffff,
                                     0xffffff,
                                     0xffffffff,
                                     0xffffffffff,
                                     0xffffffffffff,
                                     0xffffffffffffff,
                                     0xffffffffffffffff};
    uint64_t word;

    memcpy(&word, text, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word & keep[length];
}

/* The entry where a word of at most CR__KEY_MAX bytes is, or would be; *hit says which. Reads 16
 * bytes whatever the length. */
static inline cr__recent *cr__recent_find(const cr__cell *cell, const char *text, size_t length,
                                          cr__key *key, int *hit)
{
    const uint64_t spread = 0x9e3779b97f4a7c15, mix = 0xff51afd7ed558ccd;
    cr__recent *entry;

    if (length <= 8) {
        *key = (cr__key){cr__load_bytes(text, length), 0};
        entry = &cell->recent[key->low * spread >> cell->recent_shift];
        *hit = entry->key.low == key->low && entry->key.high == 0;
    } else {
        *key = (cr__key){cr__load_bytes(text, 8), cr__load_bytes(text + 8, length - 8)};
        entry = &cell->recent[(key->low ^ key->high * mix) * spread >> cell->recent_shift];
        *hit = entry->key.low == key->low && entry->key.high == key->high;
    }
    return entry;
}

/* The same for a text inside a chunk: it has no blanks around it, no NUL in it, a byte after it
 * that cannot continue a number, and readable bytes beyond. Common texts are handled here. */
static inline cr_status cr__plan_put(cr__plan *plan, const cr__cell *cell, size_t row,
                                     const char *text, size_t length)
{
    cr_status st;

    if (cell->use == CR__CELL_REAL && !cell->careful &&
        cr__scan_double(text, text + length + 8, &cell->real[row]) == text + length)
        return CR_OK;
    if (cell->use == CR__CELL_SYMBOL && length <= CR__KEY_MAX && cell->recent != NULL) {
        cr__key key;
        int hit;
        cr__recent *entry = cr__recent_find(cell, text, length, &key, &hit);

        if (!hit) {
            if ((st = cr__cell_put(plan, cell, row, text, length, 0)) != CR_OK)
                return st;
            *entry = (cr__recent){.key = key, .code = cell->code[row]};
        }
        cell->code[row] = entry->code;
        return CR_OK;
    }
    return cr__cell_put(plan, cell, row, text, length, 0);
}

static inline int cr__is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Nothing but blanks. */
static inline int cr__is_empty(const char *from, const char *to)
{
    while (from < to && cr__is_blank(*from))
        from++;
    return from == to;
}

/* Trim the blanks at both ends. */
static inline void cr__trim(const char **text, size_t *length)
{
    while (*length > 0 && cr__is_blank((*text)[*length - 1]))
        --*length;
    while (*length > 0 && cr__is_blank(**text)) {
        ++*text;
        --*length;
    }
}

#endif
