/* source/json_cut.c - JSON Lines by columns: where the values are.
 *
 * First the commas and line ends are found, many bytes at a time, whatever they belong to. Then
 * each line is cut into pairs at them. Records usually have the same keys in the same spelling and
 * order, so the bytes between a comma and a value are compared with those of an earlier record;
 * otherwise the key is looked up by its bytes up to the colon. That is safe without knowing which
 * commas are inside texts: a text with a comma would have to go on with a key, whose quotes it
 * could only have with backslashes before them. Where no key follows a comma and the value before
 * it is a text, the comma belongs to that. The keys of an object in a record are looked up under
 * its path; what is ignored is skipped.
 */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "source/json_places.h"
#include "source/lines.h"
#include "source/short_number.h"
#include "text/utf8.h"

#define STRIP_SIZE ((size_t)16 << 10) /* text that stays in the first-level cache */
#define PATHS_MAX 256
#define DEPTH_MAX 16
#define SPARSE 16 /* a record with fewer fields than one in so many is read faster by itself */
#define NO_FIELD UINT32_MAX

typedef cr__json_place place;

typedef struct cr__json_pair {
    const char *opening; /* the bytes from the brace or comma before the key to its value */
    uint32_t size;       /* of these */
    uint32_t field;      /* NO_FIELD: the value is skipped */
    uint32_t closed;     /* objects that end behind the value */
} pair;

typedef struct cr__json_name { /* the bytes of a key behind its quote, up to the colon */
    uint64_t low, high;        /* the first and the last eight if there are CR__KEY_MAX or more */
    uint64_t place; /* PLACE of the object that it is in, and its tag; 0: there is no key here */
    uint32_t field; /* NO_FIELD: see the next two */
    uint32_t ignored_field; /* when it is to be ignored; NO_FIELD: it has only objects */
    int ignored;
    uint32_t inner; /* path of the objects that are its values; 0: it had none so far */
    size_t kept;    /* where the bytes of a long key are */
} name;

#define PLACE(path, tag) ((uint64_t)(path) << 32 | (tag))

typedef struct cr__json_path { /* "a.b." */
    size_t begin, size;        /* in what is kept */
} path;

size_t cr__json_places_limit = (size_t)1 << 15;

void cr__json_strip_free(cr__json_strip *strip)
{
    if (strip == NULL)
        return;
    cr__free(strip->place);
    cr__free(strip->line);
    cr__free(strip->pair);
    cr__free(strip->name);
    cr__free(strip->path);
    cr__buffer_free(&strip->kept);
    cr__free(strip);
}

int cr__json_strip_fits(const cr__chunk *chunk)
{
    const cr_source *source = chunk->file->source;
    const size_t fields = source->fields->columns;
    int fits = !source->surveying && fields > 0 && fields <= cr__json_places_limit;

    for (size_t f = 0; fits && f < fields; f++)
        fits = cr__chunk_cells(chunk)[f].use != CR__CELL_TEXT;
    return fits;
}

/* --- strings and objects --------------------------------------------------------------------- */

const char *cr__json_decode(const char *p, const char *end, cr__buffer *out)
{
    while (p < end && *p != '"') {
        uint32_t point;

        if (*p != '\\') {
            out->data[out->size++] = *p++;
            continue;
        }
        p++;
        if (!cr__json_escape(&p, end, &point))
            return NULL;
        out->size += cr__utf8_put(out->data + out->size, point == 0 ? 0xfffd : point);
    }
    return p < end ? p + 1 : NULL;
}

/* What follows the string that begins with the quote at p; NULL: it is malformed. */
static const char *skip_string(const char *p, const char *end)
{
    const size_t length = cr__json_quoted(++p, end);
    uint32_t point;

    if (length != SIZE_MAX)
        return p + length + 1;
    while (p < end && *p != '"')
        if (*p++ == '\\' && !cr__json_escape(&p, end, &point))
            return NULL;
    return p < end ? p + 1 : NULL;
}

