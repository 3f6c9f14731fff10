/* serve/metrics.c - figures of the service. */
#include "metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lessons.h"
#include "live.h"
#include "traffic.h"

enum { ROUTES = 64, BUCKETS = 15 };

/* Upper bounds in seconds; the last bucket takes everything slower. */
static const double bucket[BUCKETS] = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                       0.05,   0.1,     0.25,   0.5,   1,      2.5,   10};

typedef atomic_uint_fast64_t counter;

typedef struct route_figures {
    counter answered[6]; /* by the first digit of the status */
    counter within[BUCKETS + 1];
    counter nanoseconds;
} route_figures;

typedef struct model_figures {
    counter rows, undecided, rejected;
} model_figures;

typedef struct figures {
    route_figures route[ROUTES];
    model_figures *_Atomic model[CATALOG_LIMIT / 64]; /* 64 models each, made when needed */
    struct figures *next;
} figures;

typedef struct metrics {
    pthread_mutex_t lock;
    figures *first; /* of all workers, past and present */
    atomic_long connections;
    counter slow;
    double started;
} metrics;

cr_status metrics_open(service *s, cr_error *err)
{
    struct timespec now;

    if ((s->metrics = calloc(1, sizeof *s->metrics)) == NULL)
        return fail(err, CR_ENOMEM, NULL, "out of memory");
    pthread_mutex_init(&s->metrics->lock, NULL);
    clock_gettime(CLOCK_REALTIME, &now);
    s->metrics->started = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    return CR_OK;
}

void metrics_close(service *s)
{
    if (s->metrics == NULL)
        return;
    for (figures *f = s->metrics->first, *next; f != NULL; f = next) {
        next = f->next;
        for (size_t i = 0; i < CATALOG_LIMIT / 64; i++)
            free(f->model[i]);
        free(f);
    }
    pthread_mutex_destroy(&s->metrics->lock);
    free(s->metrics);
    s->metrics = NULL;
}

figures *figures_new(service *s)
{
    figures *f;

    if (s->metrics == NULL || (f = calloc(1, sizeof *f)) == NULL)
        return NULL;
    pthread_mutex_lock(&s->metrics->lock);
    f->next = s->metrics->first;
    s->metrics->first = f;
    pthread_mutex_unlock(&s->metrics->lock);
    return f;
}

/* --- counting --------------------------------------------------------------------------------- */

