/* bench/micro_exact.c - nanoseconds per value of the exact sums, against plain sums of doubles.
 *
 *     cc -std=c17 -D_GNU_SOURCE -O2 -Iinclude -Isrc bench/micro_exact.c src/base/exact*.c
 *        src/base/memory.c -lm
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/exact.h"

enum { ROWS = 4096, COLUMNS = 20, CLASSES = 5, REPEAT = 50 };

typedef struct plain {
    double sum, squares;
    int64_t count;
} plain;

static double x[COLUMNS][ROWS], weight[ROWS];
static uint32_t code[ROWS], order[ROWS], start[CLASSES + 1];
static cr__lane lanes[COLUMNS][CLASSES];
static plain plains[COLUMNS][CLASSES];

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double draw(int kind)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += drand48();
    switch (kind) {
    case 0: return sum;
    case 1: return floor(100 * drand48());
    case 2: return drand48() < 0.5 ? 0 : sum;
    case 3: return drand48() < 0.1 ? NAN : sum;
    case 4: return exp(3 * sum);
    default: return exp(20 * sum);
    }
}

static void add_plain(plain *to, const double *column)
{
    for (int r = 0; r < ROWS; r++) {
        const double value = column[r];
        plain *lane = &to[code[r]];

        if (value == value) {
            lane->sum += value;
            lane->squares += value * value;
            lane->count++;
        }
    }
}

static void run(int method)
{
    if (method == 2)
        cr__rows_group(code, ROWS, CLASSES, order, start);
    for (int j = 0; j < COLUMNS; j++) {
        if (method == 0)
            add_plain(plains[j], x[j]);
        else if (method == 1)
            (void)cr__lanes_absorb(lanes[j], x[j], code, ROWS);
        else if (method == 2)
            (void)cr__lanes_absorb_grouped(lanes[j], x[j], order, start, CLASSES);
        else
            (void)cr__lanes_absorb_weighted(lanes[j], x[j], weight, code, ROWS);
    }
}

static double best(int method)
{
    double least = 1e9;

    for (int i = 0; i < REPEAT; i++) {
        const double begin = now();
        double took;

        run(method);
        took = now() - begin;
        least = took < least ? took : least;
    }
    return least / (ROWS * COLUMNS) * 1e9;
}

int main(void)
{
    static const char *const kinds[] = {"normal",      "0 to 99",  "half zeros",
                                        "10% missing", "exp(3 z)", "exp(20 z)"};

    printf("%-12s %-8s %8s %8s %8s %8s\n", "ns per value", "classes", "plain", "exact", "grouped",
           "weighted");
    for (int kind = 0; kind < 6; kind++) {
        srand48(1);
        for (int i = 0; i < COLUMNS * ROWS; i++)
            x[i / ROWS][i % ROWS] = draw(kind);
        for (int sorted = 0; sorted < 2; sorted++) {
            for (int r = 0; r < ROWS; r++) {
                code[r] = sorted ? (uint32_t)(r * CLASSES / ROWS) : (uint32_t)(lrand48() % CLASSES);
                weight[r] = drand48();
            }
            printf("%-12s %-8s %8.2f %8.2f %8.2f %8.2f\n", kinds[kind],
                   sorted ? "sorted" : "random", best(0), best(1), best(2), best(3));
        }
    }
    for (int i = 0; i < COLUMNS * CLASSES; i++)
        cr__lane_free(&lanes[i / CLASSES][i % CLASSES]);
    return 0;
}
