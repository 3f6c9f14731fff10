/* sql/postgresql/models.c - the type credence: its bytes, and models that stay open. */
#include "credence.h"

#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

PG_MODULE_MAGIC;

void raise_status(cr_status status, const cr_error *err)
{
    const char *message = err->message[0] != '\0' ? err->message : cr_status_text(status);
    const int code = status == CR_ENOMEM      ? ERRCODE_OUT_OF_MEMORY
                     : status == CR_EFORMAT   ? ERRCODE_INVALID_BINARY_REPRESENTATION
                     : status == CR_ECONFLICT ? ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE
                                              : ERRCODE_INVALID_PARAMETER_VALUE;

    ereport(ERROR, (errcode(code), errmsg("credence: %s", message),
                    err->hint[0] != '\0' ? errhint("%s", err->hint) : 0));
    pg_unreachable();
}

/* --- datums ------------------------------------------------------------------------------------
 */

static Datum bytes_datum(const void *bytes, size_t size)
{
    struct varlena *value;

    if (size > MaxAllocSize - VARHDRSZ)
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                        errmsg("credence: a model of %zu bytes is too large for a value", size)));
    value = palloc(VARHDRSZ + size);
    SET_VARSIZE(value, VARHDRSZ + size);
    memcpy(VARDATA(value), bytes, size);
    return PointerGetDatum(value);
}

Datum model_datum(const cr_model *model)
{
    cr_error err = {0};
    void *bytes;
    size_t size;
    volatile Datum datum = (Datum)0;
    cr_status status = cr_model_save_bytes(model, &bytes, &size, &err);

    if (status != CR_OK)
        raise_status(status, &err);
    PG_TRY();
    {
        datum = bytes_datum(bytes, size);
    }
    PG_FINALLY();
    {
        cr_bytes_free(bytes);
    }
    PG_END_TRY();
    return datum;
}

/* The contents of an output as a palloc'ed string. Frees the output. */
static char *output_string(cr_output *out, cr_status status, const cr_error *err)
{
    const char *bytes;
    char *text = NULL;
    size_t size;

    if (status == CR_OK)
        status = cr_output_flush(out);
    if (status == CR_OK) {
        bytes = cr_output_data(out, &size);
        text = MemoryContextAllocExtended(CurrentMemoryContext, size + 1, MCXT_ALLOC_NO_OOM);
        if (text == NULL)
            status = CR_ENOMEM;
        else {
            memcpy(text, bytes, size);
            while (size > 0 && text[size - 1] == '\n')
                size--;
            text[size] = '\0';
        }
    }
    cr_output_free(out);
    if (status != CR_OK)
        raise_status(status, err);
    return text;
}

Datum jsonb_datum(cr_output *out, cr_status status, const cr_error *err)
{
    return DirectFunctionCall1(jsonb_in, CStringGetDatum(output_string(out, status, err)));
}

Datum text_datum(cr_output *out, cr_status status, const cr_error *err)
{
    return CStringGetTextDatum(output_string(out, status, err));
}

/* --- models that stay open ---------------------------------------------------------------------
 */

static opened_cache cache;
static open_model views[OPENED_MODELS]; /* parallel to the models of the cache */

open_model *get_model(Datum datum)
{
    struct varlena *value = pg_detoast_datum_packed((struct varlena *)DatumGetPointer(datum));
    opened *o;
    open_model *m;
    cr_error err = {0};
    cr_status status = opened_get(&cache, VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), &o, &err);

    if ((Pointer)value != DatumGetPointer(datum))
        pfree(value);
    if (status != CR_OK)
        raise_status(status, &err);
    m = &views[o - cache.model];
    if (m->opening != o->opening) {
        *m = (open_model){.opening = o->opening,
                          .model = o->model,
                          .row = o->row,
                          .posterior = o->posterior,
                          .form = m->form};
        m->form.desc = NULL; /* its memory is reused */
    }
    return m;
}

/* The argument of a function's last call, as received: toasted, compressed or plain. */
typedef struct last_argument {
    struct varlena *value;
    size_t size, room;
    open_model *model;
    uint64 opening;
} last_argument;

static void keep_argument(last_argument *last, MemoryContext context, const struct varlena *value)
{
    const size_t size = VARSIZE_ANY(value);

    last->size = 0;
    if (size > last->room) {
        if (last->value != NULL)
            pfree(last->value);
        last->value = NULL;
        last->room = 0;
        last->value = MemoryContextAllocHuge(context, size);
        last->room = size;
    }
    memcpy(last->value, value, size);
    last->size = size;
}

