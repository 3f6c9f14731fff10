/* cli/out_progress.c - how far a pass over data is, on standard error. */
#include "out_progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "out.h"
#include "out_text.h"

#define FIRST_AFTER 0.5 /* seconds: short passes draw nothing */
#define NEXT_AFTER 0.1

enum { BAR = 20 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void draw_share(double share, double elapsed)
{
    int filled = (int)(share * BAR);
    double left = share > 0 ? elapsed * (1 - share) / share : 0;

    fprintf(stderr, " %3.0f %% ", 100 * share);
    for (int i = 0; i < BAR; i++)
        fputs(i < filled ? "█" : "░", stderr);
    fprintf(stderr, "  %.0f:%02d left", left / 60, (int)left % 60);
}

static int draw(void *context, uint64_t done, uint64_t total, uint64_t rows)
{
    progress *p = context;
    double time = now(), elapsed = time - p->began;
    char count[NUMBER_ROOM], rate[NUMBER_ROOM];

    if (elapsed < FIRST_AFTER || time - p->shown < NEXT_AFTER)
        return 0;
    p->shown = time;
    p->on_screen = true;
    fprintf(stderr, "\r\033[K%s", p->doing);
    if (total != 0 && done <= total)
        draw_share((double)done / (double)total, elapsed);
    fprintf(stderr, "  %s rows  %s rows/s", number_short(count, (double)rows),
            number_short(rate, (double)rows / elapsed));
    fflush(stderr);
    return 0;
}

void progress_begin(progress *p, const char *doing, cr_run *run)
{
    *p = (progress){.doing = doing, .began = now()};
    if (out_is_quiet() || !isatty(STDERR_FILENO))
        return;
    run->progress = draw;
    run->context = p;
}

double progress_end(progress *p)
{
    double elapsed = now() - p->began;

    if (p->on_screen)
        fputs("\r\033[K", stderr);
    p->on_screen = false;
    return elapsed;
}
