/* serve/http.c - the service over HTTP. */
#include "http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "metrics.h"
#include "spool.h"
#include "stream.h"

enum {
    HEAD_LIMIT = 8 << 10,   /* bytes of a request's line and headers */
    IDLE_SECONDS = 120,     /* without traffic on a connection */
    JOB_BODY = 256 << 10,   /* larger bodies turn a quick request into a job */
    JOB_THREADS = 8,        /* at least, since they also wait for disks */
    JOBS_WAITING = 1024,    /* at most */
    SLOWEST_RATE = 16 << 10 /* bytes a second of a body, after the time allowed for every request */
};

typedef enum state { READING, REFUSED, WAITING, STREAMING, ANSWERED } state;

/* The data of one thread. */
typedef struct thread {
    worker *worker;
    struct exchange *free; /* for reuse */
    struct thread *next;
} thread;

/* One connection, as the check for slow clients sees it. */
typedef struct client {
    struct client *before, *after;
    struct MHD_Connection *connection;
    int fd;
    atomic_ulong requests;      /* begun or ended so far */
    _Atomic(double) body_since; /* when a body began to arrive; 0: none does */
    atomic_ulong body_bytes;
    unsigned long seen_requests; /* at the last check, */
    uint64_t seen_bytes;         /* bytes received by then, */
    double since;                /* and since when bytes arrive without a request; 0: none do */
    bool ended;
    char name[INET6_ADDRSTRLEN];
} client;

/* One request with its answer. */
typedef struct exchange {
    http *http;
    thread *thread;
    client *client;
    struct MHD_Connection *connection;
    char *target;
    size_t target_room;
    const char *method;
    request request;
    answer answer;
    buffer body; /* as it arrives, */
    spool large; /* or all of it */
    stream stream;
    struct MHD_Response *streamed;
    const route *route;
    state state;
    unsigned status; /* status sent */
    bool chunks;     /* the client accepts chunks */
    double began;
    uint64_t received, sent;
    uint64_t rows;
    struct exchange *next;
} exchange;

struct http {
    service *service;
    http_options o;
    struct MHD_Daemon *daemon;
    pthread_mutex_t lock; /* protects everything below */
    thread *threads;
    client *clients;
    pthread_cond_t job_there;
    exchange *first_job, *last_job;
    size_t jobs;
    pthread_t *job_thread;
    size_t job_threads;
    atomic_size_t busy; /* requests that have not been answered */
    bool ending;
};

static _Thread_local thread *mine;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- threads and exchanges -------------------------------------------------------------------- */

static thread *this_thread(http *h)
{
    thread *t = mine;

    if (t != NULL)
        return t;
    if ((t = calloc(1, sizeof *t)) == NULL || (t->worker = worker_new(h->service)) == NULL) {
        free(t);
        return NULL;
    }
    pthread_mutex_lock(&h->lock);
    t->next = h->threads;
    h->threads = t;
    pthread_mutex_unlock(&h->lock);
    return mine = t;
}

static void exchange_free(exchange *x)
{
    spool_close(&x->large);
    stream_free(&x->stream);
    answer_free(&x->answer);
    request_free(&x->request);
    buffer_free(&x->body);
    free(x->target);
    free(x);
}

/* The sender of a streamed answer sleeps until it is woken: see stream.h. */
static void let_sleep(void *context)
{
    MHD_suspend_connection(((exchange *)context)->connection);
}

static void let_wake(void *context)
{
    exchange *x = context;

    if (x->state == WAITING)
        x->state = STREAMING;
    MHD_resume_connection(x->connection);
}

static exchange *exchange_new(http *h)
{
    thread *t = this_thread(h);
    exchange *x = t != NULL ? t->free : NULL;
    cr_error err;

    if (x != NULL) {
        t->free = x->next;
        return x;
    }
    if (t == NULL || (x = calloc(1, sizeof *x)) == NULL)
        return NULL;
    x->http = h;
    x->thread = t;
    spool_init(&x->large);
    stream_init(&x->stream, let_wake, x);
    if (answer_new(&x->answer, &err) == CR_OK) {
        answer_clear(&x->answer);
        return x;
    }
    free(x);
    return NULL;
}

