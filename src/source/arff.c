/* source/arff.c - ARFF, the attribute-relation file format of Weka.
 *
 *     @relation NAME  @attribute NAME numeric|real|integer|string|date|{a, b, c}  @data  rows
 *
 * A set in braces fixes the values of a column and their order. Rows are dense (1, a, ?) or sparse
 * ({0 1, 5 a}: what is left out is 0, or the first value of its set), with an optional weight in
 * braces at the end. Names and values may be quoted with ' or "; % begins a comment line. Strings
 * and dates are read as words. (Weka's manual, chapter "ARFF".)
 */
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/memory.h"
#include "source/delimited.h"
#include "source/lines.h"

/* --- tokens -------------------------------------------------------------------------------- */

typedef struct token {
    const char *text;
    size_t length;
    int quoted;
    int copied; /* it is in the scratch */
} token;

/* The character that \c stands for. */
static char unescape(char c)
{
    switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return c;
    }
}

/* A carriage return before the line end is a blank too: it is not in the record. */
static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && cr__is_blank(*p))
        p++;
    return p;
}

/* A token: quoted, or bare up to one of `ends` or the end of the line, without the blanks around
 * it. Returns what follows, NULL when a quote is not closed. */
static const char *take_token(const char *p, const char *end, const char *ends, cr__buffer *scratch,
                              token *out)
{
    const char *close;
    char quote;

    p = skip_blanks(p, end);
    *out = (token){.text = p};
    if (p == end || (*p != '\'' && *p != '"')) {
        if (ends[1] == 0) {
            const char *stop = memchr(p, *ends, (size_t)(end - p));

            p = stop != NULL ? stop : end;
        }
        while (p < end && strchr(ends, *p) == NULL)
            p++;
        out->length = (size_t)(p - out->text);
        cr__trim(&out->text, &out->length);
        return p;
    }
    quote = *p++;
    out->quoted = 1;
    if ((close = memchr(p, quote, (size_t)(end - p))) != NULL &&
        memchr(p, '\\', (size_t)(close - p)) == NULL) {
        out->text = p;
        out->length = (size_t)(close - p);
        return close + 1;
    }
    out->copied = 1;
    out->text = scratch->data + scratch->size;
    for (; p < end && *p != quote; p++) {
        if (*p == '\\' && p + 1 < end)
            scratch->data[scratch->size++] = unescape(*++p);
        else
            scratch->data[scratch->size++] = *p;
    }
    out->length = (size_t)(scratch->data + scratch->size - out->text);
    return p == end ? NULL : p + 1;
}

static int is_word(const token *t, const char *word)
{
    return !t->quoted && t->length == strlen(word) && strncasecmp(t->text, word, t->length) == 0;
}

/* --- the header ---------------------------------------------------------------------------- */

static cr_status fail_line(const cr__file *file, size_t line, cr_error *err, const char *what)
{
    return cr__fail_at(err, cr__fail(err, CR_EFORMAT, "%s", what), file->name, line, 0);
}

/* {a, b, 'c d'}, from after the brace. */
static cr_status read_set(const cr__file *file, const char *p, const char *end, size_t line,
                          cr__buffer *scratch, cr__dict **out, cr_error *err)
{
    cr_status st = cr__dict_new(out, 0, err);
    uint32_t code;
    token value;

    while (st == CR_OK) {
        if ((p = take_token(p, end, ",}", scratch, &value)) == NULL)
            return fail_line(file, line, err, "a quote is not closed");
        if (value.length > 0 || value.quoted) {
            const uint32_t before = (*out)->words;

            if ((st = cr__dict_intern(*out, value.text, value.length, &code)) != CR_OK)
                return cr__fail(err, st, "a value cannot be kept");
            if (code <= before)
                return fail_line(file, line, err, "a value is declared twice");
        }
        p = skip_blanks(p, end);
        if (p < end && *p == '}')
            return CR_OK;
        if (p == end || *p++ != ',')
            return fail_line(file, line, err, "a set of values must end with } in the same line");
    }
    return st;
}

