/* source/division.c - the parts of a source, and the bytes and chunks of a part. */
#include "source/division.h"

#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/memory.h"
#include "source/record_cuts.h"

/* The evenly spaced position before part n, in the bytes of all plain files. */
static uint64_t even(const cr__division *d, size_t n)
{
    return d->total / d->parts * n + d->total % d->parts * n / d->parts;
}

/* --- plain files ----------------------------------------------------------------------------- */

/* A file that the positions first … last fall into. */
static cr_status cut_file(cr_source *source, size_t path, cr__record_cuts *c, const cr_team *team,
                          int lines, size_t until, cr_error *err)
{
    cr__division *d = source->division;
    cr_status st;
    int counted;

    cr__file_release(source->file);
    source->file = NULL;
    source->next_path = path;
    if ((st = cr__input_rewind(source->input[path], err)) != CR_OK ||
        (st = cr__source_open_file(source, err)) != CR_OK)
        return st;
    c->file = source->file;
    c->bytes = cr__input_mapped(source->input[path], &c->data);
    if (!cr__records_divide(c->file)) {
        d->path[path].how = CR__PATH_DEALT;
        return CR_OK;
    }
    for (size_t n = c->first; n <= c->last; n++) {
        const uint64_t place = even(d, n) - d->path[path].before;

        c->place[n] = place > c->data ? place : c->data;
    }
    st = cr__record_cuts_find(c, team, lines, until, &counted, err);
    d->counted &= counted;
    return st;
}

static cr_status cut_files(cr_source *source, const cr_team *team, int lines, size_t until,
                           uint64_t *place, cr_error *err)
{
    cr__division *d = source->division;
    cr_status st = CR_OK;
    size_t next = 1;

    d->counted = 1;
    for (size_t i = 0; st == CR_OK && i < source->paths; i++) {
        const cr__divided_path *path = &d->path[i];
        cr__record_cuts c = {.parts = d->parts, .place = place, .cut = d->cut, .lines = d->lines};

        if (path->how != CR__PATH_BYTES)
            continue;
        while (next < d->parts && even(d, next) <= path->before)
            next++;
        c.first = next;
        while (next < d->parts && even(d, next) < path->before + path->size)
            next++;
        c.last = next - 1;
        if (c.first <= c.last)
            st = cut_file(source, i, &c, team, lines, until, err);
    }
    return st;
}

/* --- compressed files ------------------------------------------------------------------------ */

/* Assign whole files to parts, the largest first, each to the part that has least. Returns the
 * largest size of a part. */
static uint64_t give_whole(cr__division *d, size_t paths, uint64_t *load)
{
    uint64_t most = 0;

    memset(load, 0, d->parts * sizeof *load);
    for (;;) {
        size_t largest = SIZE_MAX, least = 0;

        for (size_t i = 0; i < paths; i++)
            if (d->path[i].how == CR__PATH_DEALT && d->path[i].size > 0 &&
                (largest == SIZE_MAX || d->path[i].size > d->path[largest].size))
                largest = i;
        if (largest == SIZE_MAX)
            return most;
        for (size_t k = 1; k < d->parts; k++)
            if (load[k] < load[least])
                least = k;
        load[least] += d->path[largest].size;
        most = load[least] > most ? load[least] : most;
        d->path[largest].how = CR__PATH_WHOLE;
        d->path[largest].owner = least;
    }
}

/* Whole files; or chunks of all of them, when one part would exceed an even share by half. */
static cr_status divide_packed(cr_source *source, cr_error *err)
{
    cr__division *d = source->division;
    uint64_t *load = cr__alloc(d->parts, sizeof *load), total = 0, most;

    if (load == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < source->paths; i++)
        total += d->path[i].how == CR__PATH_DEALT ? d->path[i].size : 0;
    most = give_whole(d, source->paths, load);
    for (size_t i = 0; i < source->paths && most > total / d->parts * 3 / 2; i++)
        if (d->path[i].how == CR__PATH_WHOLE)
            d->path[i].how = CR__PATH_DEALT;
    cr__free(load);
    return CR_OK;
}

/* --- dividing -------------------------------------------------------------------------------- */

static cr_status measure(cr_source *source, cr_error *err)
{
    cr__division *d = source->division;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < source->paths; i++) {
        cr__divided_path *path = &d->path[i];
        uint64_t at;

        path->how = CR__PATH_DEALT;
        if (source->tree[i] != NULL)
            continue;
        if (source->input[i] == NULL)
            st = cr__input_open(&source->input[i], source->path[i], &source->pool, err);
        if (st == CR_OK && cr__input_is_kept(source->input[i])) {
            cr__fail(err, CR_EARG, "a pipe cannot be divided among several processes");
            st = cr__fail_at(err, CR_EARG, cr__path_shown(source->path[i]), 0, 0);
        }
        if (st != CR_OK)
            return st;
        path->size = cr__input_total(source->input[i]);
        if (cr__input_mapped(source->input[i], &at) == NULL || path->size == 0)
            continue;
        path->how = CR__PATH_BYTES;
        path->before = d->total;
        d->total += path->size;
    }
    return st;
}

void cr__source_join(cr_source *source)
{
    cr__division *d = source->division;

    if (d == NULL)
        return;
    cr__free(d->path);
    cr__free(d->cut);
    cr__free(d->lines);
    cr__free(d);
    source->division = NULL;
}