/* Return it to its thread's list: a connection stays with one thread. */
static void exchange_done(exchange *x)
{
    spool_close(&x->large);
    spool_close(&x->stream.file);
    buffer_clear(&x->body, JOB_BODY);
    answer_clear(&x->answer);
    x->next = x->thread->free;
    x->thread->free = x;
}

/* --- slow clients ----------------------------------------------------------------------------- */

/* Bytes received on a TCP socket since it was opened; 0 if unknown. */
static uint64_t arrived(int fd)
{
    struct tcp_info about;
    socklen_t size = sizeof about;

    memset(&about, 0, sizeof about);
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &about, &size) != 0)
        return 0;
    return about.tcpi_bytes_received;
}

/* A request, head and body, must arrive within some time after it began; a body may take longer, as
 * its bytes need at the slowest rate. A connection without traffic is idle, not slow. */
static bool too_slow(client *c, double time, double limit)
{
    const unsigned long requests = atomic_load(&c->requests);
    const double body = atomic_load(&c->body_since);
    const uint64_t bytes = arrived(c->fd);

    if (body > 0)
        return time > body + limit + (double)atomic_load(&c->body_bytes) / SLOWEST_RATE;
    if (requests != c->seen_requests || bytes == c->seen_bytes) {
        c->seen_requests = requests;
        c->seen_bytes = bytes;
        c->since = 0;
        return false;
    }
    if (c->since == 0)
        c->since = time;
    return time > c->since + limit;
}

void http_tick(http *h)
{
    const double time = now();

    pthread_mutex_lock(&h->lock);
    for (client *c = h->clients; c != NULL; c = c->after)
        if (!c->ended && too_slow(c, time, h->o.timeout)) {
            c->ended = true; /* its thread removes it later */
            shutdown(c->fd, SHUT_RDWR);
            metrics_slow(h->service);
        }
    pthread_mutex_unlock(&h->lock);
    if (h->o.log != NULL)
        access_log_flush(h->o.log);
}

static void describe_client(client *c, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *a =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *address = a != NULL ? a->client_addr : NULL;

    snprintf(c->name, sizeof c->name, "local");
    if (address != NULL && address->sa_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)address)->sin_addr, c->name,
                  sizeof c->name);
    else if (address != NULL && address->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr,
                  c->name, sizeof c->name);
}

static void client_came(http *h, struct MHD_Connection *connection, void **context)
{
    const union MHD_ConnectionInfo *fd =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    client *c = calloc(1, sizeof *c);

    *context = c;
    if (c == NULL)
        return;
    c->connection = connection;
    c->fd = fd != NULL ? (int)fd->connect_fd : -1;
    describe_client(c, connection);
    pthread_mutex_lock(&h->lock);
    c->after = h->clients;
    if (h->clients != NULL)
        h->clients->before = c;
    h->clients = c;
    pthread_mutex_unlock(&h->lock);
    metrics_connection(h->service, 1);
}

static void client_went(http *h, client *c)
{
    if (c == NULL)
        return;
    pthread_mutex_lock(&h->lock);
    if (c->before != NULL)
        c->before->after = c->after;
    else
        h->clients = c->after;
    if (c->after != NULL)
        c->after->before = c->before;
    pthread_mutex_unlock(&h->lock);
    free(c);
    metrics_connection(h->service, -1);
}

static void on_connection(void *context, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode what)
{
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        client_came(context, connection, socket_context);
    } else {
        client_went(context, *socket_context);
        *socket_context = NULL;
    }
}

/* --- headers ---------------------------------------------------------------------------------- */

typedef struct headers {
    const char *type, *accept, *authorization, *key, *match, *host, *origin, *length, *head;
} headers;

