/* sql/postgresql/train.c - credence_train: an aggregate that can merge states and remove rows. */
#include "credence.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/expandeddatum.h"
#include "utils/jsonb.h"

#include "options.h"
#include "trainer.h"

/* The state of the aggregate; the trainer is freed with the memory context. */
typedef struct state {
    ExpandedObjectHeader header; /* must be first: the model as a value, see "results of windows" */
    trainer *trainer;
    row_form form;
    MemoryContext context;
    void *bytes; /* of the current model; NULL: not written yet */
    size_t size;
} state;

static const ExpandedObjectMethods unwritten;

static void forget_bytes(state *s)
{
    cr_bytes_free(s->bytes);
    s->bytes = NULL;
}

static void release(void *argument)
{
    state *s = argument;

    forget_bytes(s);
    trainer_free(s->trainer);
    s->trainer = NULL;
}

static state *new_state(MemoryContext context)
{
    state *s = MemoryContextAllocZero(context, sizeof *s);
    MemoryContextCallback *callback = MemoryContextAllocZero(context, sizeof *callback);

    EOH_init_header(&s->header, &unwritten, context);
    s->context = context;
    callback->func = release;
    callback->arg = s;
    MemoryContextRegisterResetCallback(context, callback);
    return s;
}

static MemoryContext aggregate_context(FunctionCallInfo fcinfo)
{
    MemoryContext context;

    if (!AggCheckCallContext(fcinfo, &context))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("credence: this function is part of an aggregate")));
    return context;
}

/* --- columns -----------------------------------------------------------------------------------
 */

static void describe(state *s, const options *o, trainer_column *column)
{
    size_t columns = 0;
    bool found = false;
    cr_error err = {0};
    const trainer_settings settings = options_settings(o);
    cr_status status;

    for (int i = 0; i < s->form.desc->natts; i++) {
        attribute *a = &s->form.attribute[i];
        trainer_column *c = &column[columns];

        if (a->dropped)
            continue;
        c->name = NameStr(TupleDescAttr(s->form.desc, i)->attname);
        status = options_kind(o, c->name, row_kind(&s->form, i), &c->kind, &err);
        if (status != CR_OK)
            raise_status(status, &err);
        c->role = CR_ROLE_FEATURE;
        if (o->target != NULL && strcmp(o->target, c->name) == 0) {
            c->role = CR_ROLE_TARGET;
            found = true;
            if (o->learner == NULL || strcmp(o->learner, "linear") != 0)
                c->kind = CR_SYMBOL;
        }
        row_put(&s->form, i, columns++, c->kind);
    }
    if (!found && o->target != NULL)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
                        errmsg("credence: the rows have no column \"%s\" to learn", o->target)));
    status = options_check_types(o, column, columns, &err);
    if (status == CR_OK)
        status = trainer_new(&s->trainer, column, columns, &settings, &err);
    if (status != CR_OK)
        raise_status(status, &err);
}

static char *text_argument(FunctionCallInfo fcinfo, int n)
{
    return PG_NARGS() <= n || PG_ARGISNULL(n) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(n));
}

static void begin(state *s, FunctionCallInfo fcinfo)
{
    char *target = text_argument(fcinfo, 2);
    trainer_column *column = palloc0(sizeof *column * (s->form.desc->natts + 1));
    options o = {0};
    cr_error err = {0};
    cr_status status = CR_OK;

    if (PG_NARGS() > 3 && !PG_ARGISNULL(3))
        status = options_read(
            &o, DatumGetCString(DirectFunctionCall1(jsonb_out, PG_GETARG_DATUM(3))), 0, &err);
    if (status == CR_OK && target != NULL) {
        free(o.target);
        o.target = strdup(target);
    }
    PG_TRY();
    {
        if (status != CR_OK)
            raise_status(status, &err);
        describe(s, &o, column);
    }
    PG_FINALLY();
    {
        options_free(&o);
    }
    PG_END_TRY();
    if (AggCheckCallContext(fcinfo, NULL) == AGG_CONTEXT_WINDOW)
        trainer_is_window(s->trainer);
}

