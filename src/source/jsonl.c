/* source/jsonl.c - JSON Lines: one object per line.
 *
 * Keys are columns; the keys of a nested object are joined to its key with a dot. A key that is
 * absent or null is missing. Strings are words even when they look like numbers; true and false are
 * words too. Arrays do not fit into a table: they are refused unless their key is ignored. In
 * tables the keys usually repeat in the same order and spelling, so the next one is guessed: when
 * the bytes are the same as last time, it is the same key and need not be parsed.
 */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "source/json_strip.h"
#include "source/lines.h"

#define DEPTH_MAX 64
#define NO_FIELD SIZE_MAX
#define FIRST 0 /* stamp of the place before the first key; field i has stamp i + 1 */

typedef struct scanner {
    cr__sink *sink;
    const char *p, *end; /* *end is a line end */
    const char *opening; /* after the brace or comma before this pair */
    cr__block *block;
    size_t stamps; /* that are there */
    size_t record; /* number of this record */
    size_t before; /* stamp of the key before */
    size_t depth;
    size_t prefix[DEPTH_MAX]; /* how much of block->path belongs to each open object */
} scanner;

static cr_status malformed(const scanner *s, const char *what)
{
    char shown[32];

    cr__sink_fail(s->sink, 0, "%s at character %zu: %s", what,
                  (size_t)(s->p - s->sink->record->bytes) + 1,
                  s->p < s->end ? cr__printable(shown, sizeof shown, s->p, (size_t)(s->end - s->p))
                                : "the line ends");
    return cr__fail_hint(s->sink->err, CR_EFORMAT,
                         "every line must be one JSON object: jq -c . puts each on a line, jq -c "
                         "'.[]' those of an array");
}

/* --- strings ------------------------------------------------------------------------------- */

typedef struct text {
    const char *bytes;
    size_t length;
    cr__origin origin;
} text;

/* Eight bytes at a time up to a quote or backslash: (x - 01..) & ~x & 80.. finds zero bytes. */
static inline const char *find_special(const char *p)
{
    const uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;

    for (;; p += 8) {
        uint64_t word, quote, slash, line;

        memcpy(&word, p, 8);
        quote = word ^ ones * '"';
        slash = word ^ ones * '\\';
        line = word ^ ones * '\n';
        if ((((quote - ones) & ~quote) | ((slash - ones) & ~slash) | ((line - ones) & ~line)) &
            tops)
            break;
    }
    while (*p != '"' && *p != '\\' && *p != '\n')
        p++;
    return p;
}

/* A string, from its opening quote. */
static cr_status take_string(scanner *s, text *out)
{
    const char *begin = s->p + 1;
    const char *p = find_special(begin);
    cr__buffer *scratch = s->sink->scratch;

    *out = (text){begin, (size_t)(p - begin), CR__FROM_QUOTES};
    if (*p == '"') {
        s->p = p + 1;
        return CR_OK;
    }
    out->bytes = scratch->data + scratch->size;
    out->origin = CR__FROM_SCRATCH;
    memcpy(scratch->data + scratch->size, begin, out->length);
    scratch->size += out->length;
    if ((p = cr__json_decode(p, s->end, scratch)) == NULL)
        return malformed(s, "a string that is not closed or has a bad escape");
    out->length = (size_t)(scratch->data + scratch->size - out->bytes);
    s->p = p;
    return CR_OK;
}

/* --- keys ---------------------------------------------------------------------------------- */

static int make_stamps(scanner *s, size_t count)
{
    const size_t before = s->block->stamp_capacity;

    if (!cr__grow(&s->block->stamp, &s->block->stamp_capacity, count, sizeof *s->block->stamp))
        return 0;
    for (size_t i = before; i < s->block->stamp_capacity; i++)
        s->block->stamp[i] = (cr__stamp){.next = NO_FIELD};
    s->stamps = s->block->stamp_capacity;
    return 1;
}

/* The field of a full name, which may be new. */
static cr_status find_field(scanner *s, const char *name, size_t length, size_t *field)
{
    const cr_source *source = s->sink->chunk->file->source;
    const uint32_t code = cr__dict_find(source->fields->names, name, length);
    cr_status st = CR_OK;

    *field = code - 1;
    if (code == CR__MISSING)
        st = cr__sink_meet(s->sink, name, length, field);
    if (st == CR_OK && *field != NO_FIELD && *field + 1 >= s->stamps && !make_stamps(s, *field + 2))
        st = cr__fail_memory(s->sink->err);
    return st;
}

