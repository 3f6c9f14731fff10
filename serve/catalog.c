/* serve/catalog.c - the served models. */
#include "catalog.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live.h"
#include "request.h"

#define ENDING ".model"
#define STORE_ENDING ".store"

/* --- snapshots -------------------------------------------------------------------------------- */

snapshot *slot_hold(slot *s)
{
    snapshot *now;

    pthread_mutex_lock(&s->lock);
    now = s->now;
    if (now != NULL)
        atomic_fetch_add_explicit(&now->holders, 1, memory_order_relaxed);
    pthread_mutex_unlock(&s->lock);
    return now;
}

void snapshot_release(snapshot *s)
{
    if (s == NULL || atomic_fetch_sub_explicit(&s->holders, 1, memory_order_acq_rel) != 1)
        return;
    cr_model_free(s->model);
    free(s);
}

static void put(slot *s, snapshot *now)
{
    snapshot *old;

    pthread_mutex_lock(&s->lock);
    old = s->now;
    s->now = now;
    atomic_fetch_add_explicit(&s->turn, 1, memory_order_release);
    pthread_mutex_unlock(&s->lock);
    snapshot_release(old);
}

cr_status catalog_publish(slot *s, cr_model *model, cr_error *err)
{
    snapshot *fresh = calloc(1, sizeof *fresh);
    cr_model_facts facts;
    cr_status status;

    if (fresh == NULL) {
        cr_model_free(model);
        return fail(err, CR_ENOMEM, NULL, "out of memory");
    }
    if ((status = cr_model_get_facts(model, &facts)) != CR_OK) {
        cr_model_free(model);
        free(fresh);
        return fail(err, status, NULL, "%s: %s", s->name, cr_status_text(status));
    }
    atomic_init(&fresh->holders, 1);
    fresh->model = model;
    fresh->rows = facts.rows;
    memcpy(fresh->version, facts.fingerprint, sizeof fresh->version);
    put(s, fresh);
    return CR_OK;
}

/* --- slots ------------------------------------------------------------------------------------ */

size_t catalog_count(const catalog *c)
{
    return atomic_load_explicit(&c->count, memory_order_acquire);
}

slot *catalog_at(const catalog *c, size_t index)
{
    return index < catalog_count(c) ? c->slots[index] : NULL;
}

slot *catalog_find(const catalog *c, const char *name, const char **near)
{
    cr_nearest n = {.wanted = name};
    const size_t count = catalog_count(c);

    for (size_t i = 0; i < count; i++)
        if (strcmp(c->slots[i]->name, name) == 0)
            return c->slots[i];
    if (near == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        cr_nearest_offer(&n, c->slots[i]->name);
    *near = n.best;
    return NULL;
}

size_t catalog_trained(const catalog *c)
{
    size_t trained = 0;

    for (size_t i = 0; i < catalog_count(c); i++)
        trained += c->slots[i]->trained;
    return trained;
}

static void slot_free(slot *s)
{
    snapshot_release(s->now);
    live_close(s);
    pthread_mutex_destroy(&s->lock);
    free(s->name);
    free(s->path);
    free(s);
}

static slot *slot_new(const char *name, const char *path)
{
    slot *s = calloc(1, sizeof *s);

    if (s == NULL)
        return NULL;
    pthread_mutex_init(&s->lock, NULL);
    s->name = strdup(name);
    s->path = path != NULL ? strdup(path) : NULL;
    if (s->name != NULL && (path == NULL || s->path != NULL))
        return s;
    slot_free(s);
    return NULL;
}

/* The caller holds the lock. */
static cr_status append(catalog *c, slot *s, cr_error *err)
{
    const size_t index = catalog_count(c);

    if (index == c->limit)
        return fail(err, CR_ELIMIT, NULL, "more than %zu models", c->limit);
    s->index = index;
    c->slots[index] = s;
    atomic_store_explicit(&c->count, index + 1, memory_order_release);
    return CR_OK;
}

void slot_set_error(slot *s, const cr_error *err)
{
    pthread_mutex_lock(&s->lock);
    s->error = *err;
    pthread_mutex_unlock(&s->lock);
}

void slot_error(slot *s, cr_error *out)
{
    pthread_mutex_lock(&s->lock);
    *out = s->error;
    pthread_mutex_unlock(&s->lock);
}

static cr_status load(slot *s, cr_error *err)
{
    cr_model *model = NULL;
    struct stat now = {0};
    cr_status status;

    if (cr_store_is(s->path))
        return live_open(s, err);
    *err = (cr_error){0};
    if (stat(s->path, &now) != 0)
        status = fail(err, CR_EIO, NULL, "cannot open %s: %s", s->path, strerror(errno));
    else if ((status = cr_model_load(&model, s->path, 0, err)) == CR_OK)
        status = catalog_publish(s, model, err);
    s->seen = now;
    slot_set_error(s, err);
    return status;
}

cr_status catalog_add(catalog *c, const char *name, const char *path, cr_model *model, slot **out,
                      cr_error *err)
{
    slot *s = slot_new(name, path);
    cr_status status;

    if (s == NULL) {
        cr_model_free(model);
        return fail(err, CR_ENOMEM, NULL, "out of memory");
    }
    s->trained = path == NULL;
    if ((status = catalog_publish(s, model, err)) == CR_OK) {
        pthread_mutex_lock(&c->lock);
        status = append(c, s, err);
        pthread_mutex_unlock(&c->lock);
    }
    if (status != CR_OK)
        slot_free(s);
    else if (out != NULL)
        *out = s;
    return status;
}

/* --- files ------------------------------------------------------------------------------------ */

static bool ends_with(const char *text, size_t length, const char *ending)
{
    const size_t size = strlen(ending);

    return length > size && strncmp(text + length - size, ending, size) == 0;
}

/* "folder/iris.model" is named iris, "postgresql://host/mail?user=me" mail. */
static void name_of(const char *path, char *name, size_t size)
{
    const size_t whole = strstr(path, "://") != NULL ? strcspn(path, "?") : strlen(path);
    const char *base = memrchr(path, '/', whole);
    size_t length;

    base = base != NULL && base + 1 < path + whole ? base + 1 : path;
    length = (size_t)(path + whole - base);
    if (ends_with(base, length, ENDING) || ends_with(base, length, STORE_ENDING))
        length -= strlen(ENDING);
    snprintf(name, size, "%.*s", (int)length, base);
}

/* The slot of a file; it is created if needed. */
static cr_status slot_of(catalog *c, const char *path, slot **out, bool *made, cr_error *err)
{
    char name[256];
    slot *s;
    cr_status status;

    *made = false;
    for (size_t i = 0; (s = catalog_at(c, i)) != NULL; i++)
        if (s->path != NULL && strcmp(s->path, path) == 0) {
            *out = s;
            return CR_OK;
        }
    name_of(path, name, sizeof name);
    if (catalog_find(c, name, NULL) != NULL)
        return fail(err, CR_EARG, "their files need different names", "two models are called '%s'",
                    name);
    if ((s = slot_new(name, path)) == NULL)
        return fail(err, CR_ENOMEM, NULL, "out of memory");
    if ((status = append(c, s, err)) != CR_OK) {
        slot_free(s);
        return status;
    }
    *made = true;
    *out = s;
    return CR_OK;
}

static int is_model(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);

    return entry->d_name[0] != '.' && (ends_with(entry->d_name, length, ENDING) ||
                                       ends_with(entry->d_name, length, STORE_ENDING));
}