static enum MHD_Result take_header(void *context, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    static const struct {
        const char *name;
        size_t size, at;
    } known[] = {
        {"Host", 4, offsetof(headers, host)},
        {"Content-Type", 12, offsetof(headers, type)},
        {"Content-Length", 14, offsetof(headers, length)},
        {"Accept", 6, offsetof(headers, accept)},
        {"Authorization", 13, offsetof(headers, authorization)},
        {"Idempotency-Key", 15, offsetof(headers, key)},
        {"If-None-Match", 13, offsetof(headers, match)},
        {"Origin", 6, offsetof(headers, origin)},
        {"Inference-Header-Content-Length", 31, offsetof(headers, head)},
    };
    const size_t size = strlen(name);

    (void)kind;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (size == known[i].size && strcasecmp(name, known[i].name) == 0)
            *(const char **)(void *)((char *)context + known[i].at) = value;
    return MHD_YES;
}

/* Whether a Host header names only this machine. A foreign page may make a browser send requests
 * under its own name that resolves to 127.0.0.1: such requests are refused (DNS rebinding). */
static bool names_this_machine(const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};

    for (size_t i = 0; host != NULL && i < sizeof names / sizeof *names; i++) {
        const size_t size = strlen(names[i]);

        if (strncasecmp(host, names[i], size) == 0 && (host[size] == ':' || host[size] == '\0'))
            return true;
    }
    return false;
}

/* A browser sends the origin of the page; only pages of this server are accepted. */
static bool from_elsewhere(const headers *f)
{
    const char *host = f->origin != NULL ? strstr(f->origin, "://") : NULL;

    return f->origin != NULL && (host == NULL || f->host == NULL || strcmp(host + 3, f->host) != 0);
}

static bool may_ask(exchange *x, const headers *f)
{
    const http_options *o = &x->http->o;

    if (from_elsewhere(f)) {
        answer_refuse(&x->answer, 403, NULL, "requests of other sites' pages are not answered");
        return false;
    }
    if (o->tokens == NULL && o->local && f->host != NULL && !names_this_machine(f->host)) {
        answer_refuse(&x->answer, 403, "ask for localhost, or start the server with --token-file",
                      "the request is for the host '%.100s'", f->host);
        return false;
    }
    x->request.who = x->client != NULL ? x->client->name : "";
    if (o->tokens == NULL || (x->route != NULL && (x->route->flags & ROUTE_OPEN) != 0))
        return true;
    if ((x->request.who = tokens_check(o->tokens, f->authorization)) != NULL)
        return true;
    answer_refuse(&x->answer, 401, "Authorization: Bearer TOKEN",
                  f->authorization == NULL ? "a token is needed" : "the token is not known");
    return false;
}

static bool body_fits(exchange *x, const headers *f)
{
    const unsigned long long length = f->length != NULL ? strtoull(f->length, NULL, 10) : 0;

    if (length <= x->http->o.max_body)
        return true;
    answer_refuse(&x->answer, 413, "send it in parts", "the body has %llu bytes; %zu are allowed",
                  length, x->http->o.max_body);
    return false;
}

static request_method method_of(const char *method)
{
    return strcmp(method, "POST") == 0   ? METHOD_POST
           : strcmp(method, "GET") == 0  ? METHOD_GET
           : strcmp(method, "HEAD") == 0 ? METHOD_HEAD
                                         : METHOD_OTHER;
}

/* Everything that can be done before the body arrives. */
static void begin(exchange *x, struct MHD_Connection *connection, const char *method)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    headers f = {0};
    cr_error err;
    cr_status status;

    x->connection = connection;
    x->client = info != NULL ? info->socket_context : NULL;
    x->method = method;
    MHD_get_connection_values(connection, MHD_HEADER_KIND, take_header, &f);
    status = request_parse(&x->request, method_of(method), x->target, &err);
    x->request.type = media_of(f.type);
    x->request.accept = media_of(f.accept);
    x->request.key = f.key;
    x->request.match = f.match;
    x->request.head = f.head != NULL ? strtoull(f.head, NULL, 10) : 0;
    x->state = REFUSED;
    if (status != CR_OK)
        answer_fail(&x->answer, status, &err);
    else if ((x->route = service_route(&x->request, &x->answer)) != NULL && may_ask(x, &f) &&
             body_fits(x, &f))
        x->state = READING;
    if (x->client != NULL) {
        atomic_fetch_add(&x->client->requests, 1);
        atomic_store(&x->client->body_bytes, 0);
        atomic_store(&x->client->body_since, x->began);
    }
}