static int same_words(const cr__dict *a, const cr__dict *b)
{
    if (a == NULL || b == NULL || a->words != b->words)
        return a == b;
    for (uint32_t code = 1; code <= a->words; code++) {
        size_t length;
        const char *word = cr__dict_word(a, code, &length);

        if (cr__dict_find(b, word, length) == CR__MISSING)
            return 0;
    }
    return 1;
}

/* Record what the header declares about a field; a later file must declare the same. Takes the
 * set. */
static cr_status declare(cr__file *file, const token *name, cr_kind kind, cr__dict *set,
                         size_t line, cr_error *err)
{
    cr__column *column;
    size_t field;
    cr_status st = cr__file_add(file, name->text, name->length, &field, err);

    if (st != CR_OK) {
        cr__dict_free(set);
        return cr__fail_at(err, st, file->name, line, 0);
    }
    column = &file->source->fields->column[field];
    if (file->source->fixed) {
        const int same = column->kind == kind && same_words(column->declared, set);

        cr__dict_free(set);
        return same ? CR_OK
                    : fail_line(file, line, err,
                                "it declares another type or other values "
                                "than the first file");
    }
    column->kind = kind;
    column->why = CR_WHY_DECLARED;
    column->declared = set;
    return CR_OK;
}

/* An attribute, from after the keyword. */
static cr_status read_attribute(cr__file *file, const char *p, const char *end, size_t line,
                                cr__buffer *scratch, cr_error *err)
{
    cr__dict *set = NULL;
    token name, type;
    cr_kind kind = CR_SYMBOL;
    cr_status st;

    if ((p = take_token(p, end, " \t{", scratch, &name)) == NULL)
        return fail_line(file, line, err, "a quote is not closed");
    p = skip_blanks(p, end);
    if ((name.length == 0 && !name.quoted) || p == end)
        return fail_line(file, line, err, "an attribute must have a name and a type");
    if (*p == '{') {
        st = read_set(file, p + 1, end, line, scratch, &set, err);
        if (st != CR_OK) {
            cr__dict_free(set);
            return st;
        }
        return declare(file, &name, CR_SYMBOL, set, line, err);
    }
    take_token(p, end, " \t", scratch, &type);
    if (is_word(&type, "numeric") || is_word(&type, "real") || is_word(&type, "integer"))
        kind = CR_REAL;
    else if (is_word(&type, "date"))
        cr__source_note(file->source, "the dates in column %zu of %s are read as words",
                        file->fields + 1, file->name);
    else if (!is_word(&type, "string"))
        return fail_line(file, line, err,
                         "the type must be numeric, real, integer, string, date or "
                         "a set in braces");
    return declare(file, &name, kind, NULL, line, err);
}

/* The line's keyword, and what follows it; an empty token when the line has none. */
static token take_keyword(const char **p, const char *end)
{
    token word = {.text = *p};

    while (*p < end && cr__is_blank(**p))
        ++*p;
    word.text = *p;
    if (*p == end || **p != '@')
        return word;
    while (*p < end && !cr__is_blank(**p))
        ++*p;
    word.length = (size_t)(*p - word.text);
    return word;
}

/* Where the rows begin; SIZE_MAX when that is not visible yet. */
static size_t find_data(const cr__view *view)
{
    for (size_t at = 0; at < view->size;) {
        const char *p = view->bytes + at;
        const char *end = memchr(p, '\n', view->size - at);
        token word;

        if (end == NULL && !view->whole)
            return SIZE_MAX;
        at = end == NULL ? view->size : (size_t)(end - view->bytes) + 1;
        word = take_keyword(&p, end == NULL ? view->bytes + view->size : end);
        if (is_word(&word, "@data"))
            return at;
    }
    return SIZE_MAX;
}

