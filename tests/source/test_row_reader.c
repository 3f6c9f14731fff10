/* tests/source/test_row_reader.c - rows that a function gives. */
#include <math.h>

#include "source/training.h"

#include "credence/credence.h"

enum { ROWS = 5000, COLUMNS = 4 };

static const char *const colours[] = {"red", "green", "blue"};

/* A cursor over rows that are made as they are asked for. */
typedef struct cursor {
    size_t next, rows, rewinds;
    char text[64]; /* overwritten by each row: texts must have been copied */
    size_t fail_at;
} cursor;

static void value_row(size_t i, double *x, const char **colour, char *words, size_t size)
{
    *x = i % 7 == 0 ? NAN : (double)(i * 37 % 101) / 4;
    *colour = i % 5 == 0 ? NULL : colours[i % 3];
    snprintf(words, size, "w%zu w%zu common", i % 50, i % 13);
}

static cr_status next(void *context, cr_value *values, cr_error *err)
{
    cursor *c = context;
    const size_t i = c->next;
    const char *colour;
    double x;

    if (i == c->fail_at) {
        snprintf(err->message, sizeof err->message, "the connection is gone");
        return CR_EIO;
    }
    if (i == c->rows)
        return CR_END;
    c->next++;
    value_row(i, &x, &colour, c->text, sizeof c->text);
    values[0] = (cr_value){.type = CR_VALUE_REAL, .real = x};
    if (colour != NULL)
        values[1] = (cr_value){.type = CR_VALUE_TEXT, .bytes = colour, .length = strlen(colour)};
    values[2] = (cr_value){.type = CR_VALUE_TEXT, .bytes = c->text, .length = strlen(c->text)};
    values[3] = (cr_value){.type = CR_VALUE_REAL, .real = (double)(i % 2)}; /* classes 0 and 1 */
    return CR_OK;
}

static cr_status back(void *context, cr_error *err)
{
    cursor *c = context;

    (void)err;
    c->next = 0;
    c->rewinds++;
    return CR_OK;
}

static const cr_row_column columns[COLUMNS] = {
    {.name = "x", .kind = CR_REAL},
    {.name = "colour", .kind = CR_SYMBOL},
    {.name = "words", .kind = CR_BAG},
    {.name = "class", .kind = CR_SYMBOL, .role = CR_ROLE_TARGET}};

static cr_source *open_cursor(cursor *c, int rewindable, size_t at_once)
{
    const cr_row_reader reader = {.size = sizeof reader,
                                  .next = next,
                                  .rewind = rewindable ? back : NULL,
                                  .context = c,
                                  .at_once = at_once};
    cr_source *source = NULL;
    cr_error err = {0};

    if (cr_source_open_rows(&source, columns, COLUMNS, &reader, &err) != CR_OK)
        fail_msg("%s", err.message);
    return source;
}

/* The same rows as a CSV file. */
static void write_csv(const char *path)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fprintf(file, "x,colour,words,class\n");
    for (size_t i = 0; i < ROWS; i++) {
        const char *colour;
        char words[64], number[32] = "";
        double x;

        value_row(i, &x, &colour, words, sizeof words);
        if (!isnan(x))
            snprintf(number, sizeof number, "%.17g", x);
        fprintf(file, "%s,%s,%s,%zu\n", number, colour == NULL ? "" : colour, words, i % 2);
    }
    assert_int_equal(fclose(file), 0);
}

static void train_cursor(size_t at_once, int threads, const char *out)
{
    cursor c = {.rows = ROWS, .fail_at = SIZE_MAX};
    cr_source *source = open_cursor(&c, 0, at_once);
    const cr_run run = {.threads = threads};
    cr_model *model = NULL;
    cr_tally tally;
    cr_error err = {0};

    if (cr_model_train(&model, source, NULL, NULL, 0, &run, &tally, &err) != CR_OK ||
        cr_model_save(model, out, &err) != CR_OK)
        fail_msg("%s", err.message);
    assert_int_equal(tally.rows, ROWS);
    assert_int_equal(c.next, ROWS);
    cr_model_free(model);
    cr_source_close(source);
}

static void rows_give_the_model_of_a_file_with_these_rows(void **state)
{
    const char *const types[] = {"x=real", "colour=symbol", "words=text"};
    const cr_source_options options = {.types = types, .type_count = 3};
    const char *path = "rows.csv";

    (void)state;
    write_csv(path);
    train_file(&path, 1, &options, 1, 0, "file.model");
    train_cursor(0, 1, "one.model");
    train_cursor(0, 3, "three.model");
    train_cursor(7, 3, "seven.model");
    expect_same_bytes("one.model", "three.model");
    expect_same_bytes("one.model", "seven.model");
    expect_same_bytes("one.model", "file.model");
}

typedef struct seen {
    size_t rows, calls, first_line;
    double posterior[ROWS * 2];
} seen;

static cr_status collect(void *context, const cr_predictions *p)
{
    seen *s = context;
    size_t size;

    s->calls++;
    for (size_t i = 0; i < p->rows; i++, s->rows++) {
        memcpy(s->posterior + 2 * s->rows, p->posterior + 2 * i, 2 * sizeof(double));
        assert_int_equal(p->line[i], s->first_line + s->rows);
        assert_non_null(cr_predictions_field(p, i, 2, &size));
        assert_true(size > 8);
        if (s->first_line == 1)
            assert_true((cr_predictions_field(p, i, 0, &size) == NULL) == (s->rows % 7 == 0));
    }
    return CR_OK;
}

