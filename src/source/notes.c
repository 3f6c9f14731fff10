/* source/notes.c - small questions about a source and its chunks. */
#include "base/fail.h"
#include "base/memory.h"
#include "source/format.h"

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
