/* store/view.c - models from a store: the head, some words, everything.
 *
 * A view has the head's statistics and, for each text, the requested words with their exact counts;
 * the sums over all other words are in the bag's totals. The learner fits it like any statistics,
 * so its answers are those of the whole model, bit for bit.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "store/store.h"
#include "text/token.h"

cr_status cr__store_head(cr_store *store, cr_model **out, cr_error *err)
{
    const uint64_t version = store->meta.origin[0].version;
    cr__bytes value;
    cr_status st = CR_OK;

    if (store->head == NULL || store->head_version != version) {
        cr_model_free(store->head);
        store->head = NULL;
        if ((st = cr__store_get(store, "M", 1, &value, err)) == CR_OK)
            st = cr_model_load_bytes(&store->head, value.at, value.size, 0, err);
        if (st == CR_EFORMAT)
            st = cr__fail_at(err, st, store->where, 0, 0);
        store->head_version = version;
    }
    *out = store->head;
    return st;
}

/* --- a bag of some words ---------------------------------------------------------------------- */

enum { AHEAD = 8 }; /* values that are fetched from memory before they are read */

typedef struct entry {
    uint64_t hash;
    size_t word, first; /* where its bytes begin, and its cells */
    uint32_t length, cells;
} entry;

/* Words and their counts as they come, in any order. */
typedef struct builder {
    const cr_store *store;
    const uint32_t *place; /* of class ids */
    size_t classes;
    const cr__dict *dict; /* that the words are in, or NULL: they are in `bytes` */
    cr__buffer bytes;
    entry *entry;
    size_t entries, entry_capacity;
    cr__bag_cell *cell;
    size_t cells, cell_capacity;
    int64_t *terms, *documents; /* [classes] of one word; 0 between words */
    cr__word_record record;
} builder;

static cr_status begin_builder(builder *b, const cr_store *store, const uint32_t *place,
                               size_t classes, cr_error *err)
{
    *b = (builder){.store = store, .place = place, .classes = classes};
    b->terms = cr__alloc_zero(classes, sizeof *b->terms);
    b->documents = cr__alloc_zero(classes, sizeof *b->documents);
    return b->terms == NULL || b->documents == NULL ? cr__fail_memory(err) : CR_OK;
}

static void end_builder(builder *b)
{
    cr__buffer_free(&b->bytes);
    cr__free(b->entry);
    cr__free(b->cell);
    cr__free(b->terms);
    cr__free(b->documents);
    cr__word_record_free(&b->record);
}

/* The sums of the record's groups by class. 0: a count is negative, or its class no longer
 * exists. */
static int sum_groups(builder *b)
{
    int sound = 1;

    for (size_t i = 0; i < b->record.cells; i++) {
        const cr__word_cell *cell = &b->record.cell[i];
        const uint32_t c =
            cell->class_id < b->store->meta.classes ? b->place[cell->class_id] : UINT32_MAX;

        if (c != UINT32_MAX) {
            b->terms[c] += cell->terms;
            b->documents[c] += cell->documents;
        }
    }
    for (size_t c = 0; c < b->classes; c++)
        sound &=
            b->terms[c] >= b->documents[c] && b->documents[c] >= 0 && b->documents[c] <= UINT32_MAX;
    return sound;
}

static int add_cells(builder *b, entry *e)
{
    e->first = b->cells;
    for (size_t c = 0; c < b->classes; c++) {
        if (b->terms[c] > 0) {
            if (!cr__grow(&b->cell, &b->cell_capacity, b->cells + 1, sizeof *b->cell))
                return 0;
            b->cell[b->cells++] =
                (cr__bag_cell){(uint32_t)c, (uint32_t)b->documents[c], (uint64_t)b->terms[c]};
        }
        b->terms[c] = b->documents[c] = 0;
    }
    e->cells = b->cells - e->first;
    return 1;
}

/* Add a word, which begins at a place of the dictionary or of b->bytes, unless no class has it. */
static cr_status add_word(builder *b, const char *word, size_t length, size_t at, cr_error *err)
{
    entry e = {.hash = cr__token_hash(word, length), .word = at, .length = (uint32_t)length};

    if (!sum_groups(b))
        return cr__store_damaged(b->store, err, "the counts of a word make no sense");
    if (!add_cells(b, &e) ||
        (e.cells > 0 && !cr__grow(&b->entry, &b->entry_capacity, b->entries + 1, sizeof *b->entry)))
        return cr__fail_memory(err);
    if (e.cells > 0)
        b->entry[b->entries++] = e;
    return CR_OK;
}

static cr_status read_record(builder *b, cr__bytes value, cr_error *err)
{
    const cr_status st = cr__word_record_read(&b->record, value.at, value.size);

    return st == CR_OK ? CR_OK
           : st == CR_EFORMAT
               ? cr__store_damaged(b->store, err, "the counts of a word make no sense")
               : cr__fail_memory(err);
}

/* --- their order ------------------------------------------------------------------------------ */

