/* serve/stream.h - an answer that is sent while it is written.
 *
 * One thread writes, another sends, and neither waits for the other: what has not been sent yet is
 * in an unnamed file. A client that reads slowly holds a file, not a thread, and memory does not
 * grow with the answer.
 */
#ifndef SERVE_STREAM_H
#define SERVE_STREAM_H

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

#include "credence/status.h"
#include "spool.h"

typedef struct stream {
    pthread_mutex_t lock;
    spool file;
    bool open;                   /* the writer is active */
    bool begun;                  /* there is something to send */
    bool whole;                  /* the writer has ended, and the answer is complete */
    bool left;                   /* the reader has left: nothing more need be written */
    bool waiting;                /* the reader sleeps until there is more */
    void (*wake)(void *context); /* wakes the reader; called with the lock held */
    void *context;
} stream;

void stream_init(stream *s, void (*wake)(void *context), void *context);
void stream_free(stream *s);

/* For the writer: open, write, end. CR_ESTOPPED: the reader has left; CR_EIO: there is no room.
 * After the end the reader owns the stream, unless it has left: then the result is true. */
void stream_open(stream *s);
cr_status stream_write(stream *s, const char *bytes, size_t size);
bool stream_end(stream *s, bool whole);

/* For the reader: bytes from an offset on. 0: the end; STREAM_WAIT: there is nothing yet, and
 * sleep() was called with the lock held; STREAM_CUT: nothing more will come, although the answer is
 * incomplete. */
enum { STREAM_WAIT = -1, STREAM_CUT = -2 };
ssize_t stream_read(stream *s, uint64_t at, char *bytes, size_t most, void (*sleep)(void *context));

/* Whether the writer has ended. */
bool stream_ended(stream *s);

/* The reader leaves. true: the writer is still active, and now owns what they shared. */
bool stream_leave(stream *s);

#endif
