/* tests/support/team.c - members are threads, and a socket leads from each to each. */
#include "support/team.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct member {
    cr_team team;
    int *wire; /* [members * members * 2]: from, to, end */
    void (*work)(void *context, const cr_team *team);
    void *context;
} member;

static cr_status move_bytes(ssize_t (*move)(int, void *, size_t), int fd, void *bytes, size_t size)
{
    char *at = bytes;

    while (size > 0) {
        const ssize_t done = move(fd, at, size);

        if (done <= 0)
            return CR_EIO;
        at += done;
        size -= (size_t)done;
    }
    return CR_OK;
}

static ssize_t put(int fd, void *bytes, size_t size)
{
    return write(fd, bytes, size);
}

static int *wire_of(const member *m, int from, int to)
{
    return m->wire + 2 * (from * m->team.ranks + to);
}

static cr_status send_bytes(void *context, int to, const void *bytes, size_t size, cr_error *err)
{
    const member *m = context;

    (void)err;
    return move_bytes(put, wire_of(m, m->team.rank, to)[0], (void *)bytes, size);
}

static cr_status receive_bytes(void *context, int from, void *bytes, size_t size, cr_error *err)
{
    const member *m = context;

    (void)err;
    return move_bytes(read, wire_of(m, from, m->team.rank)[1], bytes, size);
}

static void *live(void *context)
{
    member *m = context;

    m->work(m->context, &m->team);
    return NULL;
}

void run_team(int members, void (*work)(void *context, const cr_team *team), void *context)
{
    const size_t wires = 2 * (size_t)members * (size_t)members;
    int *wire = malloc(wires * sizeof *wire);
    member *m = calloc((size_t)members, sizeof *m);
    pthread_t *thread = malloc((size_t)members * sizeof *thread);

    for (size_t i = 0; i < wires; i += 2)
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, wire + i) != 0)
            abort();
    for (int r = 0; r < members; r++) {
        m[r] = (member){.wire = wire, .work = work, .context = context};
        m[r].team = (cr_team){.size = sizeof m[r].team,
                              .rank = r,
                              .ranks = members,
                              .send = send_bytes,
                              .receive = receive_bytes,
                              .context = &m[r]};
        if (pthread_create(&thread[r], NULL, live, &m[r]) != 0)
            abort();
    }
    for (int r = 0; r < members; r++)
        pthread_join(thread[r], NULL);
    for (size_t i = 0; i < wires; i++)
        close(wire[i]);
    free(thread);
    free(wire);
    free(m);
}
