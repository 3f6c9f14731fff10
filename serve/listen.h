/* serve/listen.h - the listening socket: made here, or passed by systemd. */
#ifndef SERVE_LISTEN_H
#define SERVE_LISTEN_H

#include <stdbool.h>

#include "credence/status.h"

typedef struct listener {
    int fd;
    bool local;        /* only this machine can reach it */
    bool by_path;      /* a socket in the file system */
    char address[256]; /* for people: "http://127.0.0.1:8750", with the actual port */
    char path[108];    /* to be removed at the end, or "" */
} listener;

/* "HOST:PORT", "[::1]:PORT", ":PORT", "unix:PATH". */
cr_status listener_open(listener *l, const char *where, bool tls, cr_error *err);
void listener_close(listener *l);

#endif
