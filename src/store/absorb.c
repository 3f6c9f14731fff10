/* store/absorb.c - merge what other stores have learned.
 *
 * Each origin writes only its own records, and each time with a higher version: the newer record of
 * an origin replaces the older one, whatever way it came and however often. So stores that have
 * received the same versions hold the same records (M. Shapiro et al., 2011, A comprehensive study
 * of convergent and commutative replicated data types), and are the same model to the byte.
 */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "store/edit.h"
#include "store/judged.h"
#include "store/parts.h"
#include "store/share.h"
#include "store/stream.h"
#include "store/tallies.h"

typedef struct absorbing {
    const cr__stream *stream;
    uint32_t *origin;   /* [stream->origins] their numbers here; UINT32_MAX: nothing new */
    uint32_t *class_id; /* [stream->classes] likewise */
    double least;       /* min-count */
    cr_model *model;    /* that the store becomes */
} absorbing;

/* --- compatibility ---------------------------------------------------------------------------- */

static cr_status check_settings(const cr_store *store, const cr__stream *s, cr_error *err)
{
    const cr__store_meta *m = &store->meta;

    if (m->period != s->period || m->keep != s->keep)
        cr__fail(err, CR_ECONFLICT,
                 "the stores have different periods, or keep them for "
                 "different times");
    else if (m->calibrate != s->calibrate)
        cr__fail(err, CR_ECONFLICT, "the stores have different calibrations");
    else if (m->apart != s->apart)
        cr__fail(err, CR_ECONFLICT, "the stores have different knobs");
    else
        return CR_OK;
    return cr__fail_hint(err, CR_ECONFLICT, "make one of them again, from the other");
}

/* The same learner, words and knobs: what is learned means the same. */
static cr_status check_models(const cr_model *a, const cr_model *b, cr_error *err)
{
    int same;
    cr_status st;

    if (a->learner != b->learner)
        return cr__fail(err, CR_ECONFLICT, "one store is of '%s', the other of '%s'",
                        a->learner->name, b->learner->name);
    if ((st = cr__recipe_same(&a->recipe, &b->recipe, &same, err)) != CR_OK)
        return st;
    for (size_t i = 0; i < a->knobs.count; i++)
        if (strcmp(a->knobs.value[i], b->knobs.value[i]) != 0) {
            cr__fail(err, CR_ECONFLICT, "the stores have different knobs: %s=%s and %s=%s",
                     a->knobs.spec[i].name, a->knobs.value[i], b->knobs.spec[i].name,
                     b->knobs.value[i]);
            return cr__fail_hint(err, CR_ECONFLICT, "refit one of them");
        }
    return same ? CR_OK : cr__fail(err, CR_ECONFLICT, "the stores make different words of a text");
}

/* Which origins of a stream are newer than here. */
static cr_status match_origin(cr_store *store, const cr__stream_origin *o, uint32_t *out,
                              cr_error *err)
{
    const uint32_t i = cr__store_origin(&store->meta, o->id);
    uint64_t have;

    *out = UINT32_MAX;
    if (i == UINT32_MAX)
        return cr__fail_memory(err);
    if ((have = store->meta.origin[i].version) >= o->version)
        return CR_OK;
    if (i == 0) {
        cr__fail(err, CR_ECONFLICT,
                 "the other store has newer lessons of this one than this one itself");
        return cr__fail_hint(err, CR_ECONFLICT,
                             "it was restored from a copy, or is a copy: make a "
                             "new store of the other one");
    }
    if (have < o->since) {
        cr__fail(err, CR_ECONFLICT,
                 "the stream begins after lesson %llu of a store of which only "
                 "%llu are here",
                 (unsigned long long)o->since, (unsigned long long)have);
        return cr__fail_hint(err, CR_ECONFLICT,
                             "send what this store lacks according to its state");
    }
    *out = i;
    return CR_OK;
}

static cr_status match(cr_store *store, absorbing *a, cr_error *err)
{
    const cr__stream *s = a->stream;
    cr_status st = CR_OK;

    a->origin = cr__alloc(s->origins, sizeof *a->origin);
    a->class_id = cr__alloc(s->classes, sizeof *a->class_id);
    if (a->origin == NULL || a->class_id == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < s->origins; i++)
        st = match_origin(store, &s->origin[i], &a->origin[i], err);
    for (size_t c = 0; st == CR_OK && c < s->classes; c++) {
        a->class_id[c] =
            cr__store_class_id(&store->meta, s->class_name[c].at, s->class_name[c].size);
        if (a->class_id[c] == UINT32_MAX)
            st = cr__fail_memory(err);
    }
    return st;
}

