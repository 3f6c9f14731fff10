/* source/word_table.c - a small table read whole, every cell as text. */
#include "source/word_table.h"

#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "source/source.h"

void cr__texts_free(cr__texts *t)
{
    cr__arena_free(&t->arena);
    cr__free(t->column);
    cr__free(t->cell);
    cr__free(t->line);
}

static int take_columns(cr__texts *t, const cr_source *source)
{
    t->columns = cr__source_fields(source);
    if ((t->column = cr__alloc(t->columns, sizeof *t->column)) == NULL)
        return 0;
    for (size_t i = 0; i < t->columns; i++) {
        const char *name = cr__source_field_name(source, i);

        if ((t->column[i] = cr__arena_copy(&t->arena, name, strlen(name))) == NULL)
            return 0;
    }
    return 1;
}

static int take_row(cr__texts *t, const cr__fields *fields, size_t line)
{
    const char **cell;

    if (!cr__grow(&t->line, &t->line_capacity, t->rows + 1, sizeof *t->line) ||
        !cr__grow(&t->cell, &t->cell_capacity, (t->rows + 1) * t->columns, sizeof *t->cell))
        return 0;
    t->line[t->rows] = line;
    cell = t->cell + t->rows * t->columns;
    for (size_t i = 0; i < t->columns; i++) {
        cell[i] = NULL;
        if (i < fields->count && fields->bytes[i] != NULL && fields->size[i] > 0 &&
            (cell[i] = cr__arena_copy(&t->arena, fields->bytes[i], fields->size[i])) == NULL)
            return 0;
    }
    t->rows++;
    return 1;
}

static cr_status take_chunk(cr__texts *t, cr__chunk *chunk, cr__plan *plan, cr__batch *batch,
                            cr__fields *fields, cr_error *err)
{
    cr_status st;

    while ((st = cr__source_parse(chunk, plan, batch, err)) == CR_OK)
        for (size_t r = 0; r < batch->rows; r++) {
            if ((st = cr__source_split(chunk, &batch->record[r], fields, err)) != CR_OK)
                return st;
            if (!take_row(t, fields, batch->record[r].line))
                return cr__fail_memory(err);
        }
    return st == CR_END ? CR_OK : st;
}

/* The source is set up for a schema without columns: it only finds the records and their texts.
 */
cr_status cr__texts_take(cr__texts *t, cr_source *source, const char *path, cr_error *err)
{
    cr_schema *nothing = NULL;
    cr__batch *batch = NULL;
    cr__fields fields = {0};
    cr__plan plan = {0};
    cr__chunk chunk;
    cr_status st;

    *t = (cr__texts){.path = path};
    if ((st = cr__schema_new(&nothing, err)) != CR_OK ||
        (st = cr__source_bind(source, nothing, 0, 1, err)) != CR_OK ||
        (st = cr__batch_new(&batch, nothing, err)) != CR_OK)
        goto done;
    plan.schema = nothing;
    if (!take_columns(t, source))
        st = cr__fail_memory(err);
    while (st == CR_OK && (st = cr__source_next(source, &chunk, err)) == CR_OK) {
        st = take_chunk(t, &chunk, &plan, batch, &fields, err);
        cr__source_release(&chunk);
    }
    if (st == CR_END)
        st = CR_OK;
done:
    cr__fields_free(&fields);
    cr__batch_free(batch);
    cr__schema_free(nothing);
    return st;
}

cr_status cr__texts_read(cr__texts *t, const char *path, cr_error *err)
{
    cr_source *source = NULL;
    struct stat about;
    cr_status st;

    *t = (cr__texts){.path = path};
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return cr__fail(err, CR_EIO, "%.200s is a folder, not a table", path);
    if ((st = cr_source_open(&source, &path, 1, NULL, err)) == CR_OK)
        st = cr__texts_take(t, source, path, err);
    cr_source_close(source);
    return st;
}

size_t cr__texts_find(const cr__texts *t, const char *name, size_t length)
{
    for (size_t i = 0; i < t->columns; i++)
        if (strlen(t->column[i]) == length && memcmp(t->column[i], name, length) == 0)
            return i;
    return SIZE_MAX;
}

cr_status cr__texts_fail(const cr__texts *t, size_t row, size_t column, const char *wanted,
                         cr_error *err)
{
    const char *text = t->cell[row * t->columns + column];
    char shown[60];

    if (text == NULL)
        cr__fail(err, CR_EFORMAT, "there is no value in column '%s'", t->column[column]);
    else
        cr__fail(err, CR_EFORMAT, "column '%s' has '%s'", t->column[column],
                 cr__printable(shown, sizeof shown, text, strlen(text)));
    cr__fail_hint(err, CR_EFORMAT, "it must be %s", wanted);
    return cr__fail_at(err, CR_EFORMAT, t->path, t->line[row], column + 1);
}

int cr__texts_number(const char *text, size_t length, double *out)
{
    while (length > 0 && (*text == ' ' || *text == '\t'))
        text++, length--;
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    return cr__parse_double(text, length, out) == CR__NUMBER_OK;
}
