/* store/queue.c - where processes that want to teach the same store at the same time meet.
 *
 * The file: a head with the number of its layout, then the places, then the room for their lessons.
 * Zeros are an empty queue. Everything that is read may be of a process that was killed in the
 * middle of it, or be overwritten meanwhile by one that has just taken the place: a lesson carries
 * a checksum that includes its ticket, and a reply names the ticket that it is for, in one word.
 *
 * Locks of bytes of the file: byte 0 of whoever leads, byte 1 while the file is made, and one for
 * each place.
 */
#include "store/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/memory.h"

enum {
    LAYOUT = 1,
    LEADER = 0,
    MAKER = 1,
    FIRST_PLACE = 2, /* their bytes */
    NONE = CR__QUEUE_PLACES,
    REPLY_BITS = 2,
    SLEEP = 20000000 /* nanoseconds: who leads may be killed */
};

typedef struct place {
    sem_t wake;
    _Atomic uint64_t ticket; /* of the lesson posted, or 0 */
    _Atomic uint64_t reply;  /* a ticket << REPLY_BITS | a cr__reply */
    uint64_t rows, unlabelled, passes;
    uint64_t checksum;
    uint64_t size;
} place;

typedef struct file {
    _Atomic uint64_t layout;
    place place[CR__QUEUE_PLACES];
    char room[CR__QUEUE_PLACES][CR__QUEUE_ROOM];
} file;

struct cr__queue {
    int fd;
    file *file;
    size_t own;      /* place, or NONE */
    uint64_t ticket; /* the last */
};

/* --- the file --------------------------------------------------------------------------------- */

static int lock(int fd, short type, off_t byte, int wait)
{
    struct flock l = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    int result;

    do
        result = fcntl(fd, wait ? F_SETLKW : F_SETLK, &l);
    while (result != 0 && wait && errno == EINTR);
    return result == 0;
}

static int has_size(int fd)
{
    struct stat about;

    return fstat(fd, &about) == 0 && about.st_size == (off_t)sizeof(file);
}

/* Its blocks are reserved at once: a full disk must be found here, not by a page that cannot be
 * written. The layout makes it valid. */
static int make(int fd)
{
    const uint64_t layout = LAYOUT;
    int made;

    if (!lock(fd, F_WRLCK, MAKER, 1))
        return 0;
    made = has_size(fd) ||
           (ftruncate(fd, 0) == 0 && posix_fallocate(fd, 0, (off_t)sizeof(file)) == 0 &&
            pwrite(fd, &layout, sizeof layout, 0) == (ssize_t)sizeof layout);
    if (!made && ftruncate(fd, 0) != 0)
        made = 0; /* the next one makes it */
    lock(fd, F_UNLCK, MAKER, 1);
    return made;
}

static file *map(int fd)
{
    file *f = mmap(NULL, sizeof *f, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    return f == MAP_FAILED ? NULL : f;
}

/* A link is not followed: what it leads to would be emptied when it has another size. */
cr__queue *cr__queue_open(const char *folder)
{
    cr__queue *q = cr__alloc(1, sizeof *q);
    char path[4096];

    if (q == NULL)
        return NULL;
    *q = (cr__queue){.fd = -1, .own = NONE};
    if ((size_t)snprintf(path, sizeof path, "%s/queue", folder) < sizeof path &&
        (q->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)) >= 0 &&
        (has_size(q->fd) || make(q->fd)) && (q->file = map(q->fd)) != NULL &&
        atomic_load(&q->file->layout) == LAYOUT)
        return q;
    cr__queue_close(q);
    return NULL;
}

void cr__queue_close(cr__queue *q)
{
    if (q == NULL)
        return;
    cr__queue_withdraw(q);
    if (q->file != NULL)
        munmap(q->file, sizeof *q->file);
    if (q->fd >= 0)
        close(q->fd); /* and with it all locks */
    cr__free(q);
}

/* --- who waits -------------------------------------------------------------------------------- */

static uint64_t checksum(uint64_t ticket, const void *lesson, size_t size)
{
    return XXH3_64bits_withSeed(lesson, size, ticket);
}

