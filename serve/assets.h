/* serve/assets.h - files embedded in the program; embed.cmake makes the table. */
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
