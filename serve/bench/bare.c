/* serve/bench/bare.c - a bare libmicrohttpd handler that answers with a constant: the baseline.
 *
 * Usage: bare PORT THREADS SIZE
 *
 * It discards the body of a request, and queues one response that was made once.
 */
#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct MHD_Response *constant;

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *bytes,
                              size_t *size, void **of)
{
    (void)context, (void)url, (void)method, (void)version, (void)bytes;
    if (*of == NULL) {
        *of = constant;
        return MHD_YES;
    }
    if (*size != 0) {
        *size = 0;
        return MHD_YES;
    }
    return MHD_queue_response(connection, MHD_HTTP_OK, constant);
}

int main(int argc, char **argv)
{
    const unsigned threads = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    const size_t size = argc > 3 ? (size_t)atoi(argv[3]) : 128;
    char *body = malloc(size);
    struct MHD_OptionItem more[] = {{MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)threads, NULL},
                                    {MHD_OPTION_END, 0, NULL}};
    struct MHD_Daemon *daemon;
    sigset_t signals;
    int signal;

    if (argc != 4 || body == NULL)
        return 2;
    memset(body, 'x', size);
    constant = MHD_create_response_from_buffer(size, body, MHD_RESPMEM_PERSISTENT);
    MHD_add_response_header(constant, "Content-Type", "application/json");
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, (uint16_t)atoi(argv[1]), NULL, NULL,
                              answer, NULL, MHD_OPTION_CONNECTION_LIMIT, 16384u, MHD_OPTION_ARRAY,
                              threads > 1 ? more : more + 1, MHD_OPTION_END);
    if (daemon == NULL)
        return 1;
    puts("ready");
    fflush(stdout);
    sigwait(&signals, &signal);
    MHD_stop_daemon(daemon);
    MHD_destroy_response(constant);
    free(body);
    return 0;
}
