/* sql/postgresql/rows.c - row types, and values that need conversion. */
#include "rows.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
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

/* Named types can change; the types of ROW(…) have a number that is used once. */
static void watch_type(row_form *form, Oid type, int32 typmod)
{
    static const uint64 never = 0;

    form->type = type;
    form->typmod = typmod;
    form->identifier = 0;
    form->identifier_now = &never;
    if (type != RECORDOID) {
        form->identifier = assign_record_type_identifier(type, typmod);
        form->identifier_now = &lookup_type_cache(type, 0)->tupDesc_identifier;
    }
}

/* Fill in an attribute; memory comes from the current context, which is `own`. */
static void learn_attribute(attribute *a, Form_pg_attribute from, MemoryContext own)
{
    Oid output;
    bool varlena;

    a->length = from->attlen;
    a->by_value = from->attbyval;
    a->align = from->attalign;
    a->dropped = from->attisdropped;
    a->column = SIZE_MAX;
    if (a->dropped)
        return;
    a->form = form_of(getBaseType(from->atttypid));
    if (a->form == FORM_OUTPUT) {
        getTypeOutputInfo(from->atttypid, &output, &varlena);
        a->output = palloc0(sizeof *a->output);
        fmgr_info_cxt(output, a->output, own);
    }
}

static void learn_type(row_form *form, Oid type, int32 typmod, MemoryContext context)
{
    MemoryContext old;
    TupleDesc desc;

    if (form->own == NULL)
        form->own = AllocSetContextCreate(context, "credence row type", ALLOCSET_SMALL_SIZES);
    form->desc = NULL;
    MemoryContextReset(form->own);
    old = MemoryContextSwitchTo(form->own);
    desc = lookup_rowtype_tupdesc_copy(type, typmod);
    form->attribute = palloc0(sizeof(attribute) * (desc->natts + 1));
    for (int i = 0; i < desc->natts; i++)
        learn_attribute(&form->attribute[i], TupleDescAttr(desc, i), form->own);
    watch_type(form, type, typmod);
    form->desc = desc;
    MemoryContextSwitchTo(old);
}

/* A row older than the last column of its type gets that column's default. */
static HeapTupleHeader completed(HeapTupleHeader row, TupleDesc desc)
{
    HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row), .t_data = row};
    Datum *value = palloc(sizeof *value * desc->natts);
    bool *null = palloc(sizeof *null * desc->natts);

    heap_deform_tuple(&tuple, desc, value, null);
    return heap_form_tuple(desc, value, null)->t_data;
}

bool row_take(row_form *form, Datum row, MemoryContext context)
{
    HeapTupleHeader header = DatumGetHeapTupleHeader(row);
    const Oid type = HeapTupleHeaderGetTypeId(header);
    const int32 typmod = HeapTupleHeaderGetTypMod(header);
    const bool other = form->desc == NULL || form->type != type || form->typmod != typmod ||
                       form->identifier != *form->identifier_now;

    if (other)
        learn_type(form, type, typmod, context);
    form->row = HeapTupleHeaderGetNatts(header) < form->desc->natts ? completed(header, form->desc)
                                                                    : header;
    return other;
}

cr_kind row_kind(const row_form *form, int i)
{
    return form->attribute[i].form <= FORM_NUMERIC ? CR_REAL : CR_SYMBOL;
}

void row_put(row_form *form, int i, size_t column, cr_kind kind)
{
    attribute *a = &form->attribute[i];

    a->column = kind == CR_IGNORE ? SIZE_MAX : column;
    a->is_real = kind == CR_REAL && row_kind(form, i) == CR_REAL;
}

double row_number(const attribute *a, Datum value)
{
    switch (a->form) {
    case FORM_INT2: return DatumGetInt16(value);
    case FORM_INT4: return DatumGetInt32(value);
    case FORM_INT8: return (double)DatumGetInt64(value);
    case FORM_FLOAT4: return DatumGetFloat4(value);
    case FORM_FLOAT8: return DatumGetFloat8(value);
    default: return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
    }
}

/* A number as the library spells it, for a symbol column. */
static const char *number_text(double x, size_t *size)
{
    char *text = palloc(CR_SHOW_SIZE);

    cr_show_number(text, CR_SHOW_EXACT, x);
    *size = strlen(text);
    return text;
}

const char *row_spelling(const attribute *a, Datum value, size_t *size)
{
    const char *text;

    if (a->form <= FORM_NUMERIC)
        return number_text(row_number(a, value), size);
    if (a->form == FORM_TEXT) {
        struct varlena *bytes = pg_detoast_datum_packed((struct varlena *)DatumGetPointer(value));

        *size = VARSIZE_ANY_EXHDR(bytes);
        return VARDATA_ANY(bytes);
    }
    text = OutputFunctionCall(a->output, value);
    *size = strlen(text);
    return text;
}
