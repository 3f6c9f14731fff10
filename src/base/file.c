/* base/file.c - read-only mappings and atomic replacement of files. */
#include "base/file.h"

#include "base/fail.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SHOWN = 300 }; /* bytes of a path that a message shows */

/* ---- reading ---- */

cr_status cr__map_open(cr__map *map, const char *path, cr_error *err)
{
    char shown[SHOWN];
    struct stat st;
    cr_status status = CR_OK;

    *map = (cr__map){0};
    cr__printable(shown, sizeof shown, path, strlen(path));
    /* Without O_NONBLOCK a named pipe would wait here for its writer. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return cr__fail_errno(err, "cannot open %s", shown);
    if (fstat(fd, &st) != 0) {
        status = cr__fail_errno(err, "cannot examine %s", shown);
    } else if (!S_ISREG(st.st_mode)) {
        status = cr__fail(err, CR_EIO, "%s is %s, not a regular file", shown,
                          S_ISDIR(st.st_mode) ? "a folder" : "a pipe or a device");
    } else if ((uintmax_t)st.st_size > PTRDIFF_MAX) {
        status = cr__fail(err, CR_ELIMIT, "%s is larger than the memory of a process", shown);
    } else if (st.st_size == 0) {
        map->data = "";
    } else {
        void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes == MAP_FAILED)
            status = cr__fail_errno(err, "cannot map %s", shown);
        else
            *map = (cr__map){.data = bytes, .size = (size_t)st.st_size};
    }
    close(fd);
    return status;
}

void cr__map_close(cr__map *map)
{
    if (map->size > 0)
        munmap((void *)(uintptr_t)map->data, map->size);
    *map = (cr__map){0};
}

/* ---- writing ---- */

struct cr__writer {
    int fd;
    int failure;     /* errno of the first write that failed, or 0 */
    char *target;    /* the file to replace; NULL when writing straight through */
    char *temporary; /* beside the target; NULL when there is none to remove */
    int unnamed;     /* the file has no name yet: it goes when the process ends */
    char shown[SHOWN];
    size_t used;
    char buffer[1 << 16];
};

/* The directory part of path with its slash; the length is 0 for the current directory. */
static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* The first `length` bytes of a and then b, in a new string. */
static char *joined(const char *a, size_t length, const char *b)
{
    size_t rest = strlen(b) + 1;
    if (length > SIZE_MAX - rest)
        return NULL;
    char *path = cr__alloc(length + rest, 1);
    if (path != NULL) {
        memcpy(path, a, length);
        memcpy(path + length, b, rest);
    }
    return path;
}

/* The target of path when its last part is a symbolic link, in a new string; the target need not
 * exist. NULL with errno when it cannot be determined. */
static char *follow_links(const char *path)
{
    enum { MOST_LINKS = 40 };
    char link[PATH_MAX];
    char *at = joined("", 0, path);

    for (int i = 0; at != NULL && i < MOST_LINKS; i++) {
        ssize_t length = readlink(at, link, sizeof link - 1);
        if (length < 0)
            return at; /* not a link, or nothing there: opening it will show */
        link[length] = '\0';
        char *next = joined(at, link[0] == '/' ? 0 : directory_length(at), link);
        cr__free(at);
        at = next;
    }
    errno = at == NULL ? ENOMEM : ELOOP;
    cr__free(at);
    return NULL;
}

/* The open descriptor that path stands for, or -1. It is duplicated rather than opened by name,
 * so that the position, and the end of a file opened for appending, are respected. */
static int named_descriptor(const char *path)
{
    static const char *const prefixes[] = {"/dev/fd/", "/proc/self/fd/"};

    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(path, prefixes[i], length) != 0 || path[length] < '0' || path[length] > '9')
            continue;
        char *end;
        errno = 0;
        long fd = strtol(path + length, &end, 10);
        if (errno == 0 && *end == '\0' && fd <= INT_MAX)
            return (int)fd;
    }
    return -1;
}

/* The target's directory into path, which is returned; NULL when it is too long. */
static const char *directory_of(const char *target, char path[PATH_MAX])
{
    const size_t length = directory_length(target);

    if (length >= PATH_MAX)
        return NULL;
    memcpy(path, length > 0 ? target : ".", length > 0 ? length : 1);
    path[length > 0 ? length : 1] = '\0';
    return path;
}

