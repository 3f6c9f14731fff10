/* store/tallies.c - sums of calibrations by origin.
 *
 *     C, origin: version, kind, classes, {name}…, tallies, {tally}…
 *
 * The calibration of a store is a function of the sum of the tallies of all origins (see
 * train/calibration_tally.c). Tallies belong to a list of classes: those of an origin with
 * different classes are ignored until it has seen rows of these.
 */
#include "store/tallies.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "train/calibration.h"

typedef struct tallies {
    uint64_t version, kind;
    cr__buffer classes; /* names, each with its length in front */
    int64_t *tally;
    size_t count, capacity;
} tallies; /* {0} is empty */

static void free_tallies(tallies *t)
{
    cr__buffer_free(&t->classes);
    cr__free(t->tally);
    *t = (tallies){0};
}

void cr__tallies_key(char key[5], uint64_t origin)
{
    key[0] = 'C';
    for (int i = 0; i < 4; i++)
        key[1 + i] = (char)(origin >> (24 - 8 * i));
}

static cr_status read_tallies(tallies *t, const void *bytes, size_t size)
{
    cr__reader in = cr__reader_of(bytes, size);
    uint64_t classes;

    *t = (tallies){.version = cr__read_number(&in), .kind = cr__read_number(&in)};
    classes = cr__read_number(&in);
    for (uint64_t c = 0; c < classes && !in.failed; c++) {
        size_t length;
        const char *name = cr__read_bytes(&in, &length);

        cr__put_bytes(&t->classes, name, length);
    }
    for (uint64_t n = cr__read_number(&in); n > 0 && !in.failed; n--) {
        const int64_t tally = cr__read_signed(&in);

        if (!cr__grow(&t->tally, &t->capacity, t->count + 1, sizeof *t->tally))
            return CR_ENOMEM;
        if (tally > INT64_MAX / 4 || tally < -INT64_MAX / 4)
            return CR_EFORMAT;
        t->tally[t->count++] = tally;
    }
    if (in.failed || in.at != in.end || t->kind > CR__CALIBRATION_ISOTONIC ||
        t->count != (t->kind == 0
                         ? 0
                         : cr__calibration_tallies((cr__calibration_kind)t->kind, (size_t)classes)))
        return CR_EFORMAT;
    return t->classes.failed ? CR_ENOMEM : CR_OK;
}

cr_status cr__tallies_check(const void *bytes, size_t size)
{
    tallies t;
    const cr_status st = read_tallies(&t, bytes, size);

    free_tallies(&t);
    return st;
}

static void put_classes(cr__buffer *out, const cr_model *model)
{
    for (size_t c = 0; c < model->classes; c++) {
        const char *name = cr_model_class(model, c);

        cr__put_bytes(out, name, strlen(name));
    }
}

/* Whether the tallies belong to a model's classes; -1: out of memory. */
static int same_classes(const tallies *t, const cr_model *model)
{
    cr__buffer own = {0};
    int same;

    put_classes(&own, model);
    same = own.failed ? -1
                      : own.size == t->classes.size && own.size > 0 &&
                            memcmp(own.data, t->classes.data, own.size) == 0;
    cr__buffer_free(&own);
    return same;
}

/* --- the sum ---------------------------------------------------------------------------------- */

typedef struct summing {
    cr_store *store;
    const cr_model *model;
    cr__calibration *sum; /* or NULL: nothing yet */
} summing;

static cr_status add_tallies(void *context, cr__bytes key, cr__bytes value, cr_error *err)
{
    summing *s = context;
    tallies t;
    cr_status st = read_tallies(&t, value.at, value.size);
    int same = 0;

    (void)key;
    if (st == CR_OK && t.kind != 0 && (same = same_classes(&t, s->model)) < 0)
        st = CR_ENOMEM;
    if (st == CR_EFORMAT)
        st = cr__store_damaged(s->store, err, "the tallies of a calibration make no sense");
    else if (st != CR_OK)
        st = cr__fail_memory(err);
    else if (same && s->sum == NULL)
        st = cr__calibration_begin(&s->sum, (cr__calibration_kind)t.kind, s->model->classes,
                                   t.tally, err);
    else if (same && (s->sum->kind != (cr__calibration_kind)t.kind || s->sum->tallies != t.count))
        st = cr__fail(err, CR_ECONFLICT, "the stores are calibrated in different ways");
    else if (same)
        for (size_t i = 0; i < t.count; i++)
            s->sum->tally[i] += t.tally[i];
    free_tallies(&t);
    return st;
}