/* Whether size bytes (above 0) are the same, eight at a time; both have CR__OPENING_MAX to read. */
static inline int same_bytes(const char *a, const char *b, size_t size)
{
    uint64_t x, y;

    for (; size > 8; size -= 8, a += 8, b += 8) {
        memcpy(&x, a, 8);
        memcpy(&y, b, 8);
        if (x != y)
            return 0;
    }
    return (cr__scan_load(a) ^ cr__scan_load(b)) << (64 - 8 * size) == 0;
}

/* Guess that the key is the one that followed last time, and skip it to its value, unless that is
 * nested or has more blanks before it. */
static inline size_t guess_field(scanner *s)
{
    const size_t guess = s->block->stamp[s->before].next;
    const cr__stamp *stamp;
    const char *value;

    if (s->depth > 1 || guess >= s->sink->chunk->file->source->fields->columns)
        return NO_FIELD;
    stamp = &s->block->stamp[guess + 1];
    if (stamp->opening == 0 || (size_t)(s->end - s->opening) <= stamp->opening ||
        !same_bytes(s->opening, stamp->before, stamp->opening))
        return NO_FIELD;
    value = s->opening + stamp->opening;
    if (*value == '{' || *value == '[' || cr__is_blank(*value))
        return NO_FIELD;
    s->p = value;
    return guess;
}

/* Record the bytes before the value of a field, which is at p. */
static void learn_opening(scanner *s, size_t field)
{
    cr__stamp *stamp = &s->block->stamp[field + 1];
    const size_t size = (size_t)(s->p - s->opening);

    stamp->opening = s->depth == 1 && size <= CR__OPENING_MAX ? size : 0;
    memcpy(stamp->before, s->opening, stamp->opening);
}

/* Append the key to the names of the enclosing objects. */
static cr_status full_name(scanner *s, const text *key, text *name)
{
    cr__buffer *path = &s->block->path;

    *name = *key;
    path->size = s->prefix[s->depth - 1];
    if (path->size == 0)
        return CR_OK;
    cr__buffer_add(path, key->bytes, key->length);
    if (path->failed)
        return cr__fail_memory(s->sink->err);
    *name = (text){path->data, path->size, CR__FROM_SCRATCH};
    return CR_OK;
}

/* A second value for a field in one record. */
static cr_status stamp_field(scanner *s, size_t field)
{
    cr__stamp *stamp = &s->block->stamp[field + 1];

    if (stamp->record == s->record)
        return cr__sink_fail(s->sink, field + 1, "the key '%s' occurs twice",
                             s->sink->chunk->file->source->fields->column[field].name);
    stamp->record = s->record;
    s->block->stamp[s->before].next = field;
    s->before = field + 1;
    return CR_OK;
}

/* --- values -------------------------------------------------------------------------------- */

static int is_ignored(const scanner *s, const text *name)
{
    return cr__json_ignores(s->sink->chunk->file->source, name->bytes, name->length);
}

/* Skip an array or object, whatever is in it. */
static cr_status skip_nested(scanner *s)
{
    const size_t kept = s->sink->scratch->size;
    const char *close = cr__json_close(s->p, s->end);
    size_t depth = 0;
    text ignored;
    cr_status st;

    if (close != NULL) {
        s->p = close;
        return CR_OK;
    }
    do { /* find out where it is broken */
        if (s->p >= s->end)
            return malformed(s, "an array or object that is not closed");
        if (*s->p == '"') {
            if ((st = take_string(s, &ignored)) != CR_OK)
                return st;
            s->sink->scratch->size = kept;
            continue;
        }
        depth += *s->p == '[' || *s->p == '{';
        depth -= *s->p == ']' || *s->p == '}';
        s->p++;
    } while (depth > 0);
    return CR_OK;
}

static cr_status open_object(scanner *s, const text *name)
{
    cr__buffer *path = &s->block->path;

    if (s->depth == DEPTH_MAX)
        return cr__sink_fail(s->sink, 0, "objects are nested more than %d deep", DEPTH_MAX);
    if (name->bytes != path->data) {
        path->size = 0;
        cr__buffer_add(path, name->bytes, name->length);
    }
    cr__buffer_addc(path, '.');
    if (path->failed)
        return cr__fail_memory(s->sink->err);
    s->prefix[s->depth++] = path->size;
    s->p++;
    return CR_OK;
}

