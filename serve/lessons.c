/* serve/lessons.c - a model that learns while it answers. */
#include "lessons.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "body.h"
#include "journal.h"
#include "live.h"

enum {
    JUDGED_BODY = 1 << 16, /* larger lessons are not judged before they are learned */
    RECORD = 400           /* approximate bytes of a lesson in the journal without its rows */
};

/* A lesson waiting for its turn. */
typedef struct ticket {
    call *k;
    journal_entry entry;
    cr_status status;
    receipt receipt;
    bool done;
    struct ticket *next;
} ticket;

struct lessons {
    service *service;
    slot *slot;
    pthread_mutex_t lock; /* protects the queue and the figures */
    pthread_cond_t turn;
    ticket *first, *last;
    bool busy; /* a thread is learning or saving */

    /* Everything below belongs to the thread that is busy. */
    journal journal;
    cr_model *model;      /* with all acknowledged lessons */
    uint64_t before;      /* lessons that are no longer in the journal */
    journal_entry *entry; /* the others, in order: number before + i + 1 is entry[i] */
    size_t count, room;
    uint32_t *by_key; /* [keys] entry + 1, by the hash of the key; 0: free */
    size_t keys, keyed;
    uint64_t saved; /* lessons that the model file has */
    buffer records;
    lesson_figures figures;
};

/* The number of the last lesson. */
static uint64_t last_lesson(const lessons *l)
{
    return l->before + l->count;
}

static double clock_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- lessons so far --------------------------------------------------------------------------- */

static size_t key_hash(const char *key)
{
    uint64_t sum = 0xCBF29CE484222325u;

    for (; *key != '\0'; key++)
        sum = (sum ^ (unsigned char)*key) * 0x100000001B3u;
    return (size_t)(sum ^ sum >> 32);
}

/* The slot of a key, or the free slot for it. */
static uint32_t *key_place(lessons *l, const char *key)
{
    size_t i = key_hash(key) & (l->keys - 1);

    while (l->by_key[i] != 0 && strcmp(l->entry[l->by_key[i] - 1].key, key) != 0)
        i = (i + 1) & (l->keys - 1);
    return &l->by_key[i];
}

static void index_keys(lessons *l)
{
    l->keyed = 0;
    if (l->keys > 0)
        memset(l->by_key, 0, l->keys * sizeof *l->by_key);
    for (size_t i = 0; i < l->count; i++)
        if (l->entry[i].key[0] != '\0') {
            *key_place(l, l->entry[i].key) = (uint32_t)(i + 1);
            l->keyed++;
        }
}

static bool grow_keys(lessons *l)
{
    const size_t keys = l->keys == 0 ? 64 : 2 * l->keys;
    uint32_t *more;

    if (l->keyed + 1 < l->keys / 2)
        return true;
    if ((more = calloc(keys, sizeof *more)) == NULL)
        return false;
    free(l->by_key);
    l->by_key = more;
    l->keys = keys;
    index_keys(l);
    return true;
}

/* The lesson that came with a key, or NULL. */
static const journal_entry *find_key(lessons *l, const char *key)
{
    const uint32_t *place = l->keys > 0 && key[0] != '\0' ? key_place(l, key) : NULL;

    return place != NULL && *place != 0 ? &l->entry[*place - 1] : NULL;
}

static cr_status remember(lessons *l, const journal_entry *e)
{
    if (l->count == l->room) {
        const size_t room = l->room == 0 ? 256 : 2 * l->room;
        journal_entry *more = realloc(l->entry, room * sizeof *more);

        if (more == NULL)
            return CR_ENOMEM;
        l->entry = more;
        l->room = room;
    }
    if (e->key[0] != '\0' && !grow_keys(l))
        return CR_ENOMEM;
    l->entry[l->count++] = *e;
    if (e->key[0] != '\0') {
        *key_place(l, e->key) = (uint32_t)l->count;
        l->keyed++;
    }
    return CR_OK;
}

