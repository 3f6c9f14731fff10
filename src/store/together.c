/* store/together.c - lessons of processes that teach at the same time share one transaction.
 *
 * A transaction waits for the disk, and lessons of single rows for little else. So of processes
 * that teach at the same time one leads: it stores the lessons of those who wait behind its own,
 * one after another, as they would have done themselves, and all are acknowledged by one commit.
 *
 * A lesson counts once. Those that a transaction stores for others are listed in it (key Q: for
 * each its ticket and its tally), and so are those of the list before that have had no reply:
 * whoever leads reads the list first, and what is there is not stored again, but acknowledged after
 * the commit. So it does not matter where one who leads is killed: before its commit nothing has
 * happened, and after it the next one replies. What the dead have posted is not stored: nobody
 * knows whether they still wanted it.
 *
 * Where a lesson for another is refused, nothing of the transaction is kept: all is done again
 * without it, and he who posted it stores it alone, so that he gets the reason.
 */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "data/table.h"
#include "store/queue.h"
#include "store/teach.h"
#include "store/varint.h"

void (*cr__store_committed)(void);

typedef struct stored {
    uint64_t ticket;
    size_t place;
    cr_tally tally;
} stored;

typedef struct group {
    cr__queue *queue;
    cr__taught *own;
    int learned;      /* lessons of this transaction */
    int own_is_there; /* one who led before has stored it */
    int refused;      /* the lesson that was posted last is why it failed */
    stored other[CR__QUEUE_PLACES];
    size_t others;
    cr__posted posted;
} group;

/* --- the list --------------------------------------------------------------------------------- */

static cr_status begin_list(cr_store *store, cr__reader *in, cr_error *err)
{
    cr__bytes value = {NULL, 0};
    const cr_status st = cr__store_get(store, "Q", 1, &value, err);

    *in = st == CR_OK ? cr__reader_of(value.at, value.size) : cr__reader_of(NULL, 0);
    return st;
}

static cr_status read_stored(cr_store *store, cr__reader *in, stored *s, cr_error *err)
{
    *s = (stored){.ticket = cr__read_number(in)};
    s->tally.rows = cr__read_number(in);
    s->tally.unlabelled = cr__read_number(in);
    s->tally.passes = cr__read_number(in);
    return in->failed ? cr__store_damaged(store, err, "its list of lessons makes no sense") : CR_OK;
}

cr_status cr__store_check_list(cr_store *store, cr_error *err)
{
    cr__reader in;
    stored s;
    cr_status st = begin_list(store, &in, err);

    while (st == CR_OK && in.at < in.end)
        st = read_stored(store, &in, &s, err);
    return st;
}

/* Who has had no reply waits in one of the places, so all of them have room. */
static cr_status read_list(cr_store *store, group *g, cr_error *err)
{
    const uint64_t own = cr__queue_ticket(g->queue);
    cr__reader in;
    cr_status st = begin_list(store, &in, err);

    while (st == CR_OK && in.at < in.end) {
        stored s;

        if ((st = read_stored(store, &in, &s, err)) != CR_OK)
            return st;
        s.place = cr__queue_find(g->queue, s.ticket);
        if (own != 0 && s.ticket == own) {
            g->own_is_there = 1;
            *g->own->tally = s.tally;
        } else if (s.place != SIZE_MAX && g->others < CR__QUEUE_PLACES) {
            g->other[g->others++] = s;
        }
    }
    return CR_OK;
}

static cr_status write_list(cr_store *store, const group *g, cr_error *err)
{
    cr__buffer out = {0};
    cr_status st;

    for (size_t i = 0; i < g->others; i++) {
        cr__put_number(&out, g->other[i].ticket);
        cr__put_number(&out, g->other[i].tally.rows);
        cr__put_number(&out, g->other[i].tally.unlabelled);
        cr__put_number(&out, g->other[i].tally.passes);
    }
    st = out.failed ? cr__fail_memory(err) : cr__store_put(store, "Q", 1, out.data, out.size, err);
    cr__buffer_free(&out);
    return st;
}

/* --- lessons ---------------------------------------------------------------------------------- */

/* Each lesson is a version of its own, as if it had a transaction of its own. */
static void next_version(cr_store *store, group *g)
{
    if (g->learned++ > 0)
        store->meta.origin[0].version++;
}

static cr_status teach_posted(cr_store *store, group *g, cr_tally *tally, cr_error *err)
{
    const cr_run one = {.threads = 1};
    cr__lesson lesson;
    cr_model *head;
    cr_status st;

    next_version(store, g);
    if ((st = cr__store_head(store, &head, err)) != CR_OK)
        return st;
    if ((st = cr__lesson_read(&lesson, g->posted.lesson, g->posted.size, head->schema)) != CR_OK)
        return cr__fail(err, st, "a lesson of another process makes no sense");
    st = cr__store_change_by_rows(store,
                                  &(cr__taught){.learn = lesson.learn,
                                                .unlearn = lesson.unlearn,
                                                .run = &one,
                                                .tally = tally,
                                                .known_only = lesson.known_only,
                                                .limits = lesson.on_error ? &lesson.limits : NULL,
                                                .spam = lesson.spam},
                                  err);
    cr__lesson_free(&lesson);
    return st;
}