static cr_status read_declarations(cr__file *file, const char *p, const char *stop,
                                   cr__buffer *scratch, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t line = 1; st == CR_OK && p < stop; line++) {
        const char *end = memchr(p, '\n', (size_t)(stop - p));
        const char *next = end != NULL ? end + 1 : stop;
        token word;

        word = take_keyword(&p, end != NULL ? end : stop);
        cr__buffer_clear(scratch);
        if (is_word(&word, "@attribute"))
            st = read_attribute(file, p, end != NULL ? end : stop, line, scratch, err);
        else if (word.length > 0 && !is_word(&word, "@relation") && !is_word(&word, "@data"))
            st = fail_line(file, line, err, "a header has @relation, @attribute and @data only");
        else if (word.length == 0 && p < (end != NULL ? end : stop) && *p != '%')
            st = fail_line(file, line, err, "text in the header that is not a declaration");
        p = next;
    }
    return st;
}

static cr_status header(cr__file *file, const cr__view *view, size_t *used, cr_error *err)
{
    cr__block *block;
    cr_status st;

    *used = find_data(view);
    if (*used == SIZE_MAX)
        return view->whole ? cr__fail(err, CR_EFORMAT, "there is no @data") : CR_OK;
    if ((block = cr__block_get(&file->source->pool)) == NULL)
        return cr__fail_memory(err);
    if (cr__buffer_reserve(&block->scratch, *used) == NULL)
        st = cr__fail_memory(err);
    else
        st = read_declarations(file, view->bytes, view->bytes + *used, &block->scratch, err);
    cr__block_put(block);
    if (st == CR_OK && file->fields == 0)
        st = cr__fail(err, CR_EFORMAT, "there is no @attribute before @data");
    return st;
}

static int recognise(const char *bytes, size_t size)
{
    for (const char *p = bytes, *stop = bytes + size; p < stop;) {
        const char *end = memchr(p, '\n', (size_t)(stop - p));
        token word;

        if (end == NULL)
            end = stop;
        word = take_keyword(&p, end);
        if (is_word(&word, "@relation") || is_word(&word, "@attribute"))
            return 1;
        if (word.length > 0 || (p < end && *p != '%'))
            return 0;
        p = end < stop ? end + 1 : stop;
    }
    return 0;
}

/* --- rows ---------------------------------------------------------------------------------- */

static cr_status put_token(cr__sink *sink, size_t field, const token *t)
{
    if (!t->quoted && t->length == 1 && *t->text == '?') {
        if (sink->batch != NULL)
            cr__cell_put_missing(&sink->cell[field], sink->row);
        return CR_OK;
    }
    return cr__sink_put(sink, field, t->text, t->length,
                        t->copied   ? CR__FROM_SCRATCH
                        : t->quoted ? CR__FROM_QUOTES
                                    : CR__FROM_CHUNK);
}

/* {w}, from after the brace. */
static cr_status take_weight(cr__sink *sink, const char *p, const char *end)
{
    token t;
    double weight;
    cr_status st;

    p = take_token(p, end, "}", sink->scratch, &t);
    if (p == NULL || p == end || *p != '}' || !cr__is_empty(p + 1, end) ||
        cr__parse_double(t.text, t.length, &weight) != CR__NUMBER_OK || weight < 0)
        return cr__sink_fail(sink, 0,
                             "the weight in braces at the end must be a number, 0 or more");
    if (sink->batch == NULL || sink->chunk->file->source->surveying)
        return CR_OK;
    if ((st = cr__batch_weigh(sink->batch, sink->err)) == CR_OK)
        sink->batch->weight[sink->row] = weight;
    return st;
}

/* What a sparse row leaves out: 0, or the first value of the set; nothing for strings and dates. */
static cr_status put_left_out(cr__sink *sink, size_t field)
{
    const cr__file *file = sink->chunk->file;
    const cr__column *column = &file->source->fields->column[file->field[field]];
    size_t length;
    const char *word;

    if (column->kind == CR_REAL)
        return cr__sink_put(sink, field, "0", 1, CR__FROM_SCRATCH);
    if (column->declared != NULL && column->declared->words > 0) {
        word = cr__dict_word(column->declared, 1, &length);
        return cr__sink_put(sink, field, word, length, CR__FROM_SCRATCH);
    }
    if (sink->batch != NULL)
        cr__cell_put_missing(&sink->cell[field], sink->row);
    return CR_OK;
}

