/* sql/postgresql/rows.h - iterate over the values of a composite.
 *
 *     if (row_take(&form, datum, context))
 *         ... match its attributes with columns, by row_put() ...
 *     for (row_cursor c = row_first(&form); row_next(&c);)
 *         ... c.attribute->column, row_number(c.attribute, c.value) or row_text(…, &size) ...
 */
#ifndef CREDENCE_SQL_POSTGRESQL_ROWS_H
#define CREDENCE_SQL_POSTGRESQL_ROWS_H

#include "postgres.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "fmgr.h"

#include "credence/credence.h"

#pragma GCC visibility push(hidden)

/* How the values of a type become values of a column. */
typedef enum source_form {
    FORM_INT2,
    FORM_INT4,
    FORM_INT8,
    FORM_FLOAT4,
    FORM_FLOAT8,
    FORM_NUMERIC,
    FORM_TEXT,  /* text, varchar, char: the bytes as they are */
    FORM_OUTPUT /* anything else, as its output function spells it */
} source_form;

typedef struct attribute {
    int16 length; /* of the type, as in pg_type */
    bool by_value;
    char align;
    bool dropped;
    bool is_real; /* a number in a real column */
    source_form form;
    size_t column; /* of a model's schema or of a trainer; SIZE_MAX: not used */
    FmgrInfo *output;
} attribute;

/* The attributes of a row type, kept between calls, and the last row. */
typedef struct row_form {
    HeapTupleHeader row;
    Oid type; /* of the rows, with its modifier */
    int32 typmod;
    uint64 identifier;            /* of the type when it was read, */
    const uint64 *identifier_now; /* and now: ALTER TABLE and ALTER TYPE change it */
    MemoryContext own;            /* context of the cached data, freed with the row type */
    TupleDesc desc;               /* NULL: not yet known */
    attribute *attribute;
} row_form;

/* Take a composite value. True: its type has changed, so the columns must be matched again. Cached
 * data live in `context`. */
bool row_take(row_form *form, Datum row, MemoryContext context);

/* The default kind of a type: numbers are real, all others symbols. */
cr_kind row_kind(const row_form *form, int attribute);

/* Assign an attribute to a column of this kind. */
void row_put(row_form *form, int attribute, size_t column, cr_kind kind);

/* A value of a row that is not NULL and belongs to a column. */
typedef struct row_cursor {
    const attribute *attribute;
    Datum value;
    const row_form *form;
    const char *data;
    const bits8 *nulls; /* NULL: there are none */
    uint32 offset;      /* of the next value */
    int at, natts;      /* attributes seen, and their number */
} row_cursor;

double row_number(const attribute *a, Datum value);

/* For values that need conversion; plain texts have a function of their own below. */
const char *row_spelling(const attribute *a, Datum value, size_t *size);

static inline row_cursor row_first(const row_form *form)
{
    const HeapTupleHeader row = form->row;

    return (row_cursor){.form = form,
                        .data = (const char *)row + row->t_hoff,
                        .nulls = (row->t_infomask & HEAP_HASNULL) != 0 ? row->t_bits : NULL,
                        .natts = form->desc->natts};
}

static inline bool row_next(row_cursor *c)
{
    while (c->at < c->natts) {
        const attribute *a = &c->form->attribute[c->at++];

        if (c->nulls != NULL && att_isnull(c->at - 1, c->nulls))
            continue;
        c->offset = att_align_pointer(c->offset, a->align, a->length, c->data + c->offset);
        c->value = fetch_att(c->data + c->offset, a->by_value, a->length);
        c->offset = att_addlength_pointer(c->offset, a->length, c->data + c->offset);
        c->attribute = a;
        if (a->column != SIZE_MAX)
            return true;
    }
    return false;
}

static inline const char *row_text(const attribute *a, Datum value, size_t *size)
{
    const struct varlena *text = (const struct varlena *)DatumGetPointer(value);

    if (a->form == FORM_TEXT && VARATT_IS_1B(text) && !VARATT_IS_1B_E(text)) {
        *size = VARSIZE_1B(text) - VARHDRSZ_SHORT;
        return VARDATA_1B(text);
    }
    return row_spelling(a, value, size);
}

#pragma GCC visibility pop

#endif
