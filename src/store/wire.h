/* store/wire.h - bytes between two processes, in frames.
 *
 * A frame is a length of 8 bytes, the highest first, and that many bytes.
 */
#ifndef CR_STORE_WIRE_H
#define CR_STORE_WIRE_H

#include "base/buffer.h"

/* File descriptors that are borrowed, and the name of the other side for errors. */
typedef struct cr__wire {
    int in, out;
    const char *whom;
} cr__wire;

/* CR_EIO: the other side closed the connection. */
cr_status cr__wire_put(const cr__wire *wire, const void *bytes, size_t size, cr_error *err);

/* Read a whole frame, replacing the content of the buffer. CR_EIO, CR_ENOMEM. */
cr_status cr__wire_get(const cr__wire *wire, cr__buffer *out, cr_error *err);

/* The error for a closed connection. */
cr_status cr__wire_broken(const cr__wire *wire, cr_error *err);

#endif