/* Rows of a different type than the first, as after ALTER TABLE: columns are matched by name. */
static void find_columns(state *s)
{
    for (int i = 0; i < s->form.desc->natts; i++) {
        attribute *a = &s->form.attribute[i];

        for (size_t c = 0; !a->dropped && c < trainer_columns(s->trainer); c++)
            if (strcmp(trainer_column_at(s->trainer, c)->name,
                       NameStr(TupleDescAttr(s->form.desc, i)->attname)) == 0)
                row_put(&s->form, i, c, trainer_column_at(s->trainer, c)->kind);
    }
}

/* --- rows --------------------------------------------------------------------------------------
 */

static void add_row(state *s, int sign)
{
    cr_error err; /* clearing all of it would cost as much as some columns */
    cr_status status;

    err.message[0] = err.hint[0] = '\0';
    status = trainer_begin_row(s->trainer, sign, &err);
    for (row_cursor c = row_first(&s->form); status == CR_OK && row_next(&c);) {
        if (c.attribute->is_real) {
            trainer_set_real(s->trainer, c.attribute->column, row_number(c.attribute, c.value));
        } else {
            size_t size;
            const char *text = row_text(c.attribute, c.value, &size);

            status = trainer_set_text(s->trainer, c.attribute->column, text, size, &err);
        }
    }
    if (status == CR_OK)
        status = trainer_end_row(s->trainer, &err);
    if (status != CR_OK)
        raise_status(status, &err);
}

static Datum change(FunctionCallInfo fcinfo, int sign)
{
    MemoryContext context = aggregate_context(fcinfo);
    state *s = PG_ARGISNULL(0) ? new_state(context) : (state *)PG_GETARG_POINTER(0);

    if (PG_ARGISNULL(1))
        PG_RETURN_POINTER(s);
    CHECK_FOR_INTERRUPTS();
    if (s->bytes != NULL)
        forget_bytes(s);
    if (row_take(&s->form, PG_GETARG_DATUM(1), s->context)) {
        if (s->trainer == NULL)
            begin(s, fcinfo);
        else
            find_columns(s);
    }
    add_row(s, sign);
    PG_RETURN_POINTER(s);
}

PG_FUNCTION_INFO_V1(credence_train_add);
Datum credence_train_add(PG_FUNCTION_ARGS)
{
    return change(fcinfo, 1);
}

PG_FUNCTION_INFO_V1(credence_train_remove);
Datum credence_train_remove(PG_FUNCTION_ARGS)
{
    return change(fcinfo, -1);
}

/* --- results of windows ------------------------------------------------------------------------
 *
 * A window has a model at every row, and to write it takes longer than to move the window on. So
 * the result is an expanded object, which PostgreSQL flattens when it stores or copies it: the
 * state itself, whose model is written when its bytes are asked for. Until then rows wait to be
 * learned and taken back in blocks. A value that outlives its row is always a flattened copy, so
 * none sees the window move.
 *
 * The server itself keeps a copy of every result, in the aggregate's own memory context, for a next
 * row of the same frame. Nothing else is ever copied there. That copy is the pointer.
 */

static const cr_model *current_model(state *s)
{
    const cr_model *model = NULL;
    cr_error err = {0};
    cr_status status = trainer_model(s->trainer, &model, &err);

    if (status != CR_OK)
        raise_status(status, &err);
    return model;
}

static Size flat_size(ExpandedObjectHeader *header)
{
    state *s = (state *)header;
    cr_error err = {0};
    cr_status status;

    if (CurrentMemoryContext == s->context)
        return EXPANDED_POINTER_SIZE;
    if (s->bytes == NULL) {
        status = cr_model_save_bytes(current_model(s), &s->bytes, &s->size, &err);
        if (status != CR_OK)
            raise_status(status, &err);
    }
    return VARHDRSZ + s->size;
}

