/* serve/http.h - the service over HTTP, by libmicrohttpd.
 *
 * Threads that wait for sockets (epoll) read requests and answer the quick ones themselves.
 * Requests that may take long are jobs: the connection sleeps while one of as many other threads
 * works, so that one client's large file does not delay another.
 */
#ifndef SERVE_HTTP_H
#define SERVE_HTTP_H

#include "access_log.h"
#include "listen.h"
#include "service.h"
#include "tokens.h"

typedef struct http_options {
    size_t threads; /* 0: one for each core */
    size_t max_connections, max_body;
    double timeout;                /* seconds for a request to arrive */
    const tokens *tokens;          /* NULL: no token is needed */
    const char *certificate, *key; /* PEM, or NULL */
    access_log *log;               /* or NULL */
    bool local; /* only this machine can connect: Host headers are checked, see http.c */
} http_options;

typedef struct http http;

/* Start to answer. The listener, the service and the data of the options must outlive it. */
cr_status http_start(http **out, service *s, const http_options *o, const listener *l,
                     cr_error *err);

/* Call it regularly: it disconnects clients that are too slow. */
void http_tick(http *h);

/* Accept no more connections, answer pending requests (for this many seconds at most), and end. */
void http_stop(http *h, double seconds);

#endif
