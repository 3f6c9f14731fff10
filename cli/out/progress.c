/* cli/out/progress.c - the progress of a pass over data, on standard error. */
#include "out/progress.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "out/out.h"
#include "out/text.h"

#define FIRST_AFTER 0.5 /* seconds: short passes draw nothing */
#define NEXT_AFTER 0.1
#define JUDGE_AFTER 0.5 /* seconds before the rate of models is estimated */
#define LONG 5          /* remaining seconds that are worth a note */

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

static void wipe(progress *p)
{
    if (p->on_screen)
        fputs("\r\033[K", stderr);
    p->on_screen = false;
}

/* Advise once how long the parts will take. Few parts need no more than the bar; far fewer parts
 * than rows mean that there is no model for each row. */
static void advise(progress *p, double done, double total, double time)
{
    char count[NUMBER_ROOM], left[NUMBER_ROOM];
    double seconds;

    if (p->first == 0)
        p->first = time;
    if (total < 100 || total < p->rows / 100 || done < 2 || time - p->first < JUDGE_AFTER)
        return;
    seconds = (time - p->first) / (done - 1) * (total - done);
    if (seconds > LONG) {
        wipe(p);
        note("a model for each of %s rows: about %s to go; %s", number_plain(count, total),
             number_seconds(left, seconds), p->advice);
    }
    p->advice = NULL;
}

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

/* Whether to stop. One interrupt stops only one pass. */
static int heed(progress *p)
{
    const int stop = p->heeds && interrupted;

    if (stop) {
        interrupted = 0;
        p->stopped = true;
    }
    return stop;
}

static int draw(void *context, uint64_t done, uint64_t total, uint64_t rows)
{
    progress *p = context;
    double time = now(), elapsed = time - p->began;
    char count[NUMBER_ROOM], rate[NUMBER_ROOM];

    if (rows > 0)
        p->rows = (double)rows;
    else if (p->advice != NULL)
        advise(p, (double)done, (double)total, time);
    if (!p->bar || elapsed < FIRST_AFTER || time - p->shown < NEXT_AFTER)
        return heed(p);
    p->shown = time;
    p->on_screen = true;
    fprintf(stderr, "\r\033[K%s", p->doing);
    if (total != 0 && done <= total)
        draw_share((double)done / (double)total, elapsed);
    fprintf(stderr, "  %s rows  %s rows/s", number_short(count, (double)rows),
            number_short(rate, (double)rows / elapsed));
    fflush(stderr);
    return heed(p);
}

void progress_begin(progress *p, const char *doing, cr_run *run)
{
    *p = (progress){.doing = doing, .began = now()};
    if (out_is_quiet() || !isatty(STDERR_FILENO))
        return;
    p->bar = true;
    run->progress = draw;
    run->context = p;
}

void progress_advise(progress *p, const char *advice, cr_run *run)
{
    p->advice = advice;
    run->progress = draw;
    run->context = p;
}

/* An interrupt that the caller ignores stays ignored; a second one ends the command. */
void progress_heed(progress *p, cr_run *run)
{
    const struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    struct sigaction before;

    if (sigaction(SIGINT, NULL, &before) != 0 || before.sa_handler != SIG_DFL)
        return;
    sigaction(SIGINT, &action, NULL);
    p->heeds = true;
    run->progress = draw;
    run->context = p;
}

double progress_end(progress *p)
{
    double elapsed = now() - p->began;

    if (p->heeds)
        sigaction(SIGINT, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    wipe(p);
    return elapsed;
}