static void flatten_into(ExpandedObjectHeader *header, void *result, Size size)
{
    const state *s = (const state *)header;

    if (CurrentMemoryContext == s->context) {
        memcpy(result, header->eoh_ro_ptr, EXPANDED_POINTER_SIZE);
    } else {
        SET_VARSIZE(result, size);
        memcpy(VARDATA(result), s->bytes, s->size);
    }
}

static const ExpandedObjectMethods unwritten = {flat_size, flatten_into};

/* A pointer to the state, where the server wants a result to be. */
static Datum unwritten_datum(const state *s)
{
    char *pointer = palloc(EXPANDED_POINTER_SIZE);

    memcpy(pointer, s->header.eoh_ro_ptr, EXPANDED_POINTER_SIZE);
    return PointerGetDatum(pointer);
}

PG_FUNCTION_INFO_V1(credence_train_final);
Datum credence_train_final(PG_FUNCTION_ARGS)
{
    state *s = PG_ARGISNULL(0) ? NULL : (state *)PG_GETARG_POINTER(0);
    const cr_model *model;
    cr_error err = {0};
    cr_status status;

    if (s == NULL || s->trainer == NULL || trainer_rows(s->trainer) == 0)
        PG_RETURN_NULL();
    /* The first model is made at once, so that errors in the options are reported. */
    if (AggCheckCallContext(fcinfo, NULL) == AGG_CONTEXT_WINDOW && trainer_has_model(s->trainer))
        PG_RETURN_DATUM(unwritten_datum(s));
    status = trainer_finish(s->trainer, &model, &err);
    if (status != CR_OK)
        raise_status(status, &err);
    PG_RETURN_DATUM(model_datum(model));
}

/* --- parallel workers --------------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(credence_train_combine);
Datum credence_train_combine(PG_FUNCTION_ARGS)
{
    MemoryContext context = aggregate_context(fcinfo);
    state *a = PG_ARGISNULL(0) ? NULL : (state *)PG_GETARG_POINTER(0);
    state *b = PG_ARGISNULL(1) ? NULL : (state *)PG_GETARG_POINTER(1);
    cr_error err = {0};
    cr_status status = CR_OK;

    if (b == NULL || b->trainer == NULL)
        PG_RETURN_POINTER(a != NULL ? a : new_state(context));
    if (a == NULL)
        a = new_state(context);
    if (a->trainer == NULL) {
        a->trainer = b->trainer;
        b->trainer = NULL;
    } else {
        status = trainer_merge(a->trainer, b->trainer, &err);
    }
    if (status != CR_OK)
        raise_status(status, &err);
    PG_RETURN_POINTER(a);
}

PG_FUNCTION_INFO_V1(credence_train_serialise);
Datum credence_train_serialise(PG_FUNCTION_ARGS)
{
    state *s = (state *)PG_GETARG_POINTER(0);
    struct varlena *value;
    cr_error err = {0};
    void *bytes = NULL;
    size_t size = 0;
    cr_status status = s->trainer == NULL ? CR_OK : trainer_save(s->trainer, &bytes, &size, &err);

    if (status != CR_OK)
        raise_status(status, &err);
    value = MemoryContextAllocExtended(CurrentMemoryContext, VARHDRSZ + size,
                                       MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
    if (value != NULL) {
        SET_VARSIZE(value, VARHDRSZ + size);
        if (size > 0)
            memcpy(VARDATA(value), bytes, size);
    }
    free(bytes);
    if (value == NULL)
        raise_status(CR_ENOMEM, &err);
    PG_RETURN_POINTER(value);
}

PG_FUNCTION_INFO_V1(credence_train_deserialise);
Datum credence_train_deserialise(PG_FUNCTION_ARGS)
{
    struct varlena *value = PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0));
    state *s = new_state(aggregate_context(fcinfo));
    cr_error err = {0};
    cr_status status = CR_OK;

    if (VARSIZE_ANY_EXHDR(value) > 0)
        status = trainer_load(&s->trainer, VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), &err);
    if (status != CR_OK)
        raise_status(status, &err);
    PG_RETURN_POINTER(s);
}
