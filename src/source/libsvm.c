/* source/libsvm.c - "label index:value index:value …", the format of libsvm and SVMlight.
 *
 * Columns are named by their index; the label is the first column. An index that a line does not
 * name has the value 0. Whether indices begin at 0 or 1 is given, never guessed.
 */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "source/lines.h"

#define LABEL "label"

size_t cr__source_index_limit = (size_t)1 << 20;

/* All columns up to that of an index, so that the field of an index can be computed. */
static cr_status add_up_to(cr_source *source, uint64_t field, cr_error *err)
{
    cr_status st = CR_OK;

    while (st == CR_OK && source->fields->columns <= field) {
        char name[24];
        const size_t i = source->fields->columns;
        int length;

        if (i == 0) {
            st = cr__source_add_field(source, LABEL, strlen(LABEL), err);
            continue;
        }
        length = snprintf(name, sizeof name, "%zu", i - 1 + (size_t)source->index_base);
        if ((st = cr__source_add_field(source, name, (size_t)length, err)) == CR_OK)
            source->seen[i].kinds |= CR__SEEN_BINARY; /* it was 0 in every line so far */
    }
    return st;
}

/* A new column: like cr__sink_meet, but with all those before it. */
static cr_status meet(cr__sink *sink, size_t field, const char *name, size_t length)
{
    cr_source *source = sink->chunk->file->source;
    size_t same;
    cr_status st = CR_OK;

    if (source->surveying && sink->batch != NULL) {
        while (st == CR_OK && source->fields->columns <= field) {
            st = add_up_to(source, source->fields->columns, sink->err);
            if (st == CR_OK)
                st = cr__cells_add(sink->chunk, sink->err);
        }
        source->visible = source->fields->columns;
        sink->cell = cr__chunk_cells(sink->chunk);
        return st;
    }
    return cr__sink_meet(sink, name, length, &same);
}

/* The columns of a schema that are named by indices may all occur. */
static cr_status expect(cr_source *source, const cr_schema *schema, cr_error *err)
{
    uint64_t index;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < schema->columns; i++) {
        const char *name = schema->column[i].name;

        if (*name >= '0' && *name <= '9' &&
            cr__parse_uint64(name, strlen(name), &index) == CR__NUMBER_OK &&
            index <= cr__source_index_limit && index >= (uint64_t)source->index_base)
            st = add_up_to(source, index - (uint64_t)source->index_base + 1, err);
    }
    return st;
}

static int is_end(char c)
{
    return cr__is_blank(c) || c == '\n' || c == '#';
}

static cr_status take_index(const cr__sink *sink, const char **p, size_t *field, size_t last)
{
    const int base = sink->chunk->file->source->index_base;
    const char *text = *p;
    uint64_t index = 0;

    for (; **p >= '0' && **p <= '9' && index <= cr__source_index_limit; ++*p)
        index = index * 10 + (uint64_t)(**p - '0');
    if (index > cr__source_index_limit)
        return cr__sink_fail(sink, 0, "index %.*s... is beyond %llu", (int)(*p - text), text,
                             (unsigned long long)cr__source_index_limit);
    if (*p == text || **p != ':')
        return cr__sink_fail(sink, 0, "'%.*s' is not of the form index:value",
                             (int)strcspn(text, " \t\r\n#"), text);
    if (index == 0 && base == 1) {
        cr__sink_fail(sink, 0, "index 0, but indices begin at 1");
        return cr__fail_hint(sink->err, CR_EFORMAT,
                             "use " CR__SET("index-base 0") " if they begin at 0");
    }
    *field = (size_t)index - (size_t)base + 1;
    if (*field <= last)
        return cr__sink_fail(sink, 0, "index %llu does not ascend", (unsigned long long)index);
    ++*p;
    return CR_OK;
}

