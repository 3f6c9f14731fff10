/* serve/bench/pace.c - a fixed rate of requests, and the latency of their answers.
 *
 * Usage: pace PORT PATH BODY RATE SECONDS
 *
 * Requests become due at even intervals, whether earlier ones have been answered or not, and the
 * time of an answer counts from when its request was due: a server that stands still for a moment
 * has all requests of that moment counted against it. Prints the number of answers, those that were
 * not 200, and the 50th, 99th and 99.9th percentiles and the largest time in milliseconds.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS = 16, HEAD = 4096, REQUEST = 1 << 16 };

typedef struct connection {
    double due; /* when its request was due; 0: it is free */
    size_t size;
    char answer[HEAD];
} connection;

static struct pollfd polled[CONNECTIONS];
static connection all[CONNECTIONS];
static double *took;
static size_t answers, wrong;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int connect_all(int port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    const int yes = 1;

    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (size_t i = 0; i < CONNECTIONS; i++) {
        polled[i] = (struct pollfd){.fd = socket(AF_INET, SOCK_STREAM, 0), .events = POLLIN};
        if (connect(polled[i].fd, (const struct sockaddr *)&a, sizeof a) != 0)
            return -1;
        setsockopt(polled[i].fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    }
    return 0;
}

/* Whether an answer is complete. */
static int is_whole(const connection *c)
{
    const char *end = strstr(c->answer, "\r\n\r\n");
    const char *length = end != NULL ? strstr(c->answer, "Content-Length: ") : NULL;

    return length != NULL &&
           c->size >= (size_t)(end + 4 - c->answer) + strtoul(length + 16, NULL, 10);
}

static int receive(size_t i)
{
    connection *c = &all[i];
    const ssize_t got = recv(polled[i].fd, c->answer + c->size, HEAD - 1 - c->size, 0);

    if (got <= 0)
        return -1;
    c->size += (size_t)got;
    c->answer[c->size] = '\0';
    if (!is_whole(c))
        return 0;
    wrong += strncmp(c->answer, "HTTP/1.1 200 ", 13) != 0;
    took[answers++] = now() - c->due;
    c->due = 0;
    c->size = 0;
    return 0;
}

static int by_size(const void *pa, const void *pb)
{
    const double a = *(const double *)pa, b = *(const double *)pb;

    return a < b ? -1 : a > b;
}

/* Send what is due on connections that are free; returns when the next one is due. */
static double send_due(double start, double rate, size_t total, size_t *sent, const char *request,
                       size_t size)
{
    for (size_t i = 0; i < CONNECTIONS && *sent < total; i++) {
        const double due = start + (double)*sent / rate;

        if (due > now())
            return due;
        if (all[i].due != 0)
            continue;
        all[i].due = due;
        (void)!send(polled[i].fd, request, size, MSG_NOSIGNAL);
        ++*sent;
    }
    return start + (double)*sent / rate;
}

static int run(const char *request, size_t size, double rate, size_t total)
{
    const double start = now();
    size_t sent = 0;

    while (answers < total) {
        const double wait = send_due(start, rate, total, &sent, request, size) - now();
        const struct timespec pause = {0, wait > 0 ? (long)(1e9 * (wait < 0.5 ? wait : 0.5)) : 0};

        if (ppoll(polled, CONNECTIONS, sent < total ? &pause : NULL, NULL) < 0)
            return -1;
        for (size_t i = 0; i < CONNECTIONS; i++)
            if (polled[i].revents != 0 && receive(i) != 0)
                return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static char request[REQUEST];
    const double rate = argc == 6 ? atof(argv[4]) : 0;
    const size_t total = argc == 6 ? (size_t)(rate * atof(argv[5])) : 0;
    int size;

    if (total == 0 || (took = calloc(total, sizeof *took)) == NULL)
        return 2;
    size = snprintf(request, sizeof request,
                    "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    "Content-Length: %zu\r\n\r\n%s",
                    argv[2], strlen(argv[3]), argv[3]);
    if (size >= REQUEST || connect_all(atoi(argv[1])) != 0 ||
        run(request, (size_t)size, rate, total) != 0) {
        perror("pace");
        return 1;
    }
    qsort(took, answers, sizeof *took, by_size);
    printf("%zu %zu %.3f %.3f %.3f %.3f\n", answers, wrong, 1e3 * took[answers / 2],
           1e3 * took[answers * 99 / 100], 1e3 * took[answers * 999 / 1000],
           1e3 * took[answers - 1]);
    return 0;
}
