/* source/notes.c - small queries about a source and its chunks. */
#include <stdio.h>

#include "base/fail.h"
#include "base/memory.h"
#include "source/format.h"

#define MISSING_SHARE 0.05 /* of the rows: fewer are gaps, not another value, */
#define ROWS_LEAST 20      /* and few rows may show one value by chance */

void cr__source_note_unknown(cr_source *source, const char *name, size_t length)
{
    char shown[80];
    char *copy;
    const char *nearest;

    if (atomic_exchange(&source->unknown_told, 1) != 0 ||
        (copy = cr__strndup(name, length)) == NULL)
        return;
    nearest = cr__schema_nearest(source->schema, copy);
    cr__printable(shown, sizeof shown, name, length);
    if (nearest != NULL)
        cr__source_note(source, "the model does not know the key '%s'; did you mean '%s'?", shown,
                        nearest);
    else
        cr__source_note(source, "the model does not know the key '%s', which is left out", shown);
    cr__free(copy);
}

void cr__source_note_present(cr_source *source, const cr__present_columns *found)
{
    char value[40], more[60] = "";
    size_t length;
    const char *word;

    if (found->columns == 0)
        return;
    word = cr__dict_word(found->dict, 1, &length);
    cr__printable(value, sizeof value, word, length);
    if (found->columns > 1)
        snprintf(more, sizeof more, " (and %zu more column%s likewise)", found->columns - 1,
                 found->columns == 2 ? "" : "s");
    cr__source_note(source,
                    "column '%s' is '%s' or missing%s, and what is missing tells nothing: where "
                    "it means no, " CR__SET("missing NA") " makes it a value",
                    found->name, value, more);
}

void cr__present_column(cr__present_columns *found, const cr__column *column, const cr__dict *dict,
                        double observed, double rows)
{
    if (rows < ROWS_LEAST || column->kind != CR_SYMBOL || column->role != CR_ROLE_FEATURE ||
        dict == NULL || dict->words != 1 || observed > (1 - MISSING_SHARE) * rows)
        return;
    if (found->columns++ == 0) {
        found->name = column->name;
        found->dict = dict;
    }
}

const char *cr__source_chunk_name(const cr__chunk *chunk)
{
    return chunk->file == NULL ? NULL : chunk->file->name;
}

cr_status cr__source_blame(const cr__chunk *chunk, cr_status st, cr_error *err)
{
    return err == NULL || err->line == 0
               ? st
               : cr__fail_at(err, st, cr__source_chunk_name(chunk), err->line, err->column);
}

int cr__source_has_target(const cr_source *source)
{
    return source->target_field != SIZE_MAX;
}
