/* bench/micro_row.c - nanoseconds per single row: filled, classified, explained, learned.
 *
 *     micro_row [SYMBOLS [REALS]]
 *
 * A naive Bayes model of two classes over this many columns (10 and 10). Each figure is the best of
 * several runs of one thread, in processor time.
 */
#include <credence/credence.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROWS = 2000, RUNS = 7, MOST = 64, VALUES = 8 };

static const char *const word[VALUES] = {"red",  "green", "blue", "black",
                                         "pink", "grey",  "teal", "white"};

typedef struct bench {
    cr_model *model;
    cr_row *row;
    cr_lessons *lessons;
    size_t symbols, reals, round;
    double sum; /* of the answers, so that they are needed */
} bench;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void die(const cr_error *err)
{
    char text[1024];

    fprintf(stderr, "%s\n", cr_error_text(err, text, sizeof text));
    exit(1);
}

/* Pseudorandom numbers that are the same on every machine. */
static uint32_t draw(void)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static cr_model *train(size_t symbols, size_t reals)
{
    static const char *text[MOST + 1][ROWS];
    static double real[MOST][ROWS];
    static char name[2 * MOST][16];
    cr_array table[2 * MOST + 1] = {{.name = NULL}};
    cr_source *source;
    cr_model *model;
    cr_error err;

    for (size_t r = 0; r < ROWS; r++) {
        const uint32_t truth = draw() % 2;

        text[MOST][r] = truth ? "yes" : "no";
        for (size_t i = 0; i < symbols; i++)
            text[i][r] = word[(draw() % VALUES + draw() % VALUES * truth) % VALUES];
        for (size_t i = 0; i < reals; i++)
            real[i][r] = truth + draw() % 1000 * 1e-3;
    }
    for (size_t i = 0; i < symbols + reals; i++) {
        snprintf(name[i], sizeof name[i], "c%zu", i);
        table[i] = i < symbols ? (cr_array){.name = name[i], .text = text[i]}
                               : (cr_array){.name = name[i], .real = real[i - symbols]};
    }
    table[symbols + reals] =
        (cr_array){.name = "class", .text = text[MOST], .role = CR_ROLE_TARGET};
    if (cr_source_open_arrays(&source, table, symbols + reals + 1, ROWS, &err) != CR_OK ||
        cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, &err) != CR_OK)
        die(&err);
    cr_source_close(source);
    return model;
}

static void fill(bench *b)
{
    const size_t at = b->round++;

    for (size_t i = 0; i < b->symbols; i++)
        cr_row_set_text(b->row, i, word[(at + i) % VALUES]);
    for (size_t i = 0; i < b->reals; i++)
        cr_row_set_real(b->row, b->symbols + i, (double)(at % 100) * 0.01);
}

static void classify(bench *b)
{
    double posterior[2];
    int32_t decision;

    cr_model_classify(b->model, b->row, posterior, &decision, NULL);
    b->sum += posterior[0];
}

static void both(bench *b)
{
    fill(b);
    classify(b);
}

static cr_status look(void *context, const cr_explanation *e)
{
    ((bench *)context)->sum += e->posterior[0];
    return CR_OK;
}

static void explain(bench *b)
{
    cr_row_explain(b->row, NULL, look, b, NULL);
}

static void copy(bench *b)
{
    cr_model *other;

    if (cr_model_copy(&other, b->model, NULL) == CR_OK)
        cr_model_free(other);
}

static void learn(bench *b)
{
    cr_row_learn(b->model, b->row, b->round++ % 2 ? -1 : 1, NULL);
}

static void add_lesson(bench *b)
{
    fill(b);
    cr_row_set_text(b->row, cr_model_target(b->model), "yes");
    cr_lessons_add(b->lessons, b->row, 1, NULL);
    if (cr_lessons_count(b->lessons) == 1000)
        cr_lessons_apply(b->lessons, b->model, NULL, NULL);
}

static void measure(bench *b, const char *what, void (*work)(bench *b), size_t times)
{
    double best = INFINITY;

    for (int run = 0; run < RUNS; run++) {
        const double start = now();

        for (size_t i = 0; i < times; i++)
            work(b);
        best = fmin(best, (now() - start) / (double)times);
    }
    printf("%-24s %10.1f ns\n", what, best);
}

int main(int argc, char **argv)
{
    bench b = {.symbols = argc > 1 ? (size_t)atoi(argv[1]) : 10,
               .reals = argc > 2 ? (size_t)atoi(argv[2]) : 10};
    cr_error err;

    if (b.symbols + b.reals == 0 || b.symbols > MOST || b.reals > MOST)
        return 2;
    b.model = train(b.symbols, b.reals);
    if (cr_row_new(&b.row, b.model, &err) != CR_OK)
        die(&err);
    measure(&b, "fill", fill, 200000);
    measure(&b, "classify", classify, 200000);
    measure(&b, "fill and classify", both, 200000);
    measure(&b, "explain", explain, 20000);
    measure(&b, "copy of the model", copy, 200000);
    cr_row_set_text(b.row, cr_model_target(b.model), "yes");
    b.round = 0;
    measure(&b, "learn or unlearn", learn, 1000);
    if (cr_lessons_new(&b.lessons, b.model, &err) != CR_OK)
        die(&err);
    measure(&b, "lesson, 1000 at once", add_lesson, 10000);
    cr_lessons_free(b.lessons);
    cr_row_free(b.row);
    cr_model_free(b.model);
    return b.sum == 0;
}
