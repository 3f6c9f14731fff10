/* source/csv.c - delimited text: CSV by RFC 4180, with any delimiter, and TSV.
 *
 * A field may be quoted; then it may hold delimiters and line ends, and "" stands for a quote. A
 * quote inside a field that does not begin with one is an ordinary character. Blanks around a field
 * do not belong to it. Lines may end in CR LF. Empty lines and comment lines are skipped. Bytes
 * that are not UTF-8 are kept as they are.
 */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "source/delimited.h"
#include "source/strip.h"

#define STRIP_SIZE ((size_t)16 << 10) /* text that stays in the first-level cache */
#define QUOTE CR__QUOTE

/* --- separators in quoted text ------------------------------------------------------------- */

typedef struct walker {
    enum { IN_FIELD, IN_QUOTES, IN_COMMENT } state;
    size_t field;  /* offset where the field begins */
    size_t opened; /* offset of the last opening quote, not the second of "" */
    size_t closed; /* offset after the last closing quote */
    int odd;       /* there were quotes that do not simply enclose a field */
} walker;

static walker begin_walk(const cr__file *file, const char *bytes, size_t from)
{
    const char comment = file->source->comment;
    walker w = {.state = IN_FIELD, .field = from, .closed = SIZE_MAX};

    if (comment != 0 && bytes[from] == comment)
        w.state = IN_COMMENT;
    return w;
}

static int only_blanks(const char *from, const char *to)
{
    while (from < to && (*from == ' ' || *from == '\t'))
        from++;
    return from == to;
}

/* Process one delimiter, newline or quote. Returns whether it is a mark. */
static inline int step(walker *w, const cr__file *file, const char *bytes, size_t at)
{
    const char c = bytes[at];

    switch (w->state) {
    case IN_QUOTES:
        if (c == QUOTE) {
            w->state = IN_FIELD;
            w->closed = at + 1;
        }
        return 0;
    case IN_COMMENT:
        if (c != '\n')
            return 0;
        break;
    default:
        if (c != QUOTE)
            break;
        if (at == w->closed || at == w->field || only_blanks(bytes + w->field, bytes + at)) {
            w->opened = at == w->closed ? w->opened : at;
            w->state = IN_QUOTES;
        }
        return 0;
    }
    w->field = at + 1;
    w->state = c == '\n' && file->source->comment != 0 && bytes[at + 1] == file->source->comment
                   ? IN_COMMENT
                   : IN_FIELD;
    return 1;
}

/* Bit i: whether the number of set bits up to i is odd. */
static uint64_t prefix_parity(uint64_t bits)
{
    for (int shift = 1; shift < 64; shift *= 2)
        bits ^= bits << shift;
    return bits;
}

static size_t after_last(uint64_t bits, size_t base)
{
    return base + 64 - (size_t)__builtin_clzll(bits);
}

/* 64 bytes at once, when every opening quote directly follows a separator or a closing quote: then
 * the parity of the quotes says what is inside. 0: it is not that simple. */
static int walk_block(walker *w, const cr__masks *masks, size_t base, uint64_t *marks)
{
    const uint64_t inside =
        prefix_parity(masks->quote) ^ (w->state == IN_QUOTES ? ~(uint64_t)0 : 0);
    const uint64_t separators = masks->delimiter | masks->newline;
    const uint64_t opening = masks->quote & inside, closing = masks->quote & ~inside;
    const uint64_t again = opening & (closing << 1 | (w->closed == base));

    if (opening & ~(again | separators << 1 | (w->field == base)))
        return 0;
    *marks = separators & ~inside;
    w->odd |= again != 0;
    if (*marks != 0)
        w->field = after_last(*marks, base);
    if (opening & ~again)
        w->opened = after_last(opening & ~again, base) - 1;
    if (closing != 0)
        w->closed = after_last(closing, base);
    w->state = inside >> 63 ? IN_QUOTES : IN_FIELD;
    return 1;
}

