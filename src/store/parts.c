/* store/parts.c - lessons by origin and period, and forgetting.
 *
 * A store with periods, or one that shares its lessons with others, keeps, besides the sum of all
 * lessons, the head of what each origin has learned in each period (P), and of what it unlearned
 * that it had not learned itself (N); the groups of its words have the same structure. The sum of
 * all P minus that of all N is the head. What is forgotten is left out: the rest is, to the bit,
 * what learning it alone would have given. A lesson is unlearned from the newest period that holds
 * all of it.
 *
 *     P or N, origin, period: the version of the origin that wrote it, a model file
 */
#include "store/parts.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "store/edit.h"

void cr__part_key(char key[CR__PART_KEY], char kind, uint64_t origin, uint64_t number)
{
    key[0] = kind;
    for (int i = 0; i < 4; i++) {
        key[1 + i] = (char)(origin >> (24 - 8 * i));
        key[5 + i] = (char)(number >> (24 - 8 * i));
    }
}

void cr__part_key_read(cr__bytes key, uint32_t *origin, uint64_t *number)
{
    const unsigned char *at = key.at;

    *origin = 0;
    *number = 0;
    for (size_t i = 1; i < CR__PART_KEY && i < key.size; i++)
        if (i < 5)
            *origin = *origin << 8 | at[i];
        else
            *number = *number << 8 | at[i];
}

int cr__store_has_parts(const cr_store *store)
{
    return store->meta.period != 0 || store->meta.shared;
}

/* --- one part --------------------------------------------------------------------------------- */

static cr_status open_part(cr_store *store, cr__bytes value, cr_model **out, cr_error *err)
{
    cr__reader in = cr__reader_of(value.at, value.size);
    cr_status st;

    cr__read_number(&in);
    if (in.failed)
        return cr__store_damaged(store, err, "the lessons of a period make no sense");
    st = cr_model_load_bytes(out, in.at, (size_t)(in.end - in.at), 0, err);
    return st == CR_EFORMAT ? cr__fail_at(err, st, store->where, 0, 0) : st;
}

/* A part of this store itself. */
static cr_status load_part(cr_store *store, char kind, uint64_t period, cr_model **out,
                           cr_error *err)
{
    char key[CR__PART_KEY];
    cr__bytes value;
    cr_status st;

    *out = NULL;
    cr__part_key(key, kind, 0, period);
    if ((st = cr__store_get(store, key, sizeof key, &value, err)) != CR_OK || value.size == 0)
        return st;
    return open_part(store, value, out, err);
}

cr_status cr__store_part_save(cr_store *store, char kind, uint64_t period, const cr_model *like,
                              cr__stats *stats, cr_error *err)
{
    char key[CR__PART_KEY];
    cr__buffer value = {0};
    void *bytes = NULL;
    size_t size = 0;
    cr_model *part;
    cr_status st = cr_model_copy(&part, like, err);

    if (st != CR_OK) {
        cr__stats_free(stats);
        return st;
    }
    cr__part_key(key, kind, 0, period);
    if ((st = cr__model_become(part, stats, NULL, err)) == CR_OK)
        st = cr_model_save_bytes(part, &bytes, &size, err);
    if (st == CR_OK) {
        cr__put_number(&value, store->meta.origin[0].version + 1);
        cr__buffer_add(&value, bytes, size);
        st = value.failed ? cr__fail_memory(err)
                          : cr__store_put(store, key, sizeof key, value.data, value.size, err);
    }
    cr__buffer_free(&value);
    cr_bytes_free(bytes);
    cr_model_free(part);
    return st;
}

