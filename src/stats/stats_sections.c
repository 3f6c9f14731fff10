/* stats/stats_sections.c - sufficient statistics in the model file.
 *
 *   DICT i    words of symbol column i (the target's are the classes)
 *
 *   CLSC      class counts: u64 fractional; whole[classes]; fraction[classes] when fractional
 *
 *   CNTS i    counts of symbol feature i: u64 fractional; whole[values * classes]; fraction
 *             likewise
 *
 *   MOMT i    moments of real feature i: per class i64 whole, u64 fraction, then the exact sum and
 *             the exact sum of squares in their stored form, one after another
 *
 *   VALU i    numbers of real feature i by class, when they are kept: u64 pairs, fractional, bits
 *             dropped; then key[2 * pairs] (number, class), whole[pairs], fraction[pairs] when
 *             fractional
 *
 *   BAG. i    counts of text feature i: bag_sections.c
 *
 *   CELL      the cells of a joint table: cells_sections.c; then cut real columns have DICT and
 *             CNTS
 *
 *   TUPL      counts of pairs of features and more: tuples_sections.c; cut real columns likewise
 */
#include "stats/stats_sections.h"

#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/memory.h"
#include "stats/bag_sections.h"
#include "stats/cells_sections.h"
#include "stats/cross_sections.h"
#include "stats/tuples_sections.h"

#define TAG_CLASSES CR__TAG('C', 'L', 'S', 'C')
#define TAG_COUNTS CR__TAG('C', 'N', 'T', 'S')
#define TAG_MOMENTS CR__TAG('M', 'O', 'M', 'T')
#define TAG_VALUES CR__TAG('V', 'A', 'L', 'U')

/* --- writing --------------------------------------------------------------------------------- */

static void save_counts(cr__draft *draft, const int64_t *whole, const uint64_t *fraction,
                        size_t cells)
{
    const uint64_t fractional = fraction != NULL;

    cr__draft_copy(draft, &fractional, sizeof fractional);
    cr__draft_borrow(draft, whole, cells * sizeof *whole);
    if (fraction != NULL)
        cr__draft_borrow(draft, fraction, cells * sizeof *fraction);
}

static void save_moments(cr__draft *draft, const cr__moment *moment, size_t classes)
{
    cr__buffer bytes = {0};

    for (size_t c = 0; c < classes; c++) {
        const cr__exact *parts[2] = {&moment[c].sum, &moment[c].squares};

        cr__buffer_add(&bytes, &moment[c].count, sizeof moment[c].count);
        for (int p = 0; p < 2; p++) {
            size_t size = cr__exact_bytes(parts[p]);
            char *at = cr__buffer_reserve(&bytes, size);
            if (at != NULL) {
                cr__exact_write(parts[p], (unsigned char *)at);
                bytes.size += size;
            }
        }
    }
    if (bytes.failed)
        draft->failed = 1;
    else
        cr__draft_copy(draft, bytes.data, bytes.size);
    cr__buffer_free(&bytes);
}

typedef struct values_head {
    uint64_t pairs, fractional, shift;
} values_head;

static void save_values(cr__draft *draft, const cr__values *values)
{
    const values_head h = {values->count, values->fraction != NULL, values->shift};

    cr__draft_copy(draft, &h, sizeof h);
    cr__draft_borrow(draft, values->key, values->count * 2 * sizeof *values->key);
    cr__draft_borrow(draft, values->whole, values->count * sizeof *values->whole);
    if (values->fraction != NULL)
        cr__draft_borrow(draft, values->fraction, values->count * sizeof *values->fraction);
}

void cr__stats_save(const cr__stats *stats, cr__draft *draft)
{
    cr__draft_section_begin(draft, TAG_CLASSES, 0);
    save_counts(draft, stats->class_whole, stats->class_fraction, stats->classes);
    for (size_t i = 0; i < stats->schema->columns; i++) {
        const cr__column_stats *s = &stats->column[i];

        if (s->dict != NULL) {
            cr__draft_section_begin(draft, CR__TAG_DICT, (uint32_t)i);
            cr__draft_dict(draft, s->dict);
        }
        if (s->whole != NULL) {
            cr__draft_section_begin(draft, TAG_COUNTS, (uint32_t)i);
            save_counts(draft, s->whole, s->fraction, cr__stats_values(stats, i) * stats->classes);
        }
        if (s->moment != NULL) {
            cr__draft_section_begin(draft, TAG_MOMENTS, (uint32_t)i);
            save_moments(draft, s->moment, stats->classes);
        }
        if (s->values != NULL) {
            cr__draft_section_begin(draft, TAG_VALUES, (uint32_t)i);
            save_values(draft, s->values);
        }
        if (s->bag != NULL)
            cr__bag_save(s->bag, draft, (uint32_t)i);
    }
    if (stats->cells != NULL)
        cr__cells_save(stats->cells, draft);
    if (stats->tuples != NULL)
        cr__tuples_save(stats->tuples, draft);
}