/* As cr__scan_marks, for text with quotes. */
static size_t walk_marks(walker *w, const cr__file *file, const char *bytes, size_t from, size_t to,
                         uint32_t *mark, size_t *newlines)
{
    size_t count = 0;

    *newlines = 0;
    for (size_t base = from; base < to; base += 64) {
        cr__masks masks = cr__scan_masks(bytes + base, file->delimiter, QUOTE);
        const uint64_t keep = to - base < 64 ? ((uint64_t)1 << (to - base)) - 1 : ~(uint64_t)0;
        uint64_t marks = 0;

        masks = (cr__masks){masks.delimiter & keep, masks.newline & keep, masks.quote & keep};
        if (file->source->comment != 0 || !walk_block(w, &masks, base, &marks)) {
            uint64_t bits = masks.delimiter | masks.newline | masks.quote;

            w->odd = 1;
            for (; bits != 0; bits &= bits - 1)
                if (step(w, file, bytes, base + (size_t)__builtin_ctzll(bits)))
                    marks |= bits & -bits;
        }
        *newlines += (size_t)__builtin_popcountll(marks & masks.newline);
        count += cr__scan_spread(marks, base, mark + count);
    }
    return count;
}

static size_t cut(const cr__file *file, const char *bytes, size_t size, int *inside)
{
    uint32_t mark[4096 + 64];
    walker w = begin_walk(file, bytes, 0);
    size_t end = 0;

    if (*inside)
        w.state = IN_QUOTES;
    for (size_t from = 0; from < size; from += 4096) {
        const size_t to = size - from < 4096 ? size : from + 4096;
        size_t newlines, count = walk_marks(&w, file, bytes, from, to, mark, &newlines);

        while (newlines > 0 && bytes[mark[count - 1]] != '\n')
            count--;
        if (newlines > 0)
            end = (size_t)mark[count - 1] + 1;
    }
    *inside = w.state == IN_QUOTES;
    return end;
}

/* --- strips -------------------------------------------------------------------------------- */

typedef struct gathered { /* marks of some text that begins with a record */
    uint32_t *mark;       /* [count], and before it the byte before the text */
    size_t count, newlines;
    walker walk; /* where it stopped */
} gathered;

/* Find the marks of at least one record, and of as many as fit a strip. Without any newline the
 * text ends before the record does. */
static cr_status gather(cr__block *block, const cr__file *file, const char *bytes, size_t from,
                        size_t size, int quoted, gathered *g, cr_error *err)
{
    const size_t begin = from;

    *g = (gathered){.walk = begin_walk(file, bytes, from)};
    while (from < size && g->newlines == 0) {
        const size_t to = size - from < STRIP_SIZE ? size : from + STRIP_SIZE;
        size_t newlines;

        if (!cr__grow(&block->mark, &block->mark_capacity, 1 + g->count + STRIP_SIZE + 64,
                      sizeof *block->mark))
            return cr__fail_memory(err);
        g->mark = block->mark + 1;
        if (quoted)
            g->count += walk_marks(&g->walk, file, bytes, from, to, g->mark + g->count, &newlines);
        else
            g->count +=
                cr__scan_marks(bytes, from, to, file->delimiter, g->mark + g->count, &newlines);
        g->newlines = newlines;
        from = to;
    }
    block->mark[0] = (uint32_t)begin - 1;
    return CR_OK;
}

/* Whether all records have the right number of fields and none is to be skipped. If there are as
 * many newlines as records, each where a record should end, there is no other. */
static int is_regular(const cr__file *file, const char *bytes, const gathered *g)
{
    const size_t fields = file->fields, rows = g->newlines;

    if (fields < 2 || file->source->comment != 0 || rows * fields > g->count)
        return 0;
    for (size_t r = 1; r <= rows; r++)
        if (bytes[g->mark[r * fields - 1]] != '\n')
            return 0;
    return 1;
}

static void set_record(cr__record *record, const char *bytes, size_t begin, size_t end, size_t line)
{
    *record = (cr__record){bytes + begin, end - begin, line};
    if (end > begin && bytes[end - 1] == '\r')
        record->size--;
}

/* The line after a record that ends at `end`. */
static size_t next_line(const cr__chunk *chunk, size_t begin, size_t end)
{
    if (!((const cr__block *)chunk->block)->quoted)
        return chunk->line + 1;
    return chunk->line + 1 + cr__scan_census(chunk->bytes + begin, end - begin, 0).newlines;
}

static void take_regular(cr__chunk *chunk, const gathered *g, size_t room, cr__strip *strip,
                         cr__record *record)
{
    strip->regular = 1;
    strip->rows = g->newlines < room ? g->newlines : room;
    for (size_t r = 0; r < strip->rows; r++) {
        const size_t end = g->mark[(r + 1) * strip->fields - 1];

        set_record(&record[r], chunk->bytes, chunk->position, end, chunk->line);
        chunk->line = next_line(chunk, chunk->position, end);
        chunk->position = end + 1;
    }
}

