/* serve/stream.c - an answer that is sent while it is written. */
#include "stream.h"

#include <unistd.h>

void stream_init(stream *s, void (*wake)(void *context), void *context)
{
    *s = (stream){.wake = wake, .context = context};
    spool_init(&s->file);
    pthread_mutex_init(&s->lock, NULL);
}

void stream_free(stream *s)
{
    spool_close(&s->file);
    pthread_mutex_destroy(&s->lock);
}

static void wake(stream *s)
{
    if (s->waiting && !s->left)
        s->wake(s->context);
    s->waiting = false;
}

void stream_open(stream *s)
{
    spool_close(&s->file);
    s->open = true;
    s->begun = s->whole = s->left = false;
    s->waiting = true; /* until the first bytes are there */
}

cr_status stream_write(stream *s, const char *bytes, size_t size)
{
    cr_status status = CR_OK;

    pthread_mutex_lock(&s->lock);
    if (s->left)
        status = CR_ESTOPPED;
    else if (!spool_add(&s->file, bytes, size))
        status = CR_EIO;
    s->begun = true;
    if (status == CR_OK)
        wake(s);
    pthread_mutex_unlock(&s->lock);
    return status;
}

bool stream_end(stream *s, bool whole)
{
    bool left;

    pthread_mutex_lock(&s->lock);
    s->open = false;
    s->whole = whole;
    left = s->left;
    wake(s);
    pthread_mutex_unlock(&s->lock);
    return left;
}

ssize_t stream_read(stream *s, uint64_t at, char *bytes, size_t most, void (*sleep)(void *context))
{
    ssize_t got = 0;
    size_t there;

    pthread_mutex_lock(&s->lock);
    there = s->file.size > at ? s->file.size - (size_t)at : 0;
    if (there == 0 && s->open) {
        s->waiting = true;
        sleep(s->context);
        got = STREAM_WAIT;
    } else if (there == 0 && !s->whole) {
        got = STREAM_CUT;
    }
    pthread_mutex_unlock(&s->lock);
    if (there == 0)
        return got;
    got = pread(s->file.fd, bytes, there < most ? there : most, (off_t)at);
    return got > 0 ? got : STREAM_CUT;
}

bool stream_ended(stream *s)
{
    bool open;

    pthread_mutex_lock(&s->lock);
    open = s->open;
    pthread_mutex_unlock(&s->lock);
    return !open;
}

bool stream_leave(stream *s)
{
    bool open;

    pthread_mutex_lock(&s->lock);
    open = s->open;
    s->left = true;
    pthread_mutex_unlock(&s->lock);
    return open;
}