static cr_status put_number(scanner *s, size_t field)
{
    const char *begin = s->p;
    double number;
    const char *end = cr__scan_double(begin, s->end + 8, &number);
    const int fits = end != NULL;

    if (!fits) /* it is too large, which the cell reports, or not a number */
        end = begin + strspn(begin, "+-.0123456789eE");
    if (end == begin || (*end != ',' && *end != '}' && !cr__is_blank(*end) && end < s->end))
        return malformed(s, "an invalid value");
    s->p = end;
    if (field == NO_FIELD)
        return CR_OK;
    if (fits && s->sink->batch != NULL && s->sink->cell[field].use == CR__CELL_REAL &&
        !s->sink->cell[field].careful) {
        s->sink->cell[field].real[s->sink->row] = number;
        return CR_OK;
    }
    return cr__sink_put(s->sink, field, begin, (size_t)(end - begin), CR__FROM_CHUNK);
}

static cr_status put_word(scanner *s, size_t field, const char *word)
{
    const size_t length = strlen(word);
    const char *begin = s->p;

    if ((size_t)(s->end - s->p) < length || memcmp(s->p, word, length) != 0)
        return malformed(s, "an invalid value");
    s->p += length;
    if (field == NO_FIELD || *word == 'n')
        return CR_OK;
    return cr__sink_put(s->sink, field, begin, length, CR__FROM_QUOTES);
}

/* A value that is not an object. */
static cr_status take_scalar(scanner *s, size_t field, const text *name)
{
    char shown[80];
    text value;
    cr_status st;

    switch (*s->p) {
    case '"':
        if ((st = take_string(s, &value)) != CR_OK || field == NO_FIELD)
            return st;
        return cr__sink_put(s->sink, field, value.bytes, value.length, value.origin);
    case 't': return put_word(s, field, "true");
    case 'f': return put_word(s, field, "false");
    case 'n': return put_word(s, field, "null");
    case '[':
        if (s->sink->batch == NULL && field != NO_FIELD) { /* a field as text: the array as it is */
            const char *begin = s->p;

            return (st = skip_nested(s)) != CR_OK
                       ? st
                       : cr__sink_put(s->sink, field, begin, (size_t)(s->p - begin),
                                      CR__FROM_CHUNK);
        }
        if (field == NO_FIELD || !cr__sink_wants(s->sink, field) ||
            s->sink->chunk->file->source->surveying == CR__SURVEY_FIELDS)
            return skip_nested(s);
        cr__printable(shown, sizeof shown, name->bytes, name->length);
        cr__sink_fail(s->sink, field + 1, "the key '%s' holds an array", shown);
        return cr__fail_hint(s->sink->err, CR_EFORMAT, CR__SET("type %s=ignore") " leaves it out",
                             shown);
    default: return put_number(s, field);
    }
}

/* Key and colon, up to the value. */
static cr_status take_key(scanner *s, text *name)
{
    text key;
    cr_status st;

    if (s->p >= s->end || *s->p != '"')
        return malformed(s, "a key is expected");
    if ((st = take_string(s, &key)) != CR_OK || (st = full_name(s, &key, name)) != CR_OK)
        return st;
    s->p = cr__skip_blanks(s->p);
    if (s->p >= s->end || *s->p != ':')
        return malformed(s, "a colon is expected");
    s->p = cr__skip_blanks(s->p + 1);
    return s->p >= s->end ? malformed(s, "a value is expected") : CR_OK;
}

/* Key, colon, value. */
static cr_status take_pair(scanner *s)
{
    size_t field;
    text name = {0};
    cr_status st;

    s->sink->scratch->size = s->sink->batch != NULL ? 0 : s->sink->scratch->size;
    field = guess_field(s);
    if (field == NO_FIELD) {
        if ((st = take_key(s, &name)) != CR_OK)
            return st;
        if (*s->p == '{')
            return is_ignored(s, &name) ? skip_nested(s) : open_object(s, &name);
        if (*s->p == '[' && is_ignored(s, &name))
            return skip_nested(s);
        if ((st = find_field(s, name.bytes, name.length, &field)) != CR_OK)
            return st;
        if (field != NO_FIELD)
            learn_opening(s, field);
    }
    if (field != NO_FIELD && (st = stamp_field(s, field)) != CR_OK)
        return st;
    return take_scalar(s, field, &name);
}