/* --- bodies ----------------------------------------------------------------------------------- */

/* Once the body is too large for memory, all of it goes to the file. */
static bool keep_large(exchange *x, const char *bytes, size_t size)
{
    if (x->large.fd < 0 && !spool_add(&x->large, x->body.bytes, x->body.size))
        return false;
    return spool_add(&x->large, bytes, size);
}

static void receive(exchange *x, const char *bytes, size_t size)
{
    x->received += size;
    if (x->client != NULL)
        atomic_store_explicit(&x->client->body_bytes, x->received, memory_order_relaxed);
    if (x->state != READING)
        return;
    if (x->received > x->http->o.max_body) {
        answer_refuse(&x->answer, 413, "send it in parts", "the body has more than %zu bytes",
                      x->http->o.max_body);
        x->state = REFUSED;
    } else if (x->received <= SPOOL_FROM) {
        buffer_add(&x->body, bytes, size);
    } else if (!keep_large(x, bytes, size)) {
        answer_refuse(&x->answer, 507, "TMPDIR names the folder for large bodies",
                      "there is no room for the body: %s", strerror(errno));
        x->state = REFUSED;
    }
}

/* The body is complete: in memory, or as a mapped file. */
static bool body_there(exchange *x)
{
    const bool large = x->large.fd >= 0;

    x->request.body = large ? spool_map(&x->large) : x->body.bytes;
    x->request.size = x->received;
    x->request.large = large ? &x->large : NULL;
    return !x->body.failed && (!large || x->request.body != NULL);
}

/* --- jobs ------------------------------------------------------------------------------------- */

static bool is_job(const exchange *x)
{
    return (x->route->flags & ROUTE_JOB) != 0 || x->received > JOB_BODY;
}

/* Suspend the connection until a thread has done the job. */
static bool enqueue(exchange *x)
{
    http *h = x->http;
    bool taken;

    pthread_mutex_lock(&h->lock);
    taken = h->jobs < JOBS_WAITING && !h->ending;
    if (taken) {
        MHD_suspend_connection(x->connection);
        x->state = WAITING;
        x->next = NULL;
        if (h->last_job != NULL)
            h->last_job->next = x;
        else
            h->first_job = x;
        h->last_job = x;
        h->jobs++;
        pthread_cond_signal(&h->job_there);
    }
    pthread_mutex_unlock(&h->lock);
    return taken;
}

/* Send the answer so far while the rest is written. */
static cr_status flow(void *context, answer *a)
{
    const cr_status status = stream_write(context, a->body.bytes, a->body.size);

    a->body.size = 0;
    return status;
}

static void do_job(exchange *x, worker *w)
{
    stream_open(&x->stream);
    x->answer.flow = x->chunks ? flow : NULL;
    x->answer.flow_context = &x->stream;
    service_answer(x->http->service, w, x->route, &x->request, &x->answer);
    x->rows = w->answered_rows;
    x->answer.flow = NULL;
    if (!x->stream.begun) {
        x->stream.open = false;
        x->state = ANSWERED;
        MHD_resume_connection(x->connection);
    } else if (stream_end(&x->stream, x->answer.status < 400)) {
        exchange_free(x); /* the client and its connection are gone */
    }
}