static cr_status fail_ragged(const cr__chunk *chunk, size_t found, cr_error *err)
{
    const size_t fields = chunk->file->fields;

    cr__chunk_fail(chunk, chunk->line, found < fields ? found : fields + 1, err,
                   "the record has %zu field%s, but %zu %s expected", found, found == 1 ? "" : "s",
                   fields, fields == 1 ? "is" : "are");
    return cr__fail_hint(err, CR_EFORMAT, "%s",
                         found > fields ? "a field that contains the delimiter must be quoted"
                                        : "every record must have as many fields as the header");
}

/* Take the records one by one: close the gaps that empty lines and comments leave among the marks,
 * and stop before a record with a wrong number of fields, which is an error when it is the first.
 */
static cr_status take_irregular(cr__chunk *chunk, const gathered *g, size_t room, cr__strip *strip,
                                cr__record *record, cr_error *err)
{
    const char comment = chunk->file->source->comment;
    size_t kept = 0;

    for (size_t k = 0, last; k < g->count && strip->rows < room; k = last + 1) {
        const size_t begin = chunk->position;
        size_t found;

        for (last = k; last < g->count && chunk->bytes[g->mark[last]] != '\n'; last++)
            ;
        if (last == g->count)
            break;
        found = last - k + 1;
        if (!(comment != 0 && chunk->bytes[begin] == comment) &&
            !(found == 1 && cr__is_empty(chunk->bytes + begin, chunk->bytes + g->mark[k]))) {
            if (found != strip->fields)
                return strip->rows > 0 ? CR_OK : fail_ragged(chunk, found, err);
            memmove(g->mark + kept, g->mark + k, found * sizeof *g->mark);
            kept += found;
            set_record(&record[strip->rows++], chunk->bytes, begin, g->mark[kept - 1], chunk->line);
        }
        chunk->line = next_line(chunk, begin, g->mark[last]);
        chunk->position = (size_t)g->mark[last] + 1;
    }
    return CR_OK;
}

/* --- parsing ------------------------------------------------------------------------------- */

static cr_status fail_field(const cr__chunk *chunk, const cr__strip *strip, size_t field,
                            cr_status st, cr_error *err)
{
    const cr__cell *cell = &cr__chunk_cells(chunk)[field];
    const size_t line = strip->record[strip->rows].line;
    char shown[48];
    size_t length;
    const char *text = cr__strip_field(strip, strip->rows, field, &length);

    if (st == CR__BAD_QUOTE) {
        cr__chunk_fail(chunk, line, field + 1, err, "text follows the closing quote: %s",
                       cr__printable(shown, sizeof shown, text, length));
        return cr__fail_hint(err, CR_EFORMAT, "a quote inside a quoted field is written twice");
    }
    return cr__cell_fail(err, st, cell, text, length, chunk->file->name, line, field + 1);
}

/* By columns. Of several errors the one in the first row is reported, as if the rows were read one
 * by one. */
static cr_status put_strip(const cr__chunk *chunk, cr__strip *strip, cr__plan *plan, cr_error *err)
{
    cr__block *block = chunk->block;
    size_t fault = 0;
    cr_status st = CR_OK, failed = CR_OK;
    cr__plan told = *plan;

    for (size_t f = 0; f < strip->fields; f++) {
        st = cr__strip_put(strip, f, &block->cell[f], plan, &block->scratch);
        if (st != CR_OK) {
            failed = st;
            fault = f;
            told = *plan;
        }
    }
    if (failed == CR_OK)
        return CR_OK;
    *plan = told;
    return fail_field(chunk, strip, fault, failed, err);
}

static cr_status fail_open_quote(const cr__chunk *chunk, const walker *walk, cr_error *err)
{
    const size_t before =
        cr__scan_census(chunk->bytes + chunk->position, walk->opened - chunk->position, 0).newlines;

    cr__chunk_fail(chunk, chunk->line + before, 0, err,
                   "the quote that opens here is never closed");
    return cr__fail_hint(err, CR_EFORMAT, "a quote inside a quoted field is written twice");
}