/* --- records ---------------------------------------------------------------------------------- */

static cr_status absorb_parts(cr_store *store, const absorbing *a, cr_error *err)
{
    cr__stream_list list = a->stream->parts;
    cr__stream_record r;
    cr_status st = CR_OK;

    while (st == CR_OK && cr__stream_next_part(&list, &r)) {
        char key[CR__PART_KEY];

        if (a->origin[r.origin] == UINT32_MAX || r.number < store->meta.floor)
            continue;
        cr__part_key(key, r.kind, a->origin[r.origin], r.number);
        st = cr__store_put(store, key, sizeof key, r.value.at, r.value.size, err);
    }
    return st;
}

static cr_status absorb_calibrations(cr_store *store, const absorbing *a, cr_error *err)
{
    cr__stream_list list = a->stream->calibrations;
    cr__stream_record r;
    cr_status st = CR_OK;

    while (st == CR_OK && cr__stream_next_calibration(&list, &r)) {
        char key[5];

        if (a->origin[r.origin] == UINT32_MAX)
            continue;
        cr__tallies_key(key, a->origin[r.origin]);
        st = cr__store_put(store, key, sizeof key, r.value.at, r.value.size, err);
    }
    return st;
}

static cr_status absorb_days(cr_store *store, const absorbing *a, cr_error *err)
{
    cr__stream_list list = a->stream->days;
    cr__stream_record r;
    cr_status st = CR_OK;

    while (st == CR_OK && cr__stream_next_day(&list, &r)) {
        cr__buffer value = {0};
        char key[CR__PART_KEY];

        if (a->origin[r.origin] == UINT32_MAX)
            continue;
        cr__part_key(key, 'E', a->origin[r.origin], r.number);
        if (cr__judged_translate(r.value, a->class_id, &value) != CR_OK || value.failed)
            st = cr__fail_memory(err);
        else
            st = cr__store_put(store, key, sizeof key, value.data, value.size, err);
        cr__buffer_free(&value);
    }
    return st;
}

/* --- words ------------------------------------------------------------------------------------ */

/* Words of one column, of which the groups are to be replaced. */
typedef struct news {
    const cr_store *store;
    const absorbing *absorbing;
    const cr__stream_record *word; /* [count] */
    cr__word_record *theirs;       /* room */
    int64_t *sum;                  /* [2 * classes] room, all 0 */
} news;

static const char *news_word(const void *context, size_t i, size_t *length)
{
    const cr__bytes word = ((const news *)context)->word[i].word;

    *length = word.size;
    return word.at;
}

static int is_group_end(const cr__word_record *r, size_t i)
{
    return i + 1 == r->cells || r->cell[i].origin != r->cell[i + 1].origin ||
           r->cell[i].period != r->cell[i + 1].period;
}

/* Put the cells of a group, whose classes have other numbers here, in order. */
static void sort_group(cr__word_cell *cell, size_t cells)
{
    for (size_t i = 1; i < cells; i++)
        for (size_t k = i; k > 0 && cell[k - 1].class_id > cell[k].class_id; k--) {
            const cr__word_cell swapped = cell[k];

            cell[k] = cell[k - 1];
            cell[k - 1] = swapped;
        }
}

/* Whether no class has a negative count of a word. */
static int is_sound(const news *n, const cr__word_record *r)
{
    const size_t classes = n->store->meta.classes;
    int sound = 1;

    for (size_t i = 0; i < r->cells; i++)
        if (r->cell[i].class_id < classes) {
            n->sum[2 * r->cell[i].class_id] += r->cell[i].documents;
            n->sum[2 * r->cell[i].class_id + 1] += r->cell[i].terms;
        }
    for (size_t c = 0; c < classes; c++) {
        sound &= n->sum[2 * c] >= 0 && n->sum[2 * c + 1] >= n->sum[2 * c];
        n->sum[2 * c] = n->sum[2 * c + 1] = 0;
    }
    return sound;
}

