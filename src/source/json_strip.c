/* source/json_strip.c - JSON Lines by columns: many records at once, when they are simple.
 *
 * First the commas and line ends are found, many bytes at a time, whatever they belong to. Then
 * each line is cut into pairs at them. Records usually have the same keys in the same spelling and
 * order, so the bytes between a comma and a value are compared with those of an earlier record;
 * otherwise the key is looked up. That is safe without knowing which commas are inside texts: a
 * text with a comma would have to go on with a quote, a key and a colon, which it can do only with
 * escapes, and texts with these are not simple. Then each column is put, value by value.
 */
#include "source/json_strip.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "source/short_number.h"

#define STRIP_SIZE ((size_t)16 << 10) /* text that stays in the first-level cache */
#define PLACES_MAX ((size_t)1 << 15)
#define OPENING_MAX 32
#define SPARSE 4 /* a record with fewer fields than one in so many is read faster by itself */

typedef struct cr__json_place { /* offsets in the chunk */
    uint32_t from, to;          /* 0: the field is absent (an object has a brace before) */
} place;

typedef struct cr__json_pair { /* the bytes from the brace or comma before the key to its value */
    const char *opening;
    uint32_t size, field;
} pair;

typedef struct cr__json_name { /* the bytes of a key with its quotes, and any blanks there */
    uint64_t low, high;        /* zeros: none */
    uint32_t field;
} name;

typedef struct cr__json_line {
    uint32_t begin, end; /* *end is the line end */
    int simple;          /* it has places */
} line;

void cr__json_strip_free(cr__json_strip *strip)
{
    if (strip == NULL)
        return;
    cr__free(strip->place);
    cr__free(strip->line);
    cr__free(strip->pair);
    cr__free(strip->name);
    cr__free(strip);
}

int cr__json_strip_fits(const cr__chunk *chunk)
{
    const cr_source *source = chunk->file->source;
    const size_t fields = source->fields->columns;
    int fits = !source->surveying && fields > 0 && fields <= PLACES_MAX;

    for (size_t f = 0; fits && f < fields; f++)
        fits = cr__chunk_cells(chunk)[f].use != CR__CELL_TEXT;
    return fits;
}

/* --- keys --------------------------------------------------------------------------------------
 */

/* Forget the keys when the fields are others. */
static cr_status lay_names(cr__json_strip *s, const cr_source *source, cr_error *err)
{
    const size_t fields = source->fields->columns;

    if (s->fields == fields)
        return CR_OK;
    s->fields = 0;
    for (s->name_bits = 6; (size_t)1 << s->name_bits < 8 * fields; s->name_bits++)
        ;
    if (!cr__grow(&s->name, &s->name_capacity, (size_t)1 << s->name_bits, sizeof *s->name) ||
        !cr__grow(&s->pair, &s->pair_capacity, fields, sizeof *s->pair))
        return cr__fail_memory(err);
    memset(s->name, 0, ((size_t)1 << s->name_bits) * sizeof *s->name);
    s->fields = fields;
    return CR_OK;
}

/* Where the first colon is; beyond CR__KEY_MAX when it is not among so many bytes. */
static inline size_t find_colon(const char *text)
{
#if CR__FAST_NUMBERS
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
    const __m128i equal = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(':'));

    return (size_t)__builtin_ctz((uint32_t)_mm_movemask_epi8(equal) | 0x20000);
#else
    const char *colon = memchr(text, ':', CR__KEY_MAX);

    return colon == NULL ? CR__KEY_MAX + 1 : (size_t)(colon - text);
#endif
}

/* The length of a text without escapes up to its closing quote, from behind the opening one;
 * SIZE_MAX: `end` or an escape comes first. */
