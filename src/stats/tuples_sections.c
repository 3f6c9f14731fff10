/* stats/tuples_sections.c - counts of tuples in the model file.
 *
 *   TUPL      u64 features, tuples; then a record for each tuple: u32 size, u32 feature[5], u32
 *             bytes of a count, u32 flags (1: fractional, 2: sparse), u64 cells; then for each
 *             tuple key[cells] when sparse (u64), its counts (unsigned, of so many bytes, padded to
 *             a multiple of 8), and fraction[cells] (u64) when fractional
 *
 * All pairs come first, in order. How many cells an array has follows from the values.
 */
#include "stats/tuples_sections.h"

#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/memory.h"

typedef struct head {
    uint64_t features, tuples;
} head;

typedef struct record {
    uint32_t size, feature[CR__TUPLE_MOST], width, flags;
    uint64_t cells;
} record;

enum { FRACTIONAL = 1, SPARSE = 2 };

/* --- writing -------------------------------------------------------------------------------- */

/* Bytes that the largest count needs: 1, 2, 4 or 8. */
static uint32_t width_of(const cr__tuple_counts *n)
{
    uint64_t any = 0;

    for (size_t i = 0; i < n->cells; i++)
        any |= (uint64_t)n->whole[i];
    return any <= UINT8_MAX ? 1 : any <= UINT16_MAX ? 2 : any <= UINT32_MAX ? 4 : 8;
}

static size_t padded(size_t cells, uint32_t width)
{
    return (cells * width + 7) / 8 * 8;
}

/* Little-endian, as everything in the file. */
static void put_counts(const cr__tuple_counts *n, uint32_t width, unsigned char *to)
{
    for (size_t i = 0; i < n->cells; i++, to += width)
        memcpy(to, &n->whole[i], width);
}

static void save_counts(const cr__tuple_counts *n, cr__draft *draft)
{
    const uint32_t width = width_of(n);
    const size_t size = padded(n->cells, width);
    unsigned char *bytes = cr__alloc_zero(size, 1);

    if (bytes == NULL) {
        draft->failed = 1;
        return;
    }
    put_counts(n, width, bytes);
    if (n->key != NULL)
        cr__draft_borrow(draft, n->key, n->cells * sizeof *n->key);
    cr__draft_copy(draft, bytes, size);
    if (n->fraction != NULL)
        cr__draft_borrow(draft, n->fraction, n->cells * sizeof *n->fraction);
    cr__free(bytes);
}

void cr__tuples_save(const cr__tuples *tuples, cr__draft *draft)
{
    const head h = {tuples->features, tuples->count};

    cr__draft_section_begin(draft, CR__TAG_TUPLES, 0);
    cr__draft_copy(draft, &h, sizeof h);
    for (size_t t = 0; t < tuples->count; t++) {
        const cr__tuple_counts *n = &tuples->counts[t];
        record r = {.size = (uint32_t)tuples->tuple[t].size,
                    .width = width_of(n),
                    .flags = (n->fraction != NULL ? FRACTIONAL : 0) | (n->key != NULL ? SPARSE : 0),
                    .cells = n->cells};

        memcpy(r.feature, tuples->tuple[t].feature, r.size * sizeof *r.feature);
        cr__draft_copy(draft, &r, sizeof r);
    }
    for (size_t t = 0; t < tuples->count; t++)
        save_counts(&tuples->counts[t], draft);
}

/* --- reading -------------------------------------------------------------------------------- */

/* The rest of the section. */
typedef struct rest {
    const char *at;
    size_t size;
} rest;

static const char *take(rest *from, size_t size)
{
    const char *at = from->at;

    if (size > from->size)
        return NULL;
    from->at += size;
    from->size -= size;
    return at;
}

/* Check that the features exist and occur once each. */
static int sound_record(const record *r, size_t features)
{
    if (r->size < 2 || r->size > CR__TUPLE_MOST || r->flags > (FRACTIONAL | SPARSE) ||
        (r->width != 1 && r->width != 2 && r->width != 4 && r->width != 8))
        return 0;
    for (size_t k = 0; k < r->size; k++) {
        if (r->feature[k] >= features)
            return 0;
        for (size_t q = 0; q < k; q++)
            if (r->feature[q] == r->feature[k])
                return 0;
    }
    return 1;
}

static int sound_counts(const cr__tuple_counts *n, size_t places)
{
    for (size_t i = 0; i < n->cells; i++)
        if (n->whole[i] < 0 || n->whole[i] > INT64_MAX / 4 ||
            (n->key != NULL && (n->key[i] >= places || (i > 0 && n->key[i] <= n->key[i - 1]) ||
                                cr__count_zero(cr__tuple_at(n, i)))))
            return 0;
    return 1;
}