static cr_status replace_groups(const void *context, size_t i, cr__word_record *r)
{
    const news *n = context;
    cr__word_record *theirs = n->theirs;
    size_t first = 0;
    cr_status st = cr__word_record_read(theirs, n->word[i].value.at, n->word[i].value.size);

    for (size_t k = 0; st == CR_OK && k < theirs->cells; k++) {
        cr__word_cell *cell = &theirs->cell[k];
        const int gone = cell->documents == 0 && cell->terms == 0;
        const int end = is_group_end(theirs, k); /* before it gets its number in this store */
        const uint32_t origin = n->absorbing->origin[cell->origin];

        cell->class_id = gone ? 0 : n->absorbing->class_id[cell->class_id];
        if (!end)
            continue;
        if (origin != UINT32_MAX && cell->period >= n->store->meta.floor) {
            for (size_t m = first; m <= k; m++)
                theirs->cell[m].origin = origin;
            sort_group(theirs->cell + first, k + 1 - first);
            st = cr__word_record_replace(r, theirs->cell + first, k + 1 - first);
        }
        first = k + 1;
    }
    return st == CR_OK && !is_sound(n, r) ? CR_ECONFLICT : st;
}

static cr_status absorb_column(cr_store *store, const absorbing *a, size_t column,
                               const cr__stream_record *word, size_t words, cr_error *err)
{
    cr__word_record theirs = {0};
    const news n = {.store = store,
                    .absorbing = a,
                    .word = word,
                    .theirs = &theirs,
                    .sum = cr__alloc_zero(2 * store->meta.classes, sizeof *n.sum)};
    const cr__edits edits = {words, news_word, replace_groups, &n};
    cr_status st =
        n.sum == NULL ? cr__fail_memory(err) : cr__words_edit(store, column, &edits, a->least, err);

    cr__free(n.sum);
    cr__word_record_free(&theirs);
    return st;
}

/* Words come in the order of columns: a text at a time. */
static cr_status absorb_words(cr_store *store, const absorbing *a, cr_error *err)
{
    cr__stream_list list = a->stream->words;
    cr__stream_record *word = cr__alloc(list.count, sizeof *word), r;
    size_t words = 0;
    cr_status st = word == NULL ? cr__fail_memory(err) : CR_OK;

    while (st == CR_OK && cr__stream_next_word(&list, &r)) {
        if (words > 0 && word[0].number != r.number) {
            st = absorb_column(store, a, word[0].number, word, words, err);
            words = 0;
        }
        word[words++] = r;
    }
    if (st == CR_OK && words > 0)
        st = absorb_column(store, a, word[0].number, word, words, err);
    cr__free(word);
    return st;
}

/* --- the whole -------------------------------------------------------------------------------- */

/* The head that is the sum of all parts. */
static cr_status absorb_head(cr_store *store, const absorbing *a, cr_error *err)
{
    cr__stats *stats = NULL;
    cr_status st = cr__store_part_total(store, CR__ALL_PERIODS, &stats, err);

    if (st == CR_ECONFLICT)
        cr__fail_hint(err, st, "rows were unlearned in both stores: learn them again in one");
    if (st == CR_OK && stats == NULL)
        st = cr__fail(err, CR_EFORMAT, "the stores have no lessons");
    if (st == CR_OK && (st = cr__model_become(a->model, stats, NULL, err)) == CR_OK)
        st = cr__tallies_total(store, a->model, err);
    return st == CR_OK ? cr__store_put_head(store, a->model, err) : st;
}

static cr_status absorb_records(cr_store *store, absorbing *a, cr_error *err)
{
    const cr__stream *s = a->stream;
    cr_status st;

    a->least = cr__knobs_number(&a->model->knobs, "min-count");
    if (store->meta.first > s->first)
        store->meta.first = s->first;
    if ((st = match(store, a, err)) == CR_OK && (st = absorb_parts(store, a, err)) == CR_OK &&
        (st = absorb_calibrations(store, a, err)) == CR_OK &&
        (st = absorb_days(store, a, err)) == CR_OK && (st = absorb_words(store, a, err)) == CR_OK)
        st = absorb_head(store, a, err);
    for (size_t i = 0; st == CR_OK && i < s->origins; i++)
        if (a->origin[i] != UINT32_MAX)
            store->meta.origin[a->origin[i]].version = s->origin[i].version;
    cr__free(a->origin);
    cr__free(a->class_id);
    a->origin = a->class_id = NULL;
    return st;
}