static inline size_t quoted_length(const char *text, const char *end)
{
    const uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;

    for (const char *p = text; p < end; p += 8) {
        const uint64_t word = cr__scan_load(p);
        const uint64_t quote = word ^ ones * '"', slash = word ^ ones * '\\';
        const uint64_t found =
            (((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & tops; /* the first is exact */

        if (found != 0) {
            p += __builtin_ctzll(found) / 8;
            return p < end && *p == '"' ? (size_t)(p - text) : SIZE_MAX;
        }
    }
    return SIZE_MAX;
}

static inline const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\r')
        p++;
    return p;
}

/* The field of the key at p, and where the bytes for its value begin; NULL: there is none. */
static const char *read_key(const cr_source *source, const char *p, const char *end,
                            uint32_t *field)
{
    size_t length;

    p = skip_blanks(p);
    if (*p++ != '"' || (length = quoted_length(p, end)) == SIZE_MAX)
        return NULL;
    *field = cr__dict_find(source->fields->names, p, length) - 1;
    p = skip_blanks(p + length + 1);
    return *field < source->fields->columns && *p == ':' ? skip_blanks(p + 1) : NULL;
}

/* The same, by the bytes up to the colon when they have been seen before. */
static inline const char *find_value(cr__json_strip *s, const cr_source *source, const char *p,
                                     const char *end, uint32_t *field)
{
    const uint64_t spread = 0x9e3779b97f4a7c15, mix = 0xff51afd7ed558ccd;
    const size_t length = find_colon(p);
    const char *value;
    name key, *entry;

    if (length - 1 >= CR__KEY_MAX)
        return read_key(source, p, end, field);
    key.low = cr__load_bytes(p, length < 8 ? length : 8);
    key.high = cr__load_bytes(p + 8, length < 8 ? 0 : length - 8);
    entry = &s->name[(key.low ^ key.high * mix) * spread >> (64 - s->name_bits)];
    if (entry->low == key.low && entry->high == key.high) {
        *field = entry->field;
        p += length + 1;
        return p + (*p == ' ');
    }
    value = read_key(source, p, end, field);
    if (value != NULL && cr__is_blank(value[-1]) + 1 == value - (p + length))
        *entry = (name){key.low, key.high, *field};
    return value;
}

/* --- lines -------------------------------------------------------------------------------------
 */

/* Whether size bytes are the same; more may be read. */
static inline int same_bytes(const char *a, const char *b, size_t size)
{
#if CR__FAST_NUMBERS
    for (;; size -= 16, a += 16, b += 16) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)a);
        const __m128i y = _mm_loadu_si128((const __m128i *)(const void *)b);
        const uint32_t other = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)) ^ 0xffff;

        if (size <= 16)
            return (other & (((uint32_t)1 << size) - 1)) == 0;
        if (other != 0)
            return 0;
    }
#else
    return memcmp(a, b, size) == 0;
#endif
}

/* Where the last value of a line ends; 0: it does not end in a brace. */
static size_t last_value_end(const char *bytes, size_t begin, size_t end)
{
    while (end > begin + 1 && cr__is_blank(bytes[end - 1]))
        end--;
    if (end <= begin + 1 || bytes[end - 1] != '}')
        return 0;
    for (end--; end > begin + 1 && cr__is_blank(bytes[end - 1]);)
        end--;
    return end;
}

/* The places of a record whose keys are those of the pairs. */
static int place_as_expected(const cr__json_strip *s, const char *bytes, size_t begin,
                             const uint32_t *mark, size_t last_end, place *places)
{
    const pair *p = s->pair, *const last = p + s->pairs - 1;
    size_t at = begin;

    for (;; p++, at = *mark++) {
        const size_t from = at + p->size, to = p == last ? last_end : *mark;

        if (!same_bytes(bytes + at, p->opening, p->size) || from >= to)
            return 0;
        places[p->field] = (place){(uint32_t)from, (uint32_t)to};
        if (p == last)
            return 1;
    }
}

/* Those of one with so many pairs, whatever they are. They become the expected ones. */
static int place_others(cr__json_strip *s, const cr_source *source, const char *bytes, size_t begin,
                        const uint32_t *mark, size_t pairs, size_t last_end, place *places)
{
    s->pairs = 0;
    for (size_t k = 0, at = begin; k < pairs; at = mark[k++]) {
        const size_t to = k + 1 == pairs ? last_end : mark[k];
        uint32_t field;
        const char *value = find_value(s, source, bytes + at + 1, bytes + to, &field);

        if (value == NULL || value >= bytes + to || places[field].to != 0)
            return 0;
        places[field] = (place){(uint32_t)(value - bytes), (uint32_t)to};
        s->pair[k] = (pair){bytes + at, (uint32_t)(value - bytes - at), field};
    }
    s->pairs = pairs;
    for (size_t k = 0; k < pairs; k++)
        if (s->pair[k].size > OPENING_MAX)
            s->pairs = 0;
    return 1;
}

/* Cut the line that begins there, whose commas and end are the next marks. Returns how many; 0: its
 * end is not among them. */