const char *cr__json_close(const char *p, const char *end)
{
    const char *close = cr__scan_close(p, end);
    size_t depth = 0;

    if (close != NULL)
        return close;
    do {
        if (p >= end)
            return NULL;
        if (*p == '"') {
            if ((p = skip_string(p, end)) == NULL)
                return NULL;
            continue;
        }
        depth += *p == '[' || *p == '{';
        depth -= *p == ']' || *p == '}';
        p++;
    } while (depth > 0);
    return p;
}

int cr__json_ignores(const cr_source *source, const char *bytes, size_t length)
{
    const uint32_t code = source->types == 0 ? 0 : cr__dict_find(source->type_names, bytes, length);

    return code != 0 && source->type[code - 1].kind == CR_IGNORE;
}

/* --- keys ------------------------------------------------------------------------------------ */

/* What a line is cut with. */
typedef struct cutter {
    cr__json_strip *s;
    cr_source *source;
    cr__block *block;
    const char *bytes;
    size_t fields;
} cutter;

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
        !cr__grow(&s->pair, &s->pair_capacity, fields + 16, sizeof *s->pair) ||
        !cr__grow(&s->path, &s->path_capacity, PATHS_MAX, sizeof *s->path))
        return cr__fail_memory(err);
    memset(s->name, 0, ((size_t)1 << s->name_bits) * sizeof *s->name);
    cr__buffer_clear(&s->kept);
    s->path[0] = (path){0, 0};
    s->paths = 1;
    s->names = 0;
    s->fields = fields;
    return CR_OK;
}

typedef struct key { /* bytes from behind the opening quote up to the colon */
    uint64_t low, high;
    size_t size;  /* CR__KEY_MAX in a short key: there are at least so many */
    uint32_t tag; /* tells keys of all sizes apart that have the same low and high; never 0 */
} key;

#define TAG_LONG ((uint32_t)1 << 16)

#define KEY_LONGEST 256

/* Where the first colon behind a quote is, and what comes before it. */
static inline key take_short_key(const char *quote)
{
    const char *p = quote + 1;
    key k;

#if CR__FAST_NUMBERS
    static const unsigned char keep[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                           255, 255, 255, 255, 255, 255, 255, 255};
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
    const uint32_t colons = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(':')));
    const unsigned size = (unsigned)__builtin_ctz(colons | (uint32_t)1 << CR__KEY_MAX);
    const __m128i kept = _mm_and_si128(
        bytes, _mm_loadu_si128((const __m128i *)(const void *)(keep + CR__KEY_MAX - size)));

    k.size = size;
    k.tag = size + 1;
    k.low = (uint64_t)_mm_cvtsi128_si64(kept);
    k.high = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(kept, kept));
#else
    const char *colon = memchr(p, ':', CR__KEY_MAX);

    k.size = colon == NULL ? CR__KEY_MAX : (size_t)(colon - p);
    k.tag = (uint32_t)k.size + 1;
    k.low = cr__load_bytes(p, k.size < 8 ? k.size : 8);
    k.high = cr__load_bytes(p + 8, k.size < 8 ? 0 : k.size - 8);
#endif
    return k;
}

/* A key of more bytes; of none when there is no colon nearby. */
static key take_long_key(const char *quote, const char *end)
{
    const char *p = quote + 1;
    const size_t most = end - p < KEY_LONGEST ? (size_t)(end - p) : KEY_LONGEST;
    const char *colon = p < end ? memchr(p, ':', most) : NULL;

    if (colon == NULL || colon - p < CR__KEY_MAX)
        return (key){.size = 0};
    return (key){cr__scan_load(p), cr__scan_load(colon - 8), (size_t)(colon - p),
                 TAG_LONG + (uint32_t)(colon - p)};
}

static inline size_t slot_of(const key *k, uint32_t in, unsigned bits)
{
    const uint64_t spread = 0x9e3779b97f4a7c15;

    return (k->low ^ (k->high << 23 | k->high >> 41) ^ in) * spread >> (64 - bits);
}

static inline int is_name(const name *n, const key *k, uint32_t in)
{
    return ((n->low ^ k->low) | (n->high ^ k->high) | (n->place ^ PLACE(in, k->tag))) == 0;
}