/* --- learning --------------------------------------------------------------------------------- */

/* Evaluate the model on the rows before it learns them, as unseen data. */
static void judge(lessons *l, call *k, int sign)
{
    const cr_predict_options options = {.allow_absent_columns = 1, .need_target = 1};
    const cr_run run = {.threads = 1};
    cr_evaluation *e = NULL;
    cr_source *source = NULL;
    cr_metrics m;
    cr_error *err = k->err, unused;

    if (sign < 0 || k->request->size > JUDGED_BODY || k->view->numbers)
        return;
    k->err = &unused;
    if (body_source(k, l->model, &source) == CR_OK &&
        cr_model_test(l->model, source, &options, &run, &e, NULL, &unused) == CR_OK) {
        cr_evaluation_metrics(e, &m);
        if (m.rows > 0) {
            pthread_mutex_lock(&l->lock);
            l->figures.judged += m.rows;
            l->figures.right += m.rows * m.accuracy;
            l->figures.expected_right += m.rows * m.expected_correct;
            l->figures.log_loss += m.rows * m.log_loss;
            l->figures.brier += m.rows * m.brier;
            pthread_mutex_unlock(&l->lock);
        }
    }
    k->err = err;
    cr_evaluation_free(e);
    cr_source_close(source);
}

/* Learn or take back the rows of a request. On failure the model does not change. */
static cr_status apply(call *k, cr_model *model, int sign, uint64_t *rows)
{
    const cr_run run = {.threads = k->request->size < 1 << 20 ? 1 : 0, .pool = k->service->pool};
    cr_source *source = NULL;
    cr_tally tally = {0};
    cr_status status = body_source(k, model, &source);

    if (status == CR_OK)
        status = sign > 0 ? cr_model_learn(model, source, &run, &tally, k->err)
                          : cr_model_unlearn(model, source, &run, &tally, k->err);
    cr_source_close(source);
    *rows = tally.rows;
    if (status == CR_OK && tally.rows == 0)
        status = fail(k->err, CR_EFORMAT, NULL, "there is no row with a value of '%s' to learn",
                      cr_schema_name(cr_model_schema(model), cr_model_target(model)));
    return status;
}

/* The same in the slot's store, if it has one, which makes the lesson durable. */
static cr_status keep(lessons *l, call *k, int sign, uint64_t *rows)
{
    const cr_run run = {.threads = 1};
    cr_source *source = NULL;
    cr_status status;

    if (l->slot->live == NULL)
        return CR_OK;
    if ((status = body_source(k, l->model, &source)) == CR_OK)
        status = live_teach(l->slot->live, source, sign, &run, rows, k->err);
    cr_source_close(source);
    return status;
}

/* Teach the waiting lessons to a copy, and add records of those that succeeded. */
static cr_model *learn_all(lessons *l, ticket *list, cr_error *err)
{
    cr_model *copy = NULL;
    uint64_t next = last_lesson(l) + 1;

    buffer_clear(&l->records, 1 << 20);
    if (cr_model_copy(&copy, l->model, err) != CR_OK)
        return NULL;
    for (ticket *t = list; t != NULL; t = t->next) {
        const journal_entry *before = find_key(l, t->entry.key);

        for (const ticket *u = list; before == NULL && u != t; u = u->next)
            if (u->entry.lesson != 0 && t->entry.key[0] != '\0' &&
                strcmp(u->entry.key, t->entry.key) == 0)
                before = &u->entry;
        if (before != NULL) {
            t->receipt = (receipt){before->lesson, before->rows, true};
            continue;
        }
        judge(l, t->k, t->entry.sign);
        if ((t->status = keep(l, t->k, t->entry.sign, &t->entry.rows)) != CR_OK ||
            (t->status = apply(t->k, copy, t->entry.sign, &t->entry.rows)) != CR_OK)
            continue;
        t->entry.lesson = next++;
        t->entry.time = clock_now();
        t->receipt = (receipt){t->entry.lesson, t->entry.rows, false};
        journal_put(&l->journal, &l->records, &t->entry, t->k->request->body);
    }
    return copy;
}

