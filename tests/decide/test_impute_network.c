/* tests/decide/test_impute_network.c - rows completed by a network, against all completions. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "credence/credence.h"

enum { NODES = 5, ROOM = 1 << 16 };

/* Every partial row of the lawn: each variable missing or in any of its states. */
typedef struct lawn {
    cr_model *model;
    size_t states[NODES], cells, rows;
    double *joint; /* [cells] of all variables, the last fastest */
    char csv[ROOM];
} lawn;

static void lawn_open(lawn *l)
{
    const char *tree = getenv("CREDENCE_SOURCE");
    const size_t all[NODES] = {0, 1, 2, 3, 4};
    cr_network *network = NULL;
    cr_error err = {0};
    char path[1024];

    if (tree == NULL)
        skip();
    snprintf(path, sizeof path, "%s/examples/data/lawn.bif", tree);
    if (cr_network_read(&l->model, path, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    l->cells = l->rows = 1;
    for (size_t i = 0; i < NODES; i++) {
        l->states[i] = cr_structure_states(l->model, i);
        l->cells *= l->states[i];
        l->rows *= l->states[i] + 1;
    }
    assert_non_null(l->joint = malloc(l->cells * sizeof *l->joint));
    assert_int_equal(cr_network_open(&network, l->model, NULL, &err), CR_OK);
    assert_int_equal(cr_network_joint(network, all, NODES, l->joint, &err), CR_OK);
    cr_network_close(network);
}

/* The states of a partial row; SIZE_MAX is missing. */
static void row_of(const lawn *l, size_t row, size_t *state)
{
    for (size_t i = NODES; i-- > 0; row /= l->states[i] + 1)
        state[i] = row % (l->states[i] + 1) - 1;
}

static void write_rows(lawn *l)
{
    size_t used = 0, state[NODES];

    for (size_t i = 0; i < NODES; i++)
        used += (size_t)sprintf(l->csv + used, "%s%s", i > 0 ? "," : "",
                                cr_structure_node(l->model, i));
    for (size_t r = 0; r < l->rows; r++) {
        row_of(l, r, state);
        for (size_t i = 0; i < NODES; i++)
            used += (size_t)sprintf(
                l->csv + used, "%s%s", i > 0 ? "," : "\n",
                state[i] == SIZE_MAX ? "?" : cr_structure_state(l->model, i, state[i]));
    }
    strcpy(l->csv + used, "\n");
    assert_true(used < ROOM);
}

/* What has come out so far. */
typedef struct text {
    char bytes[ROOM];
    size_t size;
} text;

static cr_status take(void *context, const char *bytes, size_t size)
{
    text *t = context;

    assert_true(t->size + size < ROOM);
    memcpy(t->bytes + t->size, bytes, size);
    t->bytes[t->size += size] = '\0';
    return CR_OK;
}

static void impute(const lawn *l, const char *how, text *out, cr_impute_tally *tally)
{
    cr_impute_options options = {.how = how, .model = l->model, .write = take, .context = out};
    cr_source *source = NULL;
    cr_error err = {0};

    out->size = 0;
    assert_int_equal(cr_source_open_memory(&source, l->csv, strlen(l->csv), "rows.csv", NULL, &err),
                     CR_OK);
    if (cr_impute(source, &options, NULL, tally, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
}

/* The sum, or the largest, of the joint probabilities of all completions of a row. */
static double over(const lawn *l, const size_t *state, int largest)
{
    double result = 0;

    for (size_t cell = 0; cell < l->cells; cell++) {
        size_t rest = cell;
        int agrees = 1;

        for (size_t i = NODES; i-- > 0; rest /= l->states[i])
            agrees &= state[i] == SIZE_MAX || state[i] == rest % l->states[i];
        if (agrees)
            result = largest ? fmax(result, l->joint[cell]) : result + l->joint[cell];
    }
    return result;
}

/* One line of the output as states. */
static char *read_line(const lawn *l, char *line, size_t *state)
{
    for (size_t i = 0; i < NODES; i++) {
        const size_t length = strcspn(line, ",\n");

        for (state[i] = 0; state[i] < l->states[i]; state[i]++) {
            const char *name = cr_structure_state(l->model, i, state[i]);

            if (strlen(name) == length && memcmp(name, line, length) == 0)
                break;
        }
        if (state[i] == l->states[i])
            state[i] = SIZE_MAX;
        line += length + 1;
    }
    return line;
}

static void rows_get_what_is_most_probable(void **unused)
{
    lawn *l = calloc(1, sizeof *l);
    text *out = calloc(1, sizeof *out);

    (void)unused;
    assert_true(l != NULL && out != NULL);
    lawn_open(l);
    write_rows(l);
    for (int together = 0; together < 2; together++) {
        cr_impute_tally tally;
        size_t filled = 0, left = 0;
        char *line;

        impute(l, together ? "mpe" : "marginal", out, &tally);
        line = strchr(out->bytes, '\n') + 1;
        for (size_t r = 0; r < l->rows; r++) {
            size_t given[NODES], got[NODES];

            row_of(l, r, given);
            line = read_line(l, line, got);
            if (!(over(l, given, 0) > 0)) { /* it cannot be, and stays as it is */
                for (size_t i = 0; i < NODES; i++)
                    left += given[i] == SIZE_MAX;
                assert_memory_equal(got, given, sizeof got);
                continue;
            }
            if (together)
                assert_true(fabs(over(l, got, 0) - over(l, given, 1)) < 1e-12);
            for (size_t i = 0; i < NODES; i++) {
                size_t one[NODES];

                assert_true(got[i] != SIZE_MAX);
                assert_true(given[i] == SIZE_MAX || given[i] == got[i]);
                filled += given[i] == SIZE_MAX;
                memcpy(one, given, sizeof one);
                one[i] = got[i];
                for (size_t s = 0; !together && given[i] == SIZE_MAX && s < l->states[i]; s++) {
                    const double mine = over(l, one, 0);
                    size_t other[NODES];

                    memcpy(other, one, sizeof other);
                    other[i] = s;
                    assert_true(mine >= over(l, other, 0) - 1e-12);
                }
            }
        }
        assert_int_equal(tally.rows, l->rows);
        assert_int_equal(tally.filled, filled);
        assert_int_equal(tally.left, left);
    }
    free(l->joint);
    cr_model_free(l->model);
    free(l);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_get_what_is_most_probable)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
