/* serve/live.c - a store as a served model. */
#include "live.h"

#include <stdlib.h>

#include "request.h"

/* If the store cannot be written, it is opened for reading. */
static cr_status open_store(live *l, const char *path, cr_error *err)
{
    cr_status status = cr_store_open(&l->store, path, NULL, err);

    if (status == CR_EIO)
        status = cr_store_open(&l->store, path, &(cr_store_options){.read_only = 1}, err);
    return status;
}

/* The caller holds the lock. Lessons learned between the two steps are in the model; the next
 * refresh looks for them again. */
static cr_status take_snapshot(slot *s, cr_error *err)
{
    cr_model *model = NULL;
    cr_store_facts facts;
    cr_status status = cr_store_get_facts(s->live->store, &facts, err);

    if (status == CR_OK)
        status = cr_store_model(s->live->store, &model, err);
    if (status == CR_OK)
        status = catalog_publish(s, model, err);
    if (status == CR_OK)
        s->live->lessons = facts.lessons;
    return status;
}

cr_status live_open(slot *s, cr_error *err)
{
    live *l = s->live;
    cr_status status;

    *err = (cr_error){0};
    if (l == NULL) {
        if ((l = calloc(1, sizeof *l)) == NULL)
            return fail(err, CR_ENOMEM, NULL, "out of memory");
        pthread_mutex_init(&l->lock, NULL);
        s->live = l;
    }
    pthread_mutex_lock(&l->lock);
    status = l->store != NULL ? CR_OK : open_store(l, s->path, err);
    if (status == CR_OK)
        status = take_snapshot(s, err);
    pthread_mutex_unlock(&l->lock);
    slot_set_error(s, err);
    return status;
}

void live_lost(slot *s)
{
    live *l = s->live;

    if (l == NULL)
        return;
    pthread_mutex_lock(&l->lock);
    cr_store_close(l->store);
    l->store = NULL;
    pthread_mutex_unlock(&l->lock);
}

void live_close(slot *s)
{
    live *l = s->live;

    if (l == NULL)
        return;
    cr_store_close(l->store);
    pthread_mutex_destroy(&l->lock);
    free(l);
    s->live = NULL;
}

const char *live_refresh(slot *s)
{
    live *l = s->live;
    cr_store_facts facts;
    cr_error before, err = {0};
    bool same;

    slot_error(s, &before);
    pthread_mutex_lock(&l->lock);
    same = l->store != NULL && cr_store_get_facts(l->store, &facts, &err) == CR_OK &&
           facts.lessons == l->lessons;
    pthread_mutex_unlock(&l->lock);
    if (same)
        return NULL;
    if (live_open(s, &err) == CR_OK)
        return "loaded";
    return before.code != CR_OK ? NULL : "cannot be read";
}

cr_status live_teach(live *l, cr_source *source, int sign, const cr_run *run, uint64_t *rows,
                     cr_error *err)
{
    cr_tally tally = {0};
    const cr_status status =
        cr_store_learn(l->store, source, sign, CR_STORE_NEW_CLASSES, run, &tally, err);

    *rows = tally.rows;
    return status;
}

void live_caught_up(live *l, uint64_t lessons)
{
    cr_store_facts facts;
    cr_error err;

    if (cr_store_get_facts(l->store, &facts, &err) == CR_OK &&
        facts.lessons == l->lessons + lessons)
        l->lessons = facts.lessons;
}

bool live_facts(slot *s, cr_store_facts *out)
{
    live *l = s->live;
    cr_error err;
    bool read;

    if (l == NULL)
        return false;
    pthread_mutex_lock(&l->lock);
    read = l->store != NULL && cr_store_get_facts(l->store, out, &err) == CR_OK;
    pthread_mutex_unlock(&l->lock);
    return read;
}