static cr_status publish(lessons *l, cr_model *copy, cr_error *err)
{
    cr_model *shown = NULL;
    cr_status status = cr_model_copy(&shown, copy, err);

    if (status == CR_OK)
        status = catalog_publish(l->slot, shown, err);
    return status;
}

/* Continue from what the slot's store has learned, including lessons from others. */
static cr_status begin_live(lessons *l, cr_error *err)
{
    snapshot *held = slot_hold(l->slot);
    cr_model *copy = NULL;
    cr_status status = held == NULL ? fail(err, CR_EIO, NULL, "the store cannot be read")
                                    : cr_model_copy(&copy, held->model, err);

    snapshot_release(held);
    if (status != CR_OK)
        return status;
    cr_model_free(l->model);
    l->model = copy;
    return CR_OK;
}

/* Write the journal first, then publish the model. The store keeps its lessons itself; there the
 * journal is only a history. */
static void settle_all(lessons *l, ticket *list)
{
    cr_error err = {0};
    cr_model *copy = learn_all(l, list, &err);
    cr_status status = copy != NULL ? CR_OK : CR_ENOMEM;

    if (status == CR_OK && l->records.size > 0)
        status = journal_write(&l->journal, &l->records, &err);
    for (ticket *t = list; t != NULL; t = t->next) {
        if (t->status == CR_OK && status != CR_OK) {
            *t->k->err = err;
            t->status = status;
        }
        if (t->status == CR_OK && t->entry.lesson != 0)
            t->status = remember(l, &t->entry);
    }
    if (status == CR_OK && l->records.size > 0) {
        cr_model_free(l->model);
        l->model = copy;
        copy = NULL;
        publish(l, l->model, &err);
    }
    cr_model_free(copy);
}

static void settle(lessons *l, ticket *list)
{
    live *store = l->slot->live;
    cr_error err = {0};
    const uint64_t before = l->count;
    cr_status status;

    if (store == NULL) {
        settle_all(l, list);
        return;
    }
    pthread_mutex_lock(&store->lock);
    if ((status = begin_live(l, &err)) == CR_OK)
        settle_all(l, list);
    l->saved = last_lesson(l);
    live_caught_up(store, l->count - before);
    pthread_mutex_unlock(&store->lock);
    for (ticket *t = list; status != CR_OK && t != NULL; t = t->next) {
        *t->k->err = err;
        t->status = status;
    }
}

/* Wait until nobody is busy, then become busy. The caller holds the lock. */
static void take_over(lessons *l)
{
    while (l->busy)
        pthread_cond_wait(&l->turn, &l->lock);
    l->busy = true;
}

static void count_lessons(lessons *l)
{
    l->figures.lessons = last_lesson(l);
    l->figures.pending = last_lesson(l) - l->saved;
}

static void hand_over(lessons *l)
{
    count_lessons(l);
    l->busy = false;
    pthread_cond_broadcast(&l->turn);
}

/* The first thread that finds nobody busy learns for all that wait. */
static void wait_turn(lessons *l, ticket *mine)
{
    pthread_mutex_lock(&l->lock);
    if (l->last != NULL)
        l->last->next = mine;
    else
        l->first = mine;
    l->last = mine;
    while (!mine->done) {
        ticket *list;

        if (l->busy) {
            pthread_cond_wait(&l->turn, &l->lock);
            continue;
        }
        l->busy = true;
        list = l->first;
        l->first = l->last = NULL;
        pthread_mutex_unlock(&l->lock);
        settle(l, list);
        pthread_mutex_lock(&l->lock);
        for (ticket *t = list, *next; t != NULL; t = next) {
            next = t->next;
            t->done = true;
        }
        hand_over(l);
    }
    pthread_mutex_unlock(&l->lock);
}

