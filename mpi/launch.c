/* mpi/launch.c - credence-mpi: the command, as one rank of an MPI job.
 *
 * It sets the transport for the command in its own folder, or in the PATH, and executes that
 * command.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef CREDENCE_TRANSPORT
#error "CREDENCE_TRANSPORT is where the transport is installed"
#endif

/* The folder of this program; "" if it is unknown. */
static void own_folder(char *path, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    char *slash;

    path[length > 0 ? length : 0] = '\0';
    if ((slash = strrchr(path, '/')) != NULL)
        *slash = '\0';
}

int main(int argc, char **argv)
{
    static char folder[PATH_MAX], command[PATH_MAX + 16], transport[PATH_MAX + 48];

    (void)argc;
    own_folder(folder, sizeof folder);
    snprintf(command, sizeof command, "%s/credence", folder);
    snprintf(transport, sizeof transport, "%s/credence-team-mpi.so", folder);
    if (access(transport, R_OK) != 0)
        snprintf(transport, sizeof transport, "%s", CREDENCE_TRANSPORT);
    if (setenv("CREDENCE_TEAM", transport, 1) == 0) {
        argv[0] = command;
        execv(command, argv);
        argv[0] = (char *)"credence";
        execvp("credence", argv);
    }
    fprintf(stderr, "credence-mpi: cannot run the command credence: %s\n", strerror(errno));
    return 1;
}
