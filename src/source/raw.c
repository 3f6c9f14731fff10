/* source/raw.c - bytes as they are stored: a file descriptor or memory, that can be rewound. */
#include "source/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"

static cr_status classify(cr__raw *raw, const char *path, cr_error *err)
{
    struct stat about;
    off_t at;

    if (fstat(raw->fd, &about) != 0)
        return cr__fail_errno(err, "cannot read %s", cr__path_shown(path));
    if (S_ISDIR(about.st_mode)) {
        cr__fail(err, CR_EIO, "%s is a folder", cr__path_shown(path));
        return cr__fail_hint(err, CR_EIO, "name the files in it");
    }
    at = lseek(raw->fd, 0, SEEK_CUR);
    if (S_ISREG(about.st_mode) && at >= 0 && about.st_size > 0) {
        raw->regular = 1;
        raw->start = raw->position = (uint64_t)at;
        raw->size = (uint64_t)(about.st_size > at ? about.st_size : at);
    }
    return CR_OK;
}

const char *cr__path_shown(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

cr_status cr__raw_open(cr__raw *raw, const char *path, cr_error *err)
{
    cr_status st;

    *raw = (cr__raw){.fd = -1, .spool = -1};
    raw->fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (raw->fd < 0)
        return cr__fail_errno(err, "cannot open %s", cr__path_shown(path));
    if ((st = classify(raw, path, err)) != CR_OK)
        cr__raw_close(raw);
    return st;
}

void cr__raw_open_memory(cr__raw *raw, const char *bytes, size_t size)
{
    *raw = (cr__raw){.fd = -1, .spool = -1, .memory = bytes, .size = size};
}

void cr__raw_close(cr__raw *raw)
{
    if (raw->fd >= 0)
        close(raw->fd);
    if (raw->spool >= 0)
        close(raw->spool);
    raw->fd = raw->spool = -1;
}

/* An unnamed file that disappears by itself. */
static int open_temporary(void)
{
    const char *folder = getenv("TMPDIR");
    char name[4096];
    int fd;

    if (folder == NULL || *folder == 0)
        folder = "/tmp";
#ifdef O_TMPFILE
    if ((fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600)) >= 0)
        return fd;
#endif
    if (snprintf(name, sizeof name, "%s/credence-XXXXXX", folder) >= (int)sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if ((fd = mkostemp(name, O_CLOEXEC)) >= 0)
        unlink(name);
    return fd;
}

/* Keep what has just come through a pipe. If that fails, reading continues; only rewinding becomes
 * impossible. */
static void keep(cr__raw *raw, const char *bytes, size_t size)
{
    if (raw->lost != 0)
        return;
    if (raw->spool < 0 && (raw->spool = open_temporary()) < 0) {
        raw->lost = errno;
        return;
    }
    while (size > 0) {
        const ssize_t n = pwrite(raw->spool, bytes, size, (off_t)raw->spooled);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            raw->lost = n < 0 ? errno : ENOSPC;
            return;
        }
        raw->spooled += (uint64_t)n;
        bytes += n;
        size -= (size_t)n;
    }
}

static ssize_t read_once(cr__raw *raw, void *buffer, size_t size)
{
    ssize_t n;

    do {
        if (raw->regular)
            n = pread(raw->fd, buffer, size, (off_t)raw->position);
        else if (raw->position < raw->spooled)
            n = pread(raw->spool, buffer, size, (off_t)raw->position);
        else
            n = read(raw->fd, buffer, size);
    } while (n < 0 && errno == EINTR);
    return n;
}

cr_status cr__raw_read(cr__raw *raw, void *buffer, size_t size, size_t *got, cr_error *err)
{
    ssize_t n;

    *got = 0;
    if (raw->memory != NULL) {
        *got = size < raw->size - raw->position ? size : (size_t)(raw->size - raw->position);
        memcpy(buffer, raw->memory + raw->position, *got);
        raw->position += *got;
        return CR_OK;
    }
    if (!raw->regular && raw->position < raw->spooled && size > raw->spooled - raw->position)
        size = (size_t)(raw->spooled - raw->position);
    if ((n = read_once(raw, buffer, size)) < 0)
        return cr__fail_errno(err, "cannot read");
    if (!raw->regular && raw->position >= raw->spooled)
        keep(raw, buffer, (size_t)n);
    raw->position += (uint64_t)n;
    *got = (size_t)n;
    return CR_OK;
}

cr_status cr__raw_seek(cr__raw *raw, uint64_t position, cr_error *err)
{
    if (position != raw->position && !raw->regular && raw->memory == NULL && raw->lost != 0) {
        if (raw->lost > 0) {
            errno = raw->lost;
            cr__fail_errno(err, "the input must be read twice but could not be kept in a "
                                "temporary file");
            return cr__fail_hint(err, CR_EIO, "save it to a file, or set TMPDIR");
        }
        return cr__fail(err, CR_EIO, "the input comes through a pipe and cannot be read twice");
    }
    raw->position = position;
    return CR_OK;
}

void cr__raw_forget(cr__raw *raw)
{
    raw->lost = -1;
}
