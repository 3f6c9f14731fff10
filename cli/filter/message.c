/* cli/filter/message.c - read a message from a file or from standard input. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filter/filter.h"
#include "out/out.h"
#include "session/reserve.h"
#include "session/session.h"

enum { FIRST_ROOM = 1 << 16 };

static int cannot_read(const char *path, int why)
{
    cr_error err = {0};

    snprintf(err.file, sizeof err.file, "%s", strcmp(path, "-") == 0 ? "standard input" : path);
    snprintf(err.message, sizeof err.message, "cannot be read: %s", strerror(why));
    return complain(CR_EIO, &err);
}

int message_read(message *m, const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    size_t room = FIRST_ROOM, read;
    int failed;

    *m = (message){.bytes = NULL};
    if (file == NULL)
        return cannot_read(path, errno);
    m->bytes = reserve_more(NULL, room, 1);
    errno = 0;
    while ((read = fread(m->bytes + m->size, 1, room - m->size, file)) > 0) {
        m->size += read;
        if (m->size == room)
            m->bytes = reserve_more(m->bytes, room *= 2, 1);
    }
    failed = ferror(file) ? (errno != 0 ? errno : EIO) : 0;
    if (file != stdin)
        fclose(file);
    return failed != 0 ? cannot_read(path, failed) : EXIT_DONE;
}

void message_free(message *m)
{
    free(m->bytes);
}