static void *do_jobs(void *context)
{
    http *h = context;
    worker *w = worker_new(h->service);

    pthread_mutex_lock(&h->lock);
    while (w != NULL) {
        exchange *x = h->first_job;

        if (x == NULL && h->ending)
            break;
        if (x == NULL) {
            pthread_cond_wait(&h->job_there, &h->lock);
            continue;
        }
        h->first_job = x->next;
        if (h->first_job == NULL)
            h->last_job = NULL;
        h->jobs--;
        pthread_mutex_unlock(&h->lock);
        do_job(x, w);
        pthread_mutex_lock(&h->lock);
    }
    pthread_mutex_unlock(&h->lock);
    worker_free(w);
    return NULL;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* Pages may load only resources of this server, and run no inline script. */
#define PAGE_POLICY                                                                                \
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "        \
    "connect-src 'self'; font-src 'self'; frame-src 'self'; manifest-src 'self'; "                 \
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
/* Pictures and reports contain their own style, and run no scripts. */
#define PICTURE_POLICY "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"

static void add_headers(exchange *x, struct MHD_Response *response)
{
    answer *a = &x->answer;
    const unsigned status = x->status;
    const bool page = a->fixed != NULL || status == 304;
    char disposition[300];

    MHD_add_response_header(response, "Content-Type", a->type);
    if (x->state == STREAMING) /* they are known when it ends */
        MHD_add_response_header(response, "Trailer", "Credence-Note");
    else if (a->notes.size > 0)
        MHD_add_response_header(response, "Credence-Note", buffer_string(&x->answer.notes));
    if (a->type == (const char *)TYPE_JSON && status == 200)
        return;
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Content-Security-Policy",
                            page ? PAGE_POLICY : PICTURE_POLICY);
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    if (a->etag != NULL) {
        MHD_add_response_header(response, "ETag", a->etag);
        MHD_add_response_header(response, "Cache-Control", "no-cache");
    }
    if (a->name.size > 0) {
        snprintf(disposition, sizeof disposition, "attachment; filename=\"%.250s\"",
                 buffer_string(&a->name));
        MHD_add_response_header(response, "Content-Disposition", disposition);
    }
    if (status == 401)
        MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    if (status == 503)
        MHD_add_response_header(response, "Retry-After", "1");
}

static struct MHD_Response *make_response(exchange *x)
{
    answer *a = &x->answer;
    void *bytes = a->body.bytes;
    size_t size = a->body.size;

    if (a->fixed != NULL)
        return MHD_create_response_from_buffer(a->fixed_size, (void *)a->fixed,
                                               MHD_RESPMEM_PERSISTENT);
    if (size < JOB_BODY)
        return MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_MUST_COPY);
    a->body = (buffer){0};
    return MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_MUST_FREE);
}

static ssize_t send_more(void *context, uint64_t at, char *bytes, size_t most)
{
    exchange *x = context;
    const ssize_t got = stream_read(&x->stream, at, bytes, most, let_sleep);

    if (got == STREAM_WAIT)
        return 0;
    if (got == STREAM_CUT) {
        x->status = x->answer.status;
        return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    if (got > 0)
        x->sent += (uint64_t)got;
    else if (x->answer.notes.size > 0)
        MHD_add_response_footer(x->streamed, "Credence-Note", buffer_string(&x->answer.notes));
    return got > 0 ? got : MHD_CONTENT_READER_END_OF_STREAM;
}

/* Send in chunks. The first ones exist; the writer still writes the rest. */
static enum MHD_Result respond_streaming(exchange *x, struct MHD_Connection *connection)
{
    enum MHD_Result result;

    x->status = 200;
    x->streamed = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, JOB_BODY, send_more, x, NULL);
    if (x->streamed == NULL)
        return MHD_NO;
    add_headers(x, x->streamed);
    result = MHD_queue_response(connection, x->status, x->streamed);
    MHD_destroy_response(x->streamed); /* the connection owns it */
    return result;
}

static enum MHD_Result respond(exchange *x, struct MHD_Connection *connection)
{
    struct MHD_Response *response;
    enum MHD_Result result;