/* Own part + sign * lesson, written. CR_ECONFLICT: it does not hold the lesson. */
static cr_status change_part(cr_store *store, char kind, uint64_t period, const cr_model *like,
                             const cr__stats *lesson, int sign, cr_error *err)
{
    const cr__stats *have;
    cr__stats *sum = NULL;
    cr_model *part;
    cr_status st = load_part(store, kind, period, &part, err);

    if (st != CR_OK)
        return st;
    if (part == NULL && sign < 0)
        return CR_ECONFLICT;
    if (part == NULL)
        st = cr__stats_sum(&sum, (cr__stats *const[]){(cr__stats *)lesson}, 1, err);
    else if ((st = cr__model_stats(part, &have, err)) == CR_OK)
        st = cr__stats_combine(&sum, have, lesson, sign, err);
    if (st == CR_OK)
        st = cr__store_part_save(store, kind, period, like, sum, err);
    cr_model_free(part);
    return st;
}

/* Whether all origins together have learned a lesson in a period. */
static cr_status check_held(cr_store *store, uint64_t period, const cr__stats *lesson,
                            cr_error *err)
{
    cr__stats *all, *left = NULL;
    cr_status st = cr__store_part_total(store, period, &all, err);

    if (st == CR_OK)
        st = all == NULL ? CR_ECONFLICT : cr__stats_combine(&left, all, lesson, -1, err);
    cr__stats_free(left);
    cr__stats_free(all);
    return st;
}

cr_status cr__store_part_add(cr_store *store, uint64_t period, const cr_model *like,
                             const cr__stats *lesson, int sign, cr_error *err)
{
    cr_status st = CR_OK;

    if (sign < 0 && store->meta.origins > 1)
        st = check_held(store, period, lesson, err);
    if (st != CR_OK)
        return st;
    st = change_part(store, CR__PART_LEARNED, period, like, lesson, sign, err);
    if (st == CR_ECONFLICT && store->meta.origins > 1) /* it belongs to another */
        st = change_part(store, CR__PART_TAKEN_BACK, period, like, lesson, 1, err);
    return st;
}

/* --- all parts -------------------------------------------------------------------------------- */

typedef struct adding {
    cr_store *store;
    uint64_t period; /* or CR__ALL_PERIODS */
    cr__stats *sum;  /* or NULL: nothing yet */
} adding;

static cr_status add_part(void *context, cr__bytes key, cr__bytes value, cr_error *err)
{
    adding *a = context;
    const cr__stats *stats;
    cr__stats *sum = NULL;
    cr_model *part;
    uint32_t origin;
    uint64_t period;
    cr_status st;

    cr__part_key_read(key, &origin, &period);
    if (a->period != CR__ALL_PERIODS && a->period != period)
        return CR_OK;
    if ((st = open_part(a->store, value, &part, err)) != CR_OK)
        return st;
    if ((st = cr__model_stats(part, &stats, err)) == CR_OK)
        st = a->sum == NULL ? cr__stats_sum(&sum, (cr__stats *const[]){(cr__stats *)stats}, 1, err)
                            : cr__stats_combine(&sum, a->sum, stats, 1, err);
    cr_model_free(part);
    if (st == CR_OK) {
        cr__stats_free(a->sum);
        a->sum = sum;
    }
    return st;
}

static cr_status add_parts(cr_store *store, char kind, uint64_t period, cr__stats **out,
                           cr_error *err)
{
    adding a = {.store = store, .period = period};
    const cr_status st = store->kv->kind->scan(store->kv, (cr__bytes){&kind, 1}, add_part, &a, err);

    *out = st == CR_OK ? a.sum : NULL;
    if (st != CR_OK)
        cr__stats_free(a.sum);
    return st;
}

cr_status cr__store_part_total(cr_store *store, uint64_t period, cr__stats **out, cr_error *err)
{
    cr__stats *learned, *taken = NULL;
    cr_status st = add_parts(store, CR__PART_LEARNED, period, &learned, err);

    *out = NULL;
    if (st == CR_OK)
        st = add_parts(store, CR__PART_TAKEN_BACK, period, &taken, err);
    if (st == CR_OK && taken == NULL) {
        *out = learned;
        return CR_OK;
    }
    if (st == CR_OK)
        st = learned == NULL ? cr__fail(err, CR_ECONFLICT, "more was unlearned than learned")
                             : cr__stats_combine(out, learned, taken, -1, err);
    cr__stats_free(learned);
    cr__stats_free(taken);
    return st;
}