/* The digest covers the names and contents of the sections. */
cr_status cr__stats_fingerprint(const cr__stats *stats, char out[33], cr_error *err)
{
    cr__draft draft = {0};
    cr_status st;

    cr__stats_save(stats, &draft);
    st = cr__draft_fingerprint(&draft, out, err);
    cr__draft_free(&draft);
    return st;
}

/* --- reading --------------------------------------------------------------------------------- */

static cr_status load_counts(const cr__container *container, uint32_t tag, uint32_t index,
                             size_t cells, int64_t **whole, uint64_t **fraction, cr_error *err)
{
    const char *bytes;
    const void *section;
    uint64_t fractional;
    size_t size;
    cr_status st =
        cr__container_need(container, tag, index, sizeof fractional, 0, &section, &size, err);

    if (st != CR_OK)
        return st;
    bytes = section;
    memcpy(&fractional, bytes, sizeof fractional);
    if (fractional > 1 || cells > (size - 8) / 8 || size - 8 != cells * 8 * (1 + fractional))
        return cr__container_damaged(container, err, "a table of counts has a wrong length");
    *whole = cr__alloc(cells, sizeof **whole);
    if (fractional)
        *fraction = cr__alloc(cells, sizeof **fraction);
    if (*whole == NULL || (fractional && *fraction == NULL))
        return cr__fail_memory(err);
    memcpy(*whole, bytes + 8, cells * 8);
    if (fractional)
        memcpy(*fraction, bytes + 8 + cells * 8, cells * 8);
    for (size_t i = 0; i < cells; i++)
        if ((*whole)[i] < 0)
            return cr__container_damaged(container, err, "a count is negative");
    return CR_OK;
}

static cr_status load_moments(const cr__container *container, uint32_t index, size_t classes,
                              cr__moment *moment, cr_error *err)
{
    const unsigned char *at;
    const void *section;
    size_t left;
    cr_status st = cr__container_need(container, TAG_MOMENTS, index, 0, 0, &section, &left, err);

    if (st != CR_OK)
        return st;
    at = section;
    for (size_t c = 0; c < classes; c++) {
        cr__exact *parts[2] = {&moment[c].sum, &moment[c].squares};

        if (left < sizeof moment[c].count)
            return cr__container_damaged(container, err, "moments are cut short");
        memcpy(&moment[c].count, at, sizeof moment[c].count);
        at += sizeof moment[c].count;
        left -= sizeof moment[c].count;
        if (moment[c].count.whole < 0)
            return cr__container_damaged(container, err, "a count is negative");
        for (int p = 0; p < 2; p++) {
            size_t used = 0;
            if ((st = cr__exact_read(parts[p], at, left, &used)) == CR_ENOMEM)
                return cr__fail_memory(err);
            if (st != CR_OK)
                return cr__container_damaged(container, err, "an exact sum makes no sense");
            at += used;
            left -= used;
        }
    }
    return left == 0 ? CR_OK : cr__container_damaged(container, err, "moments have a wrong length");
}

/* Keys ascend, stand for finite numbers, have no bits that were dropped; classes and counts are
 * possible. */
static int sound_values(const cr__values *v, size_t classes)
{
    const uint64_t dropped = (UINT64_C(1) << v->shift) - 1;

    for (size_t i = 0; i < v->count; i++) {
        const uint64_t *key = v->key + 2 * i;

        if (i > 0 && (key[0] < key[-2] || (key[0] == key[-2] && key[1] <= key[-1])))
            return 0;
        if ((key[0] & dropped) != 0 || key[1] >= classes || v->whole[i] < 0 ||
            v->whole[i] > INT64_MAX / 4 || cr__count_zero(cr__values_at(v, i)) ||
            key[0] < cr__values_key(-0x1.fffffffffffffp1023) >> v->shift << v->shift ||
            key[0] > cr__values_key(0x1.fffffffffffffp1023))
            return 0;
    }
    return 1;
}

static void *copy_words(const char *bytes, size_t count)
{
    void *copy = cr__alloc(count, 8);

    if (copy != NULL && count > 0)
        memcpy(copy, bytes, count * 8);
    return copy;
}

/* The numbers of a real feature, when the file has them. */
static cr_status load_values(const cr__container *container, uint32_t index, size_t classes,
                             cr__values **out, cr_error *err)
{
    size_t size;
    const char *bytes = cr__container_section(container, TAG_VALUES, index, &size);
    cr__values *v;
    values_head h;

    if (bytes == NULL)
        return CR_OK;
    if (size < sizeof h)
        return cr__container_damaged(container, err, "the numbers of a column are cut short");
    memcpy(&h, bytes, sizeof h);
    bytes += sizeof h;
    size -= sizeof h;
    if (h.fractional > 1 || h.shift > 62 || h.pairs > size / 24 ||
        size != (size_t)h.pairs * (24 + 8 * (size_t)h.fractional))
        return cr__container_damaged(container, err, "the numbers of a column have a wrong length");
    if ((v = *out = cr__alloc_zero(1, sizeof *v)) == NULL)
        return cr__fail_memory(err);
    v->count = (size_t)h.pairs;
    v->shift = (unsigned)h.shift;
    v->key = copy_words(bytes, 2 * v->count);
    v->whole = copy_words(bytes + 16 * v->count, v->count);
    v->fraction = h.fractional ? copy_words(bytes + 24 * v->count, v->count) : NULL;
    if (v->key == NULL || v->whole == NULL || (h.fractional && v->fraction == NULL))
        return cr__fail_memory(err);
    return sound_values(v, classes)
               ? CR_OK
               : cr__container_damaged(container, err, "the numbers of a column make no sense");
}