    x->status = x->answer.status;
    x->sent = x->answer.fixed != NULL ? x->answer.fixed_size : x->answer.body.size;
    if ((response = make_response(x)) == NULL)
        return MHD_NO;
    add_headers(x, response);
    result = MHD_queue_response(connection, x->answer.status, response);
    MHD_destroy_response(response);
    return result;
}

/* --- what libmicrohttpd calls ----------------------------------------------------------------- */

/* Called first for each request. */
static void *on_target(void *context, const char *target, struct MHD_Connection *connection)
{
    http *h = context;
    exchange *x = exchange_new(h);
    const size_t size = strlen(target) + 1;

    (void)connection;
    if (x == NULL)
        return NULL;
    if (x->target_room < size) {
        char *room = realloc(x->target, size + 128);

        if (room == NULL) {
            exchange_done(x);
            return NULL;
        }
        x->target = room;
        x->target_room = size + 128;
    }
    memcpy(x->target, target, size);
    x->connection = NULL;
    x->client = NULL;
    x->route = NULL;
    x->method = "";
    x->state = READING;
    x->received = x->sent = x->rows = 0;
    x->status = 0;
    x->began = now();
    atomic_fetch_add_explicit(&h->busy, 1, memory_order_relaxed);
    return x;
}

static enum MHD_Result answer_now(exchange *x, struct MHD_Connection *connection)
{
    worker *w = x->thread->worker;

    if (x->client != NULL)
        atomic_store_explicit(&x->client->body_since, 0, memory_order_relaxed);
    if (x->state == READING && !body_there(x)) {
        answer_refuse(&x->answer, 503, NULL, "out of memory");
        x->state = REFUSED;
    }
    if (x->state == READING && is_job(x)) {
        if (enqueue(x))
            return MHD_YES;
        answer_refuse(&x->answer, 503, "ask again later", "too many requests are waiting");
        x->state = REFUSED;
    }
    if (x->state == READING) {
        service_answer(x->http->service, w, x->route, &x->request, &x->answer);
        x->rows = w->answered_rows;
        x->state = ANSWERED;
    }
    return respond(x, connection);
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *bytes,
                                  size_t *size, void **of)
{
    exchange *x = *of;

    (void)context, (void)url;
    if (x == NULL)
        return MHD_NO;
    if (x->connection == NULL) {
        x->chunks = strcmp(version, MHD_HTTP_VERSION_1_1) == 0;
        begin(x, connection, method);
        return x->state == REFUSED ? respond(x, connection) : MHD_YES;
    }
    if (*size != 0) {
        receive(x, bytes, *size);
        *size = 0;
        return x->received > 2 * x->http->o.max_body ? MHD_NO : MHD_YES;
    }
    if (x->state == STREAMING)
        return respond_streaming(x, connection);
    return x->state == WAITING ? MHD_YES : answer_now(x, connection);
}

static void on_done(void *context, struct MHD_Connection *connection, void **of,
                    enum MHD_RequestTerminationCode how)
{
    http *h = context;
    exchange *x = *of;
    double seconds;
    bool written;

    (void)connection, (void)how;
    if (x == NULL)
        return;
    *of = NULL;
    written = x->state != STREAMING || stream_ended(&x->stream);
    seconds = now() - x->began;
    if (x->client != NULL) {
        atomic_fetch_add_explicit(&x->client->requests, 1, memory_order_relaxed);
        atomic_store_explicit(&x->client->body_since, 0, memory_order_relaxed);
    }
    metrics_request(x->thread->worker, x->route, x->status, seconds);
    if (h->o.log != NULL) {
        const log_entry e = {.client = x->client != NULL ? x->client->name : "",
                             .who = x->request.who,
                             .method = x->method,
                             .target = x->target,
                             .status = x->status,
                             .bytes_in = x->received,
                             .bytes_out = x->sent,
                             .rows = written ? x->rows : 0,
                             .seconds = seconds};

        access_log_add(h->o.log, &e);
    }
    if (x->state != STREAMING || !stream_leave(&x->stream))
        exchange_done(x); /* else the writer frees it, perhaps at once */
    atomic_fetch_sub_explicit(&h->busy, 1, memory_order_relaxed);
}

