/* bench/micro_lesson.c - how long a model in memory takes to learn one text through the C API.
 *
 * Usage: micro_lesson MODEL TEXTS
 *
 * TEXTS has one document a line, its class before a TAB. All are learned one by one, then taken
 * back one by one, five times; prints the best time of a document in microseconds of the processor,
 * how many words one has on average, and what it takes to fit the model afterwards. Then each is
 * learned and taken back by turns with the question what its class is.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "credence/credence.h"

static void die(const char *what)
{
    fprintf(stderr, "micro_lesson: %s\n", what);
    exit(1);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + 1e-3 * (double)t.tv_nsec;
}

/* Lines as they are, cut at the TAB. */
static size_t read_lines(FILE *file, char ***line, size_t *words)
{
    size_t lines = 0, room = 0;

    *words = 0;
    for (char *one = NULL; getline(&one, &room, file) > 0; one = NULL, room = 0) {
        char *tab = strchr(one, '\t');

        if (tab == NULL || (*line = realloc(*line, (lines + 1) * sizeof **line)) == NULL)
            die("a line has no class, or memory is out");
        one[strcspn(one, "\r\n")] = '\0';
        *tab = '\0';
        for (char *at = tab + 1; *at != '\0'; at++)
            *words += *at == ' ' || at[1] == '\0';
        (*line)[lines++] = one;
    }
    return lines;
}

static void teach(cr_model *model, cr_row *row, size_t column, char *const *line, size_t lines,
                  int sign)
{
    cr_error err = {0};

    for (size_t i = 0; i < lines; i++)
        if (cr_row_set_text(row, cr_model_target(model), line[i]) != CR_OK ||
            cr_row_set_text(row, column, strchr(line[i], '\0') + 1) != CR_OK ||
            cr_row_learn(model, row, sign, &err) != CR_OK)
            die(err.message);
}

/* Learn each text, or take it back, and ask for its class then. */
static void teach_and_ask(cr_model *model, cr_row *row, size_t column, char *const *line,
                          size_t lines, int sign)
{
    double *posterior = calloc(cr_model_classes(model), sizeof *posterior);
    int32_t decision;

    if (posterior == NULL)
        die("memory is out");
    for (size_t i = 0; i < lines; i++) {
        teach(model, row, column, &line[i], 1, sign);
        if (cr_model_classify(model, row, posterior, &decision, NULL) != CR_OK)
            die("a text cannot be classified");
    }
    free(posterior);
}

int main(int argc, char **argv)
{
    FILE *file = argc == 3 ? fopen(argv[2], "r") : NULL;
    double learn = 1e300, unlearn = 1e300, look = 1e300, ask = 1e300;
    size_t lines, words, column = 0;
    char **line = NULL;
    cr_error err = {0};
    cr_model *model;
    cr_row *row;

    if (file == NULL)
        die("usage: micro_lesson MODEL TEXTS");
    if (cr_model_load(&model, argv[1], 0, &err) != CR_OK || cr_row_new(&row, model, &err) != CR_OK)
        die(err.message);
    while (cr_schema_kind(cr_model_schema(model), column) != CR_BAG)
        if (++column == cr_schema_columns(cr_model_schema(model)))
            die("the model has no text");
    if ((lines = read_lines(file, &line, &words)) == 0)
        die("there are no texts");
    teach(model, row, column, line, 1, 1); /* from here on the row has a model of its own */
    teach(model, row, column, line, 1, -1);
    for (int run = 0; run < 5; run++) {
        const double begin = now();
        double learned, looked, end;

        teach(model, row, column, line, lines, 1);
        learned = now();
        (void)cr_model_prior(model, 0);
        looked = now();
        teach(model, row, column, line, lines, -1);
        end = now();
        (void)cr_model_prior(model, 0);
        learn = learned - begin < learn ? learned - begin : learn;
        look = looked - learned < look ? looked - learned : look;
        unlearn = end - looked < unlearn ? end - looked : unlearn;
    }
    for (int run = 0; run < 5; run++) {
        const double begin = now();
        double end;

        teach_and_ask(model, row, column, line, lines, 1);
        teach_and_ask(model, row, column, line, lines, -1);
        end = now();
        ask = end - begin < ask ? end - begin : ask;
    }
    printf("%zu texts of %.0f words: learned %.1f us, taken back %.1f us each; fitted then in %.0f "
           "us; learned or taken back and asked by turns: %.1f us for both\n",
           lines, (double)words / (double)lines, learn / (double)lines, unlearn / (double)lines,
           look, ask / (double)lines / 2);
    cr_row_free(row);
    cr_model_free(model);
    return 0;
}