/* --- forgetting ------------------------------------------------------------------------------- */

/* The first period that is kept now. */
static uint64_t first_kept(const cr_store *store)
{
    const uint64_t now = cr__store_period(store), days = store->meta.period;
    const uint64_t kept = days == 0 ? 0 : (store->meta.keep + days - 1) / days;

    return days == 0 || store->meta.keep == 0 || now < kept ? 0 : now - kept + 1;
}

/* Drop the cells of old periods. */
static int drop_old(void *context, cr__word_record *r)
{
    const uint64_t floor = *(const uint64_t *)context;
    size_t kept = 0;
    const size_t cells = r->cells;

    for (size_t i = 0; i < cells; i++)
        if (r->cell[i].period >= floor)
            r->cell[kept++] = r->cell[i];
    r->cells = kept;
    return kept < cells;
}

/* Keys of parts, which are all of one size. */
typedef struct old_parts {
    uint64_t floor;
    cr__buffer keys;
} old_parts;

static cr_status look_at_part(void *context, cr__bytes key, cr__bytes value, cr_error *err)
{
    old_parts *old = context;
    uint32_t origin;
    uint64_t period;

    (void)value;
    cr__part_key_read(key, &origin, &period);
    if (period < old->floor && key.size == CR__PART_KEY)
        cr__buffer_add(&old->keys, key.at, key.size);
    return old->keys.failed ? cr__fail_memory(err) : CR_OK;
}

/* Drop the parts of old periods; *found: there was one. */
static cr_status forget_parts(cr_store *store, uint64_t floor, int *found, cr_error *err)
{
    old_parts old = {.floor = floor};
    cr_status st = store->kv->kind->scan(store->kv, (cr__bytes){"P", 1}, look_at_part, &old, err);

    if (st == CR_OK)
        st = store->kv->kind->scan(store->kv, (cr__bytes){"N", 1}, look_at_part, &old, err);
    *found = old.keys.size > 0;
    for (size_t at = 0; st == CR_OK && at < old.keys.size; at += CR__PART_KEY)
        st = cr__store_put(store, old.keys.data + at, CR__PART_KEY, NULL, 0, err);
    cr__buffer_free(&old.keys);
    return st;
}

/* Give a model the statistics of the parts that are left. */
static cr_status become_rest(cr_store *store, cr_model *model, cr_error *err)
{
    cr__calibration *calibration = cr__calibration_share(model->calibration);
    const size_t classes = model->classes;
    const cr__stats *have;
    cr__stats *left;
    cr_status st = cr__store_part_total(store, CR__ALL_PERIODS, &left, err);

    if (st == CR_OK && left == NULL && (st = cr__model_stats(model, &have, err)) == CR_OK)
        st = cr__stats_combine(&left, have, have, -1, err);
    if (st == CR_OK)
        st = cr__model_become(model, left, NULL, err);
    if (st == CR_OK && model->classes == classes)
        model->calibration = calibration;
    else
        cr__calibration_free(calibration);
    return st;
}

cr_status cr__store_forget_before(cr_store *store, uint64_t floor, cr_error *err)
{
    cr_model *head, *left = NULL;
    int found = 0;
    cr_status st;

    if (floor <= store->meta.floor)
        return CR_OK;
    if ((st = cr__store_head(store, &head, err)) == CR_OK)
        st = cr_model_copy(&left, head, err);
    if (st == CR_OK)
        st = forget_parts(store, floor, &found, err);
    if (st == CR_OK && found && store->meta.apart)
        st = cr__words_rewrite(store, drop_old, &floor, err);
    store->meta.floor = floor;
    if (st == CR_OK && found && (st = become_rest(store, left, err)) == CR_OK)
        st = cr__store_rebuild(store, left, err);
    cr_model_free(left);
    cr_model_free(store->head);
    store->head = NULL;
    return st;
}

cr_status cr__store_forget(cr_store *store, cr_error *err)
{
    return cr__store_forget_before(store, first_kept(store), err);
}
