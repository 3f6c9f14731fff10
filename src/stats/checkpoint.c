/* stats/checkpoint.c - files of finished pieces. */
#include "stats/checkpoint.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "source/division.h"
#include "stats/team_stats.h"

#define PIECE_SIZE ((uint64_t)64 << 20) /* approximate bytes of a piece */
#define PIECES_MOST 4096                /* at most this many pieces */
#define PIECES_LEAST 16                 /* at least this many: small data are divided too */

#define TAG_SOURCE CR__TAG('S', 'R', 'C', 'E')

/* What is collected, apart from the source: every member that changes a statistic. */
static void describe(const cr__collect *what, cr__buffer *out)
{
    cr__buffer_printf(out, "%d %d %d\n", what->tuples, what->values, (int)what->cross);
    if (what->recipe != NULL)
        cr__recipe_write(what->recipe, out);
    for (size_t i = 0; i < what->schema->columns; i++) {
        const cr__column *c = &what->schema->column[i];
        const cr__cuts *cuts =
            what->bins == NULL || i >= what->bins->columns ? NULL : &what->bins->column[i];

        cr__buffer_printf(out, "\n%d %d %s", (int)c->kind, (int)c->role, c->name);
        for (size_t k = 0; cuts != NULL && k < cuts->count; k++)
            cr__buffer_add(out, &cuts->cut[k], sizeof cuts->cut[k]);
    }
}

/* How many pieces: this depends on the data alone, so that it is the same for any number of
 * members. */
static size_t pieces_of(uint64_t bytes)
{
    const uint64_t pieces = bytes / PIECE_SIZE;

    return pieces < PIECES_LEAST ? PIECES_LEAST : pieces > PIECES_MOST ? PIECES_MOST : pieces;
}

cr_status cr__checkpoint_open(cr__checkpoint *out, const char *folder, const cr_source *source,
                              const cr__collect *what, cr_error *err)
{
    cr__buffer text = {0};
    cr__draft draft = {0};
    cr_status st;

    *out = (cr__checkpoint){.folder = folder, .pieces = pieces_of(cr__source_bytes(source))};
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cr__fail_errno(err, "cannot make the folder %s", folder);
    cr__buffer_adds(&text, CREDENCE_VERSION "\n");
    cr__source_describe(source, &text);
    describe(what, &text);
    cr__draft_section_begin(&draft, TAG_SOURCE, 0);
    if (!text.failed)
        cr__draft_copy(&draft, text.data, text.size);
    st = text.failed ? cr__fail_memory(err) : cr__draft_fingerprint(&draft, out->key, err);
    cr__draft_free(&draft);
    cr__buffer_free(&text);
    return st;
}

static void path_of(const cr__checkpoint *c, size_t piece, cr__buffer *path)
{
    cr__buffer_printf(path, "%s/%s-%zu-of-%zu", c->folder, c->key, piece + 1, c->pieces);
    cr__buffer_addc(path, '\0');
}

cr_status cr__checkpoint_find(const cr__checkpoint *c, size_t piece, const cr_schema *schema,
                              cr__stats **out, cr_tally *tally, cr_error *err)
{
    cr__container container = {0};
    cr__buffer path = {0};
    struct stat about;
    cr_status st = CR_END;

    *out = NULL;
    path_of(c, piece, &path);
    if (path.failed)
        return cr__fail_memory(err);
    if (stat(path.data, &about) == 0 && about.st_size == 0) {
        *tally = (cr_tally){0};
        st = CR_OK; /* a piece without rows */
    } else if (cr__container_open(&container, path.data, 1, NULL) == CR_OK) {
        st = cr__stats_unpack(out, &container, schema, tally, NULL);
        st = st == CR_OK || st == CR_ENOMEM ? st : CR_END;
    }
    cr__container_close(&container);
    cr__buffer_free(&path);
    return st == CR_ENOMEM ? cr__fail_memory(err) : st;
}

/* An empty file. */
static cr_status keep_nothing(const char *path, cr_error *err)
{
    FILE *file = fopen(path, "w");

    return file != NULL && fclose(file) == 0 ? CR_OK : cr__fail_errno(err, "cannot write %s", path);
}

cr_status cr__checkpoint_keep(const cr__checkpoint *c, size_t piece, const cr__stats *stats,
                              const cr_tally *tally, cr_error *err)
{
    cr__buffer path = {0};
    cr__draft draft = {0};
    cr_status st;

    path_of(c, piece, &path);
    if (path.failed)
        return cr__fail_memory(err);
    if (stats == NULL) {
        st = keep_nothing(path.data, err);
    } else {
        cr__stats_pack(stats, tally, &draft);
        st = cr__draft_save(&draft, path.data, err);
        cr__draft_free(&draft);
    }
    cr__buffer_free(&path);
    return st;
}
