/* serve/access_log.c - a line of JSON for each request. Lines are buffered. */
#include "access_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "request.h"

enum { GATHER = 1 << 16 };

static int open_log(const char *path)
{
    return strcmp(path, "-") == 0 ? STDERR_FILENO
                                  : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
}

cr_status access_log_open(access_log *log, const char *path, cr_error *err)
{
    *log = (access_log){.path = path, .fd = open_log(path)};
    pthread_mutex_init(&log->lock, NULL);
    return log->fd >= 0 ? CR_OK
                        : fail(err, CR_EIO, NULL, "cannot open %s: %s", path, strerror(errno));
}

/* The caller holds the lock. */
static void write_lines(access_log *log)
{
    const char *p = log->lines.bytes, *end = p + log->lines.size;

    while (p < end) {
        const ssize_t size = write(log->fd, p, (size_t)(end - p));

        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            break; /* a full disk must not prevent answers */
        p += size;
    }
    buffer_clear(&log->lines, 4 * GATHER);
}

/* A JSON string without its quotes: everything but plain ASCII is escaped byte by byte. */
static void add_text(buffer *b, const char *text)
{
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;

        if (c < 0x20 || c >= 0x7F || c == '"' || c == '\\')
            buffer_printf(b, "\\u%04x", c);
        else
            buffer_add(b, text, 1);
    }
}

void access_log_add(access_log *log, const log_entry *e)
{
    struct timespec now;
    struct tm day;
    char time[32];

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &day);
    strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%S", &day);
    pthread_mutex_lock(&log->lock);
    buffer_printf(&log->lines, "{\"time\": \"%s.%03ldZ\", \"client\": \"", time,
                  now.tv_nsec / 1000000);
    add_text(&log->lines, e->client);
    buffer_text(&log->lines, "\", \"who\": \"");
    add_text(&log->lines, e->who != NULL ? e->who : "");
    buffer_printf(&log->lines, "\", \"method\": \"%s\", \"target\": \"", e->method);
    add_text(&log->lines, e->target);
    buffer_printf(&log->lines,
                  "\", \"status\": %u, \"received\": %llu, \"sent\": %llu, \"rows\": %llu, "
                  "\"ms\": %.3f}\n",
                  e->status, e->bytes_in, e->bytes_out, e->rows, 1e3 * e->seconds);
    if (log->lines.size >= GATHER)
        write_lines(log);
    pthread_mutex_unlock(&log->lock);
}

void access_log_flush(access_log *log)
{
    pthread_mutex_lock(&log->lock);
    write_lines(log);
    pthread_mutex_unlock(&log->lock);
}

void access_log_reopen(access_log *log)
{
    int fd;

    pthread_mutex_lock(&log->lock);
    write_lines(log);
    if (log->fd != STDERR_FILENO && (fd = open_log(log->path)) >= 0) {
        close(log->fd);
        log->fd = fd;
    }
    pthread_mutex_unlock(&log->lock);
}

void access_log_close(access_log *log)
{
    access_log_flush(log);
    if (log->fd != STDERR_FILENO)
        close(log->fd);
    buffer_free(&log->lines);
    pthread_mutex_destroy(&log->lock);
}