static cr_status absorb(cr_store *store, void *context, cr_error *err)
{
    const cr__stream *s = context;
    absorbing a = {.stream = s};
    cr_model *head, *theirs = NULL;
    cr_status st = check_settings(store, s, err);

    if (st == CR_OK)
        st = cr_model_load_bytes(&theirs, s->head.at, s->head.size, 0, err);
    if (st == CR_OK && (st = cr__store_begin_sharing(store, err)) == CR_OK &&
        (st = cr__store_forget_before(store, s->floor, err)) == CR_OK &&
        (st = cr__store_head(store, &head, err)) == CR_OK &&
        (st = check_models(head, theirs, err)) == CR_OK &&
        (st = cr_model_copy(&a.model, head, err)) == CR_OK)
        st = absorb_records(store, &a, err);
    cr_model_free(a.model);
    cr_model_free(theirs);
    cr_model_free(store->head);
    store->head = NULL;
    return st;
}

/* Whether a stream has anything that a store lacks. */
static int has_news(const cr_store *store, const cr__stream *s)
{
    int newer = s->floor > store->meta.floor;

    for (size_t i = 0; i < s->origins; i++) {
        uint64_t have = 0;

        for (size_t k = 0; k < store->meta.origins; k++)
            if (memcmp(store->meta.origin[k].id, s->origin[i].id, CR__STORE_ID) == 0)
                have = store->meta.origin[k].version;
        newer |= s->origin[i].version > have;
    }
    return newer;
}

static cr_status read_stream(cr__stream *s, const void *bytes, size_t size, cr_error *err)
{
    const cr_status st = cr__stream_read(s, bytes, size);

    if (st == CR_EVERSION)
        cr__fail(err, st, "the stream is of a later version of this program");
    else if (st == CR_EFORMAT)
        cr__fail(err, st, "this is not a whole stream of a store's lessons");
    else if (st == CR_ENOMEM)
        cr__fail_memory(err);
    return st;
}

cr_status cr_store_receive(cr_store *store, const void *bytes, size_t size, cr_error *err)
{
    cr__stream s;
    cr_status st = read_stream(&s, bytes, size, err);

    if (st == CR_OK && has_news(store, &s))
        st = cr__store_write(store, absorb, &s, err);
    cr__stream_free(&s);
    return st;
}

/* --- new stores ------------------------------------------------------------------------------- */

static cr_status fill(cr_store *store, const void *context, cr_error *err)
{
    const cr__stream *s = context;
    absorbing a = {.stream = s};
    cr_status st = cr_model_load_bytes(&a.model, s->head.at, s->head.size, 0, err);

    store->meta.period = s->period;
    store->meta.keep = s->keep;
    store->meta.floor = s->floor;
    store->meta.first = s->first;
    store->meta.calibrate = s->calibrate;
    store->meta.apart = s->apart;
    store->meta.shared = store->meta.grouped = 1;
    for (size_t i = 0; st == CR_OK && i < s->origins; i++)
        if (s->origin[i].since > 0) {
            cr__fail(err, CR_ECONFLICT, "the stream does not have all lessons");
            st = cr__fail_hint(err, CR_ECONFLICT, "send all of them for a new store");
        }
    if (st == CR_OK)
        st = absorb_records(store, &a, err);
    cr_model_free(a.model);
    return st;
}

cr_status cr_store_create_from(const char *where, const void *bytes, size_t size,
                               const cr_store_options *options, cr_error *err)
{
    cr__stream s;
    cr_status st = read_stream(&s, bytes, size, err);

    if (st == CR_OK)
        st = cr__store_make(where, options, fill, &s, err);
    cr__stream_free(&s);
    return st;
}

/* --- both ways -------------------------------------------------------------------------------- */

static cr_status send_to(cr_store *from, cr_store *to, cr_error *err)
{
    void *state, *bytes = NULL;
    size_t state_size, size;
    cr_status st = cr_store_state(to, &state, &state_size, err);

    if (st == CR_OK)
        st = cr_store_send(from, state, state_size, &bytes, &size, err);
    if (st == CR_OK)
        st = cr_store_receive(to, bytes, size, err);
    cr_bytes_free(state);
    cr_bytes_free(bytes);
    return st;
}

cr_status cr_store_exchange(cr_store *a, cr_store *b, cr_error *err)
{
    const cr_status st = send_to(a, b, err);

    return st == CR_OK ? send_to(b, a, err) : st;
}
