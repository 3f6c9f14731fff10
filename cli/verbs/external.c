/* cli/verbs/external.c - front ends that need more libraries than the command does. */
#include "verbs/external.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "out/out.h"

static const external programs[] = {
    {"serve", "answer over HTTP, with a workbench in the browser",
     "it is built where libmicrohttpd is: scripts/deps.sh serve"},
    {"milter", "judge mail as it comes in, for Postfix and Sendmail",
     "it is built where libmilter is: scripts/deps.sh milter"},
    {"mpi", "train on many machines, with the same bytes",
     "it is built where Open MPI is: scripts/deps.sh mpi; run it with mpirun"},
};

const external *external_at(size_t index)
{
    return index < sizeof programs / sizeof *programs ? &programs[index] : NULL;
}

const external *external_find(const char *name)
{
    const external *e;

    for (size_t i = 0; (e = external_at(i)) != NULL; i++)
        if (strcmp(e->name, name) == 0)
            return e;
    return NULL;
}

/* The path of the program in the command's own folder, or "" if that is unknown. */
static void beside(const char *program, char *path, size_t size)
{
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    path[0] = '\0';
    if (length <= 0)
        return;
    self[length] = '\0';
    slash = strrchr(self, '/');
    if (slash == NULL || (size_t)(slash - self) + strlen(program) + 2 > size)
        return;
    snprintf(path, size, "%.*s/%s", (int)(slash - self), self, program);
}

int external_run(const external *e, char **argv)
{
    char program[64], path[PATH_MAX];
    int error;

    snprintf(program, sizeof program, "credence-%s", e->name);
    beside(program, path, sizeof path);
    argv[0] = program;
    if (path[0] != '\0')
        execv(path, argv);
    execvp(program, argv);
    error = errno;
    if (error == ENOENT)
        return misuse(e->missing, "there is no program %s beside this command or in the PATH",
                      program);
    return misuse(NULL, "cannot run %s: %s", program, strerror(error));
}