/* The parameters of a request: name=value&…, decoded. They are few and short. */
static cr_status pack_query(call *k, char *out, size_t size)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    const request *r = k->request;
    buffer b = {0};

    for (size_t i = 0; i < r->parameters; i++) {
        buffer_text(&b, i > 0 ? "&" : "");
        for (const char *p = r->parameter[i].name; *p != '\0'; p++)
            buffer_printf(&b, strchr(plain, *p) != NULL ? "%c" : "%%%02x", (unsigned char)*p);
        buffer_text(&b, "=");
        for (const char *p = r->parameter[i].value; *p != '\0'; p++)
            buffer_printf(&b, strchr(plain, *p) != NULL ? "%c" : "%%%02x", (unsigned char)*p);
    }
    snprintf(out, size, "%s", buffer_string(&b));
    if (b.size >= size)
        fail(k->err, CR_ELIMIT, NULL, "the parameters have more than %zu bytes", size - 1);
    buffer_free(&b);
    return strlen(out) < size - 1 ? CR_OK : CR_ELIMIT;
}

/* The lessons of the requested model; the first lesson creates the journal. */
static cr_status lessons_of(call *k, lessons **out)
{
    static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
    slot *s = k->view->slot;
    cr_status status = CR_OK;

    if (s->path == NULL)
        return fail(k->err, CR_ECONFLICT, NULL, "the model '%s' has no file to be kept in",
                    s->name);
    pthread_mutex_lock(&opening);
    if (s->lessons == NULL)
        status = lessons_open(k->service, s, k->err);
    pthread_mutex_unlock(&opening);
    *out = s->lessons;
    return status;
}

cr_status lessons_teach(call *k, int sign, uint64_t undoes, receipt *out)
{
    lessons *l = NULL;
    ticket t = {.k = k, .entry = {.sign = sign, .undoes = undoes, .size = k->request->size}};
    cr_status status;

    if ((status = lessons_of(k, &l)) != CR_OK)
        return status;
    if (k->request->key != NULL && strlen(k->request->key) >= sizeof t.entry.key)
        return fail(k->err, CR_EARG, NULL, "an idempotency key has at most %zu bytes",
                    sizeof t.entry.key - 1);
    if ((status = pack_query(k, t.entry.query, sizeof t.entry.query)) != CR_OK)
        return status;
    snprintf(t.entry.who, sizeof t.entry.who, "%s", k->request->who != NULL ? k->request->who : "");
    snprintf(t.entry.key, sizeof t.entry.key, "%s", k->request->key != NULL ? k->request->key : "");
    t.entry.type = (int)body_type(k->request);
    wait_turn(l, &t);
    *out = t.receipt;
    return t.status;
}

/* --- recovery --------------------------------------------------------------------------------- */

/* A lesson of the journal as the original request. Free both. */
static cr_status lesson_request(const lessons *l, const journal_entry *e, request *r, buffer *body,
                                cr_error *err)
{
    char target[300];
    cr_status status = journal_read(&l->journal, e, body, err);

    memset(r, 0, sizeof *r);
    snprintf(target, sizeof target, "/lesson?%s", e->query);
    if (status == CR_OK)
        status = request_parse(r, METHOD_POST, target, err);
    r->type = (media)e->type;
    r->body = body->bytes;
    r->size = e->size;
    return status;
}