static cr_status scan_sparse(cr__sink *sink, const char *p, const char *end)
{
    const size_t fields = sink->chunk->file->fields;
    size_t next = 0; /* the field that comes next */
    cr_status st = CR_OK;

    for (;;) {
        token index, value;
        uint64_t field;

        p = skip_blanks(p, end);
        if (p < end && *p == '}')
            break;
        p = take_token(p, end, " \t,}", sink->scratch, &index);
        if (p == NULL || cr__parse_uint64(index.text, index.length, &field) != CR__NUMBER_OK)
            return cr__sink_fail(sink, 0, "a sparse row must hold pairs of an index and a value");
        if (field >= fields || field < next)
            return cr__sink_fail(sink, 0, "index %llu of a sparse row %s",
                                 (unsigned long long)field,
                                 field >= fields ? "has no attribute" : "does not ascend");
        for (; st == CR_OK && next < field; next++)
            st = put_left_out(sink, next);
        if ((p = take_token(p, end, ",}", sink->scratch, &value)) == NULL)
            return cr__sink_fail(sink, next + 1, "a quote is not closed");
        if (st != CR_OK || (st = put_token(sink, next++, &value)) != CR_OK)
            return st;
        p = skip_blanks(p, end);
        if (p == end || (*p != ',' && *p != '}'))
            return cr__sink_fail(sink, 0, "a sparse row must end with }");
        p += *p == ',';
    }
    for (; st == CR_OK && next < fields; next++)
        st = put_left_out(sink, next);
    p = skip_blanks(p + 1, end);
    if (st != CR_OK || p == end)
        return st;
    p = *p == ',' ? skip_blanks(p + 1, end) : p;
    return p < end && *p == '{' ? take_weight(sink, p + 1, end)
                                : cr__sink_fail(sink, 0, "text follows a sparse row");
}

static cr_status scan(cr__sink *sink)
{
    const char *end = sink->record->bytes + sink->record->size;
    const char *p = skip_blanks(sink->record->bytes, end);
    const size_t fields = sink->chunk->file->fields;
    size_t field = 0;

    if (*p == '{')
        return scan_sparse(sink, p + 1, end);
    for (;; field++, p++) {
        token value;
        cr_status st;

        p = skip_blanks(p, end);
        if (field == fields && p < end && *p == '{')
            return take_weight(sink, p + 1, end);
        if ((p = take_token(p, end, ",", sink->scratch, &value)) == NULL)
            return cr__sink_fail(sink, field + 1, "a quote is not closed");
        if (field < fields && (st = put_token(sink, field, &value)) != CR_OK)
            return st;
        p = skip_blanks(p, end);
        if (p == end)
            break;
        if (*p != ',')
            return cr__sink_fail(sink, field + 1, "text follows the closing quote");
    }
    if (field + 1 != fields)
        return cr__sink_fail(sink, field + 1 < fields ? field + 1 : fields + 1,
                             "the row has %zu values, but there are %zu attributes", field + 1,
                             fields);
    return CR_OK;
}

/* Rows without quotes, braces and comments are like those of CSV and are read as fast. */
static int is_plain(const cr__chunk *chunk)
{
    static const char special[] = "'\"{%\\";

    if (!cr__missing_is(&chunk->file->source->missing, "?", 1))
        return 0;
    for (const char *c = special; *c != 0; c++)
        if (memchr(chunk->bytes, *c, chunk->size) != NULL)
            return 0;
    return 1;
}

static cr_status parse(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err)
{
    cr__block *block = chunk->block;

    if (chunk->position == 0)
        block->quoted = !is_plain(chunk);
    return block->quoted ? cr__lines_parse(chunk, plan, batch, scan, '%', err)
                         : cr__delimited_parse(chunk, plan, batch, err);
}

static cr_status split(const cr__chunk *chunk, const cr__record *record, cr__fields *fields,
                       cr_error *err)
{
    return cr__lines_split(chunk, record, fields, scan, err);
}

const cr__format cr__format_arff = {
    .name = "arff",
    .summary = "attributes declared in a header, then rows; dense or sparse (Weka)",
    .suffixes = ".arff",
    .delimiter = ',',
    .recognise = recognise,
    .header = header,
    .parse = parse,
    .split = split,
};