/* Only its own thread adds to a counter; others may read it at any time. */
static void add(counter *c, uint64_t n)
{
    atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

static uint64_t get(const counter *c)
{
    return atomic_load_explicit(c, memory_order_relaxed);
}

void metrics_request(worker *w, const route *r, unsigned status, double seconds)
{
    const size_t index = r != NULL ? (size_t)(r - route_at(0)) : ROUTES - 1;
    route_figures *f;
    size_t b = 0;

    if (w->figures == NULL || index >= ROUTES)
        return;
    f = &w->figures->route[index];
    add(&f->answered[status / 100 < 6 ? status / 100 : 0], 1);
    while (b < BUCKETS && seconds > bucket[b])
        b++;
    add(&f->within[b], 1);
    add(&f->nanoseconds, (uint64_t)(1e9 * seconds));
}

void metrics_rows(worker *w, const slot *s)
{
    model_figures *m;

    if (w->figures == NULL || w->answered_rows == 0)
        return;
    m = w->figures->model[s->index / 64];
    if (m == NULL) {
        if ((m = calloc(64, sizeof *m)) == NULL)
            return;
        w->figures->model[s->index / 64] = m;
    }
    m += s->index % 64;
    add(&m->rows, w->answered_rows);
    if (w->undecided != 0)
        add(&m->undecided, w->undecided);
    if (w->rejected != 0)
        add(&m->rejected, w->rejected);
}

void metrics_connection(service *s, int change)
{
    if (s->metrics != NULL)
        atomic_fetch_add(&s->metrics->connections, change);
}

void metrics_slow(service *s)
{
    if (s->metrics != NULL)
        atomic_fetch_add(&s->metrics->slow, 1);
}

/* --- output ----------------------------------------------------------------------------------- */

static void head(buffer *b, const char *name, const char *type, const char *help)
{
    buffer_printf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* NAME{model="…"} VALUE */
static void put_of_model(buffer *b, const char *name, const slot *s, double x)
{
    buffer_printf(b, "%s{model=\"", name);
    for (const char *p = s->name; *p != '\0'; p++)
        if (*p == '\\' || *p == '"')
            buffer_printf(b, "\\%c", *p);
        else
            buffer_add(b, *p == '\n' ? "\\n" : p, *p == '\n' ? 2 : 1);
    buffer_printf(b, "\"} %.17g\n", x);
}

static const char *method_name(const route *r)
{
    return r->method == METHOD_GET ? "GET" : "POST";
}

static const char *path_of(size_t index, const char **method)
{
    const route *r = route_at(index);

    *method = r != NULL ? method_name(r) : "other";
    return r != NULL ? r->path : index == ROUTES - 1 ? "none" : NULL;
}

static uint64_t sum_routes(const metrics *m, size_t index, size_t offset)
{
    uint64_t sum = 0;

    for (const figures *f = m->first; f != NULL; f = f->next)
        sum += get((const counter *)(const void *)((const char *)&f->route[index] + offset));
    return sum;
}

static void put_requests(buffer *b, const metrics *m)
{
    const char *method, *path;

    head(b, "credence_requests_total", "counter", "Requests that were answered.");
    for (size_t r = 0; r < ROUTES; r++)
        for (size_t c = 1; (path = path_of(r, &method)) != NULL && c < 6; c++) {
            const uint64_t n =
                sum_routes(m, r, offsetof(route_figures, answered) + c * sizeof(counter));

            if (n != 0)
                buffer_printf(b,
                              "credence_requests_total{path=\"%s\",method=\"%s\",code=\"%zuxx\"} "
                              "%llu\n",
                              path, method, c, (unsigned long long)n);
        }
}

static void put_latency(buffer *b, const metrics *m, size_t r, const char *path, const char *method)
{
    uint64_t sum = 0;

    for (size_t i = 0; i <= BUCKETS; i++) {
        char end[32] = "+Inf";

        sum += sum_routes(m, r, offsetof(route_figures, within) + i * sizeof(counter));
        if (i < BUCKETS)
            snprintf(end, sizeof end, "%g", bucket[i]);
        buffer_printf(
            b,
            "credence_request_duration_seconds_bucket{path=\"%s\",method=\"%s\",le=\"%s\"} "
            "%llu\n",
            path, method, end, (unsigned long long)sum);
    }
    buffer_printf(b,
                  "credence_request_duration_seconds_sum{path=\"%s\",method=\"%s\"} %.9g\n"
                  "credence_request_duration_seconds_count{path=\"%s\",method=\"%s\"} %llu\n",
                  path, method,
                  1e-9 * (double)sum_routes(m, r, offsetof(route_figures, nanoseconds)), path,
                  method, (unsigned long long)sum);
}

static void put_latencies(buffer *b, const metrics *m)
{
    head(b, "credence_request_duration_seconds", "histogram",
         "Seconds from a request's line to the end of its answer.");
    for (size_t r = 0; r < ROUTES; r++) {
        const char *method, *path = path_of(r, &method);
        uint64_t any = 0;

        for (size_t i = 0; path != NULL && i <= BUCKETS; i++)
            any += sum_routes(m, r, offsetof(route_figures, within) + i * sizeof(counter));
        if (any != 0)
            put_latency(b, m, r, path, method);
    }
}

static double of_model(const metrics *m, const slot *s, size_t offset)
{
    uint64_t sum = 0;

    for (const figures *f = m->first; f != NULL; f = f->next) {
        const model_figures *of = f->model[s->index / 64];

        if (of != NULL)
            sum += get((const counter *)(const void *)((const char *)&of[s->index % 64] + offset));
    }
    return (double)sum;
}

static void put_rows(buffer *b, const service *s)
{
    static const struct {
        const char *name, *help;
        size_t offset;
    } known[] = {
        {"credence_rows_total", "Rows that were answered.", offsetof(model_figures, rows)},
        {"credence_undecided_total", "Rows that every class holds impossible.",
         offsetof(model_figures, undecided)},
        {"credence_rejected_total", "Rows that were rejected: any decision would cost more.",
         offsetof(model_figures, rejected)},
    };
    slot *of;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        head(b, known[i].name, "counter", known[i].help);
        for (size_t k = 0; (of = catalog_at(&s->models, k)) != NULL; k++)
            put_of_model(b, known[i].name, of, of_model(s->metrics, of, known[i].offset));
    }
    head(b, "credence_model_rows", "gauge", "Rows that a model has learned; NaN: it is not there.");
    for (size_t k = 0; (of = catalog_at(&s->models, k)) != NULL; k++) {
        snapshot *held = slot_hold(of);

        if (held != NULL)
            put_of_model(b, "credence_model_rows", of, (double)held->rows);
        snapshot_release(held);
    }
}

static void put_lessons(buffer *b, const service *s)
{
    static const struct {
        const char *name, *type, *help;
    } known[] = {
        {"credence_lessons_total", "counter", "Lessons in the journal."},
        {"credence_lessons_unsaved", "gauge", "Lessons that the model file does not have yet."},
        {"credence_judged_rows_total", "counter",
         "Rows that came with the truth, answered before they were learned."},
        {"credence_judged_right_total", "counter", "Of these, how many were right."},
        {"credence_judged_expected_right_total", "counter",
         "How many were to be right by the posteriors: as many, if these are calibrated."},
        {"credence_judged_log_loss_total", "counter", "Sum of their log losses."},
        {"credence_judged_brier_total", "counter", "Sum of their Brier scores."},
    };
    slot *of;

    for (size_t i = 0; s->learn && i < sizeof known / sizeof *known; i++) {
        head(b, known[i].name, known[i].type, known[i].help);
        for (size_t k = 0; (of = catalog_at(&s->models, k)) != NULL; k++) {
            lesson_figures f;

            if (of->lessons == NULL)
                continue;
            lessons_figures(of, &f);
            const double x[] = {(double)f.lessons, (double)f.pending, f.judged, f.right,
                                f.expected_right,  f.log_loss,        f.brier};

            put_of_model(b, known[i].name, of, x[i]);
        }
    }
}

/* Figures of stores; rows of the last seven days were judged before they were learned. */
static void put_stores(buffer *b, const service *s)
{
    static const struct {
        const char *name, *help;
    } known[] = {
        {"credence_store_lessons", "Lessons of a store, of all processes."},
        {"credence_store_words", "Words that a store knows."},
        {"credence_store_bytes", "Bytes that a store takes."},
        {"credence_store_week_judged", "Rows that were judged and learned in the last week."},
        {"credence_store_week_right", "Of these, how many were right."},
        {"credence_store_week_log_loss", "Their mean log loss; NaN: there were none."},
        {"credence_store_week_good", "Of these, how many were of another class than spam."},
        {"credence_store_week_good_lost", "Of the good ones, how many were judged spam."},
        {"credence_store_week_spam", "Rows of the last week that were spam."},
        {"credence_store_week_spam_passed", "Of these, how many were not judged spam."},
    };
    slot *of;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool any = false;

        for (size_t k = 0; (of = catalog_at(&s->models, k)) != NULL; k++) {
            cr_store_facts f;

            if (!live_facts(of, &f))
                continue;
            const double x[] = {(double)f.lessons,    (double)f.words,     (double)f.bytes,
                                (double)f.judged,     (double)f.right,     f.log_loss,
                                (double)f.good,       (double)f.good_lost, (double)f.spam,
                                (double)f.spam_passed};

            if (!any)
                head(b, known[i].name, "gauge", known[i].help);
            any = true;
            put_of_model(b, known[i].name, of, x[i]);
        }
    }
}

