/* serve/assets.h - files that are part of the program; the table is made by embed.cmake. */
#ifndef SERVE_ASSETS_H
#define SERVE_ASSETS_H

#include <stddef.h>

typedef struct asset_file {
    const char *path; /* NULL after the last */
    const unsigned char *bytes;
    size_t size;
    const char *etag; /* with its quotes */
} asset_file;

extern const asset_file asset_files[];

#endif
