/* bench/measure.c - run a command several times and print its least wall time and its peak memory.
 *
 *   measure REPEATS OUTPUT COMMAND [ARGUMENT ...]
 *
 * The command's standard output goes to the file OUTPUT. Prints one line: the least wall time in
 * seconds, the least processor time in seconds, and the largest resident set of any run in MiB
 * (file pages that the command maps count too). Exits with 1 when the command fails. It is a
 * program of its own because a shell's `time` has no peak memory, and because a child begins with
 * the resident set of its parent, which is tiny here.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static int run(const char *output, char **command, double *wall, struct rusage *use)
{
    double start = now();
    int status;
    pid_t child = fork();
    if (child < 0)
        return -1;
    if (child == 0) {
        int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (out < 0 || dup2(out, STDOUT_FILENO) < 0) {
            perror(output);
            _exit(126);
        }
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
    if (wait4(child, &status, 0, use) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return -1;
    *wall = now() - start;
    return 0;
}

int main(int argc, char **argv)
{
    double best = 1e300, processor = 1e300;
    long peak = 0;

    if (argc < 4 || atoi(argv[1]) < 1) {
        fprintf(stderr, "usage: measure REPEATS OUTPUT COMMAND [ARGUMENT ...]\n");
        return 2;
    }
    for (int i = 0; i < atoi(argv[1]); i++) {
        struct rusage use;
        double wall;
        if (run(argv[2], argv + 3, &wall, &use) != 0) {
            fprintf(stderr, "measure: %s failed\n", argv[3]);
            return 1;
        }
        if (use.ru_maxrss > peak)
            peak = use.ru_maxrss;
        if (wall < best)
            best = wall;
        if (seconds(use.ru_utime) + seconds(use.ru_stime) < processor)
            processor = seconds(use.ru_utime) + seconds(use.ru_stime);
    }
    printf("%.4f %.4f %.1f\n", best, processor, (double)peak / 1024);
    return 0;
}
