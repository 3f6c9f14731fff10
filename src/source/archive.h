/* source/archive.h - unpack .gz .bz2 .xz .zst and the members of .tar.* and .zip, by libarchive. */
#ifndef CR_SOURCE_ARCHIVE_H
#define CR_SOURCE_ARCHIVE_H

#include "source/raw.h"

typedef struct cr__archive cr__archive;

/* Whether the first bytes of an input (512 are enough) are those of a packed file: 1, 0, or -1 when
 * too few to tell. */
int cr__archive_recognise(const char *bytes, size_t size);

/* The raw bytes are borrowed until the archive is closed. */
cr_status cr__archive_open(cr__archive **out, cr__raw *raw, cr_error *err);
void cr__archive_close(cr__archive *archive); /* NULL is allowed */

/* The next regular file; CR_END after the last. *name is NULL for a single compressed file. */
cr_status cr__archive_next(cr__archive *archive, const char **name, cr_error *err);

/* Up to size bytes of it; *got is 0 at its end only. */
cr_status cr__archive_read(cr__archive *archive, char *buffer, size_t size, size_t *got,
                           cr_error *err);

#endif
