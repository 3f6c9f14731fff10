/* bench/micro_document.c - how long one document takes through the C API.
 *
 * Usage: micro_document MODEL TEXTS
 *
 * TEXTS has one document per line; what comes before a TAB, or a first word "__label__...", is left
 * out. Each is set and classified separately, all of them five times; prints the best time of a
 * document in microseconds.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "credence/credence.h"

static void die(const char *what)
{
    fprintf(stderr, "micro_document: %s\n", what);
    exit(1);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The document of a line. */
static char *document(char *line)
{
    char *tab = strchr(line, '\t'), *blank = strchr(line, ' ');

    line[strcspn(line, "\r\n")] = '\0';
    if (strncmp(line, "__label__", 9) == 0 && blank != NULL)
        return blank + 1;
    return tab != NULL ? tab + 1 : line;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 3 ? fopen(argv[2], "r") : NULL;
    char **line = NULL;
    size_t lines = 0, bytes = 0, column = 0, room = 0;
    double best = 1e9, *posterior;
    cr_error err = {0};
    cr_model *model;
    cr_row *row;

    if (file == NULL)
        die("usage: micro_document MODEL TEXTS");
    if (cr_model_load(&model, argv[1], 0, &err) != CR_OK || cr_row_new(&row, model, &err) != CR_OK)
        die(err.message);
    while (cr_schema_kind(cr_model_schema(model), column) != CR_BAG)
        if (++column == cr_schema_columns(cr_model_schema(model)))
            die("the model has no text");
    posterior = calloc(cr_model_classes(model), sizeof *posterior);
    for (char *one = NULL; getline(&one, &room, file) > 0; one = NULL, room = 0) {
        line = realloc(line, (lines + 1) * sizeof *line);
        if (line == NULL || posterior == NULL)
            die("out of memory");
        line[lines] = document(one);
        bytes += strlen(line[lines++]);
    }
    for (int run = 0; run < 5 && lines > 0; run++) {
        const double begin = now();

        for (size_t i = 0; i < lines; i++) {
            int32_t decision;
            double evidence;

            if (cr_row_set_text(row, column, line[i]) != CR_OK ||
                cr_model_classify(model, row, posterior, &decision, &evidence) != CR_OK)
                die("a document cannot be classified");
        }
        if (now() - begin < best)
            best = now() - begin;
    }
    printf("%zu documents of %.0f bytes: %.2f microseconds each\n", lines,
           lines > 0 ? (double)bytes / (double)lines : 0, best * 1e6 / (double)lines);
    return 0;
}
