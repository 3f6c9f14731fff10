/* bench/store_live.c - several processes teach a store while another one queries it.
 *
 * Usage: store_live STORE TEXTS TEACHERS LESSONS [ROWS]
 *
 * TEXTS has lines "CLASS<TAB>TEXT", as in the SMS Spam Collection. Each of the teachers opens the
 * store (a model of one column of texts) and teaches it LESSONS lessons of ROWS rows, each of which
 * is acknowledged as durable before the next one. Prints lessons and rows per second, whether all
 * of them arrived, and how long an answer took meanwhile: median, 99th percentile, longest.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "credence/credence.h"

enum { MOST_TEXTS = 10000, MOST_ANSWERS = 1 << 20, MOST_TEACHERS = 64 };

static const char *text[MOST_TEXTS], *label[MOST_TEXTS];
static size_t texts;
static double took[MOST_ANSWERS];

static void check(cr_status status, const cr_error *err)
{
    if (status == CR_OK)
        return;
    fprintf(stderr, "store_live: %s\n", err->message);
    exit(1);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void read_texts(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[4096];

    while (file != NULL && texts < MOST_TEXTS && fgets(line, sizeof line, file) != NULL) {
        char *tab = strchr(line, '\t');

        if (tab == NULL)
            continue;
        *tab = '\0';
        tab[1 + strcspn(tab + 1, "\r\n")] = '\0';
        label[texts] = strdup(line);
        text[texts++] = strdup(tab + 1);
    }
    if (file == NULL || texts == 0) {
        fprintf(stderr, "store_live: %s has no texts\n", path);
        exit(1);
    }
    fclose(file);
}

static void teach(const char *where, int teacher, int count, int rows)
{
    cr_error err = {0};
    cr_store *store;
    cr_model *head;
    cr_lessons *lessons;
    cr_row *row;

    check(cr_store_open(&store, where, NULL, &err), &err);
    check(cr_store_head(store, &head, &err), &err);
    check(cr_lessons_new(&lessons, head, &err), &err);
    check(cr_row_new(&row, head, &err), &err);
    for (int i = 0; i < count; i++) {
        for (int r = 0; r < rows; r++) {
            const size_t at = (size_t)(i * rows + r + 977 * teacher) % texts;

            check(cr_row_set_named(row, "text", text[at], &err), &err);
            check(cr_row_set_named(row, "class", label[at], &err), &err);
            check(cr_lessons_add(lessons, row, 1, &err), &err);
        }
        check(cr_store_apply(store, lessons, &err), &err);
    }
    cr_row_free(row);
    cr_lessons_free(lessons);
    cr_model_free(head);
    cr_store_close(store);
}

/* One answer as a program would ask for it. */
static void ask(cr_store *store, size_t at)
{
    cr_error err = {0};
    cr_model *head, *view;
    cr_row *row;
    cr_decision d;
    double p[16];

    check(cr_store_head(store, &head, &err), &err);
    check(cr_row_new(&row, head, &err), &err);
    check(cr_row_set_named(row, "text", text[at], &err), &err);
    check(cr_store_view_row(store, row, &view, &err), &err);
    cr_row_free(row);
    check(cr_row_new(&row, view, &err), &err);
    check(cr_row_set_named(row, "text", text[at], &err), &err);
    if (cr_model_classes(view) <= 16)
        check(cr_row_classify(row, NULL, p, &d), &err);
    cr_row_free(row);
    cr_model_free(view);
    cr_model_free(head);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static uint64_t rows_of(const char *where)
{
    cr_error err = {0};
    cr_store_facts facts;
    cr_store *store;

    check(cr_store_open(&store, where, &(cr_store_options){.read_only = 1}, &err), &err);
    check(cr_store_get_facts(store, &facts, &err), &err);
    cr_store_close(store);
    return facts.rows;
}

int main(int argc, char **argv)
{
    const int teachers = argc > 3 ? atoi(argv[3]) : 0, count = argc > 4 ? atoi(argv[4]) : 0,
              rows = argc > 5 ? atoi(argv[5]) : 1;
    pid_t child[MOST_TEACHERS];
    cr_error err = {0};
    cr_store *store;
    uint64_t before;
    size_t answers = 0;
    double start;
    int left = teachers;

    if (argc < 5 || teachers < 1 || teachers > MOST_TEACHERS) {
        fprintf(stderr, "usage: store_live STORE TEXTS TEACHERS LESSONS [ROWS]\n");
        return 2;
    }
    read_texts(argv[2]);
    before = rows_of(argv[1]);
    start = now();
    for (int t = 0; t < teachers; t++)
        if ((child[t] = fork()) == 0) {
            teach(argv[1], t, count, rows);
            _exit(0);
        }
    check(cr_store_open(&store, argv[1], &(cr_store_options){.read_only = 1}, &err), &err);
    while (left > 0 && answers < MOST_ANSWERS) {
        const double from = now();

        ask(store, answers % texts);
        took[answers++] = now() - from;
        while (left > 0 && waitpid(-1, NULL, WNOHANG) > 0)
            left--;
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    while (left-- > 0)
        wait(NULL);
    start = now() - start;
    cr_store_close(store);
    qsort(took, answers, sizeof *took, compare);
    printf("%.0f lessons, %.0f rows a second; %s\n", teachers * count / start,
           (double)teachers * count * rows / start,
           rows_of(argv[1]) == before + (uint64_t)teachers * (uint64_t)count * (uint64_t)rows
               ? "all are there"
               : "SOME ARE LOST");
    printf("%zu answers meanwhile: median %.2f ms, 99%% below %.2f ms, longest %.2f ms\n", answers,
           1e3 * took[answers / 2], 1e3 * took[answers * 99 / 100], 1e3 * took[answers - 1]);
    return 0;
}
