/* serve/access_log.h - a line of JSON for each request. */
#ifndef SERVE_ACCESS_LOG_H
#define SERVE_ACCESS_LOG_H

#include <pthread.h>

#include "buffer.h"
#include "credence/status.h"

typedef struct access_log {
    pthread_mutex_t lock;
    buffer lines;
    const char *path;
    int fd;
} access_log;

typedef struct log_entry {
    const char *client, *who, *method, *target;
    unsigned status;
    unsigned long long bytes_in, bytes_out, rows;
    double seconds;
} log_entry;

/* "-" is standard error. */
cr_status access_log_open(access_log *log, const char *path, cr_error *err);
void access_log_add(access_log *log, const log_entry *e);
void access_log_flush(access_log *log);  /* write the buffered lines */
void access_log_reopen(access_log *log); /* the file may have been renamed */
void access_log_close(access_log *log);

#endif