/* A copy of a dictionary that can be used without the container. */
static cr_status load_dict(const cr__container *container, uint32_t index, cr__dict **out,
                           cr_error *err)
{
    cr__dict *view = NULL;
    cr_status st = cr__container_dict(container, CR__TAG_DICT, index, &view, err);

    if (st == CR_OK)
        st = cr__dict_new(out, view->seed, err);
    for (uint32_t code = 1; st == CR_OK && code <= view->words; code++) {
        size_t length;
        const char *word = cr__dict_word(view, code, &length);
        uint32_t same = 0;

        if ((st = cr__dict_intern(*out, word, length, &same)) != CR_OK)
            st = cr__fail(err, st, "the words of a column cannot be kept");
        else if (same != code)
            st = cr__container_damaged(container, err, "a dictionary has a word twice");
    }
    cr__dict_free(view);
    return st;
}

static cr_status load_column(cr__stats *stats, size_t i, int cuts, const cr__container *container,
                             cr_error *err)
{
    cr__column_stats *s = &stats->column[i];
    const cr__column *column = &stats->schema->column[i];
    const int feature = cr__stats_is_feature(stats->schema, i);
    const int counted = column->kind == CR_SYMBOL || i == stats->schema->target ||
                        (cuts && feature && column->kind == CR_REAL);
    cr_status st = CR_OK;

    if (counted)
        st = load_dict(container, (uint32_t)i, &s->dict, err);
    if (st != CR_OK || !feature)
        return st;
    if (counted) {
        size_t values = s->dict->words;
        if (stats->classes != 0 && values > SIZE_MAX / 16 / stats->classes)
            return cr__container_damaged(container, err, "a table of counts is impossibly large");
        return load_counts(container, TAG_COUNTS, (uint32_t)i, values * stats->classes, &s->whole,
                           &s->fraction, err);
    }
    if (column->kind == CR_BAG) {
        if ((s->bag = cr__alloc_zero(1, sizeof *s->bag)) == NULL)
            return cr__fail_memory(err);
        return cr__bag_load(s->bag, container, (uint32_t)i, stats->classes, err);
    }
    if ((s->moment = cr__alloc_zero(stats->classes, sizeof *s->moment)) == NULL)
        return cr__fail_memory(err);
    if ((st = load_values(container, (uint32_t)i, stats->classes, &s->values, err)) != CR_OK)
        return st;
    return load_moments(container, (uint32_t)i, stats->classes, s->moment, err);
}

/* The cells, when there are any, once the columns are there. */
static cr_status load_cells(cr__stats *stats, const cr__container *container, cr_error *err)
{
    size_t *values = cr__alloc(stats->schema->columns, sizeof *values);
    cr__cells view = {0};
    cr_status st = CR_OK;

    if (values == NULL || (stats->cells = cr__alloc_zero(1, sizeof *stats->cells)) == NULL)
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < stats->schema->columns; i++)
        values[i] = cr__stats_values(stats, i);
    if (st == CR_OK)
        st = cr__cells_open(&view, container, stats->schema, values, err);
    if (st == CR_OK)
        st = cr__cells_copy(stats->cells, &view, err);
    cr__cells_close(&view);
    cr__free(values);
    return st;
}

cr_status cr__stats_load(cr__stats **out, const cr__container *container, const cr_schema *schema,
                         uint64_t rows, size_t classes, cr_error *err)
{
    const int cells = cr__container_section(container, CR__TAG_CELLS, 0, &(size_t){0}) != NULL;
    const int tuples = cr__container_section(container, CR__TAG_TUPLES, 0, &(size_t){0}) != NULL;
    cr__stats *stats = cr__alloc_zero(1, sizeof *stats);
    cr_status st;

    *out = NULL;
    if (stats == NULL)
        return cr__fail_memory(err);
    stats->rows = rows;
    stats->classes = classes;
    st = cr__schema_copy(&stats->schema, schema, err);
    if (st == CR_OK &&
        (stats->column = cr__alloc_zero(schema->columns, sizeof *stats->column)) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        st = load_counts(container, TAG_CLASSES, 0, classes, &stats->class_whole,
                         &stats->class_fraction, err);
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++)
        st = load_column(stats, i, cells || tuples, container, err);
    if (st == CR_OK && cells)
        st = load_cells(stats, container, err);
    if (st == CR_OK && tuples)
        st = cr__tuples_load(stats, container, err);
    if (st == CR_OK)
        st = cr__cross_load(stats, container, err);
    if (st == CR_OK && schema->target != SIZE_MAX &&
        stats->column[schema->target].dict->words != classes)
        st = cr__container_damaged(container, err, "the number of classes is wrong");
    if (st != CR_OK) {
        cr__stats_free(stats);
        return st;
    }
    *out = stats;
    return CR_OK;
}