static cr_status scan_pair(cr__sink *sink, const char **p, size_t *last)
{
    const char *name = *p, *text, *end;
    size_t field = 0, length;
    double value;
    cr_status st = take_index(sink, p, &field, *last);

    if (st != CR_OK)
        return st;
    text = *p;
    end = cr__scan_double(text, sink->record->bytes + sink->record->size + 8, &value);
    if (end == NULL || !is_end(*end)) {
        length = strcspn(text, " \t\r\n#");
        if (length == 0 || cr__parse_double(text, length, &value) == CR__NUMBER_INVALID)
            return cr__sink_fail(sink, field + 1, "'%.*s' is not a number",
                                 (int)(length < 40 ? length : 40), text);
        end = text + length;
    }
    *p = end;
    *last = field;
    if (field >= sink->chunk->file->source->fields->columns) {
        st = meet(sink, field, name, (size_t)(text - 1 - name));
        if (st != CR_OK || field >= sink->chunk->file->source->fields->columns)
            return st;
    }
    return cr__sink_put(sink, field, text, (size_t)(end - text), CR__FROM_CHUNK);
}

static cr_status scan(cr__sink *sink)
{
    const char *p = cr__skip_blanks(sink->record->bytes);
    const char *label = p;
    size_t last = 0;
    cr_status st;

    while (!is_end(*p) && *p != ',' && *p != ':')
        p++;
    if (*p == ':')
        return cr__sink_fail(sink, 1, "the line does not begin with a label");
    if (*p == ',')
        return cr__sink_fail(sink, 1, "several labels: '%.*s'", (int)strcspn(label, " \t\r\n"),
                             label);
    if (sink->chunk->file->source->fields->columns == 0 &&
        (st = meet(sink, 0, LABEL, strlen(LABEL))) != CR_OK)
        return st;
    if ((st = cr__sink_put(sink, 0, label, (size_t)(p - label), CR__FROM_CHUNK)) != CR_OK)
        return st;
    for (p = cr__skip_blanks(p); *p != '\n' && *p != '#'; p = cr__skip_blanks(p)) {
        if (strncmp(p, "qid:", 4) == 0) {
            cr__source_note(sink->chunk->file->source, "qid: in %s is ignored",
                            sink->chunk->file->name);
            p += strcspn(p, " \t\r\n#");
        } else if ((st = scan_pair(sink, &p, &last)) != CR_OK) {
            return st;
        }
    }
    return CR_OK;
}

static cr_status parse(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err)
{
    return cr__lines_parse(chunk, plan, batch, scan, '#', err);
}

static cr_status split(const cr__chunk *chunk, const cr__record *record, cr__fields *fields,
                       cr_error *err)
{
    return cr__lines_split(chunk, record, fields, scan, err);
}

/* A label without a comma, then pairs, in the first line that is not empty or a comment. */
static int recognise(const char *bytes, size_t size)
{
    const char *p = bytes, *end = bytes + size;
    size_t pairs = 0;

    while (p < end && (*p == '\n' || *p == '\r' || *p == '#')) {
        const char *line_end = memchr(p, '\n', (size_t)(end - p));
        p = line_end != NULL ? line_end + 1 : end;
    }
    for (size_t word = 0; p < end && *p != '\n' && *p != '#'; word++) {
        const char *text = p, *colon = NULL;

        for (; p < end && !is_end(*p); p++)
            colon = *p == ':' && colon == NULL ? p : colon;
        if (word == 0 ? (colon != NULL || memchr(text, ',', (size_t)(p - text)) != NULL)
                      : colon == NULL)
            return 0;
        for (const char *c = text; word > 0 && c < colon; c++)
            if ((*c < '0' || *c > '9') && strncmp(text, "qid:", 4) != 0)
                return 0;
        pairs += word > 0;
        while (p < end && cr__is_blank(*p))
            p++;
    }
    return pairs > 0;
}

const cr__format cr__format_libsvm = {
    .name = "libsvm",
    .summary = "a label and index:value pairs per line; omitted values are 0",
    .suffixes = ".libsvm .svm .svmlight",
    .open_ended = 1,
    .target_first = 1,
    .absent = "0",
    .recognise = recognise,
    .expect = expect,
    .parse = parse,
    .split = split,
};
