/* sql/postgresql/rows.c - composite values taken apart. */
#include "credence.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/typcache.h"

static source_form form_of(Oid type)
{
    switch (type) {
    case INT2OID: return FORM_INT2;
    case INT4OID: return FORM_INT4;
    case INT8OID: return FORM_INT8;
    case FLOAT4OID: return FORM_FLOAT4;
    case FLOAT8OID: return FORM_FLOAT8;
    case NUMERICOID: return FORM_NUMERIC;
    case TEXTOID:
    case VARCHAROID:
    case BPCHAROID: return FORM_TEXT;
    default: return FORM_OUTPUT;
    }
}

static void learn_type(row_form *form, Oid type, int32 typmod, MemoryContext context)
{
    MemoryContext old;
    TupleDesc desc;

    if (form->own == NULL)
        form->own = AllocSetContextCreate(context, "credence row type", ALLOCSET_SMALL_SIZES);
    form->desc = NULL;
    form->identifier = 0;
    MemoryContextReset(form->own);
    old = MemoryContextSwitchTo(form->own);
    desc = lookup_rowtype_tupdesc_copy(type, typmod);
    form->attribute = palloc0(sizeof(attribute) * (desc->natts + 1));
    form->value = palloc(sizeof(Datum) * (desc->natts + 1));
    form->null = palloc(sizeof(bool) * (desc->natts + 1));
    for (int i = 0; i < desc->natts; i++) {
        attribute *a = &form->attribute[i];
        Oid output;
        bool varlena;

        a->dropped = TupleDescAttr(desc, i)->attisdropped;
        a->column = SIZE_MAX;
        if (a->dropped)
            continue;
        a->form = form_of(getBaseType(TupleDescAttr(desc, i)->atttypid));
        if (a->form == FORM_OUTPUT) {
            getTypeOutputInfo(TupleDescAttr(desc, i)->atttypid, &output, &varlena);
            fmgr_info_cxt(output, &a->output, form->own);
        }
    }
    form->desc = desc;
    MemoryContextSwitchTo(old);
}

bool row_take(row_form *form, Datum row, MemoryContext context)
{
    HeapTupleHeader header = DatumGetHeapTupleHeader(row);
    const Oid type = HeapTupleHeaderGetTypeId(header);
    const int32 typmod = HeapTupleHeaderGetTypMod(header);
    HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(header), .t_data = header};
    /* ALTER TABLE and ALTER TYPE give a row type another identifier. */
    const uint64 identifier = assign_record_type_identifier(type, typmod);
    const bool other = form->desc == NULL || form->identifier != identifier;

    if (other) {
        learn_type(form, type, typmod, context);
        form->identifier = identifier;
    }
    ItemPointerSetInvalid(&tuple.t_self);
    tuple.t_tableOid = InvalidOid;
    heap_deform_tuple(&tuple, form->desc, form->value, form->null);
    return other;
}

bool row_is_number(const row_form *form, int i)
{
    return form->attribute[i].form <= FORM_NUMERIC;
}

cr_kind row_kind(const row_form *form, int i)
{
    return row_is_number(form, i) ? CR_REAL : CR_SYMBOL;
}

double row_number(const row_form *form, int i)
{
    const Datum value = form->value[i];

    switch (form->attribute[i].form) {
    case FORM_INT2: return DatumGetInt16(value);
    case FORM_INT4: return DatumGetInt32(value);
    case FORM_INT8: return (double)DatumGetInt64(value);
    case FORM_FLOAT4: return DatumGetFloat4(value);
    case FORM_FLOAT8: return DatumGetFloat8(value);
    default: return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
    }
}

/* A number as the library spells it, for a column that is a symbol to it. */
static const char *number_text(double x, size_t *size)
{
    char *text = palloc(CR_SHOW_SIZE);

    cr_show_number(text, CR_SHOW_EXACT, x);
    *size = strlen(text);
    return text;
}

const char *row_text(const row_form *form, int i, size_t *size)
{
    const attribute *a = &form->attribute[i];
    const char *text;

    if (row_is_number(form, i))
        return number_text(row_number(form, i), size);
    if (a->form == FORM_TEXT) {
        struct varlena *bytes = pg_detoast_datum_packed((struct varlena *)form->value[i]);

        *size = VARSIZE_ANY_EXHDR(bytes);
        return VARDATA_ANY(bytes);
    }
    text = OutputFunctionCall((FmgrInfo *)&a->output, form->value[i]);
    *size = strlen(text);
    return text;
}
