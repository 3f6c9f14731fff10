/* source/gunzip.c - unpack gzip and verify its checksums, which libarchive reads but does not
 * verify.
 *
 * A .gz with a flipped bit usually still unpacks, to different rows. Only the CRC-32 after them
 * shows it, and zlib checks it. Several members in a row are one stream (RFC 1952, 2.2). Zeros
 * after the last one are the padding of a tape block; anything else there may be the damaged
 * remains of more members, and is an error.
 */
#include "source/gunzip.h"

#include <limits.h>
#include <zlib.h>

#include "base/fail.h"
#include "base/memory.h"

#define INPUT_SIZE ((size_t)128 << 10)
#define MAGIC 0x1f
#define GZIP_ONLY                                                                                  \
    (15 + 16) /* the largest window, and the wrapper of gzip, as inflateInit2 asks                 \
               */

struct cr__gunzip {
    z_stream stream;
    cr__raw *raw;
    unsigned char *input;
    int between; /* a member is complete, and the next has not begun */
    int ended;
};

static void *take(void *context, uInt count, uInt size)
{
    (void)context;
    return cr__alloc(count, size);
}

static void give(void *context, void *room)
{
    (void)context;
    cr__free(room);
}

/* Whether raw begins with the bytes of gzip; they are read and put back. */
static cr_status recognise(cr__raw *raw, int *found, cr_error *err)
{
    const uint64_t start = raw->position;
    unsigned char magic[2] = {0};
    size_t got;
    cr_status st = cr__raw_read(raw, magic, sizeof magic, &got, err);

    *found = magic[0] == MAGIC && magic[1] == 0x8b;
    return st == CR_OK ? cr__raw_seek(raw, start, err) : st;
}

cr_status cr__gunzip_open(cr__gunzip **out, cr__raw *raw, cr_error *err)
{
    cr__gunzip *gunzip;
    int found;
    cr_status st = recognise(raw, &found, err);

    *out = NULL;
    if (st != CR_OK || !found)
        return st;
    if ((gunzip = cr__alloc_zero(1, sizeof *gunzip)) == NULL)
        return cr__fail_memory(err);
    gunzip->raw = raw;
    gunzip->stream.zalloc = take;
    gunzip->stream.zfree = give;
    if ((gunzip->input = cr__alloc(INPUT_SIZE, 1)) == NULL ||
        inflateInit2(&gunzip->stream, GZIP_ONLY) != Z_OK) {
        cr__free(gunzip->input);
        cr__free(gunzip);
        return cr__fail_memory(err);
    }
    *out = gunzip;
    return CR_OK;
}

void cr__gunzip_close(cr__gunzip *gunzip)
{
    if (gunzip == NULL)
        return;
    inflateEnd(&gunzip->stream);
    cr__free(gunzip->input);
    cr__free(gunzip);
}

static cr_status damaged(cr_error *err, const char *how)
{
    return cr__fail(err, CR_EFORMAT, "it cannot be unpacked: %s", how);
}

/* More packed bytes; where there are none the stream has ended, or was cut short. */
static cr_status fill(cr__gunzip *gunzip, cr_error *err)
{
    size_t got;
    cr_status st = cr__raw_read(gunzip->raw, gunzip->input, INPUT_SIZE, &got, err);

    if (st != CR_OK)
        return st;
    if (got == 0 && !gunzip->between)
        return damaged(err, "truncated gzip input");
    gunzip->ended = got == 0;
    gunzip->stream.next_in = gunzip->input;
    gunzip->stream.avail_in = (uInt)got;
    return CR_OK;
}

/* Unpack what there is room for. */
static cr_status unpack(cr__gunzip *gunzip, cr_error *err)
{
    z_stream *z = &gunzip->stream;

    for (; gunzip->between && z->avail_in > 0 && *z->next_in == 0; z->avail_in--)
        z->next_in++;
    if (z->avail_in == 0)
        return CR_OK;
    if (gunzip->between) {
        if (*z->next_in != MAGIC)
            return cr__fail(err, CR_EFORMAT,
                            "it cannot be unpacked: from byte %llu on it is not gzip",
                            (unsigned long long)(gunzip->raw->position - z->avail_in));
        gunzip->between = 0;
        inflateReset(z);
    }
    switch (inflate(z, Z_NO_FLUSH)) {
    case Z_STREAM_END: gunzip->between = 1; return CR_OK;
    case Z_OK:
    case Z_BUF_ERROR: return CR_OK;
    case Z_MEM_ERROR: return cr__fail_memory(err);
    default: return damaged(err, z->msg != NULL ? z->msg : "damaged gzip input");
    }
}

cr_status cr__gunzip_read(cr__gunzip *gunzip, char *buffer, size_t size, size_t *got, cr_error *err)
{
    z_stream *z = &gunzip->stream;
    cr_status st = CR_OK;

    *got = 0;
    z->next_out = (Bytef *)buffer;
    z->avail_out = size < UINT_MAX ? (uInt)size : UINT_MAX;
    while (st == CR_OK && !gunzip->ended && (char *)z->next_out == buffer) {
        if (z->avail_in == 0 && (st = fill(gunzip, err)) != CR_OK)
            break;
        if (!gunzip->ended)
            st = unpack(gunzip, err);
    }
    *got = (size_t)((char *)z->next_out - buffer);
    return st;
}
