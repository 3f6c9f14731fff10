/* store/share.c - what a store sends others: its state, and the lessons they lack.
 *
 * The first stream that a store writes makes it keep its own lessons separate from those of others
 * from then on. Until then everything it has is its own.
 */
#include "store/share.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "store/parts.h"
#include "store/stream.h"
#include "store/tallies.h"

cr_status cr__store_begin_sharing(cr_store *store, cr_error *err)
{
    const cr__stats *stats;
    cr_model *head, *own = NULL;
    cr_status st = CR_OK;

    if (store->meta.shared)
        return CR_OK;
    if ((st = cr__store_head(store, &head, err)) == CR_OK)
        st = cr_model_copy(&own, head, err);
    if (st == CR_OK && own->calibration != NULL && own->calibration->tally == NULL) {
        cr__fail(err, CR_ECONFLICT, "the store's calibration was fitted on rows that it lacks");
        st = cr__fail_hint(err, CR_ECONFLICT, "a calibration that a store updates can be shared");
    }
    if (st == CR_OK && store->meta.period == 0 && (st = cr__model_stats(own, &stats, err)) == CR_OK)
        st = cr__store_part_save(store, CR__PART_LEARNED, 0, own, cr__stats_share(stats), err);
    if (st == CR_OK)
        st = cr__tallies_keep(store, NULL, own, err);
    store->meta.shared = store->meta.grouped = 1;
    cr_model_free(own);
    return st;
}

static cr_status begin_sharing(cr_store *store, void *context, cr_error *err)
{
    (void)context;
    return cr__store_begin_sharing(store, err);
}

/* --- states ----------------------------------------------------------------------------------- */

static cr_status write_state(cr_store *store, void *context, cr_error *err)
{
    cr__buffer *out = context;

    cr__state_write(&store->meta, out);
    return out->failed ? cr__fail_memory(err) : CR_OK;
}

/* Pass a buffer to the caller that asked for its bytes, or free it. */
static cr_status hand_over(cr_status st, cr__buffer *buffer, void **bytes, size_t *size)
{
    *bytes = NULL;
    *size = 0;
    if (st != CR_OK) {
        cr__buffer_free(buffer);
        return st;
    }
    *bytes = buffer->data;
    *size = buffer->size;
    return CR_OK;
}

cr_status cr_store_state(cr_store *store, void **bytes, size_t *size, cr_error *err)
{
    cr__buffer out = {0};

    return hand_over(cr__store_read(store, write_state, &out, err), &out, bytes, size);
}

/* --- streams ---------------------------------------------------------------------------------- */

typedef struct writing {
    cr_store *store;
    const void *state; /* or NULL: of a store that has nothing */
    size_t state_size;
    uint64_t *since; /* [origins] */
    uint64_t count;
    cr__buffer list; /* of the records of one kind */
    cr__word_record record;
    cr__buffer out;
} writing;

/* Whether an origin has something that the other lacks. */
static int has_news(const writing *w, uint64_t origin)
{
    const cr__store_meta *meta = &w->store->meta;

    return origin < meta->origins && meta->origin[origin].version > w->since[origin];
}

/* Whether a record that begins with a version is new. */
static int is_news(const writing *w, uint32_t origin, cr__bytes value)
{
    cr__reader in = cr__reader_of(value.at, value.size);

    return has_news(w, origin) && cr__read_number(&in) > w->since[origin];
}

static cr_status checked(const writing *w, cr_error *err)
{
    return w->list.failed ? cr__fail_memory(err) : CR_OK;
}

static cr_status write_part(void *context, cr__bytes key, cr__bytes value, cr_error *err)
{
    writing *w = context;
    uint32_t origin;
    uint64_t period;

    cr__part_key_read(key, &origin, &period);
    if (!is_news(w, origin, value))
        return CR_OK;
    w->count++;
    cr__put_number(&w->list, *(const unsigned char *)key.at);
    cr__put_number(&w->list, origin);
    cr__put_number(&w->list, period);
    cr__put_bytes(&w->list, value.at, value.size);
    return checked(w, err);
}

static cr_status write_calibration(void *context, cr__bytes key, cr__bytes value, cr_error *err)
{
    writing *w = context;
    uint32_t origin;
    uint64_t none;

    cr__part_key_read(key, &origin, &none);
    if (!is_news(w, origin, value))
        return CR_OK;
    w->count++;
    cr__put_number(&w->list, origin);
    cr__put_bytes(&w->list, value.at, value.size);
    return checked(w, err);
}

static cr_status write_a_day(writing *w, uint32_t origin, uint64_t day, cr__bytes value,
                             cr_error *err)
{
    if (!has_news(w, origin))
        return CR_OK;
    w->count++;
    cr__put_number(&w->list, origin);
    cr__put_number(&w->list, day);
    cr__put_bytes(&w->list, value.at, value.size);
    return checked(w, err);
}

