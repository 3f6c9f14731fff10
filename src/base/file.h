/* base/file.h - read a file as memory, and replace a file all at once.
 *
 * cr__map maps a regular file into memory. The file must not be truncated while it is mapped: as
 * with every mapping, reading beyond the new end raises SIGBUS. Replacing the file by rename, as
 * cr__writer does, is safe.
 *
 * cr__writer replaces a file atomically: readers see the old bytes or the new ones, never a part,
 * and after a failure the old file is as it was. Usage:
 *     st = cr__writer_open(&w, path, err);
 *     if (st == CR_OK)
 *         st = cr__writer_write(w, bytes, n, err);
 *     ...
 *     if (st == CR_OK)
 *         st = cr__writer_commit(w, err);
 *     else
 *         cr__writer_abandon(w);
 */
#ifndef CR_BASE_FILE_H
#define CR_BASE_FILE_H

#include "credence/status.h"

#include <stddef.h>

typedef struct cr__map {
    const char *data; /* never NULL while open, even when size is 0 */
    size_t size;
} cr__map;

/* Map the regular file at path, read-only. On failure *map is {0}. CR_EIO, or CR_ELIMIT for a
 * file larger than the address space. */
cr_status cr__map_open(cr__map *map, const char *path, cr_error *err);

/* Unmap; {0} is allowed. *map is {0} afterwards. */
void cr__map_close(cr__map *map);

typedef struct cr__writer cr__writer;

/* Begin to replace the file at path with a temporary file beside it. A symbolic link is followed
 * and kept. A new file has the mode that the umask leaves of 0666; otherwise mode, owner and group
 * of the old file are kept, and a file that may not be written is refused. "-" (standard output),
 * /dev/fd/N and anything else that is not a regular file is written directly and cannot be undone;
 * the caller flushes its own stdio first. On failure *out is NULL. */
cr_status cr__writer_open(cr__writer **out, const char *path, cr_error *err);

/* Write n bytes through a buffer. After a failure all later writes and the commit fail too. */
cr_status cr__writer_write(cr__writer *writer, const void *bytes, size_t n, cr_error *err);

/* Put the new file in place: flush, sync, rename, sync the directory. Frees the writer whether it
 * succeeds or not; after a failure the old file is untouched and the temporary file is removed. */
cr_status cr__writer_commit(cr__writer *writer, cr_error *err);

/* Give up: remove the temporary file and free the writer. NULL is allowed. */
void cr__writer_abandon(cr__writer *writer);

#endif