/* The key's name, or the free slot where it would be. */
static name *seek_name(const cr__json_strip *s, const key *k, const char *quote, uint32_t in)
{
    const size_t mask = ((size_t)1 << s->name_bits) - 1;
    size_t slot = slot_of(k, in, s->name_bits);

    while (s->name[slot].place != 0 &&
           !(is_name(&s->name[slot], k, in) &&
             (k->size < CR__KEY_MAX ||
              memcmp(s->kept.data + s->name[slot].kept, quote + 1, k->size) == 0)))
        slot = (slot + 1) & mask;
    return &s->name[slot];
}

/* The path of the objects of a key with that full name; 0: there is no room for it. */
static uint32_t find_path(cr__json_strip *s, const char *full, size_t length)
{
    size_t i = 1;

    while (i < s->paths && (s->path[i].size != length + 1 ||
                            memcmp(s->kept.data + s->path[i].begin, full, length) != 0))
        i++;
    if (i == PATHS_MAX)
        return 0;
    if (i == s->paths) {
        s->path[i] = (path){s->kept.size, length + 1};
        cr__buffer_add(&s->kept, full, length);
        cr__buffer_addc(&s->kept, '.');
        s->paths += !s->kept.failed;
    }
    return s->kept.failed ? 0 : (uint32_t)i;
}

/* Meet a key in a path: what is known about it, and where its value begins. NULL: it is none. */
static const char *read_name(const cutter *c, const char *p, const char *end, uint32_t in,
                             name *out)
{
    const cr__json_strip *s = c->s;
    cr__buffer *full = &c->block->path, *scratch = &c->block->scratch;
    const char *text;
    size_t length;
    uint32_t field;

    p = cr__skip_blanks(p);
    if (p >= end || *p++ != '"')
        return NULL;
    text = p;
    if ((length = cr__json_quoted(p, end)) != SIZE_MAX) {
        p += length + 1;
    } else {
        cr__buffer_clear(scratch);
        if (cr__buffer_reserve(scratch, (size_t)(end - p) + 1) == NULL ||
            (p = cr__json_decode(p, end, scratch)) == NULL)
            return NULL;
        text = scratch->data;
        length = scratch->size;
    }
    if (in != 0) {
        cr__buffer_clear(full);
        cr__buffer_add(full, s->kept.data + s->path[in].begin, s->path[in].size);
        cr__buffer_add(full, text, length);
        if (full->failed)
            return NULL;
        text = full->data;
        length = full->size;
    }
    field = cr__dict_find(c->source->fields->names, text, length) - 1;
    *out = (name){.field = field < c->fields ? field : NO_FIELD};
    out->ignored_field = out->field;
    out->ignored = cr__json_ignores(c->source, text, length);
    if (out->ignored)
        out->field = NO_FIELD;
    p = cr__skip_blanks(p);
    if (p >= end || *p != ':')
        return NULL;
    p = cr__skip_blanks(p + 1);
    if (out->field == NO_FIELD && !out->ignored && *p == '{' &&
        (out->inner = find_path(c->s, text, length)) == 0)
        return NULL;
    return p;
}

/* The same for a key that has perhaps been met before; `other` has room for another. */
static const char *find_name(const cutter *c, const char *p, const char *end, uint32_t in, key k,
                             const name **found, name *other)
{
    cr__json_strip *s = c->s;
    const char *value;
    name *slot;

    *found = other;
    if (k.size == CR__KEY_MAX)
        k = take_long_key(p, end);
    if (*p != '"' || k.size == 0)
        return read_name(c, p, end, in, other);
    slot = seek_name(s, &k, p, in);
    value = cr__skip_blanks(p + k.size + 2);
    if (slot->place != 0 &&
        (*value != '{' || slot->field != NO_FIELD || slot->ignored || slot->inner != 0)) {
        *found = slot;
        return value;
    }
    value = read_name(c, p, end, in, other);
    if (value == NULL || cr__is_blank(value[-1]) + 2 != value - (p + k.size) ||
        s->names * 2 >= (size_t)1 << s->name_bits)
        return value;
    other->low = k.low;
    other->high = k.high;
    other->place = PLACE(in, k.tag);
    if (k.size >= CR__KEY_MAX) {
        other->kept = s->kept.size;
        cr__buffer_add(&s->kept, p + 1, k.size);
        if (s->kept.failed)
            return NULL;
    }
    s->names += slot->place == 0;
    *slot = *other;
    return value;
}