static const char *bytes_of(const builder *b)
{
    return b->dict != NULL ? b->dict->bytes : b->bytes.data;
}

static int compare_entries(const void *pa, const void *pb, void *bytes)
{
    const entry *a = pa, *b = pb;

    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return cr__word_compare((const char *)bytes + a->word, a->length, (const char *)bytes + b->word,
                            b->length);
}

/* Sort entries whose hashes begin with the same bits. There are few, unless somebody has chosen the
 * words for it. */
static void sort_bucket(entry *e, size_t n, void *bytes)
{
    enum { FEW = 16 };

    if (n > FEW) {
        qsort_r(e, n, sizeof *e, compare_entries, bytes);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const entry own = e[i];
        size_t at = i;

        for (; at > 0 && compare_entries(&e[at - 1], &own, bytes) > 0; at--)
            e[at] = e[at - 1];
        e[at] = own;
    }
}

/* Sort the entries: by the first bits of their hashes, about as many buckets as there are entries,
 * and then within the buckets. 0: out of memory. */
static int sort_entries(builder *b)
{
    const unsigned bits = cr__words_index_bits(b->entries);
    const size_t buckets = (size_t)1 << bits;
    size_t *end = cr__alloc_zero(buckets + 1, sizeof *end);
    entry *sorted = cr__alloc(b->entries, sizeof *sorted);

    if (end == NULL || sorted == NULL) {
        cr__free(end);
        cr__free(sorted);
        return 0;
    }
    for (size_t i = 0; i < b->entries; i++)
        end[(b->entry[i].hash >> (64 - bits)) + 1]++;
    for (size_t i = 0; i < buckets; i++)
        end[i + 1] += end[i];
    for (size_t i = 0; i < b->entries; i++)
        sorted[end[b->entry[i].hash >> (64 - bits)]++] = b->entry[i];
    for (size_t i = 0; i < buckets; i++) { /* end[i] has become that of bucket i */
        const size_t start = i == 0 ? 0 : end[i - 1];

        sort_bucket(sorted + start, end[i] - start, (void *)bytes_of(b));
    }
    cr__free(end);
    cr__free(b->entry);
    b->entry = sorted;
    b->entry_capacity = b->entries;
    return 1;
}

/* Words and cells in canonical order into the bag, which has documents only. */
static cr_status finish_bag(builder *b, cr__bag *bag, cr_error *err)
{
    size_t bytes = 0, cells = 0;

    for (size_t w = 0; w < b->entries; w++)
        bytes += b->entry[w].length;
    if (bytes > UINT32_MAX)
        return cr__fail(err, CR_ELIMIT, "the words of a text take more than 4 GB");
    if (!sort_entries(b))
        return cr__fail_memory(err);
    bag->hash = cr__alloc(b->entries, sizeof *bag->hash);
    bag->end = cr__alloc(b->entries, sizeof *bag->end);
    bag->bytes = cr__alloc(bytes, 1);
    bag->row = cr__alloc(b->entries + 1, sizeof *bag->row);
    bag->cell = cr__alloc(b->cells, sizeof *bag->cell);
    if (bag->hash == NULL || bag->end == NULL || bag->bytes == NULL || bag->row == NULL ||
        bag->cell == NULL)
        return cr__fail_memory(err);
    bytes = 0;
    for (size_t w = 0; w < b->entries; w++) {
        const entry *e = &b->entry[w];

        memcpy(bag->bytes + bytes, bytes_of(b) + e->word, e->length);
        memcpy(bag->cell + cells, b->cell + e->first, e->cells * sizeof *bag->cell);
        bag->row[w] = cells;
        bag->hash[w] = e->hash;
        bag->end[w] = (uint32_t)(bytes += e->length);
        cells += e->cells;
    }
    bag->row[b->entries] = cells;
    bag->words = b->entries;
    bag->cells = cells;
    return CR_OK;
}

/* --- which words ------------------------------------------------------------------------------ */

/* The keys of a dictionary's words; out is empty, and has their bytes. 0: out of memory. */
static int make_keys(const cr__dict *dict, size_t column, cr__buffer *out, cr__bytes *key)
{
    const size_t n = dict->words;

    if (cr__buffer_reserve(out, dict->bytes_size + n * CR__RECORD_KEY_MORE) == NULL)
        return 0;
    for (size_t i = 0; i < n; i++) {
        const size_t start = out->size;
        size_t length;
        const char *word = cr__dict_word(dict, (uint32_t)i + 1, &length);

        cr__record_key(out, column, word, length);
        key[i] = (cr__bytes){out->data + start, out->size - start};
    }
    return 1;
}

