/* serve/bench/clients.c - many mostly idle connections to a server.
 *
 * Usage: clients PORT COUNT SLOW
 *
 * With SLOW 0 they are idle; with 1 each sends one byte of a request's head a second. "ready" is
 * printed when all are connected. It runs until it is killed.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static const char head[] = "GET /models HTTP/1.1\r\nHost: localhost\r\nX-Slow: ";
    struct sockaddr_in a = {.sin_family = AF_INET};
    const struct rlimit files = {30000, 30000};
    const size_t count = argc > 2 ? (size_t)atoi(argv[2]) : 0;
    int *fd = calloc(count + 1, sizeof *fd);

    if (argc != 4 || fd == NULL)
        return 2;
    setrlimit(RLIMIT_NOFILE, &files);
    a.sin_port = htons((uint16_t)atoi(argv[1]));
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (size_t i = 0; i < count; i++) {
        fd[i] = socket(AF_INET, SOCK_STREAM, 0);
        if (fd[i] < 0 || connect(fd[i], (const struct sockaddr *)&a, sizeof a) != 0) {
            perror("clients");
            return 1;
        }
    }
    puts("ready");
    fflush(stdout);
    for (size_t byte = 0;; byte++) {
        for (size_t i = 0; argv[3][0] == '1' && i < count; i++)
            (void)!send(fd[i], byte < sizeof head - 1 ? &head[byte] : "x", 1, MSG_NOSIGNAL);
        sleep(1);
    }
}