cr_status lessons_undo(call *k, uint64_t lesson, receipt *out)
{
    lessons *l = NULL;
    request r = {0};
    buffer body = {0};
    journal_entry e = {0};
    bool undone = false;
    cr_status status = lessons_of(k, &l);

    if (status != CR_OK)
        return status;
    pthread_mutex_lock(&l->lock);
    take_over(l);
    pthread_mutex_unlock(&l->lock);
    if (lesson > l->before && lesson <= last_lesson(l))
        e = l->entry[lesson - l->before - 1];
    for (size_t i = 0; i < l->count; i++)
        undone |= l->entry[i].undoes == lesson;
    if (lesson >= 1 && lesson <= l->before)
        status =
            fail(k->err, CR_ECONFLICT, "unlearn its rows",
                 "lesson %llu is too old to be taken back: the journal begins with lesson %llu",
                 (unsigned long long)lesson, (unsigned long long)l->before + 1);
    else if (e.lesson == 0)
        status = fail(k->err, CR_EARG, NULL, "there is no lesson %llu", (unsigned long long)lesson);
    else if (undone)
        status = fail(k->err, CR_ECONFLICT, NULL, "lesson %llu has been taken back",
                      (unsigned long long)lesson);
    else
        status = lesson_request(l, &e, &r, &body, k->err);
    pthread_mutex_lock(&l->lock);
    hand_over(l);
    pthread_mutex_unlock(&l->lock);
    if (status == CR_OK) {
        call again = *k;
        char key[64];

        snprintf(key, sizeof key, "undo %llu", (unsigned long long)lesson);
        r.who = k->request->who;
        r.key = key; /* two at the same time become one */
        again.request = &r;
        status = lessons_teach(&again, -e.sign, lesson, out);
    }
    request_free(&r);
    buffer_free(&body);
    return status;
}

typedef struct recovery {
    lessons *l;
    char print[33]; /* of the model file */
    uint64_t knows; /* lessons that a file of this fingerprint has */
    uint64_t saved; /* lessons in the last file known to be written */
    bool found, any;
} recovery;

static cr_status recover(void *context, const journal_entry *e)
{
    recovery *r = context;

    if (e->lesson != 0)
        return e->lesson == last_lesson(r->l) + 1 ? remember(r->l, e) : CR_EFORMAT;
    if (e->begins) {
        r->l->before = e->upto;
        return r->l->count == 0 && !r->any ? CR_OK : CR_EFORMAT;
    }
    r->any = true;
    if (e->saved)
        r->saved = e->upto;
    else if (strcmp(e->print, r->print) == 0) {
        r->found = true;
        r->knows = e->upto;
    }
    return CR_OK;
}

/* Learn the lessons after a given one from the journal. */
static cr_status learn_again(service *s, lessons *l, uint64_t from, cr_error *err)
{
    worker *w = worker_new(s);
    cr_status status = w != NULL ? CR_OK : fail(err, CR_ENOMEM, NULL, "out of memory");

    for (uint64_t i = from - l->before; i < l->count && status == CR_OK; i++) {
        request r = {0};
        buffer body = {0};
        call k = {.service = s, .worker = w, .request = &r, .err = err};
        uint64_t rows;

        if ((status = lesson_request(l, &l->entry[i], &r, &body, err)) == CR_OK)
            status = apply(&k, l->model, l->entry[i].sign, &rows);
        request_free(&r);
        buffer_free(&body);
    }
    worker_free(w);
    return status;
}

static cr_status write_mark(lessons *l, bool saved, const char *print, cr_error *err)
{
    journal_entry e = {.upto = last_lesson(l), .saved = saved, .time = clock_now()};

    snprintf(e.print, sizeof e.print, "%s", print);
    buffer_clear(&l->records, 1 << 20);
    journal_put(&l->journal, &l->records, &e, "");
    return journal_write(&l->journal, &l->records, err);
}