static void put_drift(buffer *b, const service *s)
{
    static const struct {
        const char *name, *help;
    } known[] = {
        {"credence_drift_rows", "Recent rows that were compared with the training data."},
        {"credence_drift_index", "Stability index of the feature that changed most."},
        {"credence_drift_features", "Features that changed moderately or strongly."},
        {"credence_drift_prior_index", "Stability index of the shares of the classes."},
    };
    slot *of;

    for (size_t i = 0; s->watch_drift && i < sizeof known / sizeof *known; i++) {
        head(b, known[i].name, "gauge", known[i].help);
        for (size_t k = 0; (of = catalog_at(&s->models, k)) != NULL; k++) {
            traffic_figures f;

            if (of->traffic == NULL)
                continue;
            traffic_get(of->traffic, &f);
            if (f.rows == 0)
                continue;
            const double x[] = {f.rows, f.index, f.drifted, f.prior_index};

            put_of_model(b, known[i].name, of, x[i]);
        }
    }
}

static double resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    long pages = 0;

    if (file == NULL)
        return 0;
    if (fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void put_process(buffer *b, const metrics *m)
{
    head(b, "credence_build_info", "gauge", "1, with the version of the program.");
    buffer_printf(b, "credence_build_info{version=\"%s\"} 1\n", cr_version());
    head(b, "credence_connections", "gauge", "Connections that are open.");
    buffer_printf(b, "credence_connections %ld\n", atomic_load(&m->connections));
    head(b, "credence_slow_clients_total", "counter",
         "Connections that were ended because a request did not arrive in time.");
    buffer_printf(b, "credence_slow_clients_total %llu\n", (unsigned long long)get(&m->slow));
    head(b, "process_resident_memory_bytes", "gauge", "Memory in use.");
    buffer_printf(b, "process_resident_memory_bytes %.0f\n", resident_bytes());
    head(b, "process_start_time_seconds", "gauge", "When the program was started.");
    buffer_printf(b, "process_start_time_seconds %.3f\n", m->started);
}

cr_status show_metrics(call *k)
{
    metrics *m = k->service->metrics;
    buffer *b = &k->answer->body;

    pthread_mutex_lock(&m->lock);
    put_process(b, m);
    put_requests(b, m);
    put_latencies(b, m);
    put_rows(b, k->service);
    pthread_mutex_unlock(&m->lock);
    put_lessons(b, k->service);
    put_stores(b, k->service);
    put_drift(b, k->service);
    k->answer->type = "text/plain; version=0.0.4; charset=utf-8";
    return CR_OK;
}
