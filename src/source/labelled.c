/* source/labelled.c - one text per line with its label in front: "label<TAB>text", or "__label__x
 * text" as in fastText.
 *
 * The first line shows which of the two it is; a first line with neither means that no line has a
 * label. A text is used as it is: there are no quotes, and any further TAB belongs to it.
 */
#include <string.h>

#include "base/fail.h"
#include "source/lines.h"

#define PREFIX "__label__"
#define PREFIX_SIZE (sizeof PREFIX - 1)

enum { LABEL, TEXT };

/* How lines have their labels: kept as the file's delimiter. */
enum { BY_TAB = '\t', BY_PREFIX = '_', WITHOUT = '\n' };

static int has_prefix(const char *text, const char *end)
{
    return (size_t)(end - text) >= PREFIX_SIZE && memcmp(text, PREFIX, PREFIX_SIZE) == 0;
}

/* --- recognising it ------------------------------------------------------------------------- */

#define LOOKED_AT 64  /* lines */
#define LABEL_MOST 32 /* bytes of a label, when it is to be recognised */

typedef struct line {
    const char *begin, *tab, *end;
} line;

/* The next line that is not empty; 0 when it is not whole. */
static int next_line(const char **at, const char *stop, line *next)
{
    while (*at < stop && (**at == '\n' || **at == '\r'))
        ++*at;
    next->begin = *at;
    next->end = memchr(*at, '\n', (size_t)(stop - *at));
    if (next->end == NULL)
        return 0;
    *at = next->end + 1;
    next->tab = memchr(next->begin, '\t', (size_t)(next->end - next->begin));
    return 1;
}

static size_t count_blanks(const char *begin, const char *end)
{
    size_t blanks = 0;

    for (; begin < end; begin++)
        blanks += *begin == ' ';
    return blanks;
}

/* Whether there is exactly one TAB, with a short word before it. */
static int is_labelled(const line *l)
{
    return l->tab != NULL && l->tab > l->begin && l->tab - l->begin <= LABEL_MOST &&
           count_blanks(l->begin, l->tab) == 0 &&
           memchr(l->tab + 1, '\t', (size_t)(l->end - l->tab - 1)) == NULL;
}

static int same_label(const line *a, const line *b)
{
    return a->tab - a->begin == b->tab - b->begin &&
           memcmp(a->begin, b->begin, (size_t)(a->tab - a->begin)) == 0;
}

/* Labels repeat and texts have several words. The first line is one of a table with names when its
 * text is one word and its label occurs nowhere else. */
static int are_labelled(const line *lines, size_t count)
{
    size_t labels = 0, again = 0, blanks = 0;

    for (size_t i = 0; i < count; i++) {
        size_t same = 0;

        if (!is_labelled(&lines[i]))
            return 0;
        while (same < i && !same_label(&lines[same], &lines[i]))
            same++;
        labels += same == i;
        again += i > 0 && same == 0;
        blanks += count_blanks(lines[i].tab, lines[i].end);
    }
    return count >= 2 && labels <= (count + 1) / 2 && blanks >= 2 * count &&
           (again > 0 || count_blanks(lines[0].tab, lines[0].end) > 0);
}

static int recognise(const char *bytes, size_t size)
{
    const char *at = bytes, *stop = bytes + size;
    line lines[LOOKED_AT];
    size_t count = 0, prefixed = 0;

    while (count < LOOKED_AT && next_line(&at, stop, &lines[count])) {
        prefixed += has_prefix(lines[count].begin, lines[count].end);
        count++;
    }
    if (count == 0)
        return has_prefix(bytes, stop);
    return prefixed == count || (prefixed == 0 && are_labelled(lines, count));
}

/* --- reading it ----------------------------------------------------------------------------- */

