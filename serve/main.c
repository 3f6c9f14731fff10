/* serve/main.c - credence-serve: models over HTTP. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "http.h"
#include "lessons.h"
#include "metrics.h"
#include "notify.h"
#include "options.h"
#include "traffic.h"

enum {
    EXIT_MISUSE = 2,
    EXIT_INPUT = 1,
    DRAIN_SECONDS = 30,
    CHECKPOINT_SECONDS = 5,
    COMPARE_SECONDS = 5
};

static int complain(const cr_error *err)
{
    char text[1200];

    fprintf(stderr, "credence serve: %s\n", cr_error_text(err, text, sizeof text));
    return err->code == CR_EARG ? EXIT_MISUSE : EXIT_INPUT;
}

static void tell(void *context, const slot *s, const char *what)
{
    char text[1200];

    (void)context;
    if (s->error.code != CR_OK)
        fprintf(stderr, "credence serve: %s: %s: %s\n", s->name, what,
                cr_error_text(&s->error, text, sizeof text));
    else
        fprintf(stderr, "credence serve: %s: %s\n", s->name, what);
}

/* A file as a text. Free it. */
static char *read_text(const char *path, cr_error *err)
{
    FILE *file = fopen(path, "re");
    char *text = file != NULL ? calloc(1, 1 << 20) : NULL;

    if (text == NULL)
        fail(err, CR_EIO, NULL, "cannot open %s: %s", path, strerror(errno));
    else
        (void)!fread(text, 1, (1 << 20) - 1, file);
    if (file != NULL)
        fclose(file);
    return text;
}

/* Everything the server needs, in the order of its creation. */
typedef struct program {
    options o;
    service service;
    tokens tokens;
    access_log log;
    listener listener;
    http *http;
    char *certificate, *key;
    bool has_models, has_log;
} program;

static cr_status open_models(program *p, cr_error *err)
{
    static char *here[] = {"."};
    const bool named = p->o.model_count > 0;
    cr_status status = catalog_open(&p->service.models, named ? p->o.models : here,
                                    named ? p->o.model_count : 1, err);
    slot *s;

    p->has_models = true;
    trainings_open(&p->service.trainings);
    if (status == CR_OK)
        status = metrics_open(&p->service, err);
    for (size_t i = 0; status == CR_OK && (s = catalog_at(&p->service.models, i)) != NULL; i++)
        if (s->error.code != CR_OK)
            tell(NULL, s, "cannot be read");
    p->service.learn = p->o.learn;
    p->service.watch_drift = p->o.drift;
    p->service.max_rows = p->o.max_rows;
    p->service.max_journal = p->o.max_journal;
    p->service.max_body = p->o.max_body;
    return status;
}

/* Replay the journals; a model without one gets it with its first lesson. */
static cr_status open_lessons(program *p, cr_error *err)
{
    cr_status status = CR_OK;
    slot *s;

    for (size_t i = 0; p->o.learn && (s = catalog_at(&p->service.models, i)) != NULL; i++)
        if (s->path != NULL && s->lessons == NULL && s->now != NULL && lessons_there(s) &&
            (status = lessons_open(&p->service, s, err)) != CR_OK) {
            fprintf(stderr, "credence serve: %s does not learn\n", s->name);
            return status;
        }
    return status;
}

/* Watch the requests for drift and compare them from time to time. */
static void watch(program *p, bool compare)
{
    slot *s;

    for (size_t i = 0; p->o.drift && (s = catalog_at(&p->service.models, i)) != NULL; i++) {
        if (s->traffic == NULL)
            s->traffic = traffic_new();
        if (compare)
            traffic_compare(s);
    }
}

static void checkpoint(program *p)
{
    cr_error err;
    slot *s;

    for (size_t i = 0; (s = catalog_at(&p->service.models, i)) != NULL; i++)
        if (s->lessons != NULL && lessons_checkpoint(s, &err) != CR_OK)
            complain(&err);
}