static cr_status load_counts(cr__tuple_counts *n, const record *r, size_t places, rest *from)
{
    const int sparse = (r->flags & SPARSE) != 0, fractional = (r->flags & FRACTIONAL) != 0;
    const char *key, *whole, *fraction;

    if (r->cells > from->size || sparse != (places > cr__tuple_dense_most(r->size)) ||
        (!sparse && r->cells != places))
        return CR_EFORMAT;
    n->cells = (size_t)r->cells;
    key = take(from, sparse ? n->cells * 8 : 0);
    whole = key == NULL ? NULL : take(from, padded(n->cells, r->width));
    fraction = whole == NULL ? NULL : take(from, fractional ? n->cells * 8 : 0);
    if (fraction == NULL)
        return CR_EFORMAT;
    n->key = sparse ? cr__alloc(n->cells, 8) : NULL;
    n->whole = cr__alloc_zero(n->cells, sizeof *n->whole);
    n->fraction = fractional ? cr__alloc(n->cells, 8) : NULL;
    if (n->whole == NULL || (sparse && n->key == NULL) || (fractional && n->fraction == NULL))
        return CR_ENOMEM;
    if (sparse)
        memcpy(n->key, key, n->cells * 8);
    for (size_t i = 0; i < n->cells; i++)
        memcpy(&n->whole[i], whole + i * r->width, r->width);
    if (fractional)
        memcpy(n->fraction, fraction, n->cells * 8);
    return sound_counts(n, places) ? CR_OK : CR_EFORMAT;
}

static cr_status load_tuples(cr__tuples *tuples, const record *list, rest *from)
{
    const size_t pairs = cr__tuples_pairs(tuples->features);
    cr_status st = CR_OK;

    for (size_t t = 0; st == CR_OK && t < tuples->count; t++) {
        const cr__tuple *tuple = &tuples->tuple[t];
        size_t places;

        if (t < pairs && (list[t].size != 2 ||
                          memcmp(list[t].feature, tuple->feature, 2 * sizeof *tuple->feature) != 0))
            return CR_EFORMAT;
        places = cr__tuples_size(tuples, t);
        st = places == SIZE_MAX ? CR_EFORMAT
                                : load_counts(&tuples->counts[t], &list[t], places, from);
    }
    return st == CR_OK && from->size != 0 ? CR_EFORMAT : st;
}

/* The records, checked, and the tuples beyond the pairs. */
static cr_status read_records(const cr_schema *schema, const head *h, rest *from, record **list,
                              cr__tuples **out)
{
    const size_t count = (size_t)h->tuples;
    const char *records =
        count > from->size / sizeof **list ? NULL : take(from, count * sizeof **list);
    const size_t pairs = cr__tuples_pairs((size_t)h->features);
    cr__tuple *more;

    if (records == NULL || h->features > schema->columns || count < pairs)
        return CR_EFORMAT;
    *list = cr__alloc(count, sizeof **list);
    more = cr__alloc_zero(count - pairs, sizeof *more);
    if (*list == NULL || more == NULL) {
        cr__free(more);
        return CR_ENOMEM;
    }
    memcpy(*list, records, count * sizeof **list);
    for (size_t t = 0; t < count; t++) {
        if (!sound_record(&(*list)[t], (size_t)h->features)) {
            cr__free(more);
            return CR_EFORMAT;
        }
        if (t < pairs)
            continue;
        more[t - pairs].size = (*list)[t].size;
        memcpy(more[t - pairs].feature, (*list)[t].feature, sizeof more->feature);
    }
    *out = cr__tuples_new(schema, more, count - pairs);
    cr__free(more);
    return *out == NULL ? CR_ENOMEM : (*out)->features == h->features ? CR_OK : CR_EFORMAT;
}

cr_status cr__tuples_load(cr__stats *stats, const cr__container *container, cr_error *err)
{
    const void *section;
    record *list = NULL;
    rest from;
    head h;
    cr_status st =
        cr__container_need(container, CR__TAG_TUPLES, 0, sizeof h, 0, &section, &from.size, err);

    if (st != CR_OK)
        return st;
    from.at = section;
    memcpy(&h, take(&from, sizeof h), sizeof h);
    st = read_records(stats->schema, &h, &from, &list, &stats->tuples);
    if (st == CR_OK) {
        stats->tuples->classes = stats->classes;
        for (size_t f = 0; f < stats->tuples->features; f++)
            stats->tuples->values[f] = cr__stats_values(stats, stats->tuples->column[f]);
        st = load_tuples(stats->tuples, list, &from);
    }
    cr__free(list);
    if (st == CR_EFORMAT)
        return cr__container_damaged(container, err, "its counts of pairs make no sense");
    return st == CR_OK ? CR_OK : cr__fail_memory(err);
}