cr_status cr__tallies_total(cr_store *store, cr_model *model, cr_error *err)
{
    summing s = {.store = store, .model = model};
    cr_status st = store->kv->kind->scan(store->kv, (cr__bytes){"C", 1}, add_tallies, &s, err);

    if (st == CR_OK && s.sum == NULL && store->meta.calibrate != 0 && model->classes >= 2)
        st = cr__calibration_begin(&s.sum, (cr__calibration_kind)store->meta.calibrate,
                                   model->classes, NULL, err);
    if (st == CR_OK && s.sum != NULL)
        st = cr__calibration_settle(s.sum, err);
    if (st != CR_OK) {
        cr__calibration_free(s.sum);
        return st;
    }
    cr__calibration_free(model->calibration);
    model->calibration = s.sum;
    return CR_OK;
}

/* --- this store's own ------------------------------------------------------------------------- */

static cr_status write_own(cr_store *store, const cr_model *model, const int64_t *tally,
                           cr_error *err)
{
    const cr__calibration *c = model->calibration;
    const size_t count = c == NULL ? 0 : c->tallies;
    cr__buffer value = {0};
    char key[5];
    cr_status st;

    cr__put_number(&value, store->meta.origin[0].version + 1);
    cr__put_number(&value, count == 0 ? 0 : (uint64_t)c->kind);
    cr__put_number(&value, count == 0 ? 0 : model->classes);
    if (count > 0)
        put_classes(&value, model);
    cr__put_number(&value, count);
    for (size_t i = 0; i < count; i++)
        cr__put_signed(&value, tally[i]);
    cr__tallies_key(key, 0);
    st = value.failed ? cr__fail_memory(err)
                      : cr__store_put(store, key, sizeof key, value.data, value.size, err);
    cr__buffer_free(&value);
    return st;
}

static cr_status read_own(cr_store *store, tallies *t, cr_error *err)
{
    char key[5];
    cr__bytes value;
    cr_status st;

    *t = (tallies){0};
    cr__tallies_key(key, 0);
    if ((st = cr__store_get(store, key, sizeof key, &value, err)) != CR_OK || value.size == 0)
        return st;
    st = read_tallies(t, value.at, value.size);
    return st == CR_EFORMAT
               ? cr__store_damaged(store, err, "the tallies of a calibration make no sense")
           : st == CR_OK ? CR_OK
                         : cr__fail_memory(err);
}

/* The new tallies of this store: the old ones plus what the lesson added. */
static cr_status add_lesson(const tallies *t, const cr_model *before, const cr_model *after,
                            int64_t **out, int *others, cr_error *err)
{
    const cr__calibration *old = before == NULL ? NULL : before->calibration;
    const cr__calibration *new = after->calibration;
    const int same = same_classes(t, after);

    *others = !same;
    if (same < 0 || (*out = cr__alloc(new->tallies, sizeof **out)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < new->tallies; i++) {
        const int had = old != NULL && old->kind == new->kind && old->classes == new->classes &&
                        old->tally != NULL;

        (*out)[i] = new->tally[i] - (had ? old->tally[i] : 0);
        if (same && t->kind == (uint64_t) new->kind &&i < t->count)
            (*out)[i] += t->tally[i];
    }
    return CR_OK;
}

cr_status cr__tallies_keep(cr_store *store, const cr_model *before, cr_model *after, cr_error *err)
{
    int64_t *own = NULL;
    int others = 0;
    tallies t;
    cr_status st;

    if (after->calibration == NULL || after->calibration->tally == NULL)
        return write_own(store, after, NULL, err);
    if ((st = read_own(store, &t, err)) == CR_OK)
        st = add_lesson(&t, before, after, &own, &others, err);
    if (st == CR_OK)
        st = write_own(store, after, own, err);
    if (st == CR_OK && others)
        st = cr__tallies_total(store, after, err);
    cr__free(own);
    free_tallies(&t);
    return st;
}