static void lessons_free(lessons *l)
{
    journal_close(&l->journal);
    cr_model_free(l->model);
    free(l->entry);
    free(l->by_key);
    buffer_free(&l->records);
    pthread_cond_destroy(&l->turn);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

/* In the model's folder; for a store on a server, in the folder that the server was started in. */
static void journal_path(const slot *s, char *path, size_t size)
{
    snprintf(path, size, "%s.journal", strstr(s->path, "://") != NULL ? s->name : s->path);
}

static cr_status open_journal(service *s, lessons *l, cr_error *err)
{
    recovery r = {.l = l};
    cr_model_facts facts;
    char path[4096];
    cr_status status;

    journal_path(l->slot, path, sizeof path);
    if (l->slot->live != NULL) { /* the store has all lessons */
        if ((status = journal_open(&l->journal, path, recover, &r, err)) == CR_OK)
            l->saved = last_lesson(l);
        return status;
    }
    if ((status = cr_model_load(&l->model, l->slot->path, 0, err)) != CR_OK)
        return status;
    if ((status = cr_model_get_facts(l->model, &facts)) != CR_OK)
        return fail(err, status, NULL, "%s", cr_status_text(status));
    snprintf(r.print, sizeof r.print, "%s", facts.fingerprint);
    if ((status = journal_open(&l->journal, path, recover, &r, err)) != CR_OK)
        return status;
    l->saved = r.found ? r.knows : r.any ? r.saved : 0;
    if (l->saved < l->before)
        return fail(err, CR_ECONFLICT, "restore it, or remove the journal",
                    "%s is older than its journal, which begins with lesson %llu", l->slot->path,
                    (unsigned long long)l->before + 1);
    if ((status = learn_again(s, l, l->saved, err)) != CR_OK)
        return status;
    if (!r.any && (status = write_mark(l, false, r.print, err)) != CR_OK)
        return status;
    return last_lesson(l) > l->saved ? publish(l, l->model, err) : CR_OK;
}

bool lessons_there(const slot *of)
{
    char path[4096];

    journal_path(of, path, sizeof path);
    return access(path, F_OK) == 0;
}

cr_status lessons_open(service *s, slot *of, cr_error *err)
{
    lessons *l = calloc(1, sizeof *l);
    cr_status status;

    if (l == NULL)
        return fail(err, CR_ENOMEM, NULL, "out of memory");
    l->service = s;
    l->slot = of;
    l->journal.fd = -1;
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->turn, NULL);
    if ((status = open_journal(s, l, err)) != CR_OK) {
        lessons_free(l);
        return status;
    }
    count_lessons(l);
    of->lessons = l;
    return CR_OK;
}

/* --- checkpoints ------------------------------------------------------------------------------ */

/* Another program has changed the file: continue from it, with the lessons that it lacks. The
 * caller is busy and holds the lock on the file. */
static cr_status adopt(lessons *l, cr_error *err)
{
    cr_model *mine = l->model;
    struct stat now;
    cr_status status;

    if (stat(l->slot->path, &now) != 0 || !slot_changed(l->slot, &now))
        return CR_OK;
    l->model = NULL;
    if ((status = cr_model_load(&l->model, l->slot->path, 0, err)) == CR_OK)
        status = learn_again(l->service, l, l->saved, err);
    if (status == CR_OK)
        status = publish(l, l->model, err);
    if (status != CR_OK) {
        cr_model_free(l->model);
        l->model = mine;
        return status;
    }
    cr_model_free(mine);
    l->slot->seen = now;
    return CR_OK;
}

static cr_status save(lessons *l, cr_error *err)
{
    cr_model_facts facts;
    cr_status status = cr_model_get_facts(l->model, &facts);

    if (status != CR_OK)
        return fail(err, status, NULL, "%s", cr_status_text(status));
    if ((status = write_mark(l, false, facts.fingerprint, err)) == CR_OK &&
        (status = cr_model_save(l->model, l->slot->path, err)) == CR_OK)
        status = write_mark(l, true, facts.fingerprint, err);
    if (status == CR_OK) {
        l->saved = last_lesson(l);
        stat(l->slot->path, &l->slot->seen);
    }
    return status;
}

/* The first lesson that a shortened journal keeps: at least the last one, and as many as fit in
 * half of the limit. */
static size_t first_kept(const lessons *l, uint64_t room)
{
    size_t first = l->count;
    uint64_t size = 0;

    while (first > 0 &&
           (first == l->count || size + l->entry[first - 1].size + RECORD <= room / 2)) {
        first--;
        size += l->entry[first].size + RECORD;
    }
    return first;
}

/* A journal beyond its limit loses the oldest lessons, which are in the model file or in the store.
 * They can no longer be taken back, and their keys are forgotten. */
