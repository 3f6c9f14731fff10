/* store/wire.c - bytes between two processes, in frames. */
#include "store/wire.h"

#include <errno.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LENGTH = 8, STEP = 1 << 20 };

cr_status cr__wire_broken(const cr__wire *wire, cr_error *err)
{
    cr__fail(err, CR_EIO, "the other side closed the connection");
    return cr__fail_at(err, CR_EIO, wire->whom, 0, 0);
}

/* A socket whose other end is closed is an error here, not a signal. */
static ssize_t write_some(int file, const char *bytes, size_t size)
{
    const ssize_t sent = send(file, bytes, size, MSG_NOSIGNAL);

    return sent < 0 && errno == ENOTSOCK ? write(file, bytes, size) : sent;
}

static int write_all(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t wrote = write_some(file, bytes, size);

        if (wrote <= 0 && !(wrote < 0 && errno == EINTR))
            return 0;
        if (wrote > 0) {
            bytes += wrote;
            size -= (size_t)wrote;
        }
    }
    return 1;
}

static int read_all(int file, char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t got = read(file, bytes, size);

        if (got <= 0 && !(got < 0 && errno == EINTR))
            return 0;
        if (got > 0) {
            bytes += got;
            size -= (size_t)got;
        }
    }
    return 1;
}

cr_status cr__wire_put(const cr__wire *wire, const void *bytes, size_t size, cr_error *err)
{
    char length[LENGTH];

    for (int i = 0; i < LENGTH; i++)
        length[i] = (char)((uint64_t)size >> (56 - 8 * i));
    return write_all(wire->out, length, sizeof length) && write_all(wire->out, bytes, size)
               ? CR_OK
               : cr__wire_broken(wire, err);
}

/* The buffer grows with what arrives, not with the announced length. */
cr_status cr__wire_get(const cr__wire *wire, cr__buffer *out, cr_error *err)
{
    unsigned char length[LENGTH];
    uint64_t left = 0;

    cr__buffer_clear(out);
    if (!read_all(wire->in, (char *)length, sizeof length))
        return cr__wire_broken(wire, err);
    for (int i = 0; i < LENGTH; i++)
        left = left << 8 | length[i];
    while (left > 0) {
        const size_t some = left < STEP ? (size_t)left : STEP;
        char *at = cr__buffer_reserve(out, some);

        if (at == NULL)
            return cr__fail_memory(err);
        if (!read_all(wire->in, at, some))
            return cr__wire_broken(wire, err);
        out->size += some;
        left -= some;
    }
    return CR_OK;
}
