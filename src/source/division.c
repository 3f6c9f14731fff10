/* source/division.c - where the parts of a source begin and end. */
#include "source/division.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/team.h"
#include "source/format.h"

#define WINDOW ((size_t)1 << 20) /* bytes that are walked at a time */

/* --- walking from record to record ----------------------------------------------------------- */

typedef struct stretch_of_file { /* what is walked in */
    const cr__file *file;
    const char *bytes; /* of the whole file, mapped */
} stretch_of_file;

/* The last record that begins behind `from` and not behind `to`, or `from` when there is none. On
 * entry *inside tells whether `from` is inside quotes (else a record begins there), on return
 * whether `to` is. */
static uint64_t walk(const stretch_of_file *f, uint64_t from, uint64_t to, int *inside)
{
    const cr__format *format = f->file->format;
    uint64_t at = from, found = from;
    int before = *inside;
    size_t window = WINDOW;

    *inside = before;
    while (at < to) {
        const size_t size = to - at < window ? (size_t)(to - at) : window;
        const char *last;
        size_t whole;

        if (format->cut != NULL && (before || memchr(f->bytes + at, format->quote, size) != NULL)) {
            *inside = before;
            whole = format->cut(f->file, f->bytes + at, size, inside);
        } else {
            *inside = 0;
            last = memrchr(f->bytes + at, '\n', size);
            whole = last == NULL ? 0 : (size_t)(last - (f->bytes + at)) + 1;
        }
        if (whole > 0) {
            at = found = at + whole;
            before = 0;
            window = WINDOW;
            if (size == to - (at - whole)) /* the state at `to` is known */
                return found;
        } else if (size == to - at) {
            return found;
        } else {
            window *= 2;
        }
    }
    return found;
}

/* What a member found out about the stretch between two even places. */
typedef struct walked {
    uint64_t guess;      /* where it took a record to begin, outside of quotes, */
    uint64_t outside_to; /* and the last one from there on */
    uint64_t inside_to;  /* the same from the even place on, inside quotes; 0: there is none */
    uint64_t newlines;
    int32_t outside_ends_inside, inside_ends_inside;
    int32_t known;
} walked;

static int has_quotes(const cr__file *file)
{
    return file->format->cut != NULL;
}

/* Walk from a place to the next one; `from` is the first byte that may begin a record. */
static walked walk_both(const stretch_of_file *f, uint64_t from, uint64_t place, uint64_t next,
                        int first)
{
    const char *line = first ? NULL : memrchr(f->bytes + from, '\n', (size_t)(place - from));
    walked w = {.guess = line == NULL ? from : (uint64_t)(line - f->bytes) + 1, .known = 1};
    int inside = 0;

    w.outside_to = walk(f, w.guess, next, &inside);
    w.outside_ends_inside = inside;
    inside = 1;
    if (has_quotes(f->file) && !first) {
        const uint64_t to = walk(f, place, next, &inside);

        w.inside_to = to == place ? 0 : to;
        w.inside_ends_inside = inside;
    }
    w.newlines = cr__scan_census(f->bytes + place, (size_t)(next - place), 0).newlines;
    return w;
}

/* --- the cuts of one file -------------------------------------------------------------------- */

typedef struct file_cuts {
    stretch_of_file f;
    uint64_t data;      /* where its records begin */
    size_t first, last; /* the cuts in it: number c stands before part c */
    uint64_t *place;    /* [parts + 1] even ones, by number, from the file's first byte */
    uint64_t *cut;      /* [parts + 1] where they fall */
    uint64_t *newlines; /* [parts + 1] of the stretch that ends at each place */
} file_cuts;

static uint64_t place_before(const file_cuts *c, size_t number)
{
    return number == c->first ? c->data : c->place[number - 1];
}

/* Chain what was walked, as far as it fits together. Returns the first cut that is not known yet,
 * and where to walk from; last + 1: all are. */
static size_t chain(file_cuts *c, const walked *w, uint64_t *from)
{
    uint64_t at = c->data;
    int inside = 0;

    for (size_t n = c->first; n <= c->last; n++) {
        *from = at;
        if (!w[n].known || (w[n].guess != at && !inside))
            return n;
        c->newlines[n] = w[n].newlines;
        if (w[n].guess == at) {
            inside = w[n].outside_ends_inside;
            at = w[n].outside_to;
        } else {
            at = w[n].inside_to != 0 ? w[n].inside_to : at;
            inside = w[n].inside_ends_inside;
        }
        c->cut[n] = at;
    }
    return c->last + 1;
}