/* --- lines ----------------------------------------------------------------------------------- */

/* Whether size bytes are the same, none of them in b a line end; more may be read. */
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

/* A line on its way: which value comes next, and where. */
typedef struct cut {
    const uint32_t *mark; /* the comma behind the value, or the line end */
    const uint32_t *last; /* that one, or of a later line: it may be guessed */
    size_t last_end;      /* where the last value ends, without the brace behind it */
    place *places;        /* [fields] */
} cut;

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

/* Whether an array or object begins there, behind any blanks: what is inside it may look like pairs
 * of the record, so it must be passed as a whole. */
static inline int is_nested(const char *value)
{
    if (cr__is_blank(*value))
        value = cr__skip_blanks(value);
    return (*value | 0x20) == '{'; /* '[' and '{' differ in one bit */
}

static inline size_t value_end(const cut *l)
{
    return l->mark == l->last ? l->last_end : *l->mark;
}

/* Where a value ends that perhaps closes objects; how many of `depth` are left. */
static size_t close_objects(const char *bytes, size_t from, size_t end, size_t *depth)
{
    for (;; end--) {
        while (end > from && cr__is_blank(bytes[end - 1]))
            end--;
        if (*depth == 0 || end <= from || bytes[end - 1] != '}')
            return end;
        --*depth;
    }
}

/* Pass the marks before p, which are inside a value. Returns whether p is in the same line. */
static int pass_marks(const cutter *c, cut *l, const char *p)
{
    for (; l->mark < l->last && c->bytes + *l->mark < p; l->mark++)
        if (c->bytes[*l->mark] == '\n')
            return 0;
    return 1;
}

/* Pass a value that is not used, from where it begins to the mark behind it. 0: it is not simple,
 * or not valid. */
static int pass_value(const cutter *c, cut *l, const char *from, size_t *depth)
{
    const char *end = c->bytes + *l->last, *p;
    double number;

    p = from = cr__skip_blanks(from);
    if (is_nested(from))
        p = cr__json_close(from, end);
    else if (*from == '"')
        p = skip_string(from, end);
    else if (end - from > 4 && (memcmp(from, "null", 4) == 0 || memcmp(from, "true", 4) == 0))
        p = from + 4;
    else if (end - from > 5 && memcmp(from, "false", 5) == 0)
        p = from + 5;
    else
        p = cr__scan_double(from, end + 8, &number);
    if (p == NULL || p == from)
        return 0;
    if (!pass_marks(c, l, p))
        return 0;
    for (p = cr__skip_blanks(p); *p == '}' && *depth > 0; p = cr__skip_blanks(p + 1))
        --*depth;
    return p == cr__skip_blanks(c->bytes + value_end(l));
}

/* Two loops for records that are only values of fields, so that everything they need stays in
 * registers: one for those whose keys are in the expected order, one for those whose keys have been
 * met. They may place values that end before they begin. On failure the places must be cleared. */
static __attribute__((noinline)) int place_in_order(const cr__json_strip *s, const char *bytes,
                                                    size_t begin, const cut *l)
{
    const pair *p = s->pair, *const last = p + s->pairs - 1;
    const uint32_t *mark = l->mark;
    place *const places = l->places;
    size_t at = begin;

    if (l->last - mark != last - p)
        return 0;
    for (; same_bytes(bytes + at, p->opening, p->size); p++, at = *mark++) {
        if (is_nested(bytes + at + p->size))
            return 0;
        if (p == last) {
            places[p->field] = (place){(uint32_t)at + p->size, (uint32_t)l->last_end};
            return 1;
        }
        places[p->field] = (place){(uint32_t)at + p->size, *mark};
    }
    return 0;
}

