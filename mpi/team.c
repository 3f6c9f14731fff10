/* mpi/team.c - the members of a team as the ranks of an MPI job. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "credence/team.h"

#define PIECE ((size_t)1 << 30) /* counts are ints */
#define PATIENCE 3              /* seconds that a failed member waits for the others */
#define TAG 0

static cr_status fail(cr_error *err, int code, const char *what)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;

    MPI_Error_string(code, text, &length);
    if (err != NULL) {
        *err = (cr_error){.code = CR_EIO};
        snprintf(err->message, sizeof err->message, "%s: %.400s", what, text);
    }
    return CR_EIO;
}

static cr_status send_bytes(void *context, int to, const void *bytes, size_t size, cr_error *err)
{
    const char *at = bytes;

    (void)context;
    while (size > 0) {
        const size_t piece = size < PIECE ? size : PIECE;
        const int code = MPI_Send(at, (int)piece, MPI_BYTE, to, TAG, MPI_COMM_WORLD);

        if (code != MPI_SUCCESS)
            return fail(err, code, "another process of the job cannot be reached");
        at += piece;
        size -= piece;
    }
    return CR_OK;
}

static cr_status receive_bytes(void *context, int from, void *bytes, size_t size, cr_error *err)
{
    char *at = bytes;

    (void)context;
    while (size > 0) {
        const size_t piece = size < PIECE ? size : PIECE;
        MPI_Status status;
        int got = 0, code;

        code = MPI_Recv(at, (int)piece, MPI_BYTE, from, TAG, MPI_COMM_WORLD, &status);
        if (code != MPI_SUCCESS)
            return fail(err, code, "another process of the job cannot be reached");
        MPI_Get_count(&status, MPI_BYTE, &got);
        if ((size_t)got != piece) {
            if (err != NULL) {
                *err = (cr_error){.code = CR_EIO};
                snprintf(err->message, sizeof err->message,
                         "the processes of the job are out of step: %d bytes came, not %zu", got,
                         piece);
            }
            return CR_EIO;
        }
        at += piece;
        size -= piece;
    }
    return CR_OK;
}

/* If Slurm starts processes without PMIx, each is a separate job, and all would do the same work
 * and write the same file. */
static cr_status check_connected(int ranks, cr_error *err)
{
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");

    if (ranks > 1 || tasks == NULL || atoi(tasks) < 2 || getenv("OMPI_COMM_WORLD_SIZE") != NULL)
        return CR_OK;
    if (err != NULL) {
        *err = (cr_error){.code = CR_EARG};
        snprintf(err->message, sizeof err->message,
                 "Slurm has started %s processes that do not know of each other", tasks);
        snprintf(err->hint, sizeof err->hint, "srun --mpi=pmix connects them, and so does mpirun");
    }
    return CR_EARG;
}

cr_status credence_team_join(cr_team *team, cr_error *err)
{
    int code = MPI_Init(NULL, NULL), rank = 0, ranks = 1;

    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (code != MPI_SUCCESS)
        return fail(err, code, "MPI does not start");
    if (check_connected(ranks, err) != CR_OK)
        return CR_EARG;
    *team = (cr_team){.size = sizeof *team,
                      .rank = rank,
                      .ranks = ranks,
                      .send = send_bytes,
                      .receive = receive_bytes};
    return CR_OK;
}

/* A barrier with a timeout for a member that has failed. All members pass their status, which must
 * be the same. */
int credence_team_leave(int status)
{
    const struct timespec pause = {0, 1000000};
    const time_t start = time(NULL);
    int own[2] = {status, -status}, most[2] = {0, 0}, done = 0;
    MPI_Request request;

    if (MPI_Iallreduce(own, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request) != MPI_SUCCESS)
        return 0;
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
        if (status != 0 && time(NULL) - start > PATIENCE)
            return 0;
        nanosleep(&pause, NULL);
    }
    if (most[0] != -most[1])
        return 0;
    MPI_Finalize();
    return 1;
}

void credence_team_abort(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
}