static cr_status write_own_day(void *context, cr__bytes key, cr__bytes value, cr_error *err)
{
    uint32_t day;
    uint64_t none;

    cr__part_key_read(key, &day, &none);
    return write_a_day(context, 0, day, value, err);
}

static cr_status write_day(void *context, cr__bytes key, cr__bytes value, cr_error *err)
{
    uint32_t origin;
    uint64_t day;

    cr__part_key_read(key, &origin, &day);
    return write_a_day(context, origin, day, value, err);
}

/* The groups of a word that changed. */
static cr_status write_word(void *context, cr__bytes key, cr__bytes value, cr_error *err)
{
    writing *w = context;
    cr_status st = cr__word_record_read(&w->record, value.at, value.size);
    cr__buffer record = {0};
    cr__bytes word;
    size_t kept = 0;

    if (st == CR_EFORMAT || key.size < 3)
        return cr__store_damaged(w->store, err, "the counts of a word make no sense");
    for (size_t i = 0; st == CR_OK && i < w->record.cells; i++) {
        const cr__word_cell *c = &w->record.cell[i];

        if (has_news(w, c->origin) && c->version > w->since[c->origin])
            w->record.cell[kept++] = *c;
    }
    if (st == CR_OK && kept == 0)
        return CR_OK;
    word = cr__record_word(key, &w->record);
    w->record.cells = kept;
    w->record.grouped = 1;
    w->record.word = NULL;
    cr__word_record_write(&w->record, &record);
    w->count++;
    cr__put_number(&w->list, (uint64_t)(((const unsigned char *)key.at)[1] << 8 |
                                        ((const unsigned char *)key.at)[2]));
    cr__put_bytes(&w->list, word.at, word.size);
    cr__put_bytes(&w->list, record.data, record.size);
    if (st != CR_OK || record.failed)
        w->list.failed = 1;
    cr__buffer_free(&record);
    return checked(w, err);
}

/* Records of up to two kinds as one list. */
static cr_status write_list(writing *w, const char *first, cr__kv_visit *visit, const char *second,
                            cr__kv_visit *visit_second, cr_error *err)
{
    const cr__kv_kind *kind = w->store->kv->kind;
    cr_status st;

    w->count = 0;
    cr__buffer_clear(&w->list);
    st = kind->scan(w->store->kv, (cr__bytes){first, 1}, visit, w, err);
    if (st == CR_OK && second != NULL)
        st = kind->scan(w->store->kv, (cr__bytes){second, 1}, visit_second, w, err);
    if (st != CR_OK)
        return st;
    cr__put_number(&w->out, w->count);
    cr__buffer_add(&w->out, w->list.data, w->list.size);
    return w->out.failed ? cr__fail_memory(err) : CR_OK;
}

static cr_status read_since(writing *w, cr_error *err)
{
    const cr__store_meta *meta = &w->store->meta;
    cr_status st;

    if ((w->since = cr__alloc_zero(meta->origins, sizeof *w->since)) == NULL)
        return cr__fail_memory(err);
    if (w->state == NULL)
        return CR_OK;
    st = cr__state_read(meta, w->state, w->state_size, w->since);
    if (st == CR_EVERSION)
        return cr__fail(err, st, "the other store's state is of a later version of this program");
    return st == CR_OK ? CR_OK : cr__fail(err, st, "this is not the state of a store");
}

static cr_status write_stream(cr_store *store, void *context, cr_error *err)
{
    writing *w = context;
    cr__bytes head;
    cr_status st = read_since(w, err);

    if (st == CR_OK)
        st = cr__store_get(store, "M", 1, &head, err);
    if (st != CR_OK)
        return st;
    cr__stream_begin(&w->out, &store->meta, w->since, head);
    if ((st = write_list(w, "P", write_part, "N", write_part, err)) == CR_OK &&
        (st = write_list(w, "C", write_calibration, NULL, NULL, err)) == CR_OK &&
        (st = write_list(w, "D", write_own_day, "E", write_day, err)) == CR_OK)
        st = write_list(w, "W", write_word, NULL, NULL, err);
    cr__stream_end(&w->out);
    return st == CR_OK && w->out.failed ? cr__fail_memory(err) : st;
}

cr_status cr_store_send(cr_store *store, const void *state, size_t state_size, void **bytes,
                        size_t *size, cr_error *err)
{
    writing w = {.store = store, .state = state, .state_size = state_size};
    cr_status st = CR_OK;

    if (!store->meta.shared)
        st = cr__store_write(store, begin_sharing, NULL, err);
    if (st == CR_OK)
        st = cr__store_read(store, write_stream, &w, err);
    cr__free(w.since);
    cr__buffer_free(&w.list);
    cr__word_record_free(&w.record);
    return hand_over(st, &w.out, bytes, size);
}