/* All members know what each of them has walked; the cut with number n is the work of part n - 1.
 */
static cr_status exchange(const cr_team *team, walked *w, cr_error *err)
{
    const walked mine = w[team->rank + 1];

    return cr__team_share(team, &mine, sizeof mine, w + 1, err);
}

static cr_status cut_together(file_cuts *c, walked *w, const cr_team *team, cr_error *err)
{
    const size_t own = (size_t)team->rank + 1;
    uint64_t from;
    cr_status st;
    size_t n;

    if (own >= c->first && own <= c->last)
        w[own] = walk_both(&c->f, c->data, place_before(c, own), c->place[own], own == c->first);
    st = exchange(team, w, err);
    while (st == CR_OK && (n = chain(c, w, &from)) <= c->last) {
        if (n == own) {
            int inside = 0;

            w[n].guess = from;
            w[n].outside_to = walk(&c->f, from, c->place[n], &inside);
            w[n].outside_ends_inside = inside;
        }
        st = exchange(team, w, err);
    }
    return st;
}

/* A part alone walks through all that lies before it. */
static void cut_alone(file_cuts *c, size_t until)
{
    uint64_t at = c->data;

    for (size_t n = c->first; n <= c->last && n <= until; n++) {
        int inside = 0;

        at = c->cut[n] = walk(&c->f, at, c->place[n], &inside);
        c->newlines[n] = 0;
    }
}

/* --- all files ------------------------------------------------------------------------------- */

typedef struct planner {
    cr_source *source;
    cr__division *division;
    const cr_team *team;
    int lines;
    uint64_t *size; /* [paths] bytes to be divided; 0: not so */
    uint64_t total; /* of them */
    uint64_t *cut, *place, *newlines;
    walked *walked;
} planner;

/* The even place before part c, in all bytes. */
static uint64_t even(const planner *p, size_t c)
{
    const uint64_t parts = p->division->parts;

    return p->total / parts * c + p->total % parts * c / parts;
}

/* Whether records of a file can be told apart from any place in it. */
static int is_divisible(const cr__file *file)
{
    const cr__format *format = file->format;

    return !format->documents && file->record == 0 && (format->cut == NULL || format->quote != 0);
}

static void use_file(const planner *p, size_t path, uint64_t before, const file_cuts *c)
{
    cr__division *d = p->division;
    cr__stretch *s = &d->stretch[path];
    const uint64_t from = even(p, d->part), to = even(p, d->part + 1), size = p->size[path];

    s->what = from < before + size && to > before ? CR__STRETCH_BYTES : CR__STRETCH_NONE;
    s->begin = from > before ? c->cut[d->part] : 0;
    s->end = to < before + size ? c->cut[d->part + 1] : UINT64_MAX;
    if (s->what == CR__STRETCH_BYTES && s->begin == s->end)
        s->what = CR__STRETCH_NONE;
    s->counted = s->begin == 0;
}

/* The lines before the stretch: what lies before the last even place, and from there back to the
 * cut. */
static void count_lines(const planner *p, size_t path, const file_cuts *c)
{
    cr__stretch *s = &p->division->stretch[path];
    const size_t part = p->division->part;

    if (s->what != CR__STRETCH_BYTES || s->counted || p->team == NULL)
        return;
    s->lines = cr__scan_census(c->f.bytes, (size_t)c->data, 0).newlines;
    for (size_t n = c->first; n <= part; n++)
        s->lines += c->newlines[n];
    s->lines -=
        cr__scan_census(c->f.bytes + s->begin, (size_t)(c->place[part] - s->begin), 0).newlines;
    s->counted = 1;
}