cr_status cr__delimited_parse(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err)
{
    const cr__file *file = chunk->file;
    cr__block *block = chunk->block;
    cr_status st;

    while (batch->rows < batch->capacity && chunk->position < chunk->size) {
        cr__strip strip = {.bytes = chunk->bytes,
                           .fields = file->fields,
                           .record = batch->record + batch->rows,
                           .first = batch->rows};
        const size_t room = batch->capacity - batch->rows;
        gathered g;

        st =
            gather(block, file, chunk->bytes, chunk->position, chunk->size, block->quoted, &g, err);
        if (st != CR_OK)
            return st;
        if (g.newlines == 0)
            return batch->rows > 0 ? CR_OK : fail_open_quote(chunk, &g.walk, err);
        strip.mark = g.mark;
        strip.quotes = !block->quoted ? CR__STRIP_BARE
                       : g.walk.odd   ? CR__STRIP_ODD
                                      : CR__STRIP_QUOTED;
        if (is_regular(file, chunk->bytes, &g))
            take_regular(chunk, &g, room, &strip, batch->record + batch->rows);
        else if ((st = take_irregular(chunk, &g, room, &strip, batch->record + batch->rows, err)) !=
                 CR_OK)
            return batch->rows > 0 ? CR_OK : st;
        if (strip.rows > 0 && (st = put_strip(chunk, &strip, plan, err)) != CR_OK)
            return st;
        batch->rows += strip.rows;
    }
    return CR_OK;
}

static cr_status split(const cr__chunk *chunk, const cr__record *record, cr__fields *fields,
                       cr_error *err)
{
    const cr__file *file = chunk->file;
    const size_t from = (size_t)(record->bytes - chunk->bytes);
    cr__strip strip = {.bytes = chunk->bytes, .fields = file->fields, .rows = 1, .record = record};
    gathered g;
    cr_status st = gather(chunk->block, file, chunk->bytes, from, from + record->size + 2,
                          memchr(record->bytes, QUOTE, record->size) != NULL, &g, err);

    if (st != CR_OK)
        return st;
    if (g.count < file->fields)
        return cr__chunk_fail(chunk, record->line, 0, err, "the record is not one of this chunk");
    strip.mark = g.mark;
    for (size_t f = 0; f < file->fields; f++) {
        fields->bytes[f] = cr__strip_field(&strip, 0, f, &fields->size[f]);
        cr__strip_unquote(&fields->bytes[f], &fields->size[f], fields->scratch);
    }
    return CR_OK;
}

/* --- headers ------------------------------------------------------------------------------- */

#define LOOKED_AT 32 /* records used to find the delimiter */

/* How many of the first records have as many fields as the first one; *fields is that number. */
static size_t count_alike(const cr__file *file, const char *bytes, size_t size, size_t *fields)
{
    walker w = begin_walk(file, bytes, 0);
    size_t alike = 0, records = 0, found = 1;

    *fields = 1;
    for (size_t i = 0; i < size && records < LOOKED_AT; i++) {
        const int comment = w.state == IN_COMMENT;

        if ((bytes[i] != file->delimiter && bytes[i] != '\n' && bytes[i] != QUOTE) ||
            !step(&w, file, bytes, i))
            continue;
        if (bytes[i] != '\n') {
            found++;
            continue;
        }
        if (!comment && (found > 1 || records > 0)) {
            *fields = records == 0 ? found : *fields;
            alike += found == *fields;
            records++;
        }
        found = 1;
    }
    *fields = records == 0 ? found : *fields;
    return alike;
}

/* The candidate that splits most of the first records into the same number of fields; ties go to
 * the one that gives more fields. */
static void find_delimiter(cr__file *file, const cr__view *view)
{
    static const char candidates[] = {',', ';', '\t', '|'};
    const size_t size = view->size < STRIP_SIZE ? view->size : STRIP_SIZE;
    size_t best_alike = 0, best_fields = 1;
    char best = ',';

    for (size_t i = 0; i < sizeof candidates; i++) {
        size_t fields, alike;

        file->delimiter = candidates[i];
        alike = count_alike(file, view->bytes, size, &fields);
        if (fields > 1 && (alike > best_alike || (alike == best_alike && fields > best_fields))) {
            best = candidates[i];
            best_alike = alike;
            best_fields = fields;
        }
    }
    file->delimiter = best;
}

/* Where the first record that is neither empty nor a comment begins; SIZE_MAX when it is not
 * visible yet. */