/* The length of a string without escapes that is at most CR__KEY_MAX bytes long, from after its
 * opening quote; more than that otherwise. */
static inline size_t short_length(const char *from)
{
    const uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;

    for (size_t length = 0; length <= CR__KEY_MAX; length += 8) {
        const uint64_t word = cr__scan_load(from + length);
        const uint64_t quote = word ^ ones * '"', slash = word ^ ones * '\\';
        const uint64_t quotes = (quote - ones) & ~quote & tops;
        const uint64_t slashes = (slash - ones) & ~slash & tops;

        if ((quotes | slashes) != 0) {
            const size_t at = (size_t)__builtin_ctzll(quotes | slashes);

            return quotes >> at & 1 ? length + at / 8 : SIZE_MAX;
        }
    }
    return SIZE_MAX;
}

/* Put a simple value: a number of a real column, or a short recent word of a symbol column. Returns
 * what follows it, NULL when it is neither. */
static inline const char *put_usual(const cr__cell *cell, size_t row, const char *from,
                                    const char *end)
{
    double number;

    if (cell->use == CR__CELL_REAL && !cell->careful) {
        const char *stop = cr__scan_double(from, end + 8, &number);

        if (stop != NULL && (*stop == ',' || *stop == '}'))
            cell->real[row] = number;
        return stop;
    }
    if (cell->use == CR__CELL_SYMBOL && *from == '"' && cell->recent != NULL && !cell->guessed) {
        const size_t length = short_length(++from);
        const cr__recent *entry;
        cr__key key;
        int hit;

        if (length > CR__KEY_MAX || from + length >= end)
            return NULL;
        entry = cr__recent_find(cell, from, length, &key, &hit);
        if (!hit || (from[length + 1] != ',' && from[length + 1] != '}'))
            return NULL;
        cell->code[row] = entry->code;
        return from + length + 1;
    }
    return NULL;
}

typedef enum usual { /* where take_usual stopped */
                     USUAL_NONE,
                     USUAL_PAIR, /* before another pair */
                     USUAL_BRACE /* at the brace that closes the object */
} usual;

/* Pairs whose key is guessed and whose value is usual, as long as a comma or brace follows: most of
 * a table. */
static usual take_usual(scanner *s)
{
    const cr__cell *const cells = s->sink->cell;
    const size_t columns = s->sink->chunk->file->source->fields->columns;
    const char *const end = s->end, *p = s->opening;
    cr__stamp *const stamps = s->block->stamp;
    size_t field;

    while ((field = stamps[s->before].next) < columns) {
        cr__stamp *stamp = &stamps[field + 1];
        const char *stop;

        if (stamp->opening == 0 || (size_t)(end - p) <= stamp->opening ||
            !same_bytes(p, stamp->before, stamp->opening) || stamp->record == s->record)
            break;
        stop = put_usual(&cells[field], s->sink->row, p + stamp->opening, end);
        if (stop == NULL || stop >= end || (*stop != ',' && *stop != '}'))
            break;
        stamp->record = s->record;
        s->before = field + 1;
        if (*stop == '}') {
            s->p = stop;
            return USUAL_BRACE;
        }
        p = stop + 1;
    }
    if (p == s->opening)
        return USUAL_NONE;
    s->opening = p;
    s->p = cr__skip_blanks(p);
    return USUAL_PAIR;
}

/* What comes between pairs: commas and the braces of objects that end. */
static cr_status close_objects(scanner *s, int *more)
{
    for (;;) {
        s->p = cr__skip_blanks(s->p);
        if (s->p >= s->end)
            return malformed(s, "the object is not closed");
        if (*s->p == '}') {
            s->p++;
            if (--s->depth == 0)
                break;
        } else if (*s->p == ',') {
            s->opening = s->p + 1;
            s->p = cr__skip_blanks(s->opening);
            *more = 1;
            return CR_OK;
        } else {
            return malformed(s, "a comma or brace is expected");
        }
    }
    *more = 0;
    s->p = cr__skip_blanks(s->p);
    return s->p < s->end ? malformed(s, "text after the object") : CR_OK;
}