/* --- temporary files --- */

#define TEMPORARY_BEGIN ".credence-"
#define TEMPORARY_END ".tmp"

static int is_temporary(const char *name)
{
    const size_t begin = strlen(TEMPORARY_BEGIN), end = strlen(TEMPORARY_END);
    const size_t length = strlen(name);

    return length > begin + end && strncmp(name, TEMPORARY_BEGIN, begin) == 0 &&
           strcmp(name + length - end, TEMPORARY_END) == 0;
}

/* Remove what killed processes of this user have left in the target's directory. A file that has
 * not been written to for a day belongs to no running process. */
static void clear_old(const char *target)
{
    enum { DAY = 24 * 60 * 60, MOST_ENTRIES = 10000 };
    char room[PATH_MAX];
    const char *path = directory_of(target, room);
    DIR *folder = path == NULL ? NULL : opendir(path);
    const struct dirent *entry;
    struct stat st;

    for (int i = 0; folder != NULL && i < MOST_ENTRIES && (entry = readdir(folder)) != NULL; i++)
        if (is_temporary(entry->d_name) &&
            fstatat(dirfd(folder), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_mtime + DAY < time(NULL))
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder != NULL)
        closedir(folder);
}

/* Choose an unused name in the target's directory and call `make` with it. Returns its result: a
 * descriptor, or -1 with errno. */