static cr_status shorten(lessons *l, cr_error *err)
{
    const uint64_t room = l->service->max_journal;
    journal_entry mark = {.upto = last_lesson(l), .time = clock_now()};
    cr_model_facts facts = {0};
    char path[4096];
    size_t first;
    cr_status status = CR_OK;

    if (room == 0 || l->journal.end <= room || l->saved < last_lesson(l) ||
        (first = first_kept(l, room)) == 0)
        return CR_OK;
    if (l->slot->live == NULL && (status = cr_model_get_facts(l->model, &facts)) != CR_OK)
        return fail(err, status, NULL, "%s", cr_status_text(status));
    journal_path(l->slot, path, sizeof path);
    snprintf(mark.print, sizeof mark.print, "%s", facts.fingerprint);
    status = journal_rewrite(&l->journal, path, l->entry + first, l->count - first, &mark, err);
    if (status != CR_OK)
        return status;
    l->before += first;
    l->count -= first;
    memmove(l->entry, l->entry + first, l->count * sizeof *l->entry);
    index_keys(l);
    return CR_OK;
}

cr_status lessons_checkpoint(slot *of, cr_error *err)
{
    lessons *l = of->lessons;
    cr_lock *lock = NULL;
    cr_status status;

    pthread_mutex_lock(&l->lock);
    take_over(l);
    pthread_mutex_unlock(&l->lock);
    status = of->live != NULL ? CR_OK : cr_model_lock(&lock, of->path, NULL, NULL, err);
    if (status == CR_OK && of->live == NULL)
        status = adopt(l, err);
    if (status == CR_OK && of->live == NULL && l->saved < last_lesson(l))
        status = save(l, err);
    if (status == CR_OK)
        status = shorten(l, err);
    cr_model_unlock(lock);
    pthread_mutex_lock(&l->lock);
    hand_over(l);
    pthread_mutex_unlock(&l->lock);
    return status;
}

void lessons_close(slot *of)
{
    cr_error err;

    if (of->lessons == NULL)
        return;
    lessons_checkpoint(of, &err);
    lessons_free(of->lessons);
    of->lessons = NULL;
}

/* --- history ---------------------------------------------------------------------------------- */

static void put_entry(cr_json *j, const journal_entry *e)
{
    char text[32];
    const time_t seconds = (time_t)e->time;
    struct tm day;

    gmtime_r(&seconds, &day);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &day);
    cr_json_object(j, NULL, CR_JSON_LINE);
    cr_json_number(j, "lesson", (double)e->lesson);
    cr_json_text(j, "time", text);
    cr_json_text(j, "who", e->who);
    cr_json_text(j, "what", e->undoes != 0 ? "undo" : e->sign > 0 ? "learn" : "unlearn");
    cr_json_number(j, "rows", (double)e->rows);
    if (e->undoes != 0)
        cr_json_number(j, "undoes", (double)e->undoes);
    if (e->key[0] != '\0' && e->undoes == 0)
        cr_json_text(j, "key", e->key);
    cr_json_end(j);
}

void lessons_history(slot *of, size_t most, cr_json *j)
{
    lessons *l = of->lessons;

    pthread_mutex_lock(&l->lock);
    take_over(l);
    pthread_mutex_unlock(&l->lock);
    cr_json_number(j, "lessons", (double)last_lesson(l));
    cr_json_number(j, "first", (double)l->before + 1);
    cr_json_number(j, "saved", (double)l->saved);
    cr_json_array(j, "history", CR_JSON_BLOCK);
    for (size_t i = l->count; i-- > 0 && l->count - i <= most;)
        put_entry(j, &l->entry[i]);
    cr_json_end(j);
    pthread_mutex_lock(&l->lock);
    hand_over(l);
    pthread_mutex_unlock(&l->lock);
}

void lessons_figures(slot *of, lesson_figures *out)
{
    pthread_mutex_lock(&of->lessons->lock);
    *out = of->lessons->figures;
    pthread_mutex_unlock(&of->lessons->lock);
}