/* A file that even places fall into. */
static cr_status cut_file(planner *p, size_t path, uint64_t before, file_cuts *c, cr_error *err)
{
    cr_source *source = p->source;
    cr_status st;

    cr__file_release(source->file);
    source->file = NULL;
    source->next_path = path;
    if ((st = cr__input_rewind(source->input[path], err)) != CR_OK ||
        (st = cr__source_open_file(source, err)) != CR_OK)
        return st;
    c->f = (stretch_of_file){source->file, cr__input_mapped(source->input[path], &c->data)};
    if (c->f.bytes == NULL || !is_divisible(source->file)) {
        p->division->stretch[path].what = CR__STRETCH_DEALT;
        return CR_OK;
    }
    for (size_t n = c->first; n <= c->last; n++) {
        const uint64_t place = even(p, n) - before;

        c->place[n] = place > c->data ? place : c->data;
    }
    if (p->team != NULL && (has_quotes(source->file) || p->lines)) {
        memset(p->walked, 0, (p->division->parts + 1) * sizeof *p->walked);
        st = cut_together(c, p->walked, p->team, err);
    } else if (has_quotes(source->file)) {
        cut_alone(c, p->division->part + 1);
    } else {
        for (size_t n = c->first; n <= c->last; n++) {
            int inside = 0;

            c->cut[n] = walk(&c->f, c->data, c->data, &inside);
            if (c->place[n] > c->data) {
                const char *line =
                    memrchr(c->f.bytes + c->data, '\n', (size_t)(c->place[n] - c->data));

                c->cut[n] = line == NULL ? c->data : (uint64_t)(line - c->f.bytes) + 1;
            }
        }
    }
    if (st == CR_OK) {
        use_file(p, path, before, c);
        if (has_quotes(source->file) || p->lines)
            count_lines(p, path, c);
    }
    return st;
}

static cr_status cut_files(planner *p, cr_error *err)
{
    uint64_t before = 0;
    cr_status st = CR_OK;
    size_t next = 1;

    for (size_t i = 0; st == CR_OK && i < p->source->paths; i++) {
        file_cuts c = {.place = p->place, .cut = p->cut, .newlines = p->newlines};

        if (p->size[i] == 0)
            continue;
        while (next < p->division->parts && even(p, next) <= before)
            next++;
        c.first = next;
        while (next < p->division->parts && even(p, next) < before + p->size[i])
            next++;
        c.last = next - 1;
        if (c.first <= c.last)
            st = cut_file(p, i, before, &c, err);
        else
            use_file(p, i, before, &c);
        before += p->size[i];
    }
    return st;
}

/* Whole files to parts, the largest first, each to the part that has least. Returns the most that
 * a part gets. */
static uint64_t give_whole(cr__stretch *stretch, const uint64_t *size, size_t paths, size_t part,
                           size_t parts, uint64_t *load)
{
    uint64_t most = 0;

    memset(load, 0, parts * sizeof *load);
    for (;;) {
        size_t largest = SIZE_MAX, least = 0;

        for (size_t i = 0; i < paths; i++)
            if (size[i] > 0 && stretch[i].what == CR__STRETCH_DEALT &&
                (largest == SIZE_MAX || size[i] > size[largest]))
                largest = i;
        if (largest == SIZE_MAX)
            return most;
        for (size_t k = 1; k < parts; k++)
            if (load[k] < load[least])
                least = k;
        load[least] += size[largest];
        most = load[least] > most ? load[least] : most;
        stretch[largest].what = least == part ? CR__STRETCH_WHOLE : CR__STRETCH_NONE;
    }
}

/* Compressed files: whole ones, or chunks of all, when one part would have far more than others. */
static cr_status divide_packed(planner *p, const uint64_t *packed, cr_error *err)
{
    cr__division *d = p->division;
    uint64_t *load = cr__alloc(d->parts, sizeof *load), total = 0, most;

    if (load == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < p->source->paths; i++)
        total += packed[i];
    most = give_whole(d->stretch, packed, p->source->paths, d->part, d->parts, load);
    for (size_t i = 0; i < p->source->paths && most > total / d->parts + total / d->parts / 2; i++)
        if (packed[i] > 0)
            d->stretch[i].what = CR__STRETCH_DEALT;
    cr__free(load);
    return CR_OK;
}

static cr_status measure(planner *p, uint64_t *packed, cr_error *err)
{
    cr_source *source = p->source;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < source->paths; i++) {
        uint64_t data;

        p->division->stretch[i].what = CR__STRETCH_DEALT;
        if (source->tree[i] != NULL)
            continue;
        if (source->input[i] == NULL)
            st = cr__input_open(&source->input[i], source->path[i], &source->pool, err);
        if (st == CR_OK && cr__input_is_kept(source->input[i])) {
            cr__fail(err, CR_EARG, "a pipe cannot be divided among several processes");
            st = cr__fail_at(err, CR_EARG, cr__path_shown(source->path[i]), 0, 0);
        }
        if (st == CR_OK && cr__input_mapped(source->input[i], &data) != NULL)
            p->total += p->size[i] = cr__input_total(source->input[i]);
        else if (st == CR_OK)
            packed[i] = cr__input_total(source->input[i]);
    }
    return st;
}