static cr_status scan(cr__sink *sink)
{
    cr_source *source = sink->chunk->file->source;
    scanner s; /* its prefixes are set as objects are opened */
    int more = 1;
    cr_status st;

    s.sink = sink;
    s.p = cr__skip_blanks(sink->record->bytes);
    s.end = sink->record->bytes + sink->record->size;
    s.block = sink->chunk->block;
    s.before = FIRST;
    s.record = ++s.block->records;
    s.stamps = s.block->stamp_capacity;
    if (s.stamps < source->fields->columns + 2 && !make_stamps(&s, source->fields->columns + 2))
        return cr__fail_memory(sink->err);
    if (*s.p != '{')
        return malformed(&s, "no object");
    s.depth = 1;
    s.prefix[0] = 0;
    s.opening = s.p + 1;
    for (s.p = cr__skip_blanks(s.opening); more;) {
        const size_t depth = s.depth;
        const usual found = depth == 1 && sink->batch != NULL ? take_usual(&s) : USUAL_NONE;

        if (found == USUAL_PAIR || (found == USUAL_NONE && *s.p != '}')) {
            if ((st = take_pair(&s)) != CR_OK)
                return st;
            if (s.depth > depth) {
                s.p = cr__skip_blanks(s.p);
                continue;
            }
        }
        if ((st = close_objects(&s, &more)) != CR_OK)
            return st;
        if (more && s.p < s.end && *s.p == '}')
            return malformed(&s, "a key is expected");
    }
    if (source->surveying && source->first_record_fields == 0)
        source->first_record_fields = source->fields->columns;
    return CR_OK;
}

/* --- the format ---------------------------------------------------------------------------- */

#define WAIT_MOST ((size_t)4096)

/* A strip of records: the simple ones by columns, others one by one. Where most are others, strips
 * are not tried for a while. */
static cr_status parse_strip(cr__sink *sink, cr__chunk *chunk, cr__json_strip *strip)
{
    cr__batch *batch = sink->batch;
    size_t others = 0, line = 0;
    cr_status st = cr__json_strip_cut(strip, chunk, batch->capacity - batch->rows, sink->err);

    if (st != CR_OK)
        return st;
    while ((line = cr__json_strip_put(strip, chunk, sink->plan, batch, line)) < strip->lines) {
        if ((st = cr__lines_take(sink, chunk, scan, 0)) != CR_OK)
            return st;
        others++;
        line++;
    }
    if (2 * others > strip->lines) {
        strip->waited = strip->waited < WAIT_MOST ? 2 * strip->waited + 1 : WAIT_MOST;
        strip->wait = strip->waited;
    } else {
        strip->waited = 0;
    }
    return CR_OK;
}

static cr_status parse(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err)
{
    cr__block *block = chunk->block;
    const int strips = cr__json_strip_fits(chunk);
    cr__sink sink = cr__lines_begin(chunk, plan, batch, err);
    cr_status st = CR_OK;

    if (strips && block->json == NULL &&
        (block->json = cr__alloc_zero(1, sizeof *block->json)) == NULL)
        return cr__fail_memory(err);
    while (st == CR_OK && batch->rows < batch->capacity && chunk->position < chunk->size) {
        if (strips && block->json->wait == 0) {
            st = parse_strip(&sink, chunk, block->json);
        } else {
            st = cr__lines_take(&sink, chunk, scan, 0);
            if (strips)
                block->json->wait--;
        }
    }
    return st;
}

static cr_status split(const cr__chunk *chunk, const cr__record *record, cr__fields *fields,
                       cr_error *err)
{
    return cr__lines_split(chunk, record, fields, scan, err);
}

static int recognise(const char *bytes, size_t size)
{
    size_t i = 0;

    while (i < size && (cr__is_blank(bytes[i]) || bytes[i] == '\n'))
        i++;
    return i < size && bytes[i] == '{';
}

const cr__format cr__format_jsonl = {
    .name = "jsonl",
    .summary = "one JSON object per line; nested keys become a.b",
    .suffixes = ".jsonl .ndjson .json",
    .open_ended = 1,
    .recognise = recognise,
    .parse = parse,
    .split = split,
};
