/* cli/out/file.h - a file of results, written all or nothing.
 *
 * Rows go to a file beside the one that was named, which takes its place when all are there; links
 * are followed and permissions stay. A device or a pipe is written as it is. When the command is
 * interrupted nothing is left behind.
 */
#ifndef CLI_OUT_FILE_H
#define CLI_OUT_FILE_H

#include <stdio.h>

typedef struct out_file {
    FILE *file;
    const char *path; /* as it was named */
    char *target;     /* with links resolved */
    char *part;       /* the temporary file that replaces it; NULL: it is written directly */
} out_file;

/* NULL and "-" are standard output. EXIT_DONE, or an exit status after a message. */
int out_file_open(out_file *o, const char *path);

/* Close the file. It replaces the old one only if code is EXIT_DONE and everything was written.
 * Returns the exit status. */
int out_file_close(out_file *o, int code);

#endif
