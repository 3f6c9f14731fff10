/* bench/micro_source.c - how fast a file is parsed into batches, on one thread.
 *
 * Usage: micro_source FILE [REPEATS]
 *
 * Prints, for the best of the repeats, the time to cut the file into chunks, and the time to cut
 * and parse it: bytes per second and nanoseconds per field. The time is the thread's own, so that
 * other work on the machine disturbs it less.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "source/source.h"

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop(cr_status st, const cr_error *err)
{
    char text[1200];

    fprintf(stderr, "micro_source: %s (%d)\n", cr_error_text(err, text, sizeof text), (int)st);
    exit(1);
}

typedef struct outcome {
    double seconds;
    size_t rows, bytes;
    uint64_t check; /* of all codes and bits, so that nothing is optimised away */
} outcome;

static void look_at(const cr__batch *batch, uint64_t *check)
{
    for (size_t c = 0; c < batch->columns; c++)
        if (batch->column[c].real != NULL)
            *check += (uint64_t)(int64_t)(batch->column[c].real[batch->rows - 1] * 1000);
        else if (batch->column[c].code != NULL)
            *check += batch->column[c].code[batch->rows - 1];
}

static cr_status run(cr_source *source, const cr_schema *schema, int parse, outcome *o,
                     cr__plan *plan, cr_error *err)
{
    const double begin = now();
    cr__batch *batch = NULL;
    cr__chunk chunk;
    cr_status st = cr__batch_new(&batch, schema, err);

    *o = (outcome){0};
    while (st == CR_OK && (st = cr__source_next(source, &chunk, err)) == CR_OK) {
        o->bytes += chunk.size;
        while (parse && st == CR_OK && (st = cr__source_parse(&chunk, plan, batch, err)) == CR_OK) {
            o->rows += batch->rows;
            look_at(batch, &o->check);
        }
        cr__source_release(&chunk);
        if (st == CR_END)
            st = CR_OK;
    }
    o->seconds = now() - begin;
    cr__batch_free(batch);
    return st == CR_END ? CR_OK : st;
}

static cr_status make_plan(cr__plan *plan, const cr_schema *schema, cr_error *err)
{
    cr_status st = CR_OK;

    *plan = (cr__plan){.schema = schema, .grow = 1};
    plan->dict = cr__alloc_zero(schema->columns, sizeof *plan->dict);
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++)
        if (schema->column[i].kind == CR_SYMBOL)
            st = cr__dict_new(&plan->dict[i], i, err);
    return st;
}

static void free_plan(cr__plan *plan)
{
    for (size_t i = 0; i < plan->schema->columns; i++)
        cr__dict_free(plan->dict[i]);
    cr__free(plan->dict);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "-";
    int repeats = argc > 2 ? atoi(argv[2]) : 5;
    double best[2] = {1e9, 1e9};
    const cr_schema *schema;
    cr_source *source;
    cr_error err;
    cr_status st;
    outcome o = {0};

    if ((st = cr_source_open(&source, &path, 1, NULL, &err)) != CR_OK ||
        (st = cr__source_infer(source, CR__TARGET_CLASS, &schema, &err)) != CR_OK)
        stop(st, &err);
    while (repeats > 0) {
        for (int parse = 0; parse < 2; parse++) {
            cr__plan plan;

            if ((st = make_plan(&plan, schema, &err)) == CR_OK)
                st = run(source, schema, parse, &o, &plan, &err);
            if (st == CR__EWIDEN)
                st = cr__source_widen(source, plan.broken_column, plan.broken_to, &err);
            else if (st == CR_OK && (st = cr__source_rewind(source, &err)) == CR_OK) {
                best[parse] = o.seconds < best[parse] ? o.seconds : best[parse];
                repeats -= parse;
            }
            free_plan(&plan);
            if (st != CR_OK)
                stop(st, &err);
        }
    }
    printf("%zu rows, %zu columns, %.1f MB, check %llx\n", o.rows, schema->columns,
           (double)o.bytes / 1e6, (unsigned long long)o.check);
    printf("cut:   %7.1f ms  %6.2f GB/s\n", best[0] * 1e3, (double)o.bytes / best[0] / 1e9);
    printf("total: %7.1f ms  %6.2f GB/s  %5.2f ns per field\n", best[1] * 1e3,
           (double)o.bytes / best[1] / 1e9,
           best[1] * 1e9 / ((double)o.rows * (double)schema->columns));
    cr_source_close(source);
    return 0;
}