/* When no key follows the comma behind a text, it belongs to that: move to the end of the text. */
static int lengthen_text(const cutter *c, cut *l, place *text, size_t comma, size_t *depth)
{
    const char *end;

    if (text == NULL || c->bytes[text->from] != '"' ||
        (end = skip_string(c->bytes + text->from, c->bytes + *l->last)) == NULL ||
        end <= c->bytes + comma)
        return 0;
    if (c->bytes[comma] == '\n' || !pass_marks(c, l, end))
        return 0;
    text->to = (uint32_t)close_objects(c->bytes, text->from, value_end(l), depth);
    return 1;
}

/* The places of a record whose keys are those of the pairs, whatever these are. */
static int place_as_expected(const cutter *c, cut *l, size_t begin)
{
    const cr__json_strip *s = c->s;
    size_t at = begin, i = 0;

    for (;;) {
        const pair *p = &s->pair[i];
        size_t left = 0;

        if (i == s->pairs || !same_bytes(c->bytes + at, p->opening, p->size)) {
            if (i == 0 || p[-1].field == NO_FIELD || p[-1].closed > 0 ||
                !lengthen_text(c, l, &l->places[p[-1].field], at, &left))
                return 0;
        } else {
            const size_t from = at + p->size;

            left = p->closed;
            i++;
            if (p->field == NO_FIELD) {
                if (!pass_value(c, l, c->bytes + from, &left))
                    return 0;
            } else {
                size_t to = value_end(l);

                if (left > 0)
                    to = close_objects(c->bytes, from, to, &left);
                if (from >= to || is_nested(c->bytes + from))
                    return 0;
                l->places[p->field] = (place){(uint32_t)from, (uint32_t)to};
            }
            if (left > 0)
                return 0;
        }
        if (l->mark == l->last)
            return i == s->pairs;
        at = *l->mark++;
    }
}

/* What is done with a key that is not simply that of a field. */
typedef enum special { SPECIAL_FIELD, SPECIAL_OPENED, SPECIAL_PASSED, SPECIAL_FAULT } special;

static special take_special(const cutter *c, cut *l, const name *n, const char *value,
                            uint32_t *open, size_t *depth)
{
    const int nested = is_nested(value);

    if (n->ignored && !nested && n->ignored_field != NO_FIELD)
        return SPECIAL_FIELD;
    if (!n->ignored && *value == '{') {
        if (n->inner == 0 || *depth + 1 >= DEPTH_MAX)
            return SPECIAL_FAULT;
        open[++*depth] = n->inner;
        return SPECIAL_OPENED;
    }
    /* A key that the model does not know is told once, by the reader of single records. */
    if (!(n->ignored && nested) && (c->source->inferred || !atomic_load(&c->source->unknown_told)))
        return SPECIAL_FAULT;
    return pass_value(c, l, value, depth) ? SPECIAL_PASSED : SPECIAL_FAULT;
}

/* A key in place_known that is not simply that of a field, with the field before: a value to be
 * ignored, or the rest of a text. Moves to the mark behind it. */
static __attribute__((noinline)) int pass_unusual(const cutter *c, cut *l, const char *comma,
                                                  const name *n, uint32_t before)
{
    const char *value;
    size_t depth = 0;

    if (n->place == 0)
        return before != NO_FIELD &&
               lengthen_text(c, l, &l->places[before], (size_t)(comma - c->bytes), &depth);
    for (value = comma; *value != ':'; value++)
        ;
    value = cr__skip_blanks(value + 1);
    return n->ignored && is_nested(value) && pass_value(c, l, value, &depth);
}