void cr__source_join(cr_source *source)
{
    if (source->division != NULL)
        cr__free(source->division->stretch);
    cr__free(source->division);
    source->division = NULL;
}

cr_status cr__source_divide(cr_source *source, size_t part, size_t parts, const cr_team *team,
                            int lines, cr_error *err)
{
    const size_t paths = source->paths;
    planner p = {.source = source, .team = team, .lines = lines};
    uint64_t *packed = cr__alloc_zero(paths + 1, sizeof *packed);
    cr_status st = CR_OK;

    cr__source_join(source);
    p.size = cr__alloc_zero(paths + 1, sizeof *p.size);
    p.cut = cr__alloc_zero(parts + 1, sizeof *p.cut);
    p.place = cr__alloc_zero(parts + 1, sizeof *p.place);
    p.newlines = cr__alloc_zero(parts + 1, sizeof *p.newlines);
    p.walked = cr__alloc_zero(parts + 1, sizeof *p.walked);
    p.division = source->division = cr__alloc_zero(1, sizeof *p.division);
    if (p.division != NULL) {
        *p.division = (cr__division){.part = part, .parts = parts};
        p.division->stretch = cr__alloc_zero(paths + 1, sizeof *p.division->stretch);
    }
    if (packed == NULL || p.size == NULL || p.cut == NULL || p.place == NULL ||
        p.newlines == NULL || p.walked == NULL || p.division == NULL || p.division->stretch == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        st = measure(&p, packed, err);
    if (st == CR_OK)
        st = cut_files(&p, err);
    if (st == CR_OK)
        st = divide_packed(&p, packed, err);
    if (st == CR_OK)
        st = cr__source_rewind(source, err);
    cr__free(packed);
    cr__free(p.size);
    cr__free(p.cut);
    cr__free(p.place);
    cr__free(p.newlines);
    cr__free(p.walked);
    if (st != CR_OK)
        cr__source_join(source);
    return st;
}

int cr__source_is_ordered(cr_source *source)
{
    for (size_t i = 0; i < source->paths; i++) {
        uint64_t data;

        if (source->tree[i] != NULL || strcmp(source->path[i], "-") == 0 ||
            (source->input[i] == NULL &&
             cr__input_open(&source->input[i], source->path[i], &source->pool, NULL) != CR_OK) ||
            cr__input_mapped(source->input[i], &data) == NULL)
            return 0;
    }
    return source->paths > 0 && source->file != NULL && is_divisible(source->file);
}

/* --- while it is read ------------------------------------------------------------------------ */

int cr__division_skips(const cr_source *source)
{
    const cr__division *d = source->division;

    return d != NULL && d->active && source->next_path < source->paths &&
           d->stretch[source->next_path].what == CR__STRETCH_NONE;
}

int cr__division_deals_away(cr_source *source)
{
    cr__division *d = source->division;

    if (d == NULL || !d->active)
        return 0;
    if (source->paths > 0 && d->stretch[source->next_path].what != CR__STRETCH_DEALT)
        return 0;
    return d->dealt++ % d->parts != d->part;
}

void cr__division_enter(cr_source *source)
{
    const cr__division *d = source->division;
    const cr__stretch *s = d == NULL ? NULL : &d->stretch[source->next_path];

    if (d == NULL || !d->active || s->what != CR__STRETCH_BYTES)
        return;
    cr__input_narrow(source->input[source->next_path], s->begin, s->end);
    if (s->begin > 0)
        source->line = 1 + s->lines;
}

void cr__division_mend_line(const cr_source *source, cr_error *err)
{
    const cr__division *d = source->division;

    if (d == NULL || err == NULL || err->line == 0)
        return;
    for (size_t i = 0; i < source->paths; i++) {
        const cr__stretch *s = &d->stretch[i];
        const char *bytes;
        uint64_t data;

        if (s->what != CR__STRETCH_BYTES || s->counted || source->input[i] == NULL ||
            strcmp(source->path[i], err->file) != 0 ||
            (bytes = cr__input_mapped(source->input[i], &data)) == NULL)
            continue;
        err->line += cr__scan_census(bytes, (size_t)s->begin, 0).newlines;
        return;
    }
}