static int is_stored(const group *g, uint64_t ticket)
{
    for (size_t i = 0; i < g->others; i++)
        if (g->other[i].ticket == ticket)
            return 1;
    return 0;
}

/* Store the lesson in a place, if there is one. *found counts them. */
static cr_status teach_place(cr_store *store, group *g, size_t place, int *found, cr_error *err)
{
    cr_tally tally = {0};
    cr_status st;

    if (g->others == CR__QUEUE_PLACES || !cr__queue_take(g->queue, place, &g->posted) ||
        is_stored(g, g->posted.ticket))
        return CR_OK;
    st = teach_posted(store, g, &tally, err);
    if (st == CR_OK) {
        g->other[g->others++] =
            (stored){.ticket = g->posted.ticket, .place = place, .tally = tally};
        ++*found;
    }
    g->refused = st != CR_OK;
    return st;
}

/* Own rows, and what is posted until nobody waits: while some are stored, others come. */
static cr_status teach_all(cr_store *store, group *g, cr_error *err)
{
    int found = 1;
    cr_status st = CR_OK;

    if (!g->own_is_there) {
        next_version(store, g);
        st = cr__store_change_by_rows(store, g->own, err);
    }
    while (st == CR_OK && found > 0) {
        found = 0;
        for (size_t i = 0; st == CR_OK && i < CR__QUEUE_PLACES; i++)
            st = teach_place(store, g, i, &found, err);
    }
    return st;
}

/* The transaction. What was stored before is acknowledged by this commit, which waits for the disk:
 * of that of the one who was killed nobody knows whether it did. */
static cr_status try_once(cr_store *store, group *g, cr_error *err)
{
    cr_status st = cr__store_begin(store, 1, err);

    g->learned = g->own_is_there = g->refused = 0;
    g->others = 0;
    if (st != CR_OK)
        return st;
    if (cr__queue_ticket(g->queue) != 0 &&
        cr__queue_reply(g->queue, g->own->tally) == CR__REPLY_DONE) {
        cr__store_give_up(store);
        return CR_OK;
    }
    if ((st = read_list(store, g, err)) == CR_OK)
        st = teach_all(store, g, err);
    if (st == CR_OK && (g->others > 0 || g->own_is_there))
        st = write_list(store, g, err);
    if (st == CR_OK)
        st =
            g->learned > 0 ? cr__store_commit(store, err) : store->kv->kind->commit(store->kv, err);
    if (st != CR_OK) {
        cr__store_give_up(store);
        cr_model_free(store->head); /* it may have lessons that do not count */
        store->head = NULL;
    }
    return st;
}

/* Where a lesson for another was refused: all is tried again without it. */
static int leave_out(const group *g)
{
    const cr_tally none = {0};

    if (g->refused)
        cr__queue_answer(g->queue, g->posted.place, g->posted.ticket, CR__REPLY_ALONE, &none);
    return g->refused;
}

static cr_status lead(cr_store *store, group *g, cr_error *err)
{
    cr_status st;

    do
        st = try_once(store, g, err);
    while (st != CR_OK && ((st == CR_ELIMIT && store->kv->kind->grow(store->kv)) || leave_out(g)));
    if (st != CR_OK)
        return st;
    if (cr__store_committed != NULL)
        cr__store_committed();
    for (size_t i = 0; i < g->others; i++)
        cr__queue_answer(g->queue, g->other[i].place, g->other[i].ticket, CR__REPLY_DONE,
                         &g->other[i].tally);
    return CR_OK;
}

/* --- who leads -------------------------------------------------------------------------------- */

/* Lead, if nobody else does, and then have a result. The own lesson, where it was posted, must be
 * gone before somebody else leads. */
static int may_lead(cr_store *store, group *g, cr_status *st, cr_error *err)
{
    if (!cr__queue_lead(g->queue))
        return 0;
    *st = lead(store, g, err);
    cr__queue_withdraw(g->queue);
    cr__queue_resign(g->queue);
    return 1;
}

static cr_status await(cr_store *store, group *g, cr_error *err)
{
    cr_status st = CR_OK;
    cr__reply reply;

    while ((reply = cr__queue_reply(g->queue, g->own->tally)) == CR__REPLY_NONE &&
           !may_lead(store, g, &st, err))
        cr__queue_sleep(g->queue);
    cr__queue_withdraw(g->queue);
    return reply == CR__REPLY_ALONE ? cr__store_write(store, cr__store_change_by_rows, g->own, err)
                                    : st;
}

cr_status cr__store_teach(cr_store *store, cr__taught *rows, cr_error *err)
{
    cr__buffer lesson = {0};
    group *g = NULL;
    cr_status st = CR_OK;

    if (cr__store_queue(store) == NULL || (g = cr__alloc(1, sizeof *g)) == NULL)
        return cr__store_write(store, cr__store_change_by_rows, rows, err);
    g->queue = cr__store_queue(store);
    g->own = rows;
    if (!may_lead(store, g, &st, err)) {
        if (cr__lesson_write(rows, CR__QUEUE_ROOM, &lesson) &&
            cr__queue_post(g->queue, lesson.data, lesson.size))
            st = await(store, g, err);
        else
            st = cr__store_write(store, cr__store_change_by_rows, rows, err);
    }
    cr__buffer_free(&lesson);
    cr__free(g);
    return st;
}