static size_t cut_line(cr__json_strip *s, const cr_source *source, const char *bytes, size_t begin,
                       const uint32_t *mark, size_t left, line *out, place *places)
{
    size_t marks = s->pairs, last_end;

    memset(places, 0, s->fields * sizeof *places);
    if (marks > 0 && marks <= left && bytes[mark[marks - 1]] == '\n' &&
        (last_end = last_value_end(bytes, begin, mark[marks - 1])) != 0 &&
        place_as_expected(s, bytes, begin, mark, last_end, places)) {
        *out = (line){(uint32_t)begin, mark[marks - 1], 1};
        return marks;
    }
    for (marks = 1; marks <= left && bytes[mark[marks - 1]] != '\n'; marks++)
        ;
    if (marks > left)
        return 0;
    *out = (line){.begin = (uint32_t)begin, .end = mark[marks - 1]};
    last_end = last_value_end(bytes, begin, out->end);
    if (bytes[begin] == '{' && last_end != 0 && marks <= s->fields && marks * SPARSE >= s->fields) {
        memset(places, 0, s->fields * sizeof *places);
        out->simple = place_others(s, source, bytes, begin, mark, marks, last_end, places);
    }
    return marks;
}

/* The commas and line ends of a strip of text with a line end in it. */
static cr_status gather(const cr__chunk *chunk, size_t *count, cr_error *err)
{
    cr__block *block = chunk->block;
    size_t from = chunk->position, newlines = 0;

    *count = 0;
    while (from < chunk->size && newlines == 0) {
        const size_t to = chunk->size - from < STRIP_SIZE ? chunk->size : from + STRIP_SIZE;

        if (!cr__grow(&block->mark, &block->mark_capacity, *count + STRIP_SIZE + 64,
                      sizeof *block->mark))
            return cr__fail_memory(err);
        *count += cr__scan_marks(chunk->bytes, from, to, ',', block->mark + *count, &newlines);
        from = to;
    }
    return CR_OK;
}

cr_status cr__json_strip_cut(cr__json_strip *s, const cr__chunk *chunk, size_t lines, cr_error *err)
{
    const cr_source *source = chunk->file->source;
    const size_t fields = source->fields->columns;
    const uint32_t *mark;
    size_t count, marks, begin = chunk->position;
    cr_status st = lay_names(s, source, err);

    s->lines = 0;
    s->pairs = 0; /* the text that they point to may be gone */
    if (st != CR_OK || (st = gather(chunk, &count, err)) != CR_OK)
        return st;
    lines = lines < PLACES_MAX / fields ? lines : PLACES_MAX / fields;
    mark = ((cr__block *)chunk->block)->mark;
    for (; s->lines < lines && count > 0; s->lines++, mark += marks, count -= marks) {
        if (!cr__grow(&s->line, &s->line_capacity, s->lines + 1, sizeof *s->line) ||
            !cr__grow(&s->place, &s->place_capacity, (s->lines + 1) * fields, sizeof *s->place))
            return cr__fail_memory(err);
        marks = cut_line(s, source, chunk->bytes, begin, mark, count, &s->line[s->lines],
                         s->place + s->lines * fields);
        if (marks == 0)
            break;
        begin = (size_t)mark[marks - 1] + 1;
    }
    return CR_OK;
}

/* --- values ------------------------------------------------------------------------------------
 */

/* A column of some lines: those from `line` on go to the rows from `row` on. */
typedef struct column {
    const char *bytes;
    const place *at; /* of the first line */
    size_t step;     /* from line to line */
    size_t rows;
    const cr__cell *cell;
    size_t row; /* of the batch */
    cr__plan *plan;
} column;

/* Each loop returns the first row that it cannot handle. */
static size_t run_words(const column *c, size_t row)
{
    const cr__cell here = {.recent = c->cell->recent, .recent_shift = c->cell->recent_shift};
    const place *at = c->at + row * c->step;
    uint32_t *code = c->cell->code + c->row;

    for (; row < c->rows; row++, at += c->step) {
        const char *text = c->bytes + at->from;
        const size_t length = at->to - at->from - 2; /* without its quotes */
        const cr__recent *entry;
        cr__key key;
        int hit;

        if (length > CR__KEY_MAX || *text != '"' || text[length + 1] != '"')
            break;
        entry = cr__recent_find(&here, text + 1, length, &key, &hit);
        if (!hit) /* no recent word contains a quote */
            break;
        code[row] = entry->code;
    }
    return row;
}

