/* serve/traffic.c - recent rows that a model was asked about.
 *
 * There are two windows of rows: one is filled, and replaces the other when it is full. Both are
 * compared, so that there are always enough rows and none is old.
 */
#include "traffic.h"

#include <stdlib.h>

enum { WINDOW_ROWS = 2000, WINDOW_BYTES = 1 << 20, ENOUGH = 50 };

struct traffic {
    pthread_mutex_t lock;
    buffer now, before;              /* lines of JSON */
    size_t rows, rows_before, fresh; /* fresh: since the last comparison */
    traffic_figures figures;
};

traffic *traffic_new(void)
{
    traffic *t = calloc(1, sizeof *t);

    if (t != NULL)
        pthread_mutex_init(&t->lock, NULL);
    return t;
}

void traffic_free(traffic *t)
{
    if (t == NULL)
        return;
    buffer_free(&t->now);
    buffer_free(&t->before);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

void traffic_note(traffic *t, const char *lines, size_t size, size_t rows)
{
    if (t == NULL || size > WINDOW_BYTES || pthread_mutex_trylock(&t->lock) != 0)
        return;
    if (t->rows >= WINDOW_ROWS || t->now.size + size > WINDOW_BYTES) {
        const buffer empty = t->before;

        t->before = t->now;
        t->rows_before = t->rows;
        t->now = empty;
        buffer_clear(&t->now, 2 * WINDOW_BYTES);
        t->rows = 0;
    }
    buffer_add(&t->now, lines, size);
    t->rows += rows;
    t->fresh += rows;
    pthread_mutex_unlock(&t->lock);
}

/* Both windows, copied. */
static size_t copy_rows(traffic *t, buffer *out)
{
    size_t rows;

    pthread_mutex_lock(&t->lock);
    buffer_add(out, t->before.bytes, t->before.size);
    buffer_add(out, t->now.bytes, t->now.size);
    rows = t->rows_before + t->rows;
    pthread_mutex_unlock(&t->lock);
    return rows;
}

static cr_status compare(const cr_model *model, const buffer *rows, cr_drift **out, cr_error *err)
{
    const cr_drift_options options = {.allow_absent_columns = 1};
    const cr_run run = {.threads = 1};
    cr_source_options o;
    cr_source *source = NULL;
    cr_status status;

    cr_source_options_default(&o);
    o.format = "jsonl";
    o.missing = cr_model_missing(model);
    status = cr_source_open_memory(&source, rows->bytes, rows->size, "traffic", &o, err);
    if (status == CR_OK)
        status = cr_model_drift(model, source, &options, &run, out, NULL, err);
    cr_source_close(source);
    return status;
}

static void take_figures(const cr_drift *drift, traffic_figures *f)
{
    cr_drift_summary all;
    cr_drift_feature one;

    cr_drift_get_summary(drift, &all);
    *f = (traffic_figures){
        .rows = all.rows, .drifted = (double)all.drifted, .prior_index = all.prior_index};
    for (size_t i = 0; cr_drift_get_feature(drift, i, &one) == CR_OK; i++)
        if (one.index > f->index)
            f->index = one.index;
}

void traffic_compare(slot *of)
{
    traffic *t = of->traffic;
    snapshot *held;
    cr_drift *drift = NULL;
    buffer rows = {0};
    traffic_figures f;
    cr_error err;
    bool enough;

    if (t == NULL)
        return;
    pthread_mutex_lock(&t->lock);
    enough = t->fresh >= ENOUGH;
    if (enough)
        t->fresh = 0;
    pthread_mutex_unlock(&t->lock);
    if (!enough || (held = slot_hold(of)) == NULL)
        return;
    copy_rows(t, &rows);
    if (!rows.failed && compare(held->model, &rows, &drift, &err) == CR_OK) {
        take_figures(drift, &f);
        pthread_mutex_lock(&t->lock);
        t->figures = f;
        pthread_mutex_unlock(&t->lock);
    }
    cr_drift_free(drift);
    buffer_free(&rows);
    snapshot_release(held);
}

void traffic_get(traffic *t, traffic_figures *out)
{
    pthread_mutex_lock(&t->lock);
    *out = t->figures;
    pthread_mutex_unlock(&t->lock);
}

cr_status traffic_json(call *k)
{
    traffic *t = k->view->slot->traffic;
    cr_drift *drift = NULL;
    buffer rows = {0};
    cr_status status;

    if (t == NULL)
        return fail(k->err, CR_ECONFLICT, "start it with --drift, or POST rows here",
                    "this server does not watch what it is asked");
    if (copy_rows(t, &rows) == 0)
        status = fail(k->err, CR_ECONFLICT, NULL, "the model has not been asked yet");
    else if (rows.failed)
        status = fail(k->err, CR_ENOMEM, NULL, "out of memory");
    else
        status = compare(view_model(k->view), &rows, &drift, k->err);
    if (status == CR_OK)
        status = cr_drift_json(drift, k->answer->out);
    cr_drift_free(drift);
    buffer_free(&rows);
    return status;
}