static void rows_are_predicted_in_their_order(void **state)
{
    static seen by_cursor = {.first_line = 1}, by_file = {.first_line = 2};
    cursor c = {.rows = ROWS, .fail_at = SIZE_MAX};
    cr_source *source = open_cursor(&c, 1, 100), *file = NULL;
    const char *path = "rows.csv";
    cr_model *model = NULL;
    cr_error err = {0};

    (void)state;
    write_csv(path);
    assert_int_equal(cr_model_train(&model, source, NULL, NULL, 0, NULL, NULL, &err), CR_OK);
    assert_int_equal(cr_model_predict(model, source, NULL,
                                      &(cr_sink){.visit = collect, .context = &by_cursor}, NULL,
                                      NULL, &err),
                     CR_OK);
    assert_int_equal(c.rewinds, 1);
    assert_int_equal(by_cursor.rows, ROWS);
    assert_int_equal(by_cursor.calls, ROWS / 100);
    assert_int_equal(cr_source_open(&file, &path, 1, NULL, &err), CR_OK);
    assert_int_equal(cr_model_predict(model, file, NULL,
                                      &(cr_sink){.visit = collect, .context = &by_file}, NULL, NULL,
                                      &err),
                     CR_OK);
    assert_memory_equal(by_cursor.posterior, by_file.posterior, sizeof by_file.posterior);
    assert_int_equal(cr_model_learn(model, source, NULL, NULL, &err), CR_OK);
    assert_int_equal(cr_model_unlearn(model, source, NULL, NULL, &err), CR_OK);
    assert_int_equal(c.rewinds, 3);
    cr_source_close(file);
    cr_source_close(source);
    cr_model_free(model);
}

static void what_needs_rows_twice_says_so(void **state)
{
    const char *bins = "real=bins:mdl";
    cursor c = {.rows = ROWS, .fail_at = SIZE_MAX};
    cr_source *source = open_cursor(&c, 0, 0);
    cr_model *model = NULL;
    cr_error err = {0};
    cr_status st;

    (void)state;
    assert_int_equal(cr_model_train(&model, source, NULL, NULL, 0, NULL, NULL, &err), CR_OK);
    st = cr_model_learn(model, source, NULL, NULL, &err);
    assert_int_equal(st, CR_EIO);
    assert_non_null(strstr(err.message, "only once"));
    cr_model_free(model);
    cr_source_close(source);
    c = (cursor){.rows = ROWS, .fail_at = SIZE_MAX};
    source = open_cursor(&c, 1, 0);
    assert_int_equal(cr_model_train(&model, source, NULL, &bins, 1, NULL, NULL, &err), CR_OK);
    cr_model_free(model);
    cr_source_close(source);
}

static void faults_are_told_with_the_row(void **state)
{
    cursor c = {.rows = ROWS, .fail_at = 2500};
    cr_source *source = open_cursor(&c, 0, 0);
    cr_model *model = NULL;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_model_train(&model, source, NULL, NULL, 0, NULL, NULL, &err), CR_EIO);
    assert_string_equal(err.message, "the connection is gone");
    assert_int_equal(err.line, 2501);
    cr_source_close(source);
    c = (cursor){.rows = 0, .fail_at = SIZE_MAX};
    source = open_cursor(&c, 0, 0);
    assert_int_equal(cr_model_train(&model, source, NULL, NULL, 0, NULL, NULL, &err), CR_EFORMAT);
    assert_non_null(strstr(err.message, "no rows"));
    cr_source_close(source);
    assert_int_equal(cr_source_open_rows(&source, columns, 4, &(cr_row_reader){0}, &err), CR_EARG);
    assert_int_equal(cr_source_open_rows(&source, columns, 0, &(cr_row_reader){.next = next}, &err),
                     CR_EARG);
}

static cr_status spelled(void *context, cr_value *values, cr_error *err)
{
    size_t *row = context;
    static const char *const numbers[] = {"1.5", " 2 ", "x"};

    (void)err;
    values[0] =
        (cr_value){.type = CR_VALUE_TEXT, .bytes = numbers[*row], .length = strlen(numbers[*row])};
    values[1] = (cr_value){.type = CR_VALUE_REAL, .real = (double)(*row % 2)};
    ++*row;
    return CR_OK;
}

static void texts_in_a_real_column_must_be_numbers(void **state)
{
    const cr_row_column two[] = {{.name = "x", .kind = CR_REAL},
                                 {.name = "y", .kind = CR_SYMBOL, .role = CR_ROLE_TARGET}};
    size_t row = 0;
    cr_source *source = NULL;
    cr_model *model = NULL;
    cr_error err = {0};

    (void)state;
    assert_int_equal(
        cr_source_open_rows(&source, two, 2,
                            &(cr_row_reader){.next = spelled, .context = &row, .at_once = 3}, &err),
        CR_OK);
    assert_int_equal(
        cr_model_train(&model, source, NULL, NULL, 0, &(cr_run){.threads = 1}, NULL, &err),
        CR_EFORMAT);
    assert_int_equal(err.line, 3);
    assert_int_equal(err.column, 1);
    assert_non_null(strstr(err.message, "'x' in column 'x' is not a number"));
    cr_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_give_the_model_of_a_file_with_these_rows),
        cmocka_unit_test(rows_are_predicted_in_their_order),
        cmocka_unit_test(what_needs_rows_twice_says_so),
        cmocka_unit_test(faults_are_told_with_the_row),
        cmocka_unit_test(texts_in_a_real_column_must_be_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
