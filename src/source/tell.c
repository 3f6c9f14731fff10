/* source/tell.c - small questions about a source and its chunks. */
#include "source/format.h"

const char *cr__source_chunk_name(const cr__chunk *chunk)
{
    return chunk->file == NULL ? NULL : chunk->file->name;
}

int cr__source_has_target(const cr_source *source)
{
    return source->target_field != SIZE_MAX;
}