static size_t first_record(const cr__file *file, const cr__view *view)
{
    size_t at = 0;

    while (at < view->size) {
        const char *line = view->bytes + at;
        const char *end = memchr(line, '\n', view->size - at);

        if (end == NULL && !view->whole)
            return SIZE_MAX;
        if (end == NULL)
            end = view->bytes + view->size;
        if (!(file->source->comment != 0 && *line == file->source->comment) &&
            !cr__is_empty(line, end))
            return at;
        at = (size_t)(end - view->bytes) + 1;
    }
    return SIZE_MAX;
}

/* Given names, which replace those of a header or stand in for one. */
static cr_status add_given_names(cr__file *file, size_t found, cr_error *err)
{
    const char *name = file->source->columns;
    cr_status st = CR_OK;
    size_t field, count = 0;

    for (int more = 1; st == CR_OK && more; count++) {
        const size_t length = strcspn(name, ",");

        more = name[length] == ',';
        st = cr__file_add(file, name, length, &field, err);
        name += length + 1;
    }
    if (st == CR_OK && count != found) {
        cr__fail(err, CR_EARG, "%zu column names are given for %zu column%s", count, found,
                 found == 1 ? "" : "s");
        st = cr__fail_hint(err, CR_EARG,
                           CR__SET("delimiter") " names the delimiter, " CR__SET(
                               "comment") " skips lines before the table");
    }
    return st;
}

static cr_status add_position(cr__file *file, size_t position, cr_error *err)
{
    char name[32];
    size_t field;

    return cr__file_add(file, name, (size_t)snprintf(name, sizeof name, "c%zu", position + 1),
                        &field, err);
}

/* Programs that number the rows leave the name of that column empty. */
static void note_nameless(const cr__file *file, size_t nameless, size_t last)
{
    if (nameless == 1)
        cr__source_note(
            file->source, "column %zu of %s has no name and is called c%zu%s", last + 1, file->name,
            last + 1,
            last == 0 ? "; if it numbers the rows, " CR__SET("type c1=ignore") " leaves it out"
                      : "");
    else if (nameless > 1)
        cr__source_note(file->source,
                        "%zu of the columns of %s have no name and are called by position",
                        nameless, file->name);
}

static cr_status add_names(cr__file *file, const cr__strip *strip, cr__buffer *scratch,
                           cr_error *err)
{
    cr_source *source = file->source;
    size_t field, numbers = 0, nameless = 0, last = 0;
    cr_status st = CR_OK;

    if (source->columns != NULL)
        return add_given_names(file, strip->fields, err);
    for (size_t f = 0; st == CR_OK && f < strip->fields; f++) {
        size_t length;
        const char *name = cr__strip_field(strip, 0, f, &length);
        double number;

        if (!source->no_header && !cr__strip_unquote(&name, &length, scratch))
            return cr__fail_at(err, cr__fail(err, CR_EFORMAT, "text follows the closing quote"),
                               file->name, strip->record->line, f + 1);
        if (source->no_header || length == 0) {
            nameless += !source->no_header;
            last = f;
            st = add_position(file, f, err);
        } else {
            numbers += cr__parse_double(name, length, &number) == CR__NUMBER_OK;
            st = cr__file_add(file, name, length, &field, err);
        }
        if (st != CR_OK)
            return cr__fail_at(err, st, file->name, strip->record->line, f + 1);
    }
    note_nameless(file, nameless, last);
    if (numbers > 0)
        cr__source_note(source,
                        "the first line of %s looks like data, not like names: use " CR__SET(
                            "no-header") " if it is",
                        file->name);
    return st;
}

static cr_status read_names(cr__file *file, cr__block *block, const cr__view *view, size_t from,
                            size_t *used, cr_error *err)
{
    cr__record record;
    cr__strip strip = {.bytes = view->bytes, .rows = 1, .record = &record};
    gathered g;
    cr_status st = gather(block, file, view->bytes, from, view->size, 1, &g, err);

    if (st != CR_OK)
        return st;
    record.line = 1 + cr__scan_census(view->bytes, from, 0).newlines;
    if (g.newlines == 0) {
        *used = SIZE_MAX;
        if (!view->whole)
            return CR_OK;
        if (g.walk.state == IN_QUOTES)
            return cr__fail_at(err,
                               cr__fail(err, CR_EFORMAT, "a quote in the header is never closed"),
                               file->name, record.line, 0);
        g.mark[g.count] = (uint32_t)view->size; /* there is room for it */
    }
    while (strip.fields < g.count && view->bytes[g.mark[strip.fields]] != '\n')
        strip.fields++;
    set_record(&record, view->bytes, from, g.mark[strip.fields], record.line);
    *used = file->source->no_header ? from
            : g.newlines == 0       ? view->size
                                    : (size_t)g.mark[strip.fields] + 1;
    strip.fields++;
    strip.mark = g.mark;
    if (cr__buffer_reserve(&block->scratch, record.size) == NULL)
        return cr__fail_memory(err);
    return add_names(file, &strip, &block->scratch, err);
}