/* Listening beyond this machine requires a token or explicit consent. */
static cr_status check_access(const program *p, cr_error *err)
{
    if (p->listener.local || p->o.token_file != NULL || p->o.open)
        return CR_OK;
    return fail(err, CR_EARG, "--token-file FILE, or --open if everybody may ask",
                "%s can be reached from other machines", p->listener.address);
}

static void raise_limit(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

static cr_status open_program(program *p, cr_error *err)
{
    http_options h = {.threads = p->o.threads,
                      .max_connections = p->o.max_connections,
                      .max_body = p->o.max_body,
                      .timeout = p->o.timeout};
    cr_status status;

    raise_limit();
    if ((p->o.token_file != NULL &&
         (status = tokens_read(&p->tokens, p->o.token_file, err)) != CR_OK) ||
        (status = open_models(p, err)) != CR_OK ||
        (status = listener_open(&p->listener, p->o.listen, p->o.tls_cert != NULL, err)) != CR_OK ||
        (status = check_access(p, err)) != CR_OK)
        return status;
    if (p->o.tls_cert != NULL && ((p->certificate = read_text(p->o.tls_cert, err)) == NULL ||
                                  (p->key = read_text(p->o.tls_key, err)) == NULL))
        return CR_EIO;
    if (p->o.log != NULL) {
        if ((status = access_log_open(&p->log, p->o.log, err)) != CR_OK)
            return status;
        p->has_log = true;
        h.log = &p->log;
    }
    if ((status = cr_pool_new(&p->service.pool, 0, err)) != CR_OK)
        return status;
    if ((status = open_lessons(p, err)) != CR_OK)
        return status;
    watch(p, false);
    h.tokens = p->o.token_file != NULL ? &p->tokens : NULL;
    h.certificate = p->certificate;
    h.key = p->key;
    h.local = p->listener.local && !p->listener.by_path;
    return http_start(&p->http, &p->service, &h, &p->listener, err);
}

static void close_program(program *p)
{
    if (p->http != NULL)
        http_stop(p->http, DRAIN_SECONDS);
    listener_close(&p->listener);
    if (p->has_models) {
        slot *s;

        for (size_t i = 0; (s = catalog_at(&p->service.models, i)) != NULL; i++) {
            lessons_close(s);
            traffic_free(s->traffic);
        }
        catalog_close(&p->service.models);
        trainings_close(&p->service.trainings);
        metrics_close(&p->service);
    }
    cr_pool_free(p->service.pool);
    if (p->has_log)
        access_log_close(&p->log);
    tokens_free(&p->tokens);
    free(p->certificate);
    free(p->key);
}

/* Run until SIGTERM or SIGINT. */
static void serve(program *p, const sigset_t *signals)
{
    const struct timespec second = {1, 0};
    unsigned ticks = 0;
    cr_error err;

    for (;;) {
        const int s = sigtimedwait(signals, NULL, &second);

        if (s == SIGTERM || s == SIGINT)
            return;
        if (s == SIGHUP && p->has_log)
            access_log_reopen(&p->log);
        catalog_refresh(&p->service.models, tell, NULL);
        if (open_lessons(p, &err) != CR_OK)
            complain(&err);
        if (++ticks % CHECKPOINT_SECONDS == 0 || s == SIGHUP)
            checkpoint(p);
        watch(p, ticks % COMPARE_SECONDS == 0);
        http_tick(p->http);
    }
}

int main(int argc, char **argv)
{
    program p = {0};
    cr_error err = {0};
    sigset_t signals;
    int code = 0;

    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    if (options_read(&p.o, argc, argv, &err) != CR_OK)
        return complain(&err);
    if (p.o.help)
        options_help();
    else if (p.o.version)
        printf("credence %s\n", cr_version());
    if (p.o.help || p.o.version)
        return 0;
    if (open_program(&p, &err) == CR_OK) {
        printf("%s\n", p.listener.address);
        fflush(stdout);
        notify("READY=1");
        serve(&p, &signals);
        notify("STOPPING=1");
    } else {
        code = complain(&err);
    }
    close_program(&p);
    return code;
}
