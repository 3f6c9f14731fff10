/* serve/listen.c - the listening socket. */
#include "listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "request.h"

enum { BACKLOG = 4096 };

static bool is_loopback(const struct sockaddr *a)
{
    const struct sockaddr_in *four = (const void *)a;
    const struct sockaddr_in6 *six = (const void *)a;

    if (a->sa_family == AF_INET)
        return ntohl(four->sin_addr.s_addr) >> 24 == 127;
    return a->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

/* The address for people. */
static void describe(listener *l, bool tls)
{
    struct sockaddr_storage a;
    socklen_t size = sizeof a;
    char host[NI_MAXHOST] = "", port[NI_MAXSERV] = "";

    if (getsockname(l->fd, (struct sockaddr *)&a, &size) != 0)
        return;
    if (a.ss_family == AF_UNIX) {
        const struct sockaddr_un *u = (const void *)&a;

        l->local = l->by_path = true;
        snprintf(l->address, sizeof l->address, "unix:%.200s", u->sun_path);
        return;
    }
    l->local = is_loopback((const struct sockaddr *)&a);
    getnameinfo((const struct sockaddr *)&a, size, host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(l->address, sizeof l->address,
             a.ss_family == AF_INET6 ? "%s://[%.100s]:%s" : "%s://%.100s:%s",
             tls ? "https" : "http", host, port);
}

static cr_status open_path(listener *l, const char *path, cr_error *err)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    struct stat about;

    if (strlen(path) >= sizeof a.sun_path)
        return fail(err, CR_EARG, NULL, "the path of a socket has at most 107 bytes: %s", path);
    strcpy(a.sun_path, path);
    if (stat(path, &about) == 0 && S_ISSOCK(about.st_mode))
        unlink(path); /* left by a process that was killed */
    l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (l->fd < 0 || bind(l->fd, (const struct sockaddr *)&a, sizeof a) != 0 ||
        listen(l->fd, BACKLOG) != 0)
        return fail(err, CR_EIO, NULL, "cannot listen on %s: %s", path, strerror(errno));
    snprintf(l->path, sizeof l->path, "%s", path);
    return CR_OK;
}

static cr_status open_address(listener *l, const char *where, cr_error *err)
{
    const char *colon = strrchr(where, ':');
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *found = NULL;
    char host[256];
    const int on = 1;
    int code;

    if (colon == NULL || colon[1] == '\0')
        return fail(err, CR_EARG, "HOST:PORT or unix:PATH", "no place to listen on: %s", where);
    snprintf(host, sizeof host, "%.*s", (int)(colon - where - 2 * (*where == '[')),
             where + (*where == '['));
    if ((code = getaddrinfo(host[0] != '\0' ? host : NULL, colon + 1, &hints, &found)) != 0)
        return fail(err, CR_EARG, NULL, "cannot listen on %s: %s", where, gai_strerror(code));
    l->fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (l->fd >= 0)
        setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    code = l->fd < 0 || bind(l->fd, found->ai_addr, found->ai_addrlen) != 0 ||
           listen(l->fd, BACKLOG) != 0;
    freeaddrinfo(found);
    return code == 0 ? CR_OK
                     : fail(err, CR_EIO, NULL, "cannot listen on %s: %s", where, strerror(errno));
}

/* A socket from systemd (sd_listen_fds(3)): the first descriptor after the usual three. */
static bool take_over(listener *l)
{
    const char *process = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");

    if (process == NULL || count == NULL || strtol(process, NULL, 10) != (long)getpid() ||
        strtol(count, NULL, 10) < 1)
        return false;
    l->fd = 3;
    return true;
}

cr_status listener_open(listener *l, const char *where, bool tls, cr_error *err)
{
    cr_status status = CR_OK;

    *l = (listener){.fd = -1};
    if (!take_over(l))
        status = strncmp(where, "unix:", 5) == 0 ? open_path(l, where + 5, err)
                                                 : open_address(l, where, err);
    if (status == CR_OK)
        describe(l, tls);
    return status;
}

void listener_close(listener *l)
{
    if (l->path[0] != '\0')
        unlink(l->path);
    l->fd = -1;
}
