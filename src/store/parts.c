/* store/parts.c - lessons by periods, and forgetting.
 *
 * A store with periods keeps, besides the sum of all lessons, the head of each period's own, and
 * the groups of its words tell the period. What is forgotten is subtracted: the rest is, to the
 * bit, what learning it alone would have given. A lesson is taken back from the newest period that
 * holds all of it.
 */
#include "store/parts.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

enum { KEY = 9 };

static void part_key(char key[KEY], uint64_t period)
{
    key[0] = 'P';
    memset(key + 1, 0, 4); /* of this store's own lessons */
    for (int i = 0; i < 4; i++)
        key[5 + i] = (char)(period >> (24 - 8 * i));
}

static cr_status load_part(cr_store *store, uint64_t period, cr_model **out, cr_error *err)
{
    char key[KEY];
    cr__bytes value;
    cr_status st;

    *out = NULL;
    part_key(key, period);
    if ((st = cr__store_get(store, key, KEY, &value, err)) != CR_OK || value.size == 0)
        return st;
    return cr_model_load_bytes(out, value.at, value.size, 0, err);
}

static cr_status save_part(cr_store *store, uint64_t period, const cr_model *like, cr__stats *stats,
                           cr_error *err)
{
    char key[KEY];
    void *bytes = NULL;
    size_t size = 0;
    cr_model *part;
    cr_status st = cr_model_copy(&part, like, err);

    if (st != CR_OK) {
        cr__stats_free(stats);
        return st;
    }
    part_key(key, period);
    if ((st = cr__model_become(part, stats, NULL, err)) == CR_OK)
        st = cr_model_save_bytes(part, &bytes, &size, err);
    if (st == CR_OK)
        st = cr__store_put(store, key, KEY, bytes, size, err);
    cr_bytes_free(bytes);
    cr_model_free(part);
    return st;
}

cr_status cr__store_part_add(cr_store *store, uint64_t period, const cr_model *like,
                             const cr__stats *lesson, int sign, cr_error *err)
{
    const cr__stats *have;
    cr__stats *sum = NULL;
    cr_model *part;
    cr_status st = load_part(store, period, &part, err);

    if (st != CR_OK)
        return st;
    if (part == NULL && sign < 0)
        return CR_ECONFLICT;
    if (part == NULL)
        st = cr__stats_sum(&sum, (cr__stats *const[]){(cr__stats *)lesson}, 1, err);
    else if ((st = cr__model_stats(part, &have, err)) == CR_OK)
        st = cr__stats_combine(&sum, have, lesson, sign, err);
    if (st == CR_OK)
        st = save_part(store, period, like, sum, err);
    cr_model_free(part);
    return st;
}

/* --- forgetting ------------------------------------------------------------------------------- */

uint64_t cr__store_floor(const cr_store *store)
{
    const uint64_t now = cr__store_period(store), days = store->meta.period;
    const uint64_t kept = days == 0 ? 0 : (store->meta.keep + days - 1) / days;

    return days == 0 || store->meta.keep == 0 || now < kept ? 0 : now - kept + 1;
}

typedef struct forgetting {
    cr_store *store;
    uint64_t floor;
    cr__buffer keys, values;
    size_t *key_end, *value_end;
    size_t count, key_capacity, value_capacity;
    cr__word_record record;
} forgetting;

/* Remember a record that has something old, as it will be. */
static cr_status look_at_word(void *context, cr__bytes key, cr__bytes value, cr_error *err)
{
    forgetting *f = context;
    cr_status st = cr__word_record_read(&f->record, value.at, value.size);
    size_t kept = 0;

    if (st == CR_EFORMAT)
        return cr__store_damaged(f->store, err, "the counts of a word make no sense");
    for (size_t i = 0; st == CR_OK && i < f->record.cells; i++)
        if (f->record.cell[i].period >= f->floor)
            f->record.cell[kept++] = f->record.cell[i];
    if (st == CR_OK && kept == f->record.cells)
        return CR_OK;
    f->record.cells = kept;
    cr__buffer_add(&f->keys, key.at, key.size);
    cr__word_record_write(&f->record, &f->values);
    if (st != CR_OK || f->keys.failed || f->values.failed ||
        !cr__grow(&f->key_end, &f->key_capacity, f->count + 1, sizeof *f->key_end) ||
        !cr__grow(&f->value_end, &f->value_capacity, f->count + 1, sizeof *f->value_end))
        return cr__fail_memory(err);
    f->key_end[f->count] = f->keys.size;
    f->value_end[f->count++] = f->values.size;
    return CR_OK;
}

static cr_status write_words(forgetting *f, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < f->count; i++) {
        const size_t k = i == 0 ? 0 : f->key_end[i - 1], v = i == 0 ? 0 : f->value_end[i - 1];

        st = cr__store_put(f->store, f->keys.data + k, f->key_end[i] - k, f->values.data + v,
                           f->value_end[i] - v, err);
    }
    return st;
}

static cr_status forget_words(cr_store *store, uint64_t floor, cr_error *err)
{
    forgetting f = {.store = store, .floor = floor};
    cr_status st = store->kv->kind->scan(store->kv, (cr__bytes){"W", 1}, look_at_word, &f, err);

    if (st == CR_OK)
        st = write_words(&f, err);
    cr__buffer_free(&f.keys);
    cr__buffer_free(&f.values);
    cr__free(f.key_end);
    cr__free(f.value_end);
    cr__word_record_free(&f.record);
    return st;
}

/* Take one period out of the head, which is replaced. */
static cr_status forget_part(cr_store *store, uint64_t period, cr_model **head, int *found,
                             cr_error *err)
{
    const cr__stats *have, *old;
    cr__stats *left = NULL;
    char key[KEY];
    cr_model *part;
    cr_status st = load_part(store, period, &part, err);

    if (st != CR_OK || part == NULL)
        return st;
    *found = 1;
    if ((st = cr__model_stats(*head, &have, err)) == CR_OK &&
        (st = cr__model_stats(part, &old, err)) == CR_OK &&
        (st = cr__stats_combine(&left, have, old, -1, err)) == CR_OK) {
        cr__calibration *calibration = cr__calibration_share((*head)->calibration);
        const size_t classes = (*head)->classes;

        st = cr__model_become(*head, left, NULL, err);
        if (st == CR_OK && (*head)->classes == classes)
            (*head)->calibration = calibration;
        else
            cr__calibration_free(calibration);
    }
    part_key(key, period);
    if (st == CR_OK)
        st = cr__store_put(store, key, KEY, NULL, 0, err);
    cr_model_free(part);
    return st;
}

cr_status cr__store_forget(cr_store *store, cr_error *err)
{
    const uint64_t floor = cr__store_floor(store);
    cr_model *head, *left = NULL;
    int found = 0;
    cr_status st;

    if (floor <= store->meta.floor)
        return CR_OK;
    if ((st = cr__store_head(store, &head, err)) == CR_OK)
        st = cr_model_copy(&left, head, err);
    /* floors begin at 0: what came before the first lesson is not there */
    for (uint64_t p = store->meta.floor > 0 ? store->meta.floor : store->meta.first;
         st == CR_OK && p < floor; p++)
        st = forget_part(store, p, &left, &found, err);
    if (st == CR_OK && found && store->meta.apart)
        st = forget_words(store, floor, err);
    store->meta.floor = floor;
    if (st == CR_OK && found)
        st = cr__store_rebuild(store, left, err);
    cr_model_free(left);
    cr_model_free(store->head);
    store->head = NULL;
    return st;
}
