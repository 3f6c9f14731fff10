/* serve/view.c - a model as one thread sees it. */
#include "view.h"

#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "request.h"

void view_close(view *v)
{
    cr_row_free(v->row);
    free(v->column);
    free(v->posterior);
    free(v->name);
    buffer_free(&v->words);
    snapshot_release(v->held);
    *v = (view){0};
}

/* Names of classes are quoted once, not with each answer. */
static cr_status quote_classes(view *v, cr_error *err)
{
    const cr_model *model = view_model(v);
    cr_output *out;
    cr_status status = cr_output_new(&out, buffer_write, &v->words, err);

    if (status != CR_OK)
        return status;
    for (size_t c = 0; c < v->classes && status == CR_OK; c++) {
        const char *name = cr_model_class(model, c);

        v->name[c].at = v->words.size;
        cr_json_quote(out, name, strlen(name));
        status = cr_output_flush(out);
        v->name[c].size = v->words.size - v->name[c].at;
    }
    cr_output_free(out);
    return status == CR_OK ? CR_OK : fail(err, status, NULL, "out of memory");
}

static void list_columns(view *v)
{
    const cr_schema *schema = cr_model_schema(view_model(v));

    for (size_t c = 0; c < cr_schema_columns(schema); c++) {
        view_column *k = &v->column[v->columns];

        k->kind = cr_schema_kind(schema, c);
        k->feature = cr_schema_role(schema, c) == CR_ROLE_FEATURE;
        if (k->kind == CR_IGNORE)
            continue;
        k->name = cr_schema_name(schema, c);
        k->length = strlen(k->name);
        k->column = c;
        v->features += k->feature;
        v->columns++;
    }
}

static cr_status open_view(view *v, cr_error *err)
{
    const cr_model *model = view_model(v);
    const size_t columns = cr_schema_columns(cr_model_schema(model));
    cr_status status;

    v->classes = cr_model_classes(model);
    v->column = calloc(columns + 1, sizeof *v->column);
    v->posterior = calloc(v->classes + 1, sizeof *v->posterior);
    v->name = calloc(v->classes + 1, sizeof *v->name);
    if (v->column == NULL || v->posterior == NULL || v->name == NULL)
        return fail(err, CR_ENOMEM, NULL, "out of memory");
    if ((status = cr_row_new(&v->row, model, err)) != CR_OK)
        return status;
    v->numbers = cr_model_is_regression(model) != 0;
    list_columns(v);
    return quote_classes(v, err);
}

cr_status view_refresh(view *v, slot *s, cr_error *err)
{
    const unsigned long turn = atomic_load_explicit(&s->turn, memory_order_acquire);
    cr_error why;
    cr_status status;

    if (v->held != NULL && v->turn == turn)
        return CR_OK;
    view_close(v);
    v->slot = s;
    v->turn = turn; /* the snapshot may be newer: then it is refreshed again */
    if ((v->held = slot_hold(s)) == NULL) {
        slot_error(s, &why);
        return fail(err, CR_EIO, NULL, "the model '%s' cannot be read: %s", s->name, why.message);
    }
    if ((status = open_view(v, err)) != CR_OK)
        view_close(v);
    return status;
}
