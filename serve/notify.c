/* serve/notify.c - one datagram to the socket that $NOTIFY_SOCKET names. */
#include "notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void notify(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int fd;

    if (path == NULL || (*path != '/' && *path != '@') || strlen(path) >= sizeof a.sun_path)
        return;
    strcpy(a.sun_path, path);
    if (*path == '@')
        a.sun_path[0] = '\0'; /* an abstract socket */
    if ((fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) < 0)
        return;
    (void)!sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&a,
                  (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path)));
    close(fd);
}