/* New files of the folder get slots; they are loaded afterwards. */
static cr_status scan(catalog *c, cr_error *err)
{
    struct dirent **found;
    const int count = scandir(c->folder, &found, is_model, alphasort);
    cr_status status = CR_OK;
    char path[4096];
    bool made;
    slot *s;

    if (count < 0)
        return fail(err, CR_EIO, NULL, "cannot read the folder %s: %s", c->folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", c->folder, found[i]->d_name);
        if (status == CR_OK)
            status = slot_of(c, path, &s, &made, err);
        free(found[i]);
    }
    free(found);
    return status;
}

static bool changed(const struct stat *a, const struct stat *b)
{
    return a->st_ino != b->st_ino || a->st_size != b->st_size || a->st_dev != b->st_dev ||
           a->st_mtim.tv_sec != b->st_mtim.tv_sec || a->st_mtim.tv_nsec != b->st_mtim.tv_nsec;
}

/* If a file is gone, so is its model; if it cannot be read, the old model stays. */
static const char *refresh(slot *s)
{
    struct stat now;
    cr_error err;

    if (s->live != NULL && cr_store_is(s->path))
        return live_refresh(s);
    if (stat(s->path, &now) != 0) {
        if (s->now == NULL)
            return NULL;
        put(s, NULL);
        live_lost(s);
        s->seen = (struct stat){0};
        fail(&err, CR_EIO, NULL, "its file is gone");
        slot_set_error(s, &err);
        return "gone";
    }
    if (!changed(&now, &s->seen))
        return NULL;
    return load(s, &err) == CR_OK ? "loaded" : "cannot be read";
}

void catalog_refresh(catalog *c, catalog_note *note, void *context)
{
    cr_error err;
    slot *s;

    pthread_mutex_lock(&c->lock);
    if (c->folder != NULL)
        scan(c, &err);
    for (size_t i = 0; (s = catalog_at(c, i)) != NULL; i++) {
        const char *what =
            s->path != NULL && (s->lessons == NULL || s->live != NULL) ? refresh(s) : NULL;

        if (what != NULL && note != NULL)
            note(context, s, what);
    }
    pthread_mutex_unlock(&c->lock);
}

bool slot_changed(const slot *s, const struct stat *now)
{
    return changed(now, &s->seen);
}

static cr_status open_path(catalog *c, const char *path, cr_error *err)
{
    struct stat about;
    cr_status status;
    bool made;
    slot *s;

    if (!cr_store_is(path) && stat(path, &about) != 0)
        return fail(err, CR_EIO, NULL, "cannot open %s: %s", path, strerror(errno));
    if (!cr_store_is(path) && S_ISDIR(about.st_mode)) {
        if (c->folder != NULL)
            return fail(err, CR_EARG, NULL, "one folder at most, not %s and %s", c->folder, path);
        c->folder = strdup(path);
        return c->folder != NULL ? scan(c, err) : fail(err, CR_ENOMEM, NULL, "out of memory");
    }
    if ((status = slot_of(c, path, &s, &made, err)) != CR_OK)
        return status;
    return load(s, err);
}

/* A file that was named must be valid; a broken one in a folder does not stop the others. */
cr_status catalog_open(catalog *c, char *const *paths, size_t count, cr_error *err)
{
    cr_status status = CR_OK;

    *c = (catalog){.limit = CATALOG_LIMIT};
    pthread_mutex_init(&c->lock, NULL);
    if ((c->slots = calloc(c->limit, sizeof *c->slots)) == NULL)
        return fail(err, CR_ENOMEM, NULL, "out of memory");
    for (size_t i = 0; i < count && status == CR_OK; i++)
        status = open_path(c, paths[i], err);
    if (status == CR_OK)
        catalog_refresh(c, NULL, NULL);
    return status;
}

void catalog_close(catalog *c)
{
    for (size_t i = 0; i < catalog_count(c); i++)
        slot_free(c->slots[i]);
    free(c->slots);
    free(c->folder);
    pthread_mutex_destroy(&c->lock);
}
