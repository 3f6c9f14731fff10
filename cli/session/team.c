/* cli/session/team.c - joining and leaving a team of processes. */
#include "session/team.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "out/out.h"

/* Set once, before any thread exists. */
static cr_team team = CR_TEAM_INIT;
static __typeof__(credence_team_leave) *leave;
static __typeof__(credence_team_abort) *end_all;
static bool alone;          /* a team of one, which stores finished parts */
static int told = -1;       /* standard error of a member other than the first, */
static int real_error = -1; /* and where it goes if only that member fails */

const cr_team *team_of_process(void)
{
    return leave == NULL && !alone ? NULL : &team;
}

int team_rank(void)
{
    return team.rank;
}

void team_configure(bool local, const char *checkpoint)
{
    team.local = local;
    team.checkpoint = checkpoint;
    alone = leave == NULL && checkpoint != NULL;
}

void team_first_only(bool first_only)
{
    team.first_only = first_only;
}

bool team_is_first(void)
{
    return team.rank == 0;
}

void team_wait_for_first(void)
{
    char word = 0;

    for (int r = 1; team.rank == 0 && r < team.ranks; r++)
        (void)team.send(team.context, r, &word, 1, NULL);
    if (team.rank > 0)
        (void)team.receive(team.context, 0, &word, 1, NULL);
}

/* Output of the other members is discarded; their messages are kept. */
static void fall_silent(void)
{
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    told = memfd_create("told", MFD_CLOEXEC);
    real_error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (nowhere >= 0)
        dup2(nowhere, STDOUT_FILENO);
    if (told >= 0 && real_error >= 0)
        dup2(told, STDERR_FILENO);
    close(nowhere);
}

int team_join(void)
{
    const char *path = getenv("CREDENCE_TEAM");
    __typeof__(credence_team_join) *join;
    cr_error err = {0};
    cr_status status;
    void *library;

    if (path == NULL || *path == '\0')
        return EXIT_DONE;
    if ((library = dlopen(path, RTLD_NOW | RTLD_GLOBAL)) == NULL)
        return misuse("CREDENCE_TEAM names the library of a transport, as credence-mpi sets it",
                      "the team's library cannot be opened: %s", dlerror());
    *(void **)&join = dlsym(library, "credence_team_join");
    *(void **)&leave = dlsym(library, "credence_team_leave");
    *(void **)&end_all = dlsym(library, "credence_team_abort");
    if (join == NULL || leave == NULL || end_all == NULL)
        return misuse(NULL, "%s is not the library of a transport", path);
    if ((status = join(&team, &err)) != CR_OK)
        return complain(status, &err);
    if (team.rank > 0)
        fall_silent();
    return EXIT_DONE;
}

/* The messages of this member. */
static void speak_up(void)
{
    char text[4096];
    ssize_t size;

    fflush(stderr);
    if (told < 0 || real_error < 0)
        return;
    lseek(told, 0, SEEK_SET);
    while ((size = read(told, text, sizeof text)) > 0)
        (void)!write(real_error, text, (size_t)size);
    dprintf(real_error, "credence: member %d of %d failed: the others are stopped\n", team.rank + 1,
            team.ranks);
}

int team_leave(int code)
{
    if (leave == NULL)
        return code;
    if (leave(code) == 0 && code != EXIT_DONE) {
        speak_up();
        end_all(code);
    }
    return team.rank == 0 ? code : EXIT_DONE;
}