/* A place of its own, and tickets that nobody else has. */
static int take_place(cr__queue *q)
{
    if (q->own != NONE)
        return 1;
    if (getrandom(&q->ticket, sizeof q->ticket, 0) != (ssize_t)sizeof q->ticket)
        return 0;
    q->ticket >>= REPLY_BITS;
    for (size_t i = 0; i < CR__QUEUE_PLACES; i++)
        if (lock(q->fd, F_WRLCK, FIRST_PLACE + (off_t)i, 0)) {
            place *p = &q->file->place[i];

            atomic_store(&p->ticket, 0);
            atomic_store(&p->reply, 0);
            if (sem_init(&p->wake, 1, 0) != 0)
                return 0;
            q->own = i;
            return 1;
        }
    return 0;
}

int cr__queue_post(cr__queue *q, const void *lesson, size_t size)
{
    place *p;

    if (size > CR__QUEUE_ROOM || !take_place(q))
        return 0;
    q->ticket = (q->ticket + 1) & (UINT64_MAX >> REPLY_BITS);
    q->ticket += q->ticket == 0;
    p = &q->file->place[q->own];
    memcpy(q->file->room[q->own], lesson, size);
    p->size = size;
    p->checksum = checksum(q->ticket, lesson, size);
    atomic_store(&p->reply, 0);
    atomic_store(&p->ticket, q->ticket);
    return 1;
}

uint64_t cr__queue_ticket(const cr__queue *q)
{
    return q->own == NONE ? 0 : atomic_load(&q->file->place[q->own].ticket);
}

cr__reply cr__queue_reply(const cr__queue *q, cr_tally *tally)
{
    const place *p = &q->file->place[q->own];
    const uint64_t reply = atomic_load(&p->reply);

    if (reply >> REPLY_BITS != q->ticket)
        return CR__REPLY_NONE;
    *tally = (cr_tally){.rows = p->rows, .unlabelled = p->unlabelled, .passes = p->passes};
    return (cr__reply)(reply & ((1U << REPLY_BITS) - 1));
}

void cr__queue_withdraw(cr__queue *q)
{
    if (q->own != NONE)
        atomic_store(&q->file->place[q->own].ticket, 0);
}

void cr__queue_sleep(cr__queue *q)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += SLEEP;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    sem_timedwait(&q->file->place[q->own].wake, &until);
}

/* --- who leads -------------------------------------------------------------------------------- */

/* Whether a lesson waits for its reply there. */
static int waits(const place *p, uint64_t ticket)
{
    return ticket != 0 && atomic_load(&p->ticket) == ticket &&
           atomic_load(&p->reply) >> REPLY_BITS != ticket;
}

static int lives(const cr__queue *q, size_t at)
{
    struct flock l = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = FIRST_PLACE + (off_t)at, .l_len = 1};

    return fcntl(q->fd, F_GETLK, &l) == 0 && l.l_type != F_UNLCK;
}

int cr__queue_lead(cr__queue *q)
{
    return lock(q->fd, F_WRLCK, LEADER, 0);
}

void cr__queue_resign(cr__queue *q)
{
    lock(q->fd, F_UNLCK, LEADER, 0);
    for (size_t i = 0; i < CR__QUEUE_PLACES; i++) {
        place *p = &q->file->place[i];

        if (i != q->own && waits(p, atomic_load(&p->ticket)) && lives(q, i)) {
            sem_post(&p->wake);
            return;
        }
    }
}

int cr__queue_take(const cr__queue *q, size_t at, cr__posted *out)
{
    const place *p = &q->file->place[at];
    const uint64_t ticket = atomic_load(&p->ticket);

    if (at == q->own || !waits(p, ticket) || !lives(q, at))
        return 0;
    out->ticket = ticket;
    out->place = at;
    if ((out->size = p->size) > CR__QUEUE_ROOM)
        return 0;
    memcpy(out->lesson, q->file->room[at], out->size);
    return checksum(ticket, out->lesson, out->size) == p->checksum;
}

size_t cr__queue_find(const cr__queue *q, uint64_t ticket)
{
    for (size_t i = 0; i < CR__QUEUE_PLACES; i++)
        if (waits(&q->file->place[i], ticket))
            return i;
    return SIZE_MAX;
}

void cr__queue_answer(cr__queue *q, size_t at, uint64_t ticket, cr__reply reply,
                      const cr_tally *tally)
{
    place *p = &q->file->place[at];

    p->rows = tally->rows;
    p->unlabelled = tally->unlabelled;
    p->passes = tally->passes;
    atomic_store(&p->reply, ticket << REPLY_BITS | (uint64_t)reply);
    sem_post(&p->wake);
}