/* --- start and stop --------------------------------------------------------------------------- */

static cr_status start_jobs(http *h, size_t threads, cr_error *err)
{
    if ((h->job_thread = calloc(threads, sizeof *h->job_thread)) == NULL)
        return fail(err, CR_ENOMEM, NULL, "out of memory");
    while (h->job_threads < threads &&
           pthread_create(&h->job_thread[h->job_threads], NULL, do_jobs, h) == 0)
        h->job_threads++;
    return h->job_threads > 0 ? CR_OK : fail(err, CR_ENOMEM, NULL, "no thread can be made");
}

static void end_jobs(http *h)
{
    pthread_mutex_lock(&h->lock);
    h->ending = true;
    pthread_cond_broadcast(&h->job_there);
    pthread_mutex_unlock(&h->lock);
    for (size_t i = 0; i < h->job_threads; i++)
        pthread_join(h->job_thread[i], NULL);
    free(h->job_thread);
}

static struct MHD_Daemon *start_daemon(http *h, const listener *l, size_t threads)
{
    const http_options *o = &h->o;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC;
    struct MHD_OptionItem more[4];
    size_t n = 0;

    if (threads > 1)
        more[n++] = (struct MHD_OptionItem){MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)threads, NULL};
    if (o->certificate != NULL) {
        flags |= MHD_USE_TLS;
        more[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)o->certificate};
        more[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)o->key};
    }
    more[n] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
    return MHD_start_daemon(
        flags, 0, NULL, NULL, on_request, h, MHD_OPTION_LISTEN_SOCKET, (MHD_socket)l->fd,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)o->max_connections,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_LIMIT, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)(IDLE_SECONDS + o->timeout), MHD_OPTION_URI_LOG_CALLBACK, on_target, h,
        MHD_OPTION_NOTIFY_COMPLETED, on_done, h, MHD_OPTION_NOTIFY_CONNECTION, on_connection, h,
        MHD_OPTION_ARRAY, more, MHD_OPTION_END);
}

static void http_free(http *h)
{
    for (thread *t = h->threads, *next; t != NULL; t = next) {
        next = t->next;
        for (exchange *x = t->free, *other; x != NULL; x = other) {
            other = x->next;
            exchange_free(x);
        }
        worker_free(t->worker);
        free(t);
    }
    pthread_cond_destroy(&h->job_there);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

cr_status http_start(http **out, service *s, const http_options *o, const listener *l,
                     cr_error *err)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t threads = o->threads != 0 ? o->threads : cores > 0 ? (size_t)cores : 1;
    http *h = calloc(1, sizeof *h);
    cr_status status;

    *out = NULL;
    if (h == NULL)
        return fail(err, CR_ENOMEM, NULL, "out of memory");
    h->service = s;
    h->o = *o;
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->job_there, NULL);
    status = start_jobs(h, threads < JOB_THREADS ? JOB_THREADS : threads, err);
    if (status == CR_OK && (h->daemon = start_daemon(h, l, threads)) == NULL)
        status =
            fail(err, CR_EIO, o->certificate != NULL ? "look at the certificate and its key" : NULL,
                 "the server cannot be started: %s", strerror(errno));
    if (status == CR_OK) {
        *out = h;
        return CR_OK;
    }
    end_jobs(h);
    http_free(h);
    return status;
}

void http_stop(http *h, double seconds)
{
    const double until = now() + seconds;
    const MHD_socket fd = MHD_quiesce_daemon(h->daemon);

    while (atomic_load(&h->busy) > 0 && now() < until)
        usleep(5000);
    end_jobs(h);
    MHD_stop_daemon(h->daemon);
    if (fd != MHD_INVALID_SOCKET)
        close(fd);
    http_free(h);
}