/* How many words, separated by any number of blanks, each of the first lines has; 0 when the
 * numbers differ. */
static size_t count_words(const char *bytes, size_t size)
{
    size_t words = 0, found = 0, lines = 0;
    int inside = 0;

    for (size_t i = 0; i < size && lines < LOOKED_AT; i++) {
        const int blank = bytes[i] == ' ' || bytes[i] == '\t' || bytes[i] == '\r';

        if (bytes[i] != '\n') {
            found += !blank && !inside;
            inside = !blank;
            continue;
        }
        if (found > 0 && lines++ > 0 && found != words)
            return 0;
        words = found > 0 ? found : words;
        found = 0;
        inside = 0;
    }
    return lines > 1 ? words : 0;
}

/* A table of one column is rare: perhaps the delimiter is a different one. */
static void note_delimiter(cr__file *file, const cr__view *view)
{
    static const char candidates[] = {' ', ';', ',', '\t', '|', ':'};
    const size_t size = view->size < STRIP_SIZE ? view->size : STRIP_SIZE;
    const size_t lines = cr__scan_census(view->bytes, size, 0).newlines;
    const size_t words = count_words(view->bytes, size);
    const char delimiter = file->delimiter;
    int told = 0;

    for (size_t i = 0; i < sizeof candidates && !told; i++) {
        size_t fields, alike;

        file->delimiter = candidates[i];
        alike = count_alike(file, view->bytes, size, &fields);
        if (candidates[i] != delimiter && fields > 1 && alike > 1 &&
            alike == (lines < LOOKED_AT ? lines : LOOKED_AT)) {
            cr__source_note(file->source,
                            "%s has only one column; its lines would have %zu fields with -d '%s'",
                            file->name, fields,
                            candidates[i] == '\t' ? "\\t" : (char[]){candidates[i], 0});
            told = 1;
        }
    }
    if (!told && words > 1)
        cr__source_note(file->source,
                        "%s has only one column; its lines have %zu words each, which "
                        "awk '{$1=$1} 1' OFS=, makes fields of",
                        file->name, words);
    file->delimiter = delimiter;
}

static cr_status header(cr__file *file, const cr__view *view, size_t *used, cr_error *err)
{
    const size_t from = first_record(file, view);
    cr__block *block;
    cr_status st;

    *used = SIZE_MAX;
    if (from == SIZE_MAX)
        return view->whole ? cr__fail(err, CR_EFORMAT, "the file has no records") : CR_OK;
    if (file->delimiter == 0)
        find_delimiter(file, view);
    if ((block = cr__block_get(&file->source->pool)) == NULL)
        return cr__fail_memory(err);
    st = read_names(file, block, view, from, used, err);
    cr__block_put(block);
    if (st == CR_OK && *used == SIZE_MAX)
        file->delimiter =
            file->format->delimiter != 0 ? file->format->delimiter : file->source->delimiter;
    else if (st == CR_OK && file->fields == 1)
        note_delimiter(file, view);
    return st;
}

const cr__format cr__format_csv = {
    .name = "csv",
    .summary =
        "one record per line, fields separated by a comma, semicolon, tab, | or another delimiter",
    .suffixes = ".csv",
    .quote = QUOTE,
    .header = header,
    .cut = cut,
    .parse = cr__delimited_parse,
    .split = split,
};

const cr__format cr__format_tsv = {
    .name = "tsv",
    .summary = "one record per line, fields separated by tabs",
    .suffixes = ".tsv .tab",
    .delimiter = '\t',
    .quote = QUOTE,
    .header = header,
    .cut = cut,
    .parse = cr__delimited_parse,
    .split = split,
};
