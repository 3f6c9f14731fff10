/* bench/micro_number.c - nanoseconds per number read and written, against the C library.
 *
 *     cc -std=c17 -D_GNU_SOURCE -O2 -Iinclude -Isrc bench/micro_number.c src/base/number.c -lm
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/number.h"

#define FIELDS 20000
#define REPEAT 25

static char text[FIELDS * 32];
static double values[FIELDS];
static size_t length;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double gauss_like(void)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += drand48();
    return sum;
}

static void fill(int kind)
{
    length = 0;
    srand48(1);
    for (int i = 0; i < FIELDS; i++) {
        char *out = text + length;

        values[i] = kind == 3 ? (double)(lrand48() % 1000) : gauss_like();
        switch (kind) {
        case 0: length += (size_t)sprintf(out, "%.6f,", values[i]); break;
        case 1: length += (size_t)sprintf(out, "%.2f,", 100 * values[i]); break;
        case 2: length += (size_t)sprintf(out, "%.*f,", (int)(lrand48() % 8), values[i]); break;
        case 3: length += (size_t)sprintf(out, "%.0f,", values[i]); break;
        case 4: length += (size_t)sprintf(out, "%.17g,", values[i]); break;
        default: length += (size_t)sprintf(out, "%.5e,", values[i]); break;
        }
        values[i] = strtod(out, NULL);
    }
}

static double scan(void)
{
    const char *p = text, *end = text + length;
    double sum = 0, value = 0;

    while (p < end) {
        p = cr__scan_double(p, end, &value) + 1;
        sum += value;
    }
    return sum;
}

static double parse(void)
{
    const char *p = text, *end = text + length;
    double sum = 0, value = 0;

    while (p < end) {
        const char *comma = memchr(p, ',', (size_t)(end - p));

        cr__parse_double(p, (size_t)(comma - p), &value);
        sum += value;
        p = comma + 1;
    }
    return sum;
}

static double libc_read(void)
{
    char *p = text, *end = text + length;
    double sum = 0;

    while (p < end) {
        sum += strtod(p, &p);
        p++;
    }
    return sum;
}

static double format(void)
{
    char out[CR__NUMBER_SIZE];
    size_t sum = 0;

    for (int i = 0; i < FIELDS; i++)
        sum += cr__format_double(out, values[i]);
    return (double)sum;
}

static double libc_write(void)
{
    char out[CR__NUMBER_SIZE];
    size_t sum = 0;

    for (int i = 0; i < FIELDS; i++)
        sum += (size_t)snprintf(out, sizeof out, "%.17g", values[i]);
    return (double)sum;
}

/* The best of several runs, in nanoseconds per field. */
static double best(double (*run)(void))
{
    double least = 1e9;
    volatile double sink;

    for (int i = 0; i < REPEAT; i++) {
        const double start = now();
        double took;

        sink = run();
        took = now() - start;
        least = took < least ? took : least;
    }
    (void)sink;
    return least / FIELDS * 1e9;
}

int main(void)
{
    static const char *const kinds[] = {
        "%.6f", "%.2f of hundreds", "%.0f to %.7f", "0 to 999", "%.17g", "%.5e"};

    printf("%-18s %8s %8s %8s %8s %8s\n", "ns per field", "scan", "parse", "strtod", "format",
           "snprintf");
    for (int kind = 0; kind < 6; kind++) {
        fill(kind);
        printf("%-18s %8.1f %8.1f %8.1f %8.1f %8.1f\n", kinds[kind], best(scan), best(parse),
               best(libc_read), best(format), best(libc_write));
    }
    return 0;
}