/* Those of a record whose keys have all been met and whose used values are side by side. */
static __attribute__((noinline)) int place_known(const cutter *c, cut *l, size_t begin)
{
    const name *const names = c->s->name;
    const unsigned bits = c->s->name_bits;
    const char *const bytes = c->bytes, *at = bytes + begin;
    const uint32_t *mark = l->mark, *const last = l->last;
    place *const places = l->places;
    uint32_t before = NO_FIELD;

    for (;; at = bytes + *mark++) {
        const char *p = at + 1 + (at[1] == ' '), *value;
        const key k = take_short_key(p);
        const name *n = &names[slot_of(&k, 0, bits)];
        uint32_t field;

        while (!is_name(n, &k, 0) && n->place != 0)
            n = n == names + ((size_t)1 << bits) - 1 ? names : n + 1;
        field = n->place == 0 || *p != '"' ? NO_FIELD : n->field;
        if (field == NO_FIELD) {
            l->mark = mark;
            if (!pass_unusual(c, l, at, n, before))
                return 0;
            mark = l->mark;
        } else {
            value = p + k.size + 2;
            value += *value == ' ';
            if (places[field].to != 0 || is_nested(value))
                return 0;
            places[field].from = (uint32_t)(value - bytes);
            places[field].to = (uint32_t)(mark == last ? l->last_end : *mark);
        }
        if (mark == last)
            return 1;
        before = field;
    }
}

/* Those of any other record. Its pairs become the expected ones. */
static int place_keys(const cutter *c, cut *l, size_t begin)
{
    const size_t most = c->s->pair_capacity;
    const char *const bytes = c->bytes;
    uint32_t open[DEPTH_MAX] = {0}; /* paths of the objects that are open */
    place *text = NULL;             /* the value before, if it may be a text with a comma */
    size_t opening = begin, at = begin, depth = 0, pairs = 0;
    int plain = 1, flat = 1;

    c->s->pairs = 0; /* they are overwritten, also by a record that turns out not to be simple */
    for (;;) {
        const char *p = bytes + at + 1, *value;
        size_t from, before = depth;
        const name *n;
        uint32_t field;
        name other;
        key k;

        p += *p == ' ';
        k = take_short_key(p);
        n = &c->s->name[slot_of(&k, open[depth], c->s->name_bits)];
        value = p + k.size + 2;
        value += *value == ' ';
        if (*p != '"' || !is_name(n, &k, open[depth]) || n->field == NO_FIELD)
            value = find_name(c, p, bytes + *l->last, open[depth], k, &n, &other);
        if (value == NULL) {
            if (!lengthen_text(c, l, text, at, &depth))
                return 0;
            plain = 0;
            goto next;
        }
        field = n->field;
        from = (size_t)(value - bytes);
        text = NULL;
        if (field == NO_FIELD) {
            const special what = take_special(c, l, n, value, open, &depth);

            at = from;
            flat &= what != SPECIAL_OPENED;
            if (what == SPECIAL_OPENED)
                continue;
            if (what == SPECIAL_FAULT)
                return 0;
            field = what == SPECIAL_FIELD ? n->ignored_field : NO_FIELD;
        }
        if (field != NO_FIELD) {
            size_t to = value_end(l);

            if (depth > 0)
                to = close_objects(bytes, from, to, &depth);
            if (l->places[field].to != 0 || from >= to || is_nested(value))
                return 0;
            l->places[field] = (place){(uint32_t)from, (uint32_t)to};
            text = before == depth ? &l->places[field] : NULL;
        }
        if (pairs < most)
            c->s->pair[pairs] = (pair){bytes + opening, (uint32_t)(from - opening), field,
                                       (uint32_t)(before - depth)};
        plain &= field != NO_FIELD && before == depth;
        pairs++;
    next:
        if (l->mark == l->last)
            break;
        at = opening = *l->mark++;
    }
    c->s->pairs = pairs <= most && depth == 0 ? pairs : 0;
    c->s->plain = plain;
    c->s->flat = flat;
    return depth == 0;
}

#define MISSES 4 /* after so many records that were not as expected, */
#define IDLE 32  /* so many are not expected to be anything */

/* Forget what was placed on the way to a failure. */
static void begin_again(const cutter *c, cut *l, const uint32_t *mark)
{
    l->mark = mark;
    memset(l->places, 0, c->fields * sizeof *l->places);
}