/* The records of a dictionary's words, in one query to the database. */
static cr_status fetch(cr_store *store, size_t column, const cr__dict *dict, builder *b,
                       cr_error *err)
{
    const size_t n = dict->words;
    cr__bytes *key = cr__alloc(n, sizeof *key), *value = cr__alloc(n, sizeof *value);
    cr__buffer bytes = {0};
    cr_status st;

    b->dict = dict;
    st = key != NULL && value != NULL && make_keys(dict, column, &bytes, key) &&
                 cr__grow(&b->entry, &b->entry_capacity, n, sizeof *b->entry) &&
                 cr__grow(&b->cell, &b->cell_capacity, n, sizeof *b->cell)
             ? CR_OK
             : cr__fail_memory(err);
    if (st == CR_OK)
        st = store->kv->kind->get(store->kv, key, n, value, err);
    for (size_t i = 0; st == CR_OK && i < n; i++) {
        size_t length;
        const char *word;

        if (i + AHEAD < n)
            __builtin_prefetch(value[i + AHEAD].at);
        if (value[i].size == 0)
            continue;
        word = cr__dict_word(dict, (uint32_t)i + 1, &length);
        if ((st = read_record(b, value[i], err)) == CR_OK)
            st = add_word(b, word, length, (size_t)(word - dict->bytes), err);
    }
    cr__buffer_free(&bytes);
    cr__free(key);
    cr__free(value);
    return st;
}

static cr_status visit(void *context, cr__bytes key, cr__bytes value, cr_error *err)
{
    builder *b = context;
    const size_t at = b->bytes.size;
    cr__bytes word;
    const cr_status st = read_record(b, value, err);

    if (st != CR_OK)
        return st;
    word = cr__record_word(key, &b->record);
    cr__buffer_add(&b->bytes, word.at, word.size);
    return b->bytes.failed ? cr__fail_memory(err) : add_word(b, word.at, word.size, at, err);
}

static cr_status fetch_all(cr_store *store, size_t column, builder *b, cr_error *err)
{
    cr__buffer prefix = {0};
    cr_status st;

    cr__record_key(&prefix, column, "", 0);
    st = prefix.failed ? cr__fail_memory(err)
                       : store->kv->kind->scan(store->kv, (cr__bytes){prefix.data, prefix.size},
                                               visit, b, err);
    cr__buffer_free(&prefix);
    return st;
}

static cr_status add_totals(cr_store *store, size_t column, const uint32_t *place, cr__bag *bag,
                            cr_error *err)
{
    cr__word_totals t = {0};
    cr_status st = cr__word_totals_read(store, column, &t, err);

    if (st == CR_OK && (bag->totals = cr__bag_totals_new(bag->classes)) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        bag->totals->words = t.chosen;
    for (size_t c = 0; st == CR_OK && c < t.classes; c++)
        if (place[c] != UINT32_MAX) {
            bag->totals->terms[place[c]] = (uint64_t)t.sum[c].chosen_terms;
            bag->totals->documents[place[c]] = (uint64_t)t.sum[c].chosen_documents;
        }
    cr__word_totals_free(&t);
    return st;
}

static cr_status fill_bag(cr_store *store, size_t column, cr__dict *const *words,
                          const uint32_t *place, cr__bag *bag, cr_error *err)
{
    builder b;
    cr_status st = begin_builder(&b, store, place, bag->classes, err);

    if (st == CR_OK && words == NULL)
        st = fetch_all(store, column, &b, err);
    else if (st == CR_OK && words[column] != NULL)
        st = fetch(store, column, words[column], &b, err);
    if (st == CR_OK)
        st = finish_bag(&b, bag, err);
    if (st == CR_OK && words != NULL)
        st = add_totals(store, column, place, bag, err);
    end_builder(&b);
    return st;
}

/* --- models ----------------------------------------------------------------------------------- */

/* The head with other statistics, which are taken over. */
static cr_status model_of(const cr_model *head, cr__stats *stats, cr_model **out, cr_error *err)
{
    cr_model *model;
    cr_status st = cr_model_copy(&model, head, err);

    if (st != CR_OK) {
        cr__stats_free(stats);
        return st;
    }
    if ((st = cr__model_become(model, stats, NULL, err)) != CR_OK) {
        cr_model_free(model);
        return st;
    }
    model->calibration = cr__calibration_share(head->calibration);
    *out = model;
    return CR_OK;
}

cr_status cr__store_view(cr_store *store, cr__dict *const *words, cr_model **out, cr_error *err)
{
    const cr__stats *have;
    cr__stats *stats = NULL;
    uint32_t *place = NULL;
    cr_model *head;
    cr_status st = cr__store_head(store, &head, err);

    *out = NULL;
    if (st == CR_OK && !store->meta.apart)
        return cr_model_copy(out, head, err);
    if (st == CR_OK)
        st = cr__model_stats(head, &have, err);
    if (st == CR_OK)
        st = cr__stats_view(&stats, have, err);
    if (st == CR_OK && (place = cr__store_class_places(&store->meta, head)) == NULL)
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < head->schema->columns; i++)
        if (stats->column[i].bag != NULL)
            st = fill_bag(store, i, words, place, stats->column[i].bag, err);
    cr__free(place);
    if (st == CR_OK)
        return model_of(head, stats, out, err);
    cr__stats_free(stats);
    return st;
}
