/* serve/spool.c - bytes that do not fit in memory. */
#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void spool_init(spool *s)
{
    *s = (spool){.fd = -1};
}

void spool_close(spool *s)
{
    if (s->map != NULL)
        munmap(s->map, s->size);
    if (s->fd >= 0)
        close(s->fd);
    spool_init(s);
}

bool spool_add(spool *s, const void *bytes, size_t size)
{
    const char *folder = getenv("TMPDIR");

    if (s->fd < 0)
        s->fd = open(folder != NULL ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (s->fd < 0)
        return false;
    while (size > 0) {
        const ssize_t put = write(s->fd, bytes, size);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        bytes = (const char *)bytes + put;
        size -= (size_t)put;
        s->size += (size_t)put;
    }
    return true;
}

const char *spool_map(spool *s)
{
    if (s->map == NULL && s->fd >= 0 && s->size > 0) {
        s->map = mmap(NULL, s->size, PROT_READ, MAP_PRIVATE, s->fd, 0);
        if (s->map == MAP_FAILED)
            s->map = NULL;
    }
    return s->map;
}

void spool_rest(const spool *s)
{
    if (s->map != NULL)
        madvise(s->map, s->size, MADV_DONTNEED);
}