static cr__division *make_division(size_t paths, size_t parts)
{
    cr__division *d = cr__alloc_zero(1, sizeof *d);

    if (d == NULL)
        return NULL;
    d->parts = parts;
    d->path = cr__alloc_zero(paths + 1, sizeof *d->path);
    d->cut = cr__alloc_zero(parts + 1, sizeof *d->cut);
    d->lines = cr__alloc_zero(parts + 1, sizeof *d->lines);
    return d;
}

cr_status cr__source_divide(cr_source *source, size_t parts, size_t last, const cr_team *team,
                            int lines, cr_error *err)
{
    uint64_t *place = cr__alloc_zero(parts + 1, sizeof *place);
    const cr__division *d;
    cr_status st = CR_OK;

    cr__source_join(source);
    d = source->division = make_division(source->paths, parts);
    if (place == NULL || d == NULL || d->path == NULL || d->cut == NULL || d->lines == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        st = measure(source, err);
    if (st == CR_OK)
        st = cut_files(source, team, lines, last + 1, place, err);
    if (st == CR_OK)
        st = divide_packed(source, err);
    cr__free(place);
    if (st != CR_OK)
        cr__source_join(source);
    return st;
}

uint64_t cr__source_bytes(const cr_source *source)
{
    return source->bytes_unknown ? 0 : source->bytes_total;
}

void cr__source_describe(const cr_source *source, cr__buffer *out)
{
    const cr__classes *classes = &source->classes;

    for (size_t i = 0; i < source->paths; i++) {
        struct stat about = {0};

        (void)stat(source->path[i], &about);
        cr__buffer_printf(out, "%s\n%lld %lld %ld\n", source->path[i], (long long)about.st_size,
                          (long long)about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
    }
    cr__buffer_printf(out, "%s %d %d %d %d %d\n%s\n",
                      source->format == NULL ? "" : source->format->name, source->delimiter,
                      source->comment, source->no_header, source->index_base, (int)source->on_error,
                      source->missing.list);
    cr__buffer_printf(out, "%s\n", source->columns == NULL ? "" : source->columns);
    cr__buffer_printf(out, "%s\n", source->member == NULL ? "" : source->member);
    for (uint32_t code = 1; classes->from != NULL && code <= classes->from->words; code++) {
        size_t length;
        const char *word = cr__dict_word(classes->from, code, &length);

        cr__buffer_printf(out, "%.*s=%s\n", (int)length, word, classes->to[code - 1]);
    }
}

cr_status cr__source_begin_part(cr_source *source, size_t part, cr_error *err)
{
    cr_status st = cr__source_rewind(source, err);

    source->division->part = part;
    source->division->active = st == CR_OK;
    return st;
}

void cr__source_end_part(cr_source *source)
{
    source->division->active = 0;
}

int cr__source_is_ordered(cr_source *source)
{
    for (size_t i = 0; i < source->paths; i++) {
        uint64_t at;

        if (source->tree[i] != NULL || strcmp(source->path[i], "-") == 0 ||
            (source->input[i] == NULL &&
             cr__input_open(&source->input[i], source->path[i], &source->pool, NULL) != CR_OK) ||
            cr__input_mapped(source->input[i], &at) == NULL)
            return 0;
    }
    return source->paths > 0 && source->file != NULL && cr__records_divide(source->file);
}

/* --- while it is read ------------------------------------------------------------------------ */

/* The bytes of a file that are in the part: from begin (0: after the header) to end. Returns
 * whether there are any. */
static int bytes_of(const cr__division *d, const cr__divided_path *path, uint64_t *begin,
                    uint64_t *end)
{
    const uint64_t from = even(d, d->part), to = even(d, d->part + 1);
    const uint64_t behind = path->before + path->size;

    *begin = from > path->before ? d->cut[d->part] : 0;
    *end = to < behind ? d->cut[d->part + 1] : UINT64_MAX;
    return from < behind && to > path->before && *begin < *end;
}

int cr__division_skips(const cr_source *source)
{
    const cr__division *d = source->division;
    const cr__divided_path *path;
    uint64_t begin, end;

    if (d == NULL || !d->active)
        return 0;
    path = &d->path[source->next_path];
    return path->how == CR__PATH_BYTES   ? !bytes_of(d, path, &begin, &end)
           : path->how == CR__PATH_WHOLE ? path->owner != d->part
                                         : 0;
}

int cr__division_deals_away(cr_source *source)
{
    cr__division *d = source->division;

    if (d == NULL || !d->active)
        return 0;
    if (source->paths > 0 && d->path[source->next_path].how != CR__PATH_DEALT)
        return 0;
    return d->dealt++ % d->parts != d->part;
}

void cr__division_enter(cr_source *source)
{
    const cr__division *d = source->division;
    uint64_t begin, end;

    if (d == NULL || !d->active || d->path[source->next_path].how != CR__PATH_BYTES ||
        !bytes_of(d, &d->path[source->next_path], &begin, &end))
        return;
    cr__input_narrow(source->input[source->next_path], begin, end);
    if (begin > 0)
        source->line = 1 + (size_t)d->lines[d->part];
}

void cr__division_mend_line(const cr_source *source, cr_error *err)
{
    const cr__division *d = source->division;

    if (d == NULL || d->counted || err == NULL || err->line == 0)
        return;
    for (size_t i = 0; i < source->paths; i++) {
        const char *bytes;
        uint64_t begin, end, at;

        if (d->path[i].how != CR__PATH_BYTES || source->input[i] == NULL ||
            strcmp(source->path[i], err->file) != 0 || !bytes_of(d, &d->path[i], &begin, &end) ||
            (bytes = cr__input_mapped(source->input[i], &at)) == NULL)
            continue;
        err->line += cr__scan_census(bytes, (size_t)begin, 0).newlines;
        return;
    }
}
