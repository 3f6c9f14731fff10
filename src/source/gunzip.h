/* source/gunzip.h - unpack gzip, whose checksums libarchive reads but does not verify. */
#ifndef CR_SOURCE_GUNZIP_H
#define CR_SOURCE_GUNZIP_H

#include "source/raw.h"

typedef struct cr__gunzip cr__gunzip;

/* *out is NULL when the next bytes are not those of gzip; they are not consumed. The raw bytes are
 * borrowed until it is closed. */
cr_status cr__gunzip_open(cr__gunzip **out, cr__raw *raw, cr_error *err);
void cr__gunzip_close(cr__gunzip *gunzip); /* NULL is allowed */

/* Up to size bytes; *got is 0 at the end only, where the length and checksum of all of them have
 * been compared. */
cr_status cr__gunzip_read(cr__gunzip *gunzip, char *buffer, size_t size, size_t *got,
                          cr_error *err);

#endif