/* Numbers as words: digits alone, as other words must have quotes. */
static size_t run_digits(const column *c, size_t row)
{
    const cr__cell here = {.recent = c->cell->recent, .recent_shift = c->cell->recent_shift};
    const place *at = c->at + row * c->step;
    uint32_t *code = c->cell->code + c->row;

    for (; row < c->rows; row++, at += c->step) {
        const char *text = c->bytes + at->from;
        const size_t length = at->to - at->from;
        const cr__recent *entry;
        cr__key key;
        int hit;

        if (length > 8 || length == 0 || (size_t)cr__scan_count(cr__scan_load(text)) < length)
            break;
        entry = cr__recent_find(&here, text, length, &key, &hit);
        if (!hit)
            break;
        code[row] = entry->code;
    }
    return row;
}

#if CR__FAST_NUMBERS
CR__FAST static size_t run_short_reals(const column *c, size_t row)
{
    const place *at = c->at + row * c->step;
    double *real = c->cell->real + c->row;

    for (; row < c->rows; row++, at += c->step) {
        const size_t length = at->to - at->from;

        if (length - 1 >= 17 || !cr__short_number(c->bytes + at->from, length, &real[row]))
            break;
    }
    return row;
}
#endif

static size_t run_reals(const column *c, size_t row)
{
    const place *at = c->at + row * c->step;
    double *real = c->cell->real + c->row;

    for (; row < c->rows; row++, at += c->step) {
        const char *text = c->bytes + at->from, *end = c->bytes + at->to;

        if (text == end || cr__scan_double(text, end + 8, &real[row]) != end)
            break;
    }
    return row;
}

/* Any simple value, put as the reader of single records puts it; 0: that one must. */
static int put_value(const column *c, size_t row)
{
    const cr__cell *cell = c->cell;
    const place at = c->at[row * c->step];
    const char *text = c->bytes + at.from;
    size_t length = at.to - at.from;
    double number;
    int quoted = 1;

    if (length == 0 || (length == 4 && memcmp(text, "null", 4) == 0))
        return 1; /* every cell is missing before */
    if (*text == '"') {
        if (quoted_length(text + 1, c->bytes + at.to) != length - 2)
            return 0;
        text++;
        length -= 2;
    } else if (!(length == 4 && memcmp(text, "true", 4) == 0) &&
               !(length == 5 && memcmp(text, "false", 5) == 0)) {
        if (cr__scan_double(text, text + length + 8, &number) != text + length)
            return 0;
        quoted = 0;
    }
    if (cell->use == CR__CELL_SKIP)
        return 1;
    if (!quoted || (cell->use == CR__CELL_SYMBOL && !cell->guessed))
        return cr__plan_put(c->plan, cell, c->row + row, text, length) == CR_OK;
    return cr__cell_put(c->plan, cell, c->row + row, text, length, 1) == CR_OK;
}

/* Put a column; returns how many rows of it are done. */
static size_t put_column(const column *c)
{
    const cr__cell *cell = c->cell;
    size_t row = 0;

    for (; row < c->rows; row++) {
        if (cell->use == CR__CELL_SYMBOL && cell->recent != NULL) {
            if (!cell->guessed)
                row = run_words(c, row);
            row = run_digits(c, row);
        } else if (cell->use == CR__CELL_REAL && !cell->careful) {
#if CR__FAST_NUMBERS
            if (cr__scan_best() == CR__SCAN_AVX2)
                row = run_short_reals(c, row);
#endif
            row = run_reals(c, row);
        }
        if (row == c->rows || !put_value(c, row))
            break;
    }
    return row;
}

size_t cr__json_strip_put(const cr__json_strip *s, cr__chunk *chunk, cr__plan *plan,
                          cr__batch *batch, size_t first)
{
    size_t rows = 0;

    while (first + rows < s->lines && s->line[first + rows].simple)
        rows++;
    for (size_t f = 0; rows > 0 && f < s->fields; f++) {
        const column c = {.bytes = chunk->bytes,
                          .at = s->place + first * s->fields + f,
                          .step = s->fields,
                          .rows = rows,
                          .cell = &cr__chunk_cells(chunk)[f],
                          .row = batch->rows,
                          .plan = plan};

        rows = put_column(&c);
    }
    for (const line *l = s->line + first; l < s->line + first + rows; l++) {
        const size_t size = l->end - l->begin;
        const char *bytes = chunk->bytes + l->begin;

        batch->record[batch->rows++] =
            (cr__record){bytes, size - (bytes[size - 1] == '\r'), chunk->line++};
        chunk->position = (size_t)l->end + 1;
    }
    return first + rows;
}
