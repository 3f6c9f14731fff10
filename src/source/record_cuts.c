/* source/record_cuts.c - walking from record to record. */
#include "source/record_cuts.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/team.h"

#define WINDOW ((size_t)1 << 20) /* bytes that are walked at a time */

/* --- walking from record to record ----------------------------------------------------------- */

/* The last record that begins after `from` and not after `to`, or `from` when there is none. On
 * entry *inside says whether `from` is inside quotes (else a record begins there), on return
 * whether `to` is. */
static uint64_t walk(const cr__record_cuts *f, uint64_t from, uint64_t to, int *inside)
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

/* What a member found out about the stretch between two positions. */
typedef struct walked {
    uint64_t guess;      /* assumed beginning of a record, outside quotes */
    uint64_t outside_to; /* the last record from there on */
    uint64_t inside_to;  /* the same from the position on, inside quotes; 0: there is none */
    uint64_t newlines;
    uint64_t outside_ends_inside, inside_ends_inside;
    uint64_t known;
} walked;

static int has_quotes(const cr__file *file)
{
    return file->format->cut != NULL;
}

/* Walk from one position to the next; `from` is the first byte that may begin a record. */
static walked walk_both(const cr__record_cuts *f, uint64_t from, uint64_t place, uint64_t next,
                        int first)
{
    const char *line = first ? NULL : memrchr(f->bytes + from, '\n', (size_t)(place - from));
    walked w = {.guess = line == NULL ? from : (uint64_t)(line - f->bytes) + 1, .known = 1};
    int inside = 0;

    w.outside_to = walk(f, w.guess, next, &inside);
    w.outside_ends_inside = (uint64_t)inside;
    inside = 1;
    if (has_quotes(f->file) && !first) {
        const uint64_t to = walk(f, place, next, &inside);

        w.inside_to = to == place ? 0 : to;
        w.inside_ends_inside = (uint64_t)inside;
    }
    w.newlines = cr__scan_census(f->bytes + place, (size_t)(next - place), 0).newlines;
    return w;
}

/* --- the cuts of one file -------------------------------------------------------------------- */

static uint64_t place_before(const cr__record_cuts *c, size_t number)
{
    return number == c->first ? c->data : c->place[number - 1];
}

/* Chain the walked stretches as far as they fit together. Returns the first cut that is not known
 * yet, and where to walk from; last + 1: all are. */
static size_t chain(cr__record_cuts *c, const walked *w, uint64_t *from)
{
    uint64_t at = c->data;
    int inside = 0;

    for (size_t n = c->first; n <= c->last; n++) {
        *from = at;
        if (!w[n].known || (w[n].guess != at && !inside))
            return n;
        if (w[n].guess == at) {
            inside = w[n].outside_ends_inside != 0;
            at = w[n].outside_to;
        } else {
            at = w[n].inside_to != 0 ? w[n].inside_to : at;
            inside = w[n].inside_ends_inside != 0;
        }
        c->cut[n] = at;
    }
    return c->last + 1;
}

/* Share what one member has walked (0 for all others) with all members. */
static cr_status exchange(const cr_team *team, walked *w, size_t count, cr_error *err)
{
    return cr__team_add(team, (uint64_t *)(void *)w, count * (sizeof *w / sizeof(uint64_t)), err);
}

/* The stretch before cut n is walked by one member. */
static int is_own(const cr_team *team, size_t n, size_t parts)
{
    return cr__part_owner(n - 1, parts, (size_t)team->ranks) == (size_t)team->rank;
}

static cr_status cut_together(cr__record_cuts *c, walked *w, const cr_team *team, cr_error *err)
{
    const size_t parts = c->parts;
    uint64_t from = 0;
    cr_status st;
    size_t n;

    for (n = c->first; n <= c->last; n++)
        if (is_own(team, n, parts))
            w[n] = walk_both(c, c->data, place_before(c, n), c->place[n], n == c->first);
    st = exchange(team, w, parts + 1, err);
    while (st == CR_OK && (n = chain(c, w, &from)) <= c->last) {
        walked again = w[n];
        int inside = 0;

        w[n] = (walked){0};
        if (is_own(team, n, parts)) {
            again.guess = from;
            again.outside_to = walk(c, from, c->place[n], &inside);
            again.outside_ends_inside = (uint64_t)inside;
            w[n] = again;
        }
        st = exchange(team, w + n, 1, err);
    }
    return st;
}

/* A single process walks through everything before the last cut that it needs. */
static void cut_alone(cr__record_cuts *c, size_t until)
{
    uint64_t at = c->data;

    for (size_t n = c->first; n <= c->last && n <= until; n++) {
        int inside = 0;

        at = c->cut[n] = walk(c, at, c->place[n], &inside);
    }
}

/* Where records are lines, a cut is the line end before the place. */
static void cut_lines(cr__record_cuts *c)
{
    for (size_t n = c->first; n <= c->last; n++) {
        const size_t size = (size_t)(c->place[n] - c->data);
        const char *line = memrchr(c->bytes + c->data, '\n', size);

        c->cut[n] = line == NULL ? c->data : (uint64_t)(line - c->bytes) + 1;
    }
}

/* The lines before each cut: those before its place, minus those from the cut to the place. */
static void count_lines(cr__record_cuts *c, const walked *w)
{
    uint64_t lines = cr__scan_census(c->bytes, (size_t)c->data, 0).newlines;

    for (size_t n = c->first; n <= c->last; n++) {
        const size_t back = (size_t)(c->place[n] - c->cut[n]);

        lines += w[n].newlines;
        c->lines[n] = lines - cr__scan_census(c->bytes + c->cut[n], back, 0).newlines;
    }
}

int cr__records_divide(const cr__file *file)
{
    const cr__format *format = file->format;

    return !format->documents && file->record == 0 && (format->cut == NULL || format->quote != 0);
}

size_t cr__part_owner(size_t part, size_t parts, size_t members)
{
    return part * members / parts;
}

cr_status cr__record_cuts_find(cr__record_cuts *c, const cr_team *team, int lines, size_t until,
                               int *counted, cr_error *err)
{
    walked *w;
    cr_status st;

    *counted = team != NULL && (has_quotes(c->file) || lines);
    if (!*counted && has_quotes(c->file))
        cut_alone(c, until);
    else if (!*counted)
        cut_lines(c);
    if (!*counted)
        return CR_OK;
    if ((w = cr__alloc_zero(c->parts + 1, sizeof *w)) == NULL)
        return cr__fail_memory(err);
    if ((st = cut_together(c, w, team, err)) == CR_OK)
        count_lines(c, w);
    cr__free(w);
    return st;
}
