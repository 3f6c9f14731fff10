/* source/bind.c - which column of a schema that exists already each field fills. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "source/format.h"

static cr_status fail_absent(const cr_source *source, const cr__column *column, cr_error *err)
{
    const char *nearest = cr__schema_nearest(source->fields, column->name);

    cr__fail(err, CR_ECONFLICT, "there is no column '%s', which the model needs", column->name);
    if (nearest != NULL)
        cr__fail_hint(err, CR_ECONFLICT, "the nearest is '%s'", nearest);
    cr__fail_at(err, CR_ECONFLICT, source->paths > 0 ? cr__path_shown(source->path[0]) : NULL, 0,
                0);
    return CR_ECONFLICT;
}

/* An open-ended format may contain any column of the schema: add those not met so far after the
 * visible fields. */
static cr_status add_hidden(cr_source *source, const cr_schema *schema, cr_error *err)
{
    cr_status st = CR_OK;

    if (source->file == NULL || !source->file->format->open_ended)
        return CR_OK;
    if (source->file->format->expect != NULL)
        return source->file->format->expect(source, schema, err);
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++) {
        const char *name = schema->column[i].name;

        if (schema->column[i].factors == 0 && cr_schema_find(source->fields, name) == SIZE_MAX)
            st = cr__source_add_field(source, name, strlen(name), err);
    }
    return st;
}

/* Products are computed, whatever a file has under such a name; a table has computed them. */
static int is_computed(const cr_source *source, const cr__column *column)
{
    return column->factors > 0 && source->rows == NULL;
}

static cr_status match_columns(cr_source *source, const cr_schema *schema, int need_target,
                               int allow_absent, cr_error *err)
{
    source->absents = 0;
    source->target_field = SIZE_MAX;
    for (size_t i = 0; i < source->fields->columns; i++) {
        size_t column = cr_schema_find(schema, source->fields->column[i].name);

        if (column != SIZE_MAX && is_computed(source, &schema->column[column]))
            column = SIZE_MAX;
        source->column[i] = column == SIZE_MAX ? CR__NO_COLUMN : (uint32_t)column;
        source->target_field =
            column == schema->target && column != SIZE_MAX ? i : source->target_field;
    }
    for (size_t i = 0; i < schema->columns; i++) {
        const cr__column *column = &schema->column[i];

        if (cr_schema_find(source->fields, column->name) != SIZE_MAX || is_computed(source, column))
            continue;
        if (column->kind != CR_IGNORE && !allow_absent && column->role == CR_ROLE_FEATURE)
            return fail_absent(source, column, err);
        if (column->role == CR_ROLE_TARGET && need_target)
            return fail_absent(source, column, err);
        if (!cr__grow(&source->absent, &source->absent_capacity, source->absents + 1,
                      sizeof *source->absent))
            return cr__fail_memory(err);
        source->absent[source->absents++] = (uint32_t)i;
    }
    return CR_OK;
}

/* A key that is misspelt is simply absent, so nothing else would reveal it. */
static void note_unknown_keys(cr_source *source)
{
    if (source->file == NULL || !source->file->format->open_ended ||
        source->file->format->expect != NULL)
        return;
    for (size_t i = 0; i < source->visible; i++)
        if (source->column[i] == CR__NO_COLUMN)
            cr__source_note_unknown(source, source->fields->column[i].name,
                                    strlen(source->fields->column[i].name));
}

/* Columns that the model can do without, but whose absence deserves a note. */
static cr_status note_absent(cr_source *source, const cr_schema *schema, cr_error *err)
{
    size_t features = 0, all = 0, first = SIZE_MAX;

    for (size_t i = 0; i < schema->columns; i++)
        all += schema->column[i].role == CR_ROLE_FEATURE && schema->column[i].kind != CR_IGNORE &&
               schema->column[i].factors == 0;
    for (size_t i = 0; i < source->absents; i++)
        if (schema->column[source->absent[i]].role == CR_ROLE_FEATURE &&
            schema->column[source->absent[i]].kind != CR_IGNORE && features++ == 0)
            first = source->absent[i];
    if (features == all && all > 0)
        return fail_absent(source, &schema->column[first], err);
    if (features == 1)
        cr__source_note(source, "there is no column '%s': it counts as not observed",
                        schema->column[first].name);
    else if (features > 1)
        cr__source_note(source,
                        "%zu columns of the model are missing, '%s' among them: they "
                        "count as not observed",
                        features, schema->column[first].name);
    return CR_OK;
}

cr_status cr__source_bind(cr_source *source, const cr_schema *schema, int need_target,
                          int allow_absent, cr_error *err)
{
    cr_status st;

    source->inferred = 0;
    source->schema = schema;
    source->live = !need_target;
    if ((st = add_hidden(source, schema, err)) != CR_OK ||
        (st = match_columns(source, schema, need_target, allow_absent, err)) != CR_OK)
        return st;
    note_unknown_keys(source);
    if (allow_absent == CR__ABSENT_NOTED && (st = note_absent(source, schema, err)) != CR_OK)
        return st;
    if (source->started)
        return cr__source_rewind(source, err);
    cr__source_forget_inputs(source);
    return CR_OK;
}