static cr_status header(cr__file *file, const cr__view *view, size_t *used, cr_error *err)
{
    const char *at = view->bytes, *stop = view->bytes + view->size;
    line first;

    *used = SIZE_MAX;
    if (!next_line(&at, stop, &first)) {
        if (!view->whole)
            return CR_OK;
        first.end = stop;
        first.tab = memchr(first.begin, '\t', (size_t)(stop - first.begin));
    }
    file->delimiter = has_prefix(first.begin, first.end) ? BY_PREFIX
                      : first.tab != NULL                ? BY_TAB
                                                         : WITHOUT;
    *used = 0;
    return cr__texts_header(file, "label", err);
}

static cr_status fail_tab(const cr__sink *sink)
{
    cr__sink_fail(sink, 1, "the line has no TAB between a label and a text");
    return cr__fail_hint(sink->err, CR_EFORMAT, "every line must be like the first");
}

static cr_status fail_labels(const cr__sink *sink)
{
    cr__sink_fail(sink, 1, "the line has more than one label");
    return cr__fail_hint(sink->err, CR_EFORMAT,
                         "a text has one class: keep one " PREFIX " of each line");
}

/* The label of a line, which may be empty, and where the text begins. */
static cr_status take_label(const cr__sink *sink, const char **label, size_t *length,
                            const char **text)
{
    const char *begin = sink->record->bytes, *end = begin + sink->record->size, *p;

    *label = *text = begin;
    *length = 0;
    if (sink->chunk->file->delimiter == BY_TAB) {
        if ((p = memchr(begin, '\t', sink->record->size)) == NULL)
            return fail_tab(sink);
        *length = (size_t)(p - begin);
        *text = p + 1;
    } else if (sink->chunk->file->delimiter == BY_PREFIX && has_prefix(begin, end)) {
        *label = p = begin + PREFIX_SIZE;
        while (p < end && *p != ' ' && *p != '\t')
            p++;
        *length = (size_t)(p - *label);
        while (p < end && cr__is_blank(*p))
            p++;
        *text = p;
        if (has_prefix(p, end))
            return fail_labels(sink);
    }
    return CR_OK;
}

static cr_status scan(cr__sink *sink)
{
    const char *label, *text, *end = sink->record->bytes + sink->record->size;
    size_t length;
    cr_status st;

    if (sink->record->size > cr__file_record_limit(sink->chunk->file))
        return cr__file_fail_long(sink->chunk->file, sink->record->line, sink->err);
    if ((st = take_label(sink, &label, &length, &text)) != CR_OK)
        return st;
    if (sink->batch == NULL) {
        st = length > 0 ? cr__sink_put(sink, LABEL, label, length, CR__FROM_CHUNK) : CR_OK;
        return st != CR_OK ? st
                           : cr__sink_put(sink, TEXT, text, (size_t)(end - text), CR__FROM_CHUNK);
    }
    cr__trim(&label, &length);
    if (length > 0)
        st = cr__sink_put(sink, LABEL, label, length, CR__FROM_CHUNK);
    else if ((st = cr__cell_put_class(sink->plan, &sink->cell[LABEL], sink->row, label, 0)) !=
             CR_OK)
        st = cr__sink_refuse(sink, LABEL, label, 0, st);
    if (st != CR_OK)
        return st;
    st =
        cr__cell_put_document(sink->plan, &sink->cell[TEXT], sink->row, text, (size_t)(end - text));
    return st == CR_OK ? st : cr__sink_refuse(sink, TEXT, text, (size_t)(end - text), st);
}

static cr_status parse(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err)
{
    return cr__lines_parse(chunk, plan, batch, scan, chunk->file->source->comment, err);
}

static cr_status split(const cr__chunk *chunk, const cr__record *record, cr__fields *fields,
                       cr_error *err)
{
    return cr__lines_split(chunk, record, fields, scan, err);
}

const cr__format cr__format_labelled = {
    .name = "labelled",
    .summary = "one text per line after its label: label<TAB>text, or __label__x text",
    .suffixes = ".ft .fasttext",
    .target_first = 1,
    .declared = 1,
    .recognise = recognise,
    .header = header,
    .parse = parse,
    .split = split,
};
