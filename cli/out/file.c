/* cli/out/file.c - a file of results, written all or nothing. */
#include "out/file.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out/out.h"
#include "session/reserve.h"
#include "session/session.h"
#include "session/team.h"

/* --- interruptions ------------------------------------------------------------------------ */

static const int interruptions[] = {SIGINT, SIGTERM, SIGHUP};
static const char *volatile unfinished; /* to be removed */

static void give_up(int number)
{
    if (unfinished != NULL)
        unlink(unfinished);
    raise(number); /* the default action is in effect again */
}

/* Signals that the caller ignores stay ignored. */
static void watch(const char *part)
{
    const struct sigaction action = {.sa_handler = give_up, .sa_flags = (int)SA_RESETHAND};
    struct sigaction before;

    unfinished = part;
    for (size_t i = 0; part != NULL && i < sizeof interruptions / sizeof *interruptions; i++)
        if (sigaction(interruptions[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(interruptions[i], &action, NULL);
}

/* --- opening and closing ------------------------------------------------------------------ */

/* In the target's folder, with the target's permissions if it exists. */
static FILE *open_part(out_file *o, const struct stat *there)
{
    const size_t size = strlen(o->target) + 32;
    FILE *file;

    o->part = reserve(size, 1);
    snprintf(o->part, size, "%s.%ld.part", o->target, (long)getpid());
    file = fopen(o->part, "wx");
    if (file == NULL) {
        free(o->part);
        o->part = NULL;
        return NULL;
    }
    watch(o->part);
    if (there != NULL)
        fchmod(fileno(file), there->st_mode & 07777);
    return file;
}

int out_file_open(out_file *o, const char *path)
{
    struct stat there;
    bool exists;

    *o = (out_file){.file = stdout, .path = path};
    if (!team_is_first() || path == NULL || strcmp(path, "-") == 0 ||
        strcmp(path, "/dev/stdout") == 0)
        return EXIT_DONE;
    exists = stat(path, &there) == 0;
    if (!exists || (o->target = realpath(path, NULL)) == NULL)
        o->target = reserve_text(path);
    o->file =
        exists && !S_ISREG(there.st_mode) ? fopen(path, "w") : open_part(o, exists ? &there : NULL);
    if (o->file != NULL)
        return EXIT_DONE;
    free(o->target);
    return cannot_write(path, strerror(errno));
}

int out_file_close(out_file *o, int code)
{
    bool failed;

    if (o->file == stdout)
        return code;
    failed = ferror(o->file) != 0;
    failed |= fclose(o->file) != 0;
    if (failed && code == EXIT_DONE)
        code = cannot_write(o->path, strerror(errno));
    if (o->part != NULL && code == EXIT_DONE && rename(o->part, o->target) != 0)
        code = cannot_write(o->path, strerror(errno));
    if (o->part != NULL && code != EXIT_DONE)
        unlink(o->part);
    watch(NULL);
    free(o->part);
    free(o->target);
    return code;
}