static int make_temporary(cr__writer *w, int (*make)(cr__writer *w, mode_t mode), mode_t mode)
{
    enum { MOST_TRIES = 100 };
    static unsigned counter;

    for (int i = 0; i < MOST_TRIES; i++) {
        char name[64];
        struct timespec now;
        int made;

        clock_gettime(CLOCK_REALTIME, &now);
        snprintf(name, sizeof name, TEMPORARY_BEGIN "%lx-%lx-%x" TEMPORARY_END, (long)getpid(),
                 now.tv_nsec, __atomic_fetch_add(&counter, 1u, __ATOMIC_RELAXED));
        w->temporary = joined(w->target, directory_length(w->target), name);
        if (w->temporary == NULL) {
            errno = ENOMEM;
            return -1;
        }
        if ((made = make(w, mode)) >= 0)
            return made;
        cr__free(w->temporary);
        w->temporary = NULL;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

static int create_named(cr__writer *w, mode_t mode)
{
    return open(w->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
}

static int give_name(cr__writer *w, mode_t mode)
{
    char path[40];

    (void)mode;
    snprintf(path, sizeof path, "/proc/self/fd/%d", w->fd);
    return linkat(AT_FDCWD, path, AT_FDCWD, w->temporary, AT_SYMLINK_FOLLOW);
}

/* A file without a name where the file system and the kernel support that; -1 elsewhere. */
static int create_unnamed(const char *target, mode_t mode)
{
#ifdef O_TMPFILE
    char room[PATH_MAX];
    const char *path = directory_of(target, room);

    return path == NULL || access("/proc/self/fd", F_OK) != 0
               ? -1
               : open(path, O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
#else
    (void)target;
    (void)mode;
    return -1;
#endif
}

/* Create and open a new file in the target's directory. */
static int open_temporary(cr__writer *w, mode_t mode)
{
    clear_old(w->target);
    w->fd = create_unnamed(w->target, mode);
    w->unnamed = w->fd >= 0;
    if (!w->unnamed)
        w->fd = make_temporary(w, create_named, mode);
    return w->fd >= 0;
}

/* Give the temporary file the owner, group and mode of the file it replaces. Where the group cannot
 * be kept, its permissions are dropped: they were meant for other people. */
static int keep_attributes(cr__writer *w, const struct stat *old)
{
    mode_t mode = old->st_mode & 0777;
    if (fchown(w->fd, old->st_uid, old->st_gid) != 0 && fchown(w->fd, (uid_t)-1, old->st_gid) != 0)
        mode &= ~(mode_t)070;
    return fchmod(w->fd, mode) == 0;
}

/* Open what w will write to. 0 with errno when that fails. */
static int open_output(cr__writer *w, const char *path)
{
    struct stat old;
    int named = named_descriptor(path);

    if (named >= 0) {
        w->fd = fcntl(named, F_DUPFD_CLOEXEC, 0);
        return w->fd >= 0;
    }
    int exists = stat(path, &old) == 0;
    if (exists && !S_ISREG(old.st_mode)) {
        w->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return w->fd >= 0;
    }
    if (exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
        return 0;
    w->target = follow_links(path);
    if (w->target == NULL)
        return 0;
    if (w->target[directory_length(w->target)] == '\0') {
        errno = path[0] == '\0' ? ENOENT : EISDIR; /* no name to rename to */
        return 0;
    }
    /* The replacement of a private file must not be readable by others even for a moment. */
    return open_temporary(w, exists ? 0600 : 0666) && (!exists || keep_attributes(w, &old));
}

cr_status cr__writer_open(cr__writer **out, const char *path, cr_error *err)
{
    *out = NULL;
    cr__writer *w = cr__alloc(1, sizeof *w);
    if (w == NULL)
        return cr__fail_memory(err);
    w->fd = -1;
    w->failure = 0;
    w->target = w->temporary = NULL;
    w->unnamed = 0;
    w->used = 0;
    cr__printable(w->shown, sizeof w->shown, path, strlen(path));
    if (!open_output(w, path)) {
        cr_status status = errno == ENOMEM ? cr__fail_memory(err)
                                           : cr__fail_errno(err, "cannot write %s", w->shown);
        cr__writer_abandon(w);
        return status;
    }
    *out = w;
    return CR_OK;
}

/* Write all n bytes, or record the error. */
static void write_all(cr__writer *w, const char *bytes, size_t n)
{
    const size_t most = (size_t)1 << 30; /* Linux transfers less than 2 GiB per call */

    while (n > 0 && w->failure == 0) {
        ssize_t done = write(w->fd, bytes, n < most ? n : most);
        if (done > 0) {
            bytes += done;
            n -= (size_t)done;
        } else if (done == 0) {
            w->failure = EIO;
        } else if (errno != EINTR) {
            w->failure = errno;
        }
    }
}

static void flush(cr__writer *w)
{
    write_all(w, w->buffer, w->used);
    w->used = 0;
}

static cr_status outcome(const cr__writer *w, cr_error *err)
{
    if (w->failure == 0)
        return CR_OK;
    errno = w->failure;
    return errno == ENOMEM ? cr__fail_memory(err)
                           : cr__fail_errno(err, "cannot write %s", w->shown);
}

cr_status cr__writer_write(cr__writer *w, const void *bytes, size_t n, cr_error *err)
{
    if (n > sizeof w->buffer - w->used)
        flush(w);
    if (n > sizeof w->buffer) {
        write_all(w, bytes, n);
    } else if (n > 0) {
        memcpy(w->buffer + w->used, bytes, n);
        w->used += n;
    }
    return outcome(w, err);
}

/* Make the rename itself survive a crash. Best effort: some file systems cannot sync a directory,
 * and either name already leads to a whole file. */
static void sync_directory(const char *target)
{
    char room[PATH_MAX];
    const char *path = directory_of(target, room);
    int fd = path == NULL ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

cr_status cr__writer_commit(cr__writer *w, cr_error *err)
{
    flush(w);
    if (w->failure == 0 && w->target != NULL && fsync(w->fd) != 0)
        w->failure = errno;
    if (w->failure == 0 && w->unnamed && make_temporary(w, give_name, 0) < 0)
        w->failure = errno;
    /* Network file systems report a full disk only when the file is closed. */
    if (close(w->fd) != 0 && errno != EINTR && w->failure == 0)
        w->failure = errno;
    w->fd = -1;
    if (w->failure == 0 && w->target != NULL) {
        if (rename(w->temporary, w->target) != 0) {
            w->failure = errno;
        } else {
            cr__free(w->temporary);
            w->temporary = NULL;
            sync_directory(w->target);
        }
    }
    cr_status status = outcome(w, err);
    cr__writer_abandon(w);
    return status;
}

void cr__writer_abandon(cr__writer *w)
{
    if (w == NULL)
        return;
    if (w->fd >= 0)
        close(w->fd);
    if (w->temporary != NULL)
        unlink(w->temporary);
    cr__free(w->temporary);
    cr__free(w->target);
    cr__free(w);
}
