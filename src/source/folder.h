/* source/folder.h - the files below a folder, in the order of their paths.
 *
 * A folder is scanned once, when the source is opened; every pass then reads the same files. Hidden
 * files and folders are left out, except for the folders of a Maildir ("Maildir++": .Junk,
 * .Lists.c), and so is everything that is not a file: pipes, sockets, devices, links to nothing.
 * Links to folders are followed, but no folder is scanned twice, so that loops end. Of a Maildir
 * only the messages are read: those in its folders cur and new, and in those of the Maildirs inside
 * it.
 */
#ifndef CR_SOURCE_FOLDER_H
#define CR_SOURCE_FOLDER_H

#include <stdint.h>

#include "base/arena.h"
#include "credence/status.h"

typedef struct cr__folder_file {
    const char *path; /* below the folder */
    uint64_t size;    /* when it was scanned */
} cr__folder_file;

typedef struct cr__folder {
    char *root;
    char *name;            /* of the folder itself, even when it was given as "." */
    cr__folder_file *file; /* [files] */
    size_t files, capacity;
    uint64_t bytes;          /* of all files */
    size_t maildirs;         /* met */
    size_t odd, links;       /* left out: not a file; link to nothing or to a known folder */
    const char *odd_example; /* one of them */
    const char *link_example;
    cr__arena arena;
} cr__folder;

/* The files below root, or with `only` those at or below that path in it. CR_EIO: something cannot
 * be read; CR_EARG: `only` does not exist. */
cr_status cr__folder_open(cr__folder **out, const char *root, const char *only, cr_error *err);
void cr__folder_close(cr__folder *tree); /* NULL is allowed */

/* Whether a path is `only`, or lies below it; NULL: any path does. A slash at its end, or "./" in
 * front of it, makes no difference. */
int cr__path_is_below(const char *path, const char *only);

#endif