/* The places of the values between some marks, the last of them a line end. */
static int place_values(const cutter *c, size_t begin, const uint32_t *mark, size_t marks,
                        place *places)
{
    cr__json_strip *s = c->s;
    cut l = {.mark = mark,
             .last = mark + marks - 1,
             .last_end = last_value_end(c->bytes, begin, mark[marks - 1]),
             .places = places};
    const int tried = s->pairs > 0;

    if (l.last_end == 0)
        return 0;
    if (s->pairs > 0 &&
        (s->plain ? place_in_order(s, c->bytes, begin, &l) : place_as_expected(c, &l, begin))) {
        s->missed = 0;
        return 1;
    }
    if (tried && ++s->missed >= MISSES) {
        s->idle = IDLE;
        s->pairs = 0;
    }
    if (tried)
        begin_again(c, &l, mark);
    if (s->idle > 0) {
        s->idle--;
        if (s->flat) {
            if (place_known(c, &l, begin))
                return 1;
            begin_again(c, &l, mark);
        }
    }
    return place_keys(c, &l, begin);
}

/* Cut the line that begins there, whose commas and end are the next marks. Returns how many; 0: its
 * end is not among them. */
static size_t cut_line(const cutter *c, size_t begin, const uint32_t *mark, size_t left,
                       cr__json_line *out, place *places)
{
    const size_t guess = c->s->marks;
    size_t marks = 1, tried = 0;

    if (guess > 0 && guess <= left && c->bytes[mark[guess - 1]] == '\n' && c->bytes[begin] == '{') {
        if (place_values(c, begin, mark, guess, places)) {
            *out = (cr__json_line){(uint32_t)begin, mark[guess - 1], 1};
            return guess;
        }
        tried = guess;
    }
    while (marks <= left && c->bytes[mark[marks - 1]] != '\n')
        marks++;
    if (marks > left)
        return 0;
    *out = (cr__json_line){.begin = (uint32_t)begin, .end = mark[marks - 1]};
    if (tried > 0)
        memset(places, 0, c->fields * sizeof *places);
    if (c->bytes[begin] == '{' && marks * SPARSE >= c->fields && marks != tried)
        out->simple = place_values(c, begin, mark, marks, places);
    c->s->marks = marks;
    return marks;
}

/* The commas and line ends of a strip of text with a line end in it. */
static cr_status gather(const cr__chunk *chunk, size_t *count, size_t *newlines, cr_error *err)
{
    cr__block *block = chunk->block;
    size_t from = chunk->position;

    *count = 0;
    *newlines = 0;
    while (from < chunk->size && *newlines == 0) {
        const size_t to = chunk->size - from < STRIP_SIZE ? chunk->size : from + STRIP_SIZE;

        if (!cr__grow(&block->mark, &block->mark_capacity, *count + STRIP_SIZE + 64,
                      sizeof *block->mark))
            return cr__fail_memory(err);
        *count += cr__scan_marks(chunk->bytes, from, to, ',', block->mark + *count, newlines);
        from = to;
    }
    return CR_OK;
}

cr_status cr__json_strip_cut(cr__json_strip *s, const cr__chunk *chunk, size_t lines, cr_error *err)
{
    const cutter c = {.s = s,
                      .source = chunk->file->source,
                      .block = chunk->block,
                      .bytes = chunk->bytes,
                      .fields = chunk->file->source->fields->columns};
    const uint32_t *mark;
    size_t count, newlines, begin = chunk->position;
    cr_status st = lay_names(s, c.source, err);

    s->lines = 0;
    s->pairs = 0; /* the text that they point to may be gone */
    if (st != CR_OK || (st = gather(chunk, &count, &newlines, err)) != CR_OK)
        return st;
    lines = lines < newlines ? lines : newlines;
    lines = lines < cr__json_places_limit / c.fields ? lines : cr__json_places_limit / c.fields;
    if (!cr__grow(&s->line, &s->line_capacity, lines, sizeof *s->line) ||
        !cr__grow(&s->place, &s->place_capacity, lines * c.fields, sizeof *s->place))
        return cr__fail_memory(err);
    memset(s->place, 0, lines * c.fields * sizeof *s->place);
    mark = c.block->mark;
    for (; s->lines < lines; s->lines++) {
        const size_t marks =
            cut_line(&c, begin, mark, count, &s->line[s->lines], s->place + s->lines * c.fields);

        begin = (size_t)mark[marks - 1] + 1;
        mark += marks;
        count -= marks;
    }
    return CR_OK;
}