open_model *get_argument(FunctionCallInfo fcinfo, int argument)
{
    const struct varlena *value = (const struct varlena *)PG_GETARG_POINTER(argument);
    last_argument *last = fcinfo->flinfo->fn_extra;
    open_model *m;

    if (VARATT_IS_EXTERNAL_EXPANDED(value)) /* it changes although its pointer does not */
        return get_model(PG_GETARG_DATUM(argument));
    if (last != NULL && last->size == VARSIZE_ANY(value) &&
        cache.model[last->model - views].opening == last->opening &&
        memcmp(last->value, value, last->size) == 0) {
        opened_touch(&cache, &cache.model[last->model - views]);
        return last->model;
    }
    m = get_model(PG_GETARG_DATUM(argument));
    if (last == NULL)
        last = fcinfo->flinfo->fn_extra =
            MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof *last);
    keep_argument(last, fcinfo->flinfo->fn_mcxt, value);
    last->model = m;
    last->opening = m->opening;
    return m;
}

void take_row(open_model *m, Datum row)
{
    const cr_schema *schema = cr_model_schema(m->model);
    row_form *form = &m->form;

    if (!row_take(form, row, TopMemoryContext))
        return;
    for (int i = 0; i < form->desc->natts; i++) {
        const size_t column =
            form->attribute[i].dropped
                ? SIZE_MAX
                : cr_schema_find(schema, NameStr(TupleDescAttr(form->desc, i)->attname));

        if (column != SIZE_MAX)
            row_put(form, i, column, cr_schema_kind(schema, column));
    }
}

void fill_row(open_model *m, Datum row)
{
    const cr_schema *schema = cr_model_schema(m->model);
    row_form *form = &m->form;

    take_row(m, row);
    cr_row_clear(m->row);
    for (row_cursor c = row_first(form); row_next(&c);) {
        const size_t column = c.attribute->column;
        cr_status status;

        if (c.attribute->is_real)
            status = cr_row_set_real(m->row, column, row_number(c.attribute, c.value));
        else {
            size_t size;
            const char *text = row_text(c.attribute, c.value, &size);

            status = cr_row_set_bytes(m->row, column, text, size);
        }
        if (status != CR_OK)
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                            errmsg("credence: the value of column \"%s\" does not fit the model",
                                   cr_schema_name(schema, column))));
    }
}

/* --- the type ----------------------------------------------------------------------------------
 */

/* Bytes from outside are validated first. */
static Datum checked(Datum bytea)
{
    get_model(bytea);
    return bytea;
}

PG_FUNCTION_INFO_V1(credence_in);
Datum credence_in(PG_FUNCTION_ARGS)
{
    PG_RETURN_DATUM(checked(DirectFunctionCall1(byteain, PG_GETARG_DATUM(0))));
}

PG_FUNCTION_INFO_V1(credence_out);
Datum credence_out(PG_FUNCTION_ARGS)
{
    struct varlena *value = PG_DETOAST_DATUM(PG_GETARG_DATUM(0));
    const size_t size = VARSIZE_ANY_EXHDR(value);
    char *text = palloc(2 * size + 3);

    memcpy(text, "\\x", 2);
    text[2 + hex_encode(VARDATA_ANY(value), size, text + 2)] = '\0';
    PG_RETURN_CSTRING(text);
}

PG_FUNCTION_INFO_V1(credence_recv);
Datum credence_recv(PG_FUNCTION_ARGS)
{
    PG_RETURN_DATUM(checked(DirectFunctionCall1(bytearecv, PG_GETARG_DATUM(0))));
}

PG_FUNCTION_INFO_V1(credence_send);
Datum credence_send(PG_FUNCTION_ARGS)
{
    PG_RETURN_DATUM(DirectFunctionCall1(byteasend, PG_GETARG_DATUM(0)));
}

PG_FUNCTION_INFO_V1(credence_from_bytea);
Datum credence_from_bytea(PG_FUNCTION_ARGS)
{
    PG_RETURN_DATUM(checked(PG_GETARG_DATUM(0)));
}

PG_FUNCTION_INFO_V1(credence_to_bytea);
Datum credence_to_bytea(PG_FUNCTION_ARGS)
{
    const struct varlena *value = (const struct varlena *)PG_GETARG_POINTER(0);

    if (VARATT_IS_EXTERNAL_EXPANDED(value))
        PG_RETURN_POINTER(PG_DETOAST_DATUM(PG_GETARG_DATUM(0)));
    PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}
